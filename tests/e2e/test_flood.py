"""One agent asks for more than its share: the others keep their turn, a person refuses it as a whole, and what waits far back
costs no descriptors and no card."""

import os
import re

import exq
from exq_screen import request, verify
from exq_socket import Agent, path_of

SHARE = 40


def flooded(count, **keys):
    """A console with a socket, whose standard input has asked `count` times."""
    ws = exq.Workspace(shell="supervised", sections={"exequatur": keys})
    term = exq.Tmux(ws)
    term.start("--listen", requests=[request("page 1", 1, agent="scraper")])
    term.wait("1 waiting")
    term.send(*(request(f"page {n}", n, agent="scraper") for n in range(2, count + 1)))
    return ws, term


def quit_all(ws, term):
    """Ends the session; its record is whole."""
    term.keys("q")
    term.wait(re.compile(r"^ \[y\]", re.M).search)
    term.literal("y")
    exq.equal(term.wait_status(), 0, "status")
    exq.equal(verify(ws)[0], 0, "audit verify")


def group(term):
    """The row of the flood is selected."""
    term.keys("1")
    for _ in range(4):
        if re.search(r"^>\+\d+", term.capture(), re.M):
            return
        before = term.capture()
        term.keys("j")
        term.wait(lambda screen, before=before: screen != before)
    exq.check(False, f"the group is not selected\n{term.capture()}")


@exq.test("a flood is one row and named; the call of another agent stands in the second row, and is decided at once")
def others_keep_their_turn():
    ws, term = flooded(3 * SHARE, max_pending_per_sender=SHARE)
    answers = term.answers(2 * SHARE)
    exq.equal({answer["reason"] for answer in answers}, {"queue_full"})
    other = Agent(path_of(ws))
    other.ask("echo mine", "mine")
    term.keys("1")
    term.wait(f"{SHARE + 1} waiting")
    screen = term.wait("+80  ")
    rows = screen.split("\n")
    exq.has(rows[3], "page 1")
    exq.has(rows[4], "echo mine")
    for words in ("!flood: scraper", f"{SHARE} of them wait, its share. {2 * SHARE} were refused", f"+{SHARE - 2} ", "queue full"):
        exq.has(screen, words)
    term.keys("j")
    term.wait(re.compile(r"^>#\d+ .*echo mine", re.M).search)
    term.keys("Enter")
    term.wait("echo mine")
    term.approve()
    exq.equal(other.answer()["output"], "mine\n")
    other.close()
    quit_all(ws, term)


@exq.test("r on the flood's row rejects all its waiting calls with one reason, and nobody else's; i refuses its new ones until i")
def refused_as_a_whole():
    ws, term = flooded(3 * SHARE, max_pending_per_sender=SHARE)
    term.answers(2 * SHARE)
    other = Agent(path_of(ws))
    other.ask("echo mine", "mine")
    term.wait(f"{SHARE + 1} waiting")
    group(term)
    term.keys("a")
    term.wait("a did nothing")
    term.keys("i")
    term.wait("new calls are refused, i takes them again")
    term.send(request("one more", 900, agent="scraper"))
    last = term.answers(2 * SHARE + 1)[-1]
    exq.equal((last["id"], last["reason"]), (900, "intake_closed"))
    term.keys("i")
    term.wait("new calls are taken again")
    term.keys("r")
    term.wait(f"reject all {SHARE} of scraper: ")
    term.literal("One page at a time.")
    term.keys("Enter")
    rejected = term.answers(3 * SHARE + 1)[2 * SHARE + 1:]
    exq.equal({answer["reason"] for answer in rejected}, {"rejected"})
    exq.equal(sorted(answer["id"] for answer in rejected), list(range(1, SHARE + 1)))
    term.wait(lambda screen: " 1 waiting" in screen and "!flood" not in screen)
    decided = ws.events("decided")
    exq.equal(len(decided), SHARE, "each has its own event")
    exq.equal([event["refuse"] for event in ws.events("sender")], [True, False])
    term.keys("6")
    term.wait('"scraper"')
    quit_all(ws, term)
    exq.equal(other.answer()["reason"], "console_closed")


@exq.test("calls far back have no card and no descriptors until they come near or are opened, and are decided as any other")
def far_back():
    count, prepared = 300, 64
    ws, term = flooded(count, max_pending=1000)
    term.wait(f"{count} waiting")
    exq.equal(len(ws.events("queued")), count - prepared)
    exq.equal(len(ws.events("card")), prepared)
    held = len(os.listdir(f"/proc/{term.console().pid}/fd"))
    exq.check(held < 3 * prepared, f"{held} descriptors")
    term.keys("K")
    term.wait(f"page {count}")
    term.approve()
    [answer] = term.answers(1)
    exq.equal((answer["id"], answer["reason"]), (count, "exit_status"))
    term.keys("g")
    term.open(1)
    term.reject("no")
    exq.wait_for(lambda: len(ws.events("card")) == prepared + 2, what="the next one gets its card")
    exq.equal(ws.events("card")[-1]["seq"], prepared + 1)
    quit_all(ws, term)
    exq.equal(len(term.answers(count)), count, "each was answered")


exq.main()
