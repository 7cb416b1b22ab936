"""The console in a real terminal: keys, sizes, signals, and a terminal that is left as it was found. Ids are handed-out cases."""

import os
import re
import signal

import exq


def request(command, identity=1, **arguments):
    """A request object."""
    return {"id": identity, "name": "shell", "arguments": {"command": command, **arguments}}


def console(requests, cols=80, rows=24, **options):
    """A workspace and a console in tmux that has the requests."""
    ws = exq.Workspace(shell="supervised", **options)
    term = exq.Tmux(ws, cols, rows)
    term.start(requests=requests)
    return ws, term


def finish(term, number=1):
    """Rejects one card and ends."""
    term.open(number)
    term.reject("finished")
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("what was typed before a call arrived decides nothing (H126)")
def typed_ahead():
    ws, term = console([])
    term.wait("0 waiting")
    term.keys("y", "Enter", "a", "Space", "1", "2")
    term.send(request("touch marker"))
    term.keys("y", "Enter", "a", "Space", "1", "2")
    term.wait("1 waiting")
    term.open()
    term.arm()
    exq.check(not os.path.exists(ws.path("marker")) and not ws.events("decided"), "decided by typed-ahead keys")
    finish(term)


@exq.test("pasted text decides nothing, and the screen says so (H127)", bracketed=[True, False])
def pasted(bracketed):
    ws, term = console([request("touch marker")])
    term.open()
    term.arm()
    term.paste("y\na\ny\n", bracketed)
    if bracketed:
        term.wait("pasted text ignored: 6 characters")
    term.arm()
    exq.check(not os.path.exists(ws.path("marker")) and not ws.events("decided"), "decided by a paste")
    finish(term)


@exq.test("keys come from the terminal alone, never from the requests (H128)")
def keys_on_stdin():
    ws, term = console([request("echo yes | cat; echo y > marker")])
    term.open()
    term.arm()
    term.send(b"a\ny\na\n")
    exq.equal({answer["reason"] for answer in term.answers(3)}, {"invalid_request"})
    exq.check(not os.path.exists(ws.path("marker")) and not ws.events("decided"), "decided by standard input")
    finish(term)


@exq.test("a cut escape sequence and the replies of a terminal decide nothing: {name}", name=["up", "rxvt", "da", "osc", "dcs"])
def sequences(name):
    parts = {"up": [b"\x1b", b"[", b"A"], "rxvt": [b"\x1b[", b"a"], "da": [b"\x1b[?1;2", b"c"],
             "osc": [b"\x1b]11;rgb:aaaa/", b"aaaa/aaaa\x07"], "dcs": [b"\x1bP>|a", b"a y\x1b\\"]}[name]
    ws, term = console([request("touch marker")])
    term.open()
    term.arm()
    for part in parts:
        term.bytes(part)
    term.arm()
    exq.check(not os.path.exists(ws.path("marker")) and not ws.events("decided"), "decided by a sequence")
    finish(term)


@exq.test("Ctrl-Z gives the shell back, fg draws all again, and the run goes on (H129)")
def suspended():
    ws, term = console([request("echo > up; until [ -e go ]; do sleep 0.05; done; echo ok")])
    term.open()
    term.approve()
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    term.keys("C-z")
    term.wait("Stopped")
    exq.equal(term.ask("#{alternate_on} #{cursor_flag}"), "0 1")
    term.literal("echo still-here")
    term.keys("Enter")
    term.wait(re.compile("^still-here", re.M))
    ws.write("go")
    term.literal("fg; echo ended-$?")
    term.keys("Enter")
    exq.equal(term.answers(1)[0]["output"], "ok\n")
    term.wait("ended: exit 0")
    term.keys("?")
    term.wait("? keys ")
    term.keys("Escape")
    term.close_input()
    term.wait(re.compile("^ended-0", re.M))


@exq.test("a terminal that goes away ends the console and what runs, and the record is closed (H130)")
def hang_up():
    ws = exq.Workspace(shell="supervised")
    pty = exq.Pty(ws, requests=[request("echo > up; sleep 99950")])
    pty.read(re.compile(rb"\[a\]"))
    pty.write(b"a")
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    pty.hang_up()
    exq.equal(pty.wait(20), 128 + signal.SIGHUP)
    exq.equal(exq.find("sleep 99950"), [])
    exq.equal(len(ws.events("session_end")), 1)
    done = ws.exequatur("audit", "verify", os.path.join(ws.state, "exequatur", "audit"))
    exq.equal(done.returncode, 0, done.stdout.decode())


@exq.test("any size is survived; too small decides nothing and says what is enough (H131)")
def sizes():
    ws, term = console([request("touch marker")])
    term.open()
    for cols, rows in ((1, 1), (3, 1), (10, 3), (59, 16), (60, 15)):
        term.resize(cols, rows)
        exq.wait_for(lambda: term.ask("#{window_width} #{window_height}") == f"{cols} {rows}", what="the size")
        if cols > 30:
            term.wait(f"Too small to decide: {cols}x{rows}. 60x16 is enough.")
        term.keys("a")
        exq.check(not ws.events("decided"), f"decided at {cols}x{rows}")
    term.resize(80, 24)
    term.wait(re.compile("^ #1 ", re.M))
    finish(term)


@exq.test("without a terminal that can place the cursor each supervised call is refused by name: TERM={value} (H132)",
          value=["", "dumb", "nosuchterminal"])
def no_terminal(value):
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    term.start(requests=[request("touch marker")], before=f"TERM={value} ")
    exq.equal(term.answers(1)[0]["reason"], "approval_unavailable")
    exq.check(not os.path.exists(ws.path("marker")), "it ran")
    term.close_input()
    exq.equal(term.wait_status(), 0)
    exq.check(b"\x1b[?1049h" not in term.wire().partition(b"start.sh")[2], "a screen was opened")


ENDS = {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130, "SIGSEGV": 139, "SIGABRT": 134}


@exq.test("the terminal is as it was after {name} (H133)", name=sorted(ENDS))
def restored(name):
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    flags = "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_cursor_flag} #{keypad_flag}"
    before, shown = term.stty(), term.ask(flags)
    term.start(requests=[request("echo > up; sleep 99962")])
    term.open()
    term.approve()
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    exq.check(term.ask(flags) != shown, "no screen was opened")
    term.console().kill(getattr(signal, name))
    exq.equal(term.wait_status(), ENDS[name])
    exq.gone("sleep 99962")
    exq.equal(term.ask(flags), shown)
    term.literal("echo shell-works")
    term.keys("Enter")
    term.wait(re.compile("^shell-works", re.M))
    after = term.stty()
    exq.equal((after[0], after[1], after[2]), (before[0], before[1], before[2]))


@exq.test("the frame stays whole around wide and joined characters, {cols}x24 (H134)", cols=[80, 79])
def wide_characters(cols):
    _, term = console([request("echo '\U0001f468\u200d\U0001f469\u200d\U0001f467 \u65e5\u672c\u8a9e e\u0301'")], cols)
    term.open()
    screen = term.capture()
    exq.has(screen, "<U+200D>")
    exq.has(screen, "\u65e5\u672c\u8a9e e\u0301")
    import wcwidth
    body = screen.split("\n")[4:20]
    exq.equal({wcwidth.wcswidth(row) for row in body}, {cols}, screen)
    exq.equal({row[-1] for row in body} <= set("│█░"), True)
    finish(term)


@exq.test("in a prompt every key is text or editing (H135)")
def prompt():
    ws, term = console([request("touch marker")])
    term.open()
    term.keys("r")
    term.wait("you are typing a reason")
    term.keys("a", "y", "q", "x", "1", "Left", "BSpace", "Delete", "Home", "Tab", "End", "z", "?")
    term.wait(re.compile(r"reason +ay.*z\?"))
    exq.check(not ws.events("decided") and not os.path.exists(ws.path("marker")), "decided")
    term.keys("Escape")
    term.arm()
    finish(term)


@exq.test("no colour is needed to read a state, and none is sent with NO_COLOR (H136)")
def no_colour():
    ws, term = console([request("exec sleep 99963", 1), request("false", 2), request("true", 3)], env={"NO_COLOR": "1"})
    term.open(2)
    term.approve()
    term.wait("ended: exit 1")
    term.open(3)
    term.reject("no")
    term.open(1)
    term.approve()
    exq.wait_for(lambda: exq.find("sleep 99963"), what="the command")
    term.keys("1")
    screen = term.wait("1 running")
    for word in ("running", "exit 1", "rejected", "done", "0 waiting"):
        exq.has(screen, word)
    exq.check(not re.search(rb"\x1b\[[0-9;]*(?:3[0-7]|4[0-7]|9[0-7]|38;|48;)[0-9;]*m", term.wire()), "a colour on the wire")
    term.keys("q")
    term.wait("[y]")
    term.keys("y")
    term.wait_status()


@exq.test("an interactive shell as command does not stop the console (H137)")
def job_control():
    _, term = console([request("bash -ic 'echo inner'")])
    term.open()
    term.approve()
    exq.has(term.answers(1)[0]["output"], "inner\n")
    exq.equal(term.console().state in "RS", True)
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("with nothing to do a view says what is true and what comes next")
def empty():
    _, term = console([])
    term.wait("0 waiting")
    exq.check(len([row for row in term.capture().split("\n")[2:20] if len(row.strip(" │")) > 5]) >= 1, term.capture())
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("with a terminal as standard input there is nothing to decide: it says so and how to pipe an agent in")
def terminal_stdin():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    term.literal(f"{ws.program()}; echo status=$?")
    term.keys("Enter")
    screen = term.wait(re.compile("^status=2", re.M))
    exq.matches(screen, r"\| *exequatur")
    exq.check("<LF>" not in screen, "our own words went through the rule for foreign ones")


exq.main()
