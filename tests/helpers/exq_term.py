"""Terminals for the console: tmux on a socket of its own, and a bare pty whose bytes are read as they come."""

import fcntl
import json
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import termios
import time

from exq_proc import Failure, Proc, descendants, wait_for
from exq_space import Workspace, encode, end, skip

PROMPT = "prompt-$"
TMUX_SETTINGS = """set -g default-terminal {term}
set -g status off
set -s escape-time 0
set -g focus-events on
set -g history-limit 2000
set -g default-shell /bin/bash
"""


class Tmux:
    """The console below an interactive bash in a private tmux. `start()` types the command line: requests come from
    a FIFO (`send`), answers go to a file (`answers`), its exit status is printed as `status=N` after the screen ends.

    capture() gives the rows joined by LF; wait(text or regular expression or function) waits for a screen and gives it."""

    def __init__(self, ws, cols=80, rows=24, term="tmux-256color", env=None):
        self.ws = ws
        self.socket = os.path.join(ws.dir, "tmux")
        self.requests = os.path.join(ws.dir, "requests")
        self.answers_path = os.path.join(ws.dir, "answers")
        self.errors_path = os.path.join(ws.dir, "errors")
        self.wire_path = os.path.join(ws.dir, "wire")
        self.opened_path = os.path.join(ws.dir, "opened")
        self.started = False
        os.mkfifo(self.requests)
        for path in (self.requests, self.answers_path, self.errors_path, self.wire_path):
            if path != self.requests:
                open(path, "wb").close()
            os.chown(path, ws.uid, ws.gid)
        os.chown(ws.dir, ws.uid, ws.gid)
        settings = os.path.join(ws.dir, "tmux.conf")
        with open(settings, "w", encoding="ascii") as file:
            file.write(TMUX_SETTINGS.format(term=term))
        self.input = os.open(self.requests, os.O_RDWR | os.O_CLOEXEC)
        self.settings = {**ws.env, "PS1": PROMPT + " ", "HISTFILE": "/dev/null", **(env or {})}
        self.settings.pop("TERM", None)
        self.settings["TERM"] = "xterm-256color"
        ws.sessions.append(self)
        self.tmux("-u", "-f", settings, "new-session", "-d", "-x", str(cols), "-y", str(rows),
                  "/bin/bash", "--norc", "--noprofile", "-i")
        self.tmux("pipe-pane", "-o", f"exec cat >> {shlex.quote(self.wire_path)}")
        self.wait(PROMPT)

    def tmux(self, *arguments, data=None):
        """One tmux command on the private socket; gives its output."""
        process = self.ws.popen(["tmux", "-S", self.socket, *arguments], env=self.settings, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        out, _ = process.communicate(data, timeout=60)
        self.ws.sessions.remove(process)
        if process.returncode != 0:
            raise Failure(f"tmux {' '.join(arguments)}: {out.decode('utf-8', 'replace')}")
        return out.decode("utf-8", "replace")

    def start(self, *arguments, requests=(), program=None, before=""):
        """Types the command line of the console and sends the requests. `before`: text in front, such as `TERM=dumb `."""
        argv = " ".join(shlex.quote(part) for part in (program or self.ws.program(), *arguments))
        script = os.path.join(self.ws.dir, "start.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"( : > {shlex.quote(self.opened_path)}; exec env {before}{argv} ) < {shlex.quote(self.requests)} "
                       f"> {shlex.quote(self.answers_path)} 2> {shlex.quote(self.errors_path)}\necho status=$?\n")
        os.chown(script, self.ws.uid, self.ws.gid)
        self.started = True
        self.literal(f". {script}")
        self.keys("Enter")
        if requests:
            self.send(*requests)

    def send(self, *lines):
        """Sends requests to the console."""
        data = encode(lines)
        while data:
            data = data[os.write(self.input, data[:4096]):]

    def close_input(self):
        """The end of the requests; not before the shell has opened them, or they would be lost."""
        if self.input >= 0:
            if self.started:
                wait_for(lambda: os.path.exists(self.opened_path), 30, what=None)
            os.close(self.input)
            self.input = -1

    def keys(self, *names):
        """Keys by tmux's names: a, Enter, Escape, Space, C-z, PageDown, Up."""
        self.tmux("send-keys", *names)

    def literal(self, text):
        """Text as if typed."""
        self.tmux("send-keys", "-l", text)

    def bytes(self, data):
        """Raw bytes, as a terminal would send them."""
        self.tmux("send-keys", "-H", *(f"{byte:02x}" for byte in data))

    def paste(self, text, bracketed=True):
        """Pastes, with the brackets if the console asked for them."""
        self.tmux("load-buffer", "-", data=text.encode())
        self.tmux("paste-buffer", *(["-p"] if bracketed else []), "-d")

    def resize(self, cols, rows):
        """A new size of the window."""
        self.tmux("resize-window", "-x", str(cols), "-y", str(rows))

    def capture(self, styles=False):
        """The screen now; with styles, SGR sequences included."""
        return self.tmux("capture-pane", "-p", *(["-e"] if styles else []))

    def ask(self, format_text):
        """A tmux format, such as `#{alternate_on}` or `#{cursor_flag}`."""
        return self.tmux("display-message", "-p", format_text).strip()

    def wait(self, wanted, seconds=30):
        """Waits for a screen with the text, a compiled pattern found on it, or a function of it that is true."""
        seen = [""]

        def there():
            seen[0] = self.capture()
            if callable(wanted):
                return wanted(seen[0])
            return wanted.search(seen[0]) if isinstance(wanted, re.Pattern) else wanted in seen[0]

        wait_for(there, seconds, what=lambda: f"{wanted!r} on the screen:\n{seen[0]}\nstderr: {self.stderr()}",
                 turn=0.04)
        return seen[0]

    def wait_status(self, seconds=30):
        """Waits for the end of the console; gives its exit status as the shell saw it."""
        screen = self.wait(re.compile(r"^status=\d+$", re.M), seconds)
        return int(re.findall(r"^status=(\d+)$", screen, re.M)[-1])

    def gate(self):
        """The gate row: whether something can be decided, and why not."""
        rows = self.capture().rstrip("\n").split("\n")
        return next((row for row in reversed(rows) if re.match(r" \[.{1,5}\] ", row)), "")

    def open(self, number=1):
        """Opens the card of a call from the queue, wherever the screen is; gives the screen with it."""

        def rows(screen):
            return re.findall(r"^([ >])#(\d+) ", screen, re.M)

        def there(screen):
            return (">", str(number)) in rows(screen)

        # The first call that arrives opens its card by itself; a key before that would go to the view before.
        self.wait(rows)
        self.keys("1")
        self.wait(lambda screen: screen.startswith(" 1 queue") and str(number) in [row[1] for row in rows(screen)])
        for _ in range(10):
            self.keys("g")
            order = [row[1] for row in rows(self.wait(lambda screen: rows(screen)[0][0] == ">"))]
            steps = order.index(str(number))
            if steps:
                self.keys(*["j"] * steps)
            # A call that ended meanwhile went to another row: then once more.
            if wait_for(lambda: there(self.capture()), 2, what=None, turn=0.04):
                break
        self.keys("Enter")
        return self.wait(lambda screen: screen.startswith(" 2 card") and re.search(rf"^ #{number} ", screen, re.M))

    def arm(self, seconds=30):
        """Reads the card to its end, part by part, and waits for a lit lamp."""

        def next_step(screen):
            lit = re.search(r"^ \[a\] approve", screen, re.M)
            return lit or "Space next part" in screen and not re.search(r" all \d+ lines", screen)

        while True:
            screen = self.wait(next_step, seconds)
            if re.search(r"^ \[a\] approve", screen, re.M):
                return screen
            gate = self.gate()
            self.keys("Space")
            # A part counts as seen after it stood there for a while; where the gate row does not count parts, the
            # bound of five times that while lets each stand long enough.
            wait_for(lambda before=gate: self.gate() != before, 1, what=None, turn=0.04)

    def approve(self, seconds=30):
        """Arms the card on the screen, presses `a` and waits until the lamp is out: a key that follows at once would
        undo the decision."""
        self.arm(seconds)
        self.keys("a")
        self.wait(lambda screen: not re.search(r"^ \[a\]|approving", screen, re.M), seconds)

    def output(self):
        """Goes from the card of a started call to its output."""
        self.wait(re.compile(r"^ #\d+ .* (?:running \d|ended)", re.M))
        self.keys("3")
        self.wait(re.compile(r"^ 3 output ", re.M))

    def reject(self, reason):
        """Rejects the card on the screen with a reason, and waits until that has happened."""
        self.keys("r")
        self.wait("you are typing a reason")
        self.literal(reason)
        self.wait(reason)
        self.keys("Enter")
        self.wait(re.compile(r"^ \[ \] decided already|^status=\d", re.M))

    def answers(self, count, seconds=60):
        """Waits for so many answers; gives all of them."""

        def enough():
            with open(self.answers_path, "rb") as file:
                lines = file.read().split(b"\n")[:-1]
            return lines if len(lines) >= count else None

        lines = wait_for(enough, seconds, what=lambda: f"{count} answers; screen:\n{self.capture()}\n{self.stderr()}")
        return [json.loads(line) for line in lines]

    def wire(self):
        """Every byte that was written to the terminal so far."""
        with open(self.wire_path, "rb") as file:
            return file.read()

    def stderr(self):
        """What the console said on standard error."""
        with open(self.errors_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def shell(self):
        """The process of the interactive bash."""
        return Proc(int(self.ask("#{pane_pid}")))

    def console(self):
        """The process of the console."""
        mine = [p for p in descendants(self.shell().pid) if p.argv and p.argv[0] == self.ws.program()]
        if not mine:
            raise Failure(f"no console; screen:\n{self.capture()}\n{self.stderr()}")
        return mine[0]

    def stty(self):
        """The settings of the terminal, as `stty -g` prints them."""
        tty = os.open(self.ask("#{pane_tty}"), os.O_RDONLY | os.O_NOCTTY)
        try:
            return termios.tcgetattr(tty)
        finally:
            os.close(tty)

    def close(self):
        """Ends the server and all below it."""
        try:
            server = Proc(int(self.ask("#{pid}")))
            self.tmux("kill-server")
            wait_for(lambda: not server.alive(), 10, what=None)
        except (Failure, OSError, ValueError):
            pass
        self.close_input()


class Pty:
    """The console with a controlling terminal of the test's own: bytes as they come, and a hang-up."""

    def __init__(self, ws, *arguments, cols=80, rows=24, env=None, requests=()):
        self.ws = ws
        self.master, slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        os.fchown(slave, ws.uid, ws.gid)
        self.errors_path = os.path.join(ws.dir, f"pty-errors-{len(ws.sessions)}")
        self.seen = b""

        def take_terminal():
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            os.tcsetpgrp(slave, os.getpgrp())

        with open(self.errors_path, "wb") as errors:
            self.process = ws.popen([ws.program(), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=errors, preexec_fn=take_terminal, pass_fds=[slave],
                                    env={**ws.env, **(env or {})})
        os.close(slave)
        ws.sessions.append(self)
        if requests:
            self.send_requests(*requests)

    def send_requests(self, *lines):
        """Sends requests on the standard input of the console."""
        self.process.stdin.write(encode(lines))
        self.process.stdin.flush()

    def write(self, data):
        """Bytes from the keyboard."""
        os.write(self.master, data)

    def read(self, until, seconds=30):
        """Reads until the bytes (or a compiled pattern) were written; gives everything since the start."""
        end_at = time.monotonic() + seconds
        while not (until.search(self.seen) if isinstance(until, re.Pattern) else until in self.seen):
            ready, _, _ = select.select([self.master], [], [], max(0, end_at - time.monotonic()))
            if not ready:
                raise Failure(f"{until!r} was not written in {seconds} s: {self.seen[-2000:]!r}")
            try:
                more = os.read(self.master, 1 << 16)
            except OSError:
                more = b""
            if not more:
                raise Failure(f"terminal ended before {until!r}: {self.seen[-2000:]!r}")
            self.seen += more
        return self.seen

    def resize(self, cols, rows):
        """A new size."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def hang_up(self):
        """Closes the terminal."""
        if self.master >= 0:
            os.close(self.master)
            self.master = -1

    def wait(self, seconds=30):
        """The exit status when it ends."""
        wait_for(lambda: self.process.poll() is not None, seconds, what="the end of the console")
        return self.process.returncode

    def close(self):
        """Ends the console and closes the terminal."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            wait_for(lambda: self.process.poll() is not None, 10, what=None)
        end(self.process)
        self.hang_up()


def numbered(command, identity=1, **arguments):
    """A request with an id, whose other members all go into its arguments."""
    return {"id": identity, "name": "shell", "arguments": {"command": command, **arguments}}


def console(requests, **options):
    """A workspace of supervised calls and a console in tmux that has the requests."""
    ws = Workspace(shell="supervised", **options)
    term = Tmux(ws)
    term.start(requests=requests)
    return ws, term


def need_tmux():
    """Skips the point where tmux is not installed."""
    if not os.path.exists("/usr/bin/tmux"):
        skip("tmux is not installed")
