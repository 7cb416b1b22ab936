"""Benchmarks as ratios of one run: `make bench`, or python3 tests/bench/bench.py NAME... (the names: BENCHES) with
PYTHONPATH=tests/helpers and EXQ_BUILD=the build directory. Each prints its figures and whether its bound holds.

TMPDIR names where the record lies; without it /var/tmp, since /tmp may be memory, where an fdatasync costs nothing. A place
where tests deleted files by the thousand a moment ago makes ext4 search for a free inode at each new file: then name another."""

import json
import os
import statistics
import subprocess
import sys
import time

import bench_docker
import bench_network
import bench_tree
import exq
from bench_measure import alone, peak_kib, timed, timed_bwrap, together, verdict
from exq_space import build_dir, close_all, encode, request

START_ROUNDS = 200
WRAPPED_ROUNDS = 100
GIB = 1 << 30


def sync_seconds(ws):
    """Median of an fdatasync of a small append, as the record does them."""
    path = os.path.join(ws.state, "sync-probe")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    times = []
    for _ in range(50):
        os.write(fd, b"x" * 1500)
        begun = time.perf_counter()
        os.fdatasync(fd)
        times.append(time.perf_counter() - begun)
    os.close(fd)
    os.unlink(path)
    return statistics.median(times)


def memory(ws):
    """Sum of VmHWM of run, supervisor and launcher while a command runs, in MiB."""
    process = ws.popen([ws.program(), "run", "echo up; read -r line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"up\n"
    pids = [process.pid]
    for pid in pids:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            pids += [int(child) for child in file.read().split()]
    ours = [pid for pid in pids if "exequatur" in open(f"/proc/{pid}/comm", encoding="ascii").read()]
    total = sum(peak_kib(pid) for pid in ours)
    process.communicate(b"\n")
    return total / 1024, len(ours)


def start():
    """`exequatur run true` with landlock against bwrap's full argv on the same."""
    ws = exq.Workspace(backend="landlock")
    alone()
    ours, theirs = [], []
    for _ in range(START_ROUNDS):
        ours.append(timed([ws.program(), "run", "true"], ws))
        theirs.append(timed_bwrap(ws))
    mine, his = statistics.median(ours) * 1000, statistics.median(theirs) * 1000
    sync = sync_seconds(ws) * 1000
    together()
    mib, count = memory(ws)
    print(f"run true {mine:.2f} ms, bwrap {his:.2f} ms, one fdatasync {sync:.2f} ms: two beside the launcher's set-up, one "
          f"behind the command ({sync / mine:.0%} of the whole)")
    good = verdict("start against bwrap", mine / his, 0.85, True)
    return verdict(f"peak memory of {count} programs in MiB", mib, 8.0, True) and good


def plan_parts(ws, *names):
    """The lines of these parts of the plan of `true`."""
    parts, part = {name: [] for name in names}, None
    for line in ws.exequatur("plan", "true").stdout.decode().splitlines():
        name, rest = line[:12].strip(), line[12:]
        part = parts.get(name, part if not name else None)
        if part is not None:
            part.append(rest)
    return parts.values()


def bare_bwrap(ws):
    """The argv with which bwrap alone makes the same view of the same places for `sh -c true`: that of the plan."""
    [wrapper] = plan_parts(ws, "wrapper")
    words = [word for line in wrapper for word in line.split()]
    return [*words[:words.index("--")], "--", "/bin/sh", "-c", "true"]


def bare_firejail(ws):
    """The same of firejail."""
    wrapper, profile = plan_parts(ws, "wrapper", "profile")
    path = ws.write(os.path.join(ws.dir, "firejail.profile"), "\n".join(profile) + "\n")
    kept = [word for word in wrapper if not word.startswith(("--profile=", "--keep-fd=", "-- "))]
    return [*kept, f"--profile={path}", "--", "/bin/sh", "-c", "true"]


def wrapped(backend, bare, bound):
    """`exequatur run true` against the wrapper alone with the same options, of one run."""
    ws = exq.Workspace(backend=backend)
    theirs_argv = bare(ws)
    alone()
    ours, theirs = [], []
    for _ in range(WRAPPED_ROUNDS):
        ours.append(timed([ws.program(), "run", "true"], ws))
        theirs.append(timed(theirs_argv, ws))
    together()
    mine, his = statistics.median(ours) * 1000, statistics.median(theirs) * 1000
    print(f"run true {mine:.2f} ms, {backend} {his:.2f} ms")
    return verdict(f"start against {backend}", mine / his, bound, True)


def bubblewrap():
    """Of bwrap."""
    return wrapped("bubblewrap", bare_bwrap, 1.45)


def firejail():
    """Of firejail."""
    return wrapped("firejail", bare_firejail, 1.1)


def drained(argv, ws):
    """Seconds until a reader that throws everything away saw the end."""
    begun = time.perf_counter()
    process = subprocess.Popen(argv, env=ws.env, cwd=ws.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    buffer = bytearray(1 << 16)
    with process.stdout as stream:
        while stream.readinto(buffer):
            pass
    process.wait()
    return time.perf_counter() - begun


def output():
    """1 GiB through the cap against `cat` into a reader that throws it away."""
    ws = exq.Workspace(backend="landlock", sections={"security.resources": {"max_cpu_time_seconds": 600}})
    # Lines of text, as a command writes them; the producer is the same on both sides.
    command = f"yes 'a line of output as a build or a test writes it' | head -c {GIB}"
    plain, capped = [], []
    alone()
    session = ws.start()
    session.call("true")
    before = peak_kib(session.pid)
    for _ in range(5):
        plain.append(drained(["sh", "-c", f"{command} | cat"], ws))
        begun = time.perf_counter()
        answer = session.call(command, seconds=300)
        capped.append(time.perf_counter() - begun)
        assert answer["output_bytes"] == GIB, answer["output_bytes"]
    grown = (peak_kib(session.pid) - before) / 1024
    session.close_input()
    session.wait()
    together()
    print(f"cat {GIB / statistics.median(plain) / 1e9:.2f} GB/s, capped {GIB / statistics.median(capped) / 1e9:.2f} GB/s")
    good = verdict("rate of 1 GiB through the cap", statistics.median(plain) / statistics.median(capped), 0.7, False)
    return verdict("growth of the console in MiB", grown, 8.0, True) and good


def resident_kib(pid):
    """Resident memory now."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def state_of(pid):
    """Descriptors, children and resident MiB of the console."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = len(file.read().split())
    return len(os.listdir(f"/proc/{pid}/fd")), children, resident_kib(pid) / 1024


def calls():
    """1,000 requests of `true` through one console, a call against a bare bwrap start."""
    ws = exq.Workspace(backend="landlock")
    session = ws.start()
    states = {}
    for number in range(1, 101):
        session.call("true")
    states[100] = state_of(session.pid)
    for number in range(101, 1001):
        session.call("true")
    states[1000] = state_of(session.pid)
    session.close_input()
    session.wait()
    batch = encode([request("true", id=n) for n in range(1000)])
    alone()
    begun = time.perf_counter()
    done = ws.exequatur("--headless", stdin=batch, seconds=600)
    each = (time.perf_counter() - begun) / 1000
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 1000 and all(answer["success"] for answer in answers)
    bare = statistics.median(timed_bwrap(ws) for _ in range(100))
    together()
    print(f"a call {each * 1000:.2f} ms, bwrap {bare * 1000:.2f} ms; descriptors, children, MiB at 100: {states[100]}, at 1000: {states[1000]}")
    good = verdict("a call against a bwrap start", each / bare, 0.9, True)
    good = verdict("descriptors more", states[1000][0] - states[100][0], 0, True) and good
    good = verdict("children more", states[1000][1] - states[100][1], 0, True) and good
    return verdict("MiB more from the 100th to the 1,000th", states[1000][2] - states[100][2], 1.0, True) and good


KEY_MS = 16  # what a key may take at the 99th percentile


def keys():
    """A key on 1 MiB of output against the same key on a screen of the same text; the longest texts against what is promised."""
    program = os.path.join(build_dir(), "tests", "bench", "bench_keys")
    alone()
    lines = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    together()
    figures = {name: (int(median), int(high)) for name, median, high, _ in (line.split() for line in lines)}
    print("microseconds a key, median and 99th percentile: "
          + ", ".join(f"{name} {median} {high}" for name, (median, high) in figures.items()))
    good = True
    for text in ("ascii", "cyrillic", "han", "marks"):
        good = verdict(f"1 MiB of {text} against a screen", figures[f"output-{text}"][0] / figures[f"short-{text}"][0], 3, True) and good
    worst = max(high for _, high in figures.values()) / 1000
    return verdict("the dearest key in ms", worst, KEY_MS, True) and good


def intake():
    """A call let in, and ended with all others, where 40,000 come against where 10,000 do; what a turn of answers asks of the disk."""
    program = os.path.join(build_dir(), "tests", "bench", "bench_intake")
    lines = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    figures = {name: (int(first), int(second)) for name, first, second in (line.split() for line in lines)}
    print("nanoseconds a call: " + ", ".join(f"{name} {first}" for name, (first, _) in figures.items()))
    good = True
    for way in ("in", "out"):
        good = verdict(f"a call {way}, 40,000 against 10,000", figures[f"{way}-40000"][0] / figures[f"{way}-10000"][0], 1.5, True) and good
    return verdict("fdatasyncs of 40,000 answers", figures["out-40000"][1], 40000 / 32 + 2, True) and good


def queue():
    """A key with 100,000 calls waiting against the same key with ten, the first frame, and what such a call needs; calls let in."""
    program = os.path.join(build_dir(), "tests", "bench", "bench_queue")
    alone()
    lines = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
    together()
    figures = {name: (int(first), int(second)) for name, first, second in (line.split() for line in lines)}
    print("nanoseconds a key, median and 99th percentile: " + ", ".join(f"{name} {first} {second}" for name, (first, second) in figures.items()))
    good = True
    for key in ("down", "up", "next", "last"):
        good = verdict(f"{key} among 100,000 against among ten", figures[f"{key}-100000"][0] / figures[f"{key}-10"][0], 2, True) and good
        good = verdict(f"{key} at the 99th percentile in ms", figures[f"{key}-100000"][1] / 1e6, KEY_MS, True) and good
    good = verdict("the first frame against that of ten", figures["first-100000"][0] / figures["first-10"][0], 3, True) and good
    good = verdict("bytes of a call over its text", figures["bytes-100000"][0] - figures["bytes-100000"][1], 1024, True) and good
    return intake() and good


BENCHES = {"start": start, "keys": keys, "queue": queue, "bubblewrap": bubblewrap, "firejail": firejail, "output": output, "calls": calls, **bench_docker.BENCHES, **bench_tree.BENCHES,
           **bench_network.BENCHES}


def main():
    """Runs the named benchmarks, or all."""
    good = True
    os.environ.setdefault("TMPDIR", "/var/tmp")
    for name in sys.argv[1:] or BENCHES:
        good = BENCHES[name]() and good
        close_all()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
