"""A console is killed at random moments of scripted sessions, again and again over one record. EXQ_SOAK: how often."""

import os
import random
import select
import signal
import subprocess
import time

import exq
import exq_fault
from exq_fault import ENDS_EARLY

TIMES = int(os.environ.get("EXQ_SOAK", "200"))
CALLS = 4
LONGEST_S = 0.06  # a session of so many calls takes about half of it
VERIFY_EVERY = 50
SEED = int(os.environ.get("EXQ_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)


def killed_session(faulty, chance, number):
    """One session that is killed at a random moment, or behind a random answer. Its calls have numbers of their own."""
    process = faulty.ws.popen([faulty.ws.program(), "--headless"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(exq_fault.requests(CALLS, number * CALLS))
    process.stdin.flush()
    end = time.monotonic() + chance.random() * LONGEST_S
    answers = chance.randrange(0, CALLS + 1)
    seen = b""
    while seen.count(b"\n") < answers or answers == CALLS:
        left = end - time.monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            break
        seen += os.read(process.stdout.fileno(), 65536)
    process.send_signal(signal.SIGKILL)
    process.wait()
    seen += process.stdout.read()
    process.stdin.close()
    process.stdout.close()
    faulty.ws.sessions.remove(process)
    return seen.count(b'"success":true')


def check(faulty, asked, answered, what):
    """Everything that ran was let go by the record, once; what was answered is in it; it verifies; each dead file is named."""
    exq.wait_for(lambda: not exq.descendants(os.getpid()), what="the end of the sessions' processes")
    ran = faulty.ran()
    exq.check(0 < len(ran) < asked, f"{what}: {len(ran)} of {asked} ran: no kill came in between")
    exq.check(set(ran) <= faulty.approved(), f"{what}: {sorted(set(ran) - faulty.approved())} ran without a record")
    exq.check(set(ran.values()) <= {0, 1}, f"{what}: {[name for name in ran if ran[name] > 1]} ran again")
    delivered = [event for event in faulty.ws.events("answered") if event["success"]]
    exq.check(len(delivered) >= answered, f"{what}: {answered} answers, {len(delivered)} in the record")
    exq.equal(faulty.ws.call("echo next")["output"], "next\n", what)
    exq.equal(faulty.ran(), ran, f"{what}: what ran again")
    found = {event["file"]: [(one["seq"], one["reason"]) for one in event["calls"]] for event in faulty.ws.events("found_open")}
    for name, calls in faulty.unanswered().items():
        exq.check(name in found, f"{what}: nobody found {name}")
        exq.equal(found[name], [(seq, "console_lost") for seq in calls], f"{what}: {name}")
    status, report = faulty.verify()
    exq.equal(status, ENDS_EARLY, f"{what}: {report[-2000:]}")


@exq.test(f"killed {TIMES} times: the record verifies up to its last durable event, and no command ran whose approval is not in it")
def killed():
    chance = random.Random(SEED)
    done = 0
    while done < TIMES:
        faulty = exq_fault.Faulty()
        answered = 0
        times = min(VERIFY_EVERY, TIMES - done)
        for number in range(times):
            answered += killed_session(faulty, chance, number)
        done += times
        check(faulty, times * CALLS, answered, f"seed {SEED}, {done} times")
        faulty.ws.close()


exq.main()
