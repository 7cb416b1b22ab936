"""What a command can reach, through the whole product, as root and as an ordinary user. Ids are handed-out cases."""

import os
import signal
import socket
import stat
import subprocess

import exq

ROWS = {"backend": exq.EVERY, "user": exq.USERS}


def call(ws, command, **arguments):
    """The output of a call that must at least have started."""
    answer = ws.call(command, **arguments)
    exq.check(answer["reason"] in (None, "exit_status"), answer)
    return answer["output"]


@exq.test("what is on no list is neither written nor read (H053)", **ROWS)
def outside(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ws.write(f"{ws.outside}/secret", "zzSECRETzz\n")
    ws.write(f"{ws.home}/.ssh/id", "zzSECRETzz\n", 0o600)
    answer = ws.call(f"touch {ws.outside}/escape; cat {ws.outside}/secret {ws.home}/.ssh/id /etc/shadow; ls /home; echo end")
    exq.has(answer["output"], "end\n")
    exq.check("zzSECRETzz" not in answer["output"] and "root:" not in answer["output"], answer["output"])
    exq.equal(sorted(os.listdir(ws.outside)), ["secret"])
    exq.equal(answer["backend"], backend)
    exq.equal({event["backend"] for event in ws.events("launching")}, {backend})


@exq.test("nothing is evaluated outside the sandbox (H071)", **ROWS)
def evaluated(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    output = call(ws, f'echo "$(touch {ws.outside}/host 2>/dev/null; echo in)" `echo two` $((1+2))')
    exq.equal((output, os.listdir(ws.outside)), ("in two 3\n", []))


@exq.test("no sandbox, no run: {order} gives no_sandbox_available (H054)", order=[["firejail"], ["docker", "firejail"]])
def no_sandbox(order):
    ws = exq.Workspace(sections={"exequatur": {"auto_order": order}}, env={"PATH": "/nonexistent"})
    answer = ws.call("touch ran")
    exq.equal((answer["reason"], answer["decision"], answer["decided_by"]), ("no_sandbox_available", "refused", "console"))
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    exq.equal([event["reason"] for event in ws.events("refused")], ["no_sandbox_available"])


ABSENT = {"firejail": "firejail: not installed", "docker": "docker: not installed"}


@exq.test("a named backend that is not there is refused by name and no other is tried: {name}", name=list(ABSENT))
def unavailable(name):
    ws = exq.Workspace(backend=name, env={"PATH": "/nonexistent"})
    answer = ws.call("touch ran")
    exq.equal(answer["reason"], "sandbox_unavailable")
    exq.check(answer["backend"] in (None, name), answer["backend"])
    exq.has(answer["error"], ABSENT[name])
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


@exq.test("`none` needs its switch, and says so each time", switch=[None, "", "0", "yes", "1"])
def switch(switch):
    ws = exq.Workspace(backend="none", env={"EXEQUATUR_ALLOW_UNSANDBOXED": switch})
    answer = ws.call("touch ran")
    exq.equal(os.path.exists(ws.path("ran")), switch == "1", answer)
    if switch == "1":
        exq.has(answer["notes"], "unsandboxed")
        exq.has(ws.exequatur("--headless").stderr.decode().upper(), "NO SANDBOX")
    else:
        exq.has(answer["error"], "EXEQUATUR_ALLOW_UNSANDBOXED")


@exq.test("the console itself stays unrestricted after a run (H056)", **ROWS)
def console_free(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    session = ws.start()
    for _ in range(3):
        exq.equal(session.call("true")["success"], True)
    session.close_input()
    exq.equal(session.wait(), 0)
    exq.equal(ws.exequatur("audit", "verify", os.path.join(ws.state, "exequatur", "audit")).returncode, 0)
    exq.equal(len(ws.events("answered")), 3)


@exq.test("no key can be put into a terminal (H057)", **ROWS)
def tiocsti(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    program = """import fcntl, termios
for name in (0, 1, 2, "/dev/tty", "/dev/console"):
    try:
        fd = name if isinstance(name, int) else open(name)
        fcntl.ioctl(fd, termios.TIOCSTI, b"y")
        print("PUT", name)
    except OSError as why:
        pass
"""
    ws.write("put.py", program)
    exq.equal(call(ws, "/usr/bin/python3 put.py; echo end"), "end\n")


@exq.test("the command has no terminal (H040)", **ROWS)
def no_terminal(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    exq.matches(call(ws, "echo INTRUDER > /dev/tty; echo rc=$?"), r"rc=[12]\n$")


@exq.test("the console cannot be found or signalled (H059)", **ROWS)
def no_signal(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    session = ws.start()
    answer = session.call(f"kill -9 {session.pid}; echo rc=$?; cat /proc/[0-9]*/comm")
    exq.matches(answer["output"], r"rc=1\n")
    exq.check("exequatur\n" not in answer["output"], answer["output"])
    exq.equal(session.call("echo alive")["output"], "alive\n")
    session.close_input()
    exq.equal(session.wait(), 0)


@exq.test("no descriptor but 0, 1 and 2 is passed (H060)", **ROWS)
def descriptors(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    session = ws.start(pass_fds=[])
    session.send({"id": 1, "name": "shell", "arguments": {"command": "until [ -e go ]; do sleep 0.05; done"}})
    answer = session.call("ls -l /proc/self/fd", id=2)
    numbers = sorted(int(line.split()[-3]) for line in answer["output"].splitlines() if "->" in line)
    exq.equal(numbers, [0, 1, 2, 3], answer["output"])
    exq.matches(answer["output"], r" 0 -> /dev/null$")
    exq.matches(answer["output"], r" 1 -> pipe:\[(\d+)\]\n.* 2 -> pipe:\[\1\]")
    ws.write("go")
    session.answer()


@exq.test("an inherited descriptor does not reach the command", **ROWS)
def inherited(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    reader, writer = os.pipe()
    session = ws.start(pass_fds=[writer])
    os.close(writer)
    exq.check("/proc/self/fd/9" not in session.call("ls /proc/self/fd/* ")["output"], "a descriptor")
    output = session.call(f"echo LEAK >&{writer}; echo rc=$?")["output"]
    exq.check(output.strip().split("\n")[-1] != "rc=0", output)
    session.close_input()
    session.wait()
    exq.equal(os.read(reader, 10), b"")
    os.close(reader)


@exq.test("a fake bwrap first on PATH is not used (H061)", user=exq.USERS, place=["work", "outside"])
def fake_wrapper(user, place):
    ws = exq.Workspace(backend="bubblewrap", user=user)
    fake = ws.write(os.path.join(getattr(ws, place), "bwrap"), f"#!/bin/sh\ntouch {ws.outside}/fake\nexec \"$@\"\n", 0o777)
    ws.env["PATH"] = os.path.dirname(fake) + ":" + ws.env["PATH"]
    answer = ws.call("echo ok")
    exq.check(not os.path.exists(f"{ws.outside}/fake"), "the fake ran")
    exq.check(answer["output"] == "ok\n" or answer["reason"] == "sandbox_unavailable", answer)


@exq.test("devices work, whatever is in writable_paths: {paths} (H062)", paths=[[], ["/tmp"]], **ROWS)
def devices(paths, backend, user):
    ws = exq.Workspace(backend=backend, user=user, sections={"security.sandbox.bubblewrap": {"writable_paths": paths}})
    exq.equal(call(ws, "echo x >/dev/null && head -c1 /dev/urandom >/dev/null && : >/dev/shm/h && echo fine"), "fine\n")


@exq.test("refused as writable at start: {path} (H062)", path=["/", "/dev", "/etc", "/usr", "/proc", "/sys", "/run", "/root", "/home", "~",
                                                             "~/.ssh", "~/.bashrc"])
def refused_writable(path):
    ws = exq.Workspace(sections={"security.sandbox.bubblewrap": {"writable_paths": [path]}})
    ws.write(f"{ws.home}/.bashrc")
    os.makedirs(f"{ws.home}/.ssh", exist_ok=True)
    done = ws.exequatur("--headless", stdin=b'{"name":"shell","arguments":{"command":"touch ran"}}\n')
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    exq.equal(done.returncode, 2, done.stdout.decode() + done.stderr.decode())


@exq.test("a writable path that does not exist is named at start and not made (H063)", **ROWS)
def absent_path(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    absent = os.path.join(ws.outside, "new")
    ws.configure({"security.sandbox.bubblewrap": {"writable_paths": [absent]}})
    answers = ws.headless([{"name": "shell", "arguments": {"command": f"echo x > {absent}/out; echo rc=$?"}}])
    exq.has(answers.stderr, absent)
    exq.matches(answers[0]["output"], r"rc=[12]\n$")
    exq.check(not os.path.exists(absent), "it was made")


@exq.test("a working directory outside the list is refused before anything starts: {place} (H064)",
          place=["link", "outside", "..", "/etc", "deep/../../outside"])
def working_dir(place):
    ws = exq.Workspace()
    os.symlink(ws.outside, ws.path("link"))
    where = ws.outside if place == "outside" else place
    answer = ws.call("touch ran", working_dir=where)
    exq.equal((answer["reason"], answer["duration_ms"]), ("working_dir_not_allowed", None))
    if place == "link":
        exq.has(answer["error"], ws.outside)
    exq.equal((os.listdir(ws.outside), os.path.exists(ws.path("ran")), ws.events("launching")), ([], False, []))


@exq.test("a commit in a linked worktree fails with git's own words, its files can be edited (H066)", **ROWS)
def worktree(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    main = os.path.join(ws.outside, "main")
    for argv in (["git", "init", "-q", main], [*git, "-C", main, "commit", "-q", "--allow-empty", "-m", "x"],
                 ["git", "-C", main, "worktree", "add", "-q", ws.path("wt")]):
        exq.equal(ws.popen(argv, cwd=ws.outside).wait(), 0, " ".join(argv))
    answer = ws.call("echo x > file && git add -A && git commit -qm t; echo rc=$?", working_dir="wt")
    exq.check("rc=0" not in answer["output"], answer)
    exq.check(os.path.exists(ws.path("wt/file")), "the file was not written")


@exq.test("the shell is neither a login nor an interactive one (H068)", **ROWS)
def startup(backend, user):
    ws = exq.Workspace(backend=backend, user=user, env={"ENV": "/nonexistent", "BASH_ENV": "/nonexistent"})
    for name in (".profile", ".bashrc", ".bash_profile"):
        ws.write(f"{ws.home}/{name}", f"touch {ws.work}/profile\n")
    output = call(ws, "echo $0; echo $-")
    exq.check(not os.path.exists(ws.path("profile")) and "i" not in output.split("\n")[1], output)
    exq.check(not output.startswith("-"), output)


@exq.test("as root the sandbox holds, and a warning says so (H069)", backend=exq.EVERY)
def root(backend):
    ws = exq.Workspace(backend=backend, user="root")
    answers = ws.headless([{"name": "shell", "arguments": {
        "command": f"id -u; touch {ws.outside}/root; mount -t tmpfs t /tmp; chroot / true; cat /proc/self/status | grep Cap"}}])
    exq.has(answers.stderr, "root")
    exq.equal(os.listdir(ws.outside), [])
    exq.matches(answers[0]["output"], r"CapEff:\s0{16}")
    exq.matches(answers[0]["output"], r"CapBnd:\s0{16}")


@exq.test("each backend gives the same directory, umask, core limit and user (H070)", user=exq.USERS)
def the_same(user):
    outputs = {}
    for backend in exq.BACKENDS:
        ws = exq.Workspace(backend=backend, user=user)
        outputs[backend] = call(ws, "pwd; umask; ulimit -c; id -u; id -g; ulimit -n").replace(ws.work, "WORK")
    exq.equal(outputs["landlock"], outputs["bubblewrap"])
    exq.has(outputs["landlock"], "WORK\n0022\n")


@exq.test("a read-only path that does not exist is named and weakens nothing (H073)", **ROWS)
def partial(backend, user):
    ws = exq.Workspace(backend=backend, user=user, sections={"security.sandbox.bubblewrap": {
        "readonly_paths": ["/nonexistent/place", "/usr"]}})
    answers = ws.headless([{"name": "shell", "arguments": {"command": f"touch {ws.outside}/partial; echo done"}}])
    exq.has(answers[0]["output"], "done\n")
    exq.has(answers.stderr, "/nonexistent/place")
    exq.equal(os.listdir(ws.outside), [])


@exq.test("git hooks and configuration cannot be written or moved away (H074)", **ROWS)
def hooks(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    exq.equal(ws.popen(["git", "init", "-q", ws.path("repo")]).wait(), 0)
    for command in ("printf x > .git/hooks/pre-commit", "mv .git away", "rm -rf .git", "git config core.fsmonitor x",
                    "mv .git/hooks .git/old", "cd .. && mv repo away", "ln -sf /bin/sh .git/hooks/pre-push"):
        answer = ws.call(f"{command}; echo rc=$?", working_dir="repo")
        exq.check("rc=0" not in answer["output"], f"{command}: {answer}")
    exq.check(os.path.isdir(ws.path("repo/.git/hooks")) and os.path.isfile(ws.path("repo/.git/config")), "moved")
    exq.check(not os.path.exists(ws.path("repo/.git/hooks/pre-commit")), "a hook was written")


@exq.test("a new repository inside the workspace is noted after the run", **ROWS)
def new_repository(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    answer = ws.call("git init -q fresh && echo x > fresh/.git/hooks/pre-commit")
    exq.has(answer["notes"], "git_metadata_changed")


@exq.test("no setuid or setgid bit can be left behind", **ROWS)
def setuid(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    call(ws, "cp /bin/true t; chmod 4755 t; chmod 2755 t; chmod u+s t; install -m 6755 t u; mkdir d; chmod g+s d; echo end")
    for root_dir, dirs, files in os.walk(ws.work):
        for name in dirs + files:
            mode = os.stat(os.path.join(root_dir, name)).st_mode
            exq.check(not mode & (stat.S_ISUID | stat.S_ISGID), f"{name}: {mode:o}")


@exq.test("the loopback of the host is not reached, one inside works", **ROWS)
def network(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        program = f"""import socket
try:
    socket.create_connection(("127.0.0.1", {port}), 5)
    print("REACHED")
except OSError:
    print("refused")
inside = socket.create_server(("127.0.0.1", 0))
socket.create_connection(inside.getsockname(), 5)
print("inside works")
"""
        ws.write("net.py", program)
        exq.equal(call(ws, "/usr/bin/python3 net.py"), "refused\ninside works\n")


@exq.test("a resolver file that is a link out of the base set does not stop a run (H065)", backend=exq.BACKENDS, network=[False, True])
def resolver(backend, network):
    ws = exq.Workspace(backend=backend, user="root", sections={"security.sandbox.bubblewrap": {"allow_network": True}})
    script = f"""set -e
mount -t tmpfs none {ws.run}
cp -a /etc {ws.run}/etc
rm -f {ws.run}/etc/resolv.conf
ln -s ../run/systemd/resolve/stub-resolv.conf {ws.run}/etc/resolv.conf
mount --bind {ws.run}/etc /etc
exec {ws.program()} --headless
"""
    line = b'{"name":"shell","arguments":{"command":"echo up","network":%s}}\n' % (b"true" if network else b"false")
    process = ws.popen(["unshare", "-m", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(line, timeout=60)
    exq.has(out.decode(), '"output":"up\\n"')
    exq.equal(process.returncode, 0, err.decode())


@exq.test("a workspace that may not be writable is refused at start, with the option that helps: {place}",
          place=["/", "/etc", "/usr/bin", "home", "config", "programs"])
def workspace(place):
    ws = exq.Workspace()
    where = {"home": ws.home, "config": ws.config, "programs": ws.bin}.get(place, place)
    done = ws.exequatur("--headless", "-C", where, stdin=b"")
    exq.equal((done.returncode, done.stdout), (2, b""), done.stderr.decode())
    exq.matches(done.stderr.decode(), r"-C|--workspace")


@exq.test("run makes its plan before the places are judged, and runs nothing where a command may not write: {backend} at {place}",
          backend=["landlock", "bubblewrap"], place=["home", "config", "programs"])
def run_workspace(backend, place):
    ws = exq.Workspace(backend=backend)
    where = {"home": ws.home, "config": ws.config, "programs": ws.bin}[place]
    done = ws.exequatur("run", "-C", where, "touch", "ran")
    exq.equal((done.returncode, done.stdout), (2, b""), done.stderr.decode())
    exq.has(done.stderr.decode(), "-C DIR names another")
    exq.equal((os.path.exists(os.path.join(where, "ran")), exq.descendants(os.getpid()), ws.records()), (False, [], []))


@exq.test("a directory that is swapped between the card and the start is not written", user=exq.USERS)
def swapped(user):
    ws = exq.Workspace(shell="supervised", user=user)
    ws.mkdir("place")
    term = exq.Tmux(ws)
    term.start("-C", ws.path("place"), requests=[{"id": 1, "name": "shell", "arguments": {"command": "touch ran"}}])
    term.wait("#1")
    term.keys("Enter")
    term.arm()
    os.rename(ws.path("place"), ws.path("before"))
    os.symlink(ws.outside, ws.path("place"))
    term.keys("a")
    exq.wait_for(lambda: ws.events("answered") or ws.events("requeued") or len(ws.events("card")) > 1, what="an outcome")
    exq.equal(os.listdir(ws.outside), [])
    term.console().kill(signal.SIGTERM)
    term.wait_status()


exq.main()
