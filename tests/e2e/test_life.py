"""How a call ends and what is left of it: nothing, whoever is killed and whatever the command does."""

import json
import os
import signal
import subprocess
import time

import exq
from exq_space import request

ROWS = {"backend": exq.BACKENDS, "user": exq.USERS}
ENDED = "background_ended"
MANY = {"security.resources": {"max_subprocesses": 1000}}

# A child that left its session and its parent, ignores what it can, and keeps or closes the pipe.
DAEMON = ("/usr/bin/python3 -c 'import os, signal\n"
          "if os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
          "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n"
          "{close}open(\"up\", \"w\").close()\nos.execv(\"/bin/sleep\", [\"sleep\", \"{mark}\"])'; until [ -e up ]; do :; done")
CLOSE = "os.closerange(0, 3); "


def run_text(command, mark, close=False):
    """The command of a daemon."""
    return command.format(mark=mark, close=CLOSE if close else "")


def timed(ws, command, **arguments):
    """(answer, seconds)"""
    begin = time.monotonic()
    answer = ws.call(command, **arguments)
    return answer, time.monotonic() - begin


BACKGROUND = {
    "a background child that holds the pipe": "sleep 99820 & echo hi",
    "a background child with its own descriptors": "sleep 99820 </dev/null >/dev/null 2>&1 & echo hi",
    "a child in a session of its own": "setsid sleep 99820 & echo hi",
    "a child in a session of its own, without the pipe": "setsid sleep 99820 >/dev/null 2>&1 & echo hi",
    "a daemon that holds the pipe": run_text(DAEMON, 99820) + "; echo hi",
    "a daemon without the pipe": run_text(DAEMON, 99820, close=True) + "; echo hi",
    "a child that ignores every signal": "(trap '' TERM INT HUP; sleep 99820; sleep 99820) & echo hi",
    "a child that is stopped": "sleep 99820 & kill -STOP $!; echo hi",
    "fifty children": "for i in $(seq 50); do sleep 99820 & done; echo hi",
    "fifty daemons": "for i in $(seq 50); do setsid sleep 99820 >/dev/null 2>&1 & done; echo hi",
    "children that fork on": "f() { sleep 99820 & sleep 0.01; f & }; f & echo hi; sleep 0.1",
}


def run_background(backend, user):
    """Every command by one console, each in a directory of its own: its answer, what was left when it came, and seconds."""
    ws = exq.Workspace(backend=backend, user=user, sections=MANY)
    session = ws.start()
    results = {}
    for number, what in enumerate(BACKGROUND):
        begin = time.monotonic()
        answer = session.call(BACKGROUND[what], working_dir=ws.mkdir(f"d{number}"))
        results[what] = answer, exq.find("sleep 99820"), time.monotonic() - begin
    session.close_input()
    exq.equal(session.wait(), 0)
    return results


@exq.test("ended with the answer: {what}", what=list(BACKGROUND), **ROWS)
def background(what, backend, user):
    answer, left, seconds = exq.once((backend, user), lambda: run_background(backend, user))[what]
    exq.equal((answer["output"], answer["success"], answer["reason"]), ("hi\n", True, None), answer)
    exq.has(answer["notes"], ENDED)
    exq.equal(left, [], "left")
    exq.check(seconds < 20, f"{seconds} s")


@exq.test("a command without background says nothing of it and adds nothing to its output", **ROWS)
def quiet(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    answer = ws.call("true")
    exq.equal((answer["output"], answer["output_bytes"], set(answer["notes"])), ("", 0, set()))
    done = ws.exequatur("run", "printf 'a\\0b'; printf c >&2")
    exq.equal((done.stdout, done.returncode), (b"a\0bc", 0), done.stderr.decode())
    exq.equal(ws.exequatur("run", "true").stdout, b"")


@exq.test("its own timeout ends a tree that ignores SIGTERM, and all that it said is kept", **ROWS)
def stubborn(backend, user):
    ws = exq.Workspace(backend=backend, user=user, sections={"exequatur": {"kill_grace_seconds": 1}})
    answer, seconds = timed(ws, "trap '' TERM INT HUP; echo armed; (setsid sleep 99821 & sleep 99821 & wait); while :; do sleep 99821; done",
                            timeout=1)
    exq.equal((answer["reason"], answer["success"], answer["output"]), ("timeout", False, "armed\n"), answer)
    exq.equal(answer["signal"], signal.SIGKILL, answer)
    exq.equal(exq.find("sleep 99821"), [])
    exq.check(2 <= seconds < 20, f"{seconds} s")


@exq.test("the handler of SIGTERM runs, its output is kept, and it is a timeout all the same (H037)", backend=exq.EVERY)
def handler(backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    answer = ws.call("trap 'echo got-term; exit 0' TERM; echo up; while :; do :; done", timeout=1)
    exq.equal((answer["output"], answer["reason"], answer["success"], answer["exit_code"]), ("up\ngot-term\n", "timeout", False, 0))
    exq.check(answer["duration_ms"] < 3000, answer)


@exq.test("SIGTERM reaches every process of the tree, also one that is stopped or in another session", backend=exq.EVERY)
def whole_tree(backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    child = "sh -c 'trap \"echo term-{0}; exit\" TERM; echo up-{0}; while :; do sleep 0.05; done'"
    answer = ws.call(f"{child.format(1)} & setsid {child.format(2)} & {child.format(3)} & p=$!\n"
                     "trap 'wait; wait; exit' TERM; sleep 0.3; kill -STOP $p; wait; wait; wait", timeout=1)
    exq.equal(sorted(line for line in answer["output"].split() if line.startswith("term")), ["term-1", "term-2", "term-3"], answer)


KILLED = {"the console": (True, False), "the supervisor": (False, True), "both": (True, True)}


@exq.test("nothing outlives a SIGKILL of {who}: a daemon, a stopped child, one that ignores signals", who=list(KILLED), **ROWS)
def killed(who, backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    session = ws.start()
    session.send(request(f"trap '' TERM HUP; {run_text(DAEMON, 99822)}; sleep 99822 & sleep 99822 & kill -STOP $!; setsid sleep 99822 & "
                         "echo > ready; wait"))
    exq.wait_for(lambda: os.path.exists(ws.path("ready")) and len(exq.find("sleep 99822")) >= 4, what="the command")
    everything = [proc for proc in exq.descendants(session.pid)]
    supervisors = [proc for proc in everything if proc.parent == session.pid]
    exq.equal(len(supervisors), 1, "children of the console")
    console, supervisor = KILLED[who]
    if console and supervisor:
        session.kill(signal.SIGSTOP)
    if supervisor:
        supervisors[0].kill()
    if console:
        session.kill()
    exq.wait_for(lambda: not any(proc.alive() for proc in everything), 10, what="the end of the tree")
    if not console:
        answer = session.answer()
        exq.equal((answer["reason"], answer["success"]), ("supervisor_lost", False), answer)
        exq.equal(session.call("echo next")["output"], "next\n")
        session.close_input()
        exq.equal(session.wait(), 0)


@exq.test("the launcher and the wrapper cannot be ended from inside", backend=exq.EVERY, user=exq.USERS)
def from_inside(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    answer = ws.call("kill -9 1; kill -STOP 1; kill -TERM 1; kill -CONT 1; echo still; exit 3")
    exq.equal((answer["output"].split("\n")[-2], answer["exit_code"]), ("still", 3), answer)


@exq.test("a deadline passes while the console is stopped", backend=exq.EVERY)
def stopped_console(backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    session = ws.start()
    session.send(request("echo > up; setsid sleep 99823 & sleep 99823", timeout=1))
    exq.wait_for(lambda: os.path.exists(ws.path("up")) and len(exq.find("sleep 99823")) >= 2, what="the command")
    session.kill(signal.SIGSTOP)
    exq.gone("sleep 99823", 30)
    session.kill(signal.SIGCONT)
    exq.equal(session.answer()["reason"], "timeout")
    session.close_input()
    exq.equal(session.wait(), 0)


@exq.test("a reader that goes away ends `run`, with 141", **ROWS)
def reader_gone(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    process = ws.popen([ws.program(), "run", "while :; do echo line; done & sleep 99824"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    exq.has(process.stdout.readline().decode(), "line")
    process.stdout.close()
    exq.wait_for(lambda: process.poll() is not None, 30, what="the end of run")
    exq.equal(process.returncode, 128 + signal.SIGPIPE, process.stderr.read().decode())
    exq.equal(exq.find("99824"), [])


@exq.test("a signal to `run` ends the tree and is its status: {number}", number=[signal.SIGTERM, signal.SIGINT, signal.SIGHUP],
          backend=exq.BACKENDS)
def run_signalled(number, backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    process = ws.popen([ws.program(), "run", "trap 'echo got; exit' TERM; echo > up; sleep 99825 & wait"], stdout=-1, stderr=-1)
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    exq.equal((out, process.returncode), (b"got\n", 130 if number == signal.SIGINT else 128 + number), err.decode())
    exq.equal(exq.find("99825"), [])


@exq.test("exit status {code} comes through `run` and the answer as it is", code=[0, 1, 42, 124, 125, 126, 127, 130, 137, 255], backend=exq.BACKENDS)
def exit_codes(code, backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    exq.equal(ws.exequatur("run", f"exit {code}").returncode, code)
    answer = ws.call(f"exit {code}")
    exq.equal((answer["exit_code"], answer["signal"], answer["success"]), (code, None, code == 0), answer)


@exq.test("a signal of the command is told apart: {number}", number=[signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGPIPE],
          backend=exq.EVERY)
def signals(number, backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    answer = ws.call(f"kill -{int(number)} $$")
    exq.equal((answer["exit_code"], answer["signal"], answer["reason"]), (None, number, "signaled"), answer)
    exq.equal(ws.exequatur("run", f"kill -{int(number)} $$").returncode, 128 + number)


@exq.test("dispositions and mask are the default ones, whatever the console had", backend=exq.EVERY, user=exq.USERS)
def dispositions(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    lines = b'{"name":"shell","arguments":{"command":"grep -E ^Sig.*: /proc/self/status; umask; ulimit -c; ps -o stat= -p $$ || :"}}\n'
    process = ws.popen(["/bin/sh", "-c", f"trap '' TERM INT USR1 PIPE; umask 077; exec {ws.program()} --headless"], stdin=-1, stdout=-1, stderr=-1)
    out, err = process.communicate(lines, timeout=60)
    exq.has(out.decode(), "SigIgn:\\t0000000000000000")
    exq.has(out.decode(), "SigBlk:\\t0000000000000000")
    exq.has(out.decode(), "\\n0022\\n0\\n")


@exq.test("ten unrelated processes survive, and no signal goes to a pid of 1 or below (H038)", backend=exq.BACKENDS)
def unrelated(backend):
    strace = exq.need_program("strace")
    ws = exq.Workspace(backend=backend, user="root" if os.getuid() == 0 else None)
    others = [ws.popen(["/bin/sleep", "99826"]) for _ in range(10)]
    trace = os.path.join(ws.dir, "trace")
    process = ws.popen([strace, "-f", "-qq", "-o", trace, "-e", "trace=kill,tkill,tgkill,pidfd_open,pidfd_send_signal,execve,execveat", "-e",
                        "signal=none", ws.program(), "run", "--timeout", "1", "trap '' TERM; setsid sleep 99827 & sleep 99827"], stdout=-1, stderr=-1)
    out, err = process.communicate(timeout=100)
    exq.equal(process.returncode, 124, err.decode())
    with open(trace, encoding="utf-8", errors="replace") as file:
        calls = file.read()
    exq.has(calls, "pidfd_send_signal(")
    exq.check("kill(" not in calls, [line for line in calls.splitlines() if "kill(" in line])
    exq.check("/kill" not in calls, "a program that kills was started")
    exq.equal([other.poll() for other in others], [None] * 10)
    exq.equal(exq.find("99827"), [])


# --- limits -------------------------------------------------------------------------------------------------------------

@exq.test("the wall clock holds a busy tree", backend=exq.EVERY)
def wall(backend):
    ws = exq.Workspace(backend=backend, user="ordinary", sections={"security.resources": {"max_cpu_time_seconds": 1}})
    answer, seconds = timed(ws, "for i in 1 2 3; do (while :; do :; done) & done; while :; do :; done")
    exq.equal((answer["reason"], answer["success"]), ("timeout", False), answer)
    exq.check(1 <= seconds < 20, f"{seconds} s")


@exq.test("CPU time of one process is a backstop by its own name", backend=exq.EVERY)
def cpu(backend):
    if len(os.sched_getaffinity(0)) < 2:
        exq.skip("one processor: the wall clock comes first")
    # threads use the processors at once, so that the sum reaches the limit before the wall clock where nothing else runs
    ws = exq.Workspace(backend=backend, user="ordinary", sections={"security.resources": {"max_cpu_time_seconds": 1}})
    answer = ws.call("exec /usr/bin/python3 -c 'import resource; print(resource.getrlimit(resource.RLIMIT_CPU), flush=True); "
                     "import os, signal; os.kill(os.getpid(), signal.SIGXCPU)'")
    cpus = os.cpu_count()
    exq.equal(answer["output"], f"({cpus}, {cpus + 2})\n", answer)
    exq.equal((answer["reason"], answer["signal"]), ("cpu_limit", signal.SIGXCPU), answer)
    exq.equal(ws.exequatur("run", "kill -XCPU $$").returncode, 152)


@exq.test("a file beyond 2 GiB is refused: EFBIG where the signal is ignored, else by name", **ROWS)
def file_size(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    answer = ws.call("/usr/bin/python3 -c 'import os\nfd = os.open(\"big\", os.O_CREAT | os.O_RDWR)\nos.truncate(fd, 2 << 30)\nprint(\"fits\")\n"
                     "for size in ((2 << 30) + 1, 3 << 30):\n try: os.truncate(fd, size)\n except OSError as why: print(why.errno)\n"
                     "try: os.pwrite(fd, b\"x\", 2 << 30)\nexcept OSError as why: print(why.errno)'")
    exq.equal(answer["output"], "fits\n27\n27\n27\n", answer)
    exq.check(os.path.getsize(ws.path("big")) <= 2 << 30, "too large")
    named = ws.call("exec truncate -s 3G other")
    exq.equal((named["reason"], named["signal"], named["success"]), ("file_size_limit", signal.SIGXFSZ, False), named)
    exq.equal(ws.exequatur("run", "exec truncate -s 3G other").returncode, 153)


@exq.test("open files: 256 by default, {more} as configured, and it cannot be raised", more=[32], backend=exq.EVERY, user=exq.USERS)
def files(more, backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    count = "/usr/bin/python3 -c 'import os\nn = 0\ntry:\n while True: os.dup(0); n += 1\nexcept OSError as why: print(n, why.errno)'"
    exq.equal(ws.call(count)["output"], "253 24\n")
    ws.configure({"security.resources": {"max_open_files": more}})
    exq.equal(ws.call(f"ulimit -n 4096 2>/dev/null; {count}")["output"], f"{more - 3} 24\n")


@exq.test("a crash leaves no core file and starts no handler of the host", backend=exq.EVERY, user=exq.USERS)
def core(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    limit = ws.call("/usr/bin/python3 -c 'import resource; print(resource.getrlimit(resource.RLIMIT_CORE))'; ulimit -c unlimited; ulimit -c")
    # one byte is what keeps the kernel from a pipe in core_pattern; where it was zero before, it cannot be raised
    exq.check(limit["output"].startswith("(1, 1)\n" if backend == "docker" else ("(1, 1)\n", "(0, 0)\n")) and "unlimited" not in limit["output"].split("\n")[-2], limit)
    answer = ws.call("sh -c 'kill -SEGV $$'; echo rc=$?")
    exq.has(answer["output"], "rc=139\n")
    exq.equal(os.listdir(ws.work), [])


@exq.test("output beyond the cap is dropped and counted, and does not break the command", backend=exq.EVERY)
def cap(backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    answer = ws.call("head -c 5000000 /dev/zero | tr '\\0' x; echo > done; exit 7")
    exq.equal((answer["exit_code"], answer["truncated"], answer["output_bytes"]), (7, True, 5000000), answer["reason"])
    exq.check(answer["output"].startswith("x" * 1048576) and len(answer["output"]) < 1048576 + 200, len(answer["output"]))
    exq.has(answer["notes"], "output_truncated")
    exq.check(os.path.exists(ws.path("done")), "the command was broken")


@exq.test("private places have their size: /tmp 512 MiB, the others 256 MiB", backend=["landlock", "bubblewrap"], user=exq.USERS)
def sizes(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    answer = ws.call("for d in /tmp /var/tmp /dev/shm /run $HOME/.cache $HOME/.npm; do stat -f -c '%S %b' $d; done")
    sizes_of = [int(a) * int(b) >> 20 for a, b in (line.split() for line in answer["output"].splitlines())]
    exq.equal(sizes_of, [512, 256, 256, 256, 256, 256])


@exq.test("a size that a backend does not hold is said on the card", user=exq.USERS)
def sizes_not_held(user):
    ws = exq.Workspace(backend="firejail", user=user)
    exq.equal(ws.call("true")["success"], True)
    exq.has(json.dumps(ws.events("card")), "!size of /tmp, /var/tmp, /dev/shm and HOME not held by firejail")


exq.main()
