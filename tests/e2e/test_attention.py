"""Calling a person who looks elsewhere: the bell, the title, notices, a program of theirs; and what the wire holds then."""

import json
import os
import re
import signal

import exq
from exq_space import Workspace
from exq_term import Pty, Tmux, numbered as request

OURS = "touch marker"
HOSTILE = "\x1b]9;yes\x07\x1b]0;yes\x07\x9d2;yes\x9c;notify;yes"
NOTICE = re.compile(rb"\x1b\]9;Exequatur: (\d+ calls? waits?, [a-z0-9 ]+)\x1b\\")
TITLE = re.compile(rb"\x1b\]2;(Exequatur(?:: \d+ waiting)?|)\x1b\\")
# What this program has a reason to send to an xterm: modes, the stack of titles, cursor, erasing, colours, the two above.
MEANT = re.compile(
    rb"\x1b\[\?(?:1049|25|12|2004|1004|1000|1006|1|7)(?:;25)?[hl]|\x1b\[2[23];[02];?[02]?t|\x1b\[[0-9;]*[ABCDHJKXGPLMdmrb@]|"
    rb"\x1b\[4l|\x1b\(B|\x1b[=>78M]|[\r\n\x08\x07]|" + NOTICE.pattern + b"|" + TITLE.pattern)


def bells(wire):
    """BEL that stands alone; ours end no sequence."""
    return wire.count(b"\x07")


def notices(wire):
    """The words of each notice."""
    return [words.decode() for words in NOTICE.findall(wire)]


def only_meant(wire):
    """Without the sequences that are meant, what is left is text."""
    text = MEANT.sub(b"", wire).decode("utf-8")
    exq.equal(sorted(set(re.findall("[\x00-\x1f\x7f-\x9f]", text))), [], "control characters on the wire")


def notified(ws, body=""):
    """notify_command: writes its words as a line of a file, then does what body says. python3 is what is trusted."""
    path, told = os.path.join(ws.dir, "notify.py"), os.path.join(ws.outside, "told")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"import json, os, sys\nwith open({told!r}, 'a') as f:\n"
                   "    print(json.dumps({'words': sys.argv[1:], 'env': sorted(os.environ), 'cwd': os.getcwd(),\n"
                   "        'fds': [os.readlink(f'/proc/self/fd/{n}') for n in range(3)],\n"
                   f"        'sid': os.getsid(0) == os.getpid()}}), file=f)\n{body}\n")
    return ["/usr/bin/python3", "-I", path, "a b"], told


def lines(path):
    """What was told so far."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file.read().split("\n")[:-1]]


def opened(focus=None, env=None, body="", requests=(), **settings):
    """A console on a bare terminal that has its first frame, and maybe was told of the focus."""
    ws = Workspace(shell="supervised")
    command, told = notified(ws, body)
    ws.configure({"exequatur": {"notify": "osc9", "notify_command": command, **settings}})
    pty = Pty(ws, env=env)
    pty.read(b"Nothing waits")
    if focus:
        pty.write(b"\x1b[" + focus)
        exq.wait_for(lambda: pty_read(pty) and events_focus(ws) != 0, 30, what="the focus in the record")
    if requests:
        pty.send_requests(*requests)
    return ws, pty, told


def pty_read(pty):
    """What came, without a wait: a terminal that nobody reads would stop the console."""
    try:
        pty.read(re.compile(rb"(?!)"), 0)
    except exq.Failure:
        pass
    return True


def ended(pty):
    """Ends the console; every byte that the terminal got."""
    pty.process.send_signal(signal.SIGTERM)
    try:
        pty.read(re.compile(rb"(?!)"))
    except exq.Failure:
        pty.wait()
    return pty.seen


def events_focus(ws):
    """The focus in the last event that tells the screen."""
    return ([event["ui"]["focus"] for event in ws.events("view")] or [0])[-1]


@exq.test("one call: one bell, one notice, one title, one program told; without focus events and when the window lost "
          "the focus: {focus}", focus=[None, b"O"])
def called(focus):
    secret = {"AGENT_TOKEN": "x", "LD_PRELOAD_X": "y", "DISPLAY": ":7", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}
    ws, pty, told = opened(focus, secret, requests=[{**request(OURS), "agent": HOSTILE, "reason": HOSTILE}])
    pty.read(NOTICE)
    exq.wait_for(lambda: lines(told), 30, what="what the program was told")
    pty.send_requests(request(OURS, 2), {**request(HOSTILE, 3), "agent": HOSTILE})
    wire = pty.read(b"\x1b]2;Exequatur: 3 waiting\x1b\\")
    exq.equal((bells(wire), notices(wire)), (1, ["1 call waits, 0 s so far"]))
    said = lines(told)
    exq.equal([line["words"] for line in said], [["a b", "1 call waits, 0 s so far"]])
    exq.equal((said[0]["cwd"], said[0]["fds"], said[0]["sid"]), ("/", ["/dev/null"] * 3, True))
    kept = set(said[0]["env"]) - {"LC_CTYPE"}
    exq.check({"PATH", "HOME", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS"} <= kept, f"what a notice needs: {kept}")
    exq.equal([name for name in kept if name not in (
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "XDG_RUNTIME_DIR", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS") and
        not name.startswith("LC_")], [], "variables that were passed on")
    only_meant(wire)
    wire = ended(pty)
    exq.check(wire.rfind(b"\x1b[?1004l") > wire.rfind(b"\x1b[?1004h"), "the focus is reported on")
    exq.equal((bells(wire), TITLE.findall(wire)[-1]), (1, b""))
    only_meant(wire)


@exq.test("nobody is called whose window has the focus, nor who just pressed a key; the title counts all the same: {how}",
          how=["focus", "key"])
def not_called(how):
    ws, pty, told = opened(b"I" if how == "focus" else None)
    if how == "key":
        pty.write(b"z")
        pty.read(b"No key here")
    pty.send_requests(request(OURS))
    pty.read(b"\x1b]2;Exequatur: 1 waiting\x1b\\")
    # The next frame is behind the one that would have called.
    pty.send_requests(request(OURS, 2))
    wire = pty.read(b"\x1b]2;Exequatur: 2 waiting\x1b\\")
    exq.equal((bells(wire), notices(wire), lines(told)), (0, [], []))
    if how == "focus":
        exq.equal(events_focus(ws), 1)
    only_meant(wire)


@exq.test("a focus event is no key: nothing moves, nothing is answered, no rest before a lock ends; a decision records it")
def no_key():
    ws = Workspace(shell="supervised", sections={"exequatur": {"notify": "off"}})
    term = Tmux(ws)
    term.start(requests=[request(OURS), request(OURS, 2)])
    term.open(2)
    # tmux tells the focus of its pane by itself; this is later.
    term.bytes(b"\x1b[O")
    exq.wait_for(lambda: events_focus(ws) == 2, 30, what="the focus in the record")
    exq.has(term.capture().split("\n")[1], " #2 ")
    exq.check("did nothing" not in term.gate() and "No key" not in term.gate(), term.gate())
    term.bytes(b"\x1b[I")
    exq.wait_for(lambda: events_focus(ws) == 1, 30, what="the focus in the record")
    term.approve()
    term.answers(1)
    exq.equal([event["ui"]["focus"] for event in ws.events("seen")], [1])


@exq.test("the title of before is back while the console is stopped, and when it has ended")
def title_restored():
    ws = Workspace(shell="supervised")
    term = Tmux(ws)

    def wait_title(wanted):
        exq.wait_for(lambda: term.ask("#{pane_title}") == wanted, 30, what=lambda: f"the title {wanted}, not "
                     + term.ask("#{pane_title}"))

    term.tmux("select-pane", "-T", "of the person")
    term.start(requests=[request(OURS)])
    wait_title("Exequatur: 1 waiting")
    term.keys("C-z")
    # One that is typed while the terminal's modes are being set may be lost, as with every program.
    if not exq.wait_for(lambda: term.ask("#{pane_title}") == "of the person", 10, what=None):
        term.keys("C-z")
    wait_title("of the person")
    term.literal("fg")
    term.keys("Enter")
    wait_title("Exequatur: 1 waiting")
    term.open()
    term.reject("no")
    wait_title("Exequatur")
    term.close_input()
    term.wait_status()
    wait_title("of the person")


@exq.test("1,000 calls of a flood, with every text an agent can give: one bell, one notice, one program, few titles, and "
          "no control on the wire that is not meant")
def flood():
    ws, pty, told = opened(body="import signal; signal.pause()")
    pty.send_requests(*({**request(f"echo {number} {HOSTILE}", number), "agent": HOSTILE, "reason": HOSTILE}
                        for number in range(1, 1001)))
    pty.send_requests(request("echo last", 1001))
    wire = pty.read(b"\x1b]2;Exequatur: 1000 waiting\x1b\\", 120)
    seconds = (ws.events("received")[-1]["at"] - ws.events("received")[0]["at"]) / 1000
    exq.equal((bells(wire), len(notices(wire)), len(lines(told))), (1, 1, 1))
    titles = TITLE.findall(wire)
    exq.check(len(titles) <= seconds + 4, f"{len(titles)} titles in {seconds} s")
    only_meant(wire)
    # What it started is ended with the console, though it would go on for ever: the census says so.
    pty.close()


@exq.test("a program that cannot be used is refused at the start, by name: {why}", why=["relative", "absent", "writable"])
def refused(why):
    ws = Workspace(shell="supervised")
    path = {"relative": "notify-send", "absent": "/usr/bin/no-such-notifier",
            "writable": os.path.join(ws.work, "notify")}[why]
    if why == "writable":
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n")
        os.chmod(path, 0o755)
    ws.configure({"exequatur": {"notify_command": [path]}})
    done = ws.exequatur()
    exq.equal(done.returncode, 2)
    exq.has(done.stderr.decode(), {"relative": "must be an absolute path", "absent": "it is not installed",
                                   "writable": f"notify_command: {path}: "}[why])


@exq.test("plain mode says that it gives no notices, and gives none")
def plain():
    ws = Workspace(shell="supervised")
    command, told = notified(ws)
    ws.configure({"exequatur": {"notify": "osc9", "notify_command": command}})
    pty = Pty(ws, "--plain", requests=[request(OURS)])
    pty.read(b"New: call 1 ")
    wire = ended(pty)
    exq.equal((re.findall(rb"[\x1b\x07]", wire), lines(told)), ([], []))
    with open(pty.errors_path, encoding="utf-8") as file:
        exq.has(file.read(), "notify and notify_command have no effect in plain mode")


@exq.test("where a title or a notice could be shown as text there is none: TERM={term}", term=["linux", "vt220"])
def old_terminals(term):
    ws = Workspace(shell="supervised", sections={"exequatur": {"notify": "osc777"}})
    pty = Pty(ws, env={"TERM": term}, requests=[request(OURS)])
    pty.read(b"\x07")
    # "ESC ] R" is the kernel's own console, taking its colours back.
    exq.equal(re.findall(rb"\x1b\](?!R)|\x1b\[2[23];2t", ended(pty)), [])


exq.main()
