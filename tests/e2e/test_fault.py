"""One call about the record fails, is cut short, or is the last: nothing runs without its record, what was recorded stays readable
and verifies, and the next start names what it found. Ids are handed-out cases. EXQ_SOAK: each error at each call."""

import json
import os
import shutil

import exq
import exq_fault
from exq_fault import ENDS_EARLY, WHOLE

ALTERED = 1
ERRORS = ["ENOSPC", "EIO", "EDQUOT", "EROFS"]
OF_WRITES = ["short", "torn"]
# In check each call has one of the four errors.
FAULTS = ERRORS if "EXQ_SOAK" in os.environ else ["an error"]


def counted():
    """The calls about the record of a session without a fault."""
    faulty = exq_fault.Faulty()
    status, answers = faulty.run()
    exq.equal((status, len(answers), faulty.verify()[0]), (0, exq_fault.COMMANDS, WHOLE))
    calls = faulty.calls()
    for kind in ("write", "fdatasync", "open"):
        exq.has(calls, kind)
    faulty.ws.close()
    return calls


def inject(number, kind, fault):
    """One session with that fault at that call, and the next start."""
    faulty = exq_fault.Faulty()
    what = f"{fault} at call {number}, {kind}"
    status, answers = faulty.run(number, fault)
    if fault in ERRORS:
        exq.check(status != 0 or len(answers) == exq_fault.COMMANDS, f"{what}: status {status}, {answers}")
        exq.check(status >= 0, f"{what}: status {status}")
    elif fault == "short":
        exq.equal((status, [answer["success"] for answer in answers]), (0, [True] * exq_fault.COMMANDS), what)
    done = [answer for answer in answers if answer["success"]]
    exq.check(len(done) <= len(faulty.ran()), f"{what}: {answers} {faulty.ran()}")
    faulty.check_after(what)
    faulty.ws.close()


@exq.test("{fault} at each write, sync, open and rename of a session", fault=[*FAULTS, *OF_WRITES, "kill", "after"])
def each_call(fault):
    for number, kind in enumerate(counted(), 1):
        if fault in OF_WRITES and kind != "write":
            continue
        inject(number, kind, ERRORS[number % 4] if fault == "an error" else fault)


@exq.test("{fault} at each write, sync and open of `exequatur run`", fault=["an error", "kill"])
def each_call_of_run(fault):
    faulty = exq_fault.Faulty()
    exq.equal((faulty.run_one(), faulty.ran()), (0, {"m0": 1}))
    calls = faulty.calls()
    faulty.ws.close()
    for number, kind in enumerate(calls, 1):
        faulty = exq_fault.Faulty()
        now = ERRORS[number % 4] if fault == "an error" else fault
        what = f"{now} at call {number}, {kind}"
        status = faulty.run_one(number, now)
        exq.check(status != 0 or faulty.ran() == {"m0": 1}, f"{what}: {status} {faulty.ran()}")
        faulty.check_after(what)
        faulty.ws.close()


@exq.test("one write fails, then ten commands run: the record verifies, with a gap that names the file before (H111)")
def one_write():
    faulty = exq_fault.Faulty()
    faulty.run()
    calls = faulty.calls()
    faulty.ws.close()
    faulty = exq_fault.Faulty()
    process = faulty.start(len(calls) // 2, "EIO")
    answers = []
    for number in range(13):
        process.stdin.write(exq_fault.requests(1, number))
        process.stdin.flush()
        answers.append(json.loads(process.stdout.readline()))
    process.stdin.close()
    exq.equal(process.wait(), 0)
    reasons = [answer["reason"] for answer in answers]
    broken = reasons.index("audit_unavailable")
    exq.equal(reasons[broken + 1 :], [None] * (12 - broken))
    exq.check(broken <= 2, reasons)
    exq.equal(sorted(faulty.ran()), sorted(faulty.approved() & set(faulty.ran())))
    gap = faulty.ws.events("gap")
    second = f"{gap[0]['session']}.jsonl"
    exq.equal([(event["event"], {event["before"], second}) for event in gap], [(1, {os.path.basename(path) for path in faulty.ws.records()})])
    status, report = faulty.verify()
    exq.check(status in (WHOLE, ENDS_EARLY), report)
    exq.has(report, second)
    exq.equal(faulty.ws.exequatur("audit", "verify", os.path.join(faulty.audit, second)).returncode, WHOLE)


@exq.test("the clock jumps back an hour: the record is whole, and its own time never goes back")
def clock_back():
    faulty = exq_fault.Faulty()
    status, answers = faulty.run(12, "back")
    exq.equal((status, [answer["success"] for answer in answers], faulty.verify()[0]), (0, [True] * exq_fault.COMMANDS, WHOLE))
    events = faulty.ws.events()
    exq.check(events[-1]["wall"] < events[0]["wall"], "the clock did not jump")
    times = [event["at"] for event in events]
    exq.equal(times, sorted(times))
    exq.equal(faulty.ws.call("echo after")["output"], "after\n")
    exq.equal(faulty.verify()[0], WHOLE)


@exq.test("a file of the record swapped for a link is named, and never written through: {name}", name=["session", "CHAIN"])
def swapped(name):
    faulty = exq_fault.Faulty()
    faulty.run()
    path = faulty.ws.records()[0] if name == "session" else os.path.join(faulty.audit, "CHAIN")
    aside = os.path.join(faulty.ws.run, "aside")
    shutil.move(path, aside)
    os.symlink(aside, path)
    with open(aside, "rb") as file:
        before = file.read()
    status, report = faulty.verify()
    exq.equal(status, ALTERED, report)
    exq.has(report, os.path.basename(path))
    ran = faulty.ran()
    answer = faulty.ws.exequatur("--headless", stdin=exq_fault.requests(1, 7))
    with open(aside, "rb") as file:
        exq.equal(file.read(), before)
    if name == "CHAIN":
        exq.has((answer.stdout + answer.stderr).decode(), "audit_unavailable")
        exq.equal(faulty.ran(), ran)


@exq.test("a session whose file is swapped for a link while it lives writes on into its own, and that is named")
def swapped_alive():
    ws = exq.Workspace()
    session = ws.start()
    session.call("true")
    path = ws.records()[0]
    aside = os.path.join(ws.run, "aside")
    shutil.copy(path, aside)
    os.unlink(path)
    os.symlink(aside, path)
    size = os.stat(aside).st_size
    session.call("true")
    session.close_input()
    session.wait()
    exq.equal(os.stat(aside).st_size, size)
    done = ws.exequatur("audit", "verify", os.path.dirname(path))
    exq.equal(done.returncode, ALTERED, done.stdout)
    exq.has(done.stdout.decode(), os.path.basename(path))


exq.main()
