"""Attacks on whatever holds this process: each is a function that does something a command must not be able to do.

It runs inside the sandbox and, as the control, once more outside. It prints one JSON object: for each attack "done" where
it worked, else how it was refused: the name of the errno, "signal N" for a process that was killed, or a few words.

    python3 attack_probe.py TARGETS.json FAMILY...

Nothing here harms a machine on which every attack works: what would be changed is opened and left, set to the value that
it has, or belongs to the test. The scripts read the tables below for what they expect on both sides."""

import errno
import json
import os
import signal
import sys

import attack_bits  # noqa: F401
import attack_kernel  # noqa: F401
import attack_network  # noqa: F401
import attack_processes  # noqa: F401
from attack_base import ATTACKS, MARKER, T, Held  # noqa: F401
from attack_files import OUTSIDE_FILES  # noqa: F401

SECONDS = 10  # of one attack


def in_child(function):
    """Runs one attack in a process of its own, so that what kills it is an answer too."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)
        os.write(writer, answer_of(function).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        answer = file.read().decode()
    _pid, status = os.waitpid(pid, 0)
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else answer or "no answer"


def answer_of(function):
    """How one attack was answered."""
    try:
        function()
        return "done"
    except Held as why:
        return str(why)
    except OSError as why:
        return errno.errorcode.get(why.errno, f"OSError {why}")
    except Exception as why:
        return f"broken: {why!r}"


def main():
    """Runs the families that were named."""
    with open(sys.argv[1], encoding="utf-8") as file:
        T.update(json.load(file))
    T["outside"] = "--outside" in sys.argv
    T["descriptors"] = sorted(os.listdir("/proc/self/fd"))
    families = [word for word in sys.argv[2:] if not word.startswith("-")]
    print(json.dumps({name: in_child(row.function) for name, row in ATTACKS.items() if row.family in families}))


if __name__ == "__main__":
    main()
