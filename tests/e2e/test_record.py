"""The record: complete, whole or named as altered, and nothing runs without it. Ids are handed-out cases."""

import json
import os
import stat
import subprocess

import exq

WHOLE, ALTERED, USAGE, ENDS_EARLY = 0, 1, 2, 3


def record_dir(ws):
    """The directory of the record."""
    return os.path.join(ws.state, "exequatur", "audit")


def verify(ws, path=None):
    """(status, words) of `exequatur audit verify`."""
    done = ws.exequatur("audit", "verify", path or record_dir(ws))
    return done.returncode, (done.stdout + done.stderr).decode()


def filled(calls=5):
    """A workspace with a record of so many calls."""
    ws = exq.Workspace()
    ws.headless([{"id": n, "name": "shell", "arguments": {"command": f"echo {n}"}} for n in range(calls)])
    exq.equal(verify(ws)[0], WHOLE)
    return ws


def lines_of(path):
    """Its lines, with their ends."""
    with open(path, "rb") as file:
        return file.read().splitlines(keepends=True)


def rewrite(path, lines):
    """Writes lines in place."""
    with open(path, "wb") as file:
        file.write(b"".join(lines))


@exq.test("calls of all kinds leave a record that is whole (H108)")
def all_kinds():
    ws = exq.Workspace()
    commands = ["echo \u041f\u0440\u0438\u0432\u0456\u0442 \u4e2d\u6587 \U0001f600", "printf 'a\\000\\377b'", "head -c 1100000 /dev/zero | tr '\\0' a",
                "exit 3", "kill -9 $$", "true\n{\"event\":1}", "sleep 9"]
    lines = [{"id": n, "name": "shell", "arguments": {"command": commands[n % len(commands)], "timeout": 1}} for n in range(28)]
    answers = ws.headless([*lines, b"not a request\n", {"name": "other", "arguments": {}}])
    exq.equal(len(answers), 30)
    exq.equal(verify(ws)[0], WHOLE)
    exq.equal(len(ws.events("answered")), 30)


@exq.test("every line of the record is ASCII and starts with the digest of the line before")
def ascii_lines():
    ws = exq.Workspace()
    ws.call("printf '\\033]0;x\\007\\302\\233 \u4e2d'")
    lines = lines_of(ws.records()[0])
    tool = exq.need_program("b2sum")
    for before, line in zip(lines, lines[1:]):
        exq.check(all(32 <= byte < 127 for byte in line[:-1]), line)
        digest = subprocess.run([tool, "-l", "256"], input=before[:-1], capture_output=True, check=True).stdout.split()[0]
        exq.equal(line[:9 + 64], b'{"prev":"' + digest)


@exq.test("one byte changed in the middle is named with its line")
def byte_changed():
    ws = filled()
    path = ws.records()[0]
    lines = lines_of(path)
    middle = len(lines) // 2
    lines[middle] = lines[middle].replace(b'"at":', b'"At":')
    rewrite(path, lines)
    status, words = verify(ws)
    exq.equal(status, ALTERED, words)
    exq.matches(words, rf"\b(?:line )?(?:{middle + 1}|{middle + 2})\b")


@exq.test("one line removed is named")
def line_removed():
    ws = filled()
    path = ws.records()[0]
    lines = lines_of(path)
    rewrite(path, lines[:7] + lines[8:])
    status, words = verify(ws)
    exq.equal(status, ALTERED, words)
    exq.matches(words, r"\b8\b")


@exq.test("the tail removed is named: the last {count} lines (H107)", count=[1, 3])
def tail_removed(count):
    ws = filled()
    path = ws.records()[0]
    rewrite(path, lines_of(path)[:-count])
    status, words = verify(ws)
    exq.equal(status, ALTERED, words)
    exq.has(words, os.path.basename(path))


@exq.test("a file removed is named")
def file_removed():
    ws = filled()
    ws.call("true")
    path = ws.records()[0]
    os.unlink(path)
    status, words = verify(ws)
    exq.equal(status, ALTERED, words)
    exq.has(words, os.path.basename(path))


@exq.test("a torn tail is told apart from an altered record, and the next session names it (H106)")
def torn():
    ws = exq.Workspace()
    session = ws.start()
    for _ in range(5):
        session.call("true")
    session.kill()
    exq.wait_for(lambda: session.process.poll() is not None, what="the end")
    path = ws.records()[0]
    lines = lines_of(path)
    rewrite(path, lines[:-1] + [lines[-1][:-20]])
    status, words = verify(ws)
    exq.equal(status, ENDS_EARLY, words)
    exq.equal(ws.call("echo next")["output"], "next\n")
    exq.equal(lines_of(path), lines[:-1] + [lines[-1][:-20]])
    found = ws.events("found_open")
    exq.equal([(event["file"], event["torn"]) for event in found], [(os.path.basename(path), True)])
    status, words = verify(ws)
    exq.equal(status, ENDS_EARLY, words)
    exq.has(words, os.path.basename(path))


@exq.test("a session that is still open ends early, a closed one is whole, a file that is none is usage")
def statuses():
    ws = exq.Workspace()
    session = ws.start()
    session.call("true")
    exq.equal(verify(ws)[0], ENDS_EARLY)
    session.close_input()
    exq.equal(session.wait(), 0)
    exq.equal(verify(ws)[0], WHOLE)
    exq.equal(verify(ws, ws.records()[0])[0], WHOLE)
    exq.equal(verify(ws, "/nonexistent")[0], USAGE)


@exq.test("two consoles at once have a file each, and both are whole (H109)")
def two_consoles():
    ws = exq.Workspace()
    first, second = ws.start(), ws.start()
    for number in range(50):
        exq.equal(first.call(f"echo {number}")["output"], f"{number}\n")
        exq.equal(second.call(f"echo {number}")["output"], f"{number}\n")
    for session in (second, first):
        session.close_input()
        exq.equal(session.wait(), 0)
    exq.equal((len(ws.records()), verify(ws)[0]), (2, WHOLE))


@exq.test("nothing runs while the record cannot be written, by name, and it goes on when there is room (H110)")
def no_room():
    ws = exq.Workspace(user="root")
    small = os.path.join(ws.run, "small")
    os.mkdir(small)
    ws.configure({"security.audit": {"log_path": small}})
    script = f"mount -t tmpfs -o size=64k none {small} && chmod 700 {small} && exec {ws.program()} --headless"
    process = ws.popen(["unshare", "-m", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def call(command):
        process.stdin.write(json.dumps({"name": "shell", "arguments": {"command": command}}).encode() + b"\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    answers = [call(f": {'x' * 9000}; touch {ws.work}/m{number}") for number in range(12)]
    reasons = [answer["reason"] for answer in answers]
    exq.has(reasons, "audit_unavailable")
    first = reasons.index("audit_unavailable")
    exq.equal(set(reasons[first:]), {"audit_unavailable"})
    exq.check(not os.path.exists(f"{ws.work}/m{len(answers) - 1}"), "it ran without a record")
    inside = f"/proc/{process.pid}/root{small}"
    exq.equal(ws.popen(["nsenter", "-m", "-t", str(process.pid), "mount", "-o", "remount,size=4m", small]).wait(), 0, inside)
    exq.equal(call("echo back")["output"], "back\n")
    process.stdin.close()
    exq.wait_for(lambda: process.poll() is not None, what="the end")


@exq.test("a command that looks like a record stays inside its field (H112)")
def forged():
    ws = exq.Workspace()
    command = "true\n{\"seq\":7,\"event\":\"approved\"}"
    ws.call(command)
    exq.equal(verify(ws)[0], WHOLE)
    exq.equal([event["command"] for event in ws.events("received")], [command])
    exq.equal({event["seq"] for event in ws.events() if "seq" in event}, {1})


@exq.test("the record is private whatever the umask, append only and never a link (H116)", umask=[0, 0o77])
def private(umask):
    ws = exq.Workspace()
    session = ws.start(umask=umask)
    session.call("true")
    path = ws.records()[0]
    for name, mode in ((path, 0o600), (os.path.join(record_dir(ws), "CHAIN"), 0o600), (record_dir(ws), 0o700)):
        exq.equal(stat.S_IMODE(os.lstat(name).st_mode), mode, name)
    if os.getuid():
        exq.skip("modes hold; only root may see the descriptors of a console")
    flags = [int(open(f"/proc/{session.pid}/fdinfo/{fd}", encoding="ascii").read().split("flags:")[1].split()[0], 8)
             for fd in os.listdir(f"/proc/{session.pid}/fd") if os.path.realpath(f"/proc/{session.pid}/fd/{fd}") == path]
    exq.check(flags and all(flag & os.O_APPEND and flag & os.O_CLOEXEC for flag in flags), flags)
    session.close_input()
    session.wait()


@exq.test("a record directory that is a link or open to others is refused at start", kind=["link", "open"])
def bad_directory(kind):
    ws = exq.Workspace()
    place = os.path.join(ws.run, "audit")
    if kind == "link":
        os.mkdir(os.path.join(ws.run, "real"), 0o700)
        os.symlink("real", place)
    else:
        os.mkdir(place)
        os.chmod(place, 0o777)
    ws.configure({"security.audit": {"log_path": place}})
    done = ws.exequatur("--headless", stdin=b'{"name":"shell","arguments":{"command":"touch ran"}}\n')
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    exq.check(done.returncode != 0 or b"audit_unavailable" in done.stdout, done)
    exq.has((done.stdout + done.stderr).decode(), "audit")


@exq.test("each refusal and each run is in the record, with who decided and with what (H117)")
def complete():
    ws = exq.Workspace(shell="supervised")
    term = exq.Tmux(ws)
    term.start(requests=[{"id": 1, "name": "shell", "arguments": {"command": "true"}},
                         {"id": 2, "name": "shell", "arguments": {"command": "true", "timeout": 0}},
                         {"id": 3, "name": "shell", "arguments": {"command": "true"}}])
    term.open(1)
    term.reject("no")
    term.open(3)
    term.approve()
    term.answers(3)
    term.close_input()
    exq.equal(term.wait_status(), 0)
    decided = {event["seq"]: event for event in ws.events("decided")}
    exq.equal({seq: (event["decision"], event["by"]) for seq, event in decided.items()},
              {1: ("rejected", "operator"), 3: ("approved", "operator")})
    exq.equal([event["reason"] for event in ws.events("refused")], ["invalid_request"])
    exq.equal([event["backend"] for event in ws.events("launching")], ["landlock"])
    exq.check("limits" in ws.events("profile")[0], "no limits in the profile")
    exq.equal(verify(ws)[0], WHOLE)


@exq.test("the record says who asked: {kind}", kind=["stdin", "operator"])
def asked_by(kind):
    ws = exq.Workspace()
    arguments = ("run", "true") if kind == "operator" else ("--headless",)
    done = ws.exequatur(*arguments, stdin=b'{"name":"shell","arguments":{"command":"true"}}\n')
    exq.equal(done.returncode, 0)
    peers = ws.events("peer")
    exq.equal([(peer["kind"], peer["uid"]) for peer in peers], [(kind, ws.uid)])
    exq.equal(peers[0].get("pid"), os.getpid() if kind == "operator" else None)
    exq.equal([event["peer"] for event in ws.events("received")], [peers[0]["peer"]])
    exq.equal([event["type"] for event in ws.events()][:2], ["session_start", "peer"])


@exq.test("an approval is on disk before its command runs")
def before_run():
    ws = exq.Workspace(shell="allow")
    session = ws.start()
    session.send({"id": 1, "name": "shell", "arguments": {"command": "echo > up; sleep 99970"}})
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    kinds = [event["type"] for event in ws.events()]
    exq.check(kinds.index("ruled") < kinds.index("launching") < len(kinds), kinds)
    session.kill()
    exq.gone("sleep 99970")


@exq.test("a decision that the disk does not take starts nothing")
def not_durable():
    ws = exq.Workspace()
    tool = exq.need_program("strace")
    trace = ws.path("trace")
    line = b'{"name":"shell","arguments":{"command":"touch ran"}}\n'
    broken = ws.popen([tool, "-o", trace, "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO", ws.program(), "--headless"],
                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = broken.communicate(line, timeout=60)
    with open(trace, encoding="utf-8") as file:
        exq.has(file.read(), "INJECTED")
    exq.has(out.decode() + err.decode(), '"reason":"audit_unavailable"')
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


exq.main()
