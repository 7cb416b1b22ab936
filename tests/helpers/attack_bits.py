"""Files that would run with another user's rights, and devices."""

import os
import stat
import struct

from attack_base import AT_FDCWD, LIBC, Held, T, attack, call, fresh, held_unless


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
            outside = "done|ENOSYS" if "fchmodat2" in name else "done"  # Linux 6.6 is the first that has it
            attack("bits", name, "EPERM", root=outside, user=outside)(run)


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
