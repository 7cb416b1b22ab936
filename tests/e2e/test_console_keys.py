"""The keys of the console at the wrong moment: nothing but a deliberate, lonely key decides. Ids are handed-out cases."""

import os
import re
import time

import exq
from exq_screen import LIT, console, finish, open_card, reject_rest, request, undecided

STOP_QUESTION = re.compile(r"^ \[y\]\s+stop #1", re.M)


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
    "a and more, without brackets": ("a\na\ny\n", False, None),
    "a thousand, without brackets": ("a" * 1000, False, None),
}


@exq.test("a paste decides nothing: {name} (H127)", name=PASTES)
def pasted(name):
    text, bracketed, said = PASTES[name]
    ws, term = armed()
    term.paste(text, bracketed)
    if said:
        term.wait(said)
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


@exq.test("bytes of the terminal are no key: {name}", name=SEQUENCES)
def sequences(name):
    ws, term = armed()
    for _ in range(5):
        begun = time.monotonic()
        for part in SEQUENCES[name]:
            term.bytes(part)
        if time.monotonic() - begun < 0.4:  # else the parser was right to give the first part up
            break
        term.wait(LIT)
    leave(ws, term)


@exq.test("a held key decides nothing: {times} times a", times=[2, 3, 40])
def held(times):
    ws, term = armed()
    term.bytes(b"a" * times)
    term.wait("a did nothing: the keys must rest a moment")
    leave(ws, term)


@exq.test("a key within 50 ms behind a takes it back: {name}",
          name=["Enter", "Space", "an arrow", "an unknown key", "the focus goes"])
def followed(name):
    behind = {"Enter": b"\r", "Space": b" ", "an arrow": b"\x1b[B", "an unknown key": b"z", "the focus goes": b"\x1b[O"}[name]
    ws, term = armed()
    term.bytes(b"a" + behind)
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
        term.keys(key)
        term.wait(f"No key here: {key}.")
        term.wait(LIT if key == "T" else re.compile(r"^ \[[a.]\]", re.M))
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
        if "pasted" in term.gate():
            term.keys("Left")
        term.wait(STOP_QUESTION)
    exq.check(exq.find("sleep 99970"), "it was stopped")
    exq.equal(ws.events("stopping"), [])
    term.keys("Escape")
    term.wait(lambda screen: "stop #1" not in screen)
    term.keys("y")
    term.wait("y did nothing")
    exq.check(exq.find("sleep 99970"), "it was stopped")
    term.keys("x")
    term.wait(STOP_QUESTION)
    term.keys("y")
    exq.equal(term.answers(1)[0]["reason"], "killed_by_operator")
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
    ws, term = armed("touch marker; sudo -n true")
    exq.has(term.gate(), "a asks for the word   root")
    term.keys("a")
    term.wait("type the word, then Enter")
    exq.equal(ws.events("decided"), [])
    term.literal("rooot")
    term.keys("Enter")
    term.wait("Enter did nothing: type root")
    term.keys("BSpace", "BSpace", "BSpace", "BSpace", "BSpace")
    term.paste("root")
    term.wait("pasted text ignored: 4 characters")
    term.bytes(b"root\r")
    term.wait(re.compile(r"^ \[Enter\]", re.M))
    exq.equal((ws.events("decided"), ran(ws)), ([], False))
    term.keys("Escape")
    undecided(term)
    term.keys("a")
    term.wait("type the word, then Enter")
    term.literal("root")
    term.wait(re.compile(r"^ \[Enter\]", re.M))
    term.keys("Enter")
    exq.equal(term.answers(1)[0]["decision"], "approved")
    exq.check(ran(ws), "it did not run")
    finish(term)


@exq.test("a long card is lit when every line stood on the screen; a jump to its end leaves fog")
def scroll_to_arm():
    lines = [f"echo {number}" for number in range(1, 101)]
    ws, term = console([request("\n".join(lines))])
    term.wait(re.compile(r"not seen yet: press Space", re.M))
    term.keys("G")
    term.wait("your yes holds for exactly this")
    gate = re.compile(r"^ \[ \] approve off +(\d+) of (\d+) lines not seen yet", re.M)
    unseen, total = map(int, gate.search(term.wait(gate)).groups())
    exq.check(0 < unseen < total and total > 100, f"{unseen} of {total}")
    exq.has(term.capture(), "\u2591")
    term.keys("a")
    term.wait(re.compile(r"a did nothing: \d+ of \d+ lines not seen yet"))
    exq.equal(ws.events("decided"), [])
    exq.check("\u2591" not in term.arm(), "fog on a lit card")
    term.approve()
    exq.equal(term.answers(1)[0]["output"], "".join(f"{n}\n" for n in range(1, 101)))
    seen = ws.events("seen")[0]
    exq.equal((seen["lines_seen"], seen["lines"]), (total, total), "lines seen of all")
    finish(term)


@exq.test("only a call on its own card is decided: a and r on the queue, an output and the help do nothing")
def other_views():
    ws, term = console([request("touch marker", 1), request("touch other", 2)])
    term.arm()
    for view, shown in (("1", " 1 queue"), ("3", " 3 output"), ("?", " ? keys  ")):
        open_card(term, 1)
        term.arm()
        term.keys(view)
        term.wait(shown)
        term.keys("a")
        term.wait("a did nothing")
        term.keys("r")
        term.wait("r did nothing")
        term.keys("Escape")
        term.wait(lambda screen, shown=shown: shown not in screen or " 1 queue" in screen)
    open_card(term, 1)
    undecided(term)
    exq.equal(os.listdir(ws.work), [])
    reject_rest(term, 1, 2)


exq.main()
