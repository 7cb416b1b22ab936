"""What the python3 test scripts share: points of TAP, facts to wait for, a scratch workspace, a terminal.

    import exq

    @exq.test("exit status {code} comes through", code=[0, 42, 137], backend=exq.BACKENDS, user=exq.USERS)
    def exit_status(code, backend, user):
        ws = exq.Workspace(backend=backend, user=user)
        exq.equal(ws.call(f"exit {code}")["exit_code"], code)

    exq.main()

One function and one row of its lists is one point. A point fails by an exception, is skipped by exq.skip(why), may last
WATCHDOG seconds, and leaves nothing: workspaces are removed, and a process or a mount that is left fails the point.
Run one alone: python3 tests/e2e/test_x.py -k WORDS, or -e EXPRESSION for those whose names it is found in
(PYTHONPATH=tests/helpers, EXQ_BUILD=the build directory).
"""

import itertools
import os
import re
import shutil
import signal
import sys
import traceback

import exq_proc
from exq_proc import become_subreaper, descendants, pause, reap_orphans, wait_for
from exq_proc import Failure, Proc, find, gone  # noqa: F401  (for the scripts)
from exq_space import USERS, Skip, Workspace, close_all, equal, has, skip  # noqa: F401
from exq_term import Pty, Tmux  # noqa: F401

BACKENDS = ["landlock", "firejail", "bubblewrap"]
EVERY = [*BACKENDS, "docker"]  # an engine takes a second to start, and each container a third of one
WATCHDOG = 120

_tests = []
_results = {}


def test(name, /, **lists):
    """Registers a test; each combination of the lists is one point, its name filled with the values."""

    def register(function):
        keys = list(lists)
        for values in itertools.product(*lists.values()):
            row = dict(zip(keys, values))
            shown = name.format(**row)
            rest = [f"{key} {row[key]}" for key in keys if "{" + key not in name]
            _tests.append((shown + (f" ({', '.join(rest)})" if rest else ""), function, row))
        return function

    return register


def check(condition, message):
    """Fails the point unless the condition holds."""
    if not condition:
        raise Failure(message)


def matches(text, pattern):
    """Fails the point unless the regular expression is found in the text."""
    if not re.search(pattern, text, re.S | re.M):
        raise Failure(f"no match for {pattern!r} in:\n{text}")


def once(key, function):
    """What the function gave, which is called by the first point that asks for the key."""
    if key not in _results:
        try:
            _results[key] = function()
        except Exception as why:
            _results[key] = why
    if isinstance(_results[key], Skip):
        raise _results[key]
    if isinstance(_results[key], Exception):
        raise Failure(f"what all of these points ask for did not run: {_results[key]}")
    return _results[key]


def need_program(name):
    """The absolute path of a program of the machine, or a skip that names it."""
    path = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    if not path:
        skip(f"{name} is not installed")
    return path


def _ring(_number, _frame):
    raise Failure(f"watchdog: not done after {WATCHDOG} s")


def _left_behind():
    """Waits until every descendant is gone; what stays is the message."""

    def nobody():
        reap_orphans()
        return not descendants()

    if wait_for(nobody, exq_proc.LEFT_SECONDS, what=None):
        return None
    left = descendants()
    said = "; ".join(str(proc) for proc in left)
    for proc in left:
        proc.kill()
    wait_for(nobody, 10, what=None)
    return f"processes left behind: {said}"


def _run_point(function, row):
    """(verdict, text): verdict is "ok", "not ok" or "skip"."""
    signal.alarm(WATCHDOG)
    verdict, text = "ok", ""
    try:
        function(**row)
    except Skip as why:
        verdict, text = "skip", str(why)
    except Failure as why:
        where = traceback.extract_tb(why.__traceback__)
        ours = [f"{os.path.basename(f.filename)}:{f.lineno}" for f in where[1:] if "helpers" not in f.filename]
        verdict, text = "not ok", f"{' '.join(ours)}: {why}"
    except Exception:
        verdict, text = "not ok", traceback.format_exc()
    finally:
        signal.alarm(0)
    dirt = close_all()
    left = _left_behind()
    problems = [problem for problem in (dirt, left) if problem]
    if problems and verdict != "not ok":
        verdict, text = "not ok", "\n".join(problems)
    return verdict, text


def main():
    """Runs every registered point as TAP and ends the program."""
    become_subreaper()
    signal.signal(signal.SIGALRM, _ring)
    # a job in the background of a script ignores it, and all that it starts
    signal.signal(signal.SIGINT, signal.default_int_handler)
    words = sys.argv[sys.argv.index("-k") + 1] if "-k" in sys.argv else ""
    pattern = sys.argv[sys.argv.index("-e") + 1] if "-e" in sys.argv else "."
    chosen = [row for row in _tests if words in row[0] and re.search(pattern, row[0])]
    print(f"1..{len(chosen)}", flush=True)
    if "root" not in USERS:
        print("# the points of a root console are left out: this is not root", flush=True)
    failed = 0
    for number, (name, function, row) in enumerate(chosen, 1):
        verdict, text = _run_point(function, row)
        name = name.replace("#", "no.").replace("\n", " ")
        if verdict == "skip":
            print(f"ok {number} - {name} # SKIP {text}", flush=True)
            continue
        print(f"{verdict} {number} - {name}", flush=True)
        if verdict == "not ok":
            failed += 1
            for line in text.splitlines():
                printable = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
                print(f"# {printable}", flush=True)
    sys.exit(1 if failed else 0)


__all__ = [
    "BACKENDS", "EVERY", "USERS", "WATCHDOG", "Failure", "Proc", "Pty", "Skip", "Tmux", "Workspace", "check", "descendants",
    "equal", "find", "gone", "has", "main", "matches", "need_program", "once", "pause", "skip", "test", "wait_for",
]
