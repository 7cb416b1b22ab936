"""The docker backend with a real engine: what a command is answered, that nothing is left, and each way an engine can be missing."""

import fcntl
import json
import os
import re
import signal

import exq
import exq_docker
from attack_probe_run import FAMILIES, expected, run_inside
from exq_engine import done, none_left, space
from exq_space import request

USERS = {"user": exq.USERS}


def keeper_of(session):
    """The supervisor of the one call that runs."""
    children = [proc for proc in exq.descendants(session.pid) if proc.parent == session.pid]
    exq.equal(len(children), 1, "children of the console")
    return children[0]


@exq.test("a command runs in a container: output in order, exit status, directory, user, clean environment", **USERS)
def runs(user):
    ws = space(user, env={"API_KEY": "secret", "TMPDIR": None})
    answer = ws.call("echo out; echo err >&2; pwd; id -u; cat /proc/self/environ | tr '\\0' '\\n' | cut -d= -f1 | sort | tr '\\n' ' '; exit 7")
    done(answer, exit_code=7, reason="exit_status", backend="docker", signal=None,
         output=f"out\nerr\n{ws.work}\n{ws.uid}\nHOME LANG PATH PWD SHELL TERM USER ")
    exq.check("secret" not in json.dumps(ws.events()), "a secret is in the record")
    none_left(ws)


@exq.test("what is written in the workspace is there afterwards and belongs to the user; nothing else can be written", **USERS)
def writes(user):
    ws = space(user)
    answer = ws.call(f"echo x > made; for f in / /usr/x /etc/x {ws.home}/x {ws.outside}/x; do (echo x > $f) 2>/dev/null && echo open $f; done; "
                     "echo y > $HOME/.cache/z && echo z > /tmp/z && echo w > /dev/shm/w && cat /tmp/z")
    done(answer, output="z\n", success=True)
    exq.equal((os.stat(ws.path("made")).st_uid, os.listdir(ws.outside), os.listdir(ws.home)), (ws.uid, [], []))


@exq.test("the image is pinned by its id, the argv on the card is what the engine got, and the card names the engine's limits", **USERS)
def card(user):
    ws = space(user, sections={"security.resources": {"max_memory_mb": 128}, "security.sandbox.docker": {"cpu_limit": "0.5"}})
    exq.equal(ws.call("true")["success"], True)
    shown = ws.events("card")[-1]["card"]
    text = json.dumps(shown)
    image = next(row["Id"] for row in json.loads(ws.engine.ask("GET", "/images/json")) if exq_docker.IMAGE in (row["RepoTags"] or []))
    for part in ("memory 128 MB engine", f"{image[:19]}", image, "--network=none", "--cap-drop=ALL", "--read-only", "--pull=never",
                 "seccomp=/proc/self/fd/", "--memory=134217728", "--cpus=0.50", "--log-driver=none", "--no-healthcheck"):
        exq.has(text, part)
    exq.has(text, "processes 10 watched, may pass for 20 ms")
    exq.check("not held" not in text, text)
    exq.equal(shown["sandbox"], "holds")


@exq.test("the engine holds what the card says, while it runs", **USERS)
def inspected(user):
    ws = space(user)
    session = ws.start()
    session.send(request("echo > up; until test -e go; do sleep 0.05; done"))
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    row = json.loads(ws.engine.ask("GET", f"/containers/{ws.engine.containers(ws.dir)[0]['Id']}/json"))
    ws.write("go")
    exq.equal(session.answer()["success"], True)
    session.close_input()
    exq.equal(session.wait(), 0)
    config, host = row["Config"], row["HostConfig"]
    image = next(one["Id"] for one in json.loads(ws.engine.ask("GET", "/images/json")) if exq_docker.IMAGE in (one["RepoTags"] or []))
    exq.equal((row["Image"], row["Path"], row["Args"], config["User"], config["Healthcheck"]["Test"]),
              (image, "/exequatur-launcher", ["--stream"], f"{ws.uid}:{ws.gid}", ["NONE"]))
    wanted = {"NetworkMode": "none", "ReadonlyRootfs": True, "CapDrop": ["ALL"], "CapAdd": None, "Privileged": False, "Binds": None, "Devices": [],
              "IpcMode": "private", "PidMode": "", "UTSMode": "", "UsernsMode": "", "AutoRemove": False, "Memory": 256 << 20, "MemorySwap": 256 << 20,
              "NanoCpus": 10 ** 9, "PidsLimit": 160, "LogConfig": {"Type": "none", "Config": {}}}
    exq.equal({key: host[key] for key in wanted}, wanted)
    exq.equal({limit["Name"]: (limit["Soft"], limit["Hard"]) for limit in host["Ulimits"]}, {"nofile": (256, 256), "core": (1, 1)})
    mounts = {mount["Target"]: (mount["Source"], mount.get("ReadOnly", False)) for mount in host["Mounts"]}
    exq.equal(mounts, {"/exequatur-launcher": (ws.program("exequatur-launcher"), True), ws.work: (ws.work, False),
                       **{path: (path, True) for path in exq_docker.BOUND}})
    exq.has(host["SecurityOpt"], "no-new-privileges")
    profile = json.loads(next(text for text in host["SecurityOpt"] if text.startswith("seccomp=")).partition("=")[2])
    allowed = {name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" and not rule.get("args") for name in rule["names"]}
    exq.equal((profile["defaultAction"], profile["architectures"]), ("SCMP_ACT_ERRNO", ["SCMP_ARCH_X86_64"]))
    exq.equal(allowed & {"io_uring_setup", "io_uring_enter", "socket", "clone", "clone3", "unshare", "mount", "ptrace", "bpf", "keyctl", "setns"}, set())
    exq.check({"read", "execve", "futex", "landlock_create_ruleset", "seccomp"} <= allowed, allowed)


@exq.test("of what lies about, what dead sessions of this user left is removed, and nothing else")
def left_over():
    ws = space("ordinary")
    boot = open("/proc/sys/kernel/random/boot_id", encoding="ascii").read().strip()
    live = ws.write(f"{ws.dir}/live.jsonl")
    dead = ws.write(f"{ws.dir}/dead.jsonl")
    rows = {  # uid, boot, session, running: is left
        "dead": (ws.uid, boot, dead, False, False), "dead-and-running": (ws.uid, boot, dead, True, False),
        "of-another-boot": (ws.uid, "0" * 36, live, False, False), "live": (ws.uid, boot, live, False, True),
        "of-another-user": (12345, boot, dead, False, True), "of-nobody-known": (ws.uid, boot, f"{ws.dir}/gone.jsonl", True, True),
        "just-made": (ws.uid, boot, "", False, True), "without-labels": (None, None, None, False, True),
    }
    made = {}
    with open(live, encoding="ascii") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for name, (uid, booted, session, running, _left) in rows.items():
            labels = {} if uid is None else {"exequatur.uid": str(uid), "exequatur.boot": booted, "exequatur.session": session}
            body = {"Image": exq_docker.IMAGE, "Cmd": ["/bin/sleep", "1000"], "Labels": labels,
                    "HostConfig": {"NetworkMode": "none", "Binds": ["/usr:/usr:ro"]}}
            made[name] = json.loads(ws.engine.ask("POST", f"/containers/create?name={os.path.basename(ws.dir)}-{name}", json.dumps(body)))["Id"]
            if running:
                ws.engine.ask("POST", f"/containers/{made[name]}/start")
        try:
            exq.equal(ws.call("true")["success"], True)
            there = {row["Id"] for row in json.loads(ws.engine.ask("GET", "/containers/json?all=1"))}
            exq.equal({name: made[name] in there for name in rows}, {name: row[-1] for name, row in rows.items()})
        finally:
            for one in made.values():
                try:
                    ws.engine.ask("DELETE", f"/containers/{one}?force=1")
                except exq.Failure:
                    pass  # removed already


@exq.test("its devices are its own: a change of them changes nothing of the machine")
def devices():
    ws = space()
    names = ["/dev/null", "/dev/zero", "/dev/urandom", "/dev/stdin"]
    answer = ws.call(f"stat -Lc '%d %i' {' '.join(names)}; chmod 600 /dev/null /dev/stdin; stat -c %a /dev/null")
    lines = answer["output"].splitlines()
    exq.equal((len(lines), lines[-1], answer["success"]), (5, "600", True), answer)
    for line in lines[:3]:
        exq.check(all(line != f"{os.stat(name).st_dev} {os.stat(name).st_ino}" for name in names[:3]), line)
    exq.equal(os.stat("/dev/null").st_mode & 0o777, 0o666)


@exq.test("the lower of two limits holds: {keys}", keys=["resources", "docker"])
def lower(keys):
    limits = {"resources": {"security.resources": {"max_memory_mb": 64}, "security.sandbox.docker": {"memory_limit": "256m"}},
              "docker": {"security.resources": {"max_memory_mb": 512}, "security.sandbox.docker": {"memory_limit": "64m"}}}
    ws = space(sections=limits[keys])
    answer = ws.call("/usr/bin/python3 -c 'x = b\"x\" * (200 << 20); print(len(x))'")
    done(answer, reason="memory_limit", success=False)
    exq.has(answer["error"], "64 MB")
    done(ws.call("/usr/bin/python3 -c 'x = b\"x\" * (20 << 20); print(len(x))'"), output="20971520\n", success=True)


@exq.test("more processes than allowed end the call by name; threads are none, and what was used is in the record", **USERS)
def processes(user):
    ws = space(user, sections={"security.resources": {"max_subprocesses": 4}})
    answer = ws.call("for i in 1 2 3; do sleep 99925 & done; echo three; sleep 0.3; for i in 1 2 3; do sleep 99925 & done; wait")
    done(answer, reason="process_limit", output="three\n", success=False)
    exq.has(answer["error"], "more than 4 processes")
    exq.equal(exq.find("99925"), [])
    answer = ws.call("/usr/bin/python3 -c 'import threading\nfor _ in range(40): threading.Thread(target=threading.Event().wait, args=(1.5,)).start()'; "
                     "sleep 0.1 & sleep 0.2 & wait")
    done(answer, success=True, notes=[])
    ended = ws.events("ended")[-1]
    exq.check(1 <= ended["processes_peak"] <= 4 and ended["memory_peak"] > 1 << 20, ended)
    exq.check(ws.events("usage"), "nothing was told while it ran")


@exq.test("operator arguments reach the engine; our own defaults among them do no harm")
def arguments():
    ws = space(sections={"security.sandbox": {"docker_args": ["--network=none", "--read-only", "--domainname=example.test"]}})
    done(ws.call("cat /proc/sys/kernel/domainname"), output="example.test\n", success=True)


@exq.test("after a deadline no container of the run is left (H042)")
def deadline():
    ws = space()
    done(ws.call("sleep 300", timeout=1), reason="timeout", success=False)
    none_left(ws)


@exq.test("a timeout: SIGTERM to the command, its last words, then SIGKILL (H036, H037)", **USERS)
def timeout(user):
    ws = space(user, sections={"exequatur": {"kill_grace_seconds": 1}})
    answer = ws.call("trap 'echo got-term; exit 5' TERM; while :; do sleep 0.1; done", timeout=1)
    done(answer, reason="timeout", exit_code=5, success=False)
    exq.matches(answer["output"], r"^(Terminated\n)?got-term\n$")
    answer = ws.call("setsid sh -c 'trap \"\" TERM; sleep 99921' & trap '' TERM; echo armed; while :; do sleep 1; done", timeout=1)
    done(answer, reason="timeout", output="armed\n", signal=9, exit_code=None)
    exq.equal(exq.find("99921"), [])
    none_left(ws)


@exq.test("a background child is ended with its shell and noted", **USERS)
def background(user):
    ws = space(user)
    answer = ws.call("setsid sleep 99922 >/dev/null 2>&1 & echo hi")
    done(answer, output="hi\n", success=True, notes=["background_ended"])
    exq.equal(exq.find("99922"), [])
    done(ws.call("(sleep 0.3; echo late) & wait"), output="late\n", success=True, notes=[])


@exq.test("output over the limit is drained, counted and cut; its order is exact")
def output():
    ws = space()
    answer = ws.call("seq 400000; echo end >&2")
    exq.equal((answer["truncated"], answer["output_bytes"]), (True, len("".join(f"{n}\n" for n in range(1, 400001))) + 4))
    answer = ws.call("for i in $(seq 2000); do echo $i; echo $i >&2; done")
    exq.equal(answer["output"], "".join(f"{n}\n{n}\n" for n in range(1, 2001)))


@exq.test("`run` passes its input: {size} bytes through a pipe", size=[0, 5, 1000000])
def passed(size):
    ws = space()
    data = (b"0123456789abcde\n" * (size // 16 + 1))[:size]
    result = ws.exequatur("run", "cat; echo end=$?", stdin=data)
    exq.equal((result.returncode, result.stdout == data + b"end=0\n", len(result.stdout)), (0, True, size + 6), result.stderr.decode())
    result = ws.exequatur("run", "head -c 3; exit 4", stdin=data)
    exq.equal((result.returncode, result.stdout), (4, data[:3]), result.stderr.decode())
    none_left(ws)


@exq.test("nothing runs on after a SIGKILL of {who}, and what stands still is removed at the next start",
          who=["the console", "the supervisor", "both"], **USERS)
def killed(who, user):
    ws = space(user)
    session = ws.start()
    session.send(request("setsid sleep 99923 & trap '' TERM; echo > up; sleep 99923"))
    exq.wait_for(lambda: os.path.exists(ws.path("up")) and len(exq.find("sleep 99923")) >= 2, what="the command")
    supervisor = keeper_of(session)
    if who != "the console":
        session.kill(signal.SIGSTOP)
        supervisor.kill()
    if who != "the supervisor":
        session.kill()
    exq.gone("sleep 99923")
    if who == "the supervisor":
        session.kill(signal.SIGCONT)
        done(session.answer(), reason="supervisor_lost", success=False)
        none_left(ws)
        session.close_input()
        session.wait()
    elif who == "the console":
        exq.wait_for(lambda: not ws.engine.containers(ws.dir), what="the end of the container")
    else:
        exq.wait_for(lambda: [row["State"] for row in ws.engine.containers(ws.dir)] == ["exited"], what="a container that stands still")
    exq.equal(ws.call("true")["success"], True)
    none_left(ws)


@exq.test("the container of a live neighbour is left alone by the start of another console", **USERS)
def neighbour(user):
    ws = space(user)
    session = ws.start()
    session.send(request("echo > up; until test -e go; do sleep 0.05; done; echo done"))
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    exq.equal(ws.call("echo other")["output"], "other\n")
    ws.write("go")
    done(session.answer(), output="done\n", success=True)
    session.close_input()
    exq.equal(session.wait(), 0)
    none_left(ws)


def run_until(ws, phase):
    """A `run` in this phase; None when the client, which lives for some milliseconds, was over before it was seen."""
    process = ws.popen([ws.program(), "run", "echo > up; sleep 99924"], stdout=-1, stderr=-1)
    if phase == "running":
        exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
        return process
    seen = exq.wait_for(lambda: "client" if exq.find("create", process.pid) else os.path.exists(ws.path("up")), turn=0, what="a phase")
    if seen == "client":
        return process
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    os.unlink(ws.path("up"))
    return None


@exq.test("the operator stops it while it is {phase}", phase=["made", "running"])
def stopped(phase):
    ws = space()
    process = exq.wait_for(lambda: run_until(ws, phase), 300, what="a client that is seen")
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=60)
    exq.check(process.returncode in (130, 125), (process.returncode, err))
    exq.equal(exq.find("99924"), [])
    none_left(ws)


@exq.test("without a network only the loopback is there; granted, an own network of the operator's", **USERS)
def network(user):
    ws = space(user)
    look = "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' ' | sort | tr '\\n' ' '"
    done(ws.call(look), output="lo ", network=False, success=True)
    for name, words in (("none", "docker network create"), ("host", "not a network of your own"), ("bridge", "not a network of your own"),
                        ("container:x", "not a network of your own"), ("absent", "is not on this engine")):
        ws.configure({"security.sandbox.docker": {"network": name}, "security.sandbox.bubblewrap": {"allow_network": True}})
        answer = ws.call(look, network=True)
        done(answer, reason="sandbox_unavailable", success=False)
        exq.has(answer["error"], words)
    ws.configure({"security.sandbox.docker": {"network": exq_docker.NETWORK, "args": ["--network=none"]}})
    done(ws.call(look, network=True), output="eth0 lo ", network=True, success=True, notes=[])
    done(ws.call(look), output="lo ", network=False, success=True)
    done(ws.call("/usr/bin/python3 -c 'import socket\ntry: socket.socket(40)\nexcept OSError as why: print(why.errno)'", network=True),
         output="1\n")


@exq.test("with the network granted every attack is held but that there is an interface; this machine's loopback is not reached", **USERS)
def granted(user):
    answers, came, changed, _answer = run_inside("docker", user, ["kernel", "processes", "files", "network"], network=True, timeout=50,
                                                 sections={"security.sandbox.bubblewrap": {"allow_network": True}})
    wrong = {name: text for name, text in answers.items() if not re.fullmatch(expected("docker", name), text)}
    exq.equal((set(wrong), came, changed), ({"an interface beside the loopback"}, [], []), wrong)


@exq.test("where the kernel has no Landlock every attack is held all the same", **USERS)
def without_landlock(user):
    answers, came, changed, _answer = run_inside("docker", user, FAMILIES, refuse=["landlock"], timeout=50)
    own = {"a file is made in /dev": "done"} if user == "root" else {}  # a tmpfs of the container's
    wrong = {name: text for name, text in answers.items() if not re.fullmatch(own.get(name, expected("docker", name, landlock=False)), text)}
    exq.equal((wrong, came, changed), ({}, [], []))


@exq.test("the client of the distribution makes containers as well")
def other_client():
    ws = space(env={"PATH": "/usr/bin:/bin"})
    done(ws.call("echo hi"), output="hi\n", success=True, backend="docker")


@exq.test("under `auto` it is the last, and takes over when nothing before it holds", **USERS)
def auto(user):
    ws = space(user)
    ws.configure({"security.sandbox": {"backend": "auto"}, "exequatur": {"auto_order": ["bubblewrap", "docker"]}})
    ws.env["PATH"] = "/usr/local/bin:/bin-none"
    if not os.path.exists("/usr/local/bin/docker"):
        os.symlink("/usr/bin/docker", ws.mkdir(f"{ws.dir}/tools") + "/docker")
        ws.env["PATH"] = f"{ws.dir}/tools"
    done(ws.call("echo hi"), backend="docker", output="hi\n", success=True)


@exq.test("doctor proves it, and names the engine for the limits", **USERS)
def doctor(user):
    ws = space(user)
    result = ws.exequatur("doctor")
    text = result.stdout.decode()
    exq.equal(result.returncode, 0, text + result.stderr.decode())
    exq.matches(text, r"docker +yes")
    exq.has(text, "memory engine")
    none_left(ws)


@exq.test("calls at once have a container each")
def at_once():
    ws = space()
    answers = ws.headless([request(f"echo {n}; cat /proc/sys/kernel/hostname", id=n) for n in range(4)])
    exq.equal(sorted(answer["output"] for answer in answers), [f"{n}\nsandbox\n" for n in range(4)])
    none_left(ws)


exq.main()
