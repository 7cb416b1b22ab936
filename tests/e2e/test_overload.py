"""An agent that sends too much, reads nothing or meets a full disk: the console stays awake, ends when it is told to, and runs
nothing that its record does not hold."""

import os
import re
import resource
import signal
import subprocess

import exq
from exq_space import encode, request


@exq.test("a flood of lines does not keep a command waiting that has ended: {what}", what=["bad lines", "unknown tools"])
def flood(what):
    ws = exq.Workspace(backend="landlock")
    count = 4000
    line = "x" if what == "bad lines" else {"name": "y", "arguments": {}}
    answers = ws.headless([request("echo first", id="first")] + [line] * count)
    exq.equal(len(answers), count + 1)
    exq.check(answers[-1]["id"] != "first", "its answer waited for all the others")


@exq.test("a reader that reads nothing cannot keep the console open: {number}", number=["SIGTERM", "SIGHUP"])
def deaf_reader(number):
    ws = exq.Workspace(backend="landlock")
    session = ws.start()
    session.send(request("head -c 900000 /dev/zero | tr '\\0' x"))
    exq.wait_for(lambda: ws.events("answered"), what="the answer in the record")
    session.kill(getattr(signal, number))
    exq.equal(session.wait(50), 128 + getattr(signal, number))
    exq.equal(ws.events("session_end")[0]["why"], "reader does not read")


@exq.test("what comes when the reader is gone is recorded as not delivered")
def gone_reader():
    ws = exq.Workspace(backend="landlock")
    session = ws.start()
    session.send(request("trap '' TERM; sleep 99830"))
    exq.wait_for(lambda: ws.events("started"), what="the start")
    session.process.stdout.close()
    exq.wait_for(lambda: ws.events("stopping"), what="the stop")
    session.send("x")
    exq.equal(session.wait(), 1)
    exq.equal([(event["seq"], event["delivered"]) for event in ws.events("answered")], [(2, False), (1, False)])


@exq.test("the record says once that an output was cut: {size} bytes", size=[1048575, 1048576, 1048577, 2097152, 9000000])
def cut_output(size):
    ws = exq.Workspace(backend="landlock")
    answer = ws.call(f"head -c {size} /dev/zero")
    exq.equal((answer["output_bytes"], answer["truncated"]), (size, size > 1048576))
    exq.equal(len(ws.events("truncated")), 1 if size > 1048576 else 0)


@exq.test("a slow reader gets every answer after the end of the requests")
def slow_reader():
    ws = exq.Workspace(backend="landlock")
    session = ws.start()
    session.send(request("head -c 900000 /dev/zero | tr '\\0' x", id=1), request("echo two", id=2))
    session.close_input()
    exq.wait_for(lambda: len(ws.events("answered")) == 2, what="both answers in the record")
    exq.equal({session.answer()["id"], session.answer()["id"]}, {1, 2})
    exq.equal(session.wait(), 0)


@exq.test("a hundred allowed calls at once are all answered where the answers are held for the terminal")
def held_answers():
    ws = exq.Workspace(backend="landlock")
    master, slave = os.openpty()
    script = ("import fcntl, os, sys, termios; fcntl.ioctl(1, termios.TIOCSCTTY, 0); os.tcsetpgrp(1, os.getpgrp()); "
              "os.execv(sys.argv[1], sys.argv[1:])")
    process = ws.popen(["/usr/bin/python3", "-c", script, ws.program()], stdin=subprocess.PIPE, stdout=slave,
                       stderr=subprocess.DEVNULL, env={**ws.env, "TERM": "xterm"})
    os.close(slave)
    process.stdin.write(encode([request("true", id=n) for n in range(100)]))
    process.stdin.close()
    seen = b""
    while True:
        try:
            more = os.read(master, 1 << 16)
        except OSError:
            break
        seen += more
    os.close(master)
    exq.equal(process.wait(60), 0)
    exq.equal(len(set(re.findall(rb'"id":(\d+),"seq"', seen))), 100)


def limited(bytes_max):
    """For a child: no file of its grows beyond this."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max))


@exq.test("nothing starts whose decision the record could not take, wherever it broke")
def unrecorded_decision():
    calls = encode([request("true", id=1), request("true", id=2)])
    whole = exq.Workspace(backend="landlock")
    whole.exequatur("--headless", stdin=calls)
    with open(whole.records()[0], "rb") as file:
        lines = file.read().splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines))]
    for start, line in zip(starts, lines):
        if b'"seq":1,' not in line[:200]:
            continue
        ws = exq.Workspace(backend="landlock")
        done = ws.exequatur("--headless", stdin=calls, preexec_fn=limited(start + 20))
        events = ws.events()
        for event in events:
            decided = [e for e in events if e["type"] == "decided" and e["seq"] == event.get("seq")]
            exq.check(event["type"] != "launching" or decided, f"broken at {line[:200]!r}: {event}")
        exq.equal(len(done.stdout.splitlines()), 2, f"broken at {line[:200]!r}")


LEAVES = {
    "repositories": "os.mkdir(d + '/.git')",
    "links to a repository outside": "open(d + '/.git', 'w').write('gitdir: /usr')",
    "sockets": "os.mkfifo(d + '/f')",
}
# Four thousand directories whose names a record has to write with six bytes for one.
LEAVE = """import os
for n in range(4000):
    d = chr(1) * 240 + str(n // 200) + '/' + chr(1) * 240 + str(n % 200)
    os.makedirs(d)
    """


@exq.test("what a command leaves cannot break the record: thousands of {what}", what=list(LEAVES))
def leaves_much(what):
    ws = exq.Workspace(backend="landlock")
    answers = ws.headless([request(f"python3 - <<'EOF'\n{LEAVE}{LEAVES[what]}\nEOF", id=1)])
    exq.equal((answers[0]["success"], answers[0]["output"]), (True, ""), answers[0])
    exq.equal(ws.call("echo on")["output"], "on\n")
    exq.equal([event for event in ws.events("gap")], [])
    exq.equal(ws.exequatur("audit", "verify", os.path.join(ws.state, "exequatur", "audit")).returncode, 0)


@exq.test("the doctor shows names of directories as text")
def doctor():
    ws = exq.Workspace()
    place = os.path.join(ws.work, "a\x1b[31mb\u202ec")
    ws.mkdir(place)
    done = ws.exequatur("doctor", "-C", place)
    exq.check(b"<ESC>[31mb" in done.stdout and b"\x1b" not in done.stdout, done.stdout[:300])
    exq.check("\u202e".encode() not in done.stdout, done.stdout[:300])


if __name__ == "__main__":
    exq.main()
