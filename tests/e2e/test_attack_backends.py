"""Machines that offer less, and wrappers that do not do what they are asked for: refused by name, or said before approval."""

import json
import os
import shutil
import subprocess

import attack_refuse
import exq
from attack_probe_run import PYTHON, refusing
from exq_space import encode, request
from exq_users import name_user

ROWS = {"backend": exq.BACKENDS, "user": exq.USERS}
WRAPPER = os.path.join(os.path.dirname(attack_refuse.__file__), "attack_wrapper.c")


def below(ws, words, lines, setuid=False):
    """(answers, what was said) of a headless run on a machine that refuses something."""
    before, more = refusing(ws, words, setuid)
    process = ws.popen([*before, ws.program(), "--headless"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       **more)
    out, err = process.communicate(encode(lines), timeout=60)
    exq.equal(process.returncode, 0, err.decode())
    return [json.loads(line) for line in out.splitlines()], err.decode()


def ask(ws, words, command, setuid=False):
    """One answer on such a machine."""
    answers, said = below(ws, words, [request(command)], setuid)
    exq.equal(len(answers), 1, said)
    return answers[0]


def did_not_run(ws, answer, reason):
    """The answer refuses by this name, and the command left nothing."""
    exq.equal((answer["reason"], answer["success"], answer["decision"]), (reason, False, answer["decision"]), answer)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    exq.check(answer["duration_ms"] is None and len(answer["error"]) > len(reason) + 10, answer)


@exq.test("nothing that isolates is there: no_sandbox_available, also with the switch for `none` (H054): {switch}",
          switch=[None, "1"], user=exq.USERS)
def nothing(switch, user):
    ws = exq.Workspace(user=user, env={"EXEQUATUR_ALLOW_UNSANDBOXED": switch})
    answer = ask(ws, ["mnt", "landlock"], "touch ran")
    did_not_run(ws, answer, "no_sandbox_available")
    exq.equal(answer["decision"], "refused")
    exq.equal([event["reason"] for event in ws.events("refused")], ["no_sandbox_available"])


@exq.test("no Landlock and no wrapper on PATH: no_sandbox_available, and `run` ends with 125", user=exq.USERS)
def no_programs(user):
    ws = exq.Workspace(user=user, env={"PATH": "/nonexistent:/sbin-none"})
    did_not_run(ws, ask(ws, ["landlock"], "touch ran"), "no_sandbox_available")
    process = ws.popen([PYTHON, attack_refuse.__file__, "landlock", "--", ws.program(), "run", "touch ran"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=60)
    exq.equal((process.returncode, out), (125, b""), err.decode())
    exq.has(err.decode(), "no_sandbox_available")


# Where no program becomes root by its set-user-ID bit, an ordinary user's firejail fails and the next is taken.
@exq.test("without Landlock `auto` goes on with {way[0]}, which holds ({way[1]})", way=[way for way in (
    ("firejail", "root"), ("firejail", "ordinary"), ("bubblewrap", "ordinary")) if way[1] in exq.USERS])
def falls_over(way):
    backend, user = way
    if backend == "firejail" and os.getuid() != 0:
        exq.skip("needs root, to refuse something and leave firejail its set-user-ID bit")
    ws = exq.Workspace(user=user)
    if backend == "firejail" and ws.uid != 0:
        name_user(ws.uid, ws.home)
    answer = ask(ws, ["landlock"], f"touch ran; touch {ws.outside}/x; cat {ws.config_path}; cat /proc/self/status | grep Seccomp:; echo end",
                 setuid=backend == "firejail")
    exq.equal(answer["backend"], backend, answer)
    exq.matches(answer["output"], r"Seccomp:\s2\nend\n$")
    exq.equal((os.listdir(ws.outside), os.path.exists(ws.path("ran"))), ([], True))


SOCKETS = f"""{PYTHON} -c '
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, 40):
    try:
        socket.socket(family)
        print("OPEN", family)
    except OSError as why:
        print(why.errno)
a, b = socket.socketpair()
print("pair")
'"""


@exq.test("without own networks no socket can be opened, and the card says that the network is cut once", user=exq.USERS)
def no_network_namespace(user):
    ws = exq.Workspace(user=user, backend="landlock")
    answers, _said = below(ws, ["net"], [request(SOCKETS), request(f"touch {ws.outside}/x; kill -0 {os.getpid()}; echo rc=$?")])
    by_seq = {answer["seq"]: answer for answer in answers}
    exq.equal(by_seq[1]["output"], "1\n" * 5 + "pair\n", by_seq[1])
    exq.check("rc=1\n" in by_seq[2]["output"], by_seq[2])
    exq.equal(os.listdir(ws.outside), [])
    card = ws.events("card")[-1]["card"]  # the first one is from before it was known
    exq.has(json.dumps(card["facts"]), "!network cut once")
    exq.equal(card["sandbox"], "part")


@exq.test("without an own network other processes and limits outside are not reached either", user=exq.USERS)
def no_network_processes(user):
    ws = exq.Workspace(user=user, backend="landlock")
    victim = ws.popen(["/bin/sleep", "99810"])
    answer = ask(ws, ["net"], f"{PYTHON} -c 'import os, resource\nfor f in (lambda: os.kill({victim.pid}, 9), "
                 f"lambda: resource.prlimit({victim.pid}, 4, (0, 0)), lambda: os.setpriority(0, {victim.pid}, 5)):\n"
                 f" try:\n  f(); print(\"DONE\")\n except OSError as why: print(why.errno)'")
    exq.check("DONE" not in answer["output"] and answer["success"], answer)
    exq.equal(victim.poll(), None)


@exq.test("a host name of its own may be missing: it runs, and the rest holds", user=exq.USERS)
def no_host_name(user):
    ws = exq.Workspace(user=user, backend="landlock")
    answer = ask(ws, ["uts"], f"touch {ws.outside}/x; echo end; {PYTHON} -c 'import socket; socket.sethostname(\"x\")'")
    exq.has(answer["output"], "end\n")
    exq.has(answer["output"], "PermissionError")
    exq.equal(os.listdir(ws.outside), [])


# --- wrappers -----------------------------------------------------------------------------------------------------------

def behind(ws, flags, lines, *arguments):
    """(output, status) of the product on a machine whose /usr/bin/bwrap is the false one, compiled with these flags."""
    if os.getuid() != 0:
        exq.skip("needs root, to put another bwrap over the machine's")
    compiler = exq.need_program("cc")
    true, false = os.path.join(ws.dir, "true-bwrap"), os.path.join(ws.dir, "false-bwrap")
    shutil.copy(exq.need_program("bwrap"), true)
    subprocess.run([compiler, "-O1", "-o", false, *[flag.replace("TRUE_BWRAP", true) for flag in flags], WRAPPER], check=True)
    become = f"setpriv --reuid={ws.uid} --regid={ws.gid} --clear-groups"
    script = f'mount --bind "$0" /usr/bin/bwrap && exec {become} "$@"'
    process = ws.popen(["unshare", "-m", "--propagation", "private", "sh", "-c", script, false, ws.program(), *arguments],
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, user=0, group=0)
    out, err = process.communicate(encode(lines), timeout=60)
    exq.equal(process.returncode, 0, err.decode())
    return out.decode()


FALSE = {
    "runs the launcher bare": [],
    "makes a user namespace alone": ['-DBEFORE_PROGRAM="/usr/bin/unshare","-Ur",'],
    "makes processes and users of its own alone": ['-DBEFORE_PROGRAM="/usr/bin/unshare","-Urpf","--mount-proc",'],
    "leaves the host's network": ['-DBEFORE_PROGRAM="/usr/bin/unshare","-Urpfmiu","--mount-proc",'],
    "shows the host's root": ['-DTRUE_WRAPPER="TRUE_BWRAP"', '-DBEFORE_PROGRAM="--bind","/","/","--proc","/proc",'],
    "shows the host's processes": ['-DTRUE_WRAPPER="TRUE_BWRAP"', '-DBEFORE_PROGRAM="--bind","/proc","/proc",'],
    "shows the host's home directory": ['-DTRUE_WRAPPER="TRUE_BWRAP"', "-DBEFORE_PROGRAM=HOME_BIND"],
    "binds another directory as the workspace": ['-DTRUE_WRAPPER="TRUE_BWRAP"', "-DBEFORE_PROGRAM=WORK_BIND"],
    "shares the network": ['-DTRUE_WRAPPER="TRUE_BWRAP"', '-DBEFORE_PROGRAM="--share-net",'],
}


@exq.test("a trusted wrapper that {way} is found out from inside, and nothing runs", way=list(FALSE), user=exq.USERS)
def false_wrapper(way, user):
    ws = exq.Workspace(user=user, backend="bubblewrap")
    ws.write(f"{ws.home}/.profile", "x\n")
    other = ws.mkdir(f"{ws.dir}/other")
    places = {"HOME_BIND": f'"--bind","{ws.home}","{ws.home}",', "WORK_BIND": f'"--bind","{other}","{ws.work}",'}
    flags = FALSE[way]
    for name, words in places.items():
        flags = [flag.replace(name, words) for flag in flags]
    answer = json.loads(behind(ws, flags, [request(f"touch ran; touch {other}/ran")], "--headless"))
    exq.equal(os.listdir(other), [])
    did_not_run(ws, answer, "sandbox_failed")


@exq.test("the same wrapper is used when it does all that it is asked for", user=exq.USERS)
def true_wrapper(user):
    ws = exq.Workspace(user=user, backend="bubblewrap")
    answer = json.loads(behind(ws, ['-DTRUE_WRAPPER="TRUE_BWRAP"'], [request("echo ok")], "--headless"))
    exq.equal((answer["output"], answer["backend"]), ("ok\n", "bubblewrap"), answer)


@exq.test("a wrapper that {what} is passed by for the next on PATH (H061)",
          what=["others may write", "lies in the workspace", "belongs to another user", "is a relative entry", "is a script in /tmp"])
def untrusted_wrapper(what):
    ws = exq.Workspace(user="ordinary", backend="bubblewrap")
    directory = ws.work if what in ("lies in the workspace", "is a relative entry") else os.path.join(ws.dir, "tools")
    fake = os.path.join(directory, "bwrap")
    os.makedirs(directory, exist_ok=True)
    with open(fake, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\ntouch {ws.outside}/fake\n")
    os.chmod(fake, 0o777 if what in ("others may write", "is a script in /tmp") else 0o755)
    owner = 12345 if what == "belongs to another user" and os.getuid() == 0 else ws.uid
    os.chown(fake, owner, owner)
    ws.env["PATH"] = f"{'.' if what == 'is a relative entry' else directory}:{ws.env['PATH']}"
    exq.has(ws.exequatur("plan", "true").stdout.decode(), "wrapper     /usr/bin/bwrap\n")
    exq.equal(ws.call("echo ok")["output"], "ok\n")
    exq.equal(os.listdir(ws.outside), [])


# --- none ---------------------------------------------------------------------------------------------------------------

@exq.test("`none` isolates nothing and says so each time, but scrubs, limits and ends", user=exq.USERS)
def bare(user):
    ws = exq.Workspace(user=user, backend="none", env={"EXEQUATUR_ALLOW_UNSANDBOXED": "1", "API_KEY": "zzSECRETzz"})
    lines = [request(f"touch {ws.outside}/open; env; umask; ulimit -c; ulimit -n; ls -l /proc/self/fd | grep -c -e '->'; sleep 99811 &", id=1),
             request("sleep 99812", id=2, timeout=1), request("cat /proc/$PPID/environ; echo end", id=3)]
    answers = ws.headless(lines)
    exq.has(answers.stderr.upper(), "NO SANDBOX")
    for answer in answers:
        exq.has(answer["notes"], "unsandboxed")
        exq.equal(answer["backend"], "none")
    exq.equal(os.listdir(ws.outside), ["open"])  # honest: nothing is isolated
    exq.check("zzSECRETzz" not in answers.raw.decode(), "a secret was passed")
    exq.matches(answers.by_id(1)["output"], r"0022\n0\n256\n4\n$")
    exq.has(answers.by_id(1)["notes"], "background_ended")
    exq.equal(answers.by_id(2)["reason"], "timeout")
    exq.has(answers.by_id(3)["output"], "end\n")
    exq.equal(len(exq.find("sleep 9981")), 0)
    exq.check(all(event["card"]["unsandboxed"] for event in ws.events("card")), "a card does not say it")


@exq.test("what a crowded machine refuses for now is not held against the sandboxes ({name})",
          name=["auto", *exq.BACKENDS])
def crowded(name):
    ws = exq.Workspace(backend=name)
    answers, _said = below(ws, ["crowded"], [request("touch ran", id=1), request("touch ran", id=2)], setuid=name == "firejail")
    for answer in answers:
        exq.equal(answer["reason"], "sandbox_failed", answer["error"])
        exq.check("temporarily unavailable" in answer["error"], answer["error"])
    exq.equal((len(answers), os.listdir(ws.work)), (2, []))


@exq.test("the switch is refused inside a service")
def service():
    ws = exq.Workspace(user="ordinary", backend="none", env={"EXEQUATUR_ALLOW_UNSANDBOXED": "1"})
    process = ws.popen(["/bin/sh", "-c", f"SYSTEMD_EXEC_PID=$$ exec {ws.program()} --headless"], stdin=-1, stdout=-1, stderr=-1)
    out, err = process.communicate(encode([request("touch ran")]), timeout=60)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    exq.has(out.decode() + err.decode(), "service")


exq.main()
