"""A real browser without a window (Debian's chromium-headless-shell), spoken to by two pipes: the Chrome DevTools Protocol, each
message ended by a NUL. No name resolves for it."""

import json
import os
import select
import subprocess
import sys
import time

import exq

PROGRAM = "chromium-headless-shell"
SECONDS = 60
ENDS = "import fcntl, os, sys\nr, w = (fcntl.fcntl(int(n), fcntl.F_DUPFD, 10) for n in sys.argv[1:3])\nos.dup2(r, 3)\nos.dup2(w, 4)\n" \
    "os.execv(sys.argv[3], sys.argv[3:])"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-breakpad", "--disable-crash-reporter",
           "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
           "--disable-dev-shm-usage", "--no-zygote", "--remote-debugging-pipe"]


class Browser:
    """with Browser(ws) as browser: browser.open(url); browser.value("document.title")"""

    def __init__(self, ws):
        self.program = exq.need_program(PROGRAM)
        home = ws.mkdir(os.path.join(ws.dir, "browser"))
        commands, self.write_fd = os.pipe()
        self.read_fd, answers = os.pipe()
        argv = [sys.executable, "-c", ENDS, str(commands), str(answers), self.program, *OPTIONS, f"--user-data-dir={home}"]
        self.process = ws.popen(argv, pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env={**ws.env, "HOME": home, "TMPDIR": home})
        os.close(commands)
        os.close(answers)
        self.buffer, self.number, self.session = b"", 0, None
        self.asked, self.faults = [], []  # addresses; what the page threw or was refused

    def __enter__(self):
        return self

    def __exit__(self, *_why):
        if self.process.poll() is None:
            self.session = None
            self.send("Browser.close")
            exq.wait_for(lambda: self.process.poll() is not None, what="the end of the browser")
        os.close(self.write_fd)
        os.close(self.read_fd)

    def _message(self, end_at):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_fd], [], [], max(0, end_at - time.monotonic()))
            more = os.read(self.read_fd, 1 << 16) if ready else b""
            if not more:
                raise exq.Failure(f"the browser says nothing more; so far: {self.faults} {self.asked}")
            self.buffer += more
        one, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(one)
        method, facts = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.asked.append(facts["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.faults.append(facts["exceptionDetails"].get("exception", {}).get("description", "?"))
        elif method == "Log.entryAdded":
            self.faults.append(facts["entry"]["text"])
        return message

    def send(self, method, **parameters):
        """One command; gives its result."""
        self.number += 1
        line = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            line["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(line).encode() + b"\0")
        end_at = time.monotonic() + SECONDS
        while True:
            message = self._message(end_at)
            if message.get("id") == self.number:
                if "error" in message:
                    raise exq.Failure(f"{method}: {message['error']}")
                return message["result"]

    def open(self, path):
        """Shows a file and waits until it is loaded."""
        self.session = None
        target = self.send("Target.createTarget", url="about:blank", width=1280, height=900)["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.navigate", url=f"file://{path}")
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def value(self, expression):
        """What the expression is in the page; promises are waited for."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise exq.Failure(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait(self, expression):
        """Until the expression is true."""
        exq.wait_for(lambda: self.value(expression), SECONDS, what=f"{expression}; {self.faults}")
