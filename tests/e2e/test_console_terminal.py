"""The console and its terminal: sizes, stops, ends, terminals that cannot do it. Ids are handed-out cases."""

import os
import re
import signal

import exq
import wcwidth
from exq_screen import LIT, Reading, console, finish, request, type_script, undecided, verify

SIZES = [(1, 1), (60, 16), (3, 1), (10, 3), (200, 50), (59, 16), (60, 15), (80, 24)]
ENDING = "until [ -e go ]; do sleep 0.05; done; echo ok"


def resize(term, cols, rows):
    """A new size, and the frame of that size."""

    def drawn(screen):
        lines = screen.rstrip("\n").split("\n")
        if cols < 60 or rows < 16:
            words = screen.split()
            said = f"Too small to decide: {cols}x{rows}. 60x16 is enough.".split()
            return len(term.wire()) > before and said[:len(words)] == words
        return len(lines) == rows and max(map(wcwidth.wcswidth, lines)) == cols and "waiting" in lines[0]

    before = len(term.wire())
    term.resize(cols, rows)
    return term.wait(drawn)


MOMENTS = {
    "on the queue": (["1"], " 1 queue"), "with the details open": (["v"], "PATH="),
    "on the help": (["?"], "this view first"), "typing a reason": (["r", "x", "y", "q"], "xyq"),
    "asked whether to quit": (["q"], "reject 1"),
}


@exq.test("every size at any moment: nothing is decided while it cannot be read, and all is there again (H131)")
def sizes():
    ws, term = console([request("echo small")])
    term.arm()
    for name, (keys, shown) in MOMENTS.items():
        term.keys(*keys)
        term.wait(shown)
        for cols, rows in SIZES:
            resize(term, cols, rows)
            if cols < 60 or rows < 16:
                term.bytes(b"a")
                term.bytes(b"y\r")
        term.wait(shown)
        exq.equal(ws.events("decided") + ws.events("refused"), [], f"decisions {name}")
        term.keys("2" if keys == ["1"] else "v" if keys == ["v"] else "Escape")
        term.wait(lambda screen, shown=shown: shown not in screen and " 2 card" in screen)
    undecided(term, "every size")
    term.approve()
    exq.equal(term.answers(1)[0]["output"], "small\n")
    finish(term)


@exq.test("what was seen stays seen in another size, and what was not stays fog (H131)")
def seen_stays():
    ws, term = console([request("\n".join(f"echo {n}" for n in range(60)))], cols=80, rows=70)
    term.wait(re.compile(r"not seen yet"))
    term.arm()
    for cols, rows in ((60, 16), (1, 1), (200, 50)):
        resize(term, cols, rows)
    term.wait(LIT)
    term.keys("a")
    exq.wait_for(lambda: ws.events("decided"), what="the decision")
    exq.equal(ws.events("seen")[0]["lines_seen"], ws.events("seen")[0]["lines"])
    term.answers(1)
    finish(term)


@exq.test("wide, joined and combining characters leave every column where it is: {cols}x24 (H134)", cols=[79, 80])
def wide(cols):
    command = "echo '\U0001f468\u200d\U0001f469\u200d\U0001f467 \u65e5\u672c\u8a9e e\u0301' " + "\u65e5x" * 60
    _, term = console([request(command)], cols=cols)
    term.arm()
    term.keys("g")
    screen = term.wait("\u65e5\u672c\u8a9e")
    exq.has(screen, "<U+200D>")
    exq.matches(screen, "e\u0301|e<U\\+0301>")
    for row in screen.rstrip("\n").split("\n")[4:-3]:
        exq.equal((wcwidth.wcswidth(row), row[-1] in "\u2588\u2502\u2591"), (cols, True), row)
    exq.check("\u200d".encode() not in term.wire(), "a joiner on the wire")
    term.approve()
    term.wait("type the word")
    term.literal("hidden")
    term.wait("[Enter]")
    term.keys("Enter")
    exq.has(term.answers(1)[0]["output"], "\u200d")
    finish(term)


def state(term):
    """What a person finds in the terminal: modes, screen, cursor, mouse."""
    return term.stty(), term.ask("#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag} #{insert_flag}")


def in_shell(term, text):
    """Types a line into the shell and waits for what it prints."""
    term.literal(text)
    term.keys("Enter")


@exq.test("Ctrl-Z gives the prompt back, fg draws all again, and what ended meanwhile is right (H129)")
def suspend():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    before = state(term)
    term.start(requests=[request(ENDING, 1), request("touch never", 2)])
    term.approve()
    exq.wait_for(lambda: ws.events("started"), what="the command")
    ours = term.stty()
    for round_number in (1, 2):
        term.keys("C-z")
        exq.has(term.wait("Stopped"), "prompt-$")
        exq.equal(term.console().state, "T")
        in_shell(term, f"echo usable$((40+{round_number}))")
        term.wait(f"usable{40 + round_number}")
        exq.equal(state(term), before)
        if round_number == 1:
            in_shell(term, "bg")  # drawing from the background would be over the shell: it stops again
            exq.wait_for(lambda: term.console().state == "T" and "Stopped" in term.capture(), what="another stop")
            exq.equal(term.ask("#{alternate_on}"), "0")
        else:
            ws.write("go")
            exq.wait_for(lambda: not exq.find("until [ -e go"), what="the end of the command")
        term.literal("fg; echo status=$?\naaay")  # the keys behind it were typed to the shell
        term.wait(lambda screen: " 2 card" in screen and "waiting" in screen.split("\n")[0])
        exq.wait_for(lambda: term.ask("#{alternate_on}") == "1" and term.stty() == ours, what="the console's modes")
    exq.equal(term.answers(1)[0]["output"], "ok\n")
    term.wait("ended: exit 0")
    term.open(2)
    term.wait(LIT)
    term.reject("enough")
    term.answers(2)
    term.close_input()
    term.wait(re.compile(r"^status=0$", re.M))
    exq.equal(state(term), before)
    exq.equal(verify(ws)[0], 0)


@exq.test("SIGTSTP and SIGCONT from outside: the lamp rests anew, nothing is decided")
def stopped_outside():
    ws, term = console([request("touch marker")])
    term.arm()
    console_process = term.console()
    console_process.kill(signal.SIGTSTP)
    term.wait("Stopped")
    term.literal("fg; echo status=$?\na")
    undecided(term, "a stop")
    term.reject("enough")
    term.answers(1)
    term.close_input()
    term.wait(re.compile(r"^status=0$", re.M))
    exq.equal(os.listdir(ws.work), [])


ENDS = {"SIGTERM": (143, 0), "SIGHUP": (129, 0), "SIGINT": (130, 0), "SIGSEGV": (139, 3), "SIGABRT": (134, 3)}


@exq.test("the terminal is as it was after {name}, what ran is gone, the record says how it stands (H133)", name=ENDS)
def ended(name):
    status, proof = ENDS[name]
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    before = state(term)
    in_shell(term, "ulimit -c 0; echo above$((1+1))")
    term.wait("above2")
    term.start(requests=[request("echo begun; sleep 99971", 1), request("touch never", 2)])
    term.approve()
    exq.wait_for(lambda: exq.find("sleep 99971") and ws.events("output"), what="the command")
    term.console().kill(getattr(signal, name))
    exq.equal(term.wait_status(), status)
    exq.equal(state(term), before)
    screen = term.capture()
    exq.has(screen, "above2")  # what stood there before is there again
    exq.check("approve" not in screen, screen)
    exq.gone("sleep 99971")
    if proof == 0:
        exq.equal([(a["id"], a["reason"]) for a in term.answers(2)], [(2, "console_closed"), (1, "console_closed")])
        exq.equal(term.answers(2)[1]["output"], "begun\n")
    exq.equal(verify(ws)[0], proof)
    exq.equal(os.listdir(ws.work), [])


@exq.test("a terminal that goes away ends the console, its command and the record (H130)")
def hang_up():
    ws = exq.Workspace(shell="supervised")
    screen = exq.Pty(ws, requests=[request("sleep 99950", 1), request("touch never", 2)])
    screen.read(b"approve ready")
    screen.write(b"a")
    exq.wait_for(lambda: exq.find("sleep 99950"), what="the command")
    screen.hang_up()
    exq.equal(screen.wait(20), 129)
    exq.gone("sleep 99950", 20)
    answers = Reading(screen.process.stdout.fileno()).until(None)
    exq.equal(answers.count(b'"reason":"console_closed"'), 2, answers)
    exq.equal((ws.events()[-1]["type"], verify(ws)[0]), ("session_end", 0))
    exq.equal(os.listdir(ws.work), [])


TERMINALS = {"dumb": "TERM=dumb ", "unset": "env -u TERM ", "unknown": "TERM=nosuch-terminal "}


@exq.test("with a terminal that cannot place the cursor nobody can decide, and it says so: TERM {kind} (H132)",
          kind=TERMINALS)
def no_cursor(kind):
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    before = state(term)
    term.start(requests=[request("touch never")], before=TERMINALS[kind])
    exq.equal(term.answers(1)[0]["reason"], "approval_unavailable")
    finish(term)
    exq.has(term.stderr(), "TERM")
    exq.equal((state(term), os.listdir(ws.work)), (before, []))
    exq.check(b"\x1b[?1049h" not in term.wire(), "a screen was opened")


@exq.test("without a controlling terminal nobody can decide")
def no_terminal():
    ws = exq.Workspace(shell="supervised")
    done = ws.exequatur(stdin=b'{"name":"shell","arguments":{"command":"touch never"}}\n')
    exq.has(done.stdout.decode(), '"reason":"approval_unavailable"')
    exq.has(done.stderr.decode(), "/dev/tty")
    exq.equal((done.returncode, os.listdir(ws.work)), (0, []))


@exq.test("in the background of an interactive shell it is not stopped and touches no screen")
def background():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    before = state(term)
    type_script(term, "{program} < {requests} > {answers} 2> {errors} &")
    term.send(request("touch never"))
    exq.equal(term.answers(1)[0]["reason"], "approval_unavailable")
    exq.has(term.stderr(), "background")
    in_shell(term, "echo usable$((40+2)); jobs")
    exq.check("Stopped" not in term.wait("usable42"), "it was stopped")
    exq.equal(state(term), before)
    term.close_input()
    in_shell(term, "wait; echo status=$?")
    exq.equal((term.wait_status(), os.listdir(ws.work)), (0, []))


COLOUR = re.compile(rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")


@exq.test("everything can be read without colour: {name} (H136)", name=["NO_COLOR", "vt100", "colours"])
def no_colour(name):
    before = {"NO_COLOR": "NO_COLOR=1 ", "vt100": "TERM=vt100 ", "colours": ""}[name]
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    at_first = state(term)
    commands = ["echo a11y; exit 2", "sleep 99972", "true", "ls"]
    term.start(requests=[request(command, number) for number, command in enumerate(commands)], before=before)
    term.approve()
    exq.has(term.wait("ended: exit 2"), "decided already")
    term.open(2)
    term.approve()
    term.open(3)
    term.reject("enough")
    term.answers(2)
    term.keys("1")
    screen = term.wait(" running 1 of 4 places")
    for words in ("waiting 1", "exit 2", "rejected", "done 2", r"^[ >]#2 .*of 60 s +sleep 99972"):
        exq.matches(screen, words)
    exq.equal(bool(COLOUR.search(term.wire())), name == "colours", "colours on the wire")
    term.keys("q")
    term.wait("[y]")
    term.keys("y")
    exq.equal(term.wait_status(), 0)
    exq.equal(state(term), at_first)


@exq.test("with a terminal as standard output the answers are held until the screen is gone")
def answers_held():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws, cols=200)
    type_script(term, "{program} < {requests} 2> {errors}; echo status=$?")
    term.send(request("printf 'held\\033[31m\\n'"))
    term.approve()
    term.wait("ended: exit 0")
    exq.check(b'"seq"' not in term.wire(), "an answer on the screen")
    term.close_input()
    exq.equal(term.wait_status(), 0)
    exq.matches(term.capture(), r'"seq":1,"success":true,"output":"held\\u001b')
    exq.equal(term.ask("#{alternate_on}"), "0")


@exq.test("with a terminal as standard input there is nothing to decide: it says how, and ends with 2")
def terminal_input():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    type_script(term, "{program}; echo status=$?")
    exq.equal(term.wait_status(), 2)
    exq.matches(term.capture(), r"nothing to decide.*agent \| exequatur")
    exq.equal(ws.records(), [])


@exq.test("a command that wants the terminal for itself gets none, and the console is never stopped (H137, H040)")
def wants_terminal():
    ws, term = console([request("bash -ic 'echo inner'", 1), request("echo INTRUDER > /dev/tty; echo rc=$?", 2)])
    term.approve()
    exq.matches(term.answers(1)[0]["output"], r"^inner$")
    exq.check(term.console().state != "T", "the console is stopped")
    term.open(2)
    term.approve()
    exq.matches(term.answers(2)[1]["output"], r"rc=[1-9]")
    screen = term.wait("ended: exit 0")
    exq.check(not any("INTRUDER" in row and "echo INTRUDER" not in row for row in screen.split("\n")), screen)
    exq.equal(term.ask("#{alternate_on}"), "1")
    finish(term)


exq.main()
