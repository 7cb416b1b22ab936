"""A kernel that answers otherwise, by ptrace: words of attack_refuse.py.

  abi=N                  Landlock of that ABI: what came later is not known, as older kernels answer it
  PROGRAM:CALL=RESULT    a call of the launcher, the supervisor, the console or anybody gives an errno, or 0 and is not done;
                         PROGRAM:CALL/N: only where its first argument is N; PROGRAM:CALL#N: only the Nth of a process

A filter could say neither: it gives no positive number, cannot look at what a pointer leads to, and is the same for all
programs. A listener could, and would leave none for the console's own; a tracer is in nobody's way."""

import ctypes
import errno
import os
import re
import signal
import struct
import sys

import attack_refuse

SEIZE, GETREGS, SETREGS, CONT, LISTEN = 0x4206, 12, 13, 7, 0x4208
FORK, VFORK, CLONE, EXEC, SECCOMP, STOP = 1, 2, 3, 4, 7, 128
OPTIONS = 1 << FORK | 1 << VFORK | 1 << CLONE | 1 << EXEC | 1 << SECCOMP | 1 << 20  # the last: nobody outlives the tracer
WALL = 0x40000000
STOPS = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
REGISTERS = 27
RDI, RSI, RDX, RAX, ORIG_RAX = 14, 13, 12, 10, 15  # in user_regs_struct
NOTHING = (1 << 64) - 1
PROGRAMS = {"console": "exequatur-console", "launcher": "exequatur-launcher", "supervisor": "exequatur-supervisor"}
WORD = re.compile(r"(console|launcher|supervisor|anybody):(\w+?)(?:/(\d+))?(?:#(\d+))?=(\w+)")

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
LIBC.ptrace.restype = ctypes.c_long


def ptrace(request, pid, data=0):
    """ptrace(2); False where the process is gone."""
    return LIBC.ptrace(request, pid, None, data) == 0


def kernel_abi():
    """The Landlock of this kernel; 0 or less: none."""
    return LIBC.syscall(ctypes.c_long(444), None, ctypes.c_long(0), ctypes.c_long(1))


class Landlock:
    """An older Landlock in front of the kernel's (Documentation/userspace-api/landlock.rst)."""

    CREATE, ADD_RULE, RESTRICT = 444, 445, 446
    VERSION = 1
    PORT = 2

    def __init__(self, abi):
        self.abi = abi
        self.size = 24 if abi >= 6 else 16 if abi >= 4 else 8
        self.fs = (1 << 13) - 1 | (abi >= 2) << 13 | (abi >= 3) << 14 | (abi >= 5) << 15
        self.known = [self.fs, 3 if abi >= 4 else 0, 3 if abi >= 6 else 0]

    def numbers(self):
        """The calls that are looked at."""
        return [self.CREATE, self.ADD_RULE, self.RESTRICT]

    def answer(self, pid, number, arguments):
        """The result, or None: as the kernel has it."""
        if number == self.CREATE:
            return self.create(pid, *arguments)
        if number == self.ADD_RULE:
            return -errno.EINVAL if arguments[1] == self.PORT and self.abi < 4 else None
        return -errno.EINVAL if number == self.RESTRICT and arguments[1] and self.abi < 7 else None

    def create(self, pid, address, size, flags):
        """landlock_create_ruleset(2)."""
        if flags:
            return self.abi if flags == self.VERSION and not address and not size else -errno.EINVAL
        if size < 8 or size > 4096:
            return None
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            data = os.pread(memory.fileno(), size, address)
        if any(data[self.size:]):
            return -errno.E2BIG
        asked = struct.unpack("3Q", data[:self.size].ljust(24, b"\0"))
        return -errno.EINVAL if any(bits & ~known for bits, known in zip(asked, self.known)) else None


class Call:
    """One call of one program."""

    def __init__(self, program, call, argument, nth, result):
        self.program = PROGRAMS.get(program)
        self.number = attack_refuse.CALLS[call]
        self.argument = None if argument is None else int(argument)
        self.nth = nth and int(nth)
        self.result = 0 if result == "0" else -getattr(errno, result)
        self.seen = {}

    def numbers(self):
        """The calls that are looked at."""
        return [self.number]

    def answer(self, pid, number, arguments):
        """The result, or None: as the kernel has it."""
        if number != self.number or self.argument not in (None, arguments[0]):
            return None
        if self.program and os.path.basename(os.readlink(f"/proc/{pid}/exe")) != self.program:
            return None
        self.seen[pid] = self.seen.get(pid, 0) + 1
        return self.result if self.nth in (None, self.seen[pid]) else None


def parse(words):
    """The kernels that answer before the true one."""
    kernels = [Landlock(int(word[4:])) for word in words if re.fullmatch(r"abi=\d", word)]
    return kernels + [Call(*match.groups()) for match in map(WORD.fullmatch, words) if match]


def answer(pid, kernels):
    """Answers the call that a process stopped at, or lets it go on to the kernel."""
    registers = (ctypes.c_ulonglong * REGISTERS)()
    if not ptrace(GETREGS, pid, ctypes.addressof(registers)):
        return
    arguments = [registers[RDI], registers[RSI], registers[RDX]]
    for kernel in kernels:
        result = kernel.answer(pid, registers[ORIG_RAX], arguments)
        if result is not None:
            registers[ORIG_RAX], registers[RAX] = NOTHING, result & NOTHING
            ptrace(SETREGS, pid, ctypes.addressof(registers))
            return


def go_on(pid, status, kernels):
    """Lets a process that stopped go on, as if nobody had looked."""
    event, number = status >> 16, os.WSTOPSIG(status)
    if event == SECCOMP:
        answer(pid, kernels)
    if event == STOP and number in STOPS:
        ptrace(LISTEN, pid)
    else:
        ptrace(CONT, pid, 0 if event else number)


def watch(child, kernels):
    """Until nobody is left; ends as the child did."""
    ended = 0
    while True:
        try:
            pid, status = os.waitpid(-1, WALL)
        except ChildProcessError:
            break
        if os.WIFSTOPPED(status):
            go_on(pid, status, kernels)
        elif pid == child:
            ended = status
    if os.WIFSIGNALED(ended):
        os.kill(os.getpid(), os.WTERMSIG(ended))
    os._exit(os.WEXITSTATUS(ended))


def follow(words):
    """The numbers of the calls that have to be traced; where there are any, this returns in a child, which is followed."""
    kernels = parse(words)
    if not kernels:
        return []
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        if not ptrace(SEIZE, child, OPTIONS):
            sys.exit(f"nobody can be traced: {os.strerror(ctypes.get_errno())}")
        os.write(writer, b"x")
        os.closerange(0, 2)
        os.close(writer)
        watch(child, kernels)
    os.read(reader, 1)
    os.close(reader)
    os.close(writer)
    return sorted({number for kernel in kernels for number in kernel.numbers()})
