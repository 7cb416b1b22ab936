"""Runs a program on a machine that offers less: refuses namespaces, Landlock or single calls, as other kernels do.

    python3 attack_refuse.py WORD... -- PROGRAM ARGUMENT...

Words:
  user mnt pid net ipc uts      clone and unshare with that flag: EPERM, or user=ENOSPC and so on
  crowded                       EAGAIN for every namespace, as where there are too many processes
  powerless                     a user namespace gives no right to mount: EPERM
  listener                      a seccomp filter that tells somebody: EINVAL, or listener=EBUSY and so on
  landlock                      ENOSYS
  CALL=ERRNO                    a system call of the table below, by anybody
  abi=N, PROGRAM:CALL=RESULT    of attack_trace.py, which needs root
  proc=... sys=... and others   of attack_mounts.py, which needs root
  as:UID:GID                    started by root, it becomes that user, and programs that are set to root still do what they
                                are set to"""

import ctypes
import errno
import os
import struct
import sys

FLAGS = {"mnt": 0x20000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000, "net": 0x40000000}
CLONE, UNSHARE, SECCOMP, CLONE3 = 56, 272, 317, 435
NEW_LISTENER = 8
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER, FIRST_ARGUMENT, SECOND_ARGUMENT = 0, 16, 24
ALLOW, REFUSE, TRACE = 0x7FFF0000, 0x00050000, 0x7FF00000

# x86-64
CALLS = {
    "capset": 126, "clone3": 435, "close_range": 436, "dup2": 33, "fchmodat2": 452, "fsconfig": 431, "fsmount": 432,
    "fsopen": 430, "getdents64": 217, "landlock_add_rule": 445, "landlock_create_ruleset": 444,
    "landlock_restrict_self": 446, "mkdirat": 258, "mount": 165, "mount_setattr": 442, "move_mount": 429, "open_tree": 428,
    "openat2": 437, "pidfd_open": 434, "pidfd_send_signal": 424, "pivot_root": 155, "prctl": 157, "prlimit64": 302,
    "seccomp": SECCOMP, "sethostname": 170, "statx": 332, "umount2": 166,
}
# All of them as one word.
GROUPS = {
    "landlock": ["landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"],
    "mounts": ["open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "mount_setattr"],
    "pidfd": ["pidfd_open", "pidfd_send_signal"],
}


def statement(code, value, yes=0, no=0):
    """One instruction."""
    return struct.pack("HBBI", code, yes, no, value)


def answer_call(number, action):
    """The call is answered so."""
    return [statement(LOAD, NUMBER), statement(EQUAL, number, 0, 1), statement(RETURN, action)]


def refuse_flags(number, flags, argument=FIRST_ARGUMENT, error=errno.EPERM):
    """The call with one of the flags in an argument is answered with the error."""
    return [statement(LOAD, NUMBER), statement(EQUAL, number, 0, 3), statement(LOAD, argument),
            statement(ANY_BIT, flags, 0, 1), statement(RETURN, REFUSE | error)]


def split(words):
    """{word: number of its error, 0 where none is named}, of the words that this filter answers."""
    pairs = [word.partition("=") for word in words if ":" not in word]
    return {name: getattr(errno, value) if value else 0 for name, _sign, value in pairs
            if not value or hasattr(errno, value)}


def refuse_namespaces(wanted):
    """Flags that make namespaces, each with its error; clone3, whose flags no filter can see, is not there then."""
    errors = {FLAGS[word]: wanted[word] or errno.EPERM for word in FLAGS if word in wanted}
    if "crowded" in wanted:
        errors = {flag: errno.EAGAIN for flag in FLAGS.values()}
    code = answer_call(CLONE3, REFUSE | errno.ENOSYS) if errors else []
    for flag, error in errors.items():
        code += refuse_flags(CLONE, flag, error=error) + refuse_flags(UNSHARE, flag, error=error)
    return code


def program(words, traced=()):
    """The filter for the words; the calls whose numbers are traced ask the tracer."""
    wanted = split(words)
    code = refuse_namespaces(wanted)
    if "powerless" in wanted:
        wanted.update({"mount": errno.EPERM, "fsopen": errno.EPERM})
    for group, calls in GROUPS.items():
        if group in wanted:
            wanted.update({call: wanted[group] or errno.ENOSYS for call in calls})
    if "listener" in wanted:
        code += refuse_flags(SECCOMP, NEW_LISTENER, SECOND_ARGUMENT, wanted["listener"] or errno.EINVAL)
    for call, error in wanted.items():
        code += answer_call(CALLS[call], REFUSE | error) if call in CALLS else []
    for number in traced:
        code += answer_call(number, TRACE)
    return b"".join([*code, statement(RETURN, ALLOW)])


def load(code, libc):
    """Installs a filter."""
    text = ctypes.create_string_buffer(code)
    fprog = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(text)))
    if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, fprog, 0, 0) != 0:
        sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")


def become(word):
    """Becomes the user that is named."""
    uid, gid = map(int, word.split(":")[1:])
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def main():
    """Makes the machine and becomes the program."""
    import attack_mounts
    import attack_trace

    at = sys.argv.index("--")
    words = sys.argv[1:at]
    attack_mounts.cover(words)
    traced = attack_trace.follow(words)
    libc = ctypes.CDLL(None, use_errno=True)
    user = [word for word in words if word.startswith("as:")]
    if not user:
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    load(program(words, traced), libc)
    if user:
        become(user[0])
    os.execv(sys.argv[at + 1], sys.argv[at + 1:])


if __name__ == "__main__":
    main()
