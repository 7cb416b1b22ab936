"""The files of a session: the next one when one is full, compressed and pruned when closed, one record all the while. Ids are
handed-out cases."""

import json
import os
import shutil
import subprocess

import exq

WHOLE, ALTERED, USAGE = 0, 1, 2
MIB = 1 << 20
FILL = "head -c 700000 /dev/zero | tr '\\0' a"


def record_dir(ws):
    """The directory of the record."""
    return os.path.join(ws.state, "exequatur", "audit")


def files(ws):
    """What is in it."""
    return sorted(os.listdir(record_dir(ws)))


def verify(ws, status=WHOLE):
    """The words of `exequatur audit verify`, which must give the status."""
    done = ws.exequatur("audit", "verify", record_dir(ws))
    words = (done.stdout + done.stderr).decode()
    exq.equal(done.returncode, status, words)
    return words


def prune(ws, *options, status=0):
    """The words of `exequatur audit prune`."""
    done = ws.exequatur("audit", "prune", *options)
    exq.equal(done.returncode, status, done.stderr.decode())
    return (done.stdout + done.stderr).decode()


def rotating(calls=5, **keys):
    """A session whose files may have 1 MiB: every second call, one after the other, fills one."""
    ws = exq.Workspace(sections={"security.audit": {"max_size_mb": 1, **keys}})
    session = ws.start()
    for _ in range(calls):
        exq.equal(session.call(FILL)["success"], True)
    session.close_input()
    exq.equal(session.wait(), 0)
    return ws


def lines_of(path):
    """The events of one plain file."""
    with open(path, encoding="ascii") as file:
        return [json.loads(line) for line in file]


def plain_lines(ws):
    """The lines of all files, those of each session in order, compressed or not."""

    def place(name):
        parts = name.removesuffix(".zst").split(".")
        return parts[0], int(parts[1]) if len(parts) == 3 else 1

    lines = []
    for name in sorted((n for n in files(ws) if ".jsonl" in n), key=place):
        path = os.path.join(record_dir(ws), name)
        if name.endswith(".zst"):
            data = subprocess.run([exq.need_program("zstd"), "-dcq", path], capture_output=True, check=True).stdout
        else:
            with open(path, "rb") as file:
                data = file.read()
        lines += data.splitlines()
    return [json.loads(line) for line in lines]


@exq.test("a session of several files is one record: its numbers go on, each file is whole")
def several_files():
    ws = rotating()
    names = [name for name in files(ws) if name.endswith(".jsonl")]
    exq.equal(len(names), 3)
    words = verify(ws)
    exq.has(words, f"{len(names)} files")
    events = plain_lines(ws)
    exq.equal([event["event"] for event in events], list(range(1, len(events) + 1)))
    continued = [event for event in events if event["type"] == "continued"]
    exq.equal([event["part"] for event in continued], list(range(2, len(names) + 1)))
    exq.equal({event["session"] for event in continued}, {names[-1].split(".")[0]})
    for path in ws.records():
        exq.check(os.path.getsize(path) < 2 * MIB, path)
        exq.equal(os.stat(path).st_mode & 0o777, 0o600)


@exq.test("a call waits for the disk at most three times, also where each one fills a file")
def syncs():
    ws = exq.Workspace(sections={"security.audit": {"max_size_mb": 1}})
    tool = exq.need_program("strace")
    fill = "head -c 1200000 /dev/zero | tr '\\0' a"

    def count(calls):
        trace = ws.path(f"trace{calls}")
        process = ws.popen([tool, "-f", "-o", trace, "-e", "trace=fdatasync,fsync", ws.program(), "--headless"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(calls):
            process.stdin.write(json.dumps({"name": "shell", "arguments": {"command": fill}}).encode() + b"\n")
            process.stdin.flush()
            exq.equal(json.loads(process.stdout.readline())["success"], True)
        _out, err = process.communicate(timeout=60)
        exq.equal(process.returncode, 0, err)
        with open(trace, encoding="utf-8") as file:
            return sum("sync(" in line and "resumed" not in line for line in file)

    one, six = count(1), count(6)
    exq.equal(len([event for event in plain_lines(ws) if event["type"] == "continued"]), 7)
    exq.check(one >= 2 and six - one <= 5 * 3, f"{one} for one call, {six} for six")


@exq.test("what a later file repeats makes it readable alone")
def alone():
    ws = rotating(calls=3)
    sizes = {path: os.path.getsize(path) for path in ws.records()}
    holds = [path for path in sizes if any(event["type"] == "received" and event["seq"] == 3 for event in lines_of(path))]
    exq.check(len(holds) == 1 and os.path.basename(holds[0]).count(".") == 2, f"call 3 came in {holds} of {sizes}")
    later = holds[0]
    copy = os.path.join(ws.outside, os.path.basename(later))
    shutil.copyfile(later, copy)
    with open(copy, encoding="ascii") as file:
        first = json.loads(file.readline())
    done = ws.exequatur("audit", "show", "--json", f"{copy}#3")
    exq.equal(done.returncode, 0, done.stderr.decode())
    exq.equal(json.loads(done.stdout)["command"], FILL)
    exq.equal(first["type"], "continued")
    for key in ("version", "host", "workspace", "calls", "max_running", "before", "chain"):
        exq.check(key in first, key)


@exq.test("closed files are compressed, and all readers read them as before")
def compressed():
    ws = rotating(compress=True)
    ws.call("true")
    before = [event for event in plain_lines(ws)]
    names = files(ws)
    exq.check(sum(name.endswith(".zst") for name in names) >= 3, names)
    exq.check(not any(name.endswith(".part") for name in names), names)
    verify(ws)
    exq.equal([event["type"] for event in before].count("session_start"), 2)
    session = next(name for name in names if name.endswith(".zst")).split(".")[0]
    done = ws.exequatur("audit", "verify", os.path.join(record_dir(ws), session + ".jsonl"))
    exq.equal(done.returncode, WHOLE, done.stderr)
    path = os.path.join(record_dir(ws), next(name for name in names if name.endswith(".2.jsonl.zst")))
    with open(path, "r+b") as file:
        file.seek(os.path.getsize(path) // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    exq.has(verify(ws, ALTERED), ".2.jsonl:")


@exq.test("a session of several files is one in list, show, replay and export, compressed or not", compress=[False, True])
def one_session(compress):
    ws = rotating(calls=6, compress=compress)
    ws.call("true")
    exq.equal(any(name.endswith(".zst") for name in files(ws)), compress)
    session = files(ws)[1].split(".")[0]
    done = ws.exequatur("audit", "list", "--json", session)
    exq.equal(done.returncode, 0, done.stderr.decode())
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    exq.equal([row["seq"] for row in rows if "seq" in row], [1, 2, 3, 4, 5, 6])
    sessions = [json.loads(line) for line in ws.exequatur("audit", "list", "--json", "--sessions").stdout.decode().splitlines()]
    exq.equal([row["calls"] for row in sessions if row["type"] == "session"], [6, 1])
    dump = ws.exequatur("replay", "--dump", session)
    exq.equal(dump.returncode, 0, dump.stderr.decode())
    for seq in range(1, 7):
        exq.has(dump.stdout.decode(), f"#{seq}")
        shown = ws.exequatur("audit", "show", "--json", f"{session}#{seq}")
        exq.equal(json.loads(shown.stdout)["command"], FILL)
    events = ws.exequatur("audit", "export", "--format", "json", session)
    exq.equal(events.returncode, 0, events.stderr.decode())


@exq.test("the oldest closed files beyond max_files go, with a tombstone each")
def max_files():
    ws = rotating(calls=8, max_files=2)
    ws.call("true")
    words = verify(ws)
    exq.matches(words, r"\.jsonl: pruned at \S+Z, more than 2 files: \d+ events, \d+ calls?$")
    session = ws.records()[-1]
    exq.check(os.path.exists(session), files(ws))


@exq.test("audit prune says what would go, prunes, and the chain still proves; a changed tombstone is found")
def pruned():
    ws = exq.Workspace()
    for number in range(4):
        ws.call(f"echo {number}")
    exq.equal(prune(ws, status=USAGE)[:5], "usage")
    exq.equal(prune(ws, "--keep", "0", status=USAGE)[:5], "usage")
    exq.has(prune(ws, "--keep", "3", "--dry-run"), "1 file would be pruned")
    exq.equal(len(ws.records()), 4)
    exq.has(prune(ws, "--older-than", "30d"), "0 files pruned")
    oldest = os.path.basename(ws.records()[0])
    exq.has(prune(ws, "--keep", "3"), "1 file pruned")
    exq.has(verify(ws), f"{oldest}: pruned at ")
    missing = ws.records()[0]
    kept = missing + ".kept"
    os.rename(missing, kept)
    words = verify(ws, ALTERED)
    exq.has(words, f"{os.path.basename(missing)}:1: altered: the file is not there")
    exq.has(words, f"{oldest}: pruned at ")
    os.rename(kept, missing)
    ws.call("true")
    path = os.path.join(record_dir(ws), "CHAIN")
    with open(path, "rb") as file:
        chain = file.read()
    with open(path, "wb") as file:
        file.write(chain.replace(b'"calls":1', b'"calls":0'))
    exq.has(verify(ws, ALTERED), "CHAIN:")
    with open(path, "wb") as file:
        file.write(chain)
    exq.has(prune(ws, "--max-size", "1k"), "4 files pruned")
    exq.equal(ws.records(), [])
    verify(ws)


@exq.test("with seals only what is sealed is pruned, and the tombstone is sealed")
def sealed():
    ws = exq.Workspace()
    ws.call("true")
    done = ws.exequatur("audit", "init-seals")
    exq.equal(done.returncode, 0, done.stderr.decode())
    key = next(word for word in done.stdout.decode().split() if len(word) == 64)
    ws.call("true")
    ws.configure({"security.audit": {"sign_events": True}})
    ws.call("echo sealed")
    seals = os.path.join(record_dir(ws), "SEALS")
    with open(seals, "rb") as file:
        before = file.read()
    exq.has(prune(ws, "--keep", "1"), "2 files pruned")
    with open(seals, "rb") as file:
        exq.check(len(file.read()) > len(before), "the tombstones are not sealed")
    done = ws.exequatur("audit", "verify", "--key", key, record_dir(ws))
    exq.equal(done.returncode, WHOLE, done.stdout.decode())
    with open(os.path.join(record_dir(ws), "CHAIN"), "r+b") as file:
        lines = file.read().splitlines(keepends=True)
        file.seek(0)
        file.truncate()
        file.write(b"".join(lines[:-1]))
    verify(ws, ALTERED)


@exq.test("a file that an open session writes is never pruned")
def open_stays():
    ws = exq.Workspace()
    ws.call("true")
    session = ws.start()
    session.call("true")
    exq.has(prune(ws, "--max-size", "1k"), "1 file pruned")
    exq.equal(len(ws.records()), 1)
    exq.equal(session.call("echo on")["output"], "on\n")
    session.close_input()
    exq.equal(session.wait(), 0)
    verify(ws)


@exq.test("a compression that a crash broke off is undone by the next start, which says so")
def broken_off():
    ws = exq.Workspace(sections={"security.audit": {"compress": True}})
    ws.call("true")
    ws.call("true")
    packed = [name for name in files(ws) if name.endswith(".zst")][0]
    part = os.path.join(record_dir(ws), f".{packed}.part")
    with open(part, "wb") as file:
        file.write(b"half")
    os.chmod(part, 0o600)
    ws.call("true")
    exq.check(not os.path.exists(part), files(ws))
    found = [event for event in plain_lines(ws) if event["type"] == "found_open"]
    exq.equal([(event["file"], event["unfinished"]) for event in found],
              [(packed.removesuffix(".zst"), "compression undone")])
    verify(ws)


@exq.test("a file that is renamed by somebody else while commands run loses nothing (H114)")
def renamed():
    ws = exq.Workspace()
    session = ws.start()
    session.call("echo before")
    path = ws.records()[0]
    for number in range(4):
        os.rename(path, f"{path}.{number}")
        if number % 2:  # as logrotate's "create" does
            with open(path, "wb"):
                os.chmod(path, 0o600)
        exq.equal(session.call(f"echo {number}")["output"], f"{number}\n")
        exq.check(os.path.samefile(path, f"{path}.{number}"), number)
    session.close_input()
    exq.equal(session.wait(), 0)
    verify(ws)
    exq.equal(len(ws.events("answered")), 5)
    exq.equal([name for name in files(ws) if name.endswith(".name")], [])


@exq.test("a session that rotates by size goes on where somebody else renames its newest file (H114)")
def renamed_and_full():
    ws = exq.Workspace(sections={"security.audit": {"max_size_mb": 1}})
    session = ws.start()
    for number in range(5):
        session.call(FILL)
        newest = max(ws.records(), key=os.path.getmtime)
        os.rename(newest, f"{newest}.{number}")
        session.call("true")
        exq.check(os.path.exists(newest), files(ws))
    session.close_input()
    exq.equal(session.wait(), 0)
    exq.check(len(ws.records()) >= 3, files(ws))
    verify(ws)
    exq.equal(len(ws.events("answered")), 10)


@exq.test("a file that is removed, or replaced, while commands run: nothing runs that is not in the record", how=["removed", "replaced"])
def taken(how):
    ws = exq.Workspace()
    session = ws.start()
    session.call("echo before")
    path = ws.records()[0]
    os.unlink(path)
    if how == "replaced":
        with open(path, "w", encoding="ascii") as file:
            file.write("forged\n")
    exq.equal(session.call(f"touch {ws.path('ran')}")["error"][:17], "audit_unavailable")
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    exq.equal(session.call("echo again")["output"], "again\n")
    session.close_input()
    exq.equal(session.wait(), 0)
    gaps = [event["before"] for event in plain_lines(ws) if event["type"] == "gap"] if how == "removed" else [os.path.basename(path)]
    exq.equal(gaps, [os.path.basename(path)])
    exq.has(verify(ws, ALTERED), os.path.basename(path))


exq.main()
