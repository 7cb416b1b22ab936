"""Runs in the machine: control groups of version 2, with a part that belongs to the ordinary user as systemd hands it out."""

import contextlib
import json
import os

import exq
from exq_space import encode, request

GROUPS = "/sys/fs/cgroup"
USER = f"{GROUPS}/user.slice/user-65534.slice/user@65534.service"
BACKENDS = [*exq.BACKENDS, "none"]
CONTROL = ("cgroup.procs", "cgroup.threads", "cgroup.subtree_control")


def space(backend, user, **resources):
    """A workspace whose limits are these."""
    env = {"EXEQUATUR_ALLOW_UNSANDBOXED": "1"} if backend == "none" else {}
    return exq.Workspace(backend=backend, user=user, env=env, sections={"security.resources": resources})


def group_of(pid):
    """The directory of the group that a process is in."""
    with open(f"/proc/{pid}/cgroup", encoding="ascii") as file:
        return GROUPS + file.read().strip().partition("::")[2]


def read(directory, name):
    """A file of a group."""
    with open(os.path.join(directory, name), encoding="ascii") as file:
        return file.read().strip()


def write(directory, name, text):
    """Writes to a file of a group."""
    with open(os.path.join(directory, name), "w", encoding="ascii") as file:
        file.write(text)


@contextlib.contextmanager
def made(*paths, uid=0, control=None):
    """Groups of this user, gone afterwards with what a console made in them; the first hands these controllers down."""
    for path in paths:
        os.mkdir(path)
        for name in ("", *CONTROL):
            os.chown(os.path.join(path, name), uid, uid)
    if control:
        write(paths[0], "cgroup.subtree_control", control)
    try:
        yield paths[-1]
    finally:
        for path in reversed(paths):
            for root, _dirs, _files in os.walk(path, topdown=False):
                exq.wait_for(lambda left=root: not read(left, "cgroup.procs"), what=f"nobody in {root}")
                os.rmdir(root)


@contextlib.contextmanager
def inside(group):
    """We, and what we start, are in this group."""
    own = group_of(os.getpid())
    write(group, "cgroup.procs", "0")
    try:
        yield
    finally:
        write(own, "cgroup.procs", "0")


def running(ws, command):
    """A session that runs the command `sleep N`, and the process."""
    session = ws.start()
    session.send(request(command))
    return session, exq.wait_for(lambda: [proc for proc in exq.find("sleep 99") if proc.argv[0] == "sleep"], what="the command")[0]


@exq.test("a command has a group with its limits, and all of it is in there but the supervisor ({backend}, {user})",
          backend=BACKENDS, user=["ordinary"])
@exq.test("a command has a group with its limits, and all of it is in there but the supervisor ({backend}, {user})",
          backend=["landlock"], user=["root"])
def group(backend, user):
    ws = space(backend, user, max_memory_mb=200, max_cpu_percent=50)
    session, sleeper = running(ws, "sleep 99701; true")
    directory = group_of(sleeper.pid)
    exq.matches(directory, r"/app\.slice/exequatur-\d+-\d+-\d+$")
    limits = {name: read(directory, name) for name in ("memory.max", "memory.swap.max", "memory.oom.group", "cpu.max")}
    exq.equal(limits, {"memory.max": str(200 << 20), "memory.swap.max": "0", "memory.oom.group": "1",
                       "cpu.max": f"{os.cpu_count() * 50000} 100000"})
    outside = [proc.argv[0] for proc in exq.descendants(session.pid) if group_of(proc.pid) != directory]
    exq.equal([os.path.basename(name) for name in outside], ["exequatur-supervisor"])
    card = json.dumps(ws.events("card"))
    exq.has(card, "memory 200 MB cgroup")
    exq.has(card, "CPU 50 % cgroup")
    session.kill()
    exq.wait_for(lambda: not os.path.exists(directory), what=f"the end of {directory}")


@exq.test("daemons that ignore SIGTERM end with their group", backend=["landlock", "none"], user=["ordinary"])
def daemons(backend, user):
    ws = space(backend, user, max_subprocesses=40)
    answer = ws.call("for i in 1 2 3 4 5 6 7 8 9 10; do setsid sh -c 'trap \"\" TERM; sleep 99702; sleep 99702' & done; wait", timeout=2)
    exq.equal((answer["reason"], exq.find("sleep 99702")), ("timeout", []), answer)


@exq.test("the group of a supervisor that was killed is taken away by the next", user=exq.USERS)
def left(user):
    ws = space("landlock", user)
    # Apart from what else runs: any console would take it away.
    with made(f"{USER}/left.slice", f"{USER}/left.slice/a.scope", uid=ws.uid, control="+memory +cpu") as scope, inside(scope):
        session, sleeper = running(ws, "sleep 99703; true")
        directory = group_of(sleeper.pid)
        exq.equal(os.path.dirname(directory), os.path.dirname(scope))
        [supervisor] = [proc for proc in exq.descendants(session.pid) if "exequatur-supervisor" in proc.argv[0]]
        supervisor.kill()
        exq.equal(session.answer()["reason"], "supervisor_lost")
        exq.equal((exq.find("sleep 99703"), os.path.exists(directory)), ([], True))
        session.close()
        exq.equal(ws.call("true")["reason"], None)
        exq.check(not os.path.exists(directory), f"{directory} is left")


@exq.test("a console that is alone in its group makes room for groups below it, once")
def alone():
    ws = space("landlock", "ordinary", max_memory_mb=160)
    with made(f"{GROUPS}/user.slice/alone.scope", uid=ws.uid) as scope:
        enter = f'echo 0 > {scope}/cgroup.procs; exec setpriv --reuid={ws.uid} --regid={ws.gid} --clear-groups "$@"'
        process = ws.popen(["/bin/sh", "-c", enter, "sh", ws.program(), "--headless"], stdin=-1, stdout=-1, stderr=-1, user=0, group=0)
        out, _err = process.communicate(encode([request("cat /proc/self/cgroup")] * 2), timeout=exq.WATCHDOG)
        exq.equal(len(out.splitlines()), 2)
        for line in out.splitlines():
            exq.matches(json.loads(line)["output"], r"/alone\.scope/exequatur-\d+-\d+-\d+\n$")
        exq.has(json.dumps(ws.events("card")), "memory 160 MB cgroup")
        exq.equal(sorted(name for _root, dirs, _files in os.walk(scope) for name in dirs), ["exequatur-console"])


@exq.test("where nothing is handed down memory is sampled, and held")
def nothing_handed_down():
    ws = space("landlock", "ordinary", max_memory_mb=160)
    with made(f"{GROUPS}/user.slice/session-1.scope") as scope, inside(scope):
        answer = ws.call("exec /usr/bin/python3 -c 'b = bytearray(300 << 20)'")
        exq.equal(answer["reason"], "memory_limit", answer)
        card = json.dumps(ws.events("card"))
        exq.has(card, "!memory 160 MB sampled")
        exq.has(card, "CPU 80 % supervisor")


@exq.test("where memory alone is handed down the supervisor holds the CPU share", user=exq.USERS)
def memory_alone(user):
    ws = space("landlock", user, max_memory_mb=160)
    with made(f"{USER}/part.slice", f"{USER}/part.slice/a.scope", uid=ws.uid, control="+memory") as scope, inside(scope):
        answer = ws.call("exec /usr/bin/python3 -c 'b = bytearray(300 << 20)'")
        exq.equal(answer["reason"], "memory_limit", answer)
        card = json.dumps(ws.events("card"))
        exq.has(card, "memory 160 MB cgroup")
        exq.has(card, "CPU 80 % supervisor")


@exq.test("the cache of a large file is no use of memory")
def cache():
    ws = space("landlock", "ordinary", max_memory_mb=100)
    answer = ws.call("head -c 150000000 /dev/zero > large && cat large large | wc -c; rm large")
    exq.equal((answer["output"], answer["reason"]), ("300000000\n", None), answer)
    exq.check(ws.events("ended")[0]["memory_peak"] < 50 << 20, ws.events("ended")[0])


exq.main()
