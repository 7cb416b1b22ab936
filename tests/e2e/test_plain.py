"""Plain mode: the same rules as on the screen, by lines."""

import json
import os
import re
import select
import signal
import termios
import time

import exq
from exq_screen import request

REST = 0.5  # the product wants 0.4 s between what it printed and a line that decides
PROMPT = re.compile(rb"\r\n> $")
HIDDEN = "\x1b[2Jecho \u202etxt.exe; echo \x07bell"


class Plain(exq.Pty):
    """A console in plain mode on a terminal of its own. `mark`: what was expected last ends there."""

    def __init__(self, ws, *requests, arguments=(), term="dumb"):
        self.mark = 0
        super().__init__(ws, "--plain", *arguments, env={"TERM": term}, requests=requests)
        self.expect("Exequatur, plain mode.")

    def expect(self, wanted):
        """Reads until the text or the pattern stands behind the mark; gives what lies between, as the person reads it."""
        pattern = wanted if isinstance(wanted, re.Pattern) else re.compile(re.escape(wanted.encode()))
        end_at = time.monotonic() + 30
        while not (found := pattern.search(self.seen, self.mark)):
            ready, _, _ = select.select([self.master], [], [], max(0, end_at - time.monotonic()))
            exq.check(ready, f"{wanted!r} was not written: {self.seen[self.mark:]!r}")
            self.seen += os.read(self.master, 1 << 16)
        part = self.seen[self.mark:found.end()]
        self.mark = found.end()
        return part.decode().replace("\r\n", "\n")

    def rest(self):
        """Until the terminal has been quiet for the rest that a decision needs."""
        while select.select([self.master], [], [], REST)[0]:
            self.seen += os.read(self.master, 1 << 16)

    def say(self, line):
        """A line typed behind a rest."""
        self.rest()
        self.write(line.encode() + b"\n")
        self.expect(line)

    def show(self, number, parts=0):
        """Prints a card to its end; gives its text and the line that approves it. parts: so many `more` at least."""
        self.say(f"show {number}")
        text = self.expect(re.compile(rb"Type: more\r\n> |help\.\r\n> "))
        while "Type: more" in text[-20:]:
            parts -= 1
            self.say("more")
            text += self.expect(re.compile(rb"Type: more\r\n> |help\.\r\n> "))
        exq.check(parts <= 0, f"too few parts: {text}")
        answers = " ".join(text[text.rindex("End of card"):].split())
        return text, re.search(r"Answers: (approve [^,]*),", answers).group(1)

    def interrupt(self):
        """The byte of Ctrl-C: none while the console has the terminal."""
        return termios.tcgetattr(self.master)[6][termios.VINTR]

    def answer(self):
        """The next answer to the agent."""
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        exq.check(ready, "no answer")
        return json.loads(self.process.stdout.readline())

    def leave(self):
        """The end of the requests; the terminal is as it was."""
        self.process.stdin.close()
        exq.equal(self.wait(), 0)


def opened(*requests, **options):
    """A workspace under supervision, and its console."""
    ws = exq.Workspace(shell="supervised")
    return ws, Plain(ws, *requests, **options)


def state(pid):
    """One letter, as the kernel tells it."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[0]


def decided(ws):
    """What was decided by the person."""
    return [event["decision"] for event in ws.events("decided")]


@exq.test("a call is announced, read to its end and approved by its number and digest, with any TERM")
def approve():
    ws, plain = opened(request("echo one; echo two > made", agent="docs\x1b[8m-bot"))
    text = plain.expect("To read it type: show 1\n".replace("\n", "\r\n"))
    exq.has(text, 'New: call 1 from "docs<ESC>[8m-bot". 1 waiting, ')
    text, line = plain.show(1)
    exq.has(text, "Line 1: echo one; echo two > made\nEnd of command.\n")
    for typed, said in (("approve", "Nothing decided. Say the number: approve 1"), ("y", "Not understood"),
                        ("approve 1", "Nothing decided. Say the digest"),
                        ("approve 1 00000000", "That is not the digest of card 1")):
        plain.say(typed)
        plain.expect(said)
    exq.equal(decided(ws), [])
    plain.say(line)
    plain.expect("Approved call 1. It runs")
    exq.has(plain.expect("Ended call 1: exit 0 after "), "1: one\n")
    exq.equal((plain.answer()["output"], decided(ws)), ("one\n", ["approved"]))
    seen = ws.events("seen")[0]
    exq.equal((seen["lines_seen"], seen["rows"][-1][1]), (seen["lines"], seen["total"]))
    plain.say("output 1")
    plain.expect("1: one\r\nEnd of the output of call 1")
    plain.leave()
    exq.equal(os.listdir(ws.work), ["made"])


@exq.test("what is typed ahead or comes with other lines decides nothing, nor does a card that was not printed to its end")
def ahead():
    ws, plain = opened(request("true\n" * 25 + "echo end"))
    _, line = plain.show(1, parts=1)
    for typed in (f"{line}\nlist\n", f"list\n{line}\n", f"show 1\n{line}\n", f"show 1\nmore\nmore\nmore\n{line}\n",
                  f"\x1b[200~{line}\x1b[201~\n"):
        plain.say("help")
        plain.expect(PROMPT)
        plain.write(typed.encode())
        plain.expect(re.compile(rb"Nothing d[^\r]*\.\r\n|1 waiting\.\r\n|Type: more\r\n|help\.\r\n"))
    plain.say("show 1")
    plain.expect("Type: more")
    plain.say(line)
    plain.expect("Not yet. ")
    exq.equal(decided(ws), [])
    plain.say("reject 1 not now")
    plain.expect('Rejected call 1. The agent was told: "not now" Nothing waits.')
    exq.equal(plain.answer()["reason"], "rejected")
    plain.leave()


@exq.test("a danger asks for its word, and no byte of an agent acts on the terminal")
def danger():
    ws, plain = opened(request(HIDDEN, reason="\x1b]0;title\x07 \u202eplease"))
    text, line = plain.show(1)
    exq.has(text, "Danger: line 1 ")
    exq.has(text, "Line 1: <ESC>[2Jecho <U+202E>txt.exe; echo <BEL>bell\n")
    exq.check(line.endswith(" hidden"), line)
    plain.say(line.removesuffix(" hidden"))
    plain.expect("Behind the digest it asks for: hidden")
    plain.say("reject 1")
    plain.expect("Reason for the agent")
    plain.say("")
    plain.expect("Nothing decided.")
    exq.equal(decided(ws), [])
    plain.say(line)
    plain.expect("Approved call 1.")
    plain.expect("Ended call 1: ")
    plain.answer()
    plain.leave()
    wild = re.findall(rb"[^\n\r\x20-\x7e]", plain.seen)
    exq.equal(wild, [], "bytes on the terminal that are no text")


@exq.test("stop and quit ask; a call that waits is answered console_closed, and the terminal is as it was")
def leaving():
    ws = exq.Workspace(shell="supervised")
    plain = Plain(ws, request("sleep 99960", 1), request("true", 2))
    _, line = plain.show(1)
    plain.say(line)
    plain.expect("Approved call 1.")
    exq.wait_for(lambda: ws.events("started"), what="the start")
    modes = termios.tcgetattr(plain.master)
    exq.check(modes[3] & termios.ICANON and modes[3] & termios.ECHO and modes[3] & termios.ISIG, "modes")
    exq.equal(plain.interrupt(), b"\0")
    plain.say("stop 1")
    plain.expect("Type yes")
    plain.say("no")
    plain.expect("Nothing done.")
    plain.say("stop 1")
    plain.expect("Type yes")
    plain.say("yes")
    plain.expect("Stopping call 1.")
    plain.expect("Ended call 1: stopped after ")
    exq.equal(plain.answer()["reason"], "killed_by_operator")
    plain.say("quit")
    plain.expect("Quit: reject 1 (console_closed), end 0? Type yes")
    plain.say("yes")
    exq.equal((plain.answer()["reason"], plain.wait()), ("console_closed", 0))
    exq.equal(plain.interrupt(), b"\x03")


@exq.test("Ctrl-Z and SIGTERM give the terminal back, and what was typed while it was stopped answers nothing")
def stopped():
    ws, plain = opened(request("true"))
    _, line = plain.show(1)
    plain.rest()  # the line below would count, but for the stop
    os.kill(plain.process.pid, signal.SIGTSTP)
    exq.wait_for(lambda: state(plain.process.pid) == "T", what="the stop")
    exq.equal(plain.interrupt(), b"\x03")
    plain.write(line.encode() + b"\n")
    os.kill(plain.process.pid, signal.SIGCONT)
    plain.say("list")
    plain.expect("1 waiting.")
    exq.equal(decided(ws), [])
    exq.equal(plain.interrupt(), b"\0")
    plain.process.send_signal(signal.SIGTERM)
    exq.equal((plain.answer()["reason"], plain.wait()), ("console_closed", 143))
    exq.equal(plain.interrupt(), b"\x03")


@exq.test("plain mode refuses what it cannot hold: a lock, and --headless")
def refused():
    ws = exq.Workspace(shell="supervised", sections={"exequatur": {"lock_after": 5}})
    for arguments, said in ((["--plain"], "lock_after"), (["--plain", "--headless"], "--headless")):
        done = ws.exequatur(*arguments)
        exq.equal(done.returncode, 2)
        exq.has(done.stderr.decode(), said)


exq.main()
