"""A person decides each supervised call, and nothing else does. Ids are handed-out cases."""

import os
import re

import exq
from exq_screen import replay
from exq_term import console, numbered as request


CHAINS = [
    ("H001", "git status --short && touch marker", "touch marker"),
    ("H002", "ls\ntouch marker", "2│touch marker"),
    ("H003", "X=`touch marker` git status", "X=`touch marker`"),
    ("H004", "env touch marker", "env touch marker"),
    ("H005", "find . -maxdepth 0 -exec touch marker {} +", "-exec touch marker"),
    ("H006", "git -c core.fsmonitor='touch marker; false' status", "core.fsmonitor='touch marker"),
    ("H009", "git -c alias.zz='!touch marker' zz", "alias.zz='!touch marker'"),
]


@exq.test("waits for a person and is shown whole: {case}", case=[row[0] for row in CHAINS])
def waits(case):
    command, shown = next(row[1:] for row in CHAINS if row[0] == case)
    ws, term = console([request(command)])
    term.open()
    screen = term.arm()
    exq.has(screen, shown)
    exq.has(screen, "approve ready")
    exq.check(not os.path.exists(ws.path("marker")), "it ran before a decision")
    exq.equal([event["command"] for event in ws.events("received")], [command])
    term.reject("not this")
    exq.equal(term.answers(1)[0]["reason"], "rejected")
    exq.check(not os.path.exists(ws.path("marker")), "it ran")
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("approved once, it runs once, and the answer names who decided")
def approved():
    ws, term = console([request("echo x >> marker; cat marker")])
    term.open()
    term.approve()
    answer = term.answers(1)[0]
    exq.equal((answer["output"], answer["decision"], answer["decided_by"]), ("x\n", "approved", "operator"))
    exq.check(answer["waited_ms"] >= 200, answer["waited_ms"])
    exq.equal([event["decision"] for event in ws.events("decided")], ["approved"])
    exq.check(len(ws.events("seen")) == 1, "no seen event")
    term.keys("a")
    term.wait("a did nothing: decided already")
    term.close_input()
    exq.equal((term.wait_status(), len(term.answers(1))), (0, 1))


APPEARS = {
    "a socket": lambda ws: os.mkfifo(ws.path("door")),
    "a repository": lambda ws: ws.mkdir(ws.path("sub", ".git")),
    "a link to a repository outside": lambda ws: ws.write(".git", "gitdir: /usr/share\n"),
    "a hook": lambda ws: ws.write(".git/hooks/x"),
}


@exq.test("a yes to a card that is out of date runs nothing; the new card is read again: {what} appears", what=list(APPEARS))
def out_of_date(what):
    ws, term = console([request("touch marker")])
    term.open()
    term.arm()
    APPEARS[what](ws)
    term.keys("a")
    term.wait("came back")
    exq.check(not os.path.exists(ws.path("marker")), "it ran")
    exq.equal([event["why"] for event in ws.events("requeued")], ["the card changed before it could start"])
    term.approve()
    exq.equal(term.answers(1)[0]["success"], True)
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("a rejection carries the reason to the agent and is no other refusal (H008)")
def rejected():
    ws, term = console([request("echo refused-by-human > marker")])
    term.open()
    term.reject("Ask again without the file.")
    answer = term.answers(1)[0]
    exq.equal((answer["success"], answer["output"], answer["reason"], answer["decision"], answer["decided_by"]),
              (False, "", "rejected", "rejected", "operator"))
    exq.has(answer["error"], "Ask again without the file.")
    exq.check(not os.path.exists(ws.path("marker")), "it ran")
    exq.equal([event["decision"] for event in ws.events("decided")], ["rejected"])
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("the answer to a call that never ran says what it asked for: {how}", how=["rejected", "expired"])
def never_ran(how):
    call = request("touch marker", network=True, timeout=4000, approved=True)
    sections = {"security.approval": {"timeout_secs": 1}} if how == "expired" else {}
    _, term = console([call], backend="landlock", sections=sections)
    if how == "rejected":
        term.open()
        term.reject("no")
    answer = term.answers(1)[0]
    exq.equal((answer["decision"], answer["network"], answer["backend"], answer["notes"], answer["duration_ms"]),
              (how, True, "landlock", ["timeout_clamped", "arguments_ignored"], None))
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("an unanswered call expires, which is no human no")
def expires():
    ws, term = console([request("touch marker")], sections={"security.approval": {"timeout_secs": 1}})
    answer = term.answers(1)[0]
    exq.equal((answer["reason"], answer["decision"], answer["decided_by"]), ("approval_timeout", "expired", "deadline"))
    exq.check(not os.path.exists(ws.path("marker")), "it ran")
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("Enter, Space, y, Tab and a capital A decide nothing")
def nothing_else():
    ws, term = console([request("touch marker")])
    term.open()
    term.arm()
    for key in ("Enter", "Space", "y", "A", "Y", "Tab"):
        term.keys(key)
    term.open()
    term.arm()
    exq.check(not os.path.exists(ws.path("marker")) and not ws.events("decided"), "decided")
    term.reject("done")
    term.answers(1)
    term.close_input()
    exq.equal(term.wait_status(), 0)


@exq.test("headless, a supervised call is refused by name and never run")
def headless():
    ws = exq.Workspace(shell="supervised")
    answer = ws.call("touch marker")
    exq.equal((answer["reason"], answer["decision"]), ("approval_unavailable", "refused"))
    exq.check(not os.path.exists(ws.path("marker")), "it ran")


@exq.test("at the end of the requests the console stays until all is decided (H104)")
def end_of_input():
    _, term = console([request("until [ -e go ]; do sleep 0.05; done; echo done")])
    term.wait("#1")
    term.close_input()
    term.open()
    term.approve()
    term.wait("running")
    term.ws.write("go")
    exq.equal(term.answers(1)[0]["output"], "done\n")
    exq.equal(term.wait_status(), 0)


@exq.test("quitting with a waiting and a running call asks first, then answers both")
def quits():
    ws, term = console([request("echo before; exec sleep 99960", 1), request("touch marker", 2)])
    term.open(1)
    term.approve()
    exq.wait_for(lambda: exq.find("sleep 99960"), what="the command")
    term.keys("q")
    term.wait("quit:")
    exq.equal(len(exq.find("sleep 99960")) > 0, True)
    term.wait("[y]")
    term.keys("y")
    exq.equal(sorted((a["id"], a["reason"]) for a in term.answers(2)), [(1, "console_closed"), (2, "console_closed")])
    exq.equal(term.wait_status(), 0)
    exq.gone("sleep 99960")
    exq.check(not os.path.exists(ws.path("marker")), "it ran")


@exq.test("the operator stops a running command, whose output so far is in the answer (H031)")
def stopped():
    _, term = console([request("echo before; sleep 99961")])
    term.open()
    term.approve()
    exq.wait_for(lambda: exq.find("sleep 99961"), what="the command")
    term.keys("x")
    term.wait("[y]")
    term.keys("y")
    answer = term.answers(1)[0]
    exq.equal((answer["output"], answer["reason"], answer["success"]), ("before\n", "killed_by_operator", False))
    exq.equal(exq.find("sleep 99961"), [])
    term.close_input()
    exq.equal(term.wait_status(), 0)


def grant(term, *numbers):
    """Approves the card on the screen and the identical call again: `t`, what is typed into its prompt, `y`."""
    term.arm()
    term.keys("t")
    term.wait("the identical call again")
    for text in numbers:
        term.literal(text)
    term.wait("[y] approve ready")
    term.keys("y")
    term.wait(re.compile(r"^ \[ \] decided already", re.M))


@exq.test("a granted call runs without a key; one byte, a directory, a network or another time limit waits; revoked, it waits (H007)")
def granted():
    run, other = "echo x >> ran", "touch /tmp/m/h_rem ran-other"
    _, term = console([request(run)])
    ws = term.ws
    term.open()
    grant(term, "3", "\t2")
    exq.equal(term.answers(1)[0]["decided_by"], "operator")
    given = ws.events("grant")[0]
    exq.equal((given["grant"], given["minutes"], given["times"]), (1, 3, 2))
    # The words of a sender are no part of the call, and neither is its number.
    term.send({**request(run, 2), "agent": "other", "reason": "trust me"})
    exq.equal((term.answers(2)[1]["decision"], term.answers(2)[1]["decided_by"]), ("approved", "grant"))
    exq.equal([(e["grant"], e["use"]) for e in ws.events("decided") if e["by"] == "grant"], [(1, 1)])
    ws.mkdir(ws.path("sub"))
    unlike = [request(run + " ", 3), request(other, 4), request(run, 5, working_dir="sub"), request(run, 6, network=True),
              request(run, 7, timeout=59)]
    term.send(*unlike)
    term.keys("1")
    term.wait(re.compile(r"waiting 5\b"))
    exq.equal(len(term.answers(2)), 2)
    term.keys("5")
    term.wait(re.compile(r"^>1 +\d min +1 of 2 .* echo x >> ran", re.M))
    term.keys("x")
    term.wait("[y] revoke grant 1")
    term.keys("y")
    term.wait(re.compile(r"^>1 +revoked", re.M))
    exq.equal([(e["grant"], e["why"]) for e in ws.events("revoked")], [(1, "by you")])
    term.send(request(run, 8))
    term.wait(re.compile(r"6 waiting"))
    with open(ws.path("ran"), encoding="ascii") as file:
        exq.equal(file.read(), "x\nx\n")
    exq.check(not os.path.exists(ws.path("ran-other")), "it ran")
    exq.equal(len(ws.events("decided")), 2)
    term.keys("q")
    term.wait("[y] quit")
    term.keys("y")
    exq.equal(term.wait_status(), 0)
    replay(ws)


@exq.test("a grant ends with its last use, shows on what it covers, and is not offered for a danger")
def grant_ends():
    hidden = "printf 'a\u200bb' >> ran"
    _, term = console([request(hidden), request("echo x >> ran", 2)])
    ws = term.ws
    term.open()
    exq.check("t again" not in term.arm(), "offered")
    term.keys("t")
    term.wait("t did nothing: such a card is read each time")
    term.open(2)
    exq.has(term.arm(), "t again")
    grant(term, "5", "\t1")
    term.answers(1)
    term.send(request("echo x >> ran", 3))
    exq.equal(term.answers(2)[1]["decided_by"], "grant")
    term.open(3)
    term.wait("approved by grant 1 of 1, given on #2")
    term.send(request("echo x >> ran", 4))
    term.open(4)
    term.wait("2 waiting")
    exq.equal(len(term.answers(2)), 2)
    term.keys("5")
    term.wait(re.compile(r"^>1 +used up +1 of 1 ", re.M))
    term.keys("q")
    term.wait("[y] quit")
    term.keys("y")
    exq.equal(term.wait_status(), 0)
    replay(ws)


exq.main()
