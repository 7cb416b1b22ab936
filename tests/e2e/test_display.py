"""What stands on the screen is what would run, and no byte of a command or of its output acts on the terminal. Ids are handed-out cases."""

import os
import re

import exq
from exq_socket import path_of
from exq_term import numbered as request


def card(command, env=None, **arguments):
    """A workspace and a terminal with the card of one command on it."""
    ws = exq.Workspace(shell="supervised", env=env)
    if "working_dir" in arguments:
        ws.mkdir(arguments["working_dir"])
    term = exq.Tmux(ws)
    term.start(requests=[request(command, **arguments)])
    term.open()
    return ws, term


def leave(term):
    """Rejects what is on the screen and ends."""
    if not term.ws.events("answered"):
        term.reject("seen")
        term.answers(1)
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("CR and ESC of a command are drawn as marks and never sent (H010)")
def controls():
    _, term = card("touch h_cr\r\x1b[2Kls -la")
    screen = term.capture()
    exq.has(screen, "touch h_cr<CR><ESC>[2Kls -la")
    exq.check(b"h_cr\r" not in term.wire() and b"\x1b[2Kls" not in term.wire(), "raw bytes on the wire")
    leave(term)


@exq.test("bidi and zero-width characters are drawn with their numbers, in byte order, and asked for by a word (H011)")
def bidi():
    ws, term = card("echo \u202egpj.x\u202c; t\u200bouch h_zw")
    screen = term.capture()
    exq.has(screen, "echo <U+202E>gpj.x<U+202C>; t<U+200B>ouch h_zw")
    exq.matches(screen, r"^─ !! \d unusual")
    exq.check(b"\xe2\x80\xae" not in term.wire() and b"\xe2\x80\x8b" not in term.wire(), "raw bytes on the wire")
    term.approve()
    term.wait("type the word")
    exq.check(not ws.events("decided"), "decided without the word")
    term.literal("hidden")
    term.wait("[Enter]")
    term.keys("Enter")
    exq.equal(term.answers(1)[0]["decision"], "approved")
    leave(term)


@exq.test("a long run of blanks is folded, so that both ends stand on the first screen (H012)")
def blanks():
    _, term = card("ls" + " " * 300 + "; touch h_pad")
    screen = term.capture()
    exq.has(screen, "ls<300 SP>; touch h_pad")
    exq.matches(screen, r"^─ ! \d unusual")
    leave(term)


@exq.test("a command of five thousand bytes cannot be approved before its end was on the screen (H013)")
def long_command():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    term.start(requests=[request("echo " + "a" * 5000 + " && touch h_long")])
    term.wait("#1")
    term.keys("1")
    exq.matches(term.wait(re.compile("^>#1", re.M)), "echo a+… 4 KiB")
    term.open()
    term.wait("press Space")
    term.keys("a")
    term.wait("a did nothing")
    exq.check(not ws.events("decided"), "decided")
    term.keys("End")
    term.wait(lambda screen: "h_long" in screen or "card" in screen)
    term.keys("a")
    term.wait("a did nothing")
    exq.has(term.gate(), "[ ]")
    exq.equal(ws.events("received")[0]["command"], "echo " + "a" * 5000 + " && touch h_long")
    leave(term)


@exq.test("a working directory with odd characters stays in its field (H014)")
def odd_directory():
    _, term = card("pwd", working_dir="a\nb \x1b]0;x\x07\u202ec")
    screen = re.sub(r" *│\n +", "", term.capture())
    exq.has(screen, "a<LF>b <ESC>]0;x<BEL><U+202E>c")
    exq.check(b"\x1b]0;x" not in term.wire(), "a title on the wire")
    term.approve()
    exq.has(term.answers(1)[0]["output"], "a\nb \x1b]0;x\x07\u202ec\n")
    leave(term)


@exq.test("format directives are text (H015)")
def formats():
    _, term = card("printf '%s%s%n%x%1000000d' h")
    exq.has(term.capture(), "printf '%s%s%n%x%1000000d' h")
    term.keys("v")
    term.wait("PATH=")
    leave(term)


@exq.test("letters of two scripts in one word are named, and may be approved (H016)")
def mixed():
    _, term = card("echo https://\u0430pple.example/x")
    screen = term.capture()
    exq.has(screen, "<U+0430>pple")
    exq.matches(screen, r"mixes Cyrillic into a Latin word")
    term.approve()
    exq.equal(term.answers(1)[0]["decision"], "approved")
    leave(term)


@exq.test("a script that the command may change while it waits is named as not shown on the card (H017)")
def unseen_script():
    ws = exq.Workspace(shell="supervised")
    ws.write("h_script.sh", "echo A\n")
    term = exq.Tmux(ws)
    term.start(requests=[request("sh ./h_script.sh")])
    term.open()
    exq.matches(term.capture(), r"^─ ! 1 unusual: line 1 runs a file not shown")
    exq.matches(term.capture(), r"^ unusual .*a place it may write, its text is not +│\n +on this card: \./h_script\.sh")
    ws.write("h_script.sh", "echo B\n")
    term.approve()
    exq.equal(term.answers(1)[0]["decision"], "approved")
    leave(term)


@exq.test("decoded text that is run asks for its word; the note says which words do it, and they are underlined")
def decoded():
    ws, term = card("ls -la\necho bHM= | base64 -d | sh")
    exq.matches(term.capture(), r"^─ !! 1 unusual: line 2 decodes text and runs it")
    exq.matches(term.capture(), r"^!!  2│echo bHM= \| base64 -d \| sh")
    exq.check(re.search(rb"\x1b\[[0-9;]*4[;m][^\x1b]*base64 -d", term.wire()), "the words are not underlined")
    term.approve()
    term.wait("type the word")
    exq.check(not ws.events("decided"), "decided without the word")
    term.literal("decoded")
    term.wait("[Enter]")
    term.keys("Enter")
    exq.equal(term.answers(1)[0]["decision"], "approved")
    leave(term)


OUTPUTS = [
    ("an OSC sequence (H019)", r"printf '\033]52;c;SGVsbG8=\007\033]0;owned\007\033]8;;http://x.invalid\007link\033]8;;\007'",
     [b"\x1b]52;c", b"\x1b]0;owned", b"\x1b]8;;http"], "<ESC>]0;owned<BEL>"),
    ("C1 controls (H020)", r"printf 'A\302\2332JB\2332JC'", [b"\xc2\x9b", b"\x9b2J"], "A<U+009B>2JB<x9B>2JC"),
    ("terminal queries (H021)", r"printf '\033[6n\033[c\033[>c\033]11;?\007'", [b"\x1b[6n", b"\x1b[>c", b"\x1b]11;?"], "<ESC>[6n<ESC>[c"),
    ("a reset and a false card (H022)", r"printf '\033c\033[?1049l\033[2J\033[H[PENDING] approve? y'", [b"\x1bc"], "[PENDING] approve? y"),
]


@exq.test("output never acts on the terminal: {name}", name=[row[0] for row in OUTPUTS])
def output(name):
    command, absent, shown = next(row[1:] for row in OUTPUTS if row[0] == name)
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    term.start(requests=[request(command + "; until [ -e go ]; do sleep 0.05; done"), request("touch marker", 2)])
    term.open(1)
    # the console's own sequences at its start are not the command's: look behind the first card
    behind = len(term.wire())
    term.approve()
    term.output()
    term.wait(shown)
    exq.equal(term.ask("#{alternate_on}"), "1")
    for part in absent:
        exq.check(part not in term.wire()[behind:], f"{part!r} on the wire")
    ws.write("go")
    term.answers(1)
    exq.check(not os.path.exists(ws.path("marker")) and len(ws.events("decided")) == 1, "a key came from the output")
    term.open(2)
    term.reject("seen")
    term.answers(2)
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("C1 controls stay marks where the locale is not UTF-8 (H020)")
def not_utf8():
    _, term = card("printf 'A\\302\\2332JB\\2332JC \u4e2d'", env={"LANG": "C", "LC_ALL": "C"})
    exq.has(term.capture(), "<U+4E2D>")
    term.approve()
    term.answers(1)
    term.output()
    term.wait("A<U+009B>2JB<x9B>2JC")
    exq.check(b"\xc2\x9b" not in term.wire() and b"\xe2" not in term.wire(), "non-ASCII bytes on the wire")
    leave(term)


@exq.test("lines are on the screen while the command runs, with time and limit (H032)")
def live():
    ws, term = card("for i in 1 2 3; do echo line$i; until [ -e go$i ]; do sleep 0.05; done; done")
    term.approve()
    term.output()
    for number in (1, 2, 3):
        screen = term.wait(f"line{number}")
        exq.matches(screen, r"running \d+ of 60 s")
        exq.check(f"line{number + 1}" not in screen, "ahead of its time")
        ws.write(f"go{number}")
    exq.equal(term.answers(1)[0]["output"], "line1\nline2\nline3\n")
    leave(term)


@exq.test("a line of 900,000 characters is in the answer and its end can be reached (H030)")
def wide_output():
    _, term = card("head -c 899997 /dev/zero | tr '\\0' x; echo END")
    term.approve()
    exq.equal(len(term.answers(1)[0]["output"]), 900001)
    term.output()
    term.keys("G")
    term.wait("xEND")
    leave(term)


@exq.test("what an agent calls itself, its call and its program does not go on as our own words")
def imitated():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws, cols=100, rows=40)
    term.start("--listen")
    term.wait("listening")
    script = ("import ctypes,json,socket,sys; ctypes.CDLL(None).prctl(15, b'x), pid 1, y', 0, 0, 0)\n"
              "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
              "s.sendall(json.dumps({'name': 'shell', 'arguments': {'command': 'ls'},\n"
              "    'id': '1\"; edited by you at 14:36', 'agent': 'a\", as it says; b'}).encode() + b'\\n'); s.recv(1)\n")
    child = ws.popen(["/usr/bin/python3", "-c", script, path_of(ws)])
    term.wait(r"came from ")
    screen = re.sub(r" *[│█░]\n *", "", term.capture())
    exq.check(re.search(r'came from  socket, agent 3 \("x\), pid 1, y", pid %d\), line 1, '
                        r'id "1\\"; edited by you at 14:36"' % child.pid, screen), screen)
    term.keys("6")
    term.wait("agent 1 in short")
    term.keys("j")
    screen = term.wait("agent 3 in short")
    exq.has(screen, f'process    "x), pid 1, y", pid {child.pid}, uid ')
    exq.has(screen, r'agent      "a\", as it says; b", as it says; here since')
    child.kill()
    child.wait()


exq.main()
