"""What the benchmarks share: the same work done by us and by somebody else in one run."""

import contextlib
import os
import re
import struct
import subprocess
import time

from exq_space import build_dir

BWRAP = """bwrap --die-with-parent --new-session --unshare-user --unshare-pid --unshare-ipc --unshare-uts
--unshare-cgroup-try --unshare-net --hostname sandbox --cap-drop ALL --tmpfs / --ro-bind /usr /usr --symlink usr/bin /bin
--symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --dir /etc
--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache --ro-bind-try /etc/alternatives /etc/alternatives
--ro-bind-try /etc/passwd /etc/passwd --ro-bind-try /etc/group /etc/group --ro-bind-try /etc/nsswitch.conf /etc/nsswitch.conf
--ro-bind-try /etc/localtime /etc/localtime --ro-bind-try /etc/hosts /etc/hosts --ro-bind-try /etc/ssl/certs /etc/ssl/certs
--dev /dev --proc /proc --ro-bind /proc/sys /proc/sys --perms 1777 --size 67108864 --tmpfs /tmp --tmpfs /run --tmpfs /var/tmp
--bind W W --remount-ro / --chdir W --clearenv --setenv PATH /usr/bin:/bin --setenv HOME /tmp
--seccomp FILTER --json-status-fd STATUS -- /bin/sh -c COMMAND"""


def filter_bytes():
    """The system call filter that our launcher loads, as bwrap takes it."""
    with open(os.path.join(build_dir(), "sandbox", "seccomp_filters.h"), encoding="ascii") as file:
        rows = file.read().split("filter_sockets[] = {")[1].split("};")[0]
    return b"".join(struct.pack("=HBBI", *(int(cell, 0) for cell in row.split(",")))
                    for row in re.findall(r"\{([^}]*)\}", rows))


@contextlib.contextmanager
def bwrap_call(ws, command="true"):
    """Argv and descriptors of a careful bwrap call on a command: with a filter, as ours has one, and a status."""
    path = os.path.join(ws.dir, "filter")
    if not os.path.exists(path):
        with open(path, "wb") as file:
            file.write(filter_bytes())
    fds = os.open(path, os.O_RDONLY), os.open("/dev/null", os.O_WRONLY)
    names = {"W": ws.work, "FILTER": str(fds[0]), "STATUS": str(fds[1]), "COMMAND": command}
    try:
        yield [names.get(word, word) for word in BWRAP.split()], fds
    finally:
        for fd in fds:
            os.close(fd)


def timed(argv, ws, fds=()):
    """Seconds of one whole process."""
    begun = time.perf_counter()
    subprocess.run(argv, env=ws.env, cwd=ws.work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, pass_fds=fds, check=True)
    return time.perf_counter() - begun


def timed_bwrap(ws):
    """Seconds of bwrap on `true`."""
    with bwrap_call(ws) as (argv, fds):
        return timed(argv, ws, fds)


def verdict(name, value, bound, at_most):
    """Prints one ratio against its bound."""
    holds = value <= bound if at_most else value >= bound
    print(f"{name}: {value:.3f} ({'at most' if at_most else 'at least'} {bound}): {'holds' if holds else 'MISSED'}", flush=True)
    return holds


def alone():
    """Both sides before all else that runs on this machine, where we may: else its queue of waiting programs is measured."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except PermissionError:
        print("not root: what else runs on this machine takes part")


def together():
    """Undoes alone()."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def peak_kib(pid):
    """VmHWM of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    return 0
