"""Landlock without namespaces, for machines that refuse them: chosen only there and only where the configuration accepts it, and
all that stays open is said on the card before approval."""

import ctypes
import json
import os
import signal
import subprocess

import exq
from attack_less import CHANGED, MODES, NAMESPACES, PROCESSES, SEEN, left_open, wrong_flat
from attack_probe_run import FAMILIES, refusing, run_inside
from exq_space import encode, request
from exq_users import name_user

LIBC = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, EXCHANGE = -100, 2
PARTIAL = {"exequatur": {"accept_partial": True, "auto_order": ["landlock", "bubblewrap"]}}
BOTH = {"user": exq.USERS}
PREFIX = "/tmp/exequatur-run-"

LANDLOCK_CREATE, VERSION, ABI_SCOPE = 444, 1, 6


def flat(user, words=("user",), shell="allow", sections=None, env=None, backend=None):
    """(workspace, what goes before its programs) on a machine without user namespaces."""
    ws = exq.Workspace(user=user, shell=shell, sections=PARTIAL, env=env, backend=backend)
    ws.configure(sections or {})
    return ws, refusing(ws, words)[0]


def run(ws, before, lines, *arguments):
    """Answers of a headless run."""
    process = ws.popen([*before, ws.program(), "--headless", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    out, err = process.communicate(encode(lines), timeout=exq.WATCHDOG)
    exq.equal(process.returncode, 0, err.decode())
    return [json.loads(line) for line in out.splitlines()]


def call(ws, before, command, **arguments):
    """One answer."""
    answers = run(ws, before, [request(command, **arguments)])
    exq.equal(len(answers), 1)
    return answers[0]


def card(ws):
    """(the last card, its facts as one text)."""
    last = ws.events("card")[-1]["card"]
    lines = [line for fact in last["facts"] for line in fact["lines"]]
    return last, "\n".join("".join(text for _kind, text in line) for line in lines)


def left(ws):
    """Private directories of the workspace's sessions that are there."""
    begin = [PREFIX + event["session"] for event in ws.events("session_start")]
    return [name for name in os.listdir("/tmp") if os.path.join("/tmp", name).startswith(tuple(begin))]


_probe = {}


def probed(user):
    """One run of all attacks."""
    if user not in _probe:
        _probe[user] = run_inside("landlock", user, FAMILIES, sections=PARTIAL, refuse=["user"], timeout=50)
    return _probe[user]


@exq.test("every attack is held, or named on the card as open", **BOTH)
def held(user):
    answers, came, changed, answer = probed(user)
    exq.equal((wrong_flat(answers, user), came), ({}, []))
    exq.equal([os.path.basename(path) for path in changed], CHANGED, "what was changed outside")
    exq.equal(answer["backend"], "landlock")


@exq.test("what is named as open is open: nothing is said for nothing", **BOTH)
def named_is_open(user):
    answers = probed(user)[0]
    exq.equal([name for name in left_open(user) if answers[name] != "done"], [])


@exq.test("the card says what stays open, and that git is not guarded", **BOTH)
def words(user):
    ws, before = flat(user)
    ws.mkdir("repo/.git/hooks")
    ws.write("repo/.git/HEAD", "ref: refs/heads/main\n")
    exq.equal(call(ws, before, "true")["success"], True)
    last, text = card(ws)
    exq.equal(last["sandbox"], "part")
    for words_of in set(left_open("root").values()):
        exq.has(text, words_of)
    exq.has(text, "root's files: the system" if user == "root" else "the user's files outside")
    exq.has(text, "user namespaces are refused" if "user namespaces are refused" in text else "nothing in the list holds in full")
    exq.has(text, "!outside in part, !network cut once, !processes visible, memory apart, !host name shared")
    exq.has(text, "!git hooks writable")
    exq.has(text, "HOME and TMPDIR are made for the run in " + PREFIX)
    exq.has(json.dumps(ws.events("card")[-1]), "!size of HOME and TMPDIR not held without namespaces")


@exq.test("a change of git's hooks is noticed where it is not prevented", **BOTH)
def git(user):
    ws, before = flat(user)
    ws.mkdir("repo/.git/hooks")
    ws.write("repo/.git/HEAD", "ref: refs/heads/main\n")
    answer = call(ws, before, "echo x > repo/.git/hooks/pre-commit")
    exq.has(answer["notes"], "git_metadata_changed")


# --- chosen only there --------------------------------------------------------------------------------------------------

@exq.test("without accept_partial nothing runs, by name ({backend})", backend=[None, "landlock"], **BOTH)
def not_accepted(backend, user):
    ws, before = flat(user, backend=backend, sections={"exequatur": {"accept_partial": False}})
    answer = call(ws, before, "touch ran")
    exq.equal(answer["reason"], "sandbox_unavailable" if backend else "no_sandbox_available", answer)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


@exq.test("named, it is taken as well, and says so", **BOTH)
def named(user):
    ws, before = flat(user, backend="landlock")
    answer = call(ws, before, "echo $TMPDIR")
    exq.check(answer["output"].startswith(PREFIX), answer)
    exq.has(card(ws)[1], NAMESPACES + ", set in the configuration")


@exq.test("where namespaces can be made they are used, accepted or not", **BOTH)
def full(user):
    ws = exq.Workspace(user=user, sections=PARTIAL)
    exq.equal(ws.call("echo $HOME; test -z \"$TMPDIR\" && echo none")["output"], f"{ws.home}\nnone\n")
    exq.equal(card(ws)[0]["sandbox"], "holds")


@exq.test("every backend that holds in full comes first", user=["ordinary"])
def last_of_all(user):
    exq.need_program("firejail")
    if "root" not in exq.USERS:
        exq.skip("needs root, to refuse namespaces and keep the set-user-ID bit of firejail")
    ws = exq.Workspace(user=user, sections={"exequatur": {"accept_partial": True}})
    name_user(ws.uid, ws.home)
    before, more = refusing(ws, ["user"], setuid=True)
    process = ws.popen([*before, ws.program(), "--headless"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **more)
    out, _err = process.communicate(encode([request("true")]), timeout=exq.WATCHDOG)
    exq.equal(json.loads(out)["backend"], "firejail", out)


@exq.test("without {words} namespaces, which nothing stands in for, it is the same", words=["mnt", "pid", "ipc"])
def other_namespaces(words):
    ws, before = flat("ordinary", words=[words])
    answer = call(ws, before, "echo $TMPDIR")
    # bubblewrap makes its own with no word from us: what it is refused it says itself
    exq.equal((answer["backend"], answer["output"].startswith(PREFIX)), ("landlock", True), answer)


@exq.test("a user namespace in which nothing is allowed counts as none", **BOTH)
def powerless(user):
    ws, before = flat(user, words=["powerless"])
    answer = call(ws, before, "echo $TMPDIR")
    exq.check(answer["output"].startswith(PREFIX), answer)


REFUSED = {
    "the network is granted": ({"network": True}, {"security.sandbox.bubblewrap": {"allow_network": True}}, "sockets? of the host"),
    "a read-only place lies inside the workspace": ({}, None, "lies inside a writable place"),
}


@exq.test("refused by name where {what}", what=list(REFUSED), **BOTH)
def refused(what, user):
    arguments, sections, words_of = REFUSED[what]
    ws, before = flat(user)
    sections = sections or {"security.sandbox.bubblewrap": {"readonly_paths": [ws.mkdir("vendor")]}}
    ws.configure(sections)
    answer = call(ws, before, "touch ran", **arguments)
    exq.equal(answer["reason"], "no_sandbox_available", answer)
    exq.matches(answer["error"], words_of)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


@exq.test("the console proves it at start, and a person reads what stays open before the answer")
def console():
    exq.need_program("tmux")
    ws, before = flat("ordinary", shell="supervised")
    term = exq.Tmux(ws)
    term.start(requests=[request("echo $TMPDIR", id=1)], before=" ".join(before) + " ")
    term.wait("#1")
    term.keys("Enter")
    term.wait("sandbox !PARTIAL")
    for line in (NAMESPACES, MODES, SEEN, PROCESSES):
        exq.has(term.capture(), line)
    term.approve()
    answer = term.answers(1)[0]
    exq.check(answer["output"].startswith(PREFIX) and answer["notes"] == [], answer)


# --- the end ------------------------------------------------------------------------------------------------------------

DAEMON = ("/usr/bin/python3 -c 'import os, signal\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
          "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\nos.closerange(0, 3)\n"
          "open(\"up\", \"w\").close()\nos.execv(\"/bin/sleep\", [\"sleep\", \"99840\"])'; until [ -e up ]; do :; done")


@exq.test("a daemon ends with its shell", **BOTH)
def daemon(user):
    ws, before = flat(user)
    answer = call(ws, before, DAEMON + "; echo hi")
    exq.equal((answer["output"], answer["success"]), ("hi\n", True), answer)
    exq.has(answer["notes"], "background_ended")
    exq.equal((exq.find("sleep 99840"), left(ws)), ([], []))


@exq.test("who ignores SIGTERM is killed after the grace", **BOTH)
def stubborn(user):
    ws, before = flat(user, sections={"exequatur": {"kill_grace_seconds": 1}})
    answer = call(ws, before, "trap '' TERM; echo armed; (setsid sleep 99841 &); while :; do sleep 1; done", timeout=1)
    exq.equal((answer["reason"], answer["output"], answer["signal"]), ("timeout", "armed\n", signal.SIGKILL), answer)
    exq.equal((exq.find("sleep 99841"), left(ws)), ([], []))


KILLED = {"the console": (True, False), "the supervisor": (False, True), "both": (True, True)}


@exq.test("nothing outlives a SIGKILL of {who}, whatever it does to its launcher", who=list(KILLED), **BOTH)
def killed(who, user):
    console, supervisor = KILLED[who]
    ws, before = flat(user)
    process = ws.popen([*before, ws.program(), "--headless"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL)
    command = ("trap '' TERM; for i in 1 2 3; do (trap '' TERM; setsid sleep 99842) & done; kill -9 $PPID; kill -STOP $PPID; "
               "echo > up; while :; do kill -STOP $PPID; sleep 99842; done")
    process.stdin.write(encode([request("true", id=1), request(command, id=2)]))
    process.stdin.flush()
    exq.wait_for(lambda: os.path.exists(ws.path("up")) and len(exq.find("sleep 99842")) >= 4, what="the command")
    shell = [proc for proc in exq.find("99842") if proc.argv[0] == "sh"][0]
    above = {proc.pid: proc for proc in exq.descendants(process.pid)}
    holder = above[above[shell.pid].parent].parent  # of the launcher
    if supervisor and console:
        process.send_signal(signal.SIGSTOP)
    if supervisor:
        above[holder].kill()
    if console:
        process.kill()
    exq.gone("sleep 99842")
    if console:
        process.wait()
        if supervisor:
            exq.check(left(ws), "who removed the private directory?")
        else:
            exq.wait_for(lambda: not left(ws), what="the end of the private directory")
        exq.equal(call(ws, before, "true")["success"], True)
    else:
        process.communicate(timeout=exq.WATCHDOG)
    exq.equal(left(ws), [], "the private directory")


# --- limits -------------------------------------------------------------------------------------------------------------

@exq.test("memory is held for the whole tree", **BOTH)
def memory(user):
    ws, before = flat(user, sections={"security.resources": {"max_memory_mb": 160}})
    hog = "/usr/bin/python3 -c 'b=bytearray(70<<20);import signal;signal.pause()'"
    answer = call(ws, before, f"for i in 1 2 3 4; do setsid {hog} & done; wait; echo survived")
    exq.equal((answer["reason"], answer["output"]), ("memory_limit", ""), answer)
    exq.check(ws.events("ended")[0]["memory_peak"] >= 160 << 20, ws.events("ended"))


MANY = "for i in $(seq 30); do sleep 99843 & done; touch ran; wait; sleep 600"


@exq.test("never more than ten live", **BOTH)
def processes(user):
    ws, before = flat(user)
    answer = call(ws, before, MANY)
    exq.equal((answer["reason"], exq.find("sleep 99843")), ("process_limit", []), answer)


@exq.test("where no call can ask the supervisor they are watched, or all is refused where signals would have to ask", **BOTH)
def watched(user):
    ws, before = flat(user, words=["user", "listener"])
    answer = call(ws, before, MANY)
    if LIBC.syscall(LANDLOCK_CREATE, None, 0, VERSION) >= ABI_SCOPE:
        exq.equal((answer["reason"], exq.find("sleep 99843")), ("process_limit", []), answer)
        exq.has(json.dumps(ws.events("card")), "!processes 10 watched, may pass for 20 ms")
    else:
        exq.equal((answer["reason"], os.path.exists(ws.path("ran"))), ("no_sandbox_available", False), answer)
        exq.has(answer["error"], "processes outside could be signalled")


@exq.test("`run` passes standard input and what the command ends with", **BOTH)
def run_call(user):
    ws, before = flat(user)
    for command, status, output in (("cat; exit 42", 42, "in\n"), ("kill -SEGV $$", 139, ""), ("kill -TERM 0", 143, "")):
        process = ws.popen([*before, ws.program(), "run", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
        out, _err = process.communicate(b"in\n", timeout=exq.WATCHDOG)
        exq.equal((process.returncode, out.decode()), (status, output), command)


def exchange(first, second):
    """Two names become each other's."""
    exq.equal(LIBC.renameat2(AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second), EXCHANGE), 0)


@exq.test("a directory that is swapped while it starts is never written to instead")
def swapped():
    ws, before = flat("ordinary", backend="landlock")
    place, evil = ws.mkdir(f"{ws.dir}/flip/listed"), ws.mkdir(f"{ws.dir}/flip/evil")
    os.chown(f"{ws.dir}/flip", ws.uid, ws.gid)
    ws.configure({"security.sandbox.bubblewrap": {"writable_paths": [place]}})
    process = ws.popen([*before, ws.program(), "--headless"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    ran = 0
    for number in range(60):
        process.stdin.write(encode([request(f"echo x > {place}/f{number}")]))
        process.stdin.flush()
        for _ in range(20):
            exchange(place, evil)
            exchange(place, evil)
        ran += json.loads(process.stdout.readline())["success"]
    process.stdin.close()
    process.wait()
    exq.equal(os.listdir(evil), [])
    exq.check(ran, "nothing ran")


exq.main()
