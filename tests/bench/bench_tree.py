"""What the limits of a tree cost, how well they hold, and how fast a tree ends: ratios of one run."""

import ctypes
import mmap
import os
import select
import signal
import statistics
import struct
import subprocess
import time

import exq
from bench_measure import alone, bwrap_call, timed, timed_bwrap, together, verdict
from exq_space import request

RESIDENT_ROUNDS = 200
FORK_ROUNDS = 5
FORKS = 400
COMPILE_ROUNDS = 3
SOURCES = 200
MEMORY_MB = 256
OVERSHOOT_ROUNDS = 5
KILL_ROUNDS = 100
DAEMONS = 50
WATCHDOG = 60

# Forks and reaps, one after the other, and prints the seconds of that.
FORK_LOOP = f"""import os, time
begun = time.perf_counter()
for _ in range({FORKS}):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
print(time.perf_counter() - begun)
"""

# Touches fresh memory at half a GB a second until it is ended, never faster after a pause, and says in a file how much that
# is by now.
TOUCHING = """import mmap, struct, time
step, rate = 1 << 20, 5e8
with open('touched', 'r+b') as file:
    told = mmap.mmap(file.fileno(), 4096)
held = []
while True:
    begun = time.perf_counter()
    piece = mmap.mmap(-1, step)
    for at in range(0, step, 4096):
        piece[at] = 1
    held.append(piece)
    struct.pack_into('Q', told, 0, len(held) * step)
    while time.perf_counter() - begun < step / rate:
        pass
"""

# Eight forks of a large program: what they share counts once.
SHARING = """import mmap, os
shared = mmap.mmap(-1, 90 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for at in range(0, 90 << 20, 4096):
    shared[at] = 1
stay, end = os.pipe()
pipes = [os.pipe() for _ in range(8)]
for reader, writer in pipes:
    if os.fork() == 0:
        os.close(end)
        os.write(writer, b'x' if shared[4096] == 1 else b'')
        os.read(stay, 1)
        os._exit(0)
assert all(os.read(reader, 1) == b'x' for reader, writer in pipes)
os.close(end)
for _ in pipes:
    os.wait()
print('all lived')
"""

DAEMONS_THAT_STAY = f"""import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
up, told = os.pipe()
for _ in range({DAEMONS}):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.write(told, b'x')
        signal.pause()
for _ in range({DAEMONS}):
    os.read(up, 1)
print('up', flush=True)
signal.pause()
"""


def space(backend="landlock", **resources):
    """A workspace with these limits."""
    ws = exq.Workspace(backend=backend, sections={"security.resources": resources})
    ws.env["PATH"] = "/usr/bin:/bin"
    return ws


class Executions:
    """When a program was last executed, by the kernel's own word (inotify(7)), whoever did it."""

    IN_OPEN = 0x20

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0 or libc.inotify_add_watch(self.fd, os.path.realpath(path).encode(), self.IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self.forget()

    def forget(self):
        """All until now."""
        while select.select([self.fd], [], [], 0)[0]:
            os.read(self.fd, 4096)

    def next(self):
        """The time of the next one."""
        assert select.select([self.fd], [], [], WATCHDOG)[0], "it was not executed"
        return time.perf_counter()

    def more(self):
        """Whether somebody else executed it too."""
        return len(os.read(self.fd, 4096)) > 16


def resident():
    """From the line of a request to the exec of its shell, in a console that is there, against bwrap on `true`."""
    ws = space()
    shell = Executions("/bin/sh")
    alone()
    session = ws.start()
    session.call("true")
    ours, theirs = [], []
    for _ in range(RESIDENT_ROUNDS):
        shell.forget()
        begun = time.perf_counter()
        session.send(request("true"))
        took = shell.next() - begun
        session.answer()
        if not shell.more():
            ours.append(took)
        theirs.append(timed_bwrap(ws))
    together()
    os.close(shell.fd)
    session.close_input()
    session.wait()
    mine, his = statistics.median(ours) * 1000, statistics.median(theirs) * 1000
    print(f"to the exec {mine:.2f} ms ({len(ours)} of {RESIDENT_ROUNDS} rounds), bwrap {his:.2f} ms")
    return verdict("request to exec against bwrap", mine / his, 0.7, True)


def forks():
    """A fork that is counted against one that is not."""
    ws = space()
    ws.write("forks.py", FORK_LOOP)
    argv = ["/usr/bin/python3", "-I", "forks.py"]
    free, counted = [], []
    alone()
    for _ in range(FORK_ROUNDS):
        free.append(float(subprocess.run(argv, env=ws.env, cwd=ws.work, capture_output=True, check=True).stdout))
        counted.append(float(subprocess.run([ws.program(), "run", " ".join(argv)], env=ws.env, cwd=ws.work,
                                            stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout))
    together()
    mine, his = statistics.median(counted) / FORKS * 1e6, statistics.median(free) / FORKS * 1e6
    print(f"a fork {mine:.0f} us, uncounted {his:.0f} us")
    return verdict("a counted fork", mine / his, 2.0, True)


def write_project(ws):
    """A C project of many small files, and its Makefile."""
    names = [f"part{number}" for number in range(SOURCES)]
    for name in names:
        body = "".join(f"int {name}_{n}(int a) {{ return a * {n + 3} + (int)strlen(\"{name}{n}\") % (a + 7); }}\n" for n in range(40))
        ws.write(f"{name}.c", f"#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\n{body}")
    ws.write("main.c", "int main(void) { return 0; }\n")
    objects = " ".join(f"{name}.o" for name in ["main", *names])
    ws.write("Makefile", f"all: {objects}\n\t$(CC) -o all {objects}\nclean:\n\trm -f all {objects}\n")


def compile_job(backend):
    """`make -j2` of it, inside against outside."""
    ws = space(backend, max_cpu_percent=100, max_subprocesses=64)
    write_project(ws)
    inside, outside = [], []
    for _ in range(COMPILE_ROUNDS):
        for times, argv in ((outside, ["make", "-j2", "CFLAGS=-O1"]), (inside, [ws.program(), "run", "make -j2 CFLAGS=-O1"])):
            subprocess.run(["make", "-s", "clean"], env=ws.env, cwd=ws.work, check=True)
            times.append(timed(argv, ws))
    mine, his = min(inside), min(outside)
    print(f"{SOURCES} files: {mine:.2f} s in {backend}, {his:.2f} s outside")
    return verdict(f"a compile job in {backend}", mine / his, 1.10, True)


def compiling():
    """In both backends of the kernel."""
    return all([compile_job(backend) for backend in ("landlock", "bubblewrap")])


def without_cgroup(argv):
    """The same where no control group can be made."""
    hide = 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"'
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", hide, "sh", *argv]


def overshoot():
    """How far a program gets beyond its memory when only the supervisor looks, at half a GB a second. Not alone(): among
    programs with real-time priority the one that runs keeps the processor from whoever looks at it."""
    ws = space(max_memory_mb=MEMORY_MB)
    ws.write("touching.py", TOUCHING)
    worst = 0
    for _ in range(OVERSHOOT_ROUNDS):
        ws.write("touched", "\0" * 4096)
        done = subprocess.run(without_cgroup([ws.program(), "run", "exec /usr/bin/python3 -I touching.py"]), env=ws.env, cwd=ws.work,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert b"memory_limit" in done.stderr, done
        with open(ws.path("touched"), "r+b") as file, mmap.mmap(file.fileno(), 4096) as told:
            worst = max(worst, struct.unpack_from("Q", told)[0])
    ws = space(max_memory_mb=512)
    ws.write("sharing.py", SHARING)
    done = subprocess.run(without_cgroup([ws.program(), "run", "/usr/bin/python3 -I sharing.py"]), env=ws.env, cwd=ws.work,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    good = verdict(f"memory touched under {MEMORY_MB} MB without a control group", worst / (MEMORY_MB << 20), 1.10, True)
    return verdict("eight forks of 90 MB under 512 MB live", int(done.stdout == b"all lived\n"), 1, False) and good


def ending(argv, ws, fds=()):
    """Seconds from the SIGKILL of a program to the end of all daemons below it; they hold its standard input."""
    reader, writer = os.pipe()
    process = subprocess.Popen(argv, env=ws.env, cwd=ws.work, stdin=reader, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, pass_fds=fds)
    os.close(reader)
    assert process.stdout.readline() == b"up\n"
    poll = select.poll()
    poll.register(writer, select.POLLERR)
    begun = time.perf_counter()
    process.send_signal(signal.SIGKILL)
    gone = poll.poll(WATCHDOG * 1000)
    took = time.perf_counter() - begun
    assert gone, "something is left"
    process.wait()
    process.stdout.close()
    os.close(writer)
    return took


def killing():
    """A tree of daemons whose console is killed, against one whose bwrap has lost its parent."""
    ws = space(max_subprocesses=2 * DAEMONS + 10)
    ws.write("daemons.py", DAEMONS_THAT_STAY)
    command = "exec /usr/bin/python3 -I daemons.py"
    ours, theirs = [], []
    for _ in range(KILL_ROUNDS):
        ours.append(ending([ws.program(), "run", command], ws))
        with bwrap_call(ws, command) as (argv, fds):
            theirs.append(ending(["/bin/sh", "-c", '"$@"; exit', "sh", *argv], ws, fds))
    mine, his = statistics.median(ours) * 1000, statistics.median(theirs) * 1000
    print(f"{len(ours)} of {KILL_ROUNDS} trees gone: {mine:.2f} ms (longest {max(ours) * 1000:.2f}), bwrap's {his:.2f} ms")
    return verdict("end of a killed tree against bwrap", mine / his, 3.0, True)


BENCHES = {"resident": resident, "forks": forks, "compile": compiling, "overshoot": overshoot, "kill": killing}
