"""Keys that a person moved, and calls that were marked and decided together, on a terminal."""

import exq
from exq_space import Workspace
from exq_term import Tmux, numbered as request


def console(count, keys=None, **options):
    """A console with so many calls, the first one open."""
    sections = {"exequatur.keys": keys} if keys else None
    ws = Workspace(shell="supervised", sections=sections, **options)
    term = Tmux(ws)
    term.start(requests=[request(f"echo call-{i}", i) for i in range(1, count + 1)])
    term.open()
    return ws, term


def finish(term):
    term.close_input()
    exq.equal(term.wait_status(), 0)


def decisions(ws):
    """Number and decision of each call, in the order of the record."""
    return [(event["seq"], event["decision"]) for event in ws.events("decided")]


@exq.test("keys that were moved work, the old ones do not, and the record says which they were")
def moved():
    ws, term = console(1, {"approve": "f", "details": "i", "help": "H"})
    screen = term.wait("[f] approve")
    exq.has(screen, "i details")
    exq.has(screen, "i shows the details")
    exq.has(screen, "f runs exactly this card")
    exq.has(screen, "H keys")
    term.keys("a")
    term.wait("No key here: a. H shows the keys.")
    term.wait("[f]")
    exq.equal(ws.events("decided"), [])
    term.keys("f")
    term.answers(1)
    exq.equal(decisions(ws), [(1, "approved")])
    exq.equal(ws.events("session_start")[0]["keys"], ["approve=f", "details=i", "help=H"])
    finish(term)


@exq.test("a deciding key on a capital is refused at start")
def refused():
    ws = Workspace(shell="supervised", sections={"exequatur.keys": {"approve": "A"}})
    result = ws.exequatur("config")
    exq.equal(result.returncode, 2)
    exq.has(result.stderr.decode(), "approve decides, so it cannot be on A")


@exq.test("marked calls are shown as one card, read, approved by one key, and each is recorded before it starts")
def approved():
    ws, term = console(3)
    term.keys("1")
    term.wait("decisions are made on a card")
    term.keys("m")
    term.wait("1 marked: Enter shows them")
    term.keys("j", "m")
    term.wait("2 marked: Enter shows them")
    term.keys("Enter")
    term.wait("2 marked, decided together")
    term.arm()
    exq.has(term.capture(), "a runs exactly these 2")
    term.keys("a")
    answers = term.answers(2)
    exq.equal(sorted(line["id"] for line in answers), [1, 2])
    exq.equal(decisions(ws), [(1, "approved"), (2, "approved")])
    events = ws.events()
    order = [event["type"] for event in events if event["type"] in ("seen", "decided", "launching")]
    exq.equal(order, ["seen", "decided", "seen", "decided", "launching", "launching"])
    for event in ws.events("seen"):
        exq.equal(event["lines_seen"], event["lines"])
    term.keys("q")
    term.wait("quit: reject 1")
    term.wait("[y]")
    term.keys("y")
    exq.equal(term.wait_status(), 0)


@exq.test("marked calls are rejected with one reason that each agent gets")
def rejected():
    ws, term = console(2)
    term.keys("1")
    term.wait("decisions are made on a card")
    term.keys("m", "j", "m", "Enter")
    term.wait("2 marked, decided together")
    term.keys("r")
    term.wait("reject all 2: each agent gets this text")
    term.literal("not today")
    term.wait("not today_")
    term.keys("Enter")
    answers = term.answers(2)
    for line in answers:
        exq.has(line["error"], "not today")
    exq.equal(decisions(ws), [(1, "rejected"), (2, "rejected")])
    finish(term)


exq.main()
