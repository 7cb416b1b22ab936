"""Runs in the machine: what its kernel refuses when it is told to, for real, and what AppArmor refuses."""

import contextlib
import ctypes
import os
import shutil
import subprocess
import time

import exq
from exq_doctor import doctor, space
from exq_space import LACKS, build_dir, request

BUILDERS = ["landlock", "bubblewrap"]
OTHERS = [name for name in ["firejail"] if name not in LACKS]
REFUSED = ["no_sandbox_available", "sandbox_failed", "sandbox_unavailable"]
# A setting, and for whom it takes user namespaces away.
SETTINGS = {"kernel.unprivileged_userns_clone": ["ordinary"], "user.max_user_namespaces": exq.USERS}
PROFILE = """
profile exequatur-vm {program} flags=(attach_disconnected) {{
	capability, file, network, ptrace, signal, unix, pivot_root, umount,
	audit deny mount,
}}
"""


def read(path):
    """The only line of a file."""
    with open(path, encoding="ascii") as file:
        return file.read().strip()


@exq.test("the machine is what these suites are for: AppArmor, control groups of version 2, Landlock below ABI 3")
def machine():
    exq.equal(read("/sys/module/apparmor/parameters/enabled"), "Y")
    exq.equal({"cpu", "memory", "pids"} - set(read("/sys/fs/cgroup/cgroup.controllers").split()), set())
    exq.equal(ctypes.CDLL(None).syscall(444, None, 0, 1), 2)


@exq.test("{setting} is 0: what needs a user namespace is refused by name, and auto goes on", setting=list(SETTINGS), user=exq.USERS)
def setting_is_zero(setting, user):
    exq.equal(read("/proc/sys/" + setting.replace(".", "/")), "0")
    refused = user in SETTINGS[setting]
    report = doctor(space(user))
    exq.equal(report.works(), [*([] if refused else BUILDERS), *OTHERS])
    exq.equal([causes[:1] for causes in report.causes(*BUILDERS)], [[setting.partition(".")[2]]] * 2 if refused else [[], []])
    taken = (OTHERS if refused else BUILDERS)[:1]
    exq.equal((report.status, [report.all["takes"]]), (0, taken) if taken else (1, [None]))
    for backend in [None, *BUILDERS]:
        ws = space(user, backend=backend)
        answer = ws.call("touch ran; echo ran")
        if refused and (backend or not OTHERS):
            exq.equal((answer["reason"] in REFUSED, os.listdir(ws.work)), (True, []), answer)
        else:
            exq.equal((answer["output"], answer["backend"]), ("ran\n", backend or taken[0]), answer)


@contextlib.contextmanager
def confined(program):
    """A profile of AppArmor for a program, which may do what it likes but mount."""
    def parser(change):
        done = subprocess.run(["apparmor_parser", "--skip-cache", change], input=PROFILE.format(program=program).encode(),
                              capture_output=True, check=False)
        exq.check(done.returncode == 0, done.stderr.decode())

    parser("--add")
    try:
        yield
    finally:
        parser("--remove")


@exq.test("a profile of AppArmor that forbids the supervisor to mount: refused by name, nothing runs", user=exq.USERS)
def apparmor(user):
    ws = space(user, backend="landlock")
    if ws.bin == build_dir():  # the profile is not for other tests
        ws.bin = shutil.copytree(ws.bin, os.path.join(ws.dir, "bin"))
    with confined(ws.program("exequatur-supervisor")):
        answer = ws.call("touch ran")
    exq.equal((answer["reason"] in REFUSED, os.listdir(ws.work)), (True, []), answer)
    exq.has(answer["error"], "Permission denied")
    exq.equal(ws.call("echo ran")["output"], "ran\n")


@exq.test("H048 the wall clock is set {hours} hours on while a command runs: its limit is in real time", hours=[1, -2])
def wall_clock(hours):
    ws = space("root", backend="landlock")
    session = ws.start()
    session.send(request("echo up; sleep 600", timeout=5))
    exq.wait_for(lambda: ws.events("started"), what="its start")
    begun, before = time.monotonic(), time.time()
    time.clock_settime(time.CLOCK_REALTIME, before + hours * 3600)
    try:
        answer = session.answer()
        took = time.monotonic() - begun
    finally:
        time.clock_settime(time.CLOCK_REALTIME, before + time.monotonic() - begun)
    exq.equal((answer["reason"], answer["output"]), ("timeout", "up\n"), answer)
    exq.check(3 < took < 50 and 5000 <= answer["duration_ms"] < 50000, (took, answer))
    session.close_input()
    exq.equal(session.wait(), 0)
    exq.equal(ws.exequatur("audit", "verify", os.path.join(ws.state, "exequatur", "audit")).returncode, 0)


exq.main()
