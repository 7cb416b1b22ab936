"""Calls as the person at the console lives through them: several at once, too much output, nobody decides, the agent
goes away, no sandbox, no room for the record. Ids such as H024 are handed-out cases."""

import os
import re
import resource

import exq
from exq_screen import console, finish, reject_rest, request, stop_first, type_script, verify


def title(term):
    """The title row as it stands."""
    return term.capture().split("\n")[0]


def leave(term):
    """Quits, whatever still waits or runs."""
    term.keys("q")
    term.wait(lambda screen: "status=" in screen or re.search(r"^ \[y\]", screen, re.M))
    term.literal("y")
    return term.wait_status()


@exq.test("four commands run at once, each with an output of its own; answers come as they end")
def several():
    waits = "echo out{n}; until [ -e go{n} ]; do sleep 0.05; done; echo end{n}"
    ws, term = console([request(waits.format(n=n), n) for n in range(1, 6)])
    for number in range(1, 6):
        term.open(number)
        term.approve()
    term.wait("waits for a free place")
    exq.equal([event["seq"] for event in ws.events("started")], [1, 2, 3, 4])
    for number in (3, 1):
        term.open(number)
        term.keys("3")
        screen = term.wait(f"out{number}")
        exq.check(not re.search(rf"^ out[^{number}]", screen, re.M), screen)
        ws.write(f"go{number}")
        term.wait(re.compile(rf"^ end{number}", re.M))
    exq.wait_for(lambda: any(event["seq"] == 5 for event in ws.events("started")), what="the fifth")
    for number in (5, 2, 4):
        ws.write(f"go{number}")
        exq.wait_for(lambda number=number: any(a["id"] == number for a in term.answers(1)), what=f"answer {number}")
    answers = term.answers(5)
    exq.equal([a["id"] for a in answers], [3, 1, 5, 2, 4])
    exq.equal({a["output"] for a in answers}, {f"out{n}\nend{n}\n" for n in range(1, 6)})
    finish(term)


def resident_kib(process):
    """Memory of a process that is in RAM."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


@exq.test("under a flood of output the keys act and memory stays (H024)")
def flood():
    ws, term = console([request("yes", 1), request("touch never", 2)])
    term.arm()
    before = resident_kib(term.console())
    term.approve()
    term.output()
    term.wait(" y ")
    most = 0
    for key, shown in (("g", "lines 1-"), ("G", "following"), ("2", " 2 card"), ("3", " 3 output"), ("1", " 1 queue"),
                       ("2", " 2 card"), ("?", "this view first"), ("Escape", " 2 card")):
        term.keys(key)
        term.wait(shown, 10)  # 0.2 s are promised; a crowded machine and tmux have their part in this
        most = max(most, resident_kib(term.console()))
    exq.wait_for(lambda: ws.events("truncated"), what="the cap")
    answer = stop_first(term)
    exq.equal(answer["truncated"], True)
    exq.check(answer["output_bytes"] > 1 << 20 and len(answer["output"]) < (1 << 20) + 200, answer["output_bytes"])
    exq.check(most - before < 16 * 1024, f"{most - before} KiB more than before")
    reject_rest(term, 2)


def started(ws, number):
    """The event that the command of this call was started."""
    return next((event for event in ws.events("started") if event["seq"] == number), None)


@exq.test("+ gives a running command its time once more, up to the ceiling and on the record, and it lives on")
def more_time():
    ws, term = console([request("sleep 5.5; echo done", 1, timeout=5), request("sleep 99983", 2, timeout=5)],
                       sections={"security.resources": {"max_cpu_time_seconds": 8}})
    for number in (1, 2):
        term.open(number)
        term.approve()
        exq.wait_for(lambda number=number: started(ws, number), what="the start")
        exq.has(term.wait(re.compile("running [1-4] s")), "+ more time")  # so the keys have rested
        term.keys("+")
        screen = term.wait(f"#{number} now has 8 s of at most 8 s")
        exq.check("+ more time" not in screen.split("\n")[-2], screen)
        term.keys("+")
        term.wait(f"+ did nothing: #{number} has 8 s, the most it can have")
    answers = {a["id"]: a for a in term.answers(2)}
    exq.equal((answers[1]["reason"], answers[1]["output"]), (None, "done\n"), answers[1])
    exq.equal(answers[2]["reason"], "timeout", answers[2])
    exq.has(answers[2]["error"], "stopped after 8 s, its time limit")
    exq.check(answers[2]["duration_ms"] >= 8000, answers[2])
    exq.equal([(e["seq"], e["by_ms"]) for e in ws.events("extended")], [(1, 3000), (2, 3000)])
    exq.equal(started(ws, 1)["wall_most_ms"], 8000)
    finish(term)


@exq.test("an output is unfolded, panned, searched; o saves it as it came to a new file, 0600, never over another one nor behind a link that a command left")
def saved():
    command = "ln -s ../outside way; printf 'a\\000\\033[31m\\r\\n'; printf '0123456789%.0s' $(seq 12); sleep 99984"
    ws, term = console([request(command)])
    term.open(1)
    term.approve()
    term.output()
    term.wait(re.compile(r"^ (0123456789){4,}", re.M))
    term.keys("u")
    term.wait(re.compile(r"^ (0123456789){7}0123456\u2026", re.M))
    term.keys("Right")
    term.wait(re.compile(r"^\u20269(0123456789){7}012345", re.M))
    term.keys("/")
    term.wait("] find")
    term.literal("<ESC>[31m")
    term.keys("Enter")
    term.wait("match 1 of 1")
    exq.check("from column" not in term.capture(), "what was found is not in sight")
    for name, said in (("", "saved 129 bytes of #1 to "), ("", "not saved: it is there already"),
                       ("way/new", "not saved: a symbolic link is on the way")):
        term.keys("o")
        default = re.search(r"save to +(\S+)_", term.wait("save to")).group(1)
        if name:
            term.keys(*["BSpace"] * len(default))
            term.literal(name)
        term.keys("Enter")
        term.wait(said)
    path = ws.path(default)
    exq.matches(default, r"^exequatur-\d+-[0-9a-f]{4}-1\.txt$")
    with open(path, "rb") as file:
        exq.equal(file.read(), b"a\0\x1b[31m\r\n" + b"0123456789" * 12)
    exq.equal((os.stat(path).st_mode & 0o7777, os.listdir(ws.outside)), (0o600, []))
    stop_first(term)
    finish(term)


@exq.test("output_colours colours the rest of a line in place of its colour sequences, and shows all others")
def colours():
    command = "printf '\\033[31mred\\033[2J\\nplain\\n'; sleep 99985"
    _, term = console([request(command)], sections={"exequatur": {"output_colours": True}})
    term.open(1)
    term.approve()
    term.output()
    exq.matches(term.wait("plain"), r"^ red<ESC>\[2J +")
    rows = term.capture(styles=True).split("\n")
    row = next(number for number, text in enumerate(rows) if "<ESC>" in text)
    exq.matches(rows[row], r"\x1b\[[0-9;]*38;5;210m(\x1b\[[0-9;]*m)*red")
    exq.check("38;5;210" not in rows[row + 1], rows[row + 1])
    stop_first(term)
    finish(term)


@exq.test("a call that nobody decides expires on the screen: no key brings it back, and it is no no")
def expired():
    ws, term = console([request("touch never")], sections={"security.approval": {"timeout_secs": 1}})
    screen = term.wait("that is not a no")
    exq.matches(screen, r"^ \[ \] nothing to approve +nobody decided within 1 s")
    term.keys("a")
    term.wait("a did nothing: it expired")
    term.keys("r")
    term.wait("r did nothing: it expired")
    exq.equal(term.answers(1)[0]["reason"], "approval_timeout")
    exq.equal((os.listdir(ws.work), len(ws.events("decided"))), ([], 0))
    finish(term)


@exq.test("the last line without its newline waits for a person like any other, and the console ends behind it (H092)")
def last_line():
    ws, term = console([])
    term.wait("0 waiting")
    term.send(b'{"id":1,"name":"shell","arguments":{"command":"echo last"}}')
    term.close_input()
    term.arm()
    exq.equal(ws.events("answered"), [])
    term.approve()
    exq.equal(term.answers(1)[0]["output"], "last\n")
    exq.equal(term.wait_status(), 0)


@exq.test("an agent that goes away ends what runs and starts nothing more; the screen ends and the record says why")
def agent_gone():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    type_script(term, "{program} < {requests} 2> {errors} | head -n 1 > {answers}; echo status=${{PIPESTATUS[0]}}")
    term.send(request("sleep 99980", 1), request("echo one", 2), request("touch never", 3))
    for number in (1, 2):
        term.open(number)
        term.approve()
    exq.equal(term.wait_status(), 1)
    exq.gone("sleep 99980")
    exq.equal([a["id"] for a in term.answers(1)], [2])
    exq.equal(os.listdir(ws.work), [])
    exq.matches(str(ws.events("intake")), "went away")
    exq.equal(ws.events()[-1]["why"], "reader gone")
    exq.equal({e["seq"]: e["reason"] for e in ws.events("answered")}, {1: "withdrawn", 2: "", 3: "withdrawn"})
    exq.equal((verify(ws)[0], term.ask("#{alternate_on}")), (0, "0"))


@exq.test("without any sandbox the title says so at once, and a card tells what was tried")
def no_sandbox():
    ws, term = console([], sections={"exequatur": {"auto_order": ["docker", "firejail"]}}, before="PATH=/nonexistent ")
    exq.has(term.wait("0 waiting"), "!NO SANDBOX")
    term.send(request("touch never"))
    exq.equal(term.answers(1)[0]["reason"], "no_sandbox_available")
    term.open(1)
    for words in ("refused: no sandbox works here", "docker", "firejail", "exequatur doctor"):
        exq.has(term.capture(), words)
    term.keys("a")
    term.wait("a did nothing")
    exq.has(title(term), "!NO SANDBOX")
    finish(term)
    exq.equal(os.listdir(ws.work), [])


@exq.test("a named backend that is not there is in the title from the start, and each call is refused: {name}",
          name=["firejail", "docker"])
def named_backend(name):
    ws, term = console([], backend=name, before="PATH=/nonexistent ")
    term.wait(lambda screen: re.search(rf"!NO SANDBOX|!{name}", screen.split("\n")[0]))
    term.send(request("touch never", 1), request("true", 2))
    exq.equal({a["reason"] for a in term.answers(2)}, {"sandbox_unavailable"})
    term.open(2)
    exq.has(term.capture(), name)
    finish(term)
    exq.equal(os.listdir(ws.work), [])


@exq.test("without a sandbox by the person's own will every screen and every answer says so")
def unsandboxed():
    ws, term = console([request("echo free > marker")], backend="none", env={"EXEQUATUR_ALLOW_UNSANDBOXED": "1"})
    screen = term.arm()
    exq.has(screen.split("\n")[0], "!NO SANDBOX")
    exq.has(screen.split("\n")[2], "sandbox !NONE")
    exq.matches(screen, r"!NO SANDBOX: it runs with all rights of \w+")
    term.keys("1")
    term.wait(re.compile(r"\A 1 queue[^\n]*!NO SANDBOX"))
    term.keys("2")
    term.approve()
    exq.has(term.answers(1)[0]["notes"], "unsandboxed")
    exq.equal(os.listdir(ws.work), ["marker"])
    finish(term)


@exq.test("a record that cannot be written ends all, the screen says it, and with room again it goes on (H110)")
def record_fails():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    type_script(term, "{program} < {requests} 2> {errors} | cat > {answers}; echo status=${{PIPESTATUS[0]}}")
    term.send(request("echo begun; sleep 99981", 1), request("touch never", 2))
    term.approve()
    exq.wait_for(lambda: exq.find("sleep 99981"), what="the command")
    process = term.console()
    limits = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, limits[1]))
    term.keys("1")  # what the person sees is an event too
    term.wait("!RECORD FAILED")
    exq.gone("sleep 99981")
    answers = {a["id"]: a for a in term.answers(2)}
    exq.equal({a["reason"] for a in answers.values()}, {"audit_unavailable"})
    exq.equal(answers[1]["output"], "begun\n")
    term.send(request("touch never", 3))
    exq.equal(term.answers(3)[2]["reason"], "audit_unavailable")
    exq.has(title(term), "!RECORD FAILED")
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limits)
    term.send(request("echo again", 4))
    term.wait(lambda screen: "!RECORD FAILED" not in screen)
    exq.equal(len(ws.events("gap")), 1)
    term.open(4)
    term.approve()
    exq.equal(term.answers(4)[3]["output"], "again\n")
    finish(term)
    exq.equal(os.listdir(ws.work), [])


@exq.test("a console that is killed leaves nothing running; the next one finds its calls and tells of them")
def killed():
    ws, term = console([request("sleep 99982", 1), request("touch never", 2)])
    term.approve()
    exq.wait_for(lambda: exq.find("sleep 99982"), what="the command")
    process = term.console()
    process.kill()
    exq.wait_for(lambda: not process.alive(), what="the end of the console")
    exq.gone("sleep 99982")
    status, report = verify(ws)
    exq.equal(status, 3, report)
    exq.has(report, os.path.basename(ws.records()[0]))
    exq.equal(ws.call("true")["reason"], "approval_unavailable")
    found = ws.events("found_open")
    exq.equal([(e["file"], sorted(call["seq"] for call in e["calls"])) for e in found],
              [(os.path.basename(ws.records()[0]), [1, 2])])
    exq.equal({call["reason"] for call in found[0]["calls"]}, {"console_lost"})
    exq.equal((verify(ws)[0], os.listdir(ws.work)), (3, []))


@exq.test("two calls of one person do not mix: a reason begun on one card is not sent for another")
def reason_belongs():
    ws, term = console([request("touch one", 1), request("touch two", 2)],
                       sections={"security.approval": {"timeout_secs": 300}})
    term.arm()
    term.keys("r")
    term.wait("you are typing a reason")
    term.literal("first")
    term.send(request("touch three", 3))
    term.wait("3 waiting")
    exq.matches(term.capture(), r"^\S reject #1: the agent gets this text")
    term.keys("Enter")
    exq.equal([(a["id"], a["error"]) for a in term.answers(1)], [(1, "rejected: the operator said no: first")])
    term.open(2)
    term.wait(re.compile(r"^ \[a\] approve ready", re.M))
    exq.equal(len(ws.events("decided")), 1)
    reject_rest(term, 2, 3)


@exq.test("4 lists what is over; / filters it by agent, end and time; Enter opens a call; nothing is decided there")
def history():
    ws, term = console([request("echo alpha", 1, agent="docs-bot"), request("echo beta; exit 2", 2, agent="build-bot"),
                        request("touch never", 3, agent="build-bot", reason="to see what comes"),
                        request("touch waits", 4)])
    for number in (1, 2):
        term.open(number)
        term.approve()
        term.answers(number)
    term.open(3)
    term.reject("not now")
    term.wait("decided already")
    term.keys("4")
    term.wait(re.compile(r"filter none +calls 1-3 of 3, newest first"))
    screen = term.wait("#3 in short")
    for row in (r"^>\d\d:\d\d  #3 +build-bot +you, \d+ s +rejected +touch never",
                r"^ \d\d:\d\d  #2 +build-bot +you, \d+ s +exit 2 +\d\.\d s +echo beta; exit 2",
                r"^ asked .* by \"build-bot\", who says \"to see what comes\"", r"^ you said +\"not now\""):
        exq.check(re.search(row, screen, re.M), (row, screen))
    term.keys("/")
    term.literal("since:never")
    term.keys("Enter")
    term.wait("since: needs a time of day: since:14:20")
    term.keys(*["BSpace"] * 11)
    term.literal("agent:build exit 2 since:0:00")
    term.keys("Enter")
    screen = term.wait('filter "agent:build exit 2 since:0:00"    calls 1-1 of 1')
    exq.check("touch never" not in screen and "#2 in short" in screen, screen)
    term.keys("a")
    term.wait("a did nothing: ")
    term.keys("Enter")
    term.wait(re.compile(r"^ #2 +build-bot +ended", re.M))
    exq.equal([(e["seq"], e["decision"]) for e in ws.events("decided")],
              [(1, "approved"), (2, "approved"), (3, "rejected")])
    reject_rest(term, 4)

exq.main()
