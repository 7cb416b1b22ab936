"""The panic key and the lock: what runs ends, what waits is rejected, nothing comes in until a word opens intake; a locked
screen shows counts alone."""

import os
import re

import exq
from exq_screen import console, finish, replay, request, undecided

STOP_ALL_QUESTION = re.compile(r"^ \[y\] stop all: ", re.M)


def stop_all(term, shown="ALL STOPPED at "):
    """Presses the panic key and says yes; the question, as it stood."""
    term.keys("!")
    question = term.wait(STOP_ALL_QUESTION)
    term.keys("y")
    term.wait(shown)
    return question


def reopen(term):
    """Opens intake again, with its word."""
    term.keys("O")
    term.wait("type the word, then Enter")
    term.literal("open")
    term.wait(re.compile(r"^ \[Enter\] intake ready", re.M))
    term.keys("Enter")
    term.wait(lambda screen: "ALL STOPPED" not in screen)


@exq.test("the panic key ends what runs, rejects what waits, refuses what comes, until a word opens intake")
def panic():
    ws, term = console([request("echo up; exec sleep 99971", 1), request("touch two", 2), request("touch three", 3)])
    term.approve()
    exq.wait_for(lambda: exq.find("sleep 99971"), what="the command")
    exq.has(stop_all(term), "stop all: reject 2, end 1, close intake?")
    answers = {answer["id"]: answer["reason"] for answer in term.answers(3)}
    exq.equal(answers, {1: "killed_by_operator", 2: "rejected", 3: "rejected"})
    screen = term.wait("no process of any command is alive, checked at ")
    exq.matches(screen, r"^ ended +#1 .*SIGTERM, gone in \d\.\d s.*rejected +#2 .*#3 .*refused +0 calls")
    exq.has(screen.split("\n")[0], "!ALL STOPPED")
    exq.equal(exq.find("sleep 99971"), [])
    term.send(request("touch four", 4))
    exq.equal(term.answers(4)[3]["reason"], "intake_closed")
    term.wait(re.compile(r"^ refused +1 call since then, the last at \d\d:\d\d:\d\d", re.M))
    term.keys("!")
    term.wait("! did nothing: all is stopped already")
    term.keys("O")
    term.wait("type the word, then Enter")
    term.literal("opne")
    term.keys("Enter")
    term.wait("Enter did nothing: type open")
    term.keys("Escape")
    term.wait(lambda screen: "intake opens again" not in screen)
    term.send(request("touch five", 5))
    exq.equal(term.answers(5)[4]["reason"], "intake_closed")
    reopen(term)
    term.send(request("touch six", 6))
    term.open(6)
    term.approve()
    exq.equal((term.answers(6)[5]["success"], os.listdir(ws.work)), (True, ["six"]))
    stops = [(event["open"], event.get("stop_all"), event.get("left")) for event in ws.events("intake")]
    exq.equal(stops, [(False, True, None), (False, True, 0), (True, False, None)])
    kinds = [event["type"] for event in ws.events()]
    exq.check(kinds.index("intake") < kinds.index("stopping"), "the stop is recorded before what it does")
    finish(term)


@exq.test("the panic screen stays when the agent goes away; Esc and a late y stop nothing")
def panic_stays():
    ws, term = console([request("touch marker")])
    term.arm()
    term.keys("!")
    term.wait(STOP_ALL_QUESTION)
    term.keys("Escape")
    undecided(term)
    term.bytes(b"!y")
    term.wait(STOP_ALL_QUESTION)
    exq.equal(ws.events("intake"), [])
    term.keys("Escape")
    undecided(term)
    stop_all(term)
    exq.equal(term.answers(1)[0]["reason"], "rejected")
    term.close_input()
    term.wait("no process of any command is alive")
    term.keys("1")
    term.wait(" 1 queue ")
    exq.has(term.capture().split("\n")[0], "!ALL STOPPED")
    term.keys("Escape")
    term.wait("ALL STOPPED at ")
    term.keys("q")
    exq.equal((term.wait_status(), os.listdir(ws.work) != []), (0, False))
    replay(ws)


def type_passphrase(term, text):
    """Types a passphrase into the field that is open."""
    term.wait(re.compile(r"^ passphrase +\(nothing typed yet\)", re.M))
    term.literal(text)
    term.wait(re.compile(r"^ passphrase +\(typing\)", re.M))
    term.keys("Enter")


def lock(term, text="correct horse"):
    """Locks for the first time: the new passphrase, twice."""
    term.keys("L")
    type_passphrase(term, text)
    term.wait("the same passphrase once more")
    type_passphrase(term, text)
    term.wait(re.compile(r"^ LOCKED at \d\d:\d\d, by you\.", re.M))


@exq.test("a locked screen shows counts alone and takes no decision until the passphrase is typed; ! works")
def locked():
    ws, term = console([request("touch marker; exec sleep 99972", reason="my reason", agent="my-agent")])
    term.arm()
    lock(term)
    for key in ("a", "r", "v", "q", "1", "J", "L", "x"):
        term.keys(key)
        term.wait("that key did nothing: press Enter")
    screen = term.capture()
    for secret in ("marker", "my-agent", "my reason", ws.work, "horse"):
        exq.check(secret not in screen, f"{secret!r} is on the locked screen")
    exq.has(screen, "waiting     1 call, for ")
    exq.equal(ws.events("decided"), [])
    term.keys("Enter")
    type_passphrase(term, "wrong horse")
    term.wait("wrong passphrase: the next one is looked at in 1 s")
    term.paste("correct horse")
    term.wait("pasted text ignored: a passphrase is typed")
    term.wait(lambda screen: "is looked at in" not in screen.split("passphrase: what")[0])
    term.literal("correct horse")
    term.keys("Enter")
    term.wait("touch marker")
    undecided(term)
    term.approve()
    exq.wait_for(lambda: exq.find("sleep 99972"), what="the command")
    term.keys("L")
    term.wait("LOCKED at ")
    exq.has(stop_all(term, shown="!ALL STOPPED"), "end 1, close intake?")
    exq.equal(term.answers(1)[0]["reason"], "killed_by_operator")
    exq.has(term.capture().split("\n")[0], "!ALL STOPPED")
    term.keys("Enter")
    type_passphrase(term, "correct horse")
    term.wait("ALL STOPPED at ")
    events = ws.events("locked")
    exq.equal([(event["locked"], event["why"]) for event in events],
              [(True, "operator"), (True, "passphrase"), (False, "passphrase"), (True, "operator"), (False, "passphrase")])
    with open(ws.records()[0], encoding="utf-8") as file:
        record = file.read()
    for secret in ("horse", "argon2"):
        exq.check(secret not in record, f"{secret!r} is in the record")
    exq.check(b"horse" not in term.wire(), "a passphrase was written to the terminal")
    term.keys("q")
    exq.equal(term.wait_status(), 0)
    replay(ws)


@exq.test("with lock_after the passphrase is asked for before anything is shown")
def lock_after():
    ws, term = console([request("touch marker", agent="my-agent")], sections={"exequatur": {"lock_after": 5}})
    term.wait("a new passphrase")
    exq.check(b"marker" not in term.wire() and b"my-agent" not in term.wire(), "a call was shown")
    type_passphrase(term, "one")
    type_passphrase(term, "another")
    term.wait("the two differ")
    for _ in range(2):
        type_passphrase(term, "one")
    term.wait("touch marker")
    undecided(term)
    exq.equal(os.listdir(ws.work), [])
    term.reject("enough")
    exq.equal(term.answers(1)[0]["reason"], "rejected")
    finish(term)


exq.main()
