"""What is particular to firejail: it fails open, it is setuid root, and its command is not the first process."""

import json
import os
import re
import subprocess
import tempfile

import exq
from attack_probe_run import FAMILIES, expected, run_inside
from exq_space import encode, request
from exq_users import name_user

FIREJAIL = {"backend": "firejail"}
WRAPPER = os.path.join(os.path.dirname(exq.__file__), "attack_wrapper.c")


def headless(ws, before, command):
    """One call of the product, started by another program."""
    process = ws.popen([*before, ws.program(), "--headless"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, user=0, group=0)
    out, _err = process.communicate(encode([request(command)]), timeout=60)
    return out.decode()


def as_user(ws):
    """What becomes the user of the workspace, behind a program that needs root."""
    return ["setpriv", f"--reuid={ws.uid}", f"--regid={ws.gid}", "--clear-groups"] if ws.uid else []


NOTHING = "sandbox_failed: .*firejail isolated nothing, as it does inside a container: the mount namespace is the host's"
NOT_ROOT = "sandbox_unavailable: firejail: /usr/bin/firejail does not become root: "
# How the console is started, and what a root console and a user's hear of it; None: root is root without any bit.
CONTAINERS = {
    "processes of its own": (["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"], NOTHING, NOTHING),
    "another firejail": (["firejail", "--quiet", "--noprofile", "--"], NOTHING, NOTHING),
    "bwrap": (["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--cap-add", "ALL"], NOTHING,
              NOT_ROOT + "its file system is mounted nosuid"),
    "no new rights": (["setpriv", "--no-new-privs"], None, NOT_ROOT + "this console was started with no_new_privs"),
}


@exq.test("where it isolates nothing it is found out before the command runs: {where} (H055)", where=list(CONTAINERS), user=exq.USERS)
def fails_open(where, user):
    if os.getuid() != 0:
        exq.skip("needs root, to be in a container and leave firejail its set-user-ID bit")
    before, *words = CONTAINERS[where]
    heard = words[user != "root"]
    ws = exq.Workspace(backend="firejail", user=user)
    ws.write(f"{ws.home}/.profile", "as it was\n")
    answer = json.loads(headless(ws, [*before, *as_user(ws)], f"touch ran {ws.home}/ran {ws.outside}/ran"))
    exq.matches(answer["error"] or "", heard or "touch: |exit_status")
    exq.equal((os.listdir(ws.work), sorted(os.listdir(ws.home)), os.listdir(ws.outside)), ([] if heard else ["ran"], [".profile"], []))


@exq.test("auto passes it over there, and takes the next that holds", user=exq.USERS)
def passed_over(user):
    if os.getuid() != 0:
        exq.skip("needs root, to be in a container and leave firejail its set-user-ID bit")
    ws = exq.Workspace(user=user, sections={"exequatur": {"auto_order": ["firejail", "landlock"]}})
    container = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    out = headless(ws, [*container, *as_user(ws)], "echo ran")
    answer = json.loads(out)
    exq.equal((answer["backend"], answer["output"]), ("landlock", "ran\n"), answer)


@exq.test("a user whom it turns away hears why, and nothing runs")
def turned_away():
    if os.getuid() != 0:
        exq.skip("needs root")
    ws = exq.Workspace(user="ordinary", sections={"security.sandbox": FIREJAIL})
    name_user(ws.uid, ws.home, "nobody")
    answer = ws.call("touch ran")
    exq.equal((answer["reason"], os.listdir(ws.work)), ("sandbox_failed", []))
    exq.has(answer["error"], "the user is not allowed to use Firejail")


@exq.test("a command cannot {what} its launcher", what=["stop", "kill", "trace"], user=exq.USERS)
def launcher(what, user):
    ws = exq.Workspace(backend="firejail", user=user)
    commands = {"stop": "kill -STOP $PPID", "kill": "kill -KILL $PPID",
                "trace": "/usr/bin/python3 -c 'import ctypes, os; c = ctypes.CDLL(None, use_errno=True)\n"
                         "raise SystemExit(c.ptrace(16, os.getppid(), 0, 0) != 0)'"}
    answer = ws.call(f"{commands[what]} && echo done; echo on")
    exq.equal((answer["output"].splitlines()[-1], "done" in answer["output"]), ("on", False), answer)


@exq.test("what it does not make read-only, empty or closed is found: a workspace holds, {what}", user=exq.USERS,
          what=["below the home directory", "below a read-only place", "with a read-only place inside", "with blanks and umlauts"])
def places(what, user):
    ws = exq.Workspace(backend="firejail", user=user)
    ws.write(f"{ws.home}/.secret", "secret\n")
    nested = {"below the home directory": (f"{ws.home}/w", []), "below a read-only place": (f"{ws.outside}/a/w", [f"{ws.outside}/a"]),
              "with a read-only place inside": (f"{ws.outside}/w", [f"{ws.outside}/w/r"]), "with blanks and umlauts": (f"{ws.outside}/a b/ä", [])}
    work, readonly = nested[what]
    for path in [*readonly, os.path.dirname(work), work, *readonly]:
        ws.mkdir(path)
    for path in readonly:
        ws.write(f"{path}/seen", "seen\n")
    ws.configure({"security.sandbox.bubblewrap": {"readonly_paths": readonly}})
    ws.work = work
    answer = ws.call("touch made && echo w; cat ~/.secret && echo open; "
                     + "".join(f"cat {path}/seen; touch {path}/x && echo open; mv {path} {path}2 && echo open; " for path in readonly))
    exq.equal([line for line in answer["output"].splitlines() if ":" not in line], ["w"] + ["seen"] * len(readonly), answer)
    exq.check(os.path.exists(f"{work}/made") and not os.path.exists(f"{ws.home}/.inputrc"), "left or lost")


@exq.test("a private HOME is made, or the call refused by name: HOME is {home}", user=exq.USERS,
          home=["two levels below /tmp", "below /var/tmp", "below the home directory", "beside the workspace", "elsewhere"])
def homes(home, user):
    ws = exq.Workspace(backend="firejail", user=user)
    own = "/root" if ws.uid == 0 else ws.env["HOME"]
    paths = {"two levels below /tmp": f"/tmp/exq-none-{os.getpid()}/home", "below /var/tmp": f"/var/tmp/exq-none-{os.getpid()}",
             "below the home directory": f"{own}/deep/er", "beside the workspace": f"{ws.dir}/other", "elsewhere": "/opt/none"}
    ws.env["HOME"] = paths[home]
    answer = ws.call("touch ran; ls -A ~; touch ~/.cache/a ~/.npm/b && echo made")
    refused = {"elsewhere": "it makes nothing private but", "beside the workspace": "where it lets root alone make a private one"}
    if home in refused and (home == "elsewhere" or user != "root"):
        exq.equal((answer["reason"], os.listdir(ws.work)), ("sandbox_unavailable", []), answer)
        exq.has(answer["error"], f"HOME is {paths[home]}, ")
        exq.has(answer["error"], refused[home])
    else:
        exq.equal(answer["output"], ".cache\n.npm\nmade\n", answer)
    exq.check(not os.path.exists(paths[home]), "it was made outside")


@exq.test("a workspace below /var/tmp works, and to a user the card says that the rest there is closed", user=exq.USERS)
def below_var_tmp(user):
    ws = exq.Workspace(backend="firejail", user=user)
    with tempfile.TemporaryDirectory(prefix="exq-", dir="/var/tmp") as directory:
        os.chmod(directory, 0o755)
        ws.write(f"{directory}/secret", "secret\n")
        ws.work = ws.mkdir(f"{directory}/w")
        answer = ws.call(f"touch made && ls -A .. /var/tmp; cat {directory}/secret; touch /var/tmp/x 2>/dev/null && echo writable")
        exq.equal([line for line in answer["output"].splitlines() if "No such file" not in line],
                  ["..:", "w", "", "/var/tmp:", os.path.basename(directory), *["writable"][:user == "root"]], answer)
        exq.equal((os.listdir(ws.work), os.path.exists("/var/tmp/x")), (["made"], False))
    closed = "!/var/tmp closed for writing but for what is listed below it"
    exq.equal(closed in json.dumps(ws.events("card")), user != "root")


@exq.test("what it would hide or replace of its own is shown where it is listed, or refused by name", user=exq.USERS)
def replaced(user):
    ws = exq.Workspace(backend="firejail", user=user)
    shown = ["/opt", "/srv", "/home", "/var/log", "/etc/passwd"]
    ws.configure({"security.sandbox.bubblewrap": {"readonly_paths": shown}})
    answer = ws.call(f"for p in {' '.join(shown)}; do stat -c '%n %i' $p; touch $p $p/x && echo open; done; ls -A /var/tmp")
    exq.equal([line for line in answer["output"].splitlines() if ":" not in line], [f"{path} {os.stat(path).st_ino}" for path in shown])
    ws.configure({"security.sandbox.bubblewrap": {"readonly_paths": ["/etc/hosts"]}})
    answer = ws.call("touch ran")
    exq.equal((answer["reason"], os.listdir(ws.work)), ("sandbox_unavailable", []), answer)
    exq.has(answer["error"], "it shows its own /etc/hosts, not the host's")


@exq.test("more repositories than it takes arguments are guarded")
def many():
    ws = exq.Workspace(backend="firejail", user="ordinary")
    for number in range(30):
        ws.write(f"r{number}/.git/config", "[core]\n")
        ws.mkdir(f"r{number}/.git/hooks")
        for path in (f"r{number}", f"r{number}/.git"):
            os.chown(ws.path(path), ws.uid, ws.gid)
    answer = ws.call("for r in r*; do touch $r/.git/hooks/x; echo x >> $r/.git/config; mv $r x; mv $r/.git $r/x; touch $r/f; done; ls -d r*/f | wc -l")
    exq.equal(answer["output"].splitlines()[-1], "30", answer)
    exq.equal(answer["notes"].count("git_metadata_changed"), 0, answer)


@exq.test("what belongs to somebody else and cannot be made writable again is refused by name")
def somebody_else():
    if os.getuid() != 0:
        exq.skip("needs root")
    ws = exq.Workspace(backend="firejail", user="ordinary")
    place = ws.mkdir("readonly/inner")
    os.chown(place, 0, 0)
    os.chmod(place, 0o777)
    ws.configure({"security.sandbox.bubblewrap": {"readonly_paths": [ws.path("readonly")], "writable_paths": [place]}})
    ws.work = ws.mkdir(f"{ws.outside}/w")
    answer = ws.call("touch ran")
    exq.equal(answer["reason"], "sandbox_unavailable", answer)
    exq.has(answer["error"], "belongs to somebody else, and firejail makes only what is yours writable")


@exq.test("the operator's arguments are in the plan, but for what each call has anyway, and it holds", user=exq.USERS)
def arguments(user):
    kept = ["--noroot", "--nosound", "--no3d", "--protocol=unix"]
    ws = exq.Workspace(backend="firejail", user=user,
                       sections={"security.sandbox": {"firejail_args": ["--net=none", "--caps.drop=all", *kept]}})
    for network in (False, True):
        plan = ws.exequatur("plan", *(["--network"] if network else []), "true").stdout.decode().split("\nprofile")[0].split()
        exq.equal([plan.count(word) for word in ("--net=none", "--caps.drop=all", *kept)], [int(not network), 1, 1, 1, 1, 1], plan)
    exq.equal(ws.call("touch made && echo on")["output"], "on\n")
    exq.has(json.dumps(ws.events("card")), "--noroot")


@exq.test("an argument that would open it is refused with file and line")
def refused():
    ws = exq.Workspace(backend="firejail", sections={"security.sandbox": {"firejail_args": ["--read-write=/etc"]}})
    done = ws.exequatur("--headless")
    exq.equal(done.returncode, 2)
    exq.has(done.stderr.decode(), "config.toml:")
    exq.has(done.stderr.decode(), "firejail_args: --read-write=/etc is refused: it opens again what the box closes")


@exq.test("on a machine that refuses {words} every attack is held", words=["landlock", "user", "landlock user"], user=exq.USERS)
def refusing(words, user):
    if os.getuid() != 0:
        exq.skip("needs root, to refuse something and leave firejail its set-user-ID bit")
    answers, came, changed, answer = run_inside("firejail", user, FAMILIES, refuse=words.split(), timeout=50)
    exq.equal((answer["backend"], came, changed), ("firejail", [], []))
    exq.equal({name: got for name, got in answers.items()
               if not re.fullmatch(expected("firejail", name, "landlock" not in words), got)}, {})


PASSED_OVER = {
    "the network": '-DLEFT_OUT="--net"',
    "the capabilities": '-DLEFT_OUT="--caps"',
    "the ipc namespace": '-DLEFT_OUT="--ipc-namespace"',
    "the devices": '-DLEFT_OUT="--private-dev"',
    "the whole profile": '-DLEFT_OUT="--profile"',
    "what is to be shown": '-DFIRST="--ignore=whitelist"',
    "what is to be closed": '-DFIRST="--ignore=blacklist"',
    "what is to be read-only": '-DFIRST="--ignore=read-only"',
    "what is to be writable again": '-DFIRST="--ignore=read-write"',
}
# As root the launcher drops capabilities itself, and firejail makes that namespace unasked; Landlock closes /dev.
HELD = {("nothing", "root"), ("nothing", "ordinary"), ("the capabilities", "root"), ("the ipc namespace", "root"),
        ("the devices", "root"), ("the devices", "ordinary")}


def behind(ws, flag, command):
    """One answer on a machine whose firejail is another one, compiled with this flag."""
    if os.getuid() != 0:
        exq.skip("needs root, to put another firejail over the machine's")
    # by another name it would start the one of the machine
    true, false = os.path.join(ws.mkdir(f"{ws.dir}/true"), "firejail"), os.path.join(ws.dir, "false")
    with open(true, "wb"):
        pass
    subprocess.run([exq.need_program("cc"), "-O1", "-o", false, f'-DTRUE_WRAPPER="{true}"', flag, WRAPPER], check=True)
    os.chmod(false, 0o4755)
    script = f'mount --bind /usr/bin/firejail {true} && mount --bind "$0" /usr/bin/firejail && exec "$@"'
    return json.loads(headless(ws, ["unshare", "-m", "--propagation", "private", "sh", "-c", script, false, *as_user(ws)], command))


@exq.test("a firejail that passes over {what} is found out from inside, or the launcher holds it", what=["nothing", *PASSED_OVER], user=exq.USERS)
def passes_over(what, user):
    ws = exq.Workspace(backend="firejail", user=user)
    ws.write("repo/.git/hooks/pre-commit", "hook\n")
    ws.write("repo/.git/config", "[core]\n")
    for path in ("repo", "repo/.git", "repo/.git/hooks"):
        os.chown(ws.path(path), ws.uid, ws.gid)
    secret = ws.write(f"{ws.outside}/secret", "secret\n")
    answer = behind(ws, PASSED_OVER.get(what, "-DSAME"), f"touch ran repo/.git/hooks/ran {ws.outside}/ran; cat {secret}; grep ^Cap /proc/self/status; echo on")
    exq.check(not os.path.exists(ws.path("repo/.git/hooks/ran")) and os.listdir(ws.outside) == ["secret"], answer)
    exq.check("secret\n" not in answer["output"], answer)
    exq.equal(answer["reason"], None if (what, user) in HELD else "sandbox_failed", answer)


exq.main()
