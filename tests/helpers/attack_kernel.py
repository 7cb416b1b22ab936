"""Kernel interfaces that a command has no use for, by number (x86-64)."""

import ctypes
import mmap
import os
import signal
import struct

from attack_base import AT_FDCWD, T, attack, call, held_unless, zeros


def plain(name, number, *arguments, inside="EPERM", root="done", user="done"):
    """Registers an attack that is one system call."""
    attack("kernel", name, inside, root, user)(lambda: call(number, *arguments))


CLONE_FLAGS = {"mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000,
               "pid": 0x20000000, "net": 0x40000000}

plain("io_uring is set up", 425, 4, zeros(120))
plain("a key is added", 248, b"user", b"exequatur-probe", b"x", 1, (1 << 64) - 2)
plain("a keyring is asked for", 250, 0, (1 << 64) - 2, 1)
plain("a key is requested", 249, b"user", b"exequatur-probe", 0, 0, root="ENOKEY", user="ENOKEY")
plain("userfaultfd", 323, 0o2000000 | 1)
plain("a bpf map is made", 321, 0, zeros(72, 2, 4, 4, 1), 72, user=None)
plain("a performance counter is opened", 298, zeros(112, 1, 112), 0, (1 << 64) - 1, (1 << 64) - 1, 0, user=None)
plain("secret memory", 447, 0, root=None, user=None)
plain("memory policy is read", 239, 0, 0, 0, 0, 0, root=None, user=None)
plain("the local descriptor table is read", 154, 0, zeros(64), 64)
plain("the kernel's log is read", 103, 3, zeros(64), 64, user=None)
plain("the clock's state is read for setting it", 159, zeros(208))
plain("accounting is switched", 163, b"/nonexistent/file", root="ENOENT", user=None)
plain("the host name is set", 170, os.uname().nodename.encode(), len(os.uname().nodename), user="EPERM")
plain("a file handle is made", 303, AT_FDCWD, b"/", zeros(136, 128), zeros(8), 0, root="done|EOPNOTSUPP",
      user="done|EOPNOTSUPP")
plain("a file handle is opened", 304, AT_FDCWD, zeros(16, 8), 0, root="E.*", user="EPERM")
plain("fanotify is set up", 300, 0, 0, user="EPERM")
plain("a port of the machine is opened", 173, 0x80, 1, 1, root=None, user=None)
plain("a mount is lifted", 166, b"/nonexistent", 0, root="ENOENT", user="E.*")
plain("the root is pivoted", 155, b".", b".", root="E(INVAL|BUSY)", user="EPERM")
plain("the root is changed", 161, b"/", user="EPERM")
plain("a file system is opened", 430, b"tmpfs", 0, user="EPERM")
plain("a mount is picked", 433, AT_FDCWD, b"/", 0, user="EPERM")
plain("a mount is cloned", 428, AT_FDCWD, b"/", 1, user="EPERM")
plain("a mount is held", 428, AT_FDCWD, b"/", 0)
plain("a mount is moved", 429, AT_FDCWD, b"/nonexistent", AT_FDCWD, b"/nonexistent", 0, root="ENOENT", user="E.*")
plain("mount attributes are changed", 442, AT_FDCWD, b"/nonexistent", 0, zeros(32, 1), 32, root="ENOENT", user="E.*")
plain("openat2 by-passes the filter of modes", 437, AT_FDCWD, b"/", zeros(24), 24, inside="ENOSYS")
plain("a call newer than the filter: 467", 467, AT_FDCWD, b"/", 0, 0, 0, inside="ENOSYS", root=None, user=None)
plain("a call newer than any kernel", 9999, inside="ENOSYS", root="ENOSYS", user="ENOSYS")
plain("a module is removed", 176, b"exequatur-probe-none", 0, root=None, user=None)
for _kind, _flag in CLONE_FLAGS.items():
    plain(f"unshare: {_kind}", 272, _flag, user="done" if _kind == "user" else "EPERM")


@attack("kernel", "a mount is made", "EPERM", user="EPERM")
def mount():
    path = os.path.join(T["work"], "mount-point")
    os.mkdir(path)
    call(165, b"none", path.encode(), b"tmpfs", 0, 0)
    call(166, path.encode(), 0)


@attack("kernel", "clone of a new user namespace", "EPERM")
def clone_user():
    pid = call(56, CLONE_FLAGS["user"] | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


@attack("kernel", "clone of a new user namespace, with flags above 32 bits", "EPERM", root=None, user=None)
def clone_user_high():
    pid = call(56, 1 << 40 | CLONE_FLAGS["user"] | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


@attack("kernel", "clone3 of a new user namespace", "ENOSYS")
def clone3_user():
    arguments = ctypes.create_string_buffer(struct.pack("8Q", CLONE_FLAGS["user"], 0, 0, 0, signal.SIGCHLD, 0, 0, 0))
    pid = call(435, arguments, 64)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


@attack("kernel", "setns into a namespace", "E(PERM|ACCES|NOENT)", user="EPERM")
def enter_namespace():
    call(308, os.open("/proc/self/ns/uts", os.O_RDONLY), 0)


def machine_code(code):
    """Runs bytes as a function that gives an int."""
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()


@attack("kernel", "a 32-bit system call (int 0x80)", "signal 31", root=None, user=None)
def int_0x80():
    # push rbx; mov eax, 20 (getpid); int 0x80; pop rbx; ret
    held_unless(machine_code(b"\x53\xb8\x14\0\0\0\xcd\x80\x5b\xc3") == os.getpid(), "no 32-bit calls here")


plain("an x32 system call", 0x40000000 | 39, inside="signal 31", root="done|ENOSYS", user="done|ENOSYS")


# Outside the descriptor is no terminal, which proves that the filter answers inside, before the descriptor is looked at.
for _name, _request in (("typing into a terminal", 0x5412), ("typing, with a bit above 32", 1 << 32 | 0x5412),
                        ("typing, with all bits above 32", 0xFFFFFFFF00005412), ("TIOCLINUX", 0x541C),
                        ("TIOCLINUX, with a bit above 32", 1 << 63 | 0x541C)):
    plain(_name, 16, 0, _request, ctypes.create_string_buffer(b"y"), root="ENOTTY", user="ENOTTY")


@attack("kernel", "the controlling terminal is opened", "ENXIO|ENOENT|EACCES", root="ENXIO", user="ENXIO")
def controlling_terminal():
    os.open("/dev/tty", os.O_RDWR)


@attack("kernel", "a new terminal is made", "ENOENT|ENODEV|OSError|EACCES")
def new_terminal():
    os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)


@attack("kernel", "capabilities or new privileges are left", "none")
def capabilities():
    with open("/proc/self/status", encoding="ascii") as file:
        status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
    caps = [name for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb") if int(status[name], 16)]
    held_unless(caps or status["NoNewPrivs"] != "1" or status["Seccomp"] != "2", "none")


@attack("kernel", "another user is become", "E(PERM|INVAL)", user="EPERM")
def become():
    os.setgroups([])
    os.setresuid(65534, 65534, 65534)


@attack("kernel", "a namespace is shared with the outside", "all own")
def shared_namespaces():
    same = [kind for kind, inode in T["namespaces"].items() if os.stat(f"/proc/self/ns/{kind}").st_ino == inode]
    held_unless(same, "all own")
