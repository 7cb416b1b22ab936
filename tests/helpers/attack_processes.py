"""Processes, memory, queues and descriptors outside."""

import ctypes
import glob
import os
import signal
import struct

from attack_base import LIBC, MARKER, T, attack, call, first_process, held_unless, last_errno, zeros


def on_victim(name, number, *after, before=(), inside="ESRCH"):
    """Registers an attack that is one call with the pid of a process outside."""
    attack("processes", name, inside)(lambda: call(number, *before, T["victim"], *after))


on_victim("a process outside is signalled", 62, signal.SIGCONT)
on_victim("a thread outside is signalled", 200, signal.SIGCONT)
on_victim("a process outside is signalled with a value", 129, signal.SIGCONT, zeros(128, signal.SIGCONT, 0, (1 << 32) - 1))
on_victim("a process outside is opened by pidfd", 434, 0)
on_victim("a process outside is traced", 101, 0, 0, before=(0x4206,), inside="EPERM")
on_victim("memory outside is read", 310, zeros(16), 0, zeros(16), 0, 0, inside="EPERM")
on_victim("memory outside is written", 311, zeros(16), 0, zeros(16), 0, 0, inside="EPERM")
on_victim("limits outside are changed", 302, 4, struct.pack("2Q", 0, 0), 0)
on_victim("priority outside is changed", 141, 5, before=(0,))
on_victim("processors outside are changed", 203, 8, ctypes.create_string_buffer(b"\xff" * 8))
on_victim("the scheduler outside is changed", 144, 3, zeros(8))
on_victim("I/O priority outside is changed", 251, 2 << 13 | 7, before=(1,))
on_victim("the session outside is asked for", 124)
on_victim("processes are compared", 312, 0, 0, 0, before=(os.getpid(),), inside="EPERM")


@attack("processes", "a descriptor outside is taken", "EPERM|ESRCH")
def take_descriptor():
    try:
        pidfd = call(434, T["victim"], 0)
    except OSError:
        pidfd = call(434, os.getppid(), 0)
    call(438, pidfd, 0, 0)


@attack("processes", "an own child is traced", "EPERM")
def trace_child():
    pid = os.fork()
    if pid == 0:
        signal.pause()
    try:
        call(101, 0x4206, pid, 0, 0)
    finally:
        os.kill(pid, signal.SIGKILL)


@attack("processes", "/proc shows a process outside", "only own")
def listing():
    names = [name for name in os.listdir("/proc") if name.isdigit()]
    held_unless(str(T["victim"]) in names or len(names) > 8, "only own")


@attack("processes", "the command line outside is read", "ENOENT")
def command_line():
    os.stat(f"/proc/{T['victim']}/cmdline")


def register_first():
    """The files of /proc that hold another process's memory and view."""
    for name in ("environ", "mem", "maps", "auxv"):
        attack("processes", f"/proc/1/{name} is opened", "EACCES|EPERM|ENOENT")(
            lambda name=name: os.read(os.open(f"/proc/{first_process()}/{name}", os.O_RDONLY), 0 if name == "mem" else 64))
    for name in ("root", "cwd", "exe"):
        attack("processes", f"/proc/1/{name} is followed", "EACCES|EPERM|ENOENT")(
            lambda name=name: os.readlink(f"/proc/{first_process()}/{name}"))
    attack("processes", "/proc/1/map_files is listed", "EACCES|EPERM|ENOENT")(
        lambda: os.listdir(f"/proc/{first_process()}/map_files"))
    for number in (0, 3, 4):
        attack("processes", f"/proc/1/fd/{number} is opened", "EACCES|EPERM|ENOENT", root=None, user=None)(
            lambda number=number: os.open(f"/proc/{first_process()}/fd/{number}", os.O_RDONLY))


register_first()


@attack("processes", "a secret is in an environment that can be read", "not found")
def secrets():
    found = []
    for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/task/*/environ"):
        try:
            with open(path, "rb") as file:
                if MARKER.encode() in file.read():
                    found.append(path)
        except OSError:
            pass
    held_unless(found, "not found")


@attack("processes", "a variable beside the nine is set", "the nine")
def variables():
    nine = {"PATH", "HOME", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "USER", "SHELL", "TMPDIR"}
    with open("/proc/self/environ", "rb") as file:
        names = {part.split(b"=")[0].decode() for part in file.read().split(b"\0") if part}
    # the shell in between adds its own; nothing else may be there
    held_unless(names - nine - {"PWD", "OLDPWD", "SHLVL", "_"}, "the nine")


@attack("processes", "a descriptor beside 0, 1 and 2 is open", "none")
def descriptors():
    held_unless(T["descriptors"] != ["0", "1", "2", "3"], "none")  # 3 is the listing itself


@attack("processes", "shared memory of the host is read (System V)", "ENOENT")
def shared_memory():
    held_unless(LIBC.shmget(T["ipc_key"], 16, 0) >= 0, last_errno())


@attack("processes", "shared memory of the host is attached by its number", "EINVAL")
def attached_memory():
    LIBC.shmat.restype = ctypes.c_void_p
    held_unless(LIBC.shmat(T["shm"], None, 0o10000) != ctypes.c_void_p(-1).value, last_errno())


@attack("processes", "a semaphore of the host is found", "ENOENT")
def semaphore():
    held_unless(LIBC.semget(T["ipc_key"], 1, 0) >= 0, last_errno())


@attack("processes", "a message queue of the host is found", "ENOENT")
def message_queue():
    held_unless(LIBC.msgget(T["ipc_key"], 0) >= 0, last_errno())


@attack("processes", "a POSIX queue of the host is opened", "ENOENT|EACCES")
def posix_queue():
    held_unless(LIBC.mq_open(T["queue"].encode(), os.O_RDONLY) >= 0, last_errno())


@attack("processes", "POSIX shared memory of the host is opened", "ENOENT")
def posix_memory():
    os.open(T["shm_file"], os.O_RDONLY)
