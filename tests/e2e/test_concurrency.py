"""Several calls at once: each decision is for the card on the screen. Ids are handed-out cases."""

import os

import exq
from exq_term import console, numbered as request


def finish(term, numbers):
    """Rejects the cards with these numbers and ends."""
    for number in numbers:
        term.open(number)
        term.reject("finished")
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("an arrival moves neither the selection nor the card (H098)")
def pinned():
    ws, term = console([request(f"touch {name}", name) for name in "abc"])
    term.open(2)
    term.arm()
    term.send(request("touch d", "d"))
    term.wait("4 waiting")
    term.approve()
    exq.equal(term.answers(1)[0]["id"], "b")
    exq.equal(sorted(os.listdir(ws.work)), ["b"])
    finish(term, [1, 3, 4])


@exq.test("of two identical calls the approved one runs, the other waits (H099)")
def identical():
    ws, term = console([request("echo same >> log", "x1"), request("echo same >> log", "x2")])
    term.open(1)
    term.approve()
    exq.equal(term.answers(1)[0]["id"], "x1")
    term.wait("1 waiting")
    with open(ws.path("log"), encoding="ascii") as file:
        exq.equal(file.read(), "same\n")
    finish(term, [2])


@exq.test("a second press of a meets no new card")
def double_press():
    ws, term = console([request("touch a", "a"), request("touch b", "b")])
    term.open(1)
    term.arm()
    term.keys("a", "a")
    term.wait(lambda screen: "approving" not in screen)
    if not ws.events("decided"):
        term.approve()
    exq.equal(term.answers(1)[0]["id"], "a")
    exq.equal(sorted(os.listdir(ws.work)), ["a"])
    finish(term, [2])


@exq.test("thirty calls rejected one after another: none runs, each rejection is in the record (H102)")
def many_rejected():
    ws, term = console([request(f"touch marker{n}", n) for n in range(1, 31)])
    term.wait("30 waiting")
    term.open(1)
    for _ in range(30):
        term.reject("no")
        term.keys("Enter")
    exq.equal({answer["reason"] for answer in term.answers(30)}, {"rejected"})
    exq.equal((os.listdir(ws.work), len(ws.events("decided"))), ([], 30))
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("waiting costs the command nothing of its own time, and the age is on the card (H103)")
def waiting_time():
    _, term = console([request("sleep 0.5; echo fresh", timeout=2)])
    term.open()
    term.wait("waits 3 s")
    term.approve()
    answer = term.answers(1)[0]
    exq.equal((answer["output"], answer["success"]), ("fresh\n", True))
    exq.check(answer["waited_ms"] >= 3000 > answer["duration_ms"], answer)
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("a call that names approve is an unknown tool, and what waits goes on waiting (H105)")
def approve_tool():
    ws, term = console([request("touch marker", "r1"), {"name": "approve", "arguments": {"id": "r1"}}])
    exq.equal(term.answers(1)[0]["reason"], "unknown_tool")
    term.wait("1 waiting")
    exq.check(not os.path.exists(ws.path("marker")) and not ws.events("decided"), "decided")
    finish(term, [1])


@exq.test("at most max_running commands run at once; the next starts when one ends")
def places():
    ws = exq.Workspace(sections={"exequatur": {"max_running": 2}})
    session = ws.start()
    for number in (1, 2, 3):
        session.send(request(f"echo > up{number}; until [ -e go{number} ]; do sleep 0.05; done", number))
    exq.wait_for(lambda: os.path.exists(ws.path("up1")) and os.path.exists(ws.path("up2")), what="two commands")
    exq.check(not os.path.exists(ws.path("up3")), "a third runs")
    ws.write("go2")
    exq.equal(session.answer()["id"], 2)
    exq.wait_for(lambda: os.path.exists(ws.path("up3")), what="the third command")
    ws.write("go1")
    ws.write("go3")
    exq.equal(sorted([session.answer()["id"], session.answer()["id"]]), [1, 3])
    session.close_input()
    exq.equal(session.wait(), 0)


@exq.test("more than max_pending waiting calls are refused by name")
def queue_full():
    _, term = console([request("true", n) for n in range(1, 5)], sections={"exequatur": {"max_pending": 3}})
    answer = term.answers(1)[0]
    exq.equal((answer["id"], answer["reason"]), (4, "queue_full"))
    finish(term, [1, 2, 3])


exq.main()
