"""What a machine shows of itself, covered for a program and all that comes from it: words of attack_refuse.py.

  proc=masked    parts of it covered, as in a container: the kernel then lets no user namespace mount one
  proc=hidden    hidepid=2: others' processes are not listed
  proc=closed    hidepid=1: they are listed, and that is all
  proc=empty     none
  sys=fixed      read-only, with the control groups in it
  sys=empty      none
  cgroup=none    no control groups"""

import ctypes
import os

CLONE_NEWNS = 0x20000
RDONLY, NOSUID, REMOUNT, BIND, REC, PRIVATE = 1, 2, 32, 4096, 16384, 1 << 18
LIBC = ctypes.CDLL(None, use_errno=True)
MASKED = ["/proc/kcore", "/proc/keys", "/proc/timer_list"]
READ_ONLY = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"]


def mount(source, target, kind, flags, data=None):
    """mount(2)."""
    words = [None if word is None else word.encode() for word in (source, target, kind)]
    if LIBC.mount(*words, ctypes.c_ulong(flags), None if data is None else data.encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


def tmpfs(path):
    """Nothing but an empty directory."""
    mount("none", path, "tmpfs", NOSUID, "mode=755,size=64k")


def fix(path):
    """All of the tree becomes read-only."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        below = [line.split()[4] for line in file]
    for point in below:
        if point == path or point.startswith(path + "/"):
            mount(None, point, None, REMOUNT | BIND | RDONLY)


def mask():
    """What an engine covers in a container."""
    for path in filter(os.path.exists, MASKED):
        mount("/dev/null", path, None, BIND)
    for path in filter(os.path.exists, READ_ONLY):
        mount(path, path, None, BIND | REC)
        mount(None, path, None, REMOUNT | BIND | RDONLY)


WAYS = {
    "proc=masked": mask,
    "proc=hidden": lambda: mount("proc", "/proc", "proc", NOSUID, "hidepid=2"),
    "proc=closed": lambda: mount("proc", "/proc", "proc", NOSUID, "hidepid=1"),
    "proc=empty": lambda: tmpfs("/proc"),
    "sys=fixed": lambda: fix("/sys"),
    "sys=empty": lambda: tmpfs("/sys"),
    "cgroup=none": lambda: tmpfs("/sys/fs/cgroup"),
}


def cover(words):
    """Does so for this process, in mounts of its own; the words of others are passed over."""
    ways = [WAYS[word] for word in words if word in WAYS]
    if not ways:
        return
    if LIBC.unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    mount("none", "/", None, REC | PRIVATE)
    for way in ways:
        way()
