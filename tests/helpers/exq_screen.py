"""What the scripts about the console share: a console with requests, cards that are opened and decided, and what must
not have happened."""

import os
import re
import select
import shlex
import subprocess
import time

import exq
from exq_space import build_dir

STOP_QUESTION = re.compile(r"^ \[y\]\s+stop #1", re.M)
LIT = re.compile(r"^ \[a\] approve ", re.M)  # on the row of keys, whatever the gate row says


def request(command, identity=1, agent=None, reason=None, **arguments):
    """A request object."""
    words = {key: text for key, text in (("agent", agent), ("reason", reason)) if text}
    return {"id": identity, "name": "shell", **words, "arguments": {"command": command, **arguments}}


def console(requests, cols=80, rows=24, before="", term="tmux-256color", **options):
    """A workspace under supervision and a console in tmux that has the requests."""
    ws = exq.Workspace(shell="supervised", **options)
    screen = exq.Tmux(ws, cols=cols, rows=rows, term=term)
    screen.start(requests=requests, before=before)
    return ws, screen


def type_script(term, script):
    """Lets the interactive shell read a script, as the person would type it: `{program}` `{requests}` `{answers}`
    `{errors}` are replaced."""
    path = os.path.join(term.ws.dir, "typed.sh")
    names = {"program": term.ws.program(), "requests": term.requests, "answers": term.answers_path,
             "errors": term.errors_path}
    with open(path, "w", encoding="utf-8") as file:
        file.write(script.format(**{name: shlex.quote(value) for name, value in names.items()}) + "\n")
    os.chown(path, term.ws.uid, term.ws.gid)
    term.literal(f". {path}")
    term.keys("Enter")


def gate(term):
    """The gate row as it stands."""
    return term.capture().rstrip("\n").split("\n")[-2]


def undecided(term, what=""):
    """The lamp lights, which takes 0.4 s of rest, and no decision was recorded: what was pressed decided nothing."""
    term.wait(LIT)
    exq.equal(term.ws.events("decided") + term.ws.events("launching"), [], f"decisions after {what}")


def press(term, send, what=""):
    """Calls send(), which must decide nothing: the lamp goes out, lights again, and no decision was recorded."""
    before = len(term.wire())
    send()
    exq.wait_for(lambda: len(term.wire()) > before, what=f"an answer of the screen to {what}")
    undecided(term, what)


def replay(ws):
    """Every event of the records, fed to the model again, is possible; where the program for it was built."""
    program = os.path.join(build_dir(), "tests/unit/test_record_model")
    if os.access(program, os.X_OK):
        done = subprocess.run([program, *ws.records()], capture_output=True, text=True, check=False)
        exq.equal((done.returncode, done.stderr), (0, ""), "replay")


def finish(term, status=0):
    """Ends the requests; the console ends by itself, and its record can be replayed."""
    term.close_input()
    exq.equal(term.wait_status(), status, "exit status")
    replay(term.ws)


def stop_first(term):
    """Stops the command of call 1, whose card or output is open, by its question; its answer."""
    term.keys("x")
    term.wait(STOP_QUESTION)
    term.keys("y")
    answer = term.answers(1)[0]
    exq.equal(answer["reason"], "killed_by_operator")
    return answer


def reject_rest(term, *numbers):
    """Rejects these cards and ends."""
    for number in numbers:
        term.open(number)
        term.reject("enough")
        term.wait("decided already")
    finish(term)


def verify(ws, path=None):
    """`audit verify` on the record, as (exit status, report); its events are possible in any case."""
    replay(ws)
    done = ws.exequatur("audit", "verify", path or os.path.dirname(ws.records()[0]))
    return done.returncode, (done.stdout + done.stderr).decode()


class Reading:
    """Bytes read from a descriptor until they hold something."""

    def __init__(self, fd):
        self.fd, self.seen = fd, b""

    def until(self, wanted, seconds=30):
        """Everything up to now, when `wanted` is in it; None is the end of the stream."""
        end = time.monotonic() + seconds
        while wanted is None or wanted not in self.seen:
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise exq.Failure(f"{wanted!r} did not come in {seconds} s: {self.seen[-2000:]!r}")
            more = os.read(self.fd, 65536)
            if not more and wanted is not None:
                raise exq.Failure(f"the stream ended before {wanted!r}: {self.seen[-2000:]!r}")
            if not more:
                break
            self.seen += more
        return self.seen
