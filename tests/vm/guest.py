"""The first program of the machine's own root: makes a running system of it, runs the suites, says how they went on the port
of results, and ends the machine."""

import concurrent.futures
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback

from suites import PHASES

GROUPS = "/sys/fs/cgroup"
CONTROLLERS = "+memory +pids +cpu"
ORDINARY = 65534
# As a machine with systemd has them: the user's part is his from the service of his session down.
USER_SERVICE = f"user.slice/user-{ORDINARY}.slice/user@{ORDINARY}.service"
OWN_GROUP = f"{USER_SERVICE}/app.slice/terminal.scope"
PROGRAMS = ["exequatur", "exequatur-console", "exequatur-supervisor", "exequatur-launcher"]
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
               "PYTHONPATH": "/source/tests/helpers", "EXQ_BUILD": "/opt", "EXQ_SOURCE": "/source"}
MOUNTS = [("proc", "/proc", "proc", ""), ("sysfs", "/sys", "sysfs", ""), ("tmpfs", "/run", "tmpfs", "mode=755"),
          ("/dev/vda", "/tmp", "ext4", ""), ("securityfs", "/sys/kernel/security", "securityfs", ""),
          ("cgroup2", GROUPS, "cgroup2", ""), ("devpts", "/dev/pts", "devpts", "mode=620,ptmxmode=666"),
          ("tmpfs", "/dev/shm", "tmpfs", "mode=1777"), ("mqueue", "/dev/mqueue", "mqueue", "")]
NETWORK = """
ip link set lo up
ip link add out0 type veth peer name out1
ip link set out0 up
ip link set out1 up
ip addr add 192.0.2.2/24 dev out0
ip addr add 2001:db8::2/64 dev out0 nodad
ip route add default via 192.0.2.1
ip route add default via 2001:db8::1
"""


def write(path, text):
    """Writes to a file of the kernel."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def mount_all():
    """The file systems of a running system."""
    for source, target, kind, options in MOUNTS:
        os.makedirs(target, exist_ok=True)
        subprocess.run(["mount", "-t", kind, *(["-o", options] if options else []), source, target], check=True)
    os.chmod("/tmp", 0o1777)
    write("/run/agent.pid", "1\n")  # something that only this machine has there
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        if not os.path.lexists(f"/dev/{name}"):
            os.symlink(target, f"/dev/{name}")


def network():
    """The loopback answers, and there is a way out that leads nowhere."""
    subprocess.run(["sh", "-ec", NETWORK], check=True)
    os.chmod("/dev/net/tun", 0o666)


def groups():
    """Hands the controllers down and gives the user's part to the ordinary user; we are in the group of his terminal."""
    parts = OWN_GROUP.split("/")
    for depth, _part in enumerate(parts):
        above = os.path.join(GROUPS, *parts[:depth])
        write(f"{above}/cgroup.subtree_control", CONTROLLERS)
        os.mkdir(os.path.join(GROUPS, *parts[:depth + 1]))
    for root, _dirs, names in os.walk(os.path.join(GROUPS, USER_SERVICE)):
        os.chown(root, ORDINARY, ORDINARY)
        for name in ("cgroup.procs", "cgroup.threads", "cgroup.subtree_control"):
            os.chown(os.path.join(root, name), ORDINARY, ORDINARY)
    write(f"{GROUPS}/{OWN_GROUP}/cgroup.procs", "0")


def copies():
    """The programs belong to root, as installed ones do."""
    for name in PROGRAMS:
        shutil.copy(f"/build/{name}", f"/opt/{name}")


def lacking():
    """Whoever is not root on the host cannot read all programs of firejail, and neither can this machine then."""
    try:
        for path in glob.glob("/usr/lib/*/firejail/*"):
            os.close(os.open(path, os.O_RDONLY))
        return ""
    except PermissionError:
        return "firejail"


class Results:
    """The port of results: one line of JSON for each thing that is to be told."""

    def __init__(self, port):
        self.file = open(port, "w", encoding="utf-8")
        self.lock = threading.Lock()

    def say(self, *words):
        """Tells one thing."""
        with self.lock:
            self.file.write(json.dumps(words) + "\n")
            self.file.flush()


def run(suite, results):
    """Runs one suite; each line of it is told."""
    results.say("begin", suite.name)
    begun = time.monotonic()
    process = subprocess.Popen([sys.executable, "-B", f"/source/{suite.script}", "-e", suite.points], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/tmp", start_new_session=True, env=ENVIRONMENT)
    for line in process.stdout:
        results.say("line", suite.name, line.decode("utf-8", "replace").rstrip("\n"))
    _pid, status, used = os.wait4(process.pid, 0)
    results.say("end", suite.name, status, round(time.monotonic() - begun), round(used.ru_utime + used.ru_stime))


def main(results):
    """Everything, once: as many suites at a time as there are processors, but those that change the machine alone."""
    with open("/etc/suites", encoding="utf-8") as file:
        words = file.read()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for settings, phase in PHASES:
            for name, value in settings.items():
                write(f"/proc/sys/{name.replace('.', '/')}", value)
            for done in [pool.submit(run, suite, results) for suite in phase
                         if (re.search(words, suite.name) if words else not suite.by_hand)]:
                done.result()
    results.say("done")


def begin():
    """Makes a running system, and tells how it went."""
    mount_all()
    [port] = glob.glob("/dev/vport*p*")
    results = Results(port)
    try:
        network()
        groups()
        copies()
        ENVIRONMENT["EXQ_LACKS"] = lacking()
        with open("/proc/uptime", encoding="ascii") as file:
            results.say("up", file.read().split()[0])
        main(results)
    except Exception:
        results.say("broken", traceback.format_exc())


try:
    begin()
finally:
    write("/proc/sysrq-trigger", "o")
    signal.pause()
