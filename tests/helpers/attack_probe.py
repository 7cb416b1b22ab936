"""Attacks on whatever holds this process: each is a function that does something a command must not be able to do.

It runs inside the sandbox and, as the control, once more outside. It prints one JSON object: for each attack "done" where
it worked, else how it was refused: the name of the errno, "signal N" for a process that was killed, or a few words.

    python3 attack_probe.py TARGETS.json FAMILY...

Nothing here harms a machine on which every attack works: what would be changed is opened and left, set to the value that
it has, or belongs to the test. The scripts read the tables below for what they expect on both sides."""

import ctypes
import errno
import glob
import json
import mmap
import os
import signal
import socket
import stat
import struct
import sys

SECONDS = 10  # of one attack
MARKER = "zzSECRETzz"

T = {}
ATTACKS = {}
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long


class Held(Exception):
    """The attack was refused without an errno."""


class Attack:
    """One attack: what it must be answered inside, and what it is answered outside as root and as a user (patterns,
    None where the machine decides)."""

    def __init__(self, function, family, inside, root, user):
        self.function, self.family = function, family
        self.inside, self.outside = inside, {"root": root, "ordinary": user}


def attack(family, name, inside, root="done", user="done"):
    """Registers an attack."""

    def register(function):
        ATTACKS[name] = Attack(function, family, inside, root, user)
        return function

    return register


def call(number, *arguments):
    """A system call by its number; raises what it was answered. Bytes and buffers go as pointers."""
    converted = [ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments]
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(number), *converted)
    if result == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def held_unless(condition, why):
    """Says that the attack was refused, unless the condition holds."""
    if not condition:
        raise Held(why)


# --- kernel interfaces that a command has no use for, by number (x86-64) ----------------------------------------------

def plain(name, number, *arguments, inside="EPERM", root="done", user="done"):
    """Registers an attack that is one system call."""
    attack("kernel", name, inside, root, user)(lambda: call(number, *arguments))


def zeros(size, *ints):
    """A buffer that begins with 32-bit integers."""
    return ctypes.create_string_buffer(struct.pack(f"{len(ints)}I", *ints).ljust(size, b"\0"), size)


AT_FDCWD = (1 << 64) - 100
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
plain("the host name is set", 170, b"probe", 5, user="EPERM")
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


@attack("kernel", "the controlling terminal is opened", "ENXIO|ENOENT", root="ENXIO", user="ENXIO")
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


# --- setuid and setgid bits --------------------------------------------------------------------------------------------

def fresh(name, mode=0o600):
    """An empty file in the work directory; gives its path."""
    path = os.path.join(T["work"], name)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    return path


def made_with_bit(path, bit):
    """Held, unless the bit is on the file."""
    held_unless(os.lstat(path).st_mode & bit, "without the bit")


def bit_ways(bit, label):
    """Every way to get the bit onto a file, as (name, function of a path)."""
    mode = 0o700 | bit

    def on_descriptor(path):
        fresh(os.path.basename(path))
        call(91, os.open(path, os.O_RDONLY), mode)

    def existing(number, *before):
        def way(path):
            fresh(os.path.basename(path))
            call(number, *before, path.encode(), mode, 0)
        return way

    def nameless(path):
        fd = call(257, AT_FDCWD, T["work"].encode(), os.O_TMPFILE | os.O_RDWR, mode)
        LIBC.linkat(AT_FDCWD, f"/proc/self/fd/{fd}".encode(), -100, path.encode(), 0x400)
        held_unless(os.fstat(fd).st_mode & bit, "without the bit")

    return {
        f"chmod {label}": existing(90), f"fchmod {label}": on_descriptor, f"fchmodat {label}": existing(268, AT_FDCWD),
        f"fchmodat2 {label}": existing(452, AT_FDCWD),
        f"open O_CREAT {label}": lambda path: call(2, path.encode(), os.O_CREAT | os.O_WRONLY, mode),
        f"openat O_CREAT {label}": lambda path: call(257, AT_FDCWD, path.encode(), os.O_CREAT | os.O_WRONLY, mode),
        f"openat O_TMPFILE {label}": nameless,
        f"creat {label}": lambda path: call(85, path.encode(), mode),
        f"mknod {label}": lambda path: call(133, path.encode(), stat.S_IFREG | mode, 0),
        f"mknodat {label}": lambda path: call(259, AT_FDCWD, path.encode(), stat.S_IFREG | mode, 0),
    }


def register_bits():
    """One attack for each way and bit; the mode is tried with bits above 32 too."""
    for bit, label in ((stat.S_ISUID, "setuid"), (stat.S_ISGID, "setgid")):
        for name, way in bit_ways(bit, label).items():
            path_name = "bit-" + name.replace(" ", "-")

            def run(way=way, path_name=path_name, bit=bit, nameless="TMPFILE" in name):
                path = os.path.join(T["work"], path_name)
                way(path)
                if not nameless:
                    made_with_bit(path, bit)
            attack("bits", name, "EPERM")(run)


register_bits()


@attack("bits", "fchmod setuid, with bits above 32", "EPERM")
def chmod_high():
    path = fresh("bit-high")
    call(91, os.open(path, os.O_RDONLY), 1 << 32 | 0o4700)
    made_with_bit(path, stat.S_ISUID)


@attack("bits", "a directory that hands its group down", "EPERM")
def setgid_directory():
    path = os.path.join(T["work"], "bit-directory")
    os.mkdir(path, 0o2755)
    os.chmod(path, 0o2755)
    made_with_bit(path, stat.S_ISGID)


@attack("bits", "a file with capabilities", "EPERM", user="EPERM")
def file_capabilities():
    os.setxattr(fresh("bit-caps"), "security.capability", struct.pack("<5I", 0x2000001, 1 << 21, 0, 0, 0))


@attack("bits", "a device node", "EPERM|EACCES", user="EPERM")
def device_node():
    os.mknod(os.path.join(T["work"], "bit-device"), stat.S_IFCHR | 0o666, os.makedev(1, 3))


@attack("bits", "a block device node", "EPERM|EACCES", user="EPERM")
def block_node():
    os.mknod(os.path.join(T["work"], "bit-block"), stat.S_IFBLK | 0o666, os.makedev(7, 0))


# --- processes outside --------------------------------------------------------------------------------------------------

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


def first_process():
    """What a command can attack: the first process of its namespace; outside, the victim."""
    return T["victim"] if T["outside"] else 1


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


def last_errno():
    """What the last function of the C library was answered."""
    return errno.errorcode.get(ctypes.get_errno(), "no error")


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


# --- files --------------------------------------------------------------------------------------------------------------

def on_outside(name, inside="ENOENT", root="done", user="done"):
    """Registers an attack on a file of its own outside every list."""

    def register(function):
        path_name = f"target-{len(OUTSIDE_FILES)}"
        attack("files", name, inside, root, user)(lambda: function(os.path.join(T["outside_dir"], path_name)))
        OUTSIDE_FILES.append(path_name)
        return function

    return register


OUTSIDE_FILES = []  # the test makes these

on_outside("read outside")(lambda path: os.open(path, os.O_RDONLY))
on_outside("stat outside")(os.stat)
on_outside("path descriptor outside")(lambda path: os.open(path, os.O_PATH))
on_outside("list outside")(lambda path: os.listdir(os.path.dirname(path)))
on_outside("enter outside")(lambda path: os.chdir(os.path.dirname(path)))
on_outside("write outside")(lambda path: os.open(path, os.O_WRONLY))
on_outside("create outside")(lambda path: os.open(path + ".new", os.O_CREAT | os.O_WRONLY, 0o600))
on_outside("truncate outside")(lambda path: os.truncate(path, 1))
on_outside("chmod outside")(lambda path: os.chmod(path, 0o777))
on_outside("chown outside")(lambda path: os.chown(path, os.getuid(), os.getgid()))
on_outside("utimes outside")(lambda path: os.utime(path, (1, 1)))
on_outside("setxattr outside")(lambda path: os.setxattr(path, "user.probe", b"x"))
on_outside("unlink outside")(os.unlink)
on_outside("rename outside")(lambda path: os.rename(path, path + ".moved"))
on_outside("rename into the work directory")(lambda path: os.rename(path, os.path.join(T["work"], "taken")))
on_outside("link into the work directory")(lambda path: os.link(path, os.path.join(T["work"], "linked")))
on_outside("link out of the work directory")(lambda path: os.link(fresh("to-link"), path + ".link"))
on_outside("socket bound outside")(lambda path: socket.socket(socket.AF_UNIX).bind(path + ".sock"))
on_outside("inotify outside")(lambda path: call(254, call(294, 0), path.encode(), 2))


@on_outside("symlink out of the work directory")
def symlink_out(path):
    link = os.path.join(T["work"], "link-out")
    os.symlink(path, link)
    os.open(link, os.O_RDONLY)


@on_outside("symlinked directory out of the work directory")
def symlink_directory(path):
    link = os.path.join(T["work"], "link-dir")
    os.symlink(os.path.dirname(path), link)
    os.open(os.path.join(link, "through-link"), os.O_CREAT | os.O_WRONLY, 0o600)


@on_outside("dots out of the work directory")
def dots(path):
    here = os.open(T["work"], os.O_PATH)
    os.open(os.path.join("..", os.path.basename(T["outside_dir"]), os.path.basename(path)), os.O_RDONLY, dir_fd=here)


@on_outside("/proc/self/root out of the work directory")
def own_root(path):
    os.open("/proc/self/root/../.." + path, os.O_RDONLY)


@on_outside("/proc/1/root out of the work directory", inside="ENOENT|EACCES|EPERM")
def first_root(path):
    os.open(f"/proc/{first_process()}/root{path}", os.O_RDONLY)


@on_outside("/proc/self/cwd out of the work directory")
def own_cwd(path):
    os.chdir(T["work"])
    os.open(f"/proc/self/cwd/../{os.path.basename(T['outside_dir'])}/{os.path.basename(path)}", os.O_RDONLY)


@on_outside("a moved work directory carries dots out", inside="E(BUSY|XDEV|ACCES|NOENT|ROFS|PERM)", user="EACCES")
def moved_root(path):
    os.chdir(T["work"])
    os.rename(T["work"], T["work"] + ".moved")
    os.rename(T["work"] + ".moved", T["work"])
    os.stat(path)


def register_places():
    """Files and directories of the system and of the home directory."""
    def opened(name, path, flags=os.O_RDONLY, **expected):
        attack("files", name, **expected)(lambda: os.open(path.format(**T), flags, 0o600))

    def unnamed(name, path, **expected):
        attack("files", name, **expected)(lambda: os.open(path.format(**T), os.O_TMPFILE | os.O_WRONLY, 0o600))

    opened("a key in ~/.ssh is read", "{home}/.ssh/id", inside="ENOENT")
    opened("a file of the home directory is read", "{home}/.profile", inside="ENOENT")
    opened("a file of the home directory is written", "{home}/.profile", os.O_WRONLY, inside="ENOENT")
    opened("a file is made in the home directory", "{home}/made", os.O_CREAT | os.O_WRONLY, inside="EROFS|EACCES")
    opened("/etc/shadow is read", "/etc/shadow", inside="ENOENT|EACCES", user="EACCES")
    opened("/etc/passwd is written", "/etc/passwd", os.O_WRONLY, inside="EROFS|EACCES", user="EACCES")
    opened("a program is written", "/usr/bin/env", os.O_WRONLY, inside="EROFS|EACCES", root="done|ETXTBSY", user="EACCES")
    opened("the record is read", "{state}", inside="ENOENT")
    opened("the configuration is written", "{config}/exequatur/config.toml", os.O_WRONLY, inside="ENOENT")
    opened("our program is written", "{program}", os.O_WRONLY, inside="ENOENT|EROFS|EACCES", root=None, user=None)
    opened("a file of the host's /tmp is seen", "{tmp_marker}", inside="ENOENT")
    opened("a file of the host's /var/tmp is seen", "{var_tmp_marker}", inside="ENOENT", root=None, user=None)
    opened("a file of the host's /run is seen", "{run_marker}", inside="ENOENT", root=None, user=None)
    opened("/root is listed", "/root", os.O_RDONLY | os.O_DIRECTORY, inside="ENOENT|EACCES", user="EACCES")
    opened("/sys is listed", "/sys/class", inside="ENOENT")
    opened("/boot is listed", "/boot", inside="ENOENT")
    opened("/proc/kcore is read", "/proc/kcore", inside="E(PERM|ACCES|NOENT)", user="E.*", root=None)
    opened("/proc/sysrq-trigger is written", "/proc/sysrq-trigger", os.O_WRONLY, inside="E(ACCES|ROFS|PERM|NOENT)", user="E.*",
           root=None)
    opened("the kernel's memory is opened", "/dev/mem", inside="ENOENT", root=None, user=None)
    opened("the kernel's log device is opened", "/dev/kmsg", os.O_WRONLY, inside="ENOENT", root=None, user=None)
    opened("/dev/vsock is opened", "/dev/vsock", inside="ENOENT", root=None, user=None)
    opened("/dev/kvm is opened", "/dev/kvm", inside="ENOENT", root=None, user=None)
    for path in ("/", "/usr", "/usr/local/bin", "/etc", "/var", "/root", "/home", "/srv", "/opt", "/dev"):
        unnamed(f"a file is made in {path}", path, inside="EROFS|EACCES|ENOENT|EOPNOTSUPP", root=None, user="E.*")


register_places()


@attack("files", "a file below /proc/sys is opened for writing", "none of them")
def sysctl():
    opened = []
    for root, _dirs, names in os.walk("/proc/sys"):
        for name in names:
            try:
                os.close(os.open(os.path.join(root, name), os.O_WRONLY))
                opened.append(os.path.join(root, name))
            except OSError:
                pass
    held_unless(opened, "none of them")


ATTACKS["a file below /proc/sys is opened for writing"].outside["ordinary"] = None


@attack("files", "modules and core pattern are set", "E(ACCES|ROFS|PERM)", user="EACCES")
def core_pattern():
    os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)


# A root console's command owns what it is shown: without capabilities it could still change modes on the host.
def owned(name, function):
    """Registers a change of something that root owns, to the value that it has."""
    # a user's namespace does not know root: EINVAL
    attack("files", name, "E(ROFS|ACCES|PERM|INVAL)", user="E(PERM|ACCES)")(function)


owned("the mode of /dev/null is changed", lambda: os.chmod("/dev/null", 0o666))
owned("the mode of /dev/zero is changed", lambda: os.chmod("/dev/zero", 0o666))
owned("the owner of /dev/urandom is changed", lambda: os.chown("/dev/urandom", 0, 0))
owned("the mode of standard input is changed", lambda: os.fchmod(0, 0o666))
owned("the owner of standard input is changed", lambda: os.fchown(0, 0, 0))
owned("the mode of standard input is changed through /proc", lambda: os.chmod("/proc/self/fd/0", 0o666))
owned("the mode of a program is changed", lambda: os.chmod("/usr/bin/env", stat.S_IMODE(os.stat("/usr/bin/env").st_mode)))
owned("the owner of a program is changed", lambda: os.chown("/usr/bin/env", 0, 0))
owned("the mode of /etc/passwd is changed", lambda: os.chmod("/etc/passwd", 0o644))
owned("the mode of /usr is changed", lambda: os.chmod("/usr", 0o755))


@attack("files", "the host's /tmp takes a file", "private")
def host_tmp():
    # seen by the test, not here: it looks for the name afterwards
    for directory in ("/tmp", "/var/tmp", "/dev/shm"):
        os.close(os.open(os.path.join(directory, T["token"] + ".file"), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        if T["outside"]:
            os.unlink(os.path.join(directory, T["token"] + ".file"))
    held_unless(T["outside"], "private")


# --- network ------------------------------------------------------------------------------------------------------------

def family(name, number, kind=socket.SOCK_STREAM, protocol=0, inside="EPERM", root="done", user="done"):
    """Registers an attack that opens one kind of socket."""
    attack("network", name, inside, root, user)(lambda: call(41, number, kind, protocol))


family("a vsock stream socket", 40)
family("a vsock datagram socket", 40, socket.SOCK_DGRAM, root=None, user=None)
family("a socket of the kernel's crypto", 38, socket.SOCK_SEQPACKET, root=None, user=None)
family("a Bluetooth socket", 31, socket.SOCK_RAW, root=None, user=None)
family("a TIPC socket", 30, root=None, user=None)
family("an XDP socket", 44, socket.SOCK_RAW, root=None, user=None)
family("an SMC socket", 43, root=None, user=None)
family("an amateur radio socket", 3, socket.SOCK_SEQPACKET, root=None, user=None)
family("a family above 32 bits", 1 << 32 | 40, root=None, user=None)
family("a packet socket", 17, socket.SOCK_RAW, user="EPERM")
family("a raw socket", 2, socket.SOCK_RAW, 255, user="EPERM")
family("a netlink audit socket joins a group", 16, socket.SOCK_RAW, 99, inside="EPROTONOSUPPORT|EPERM",
       root="EPROTONOSUPPORT", user="EPROTONOSUPPORT")

REFUSED = "E(CONNREFUSED|NETUNREACH|PERM|ACCES|NOENT|ADDRNOTAVAIL)"


@attack("network", "TCP to the host's 127.0.0.1", REFUSED)
def tcp():
    socket.create_connection(("127.0.0.1", T["tcp"]), 5)


@attack("network", "TCP to the host's ::1", REFUSED, root=None, user=None)
def tcp6():
    socket.create_connection(("::1", T["tcp6"]), 5)


@attack("network", "TCP by MSG_FASTOPEN", REFUSED)
def fastopen():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.sendto(b"x", socket.MSG_FASTOPEN, ("127.0.0.1", T["tcp"]))


@attack("network", "MPTCP to the host", REFUSED + "|EPROTONOSUPPORT|ENOPROTOOPT", root=None, user=None)
def mptcp():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as s:
        s.connect(("127.0.0.1", T["tcp"]))


@attack("network", "UDP to the host's 127.0.0.1", "sent, the test looks|" + REFUSED)
def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(T["token"].encode(), ("127.0.0.1", T["udp"]))
    held_unless(T["outside"], "sent, the test looks")


@attack("network", "an abstract socket of the host", "E(CONNREFUSED|PERM|ACCES)")
def abstract():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(b"\0" + T["abstract"].encode())


@attack("network", "an abstract datagram socket of the host", "E(CONNREFUSED|PERM|ACCES)")
def abstract_datagram():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.sendto(b"x", b"\0" + T["abstract"].encode() + b"-datagram")


@attack("network", "a socket of the host with a path", "ENOENT")
def path_socket():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(T["socket"])


@attack("network", "a socket of the host by a long way round", "ENOENT")
def path_socket_dots():
    with socket.socket(socket.AF_UNIX) as s:
        os.chdir(T["work"])
        s.connect("../" + os.path.relpath(T["socket"], os.path.dirname(T["work"])))


@attack("network", "an interface beside the loopback", "lo alone", root=None, user=None)
def interfaces():
    held_unless([name for _index, name in socket.if_nameindex() if name != "lo"], "lo alone")


@attack("network", "a listener inside is on the host's network", "own network")
def listener():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.listen(1)
        held_unless(os.stat("/proc/self/ns/net").st_ino == T["namespaces"]["net"], "own network")


@attack("network", "the sockets of the host are listed", "none of them")
def diagnose():
    with open("/proc/net/tcp", encoding="ascii") as file:
        held_unless(f":{T['tcp']:04X}" in file.read(), "none of them")


@attack("network", "the abstract sockets of the host are listed", "none of them")
def list_abstract():
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        held_unless(T["abstract"] in file.read(), "none of them")


def in_child(function):
    """Runs one attack in a process of its own, so that what kills it is an answer too."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)
        os.write(writer, answer_of(function).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        answer = file.read().decode()
    _pid, status = os.waitpid(pid, 0)
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else answer or "no answer"


def answer_of(function):
    """How one attack was answered."""
    try:
        function()
        return "done"
    except Held as why:
        return str(why)
    except OSError as why:
        return errno.errorcode.get(why.errno, f"OSError {why}")
    except Exception as why:
        return f"broken: {why!r}"


def main():
    """Runs the families that were named."""
    with open(sys.argv[1], encoding="utf-8") as file:
        T.update(json.load(file))
    T["outside"] = "--outside" in sys.argv
    T["descriptors"] = sorted(os.listdir("/proc/self/fd"))
    families = [word for word in sys.argv[2:] if not word.startswith("-")]
    print(json.dumps({name: in_child(row.function) for name, row in ATTACKS.items() if row.family in families}))


if __name__ == "__main__":
    main()
