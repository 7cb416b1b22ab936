"""Recorded sessions are played: in the same screens, as text, while they are written, whole, torn and forged. Ids are handed-out
cases."""

import os
import re

import exq
from exq_screen import console, finish, request, type_script

# What a command writes to take a terminal: the clipboard, and a cleared screen.
TAKES = "printf '\\033]52;c;SGk=\\007\\033[2J'"
SHOWN = "<ESC>]52;c;SGk=<BEL><ESC>[2J"
# What asks a terminal for another size.
RESIZES = re.compile(rb"\x1b\[8;\d+;\d+t|\x1b\[\?3[hl]")


def session_of(path):
    """The id that a person types: the last two parts of a file's name."""
    return "-".join(os.path.basename(path)[:-len(".jsonl")].split("-")[-2:])


def play(term, *arguments, path=None):
    """Types the command line of a replay into the shell of the terminal."""
    term.keys("C-l")
    type_script(term, "{program} replay " + " ".join(arguments) + " " + (path or session_of(term.ws.records()[0])) +
                " 2> {errors}; echo replay=$?")


def left(term, status=0):
    """Waits for the end of the replay."""
    term.wait(re.compile(rf"^replay={status}$", re.M))


def dump(ws, *arguments, name=None, **options):
    """(status, text, words on standard error) of a replay as text. The text holds no control but the ends of its lines."""
    done = ws.exequatur("replay", "--dump", *arguments, name or ws.records()[0], **options)
    bad = re.findall(rb"[^\n\x20-\x7e\x80-\xff]", done.stdout)
    exq.equal(bad, [], "control bytes in a dump")
    done.stdout.decode()
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@exq.test("a session is played in the same screens; nothing on them decides, and no byte of a command reaches the terminal (H023)")
def played():
    ws, term = console([request(TAKES, 1), request("echo second", 2)], cols=100, rows=30)
    term.wait("2 waiting")
    term.arm()
    term.keys("a")
    exq.wait_for(lambda: ws.events("answered"), what="the answer")
    term.keys("J")
    term.wait(re.compile(r"^ #2 ", re.M))
    term.keys("r")
    term.wait("you are typing a reason")
    term.literal("not today")
    term.keys("Enter")
    exq.wait_for(lambda: len(ws.events("answered")) == 2, what="the second answer")
    finish(term)
    before, record = len(term.wire()), open(ws.records()[0], "rb").read()
    play(term, "--paused")
    screen = term.wait(re.compile(r"^ paused at .*event 1 of \d+ .*next: a at", re.M))
    exq.check(screen.startswith(" replay ") and "the reviewer's screen then" in screen, screen)
    term.wait("record whole")
    total = int(re.search(r"event 1 of (\d+) ", screen).group(1))
    exq.equal(total, record.count(b"\n"), "events")
    # The decision, with what the reviewer had then.
    term.keys("J")
    term.wait(re.compile(r"seen so far +(\d+) of \1 ", re.M))
    decided = 1 + [b'"type":"decided"' in line for line in record.split(b"\n")].index(True)
    term.wait(f"event {decided} of {total}")
    for key in "arxt!y":
        term.keys(key)
        term.wait(f"[=] this is a recording: {key} does nothing here")
    # Back and on by one event, to a call, to a number, to the end.
    term.keys(",")
    term.wait(f"event {decided - 1} of {total}")
    term.keys(".")
    term.wait(f"event {decided} of {total}")
    term.keys("J")
    term.wait(re.compile(r"no mark behind this", re.M))
    term.keys("K")
    term.wait(f"event {decided} of {total}")
    term.literal(f":{total}")
    term.keys("Enter")
    term.wait(f"end of the recording, {total} events")
    # The output is text.
    term.literal("4G")
    term.wait(re.compile(r"^>.*#1 ", re.M))
    term.keys("3")
    term.wait(SHOWN)
    term.literal("4g")
    term.wait("not today")
    term.keys("q")
    left(term)
    wire = term.wire()[before:]
    exq.check(b"\x1b]52" not in wire and b"\x07" not in wire, "a byte of the command is on the wire")
    exq.equal(open(ws.records()[0], "rb").read(), record, "the record")


@exq.test("--once plays to the end by itself, on a bare terminal, and gives it back as it was")
def once():
    ws = exq.Workspace()
    ws.call("echo played; sleep 0.2; echo over")
    term = exq.Pty(ws, "replay", "--once", "--speed", "128", "--max-wait", "0.01", ws.records()[0], cols=90, rows=24)
    term.read(b"end of the recording")
    exq.equal(term.wait(), 0)
    seen = term.read(re.compile(rb"\x1b\[\?1049l"))
    exq.check(not RESIZES.search(seen), "a size was asked for")


@exq.test("a signal ends a replay that stands still, and the terminal is as before")
def ended():
    ws = exq.Workspace()
    ws.call("echo played")
    term = exq.Pty(ws, "replay", "--paused", ws.records()[0])
    term.read(b"paused at")
    term.process.terminate()
    exq.equal(term.wait(), 128 + 15)
    term.read(re.compile(rb"\x1b\[\?1049l"))


@exq.test("as text: what was asked, decided and put out, without a control byte and without a terminal (H023)")
def as_text():
    ws = exq.Workspace()
    ws.headless([request(TAKES, 1, agent="bot\x1b[31m"), request("printf 'a\\rb\\n'; exit 3", 2)])
    status, text, errors = dump(ws)
    exq.equal((status, errors), (0, ""))
    for wanted in (f"| {SHOWN}", 'asked by "bot<ESC>[31m"', "| a<CR>b", "allowed by policy", "exit 3", "End of the recording"):
        exq.check(wanted in text, f"{wanted} in:\n{text}")
    # By call, and from an event on.
    status, one, _ = dump(ws, "--call", "2")
    exq.check("a<CR>b" in one and SHOWN not in one, one)
    status, rest, _ = dump(ws, "--from", "10")
    exq.check(re.search(r"^\S+ +10  ", rest, re.M) and not re.search(r"^\S+ +9  ", rest, re.M), rest)
    # In a locale that is not UTF-8 nothing above 7E, and the record itself is harmless to a terminal.
    env = {**ws.env, "LC_ALL": "C"}
    done = ws.exequatur("replay", "--dump", ws.records()[0], env=env)
    exq.equal(re.findall(rb"[^\n\x20-\x7e]", done.stdout), [])
    with open(ws.records()[0], "rb") as file:
        exq.equal(re.findall(rb"[^\n\x20-\x7e]", file.read()), [], "the record")


@exq.test("two sessions at the same time are played each alone, whole and in order (H115)")
def two():
    ws = exq.Workspace()
    sessions = [ws.start("--headless"), ws.start("--headless")]
    for turn in range(3):
        for n, session in enumerate(sessions):
            session.call(f"echo session{n} turn{turn}")
    for session in sessions:
        session.close_input()
        exq.equal(session.wait(), 0)
    exq.equal(len(ws.records()), 2)
    seen = set()
    for path in ws.records():
        status, text, _ = dump(ws, name=session_of(path))
        exq.equal(status, 0)
        lines = re.findall(r"\| session(\d) turn(\d)$", text, re.M)
        exq.equal([turn for _, turn in lines], ["0", "1", "2"], text)
        numbers = {number for number, _ in lines}
        exq.equal(len(numbers), 1, text)
        seen |= numbers
        exq.check(text.rstrip().endswith(f"End of the recording, {open(path, 'rb').read().count(10)} events."), text)
    exq.equal(seen, {"0", "1"})


@exq.test("recorded at 200x50 and played at 60x20: wrapped, each byte reached, no size asked for (H118)")
def smaller():
    command = "seq 1 50 | while read n; do printf '%0180d\\n' $n; done"
    ws, term = console([request(command, 1)], cols=200, rows=50)
    term.approve()
    exq.wait_for(lambda: ws.events("answered"), what="the answer")
    finish(term)
    term.resize(60, 20)
    before = len(term.wire())
    play(term, "--from", str(sum(1 for _ in open(ws.records()[0], "rb"))))
    term.wait("end of the recording")
    term.keys("3")
    term.wait("3 output #1")
    term.keys("g")
    seen = set()
    term.wait(re.compile(r"^ 0{8}1 ", re.M))
    for _ in range(40):
        screen = term.capture()
        exq.check(all(len(row) <= 60 for row in screen.split("\n")), screen)
        seen |= {int(number) for number in re.findall(r"^ (0{7}\d\d) ", screen, re.M)}
        if 50 in seen:
            break
        term.keys("PageDown")
        term.wait(lambda now, screen=screen: now != screen)
    exq.equal(seen, set(range(1, 51)))
    term.keys("q")
    left(term)
    exq.check(not RESIZES.search(term.wire()[before:]), "a size was asked for")


@exq.test("a torn end is told, a line that was altered ends it by its number, what is no file of a record is refused")
def hostile():
    ws = exq.Workspace()
    ws.headless([request(f"echo {n}", n) for n in range(3)])
    path = ws.records()[0]
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    with open(path, "wb") as file:
        file.write(b"".join(lines)[:-9])
    status, text, _ = dump(ws)
    exq.equal(status, 0)
    exq.check("The last line is torn." in text and f"{len(lines) - 1} events" in text, text)
    with open(path, "wb") as file:
        file.write(b"".join(lines[:6] + [b'{"prev":"no"}\n'] + lines[7:]))
    status, text, errors = dump(ws)
    exq.equal(status, 1)
    exq.check(":7: " in errors and "End of the recording" not in text, errors)
    term = exq.Pty(ws, "replay", "--once", "--speed", "128", path)
    term.read(b"it cannot be played on")
    exq.equal(term.wait(), 1)
    link = ws.path("link.jsonl")
    os.symlink(path, link)
    for name in (link, ws.path(), ws.path("nothing.jsonl"), "9-none"):
        status, text, errors = dump(ws, name=name)
        exq.equal((status, text), (2, ""), name)
        exq.check(errors, name)


@exq.test("a session that is still written is followed, as text and on the screen, to its end")
def followed():
    ws = exq.Workspace()
    session = ws.start("--headless")
    session.call("echo one")
    film = exq.Pty(ws, "replay", "--follow", "--once", ws.records()[0], cols=100, rows=30)
    film.read(b"at the end so far")
    film.read(b"record still open")
    film.write(b"4")
    film.read(b"echo one")
    text = ws.popen([ws.program(), "replay", "--dump", "--follow", ws.records()[0]], stdout=-1, stderr=-1)
    session.call("echo two-and-more")
    film.read(b"two-and-more")
    session.close_input()
    exq.equal(session.wait(), 0)
    exq.equal(film.wait(), 0)
    out, _ = text.communicate(timeout=60)
    exq.equal(text.returncode, 0)
    exq.check(b"| one\n" in out and b"| two-and-more\n" in out and b"End of the recording" in out, out)


@exq.test("a click on the bar goes there; the record is found by its session's name")
def clicked():
    ws = exq.Workspace()
    ws.headless([request("sleep 0.3", 1), request("echo last", 2)])
    term = exq.Tmux(ws, cols=100, rows=30)
    play(term, "--paused")
    total = open(ws.records()[0], "rb").read().count(b"\n")
    term.wait(f"event 1 of {total} ")
    # The last column of the bar, and its middle, where the sleep is: the bar is the 25th row of thirty; counted from 1.
    term.bytes(b"\x1b[<0;92;25M\x1b[<0;92;25m")
    term.wait(lambda screen: re.search(r"event (\d+) of", screen) and int(re.search(r"event (\d+) of", screen).group(1)) > total // 2)
    term.bytes(b"\x1b[<0;9;25M\x1b[<0;9;25m")
    term.wait(lambda screen: re.search(r"event (\d+) of", screen) and int(re.search(r"event (\d+) of", screen).group(1)) < total // 2)
    term.bytes(b"\x1b[<0;50;29M\x1b[<0;50;29m")
    term.keys("q")
    left(term)


def cells(screen):
    """Rows of what tmux captured with its styles: of each cell its text and what the last SGR sequences made of it."""
    rows, style = [], {}
    for line in screen.split("\n"):
        row = []
        for sgr, text in re.findall(r"\x1b\[([\d;]*)m|([^\x1b])", line):
            if text:
                row.append((text, tuple(sorted(style.items()))))
                continue
            for part in re.findall(r"[34]8;5;\d+|\d+", sgr):
                kind = part[0] if part[0] in "34" and len(part) > 1 else part
                style = {} if part == "0" else {**style, kind: part}
                if part in ("39", "49"):
                    del style[kind]
        rows.append(row)
    return rows


def inside(screen, lower):
    """The rows of a view above the rule that is so many rules from the end, without the edge at the right of 100 columns, nor rows
    that are blank."""
    rows = [row[:99] for row in cells(screen)]
    rules = [n for n, row in enumerate(rows) if row and row[0][0] == "\u2500"]
    body = rows[rules[-lower - 1] + 1:rules[-lower]]
    return [row for row in body if "".join(text for text, _ in row).strip()]


@exq.test("the last screen of a live session stands in its replay, cell by cell and in its colours: view {key}", key=["1", "2", "3", "4"])
def last_screen(key):
    ws, term = console([request(TAKES + "; seq 1 9; exit 3", 1, agent="bot")], cols=100, rows=30)
    term.approve()
    exq.wait_for(lambda: ws.events("answered"), what="the answer")
    term.keys(key)
    term.wait(re.compile(rf"^ {key} ", re.M))
    view = {"1": 0, "2": 1, "3": 2, "4": 4}[key]
    exq.wait_for(lambda: ws.events("view")[-1]["ui"]["view"] == view, what="the view in the record")
    wanted = inside(term.capture(styles=True), 1)
    finish(term)
    with open(ws.records()[0], "rb") as file:
        lines = file.read().split(b"\n")
    # Of the end of the input the screen did not know yet.
    event = next(n for n, line in enumerate(lines) if b'"type":"intake"' in line)
    # The view has the size that it had: beside it and below there is more.
    term.resize(136, 40)
    play(term, "--paused", "--from", str(event))
    term.wait(f"event {event} of")
    exq.check(len(wanted) > 3, wanted)
    exq.equal(inside(term.capture(styles=True), 2), wanted)
    term.keys("q")
    left(term)


exq.main()
