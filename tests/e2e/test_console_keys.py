"""The keys of the console at the wrong moment: nothing but a deliberate key that stands alone decides. Ids such as H126
are handed-out cases."""

import os
import re
import time

import exq
from exq_screen import LIT, STOP_QUESTION, console, finish, gate, press, reject_rest, request, stop_first, undecided



def armed(command="touch marker", **options):
    """A console whose only card is lit."""
    ws, term = console([request(command)], **options)
    term.arm()
    return ws, term


def ran(ws, name="marker"):
    """Whether the command left its file."""
    return os.path.exists(ws.path(name))


def leave(ws, term):
    """Nothing was decided and nothing ran; ends with a rejection."""
    undecided(term)
    exq.check(not ran(ws), "it ran")
    term.reject("enough")
    exq.equal(term.answers(1)[0]["reason"], "rejected")
    finish(term)


@exq.test("keys typed before and while a call arrives decide nothing (H126)")
def ahead():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    term.start()
    term.literal("ya\nyaa")
    term.wait("0 waiting")
    term.bytes(b"y\ra 12aaaa")
    term.send(request("touch marker"))
    term.bytes(b"y\ra 12a")
    term.bytes(b"aaaa2")
    term.wait("1 waiting")
    term.keys("2")
    leave(ws, term)


PASTES = {
    "y, Enter, y, Enter": ("y\ny\n", True, "pasted text ignored: 4 characters"),
    "a alone": ("a", True, "pasted text ignored: 1 character"),
    "a thousand": ("a" * 1000, True, "pasted text ignored: 1000 characters"),
    "a and more, without brackets": ("a\ny\n", False, "Enter never approves: a does"),
    "a thousand, without brackets": ("a" * 1000, False, "a did nothing: the keys must rest a moment"),
}


@exq.test("a paste decides nothing, with brackets or without, and is said to be ignored (H127)")
def pasted():
    ws, term = armed()
    for name, (text, bracketed, said) in PASTES.items():
        press(term, lambda text=text, bracketed=bracketed: term.paste(text, bracketed), f"paste: {name}")
        exq.has(gate(term), said)
    leave(ws, term)


SEQUENCES = {
    "rxvt's Shift-Up, whole": [b"\x1b[a"],
    "rxvt's Shift-Up, cut behind ESC": [b"\x1b", b"[a"],
    "rxvt's Shift-Up, cut before its end": [b"\x1b[", b"a"],
    "rxvt's Ctrl-Up": [b"\x1bOa"],
    "Alt-a": [b"\x1ba"],
    "the end of a paste with a key behind it": [b"\x1b[200~x\x1b[201~a"],
    "a colour that answers too late": [b"\x1b]11;rgb:aaaa/aaaa/aaaa", b"\x1b\\a"],
    "a clipboard that answers too late": [b"\x1b]52;c;YQ", b"==\x07a"],
    "a version that answers too late": [b"\x1bP>|a", b" y a\x1b\\a"],
    "attributes that answer too late": [b"\x1b[?1;2c\x1b[>41;330;0ca"],
    "a cursor position that answers too late": [b"\x1b[24;", b"80Ra"],
    "a mouse button": [b"\x1b[M aa\x1b[<0;1;1M"],
}


def send_apart(term, parts):
    """The parts in writes of their own; once more when the machine was so slow that the parser rightly gave the first
    one up."""
    for _ in range(5):
        begun = time.monotonic()
        for part in parts:
            term.bytes(part)
        if time.monotonic() - begun < 0.4:
            return
        term.wait(LIT)


@exq.test("bytes that the terminal sends are no key, whole, cut or late")
def sequences():
    ws, term = armed()
    for name, parts in SEQUENCES.items():
        press(term, lambda parts=parts: send_apart(term, parts), name)
    exq.has(term.capture(), " 2 card")
    leave(ws, term)


FOLLOWED = {
    "a": b"a", "38 more": b"a" * 38, "Enter": b"\r", "Space": b" ", "an arrow": b"\x1b[B", "an unknown key": b"z",
    "the focus goes": b"\x1b[O", "a late answer": b"\x1b[?1;2c", "Ctrl-L": b"\x0c",
}


@exq.test("a key that something follows within 50 ms decides nothing: double, held, or with another behind it")
def followed():
    ws, term = armed()
    for name, behind in FOLLOWED.items():
        press(term, lambda behind=behind: term.bytes(b"a" + behind), f"a, then {name}")
        if name.startswith(("a", "38")) and len(name) < 8:
            exq.has(gate(term), "a did nothing: the keys must rest a moment")
    leave(ws, term)


@exq.test("behind an approval the card stays: a second a meets no other call")
def second_press():
    ws, term = console([request("touch one", 1), request("touch two", 2)])
    term.approve()
    exq.equal(term.answers(1)[0]["id"], 1)
    term.wait("decided already")
    term.keys("a")
    term.wait("a did nothing: decided already")
    exq.equal(os.listdir(ws.work), ["one"])
    reject_rest(term, 2)
    exq.equal([event["decision"] for event in ws.events("decided")], ["approved", "rejected"])


@exq.test("Caps Lock decides nothing: A, R, Y, X, Q and T on a card that is lit")
def caps_card():
    ws, term = armed()
    for key in "ARYXQT":
        press(term, lambda key=key: term.keys(key), key)
        exq.has(gate(term), f"No key here: {key}.")
    exq.equal(term.wire().count(b"\x1b]2;Exequatur: 1 waiting"), 1, "the title, which did not change, was written")
    leave(ws, term)


@exq.test("a question is answered by y alone, and Esc takes it back: Y, Enter, Space, a paste")
def question():
    ws, term = console([request("echo before; exec sleep 99970")])
    term.approve()
    exq.wait_for(lambda: exq.find("sleep 99970"), what="the command")
    term.keys("x")
    term.wait(STOP_QUESTION)
    for press in (lambda: term.keys("Y"), lambda: term.keys("Enter"), lambda: term.keys("Space"),
                  lambda: term.bytes(b"\x1b[200~y\x1b[201~"), lambda: term.bytes(b"yy"), lambda: term.keys("x")):
        press()
        term.wait(lambda screen: not STOP_QUESTION.search(screen))
        term.wait(STOP_QUESTION)
    exq.check(exq.find("sleep 99970"), "it was stopped")
    exq.equal(ws.events("stopping"), [])
    term.keys("Escape")
    term.wait(lambda screen: "stop #1" not in screen)
    term.keys("y")
    term.wait("y did nothing")
    exq.check(exq.find("sleep 99970"), "it was stopped")
    stop_first(term)
    finish(term)


@exq.test("quitting asks while something waits, and Esc goes on")
def quit_question():
    ws, term = armed()
    term.keys("q")
    exq.has(term.wait(re.compile(r"^ \[y\]\s+quit", re.M)), "reject 1 (console_closed)")
    term.keys("Enter")
    term.keys("Escape")
    term.wait(lambda screen: "quit:" not in screen)
    exq.equal(ws.events("refused"), [])
    leave(ws, term)


@exq.test("with nothing waiting and nothing running q ends at once, with 0")
def quit_idle():
    ws, term = console([])
    term.wait("Nothing waits, nothing runs")
    term.keys("q")
    exq.equal(term.wait_status(), 0)
    exq.equal(ws.events()[-1]["type"], "session_end")


@exq.test("standard input is never a key (H128)")
def not_standard_input():
    ws, term = armed("echo yes | cat; echo y > marker")
    term.send(b"a\n", b"y\n", b"\n", b"yes\n", b"\x1b[a\n")
    exq.equal({answer["reason"] for answer in term.answers(4)}, {"invalid_request"})
    undecided(term)
    exq.check(not ran(ws), "it ran")
    term.reject("enough")
    term.answers(5)
    finish(term)


@exq.test("in the field of a reason keys edit text and do nothing else (H135)")
def reason_field():
    ws, term = armed()
    term.keys("r")
    term.wait("you are typing a reason")
    for keys, text in ((["n", "o", "Space", "a", "y", "x"], "no ayx"), (["Left", "BSpace"], "no ax"), (["DC"], "no a"),
                       (["Home", "z"], "zno a"), (["DC", "DC"], "z a"), (["End", "q", "1"], "z aq1"),
                       (["Tab", "Left", "Left", "Left", "Left", "y"], "zy aq1")):
        term.keys(*keys)
        term.wait(re.compile(rf"^ reason +{re.escape(text)}(_|<| |$)", re.M))
    term.paste("pasted")
    term.wait("pasted text ignored: 6 characters")
    exq.equal(ws.events("decided"), [])
    term.keys("Escape")
    term.wait(lambda screen: " reason " not in screen)
    undecided(term)
    term.keys("r")
    term.wait("you are typing a reason")
    term.keys("Enter")
    term.wait("Enter did nothing: there is no reason yet")
    term.literal("not \u0447\u0443\u0436\u043e\u0439 \u65e5")
    term.wait("\u65e5")
    term.keys("Enter")
    exq.matches(term.answers(1)[0]["error"], r"not \u0447\u0443\u0436\u043e\u0439 \u65e5$")
    exq.check(not ran(ws), "it ran")
    finish(term)


@exq.test("a danger asks for its word: a wrong one, a pasted one and a hasty Enter are none")
def typed_word():
    ws, term = armed("touch marker # \u202e")
    exq.has(gate(term), "a asks for the word   hidden")
    term.keys("a")
    term.wait("type the word, then Enter")
    exq.equal(ws.events("decided"), [])
    term.literal("hiddden")
    term.keys("Enter")
    term.wait("Enter did nothing: type hidden")
    term.keys(*["BSpace"] * 7)
    term.paste("hidden")
    term.wait("pasted text ignored: 6 characters")
    term.bytes(b"hidden\r")
    term.wait(re.compile(r"^ \[Enter\]", re.M))
    exq.equal((ws.events("decided"), ran(ws)), ([], False))
    term.keys("Escape")
    undecided(term)
    term.keys("a")
    term.wait("type the word, then Enter")
    term.literal("hidden")
    term.wait(re.compile(r"^ \[Enter\]", re.M))
    term.keys("Enter")
    exq.equal(term.answers(1)[0]["decision"], "approved")
    exq.check(ran(ws), "it did not run")
    finish(term)


@exq.test("a long card is lit when every line stood on the screen; a jump to its end leaves fog")
def scroll_to_arm():
    lines = [f"echo {number}" for number in range(1, 101)]
    ws, term = console([request("\n".join(lines))])
    row = re.compile(r"^ \[ \] approve off +(\d+) of (\d+) lines not seen yet", re.M)

    def fog(screen):
        found = row.search(screen)
        return tuple(map(int, found.groups())) if found else (0, 0)

    term.wait(lambda screen: 0 < fog(screen)[0] < fog(screen)[1])
    first = fog(term.capture())
    term.keys("G")
    term.wait("your yes holds for exactly this")
    unseen, total = fog(term.wait(lambda screen: 0 < fog(screen)[0] < first[0]))
    exq.check(total > 100 and first[1] == total, f"{unseen} of {total}, before {first}")
    exq.has(term.capture(), "\u2591")
    term.keys("a")
    term.wait(re.compile(r"a did nothing: \d+ of \d+ lines not seen yet"))
    exq.equal(ws.events("decided"), [])
    term.keys("Space")  # the message stays until the next key
    exq.check("\u2591" not in term.arm(), "fog on a lit card")
    term.approve()
    exq.equal(term.answers(1)[0]["output"], "".join(f"{n}\n" for n in range(1, 101)))
    seen = ws.events("seen")[0]
    exq.equal((seen["lines_seen"], seen["lines"]), (total, total), "lines seen of all")
    finish(term)


@exq.test("only a call on its own card is decided: a and r on the queue and on the help do nothing")
def other_views():
    ws, term = console([request("touch marker", 1), request("touch other", 2)])
    term.arm()
    for view, shown in (("1", " 1 queue"), ("?", " ? keys  ")):
        term.open(1)
        term.arm()
        term.keys(view)
        term.wait(shown)
        term.keys("a")
        term.wait("a did nothing")
        term.keys("r")
        term.wait("r did nothing")
        term.keys("Escape")
        term.wait(lambda screen, shown=shown: shown not in screen or " 1 queue" in screen)
    term.open(1)
    undecided(term)
    exq.equal(os.listdir(ws.work), [])
    reject_rest(term, 1, 2)


@exq.test("on a wide screen the keys are on one pane: Tab moves them, and only on the card something is decided")
def panes():
    ws, term = console([request("echo shown; exec sleep 99971", 1), request("touch two", 2)], cols=120, rows=36)
    term.wait("[2 card] #1")
    term.wait(LIT)
    for keys, pane in ((["Tab"], "[3 output]"), (["Tab"], "[1 queue]"), (["2", "BTab"], "[1 queue]")):
        term.keys(*keys)
        term.wait(pane)
        term.keys("a")
        term.wait("a did nothing")
    term.keys("j")
    exq.has(term.wait(re.compile(r"^>#2 ", re.M)), "2 card #1")
    term.keys("Enter")
    term.wait("[2 card] #2")
    term.keys("K")
    term.wait("[2 card] #1")
    term.bytes(b"\x1b[<0;5;6M\x1b[<0;5;6m")
    exq.has(term.wait(re.compile(r"^>#2 ", re.M)), "[1 queue]")
    term.bytes(b"\x1b[<0;4;35M")
    term.wait("decisions need the keyboard")
    term.keys("2")
    undecided(term, "keys on other panes")
    term.resize(80, 24)
    term.wait(lambda screen: screen.startswith(" 2 card") and LIT.search(screen))
    term.resize(120, 36)
    term.wait(lambda screen: "[2 card] #1" in screen and LIT.search(screen))
    term.keys("a")
    term.wait(re.compile(r"^─ 3 output #1 .*^ shown", re.M | re.S))
    exq.check(not ran(ws, "two"), "the other one ran")
    term.keys("Enter")
    term.wait("[2 card] #2")
    stop_first(term)
    term.reject("enough")
    exq.equal([answer["reason"] for answer in term.answers(2)], ["killed_by_operator", "rejected"])
    finish(term)


exq.main()
