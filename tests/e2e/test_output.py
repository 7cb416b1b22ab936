"""What comes out of a command: all of it in its order, up to the cap, as text that is always valid. Ids are handed-out cases."""

import os

import exq

CAP = 1048576


@exq.test("standard output and standard error stay in the order in which they were written (H029)", backend=exq.EVERY)
def order(backend):
    ws = exq.Workspace(backend=backend)
    exq.equal(ws.call("echo 1; echo 2 >&2; echo 3")["output"], "1\n2\n3\n")
    program = "import os\nfor i in range(300): os.write(1 + i % 2, b'%d\\n' % i)"
    ws.write("alternate.py", program)
    answer = ws.call("/usr/bin/python3 alternate.py")
    exq.equal(answer["output"], "".join(f"{i}\n" for i in range(300)))


@exq.test("NUL and bytes that are not UTF-8 are kept as text and nothing is cut (H027)")
def odd_bytes():
    answer = exq.Workspace().call("printf 'a\\000b\\377c\\n'")
    exq.equal((answer["output"], answer["output_bytes"]), ("a\0b\ufffdc\n", 6))


@exq.test("the cap falls before a character, never inside it (H025)")
def whole_character():
    answer = exq.Workspace().call("head -c 1048575 /dev/zero | tr '\\0' a; printf '\\350\\252\\236'")
    exq.equal(answer["output"][:1048575], "a" * 1048575)
    note = answer["output"][1048575:]
    exq.check("\ufffd" not in note and "\u8a9e" not in note, note)
    exq.matches(note, r"3 bytes")
    exq.equal((answer["truncated"], answer["output_bytes"], answer["success"]), (True, 1048578, True))
    exq.has(answer["notes"], "output_truncated")


@exq.test("output of exactly the cap is not cut, one byte more is", size=[CAP, CAP + 1])
def exactly(size):
    answer = exq.Workspace().call(f"head -c {size} /dev/zero | tr '\\0' a")
    exq.equal((answer["truncated"], answer["output_bytes"]), (size > CAP, size))
    exq.equal(answer["output"].startswith("a" * CAP), True)
    exq.equal(len(answer["output"]) == CAP, size == CAP)


@exq.test("the cap breaks no command: it ends by itself, with 0 (H026)", backend=exq.EVERY)
def drained(backend):
    ws = exq.Workspace(backend=backend)
    answer = ws.call("head -c 3000000 /dev/zero | tr '\\0' a; echo done > finished")
    exq.equal((answer["success"], answer["exit_code"], answer["truncated"]), (True, 0, True))
    exq.equal(answer["output_bytes"], 3000000)
    exq.matches(answer["output"][CAP:], r"1951424 bytes|1,951,424 bytes")
    exq.check(os.path.exists(ws.path("finished")), "the command did not reach its end")


@exq.test("an escape sequence that the cap cuts colours nothing behind it (H033)")
def cut_sequence():
    answer = exq.Workspace().call("head -c 1048573 /dev/zero | tr '\\0' a; printf '\\033[31mRED\\033[0m'")
    exq.equal(answer["output"][1048573:1048576], "\x1b[3")
    exq.has(answer["output"][1048576:], "bytes")
    exq.equal(answer["output_bytes"], 1048585)


@exq.test("every line of 588,895 bytes arrives, forty times over (H028)")
def complete():
    ws = exq.Workspace()
    session = ws.start()
    for _ in range(40):
        answer = session.call("seq 1 100000")
        exq.equal((len(answer["output"]), answer["output"][-7:], answer["truncated"]), (588895, "100000\n", False))
    session.close_input()
    exq.equal(session.wait(), 0)


def rss_kib(pid):
    """Resident memory of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


@exq.test("a command that never stops writing ends at its deadline, without growing the console (H024)")
def endless():
    ws = exq.Workspace()
    session = ws.start()
    exq.equal(session.call("yes | head -c 2000000 >&2")["success"], True)
    before = rss_kib(session.pid)
    answer = session.call("yes", timeout=3)
    exq.equal((answer["reason"], answer["success"], answer["truncated"]), ("timeout", False, True))
    exq.check(3000 <= answer["duration_ms"] <= 8000, answer["duration_ms"])
    exq.check(answer["output_bytes"] > CAP, answer["output_bytes"])
    exq.check(rss_kib(session.pid) - before < 16 << 10, f"{before} KiB before, {rss_kib(session.pid)} after")
    exq.gone("yes")
    session.close_input()
    exq.equal(session.wait(), 0)


@exq.test("nothing is added to what the command wrote", backend=exq.EVERY)
def nothing_added(backend):
    answer = exq.Workspace(backend=backend).call("printf x")
    exq.equal((answer["output"], answer["output_bytes"]), ("x", 1))


@exq.test("`run` gives the raw bytes to a pipe")
def run_raw():
    done = exq.Workspace().exequatur("run", "printf 'a\\000\\377\\033[31m'")
    exq.equal((done.returncode, done.stdout), (0, b"a\0\xff\x1b[31m"))


exq.main()
