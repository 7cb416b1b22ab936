"""Runs a program below a filter that refuses namespaces or Landlock, as other machines do.

    python3 attack_refuse.py WORD... -- PROGRAM ARGUMENT...

Words: user mnt pid net ipc uts (clone and unshare with that flag: EPERM), landlock (ENOSYS), crowded (EAGAIN for every
namespace, as where there are too many processes), powerless (a user namespace gives no right to mount: EPERM), listener (a seccomp filter that tells somebody: EINVAL), as:UID:GID
(started by root, it becomes that user, and programs that are set to root still do what they are set to)."""

import ctypes
import errno
import os
import struct
import sys

FLAGS = {"mnt": 0x20000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}
CLONE, UNSHARE, SECCOMP, CLONE3, LANDLOCK_CREATE = 56, 272, 317, 435, 444
MOUNT, FSOPEN = 165, 430
NEW_LISTENER = 8
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 16, 24
ALLOW, REFUSE = 0x7FFF0000, 0x00050000


def statement(code, value, yes=0, no=0):
    """One instruction."""
    return struct.pack("HBBI", code, yes, no, value)


def refuse_call(number, error):
    """The call is answered with the error."""
    return [statement(LOAD, NUMBER), statement(EQUAL, number, 0, 1), statement(RETURN, REFUSE | error)]


def refuse_flags(number, flags, argument=FIRST_ARGUMENT, error=errno.EPERM):
    """The call with one of the flags in an argument is answered with the error."""
    return [statement(LOAD, NUMBER), statement(EQUAL, number, 0, 3), statement(LOAD, argument),
            statement(ANY_BIT, flags, 0, 1), statement(RETURN, REFUSE | error)]


def program(words):
    """The filter for the words."""
    crowded = "crowded" in words
    flags = sum(FLAGS[word] for word in FLAGS if word in words or crowded)
    error = errno.EAGAIN if crowded else errno.EPERM
    code = refuse_call(CLONE3, errno.ENOSYS)
    if flags:
        code += refuse_flags(CLONE, flags, error=error) + refuse_flags(UNSHARE, flags, error=error)
    if "powerless" in words:
        code += refuse_call(MOUNT, errno.EPERM) + refuse_call(FSOPEN, errno.EPERM)
    if "landlock" in words:
        code += refuse_call(LANDLOCK_CREATE, errno.ENOSYS)
    if "listener" in words:
        code += refuse_flags(SECCOMP, NEW_LISTENER, SECOND_ARGUMENT, errno.EINVAL)
    return b"".join([*code, statement(RETURN, ALLOW)])


def become(word):
    """Becomes the user that is named."""
    uid, gid = map(int, word.split(":")[1:])
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def main():
    """Installs the filter and becomes the program."""
    at = sys.argv.index("--")
    code = ctypes.create_string_buffer(program(sys.argv[1:at]))
    fprog = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", (len(code) - 1) // 8, ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    user = [word for word in sys.argv[1:at] if word.startswith("as:")]
    if not user:
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, fprog, 0, 0) != 0:
        sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
    if user:
        become(user[0])
    os.execv(sys.argv[at + 1], sys.argv[at + 1:])


if __name__ == "__main__":
    main()
