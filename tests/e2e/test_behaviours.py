"""Twenty-eight behaviours that a user finds out sooner or later: an ordinary user with the default settings, in each backend."""

import os
import re
import signal
import subprocess
import time

import exq
from attack_probe_run import expected, run_inside
from exq_space import request

ROWS = {"backend": exq.EVERY}
PYTHON = "/usr/bin/python3"
MARK = "99830"
STUBBORN = f"trap '' TERM INT HUP; (setsid sleep {MARK} & sleep {MARK} & wait) & echo > up; while :; do sleep {MARK}; done"


def space(backend, **more):
    """A workspace of an ordinary user, as the settings are by default."""
    return exq.Workspace(backend=backend, user="ordinary", **more)


def returns(backend, command, **sections):
    """A call that says hi comes back at once, and nobody of it is left."""
    begin = time.monotonic()
    answer = space(backend, sections=sections).call(command)
    exq.equal((answer["output"], answer["success"], exq.find(f"sleep {MARK}")), ("hi\n", True, []), answer)
    exq.check(time.monotonic() - begin < 30, "it waited")


def probed(backend, *names):
    """These attacks were held in the one run of the probe; nothing came to a listener, and nothing was changed."""
    answers, came, changed, _answer = exq.once(backend, lambda: run_inside(backend, "ordinary", ["kernel", "processes", "files", "network"], timeout=50))
    for name in names:
        exq.check(re.fullmatch(expected(backend, name), answers[name]), f"{name}: {answers[name]}")
    exq.equal((came, changed), ([], []))


def started(ws, *arguments):
    """A `run` of a tree that ignores what it can, which is up."""
    process = ws.popen([ws.program(), "run", *arguments, STUBBORN], stdout=-1, stderr=-1)
    exq.wait_for(lambda: os.path.exists(ws.path("up")) and len(exq.find(f"sleep {MARK}")) >= 3, what="the tree")
    return process


@exq.test("1: a child in the background holds nothing up, and does not stay", **ROWS)
def background(backend):
    returns(backend, f"sleep {MARK} & echo hi")


@exq.test("2: a child in a session of its own, with descriptors of its own, does not stay", **ROWS)
def daemon(backend):
    returns(backend, f"setsid sleep {MARK} </dev/null >/dev/null 2>&1 & echo hi")


@exq.test("3: a child in a session of its own that holds the pipe holds nothing up", **ROWS)
def holder(backend):
    returns(backend, f"setsid sleep {MARK} & echo hi")


@exq.test("4: the time limit ends a tree that ignores SIGTERM", **ROWS)
def time_limit(backend):
    answer = space(backend).call(STUBBORN, timeout=1)
    exq.equal((answer["reason"], exq.find(f"sleep {MARK}")), ("timeout", []), answer)


@exq.test("5: SIGTERM to `run` ends such a tree within three seconds", **ROWS)
def terminated(backend):
    process = started(space(backend))
    begin = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    exq.equal((process.returncode, exq.find(f"sleep {MARK}")), (128 + signal.SIGTERM, []))
    exq.check(time.monotonic() - begin < 30, "it took ten times as long as it may")


@exq.test("6: SIGKILL of `run` ends the tree", **ROWS)
def killed(backend):
    process = started(space(backend))
    process.kill()
    process.communicate(timeout=30)
    exq.gone(f"sleep {MARK}")


@exq.test("7: nothing is written in the home directory", **ROWS)
def home(backend):
    ws = space(backend)
    answer = ws.call('(echo x > "$HOME/new") 2>/dev/null && echo written; echo end')
    # firejail makes all of /tmp private, where this home is: it takes the file, and it is gone with the run
    exq.equal(answer["output"], "written\nend\n" if backend == "firejail" else "end\n", answer)
    exq.equal(os.listdir(ws.home), [])


@exq.test("8: the allowed directory can be written", **ROWS)
def workspace(backend):
    ws = space(backend)
    exq.equal(ws.call("echo x > new")["success"], True)
    exq.equal(os.listdir(ws.work), ["new"])


@exq.test("9: the /tmp of the machine is not written", **ROWS)
def tmp(backend):
    probed(backend, "the host's /tmp takes a file")


@exq.test("10: .git/hooks in the allowed directory is not written", **ROWS)
def hooks(backend):
    ws = space(backend)
    process = ws.popen(["git", "init", "-q", ws.path("repo")])
    exq.equal(process.wait(), 0)
    answer = ws.call("(echo x > repo/.git/hooks/pre-commit) 2>/dev/null && echo written; (mv repo/.git repo/g) 2>/dev/null && echo moved; echo end")
    exq.equal((answer["output"], os.path.exists(ws.path("repo/.git/hooks/pre-commit"))), ("end\n", False), answer)


@exq.test("11: keys in ~/.ssh are not read", **ROWS)
def keys(backend):
    probed(backend, "a key in ~/.ssh is read")


@exq.test("12: no TCP connection to 127.0.0.1 of the machine", **ROWS)
def tcp(backend):
    probed(backend, "TCP to the host's 127.0.0.1", "TCP to the host's ::1", "TCP by MSG_FASTOPEN")


@exq.test("13: no UDP packet arrives at 127.0.0.1 of the machine", **ROWS)
def udp(backend):
    probed(backend, "UDP to the host's 127.0.0.1")


@exq.test("14: no abstract socket of the machine is reached", **ROWS)
def abstract(backend):
    probed(backend, "an abstract socket of the host", "an abstract datagram socket of the host")


@exq.test("15: no socket of the machine that has a path is reached", **ROWS)
def path(backend):
    probed(backend, "a socket of the host with a path", "a socket of the host by a long way round")


@exq.test("16: secrets of the environment are not seen", **ROWS)
def secrets(backend):
    probed(backend, "a secret is in an environment that can be read", "a variable beside the nine is set")


@exq.test("17: of fifty sleeps in the background none is left", **ROWS)
def fifty(backend):
    returns(backend, f"for i in $(seq 50); do sleep {MARK} & done; echo hi", **{"security.resources": {"max_subprocesses": 60}})


@exq.test("18: processes are limited by default", **ROWS)
def processes(backend):
    answer = space(backend).call(f"for i in $(seq 40); do sleep {MARK} & done; sleep 0.5; echo all; wait")
    exq.equal((answer["reason"], answer["success"], exq.find(f"sleep {MARK}")), ("process_limit", False, []), answer)
    exq.check("all" not in answer["output"], answer)


@exq.test("19: memory is limited below 1 GB by default", **ROWS)
def memory(backend):
    answer = space(backend).call(f"{PYTHON} -c 'x = bytearray(1000000000); print(len(x))'")
    exq.equal((answer["reason"], answer["success"]), ("memory_limit", False), answer)
    exq.check("1000000000" not in answer["output"], answer)


@exq.test("20: LD_PRELOAD does not reach the command", **ROWS)
def preload(backend):
    ws = space(backend, env={"LD_PRELOAD": "/nonexistent/evil.so"})
    answer = ws.call("env | grep -c PRELOAD; cat /proc/self/environ | grep -c evil; echo end")
    exq.equal(answer["output"], "0\n0\nend\n", answer)


@exq.test("21: no key is put into the terminal of the caller", **ROWS)
def terminal(backend):
    probed(backend, "typing into a terminal", "typing, with a bit above 32", "the controlling terminal is opened")
    ws = space(backend)
    put = "import fcntl, sys, termios; fcntl.ioctl(open(sys.argv[1]), termios.TIOCSTI, b\"y\"); print(\"PUT\")"
    screen = exq.Pty(ws, "run", f"for name in /dev/stdin /dev/stdout /dev/tty /dev/console; do {PYTHON} -c '{put}' $name 2>/dev/null; done; echo end")
    screen.process.stdin.close()
    exq.equal((screen.process.stdout.read(), screen.process.wait()), (b"end\n", 0))


@exq.test("22: no process of the machine is signalled", **ROWS)
def signalled(backend):
    probed(backend, "a process outside is signalled", "a thread outside is signalled", "a process outside is opened by pidfd")


@exq.test("23: no process of the machine is traced", **ROWS)
def traced(backend):
    probed(backend, "a process outside is traced", "memory outside is read", "memory outside is written")


@exq.test("24: no new user namespace is made", **ROWS)
def namespaces(backend):
    probed(backend, "unshare: user", "clone of a new user namespace", "clone3 of a new user namespace")


@exq.test("25: the exit codes 42, 137 and 127 come through as they are", **ROWS)
def codes(backend):
    ws = space(backend)
    exq.equal([ws.exequatur("run", command).returncode for command in ("exit 42", "exit 137", "nonexistent-program")], [42, 137, 127])


@exq.test("26: standard input is passed: a pipe and a file, and to an agent's request nothing", **ROWS)
def standard_input(backend):
    ws = space(backend)
    exq.equal(ws.exequatur("run", "cat", stdin=b"by pipe\n").stdout, b"by pipe\n")
    with open(ws.write("input", "by file\n"), "rb") as file:
        process = ws.popen([ws.program(), "run", "cat"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        exq.equal(process.communicate(timeout=60)[0], b"by file\n")
    answers = ws.headless([request("cat; echo end")])
    exq.equal(answers[0]["output"], "end\n")


@exq.test("27: a descriptor that was left open does not reach the command", **ROWS)
def descriptors(backend):
    probed(backend, "a descriptor beside 0, 1 and 2 is open")


@exq.test("28: nothing is added to what the command wrote", **ROWS)
def output(backend):
    done = space(backend).exequatur("run", "printf 'a\\0b'; printf 'c\\n' >&2; printf d")
    exq.equal((done.stdout, done.returncode), (b"a\0bc\nd", 0), done.stderr.decode())


exq.main()
