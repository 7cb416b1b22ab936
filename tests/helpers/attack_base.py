"""What the attacks share: their table, system calls by number, and what they aim at."""

import ctypes
import errno
import os
import struct

MARKER = "zzSECRETzz"
AT_FDCWD = (1 << 64) - 100

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


def zeros(size, *ints):
    """A buffer that begins with 32-bit integers."""
    return ctypes.create_string_buffer(struct.pack(f"{len(ints)}I", *ints).ljust(size, b"\0"), size)


def fresh(name, mode=0o600):
    """An empty file in the work directory; gives its path."""
    path = os.path.join(T["work"], name)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    return path


def first_process():
    """What a command can attack: the first process of its namespace; outside, the victim."""
    return T["victim"] if T["outside"] else 1


def last_errno():
    """What the last function of the C library was answered."""
    return errno.errorcode.get(ctypes.get_errno(), "no error")
