"""Seals and anchors: what was sealed cannot be rewritten, what was cut off shows outside, and no call waits for either."""

import hashlib
import json
import os
import re
import subprocess

import exq

WHOLE, ALTERED = 0, 1
LINE = re.compile(r"([0-9a-f]{64}) (\d+)")


def calls(count, word="echo"):
    """So many requests."""
    return [{"id": n, "name": "shell", "arguments": {"command": f"{word} {n}"}} for n in range(count)]


def sealed(**settings):
    """A workspace whose record is sealed, and the public key."""
    ws = exq.Workspace(sections={"security.audit": {"sign_events": True, **settings}})
    done = ws.exequatur("audit", "init-seals")
    exq.equal(done.returncode, 0, done.stderr)
    exq.matches(done.stdout.decode(), r"\A[0-9a-f]{64}\n\Z")
    return ws, done.stdout.decode().strip()


def verify(ws, *options):
    """(status, words) of `exequatur audit verify` on the directory."""
    done = ws.exequatur("audit", "verify", *options, os.path.join(ws.state, "exequatur", "audit"))
    return done.returncode, (done.stdout + done.stderr).decode()


def proved(ws, key, *, unsealed=0):
    """It is whole by the key, with so many events not sealed."""
    status, words = verify(ws, "--key", key)
    exq.equal(status, WHOLE, words)
    exq.has(words, f"proved by the key {key}\n")
    exq.has(words, f", {unsealed} event{'s are' if unsealed != 1 else ' is'} not sealed\n")
    return words


def of_record(ws, name):
    """A file beside the session files."""
    return os.path.join(ws.state, "exequatur", "audit", name)


def lines_of(path):
    """Its lines, without their ends."""
    with open(path, "rb") as file:
        return file.read().splitlines()


def put(path, lines):
    """Writes lines in place."""
    with open(path, "wb") as file:
        file.write(b"".join(line + b"\n" for line in lines))


def digest(line):
    """BLAKE2b-256 in hexadecimal digits."""
    return hashlib.blake2b(line, digest_size=32).hexdigest().encode()


def chained(lines, first=b"0" * 64):
    """The lines with each `prev` made anew."""
    done = []
    for line in lines:
        done.append(b'{"prev":"' + (digest(done[-1]) if done else first) + line[73:])
    return done


def forge(ws, path, old, new):
    """Changes what the last session recorded, and makes file and CHAIN fit again, as whoever may write the directory can."""
    lines = chained([line.replace(old, new) for line in lines_of(path)])
    put(path, lines)
    chain = [json.loads(line) for line in lines_of(of_record(ws, "CHAIN"))]
    for line in chain:
        if line["chain"] == "end" and line["file"] == os.path.basename(path):
            line["digest"] = digest(lines[-1]).decode()
    put(of_record(ws, "CHAIN"), chained([json.dumps(line, separators=(",", ":")).encode() for line in chain]))


@exq.test("sign_events without seals refuses at the start, with the command to run, and nothing runs: {how}", how=["console", "run"])
def not_begun(how):
    ws = exq.Workspace(sections={"security.audit": {"sign_events": True}})
    arguments = ["--headless"] if how == "console" else ["run", "touch ran"]
    done = ws.exequatur(*arguments, stdin=b'{"name":"shell","arguments":{"command":"touch ran"}}\n')
    exq.check(done.returncode != 0, done)
    exq.has(done.stderr.decode(), "audit_unavailable: sign_events is set, and nothing can be sealed: ")
    exq.has(done.stderr.decode(), "exequatur audit init-seals")
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    exq.equal(ws.records(), [])


@exq.test("the key alone proves sessions that ended, ran at once, and died; the key beside the record is private and changes")
def proves():
    ws, key = sealed(seal_every=10)
    with open(of_record(ws, "SEAL-KEY"), "rb") as file:
        first = file.read()
    exq.equal(os.stat(of_record(ws, "SEAL-KEY")).st_mode & 0o777, 0o600)
    exq.equal(len(ws.headless(calls(4))), 4)
    exq.equal(ws.exequatur("run", "true").returncode, 0)
    proved(ws, key)
    again = ws.exequatur("audit", "init-seals")
    exq.equal((again.returncode, key in again.stderr.decode()), (1, True))
    one, two = ws.start(), ws.start()
    for number in range(6):
        exq.equal(one.call(f"echo {number}")["success"], True)
        exq.equal(two.call(f"echo {number}")["success"], True)
    two.kill()
    exq.wait_for(lambda: two.process.poll() is not None, what="the end")
    one.close_input()
    exq.equal(one.wait(), 0)
    exq.equal(ws.exequatur("run", "true").returncode, 0)
    status, words = verify(ws, "--key", key)
    exq.equal(status, 3, words)  # it died
    exq.has(words, ", 0 events are not sealed\n")
    with open(of_record(ws, "SEAL-KEY"), "rb") as file:
        later = file.read()
    for block in (first, later):
        exq.equal(len(re.findall(rb"exequatur-seal-key", block)), 1)
    exq.check(re.search(rb" ([0-9a-f]{64}) ", first)[1] not in later, "a key that sealed is still there")
    seals = [json.loads(line) for line in lines_of(of_record(ws, "SEALS"))]
    exq.equal([seal["epoch"] for seal in seals], list(range(1, len(seals) + 1)))
    exq.check(sum("file" in seal for seal in seals) >= 3, seals)  # sealed while it went on
    exq.equal([event["epoch"] for event in ws.events("seals")][0], 2)
    kept = ws.write("kept", f"the key of this machine: {key}\n")
    exq.equal(verify(ws, "--key", kept)[0], 3)
    exq.equal(verify(ws, "--key", "0" * 64)[0], ALTERED)


@exq.test("no command sees the key (backend {backend})", backend=exq.BACKENDS)
def hidden(backend):
    ws = exq.Workspace(backend=backend, sections={"security.audit": {"sign_events": True}})
    exq.equal(ws.exequatur("audit", "init-seals").returncode, 0)
    exq.check(os.path.exists(of_record(ws, "SEAL-KEY")), "no key")
    answer = ws.headless([{"id": 1, "name": "shell", "arguments": {"command": f"cat {of_record(ws, 'SEAL-KEY')} && echo seen"}}])[0]
    exq.equal((answer["success"], "exequatur-seal-key" in answer["output"]), (False, False), answer["output"])


@exq.test("a past that was rewritten whole holds by its chain, and not by its seals")
def rewritten():
    ws, key = sealed(seal_every=10)
    ws.headless(calls(1))
    ws.headless(calls(3, "echo secret"))
    path = ws.records()[-1]
    proved(ws, key)
    forge(ws, path, b"echo secret 1", b"echo public 1")
    for options in (("--key", key), ()):
        status, words = verify(ws, *options)
        exq.equal(status, ALTERED, words)
        exq.matches(words, rf"(?m)^{os.path.basename(path)}:\d+: altered: a line from here on is not what was sealed")
        exq.matches(words, r"(?m)^CHAIN:\d+: altered: from here to the line that epoch \d+ sealed")
    for name in ("SEALS", "SEAL-KEY"):
        os.unlink(of_record(ws, name))
    exq.equal(verify(ws)[0], WHOLE)  # what seals are for
    status, words = verify(ws, "--key", key)
    exq.equal((status, words.splitlines()[0]), (ALTERED, "SEALS:1: altered: there are no seals"))


@exq.test("a tail that was cut off with its seals is whole by the key, and missing by an anchor; arguments are digests and counts")
def cut():
    place = exq.Workspace()
    told = os.path.join(place.outside, "anchors")
    program = os.path.join(place.dir, "anchor.py")
    with open(program, "w", encoding="utf-8") as file:
        file.write(f"import sys\nwith open({told!r}, 'a') as f:\n    print(*sys.argv[1:], sep='|', file=f)\n")
    ws, key = sealed(anchor_command=["/usr/bin/python3", "-I", program, "mine"], anchor_every=10)
    ws.headless(calls(3))
    before = {name: lines_of(of_record(ws, name)) for name in ("CHAIN", "SEALS")}
    with open(of_record(ws, "SEAL-KEY"), "rb") as file:
        older_key = file.read()
    ws.headless(calls(3, "echo agent's-words"))
    given = lines_of(told)
    for line in given:
        exq.matches(line.decode(), r"\Amine\|[0-9a-f]{64} \d+\Z")
    exq.check(len(given) >= 4, given)
    exq.equal(given[-1].decode().split("|")[1].split()[0], digest(lines_of(of_record(ws, "CHAIN"))[-1]).decode())
    status, words = verify(ws, "--key", key, "--anchor", told)
    exq.equal(status, WHOLE, words)
    exq.equal(words.count("\nanchor ") + words.startswith("anchor "), len(given))
    exq.equal(len(ws.events("anchor")), len(given) - 2)
    os.unlink(ws.records()[-1])
    put(of_record(ws, "CHAIN"), before["CHAIN"])
    put(of_record(ws, "SEALS"), before["SEALS"])
    status, words = verify(ws, "--key", key)
    exq.equal(status, ALTERED, words)
    exq.has(words, "the key beside it is of another epoch")
    with open(of_record(ws, "SEAL-KEY"), "wb") as file:  # a copy that somebody took in time
        file.write(older_key)
    proved(ws, key)
    status, words = verify(ws, "--anchor", told)
    exq.equal(status, ALTERED, words)
    exq.matches(words, r"anchor [0-9a-f]{64}: altered: no line here has it")
    exq.equal(verify(ws, "--anchor", given[0].decode().split("|")[1].split()[0])[0], WHOLE)


@exq.test("an anchor that fails is told and recorded and holds up nothing; one that could be replaced is refused at the start")
def anchor_fails():
    ws, key = sealed(anchor_command=["/bin/false"], anchor_every=10, anchor="syslog")
    answers = ws.headless(calls(6))
    exq.equal([answer["success"] for answer in answers], [True] * 6)
    exq.has(answers.stderr, "anchor_command ended with exit 1")
    exq.check(all("why" in event or LINE.match(f"{event['digest']} {event['number']}") for event in ws.events("anchor")), "an anchor")
    exq.check(any("anchor_command ended with exit 1" in event.get("why", "") for event in ws.events("anchor")), ws.events("anchor"))
    proved(ws, key)
    path = ws.write("anchor", "#!/bin/sh\n", 0o755)
    ws.configure({"security.audit": {"anchor_command": [path]}})
    done = ws.exequatur("--headless", stdin=b'{"name":"shell","arguments":{"command":"touch ran"}}\n')
    exq.check(done.returncode != 0 and not os.path.exists(ws.path("ran")), done)
    exq.has(done.stderr.decode(), f"anchor_command: {path}: ")


@exq.test("the seals are gone while a session goes on: it is told and recorded, and calls go on")
def seals_gone():
    ws, _ = sealed(seal_every=10)
    session = ws.start()
    exq.equal(session.call("echo 1")["success"], True)
    os.unlink(of_record(ws, "SEAL-KEY"))
    for number in range(3):
        exq.equal(session.call(f"echo {number}")["success"], True)
    session.close_input()
    exq.equal(session.wait(), 0)
    exq.check(any("could not be sealed: opening SEAL-KEY" in event.get("why", "") for event in ws.events("seals")), ws.events("seals"))
    exq.has(verify(ws)[1], "since the last seal")


@exq.test("a session of several files, compressed when they are closed, is sealed through all of them")
def rotated():
    ws, key = sealed(seal_every=10, max_size_mb=1, compress=True)
    ws.headless(calls(8, "head -c 400000 /dev/zero | tr '\\0' a; echo"))
    seals = [json.loads(line) for line in lines_of(of_record(ws, "SEALS"))]
    exq.check(len({seal["file"] for seal in seals if "file" in seal}) >= 2, seals)
    proved(ws, key)
    ws.headless(calls(1))
    exq.check(any(name.endswith(".zst") for name in os.listdir(of_record(ws, "."))), os.listdir(of_record(ws, ".")))
    proved(ws, key)


@exq.test("an anchor that fails is told on the screen; what a crash had left of a seal is told by the command that mends it")
def on_screen():
    ws, key = sealed(anchor_command=["/bin/false"], anchor_every=10)
    term = exq.Tmux(ws)
    term.start(requests=calls(6))
    term.answers(6)
    term.wait("anchor_command ended with exit 1")
    with open(of_record(ws, "SEAL-KEY"), "rb") as file:
        before = file.read()
    term.close_input()
    exq.equal(term.wait_status(), 0)
    with open(of_record(ws, "SEAL-KEY"), "r+b") as file:  # the key that made the last seal was not zeroed yet
        file.write(before[:4096])
    done = ws.exequatur("run", "true")
    exq.equal(done.returncode, 0)
    exq.has(done.stderr.decode(), "a crash came before the key of epoch 2 was zeroed")
    proved(ws, key)


@exq.test("a session that dies, or meets an error of the disk, at any step of its seals never looks altered, and the next one seals all of it")
def dies():
    ws, key = sealed()
    tool = exq.need_program("strace")
    faults = [f"fdatasync:signal=KILL:when={n}" for n in range(3, 9)] + [f"fdatasync:error=EIO:when={n}" for n in range(3, 9)]
    faults += [f"pwrite64:{how}:when={n}" for how in ("signal=KILL", "error=ENOSPC") for n in (1, 2)]
    hit = 0
    for fault in faults:
        trace = ws.path("trace")
        call = fault.split(":", maxsplit=1)[0]
        process = ws.popen([tool, "-o", trace, "-e", f"trace={call}", "-e", f"inject={fault}", ws.program(), "run", "true"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.communicate(timeout=60)
        with open(trace, encoding="utf-8") as file:
            words = file.read()
        hit += "INJECTED" in words or "killed by SIGKILL" in words
        status, words = verify(ws, "--key", key)
        exq.check(status != ALTERED, f"{fault}: {words}")
    exq.check(hit >= 12, f"only {hit} faults were met")
    exq.equal(ws.exequatur("run", "true").returncode, 0)
    status, words = verify(ws, "--key", key)
    exq.check(status != ALTERED, words)
    exq.has(words, ", 0 events are not sealed\n")
    told = [event["why"] for event in ws.events("seals") if "why" in event]
    for part in ("before the seal of epoch", "before the key of epoch"):
        exq.check(any(part in why for why in told), f"{part}: {told}")


@exq.test("a call waits for the disk at most three times with seals and anchors, and a session some times more at its end")
def cost():
    ws, key = sealed(anchor="syslog")
    tool = exq.need_program("strace")

    def syncs(count):
        trace = ws.path(f"trace{count}")
        lines = b"".join(json.dumps(line).encode() + b"\n" for line in calls(count))
        process = ws.popen([tool, "-f", "-o", trace, "-e", "trace=fdatasync,fsync", ws.program(), "--headless"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate(lines, timeout=60)
        exq.equal(out.count(b'"success":true'), count, err)
        with open(trace, encoding="utf-8") as file:
            return sum("sync(" in line for line in file)

    one, eleven = syncs(1), syncs(11)
    exq.check(eleven - one <= 10 * 3, f"{one} for one call, {eleven} for eleven")
    exq.check(one <= 3 + 8, f"{one} for a session of one call")
    proved(ws, key)


exq.main()
