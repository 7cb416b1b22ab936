"""The same screen on every kind of terminal: under tmux and GNU screen, with 256 colours, with 16, with none."""

import os
import re

import exq
from exq_screen import LIT, finish, request, type_script

# Line 2 is noted, so that the styles of a note are on the screen.
COMMAND = "make test\nexport PATH=$PATH:~/bin >> ~/.bashrc"
COLOUR = rb"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m"
DARK = [rb"38;5;247m", rb"38;5;214m"]
LIGHT = [rb"38;5;241m", rb"38;5;94m"]
SIXTEEN = [rb"\x1b\[(?:1;)?33m"]
# name: what stands before the program, the theme, what must be written, what must not.
KINDS = {
    "256 colours": ("TERM=xterm-256color ", "dark", DARK, LIGHT),
    "256 colours, light": ("TERM=xterm-256color ", "light", LIGHT, DARK),
    "tmux": ("TERM=tmux-256color ", "dark", DARK, LIGHT),
    "COLORFGBG": ("TERM=screen-256color COLORFGBG='0;15' ", "auto", LIGHT, DARK),
    "8 colours": ("TERM=xterm ", "dark", SIXTEEN, [rb"38;5;", rb"48;5;"]),
    "8 colours, light": ("TERM=xterm ", "light", [rb"\x1b\[(?:1;)?35m"], [*SIXTEEN, rb"38;5;"]),
    "the kernel's": ("TERM=linux ", "dark", SIXTEEN, [rb"38;5;"]),
    "mono": ("TERM=xterm-256color ", "mono", [rb"\x1b\[(?:[0-9;]*;)?1m"], [COLOUR]),
    "NO_COLOR": ("TERM=xterm-256color NO_COLOR=1 ", "light", [rb"\x1b\[(?:[0-9;]*;)?1m"], [COLOUR]),
    "vt100": ("TERM=vt100 ", "dark", [rb"\x1b\[(?:[0-9;]*;)?1m"], [COLOUR]),
}


def same(screen):
    """A screen without what is another in each session: numbers, digests, identities."""
    return [re.sub(r"[0-9a-f]", "n", row).rstrip() for row in screen.rstrip("\n").split("\n")]


@exq.test("a card reads the same on every terminal, and each has the colours of its kind and theme")
def kinds():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    first = None
    for name, (before, theme, wanted, unwanted) in KINDS.items():
        ws.configure({"exequatur": {"theme": theme}})
        began = len(term.wire())
        term.start(requests=[request(COMMAND)], before=before)
        screen = term.arm()
        wire = term.wire()[began:]
        # The row of clocks apart, and the workspace, which the title cuts where the session's number needs the place.
        rows = [row if number else row[:50] for number, row in enumerate(same(screen)) if number != 1]
        first = first or rows
        exq.equal(rows, first, name)
        exq.equal([what for what in wanted if not re.search(what, wire)], [], f"not written: {name}")
        exq.equal([what for what in unwanted if re.search(what, wire)], [], f"written: {name}")
        quit_console(term)
    exq.equal(ws.events("decided"), [])


def quit_console(term):
    """Ends the console by its question, so that the next one can be started in the same shell."""
    term.keys("q")
    term.wait(re.compile(r"^ \[y\] +quit", re.M))
    term.keys("y")
    term.wait_status()
    term.literal("clear")
    term.keys("Enter")
    term.wait(lambda screen: "status=" not in screen)


@exq.test("in GNU screen the card is as drawn, the keys come through, and its own screen is there again at the end")
def gnu_screen():
    exq.need_program("screen")
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    sockets = ws.mkdir(os.path.join(ws.dir, "screens"), 0o700)
    settings = ws.write(os.path.join(ws.dir, "screenrc"), "defutf8 on\nstartup_message off\naltscreen on\nterm screen-256color\n")
    inner = ws.write(os.path.join(ws.dir, "inner.sh"), 'echo "term=$TERM"\n"$1" < "$2" > "$3" 2> "$4"\necho "status=$?"\nread -r line\n')
    type_script(term, f"SCREENDIR={sockets} screen -U -c {settings} /bin/sh {inner} "
                      "{program} {requests} {answers} {errors}")
    term.send(request("echo from-screen"))
    shown = term.wait(LIT)
    rows = shown.rstrip("\n").split("\n")
    exq.equal(len(rows), 24)
    exq.matches(rows[0], r"^ 2 card +1 waiting  0 running +0 done ")
    exq.matches(rows[4], r"^    1│echo from-screen +│$")
    exq.matches(rows[21], r"^─+┘$")
    exq.matches(rows[22], r"^ \[a\] approve ready .* #1$")
    term.keys("a")
    term.wait("ended: exit 0")
    exq.equal(term.answers(1)[0]["output"], "from-screen\n")
    term.close_input()
    exq.matches(term.wait(re.compile(r"^status=0$", re.M)), r"^term=screen-256color$")
    term.keys("Enter")
    term.wait("screen is terminating")


@exq.test("what a screen of the same size shows after many sizes is what it showed before")
def sizes_back():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    term.start(requests=[request("\n".join(f"echo {n}" for n in range(30)))])
    before = term.arm()
    for cols, rows in ((132, 43), (20, 5), (300, 100), (61, 17), (110, 30), (80, 24)):
        term.resize(cols, rows)
        term.wait(lambda screen, rows=rows: len(screen.rstrip("\n").split("\n")) in (rows, 2, 3, 4))
    after = term.wait(LIT)
    exq.equal([row for row in same(after)[2:]], [row for row in same(before)[2:]])
    term.approve()
    finish(term)


exq.main()
