"""What the doctor says of machines where something is in the way: each of them made so for real, as far as root can."""

import glob
import json
import os
import shutil
import subprocess

import attack_refuse
import exq
from exq_doctor import PYTHON, Report, doctor, on_machine, refusing, space
from exq_users import name_user

BUILDERS = ["landlock", "bubblewrap"]


@exq.test("where nothing is in the way it is safe, and a run takes what it says", user=exq.USERS)
def healthy(user):
    ws = space(user)
    report = doctor(ws)
    exq.equal((report.status, report.all["safe"], report.all["takes"]), (0, True, "landlock"))
    exq.equal(report.works(), ["landlock", "bubblewrap", "firejail"])
    exq.equal(report.causes("landlock", "bubblewrap", "firejail"), [[], [], []])
    exq.equal([report.backends[name]["choice"] for name in ("landlock", "firejail", "docker")], ["taken", "not_reached", "not_reached"])
    for name in report.works():
        exq.equal(set(report.backends[name]["isolates"].values()), {"holds"}, name)
        exq.check(all(limit["by"] for limit in report.backends[name]["limits"].values()), report.backends[name]["limits"])
    exq.equal("root" in report.named, user == "root")
    exq.equal(ws.call("true")["backend"], "landlock")


@exq.test("it starts nothing of the user's, and leaves nothing: no record, no file")
def harmless():
    ws = space()
    doctor(ws)
    exq.equal((os.listdir(ws.work), sorted(os.listdir(ws.home)), ws.records()), ([], [], []))


@exq.test("the report is the same whatever the locale, and names hold what they hold")
def locale():
    ws = space(env={"LANG": "C"})
    place = ws.mkdir(os.path.join(ws.work, "<ESC> \u202e\x1b"))
    report = doctor(ws, None, "-C", place)
    exq.equal((report.all["workspace"], report.status), (place, 0))


REFUSED = {
    "user namespaces": (["user"], BUILDERS, ["firejail"], ["syscall_filter"]),
    "process namespaces": (["pid"], [*BUILDERS, "firejail"], [], ["syscall_filter"]),
    "Landlock": (["landlock"], ["landlock"], ["bubblewrap", "firejail"], ["landlock_filtered"]),
    "namespaces for now": (["crowded"], [*BUILDERS, "firejail"], [], ["too_many_processes"]),
}


@exq.test("a machine that refuses {what}: each backend that fails says why, and the choice is right", what=list(REFUSED), user=exq.USERS)
def refused(what, user):
    words, failing, working, causes = REFUSED[what]
    ws = space(user)
    report = doctor(ws, refusing(ws, *words))
    if os.getuid() != 0:  # below the filter firejail does not become root
        working, failing = ([name for name in names if name != "firejail"] for names in (working, failing))
    exq.equal((report.status, report.works()), (0 if working else 1, working), report.all)
    for name in failing:
        found = [cause for cause in report.backends[name]["causes"] if cause not in ("container", "firejail_no_new_privs", "partial_not_accepted")]
        exq.equal(found, causes, name)
        exq.check(report.backends[name]["why"], name)
    exq.equal("partial_not_accepted" in report.backends["landlock"]["causes"], what.startswith(("user", "process")))
    order = [name for name in ("landlock", "firejail", "bubblewrap") if name in working]
    exq.equal(report.all["takes"], order[0] if order else None)
    exq.equal(report.all["why"] is None, bool(working))


@exq.test("what holds in part is said with what stays open, and is not called safe", user=exq.USERS)
def partial(user):
    ws = space(user, sections={"exequatur": {"accept_partial": True, "auto_order": ["landlock", "bubblewrap"]}})
    report = doctor(ws, refusing(ws, "user"))
    landlock = report.backends["landlock"]
    exq.equal((report.status, report.all["takes"], landlock["without_namespaces"], landlock["sandbox"]), (1, "landlock", True, "part"))
    exq.check(landlock["open"] and landlock["why"] and "syscall_filter" in landlock["causes"], landlock)


@exq.test("what is refused and can be missed is said of a backend that works")
def in_part():
    ws = space("root")
    report = doctor(ws, refusing(ws, "net"))
    exq.equal((report.status, report.all["takes"]), (0, "landlock"))
    exq.equal(report.backends["landlock"]["isolates"]["network"], "part")
    exq.equal(report.causes("landlock"), [["syscall_filter"]])
    exq.check("syscall_filter" in report.backends["bubblewrap"]["causes"], report.backends["bubblewrap"])


@exq.test("where no fork can ask, the limit of processes is said to be held in part")
def no_listener():
    ws = space("root")
    report = doctor(ws, refusing(ws, "listener"))
    exq.has(report.named, "no_fork_questions")
    exq.equal(report.backends["landlock"]["limits"]["processes"], {"held": False, "by": "watched", "but": "may pass for 20 ms"})


SETTINGS = {"max_user_namespaces": ("max_user_namespaces", BUILDERS, []), "max_pid_namespaces": ("max_namespaces", BUILDERS, []),
            "max_net_namespaces": ("max_namespaces", BUILDERS, ["landlock"])}


@exq.test("a user namespace in which {setting} is 0", setting=list(SETTINGS))
def settings(setting):
    cause, named, working = SETTINGS[setting]
    ws = space("root")
    script = f'echo 0 > /proc/sys/user/{setting} && exec "$@"'
    process = ws.popen(["unshare", "-r", "sh", "-ec", script, "sh", ws.program(), "doctor", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=60)
    report = Report(subprocess.CompletedProcess([], process.returncode, out, err))
    exq.equal((report.status, report.works()), (0 if working else 1, working), report.all)
    partial = [["partial_not_accepted"], []] if not working else [[], []]
    exq.equal(report.causes(*named), [[cause, *more] for more in partial])
    exq.check("firejail_user_namespace" in report.backends["firejail"]["causes"], report.backends["firejail"])
    exq.check(report.all["machine"]["user_namespace"], "it does not know that it is in one")


def made_up(ws, **values):
    """A script that puts other settings over those of the kernel."""
    kernel = ws.mkdir(os.path.join(ws.dir, "kernel"))
    lines = [f"cp -r --no-preserve=all /proc/sys/kernel/. {kernel} 2>/dev/null || true"]
    lines += [f"echo {value} > {kernel}/{name}" for name, value in values.items()]
    return "\n".join([*lines, f"mount --bind {kernel} /proc/sys/kernel"])


@exq.test("AppArmor as on Ubuntu: it prints the lines that install the profile, which is there")
def apparmor():
    ws = space()
    machine = on_machine(ws, made_up(ws, apparmor_restrict_unprivileged_userns=1))
    shutil.copytree(os.path.join(exq_build(), "doc/apparmor"), os.path.join(ws.bin, "doc/apparmor"))
    report = doctor(ws, machine)
    exq.equal([causes[0] for causes in report.causes(*BUILDERS)], ["apparmor_userns"] * 2)
    lines = report.named["apparmor_userns"]["way_out"]
    exq.has(lines[0], f"{ws.bin}/exequatur-supervisor is in use")
    words = lines[1].split()
    exq.equal(words[:5] + words[6:], ["as", "root:", "install", "-m", "644", "/etc/apparmor.d/exequatur-supervisor", "&&",
                                      "apparmor_parser", "-r", "/etc/apparmor.d/exequatur-supervisor"])
    with open(words[5], encoding="ascii") as file:
        exq.matches(file.read(), r"^profile exequatur-supervisor /\S+/libexec/exequatur/exequatur-supervisor flags=\(unconfined\) \{\n\tuserns,$")


@exq.test("a kernel that lets only root make user namespaces")
def userns_clone():
    ws = space()
    report = doctor(ws, on_machine(ws, made_up(ws, unprivileged_userns_clone=0)))
    exq.equal([causes[0] for causes in report.causes(*BUILDERS)], ["unprivileged_userns_clone"] * 2)
    exq.has(report.named["unprivileged_userns_clone"]["way_out"][0], "sysctl -w kernel.unprivileged_userns_clone=1")


@exq.test("a masked /proc is named with its place, and firejail does without")
def masked():
    ws = space()
    report = doctor(ws, on_machine(ws, "mount -t tmpfs none /proc/acpi"))
    exq.equal(["proc_masked" in causes for causes in report.causes(*BUILDERS)], [True, True], report.all)
    exq.has(report.named["proc_masked"]["words"], "/proc/acpi")
    exq.equal((report.status, report.all["takes"]), (0, "firejail"))


@exq.test("a /proc that hides processes: what is not held is said, in the report and on the card", user=exq.USERS)
def hidden(user):
    ws = space(user, env={"EXEQUATUR_ALLOW_UNSANDBOXED": "1"})
    machine = on_machine(ws, "mount -t tmpfs none /sys/fs/cgroup\nmount -t proc -o hidepid=2 proc /proc")
    report = doctor(ws, machine)
    exq.equal("processes_hidden" in report.named, user == "ordinary")
    unheld = {name: [limit for limit, held in report.backends[name]["limits"].items() if held["by"] is None] for name in report.works()}
    wanted = {"landlock": [], "bubblewrap": [], "firejail": ["cpu"], "none": ["memory", "processes", "cpu"]}
    exq.equal(unheld, wanted if user == "ordinary" else {name: [] for name in wanted})
    if user == "ordinary":
        process = ws.popen([*machine, ws.program(), "--headless", "-b", "none"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, user=0, group=0)
        out, _err = process.communicate(b'{"name":"shell","arguments":{"command":"true"}}\n', timeout=60)
        exq.equal(set(json.loads(out)["notes"]), {"unsandboxed", "memory_not_enforced", "processes_not_enforced", "cpu_not_enforced"})


@exq.test("inside a container firejail isolates nothing, and the others are taken")
def container():
    ws = space()
    report = doctor(ws, on_machine(ws, ":", "unshare", "-pf", "--mount-proc", "--kill-child"))
    exq.equal((report.causes("firejail"), report.backends["firejail"]["failed_at"]), ([["firejail_container"]], "isolation"))
    exq.equal((report.status, report.works(), report.all["machine"]["container"]), (0, BUILDERS, True))


@exq.test("below a changed root no user namespace is to be had, which is named")
def changed_root():
    ws = space()
    root = os.path.join(ws.dir, "root")
    parts = ["usr", "etc", "proc", "dev", "sys", "run", "tmp"]
    script = "\n".join([f"mkdir {root}"] + [f"mkdir {root}/{part} && mount --rbind /{part} {root}/{part}" for part in parts]
                       + [f"ln -s usr/{link} {root}/{link}" for link in ("bin", "sbin", "lib", "lib64")])
    report = doctor(ws, [*on_machine(ws, script)[:-2], script + f'\nexec chroot {root} setpriv --reuid={ws.uid} --regid={ws.gid} --clear-groups "$@"', "sh"], "-C", ws.work)
    exq.equal(["changed_root" in causes for causes in report.causes(*BUILDERS)], [True, True], report.all)


def moved(ws, place):
    """The environment of a machine that has the directory of the workspace there."""
    ws.env = {name: value.replace(ws.dir, place) for name, value in ws.env.items()}


@exq.test("without /tmp bwrap builds no root, and a TMPDIR that is not there is in nobody's way")
def no_tmp():
    ws = space(env={"TMPDIR": "/nonexistent"})
    report = doctor(ws)
    exq.equal((report.status, report.works()), (0, [*BUILDERS, "firejail"]))
    moved(ws, "/w")
    links = [word for name in ("bin", "sbin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
    parts = [word for name in ("usr", "etc", "proc", "dev", "sys", "run") for word in ("--dev-bind", f"/{name}", f"/{name}")]
    root = [exq.need_program("bwrap"), *parts, *links, "--bind", ws.dir, "/w", "--cap-add", "ALL", "--",
            "setpriv", f"--reuid={ws.uid}", f"--regid={ws.gid}", "--clear-groups"]
    if os.getuid() != 0:
        exq.skip("needs root, to be without /tmp")
    process = ws.popen([*root, ws.program().replace(ws.dir, "/w"), "doctor", "--json", "-C", "/w/work"], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, user=0, group=0)
    out, err = process.communicate(timeout=60)
    report = Report(subprocess.CompletedProcess([], process.returncode, out, err))
    exq.equal(("tmp_missing" in report.backends["bubblewrap"]["causes"], report.all["takes"]), (True, "landlock"), report.all)


@exq.test("a /tmp that takes nothing is in the way of landlock without namespaces alone")
def unwritable_tmp():
    ws = space(sections={"exequatur": {"accept_partial": True}})
    script = f"mount --bind {ws.dir} /mnt\nmount -t tmpfs -o ro none /tmp\nmount -t tmpfs -o ro none /var/tmp"
    machine = on_machine(ws, script)
    for path in glob.glob(os.path.join(os.path.dirname(attack_refuse.__file__), "attack_*.py")):
        shutil.copy(path, ws.dir)
    helper = os.path.join(ws.dir, os.path.basename(attack_refuse.__file__))
    moved(ws, "/mnt")
    if os.getuid() == 0:
        name_user(ws.uid, ws.env["HOME"])  # firejail makes that home private, and no other there
    ws.bin = ws.bin.replace(ws.dir, "/mnt")
    exq.equal(doctor(ws, machine, "-C", "/mnt/work").works(), [*BUILDERS, "firejail"])
    report = doctor(ws, [*machine, PYTHON, "-B", helper.replace(ws.dir, "/mnt"), "user", "--"], "-C", "/mnt/work")
    exq.check("tmp_not_usable" in report.backends["landlock"]["causes"], report.backends["landlock"])


@exq.test("without a control group memory is sampled, which is said")
def no_control_group():
    ws = space("root")
    report = doctor(ws, on_machine(ws, "mount -t tmpfs none /sys/fs/cgroup"))
    exq.has(report.named, "no_control_group")
    exq.equal(report.backends["landlock"]["limits"]["memory"], {"held": False, "by": "sampled", "but": "may pass by 40 MB"})
    exq.equal(report.backends["landlock"]["limits"]["cpu"]["by"], "supervisor")


@exq.test("programs that are not there are named with the way to have them, in words too")
def absent():
    ws = space(env={"PATH": "/nonexistent"})
    report = doctor(ws)
    exq.equal(report.causes("bubblewrap", "firejail", "docker"), [["bubblewrap_absent"], ["firejail_absent"], ["docker_absent"]])
    exq.equal((report.status, report.works()), (0, ["landlock"]))
    text = ws.exequatur("doctor").stdout.decode()
    exq.matches(text, r"^ firejail   no   not installed\n +because  firejail_absent$")
    exq.matches(text, r"^ firejail_absent \(firejail\)\n   firejail is not on PATH\n   - as root: apt-get install firejail$")
    exq.matches(text, r"\nauto: a run takes landlock\n  not reached  firejail, bubblewrap, docker\n$")


@exq.test("a program that others could replace is named, and so is a firejail that is not root's")
def untrusted():
    ws = space()
    tools = ws.mkdir(os.path.join(ws.dir, "tools"), 0o777)
    shutil.copy(exq.need_program("bwrap"), os.path.join(tools, "bwrap"))
    ws.env["PATH"] = tools
    exq.equal(doctor(ws).causes("bubblewrap"), [["program_not_trusted"]])
    ws.env["PATH"] = "/usr/bin"
    report = doctor(ws, on_machine(ws, "mount --bind /usr/bin/env /usr/bin/firejail"))
    exq.equal(report.causes("firejail"), [["firejail_not_setuid"]])


@exq.test("a user whom firejail turns away, and one who gains no rights, are told apart")
def firejail_user():
    ws = space()
    if ws.uid == os.getuid():
        exq.skip("needs root, to rename the user")
    report = doctor(ws, ["setpriv", f"--reuid={ws.uid}", f"--regid={ws.gid}", "--clear-groups", "--no-new-privs"])
    exq.equal((report.causes("firejail"), report.status), ([["firejail_no_new_privs"]], 0))
    name_user(ws.uid, ws.home, "nobody")
    report = doctor(ws)
    exq.equal(report.causes("firejail"), [["firejail_user"]])
    exq.has(report.named["firejail_user"]["way_out"][0], "firecfg --add-users nobody")


@exq.test("the switch: {value}", value=[None, "1", "yes"])
def switch(value):
    ws = space(backend="none" if value else None, env={"EXEQUATUR_ALLOW_UNSANDBOXED": value})
    report = doctor(ws)
    exq.equal("none" in report.backends, value is not None)
    if value == "1":
        exq.equal((report.all["takes"], report.status, set(report.backends["none"]["isolates"].values())), ("none", 1, {"open"}))
    elif value:
        exq.equal((report.all["takes"], report.status, report.causes("none")), (None, 1, [["switch_refused"]]))


@exq.test("a named backend that does not work is not safe, whatever the others do")
def named():
    ws = space(backend="firejail", env={"PATH": "/nonexistent"})
    report = doctor(ws)
    exq.equal((report.status, report.all["takes"], report.all["configured"]), (1, None, "firejail"))
    exq.equal([report.backends[name]["choice"] for name in ("landlock", "firejail")], ["not_asked", "passed_over"])
    exq.has(report.all["why"], "firejail: not installed")


@exq.test("a record that cannot be written is not safe: every call would be refused", user=exq.USERS)
def record(user):
    ws = space(user)
    place = ws.mkdir(os.path.join(ws.state, "exequatur", "audit"), 0o700)
    os.chown(os.path.dirname(place), ws.uid, ws.gid)
    report = doctor(ws, on_machine(ws, f"mount -t tmpfs -o mode=700,uid={ws.uid} none {place}\nmount -o remount,ro {place}"))
    exq.equal((report.status, report.all["record"]["writable"], report.all["takes"]), (1, False, "landlock"), report.all["record"])


@exq.test("a mistake in the arguments or the configuration ends with 2 and no report")
def usage():
    ws = space()
    exq.equal((ws.exequatur("doctor", "everything").returncode, ws.exequatur("plan", "--json", "true").returncode), (2, 2))
    ws.write_config("nonsense = 1\n")
    done = ws.exequatur("doctor", "--json")
    exq.equal((done.returncode, done.stdout), (2, b""))


def exq_build():
    """The directory with what was built."""
    return os.path.realpath(os.environ.get("EXQ_BUILD", os.getcwd()))


@exq.test("the AppArmor profile is taken by the parser of this machine, but for the rule that only version 4 knows")
def profile():
    ws = space()
    parser = exq.need_program("apparmor_parser")
    with open(os.path.join(exq_build(), "doc/apparmor/exequatur-supervisor"), encoding="ascii") as file:
        text = file.read()
    exq.equal((text.count("\tuserns,\n"), text.count("abi <abi/4.0>,\n")), (1, 1))
    if not os.path.exists("/etc/apparmor.d/abi/4.0"):
        text = text.replace("\tuserns,\n", "").replace("abi/4.0", "abi/3.0")
    done = subprocess.run([parser, "--skip-kernel-load", "--skip-cache"], input=text.encode(), capture_output=True, check=False)
    exq.equal(done.returncode, 0, done.stderr.decode())
    broken = subprocess.run([parser, "--skip-kernel-load", "--skip-cache"], input=text.replace("flags=", "flag=").encode(), capture_output=True, check=False)
    exq.check(broken.returncode != 0, "the parser takes anything")
    exq.equal(os.listdir(ws.work), [])


exq.main()
