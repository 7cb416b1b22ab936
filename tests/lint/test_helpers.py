"""The helpers of the tests themselves: a census that finds what is left, and totals that count what was run."""

import os
import shutil
import subprocess
import sys
import tempfile

import exq

sys.path.insert(0, os.path.join(os.environ.get("EXQ_SOURCE", "."), "tests/helpers"))
import count  # noqa: E402

CMOCKA = """[==========] Running 5 test(s).
[  PASSED  ] 3 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  FAILED  ] 1 test(s), listed below:

 1 FAILED TEST(S)
"""
# files of a build directory: what they count for
LOGS = [
    ({"a.trs": ":test-result: PASS\n:test-result: SKIP why\n:test-result: FAIL x\n"}, [1, 1, 1]),
    ({"a.trs": ":test-result: PASS\n", "a.log": "whatever\n"}, [1, 0, 0]),
    ({"a.trs": ":test-result: FAIL\n", "a.log": CMOCKA}, [3, 1, 1]),
    ({"a.trs": ":test-result: PASS\n", "a.log": CMOCKA.replace("FAILED", "OTHER").replace("PASSED  ] 3", "PASSED  ] 4")}, [4, 0, 1]),
    ({"a.trs": ":test-result: FAIL\n", "a.log": "[==========] Running 5 test(s).\n[       OK ] a\n"}, [0, 5, 0]),
    ({"a.trs": ":test-result: FAIL\n", "a.log": "[==========] Running 2 test(s).\n[  PASSED  ] 2 test(s).\n"}, [2, 1, 0]),
    ({"a.trs": ""}, [0, 1, 0]),
    ({"d/a.trs": ":test-result: PASS\n", "b.trs": ":test-result: XPASS\n"}, [1, 1, 0]),
]
TAPS = [
    ("1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP why\n", [1, 1, 1]),
    ("1..3\nok 1 - a\n", [1, 2, 0]),
    ("ok 1 - a\n", [1, 1, 0]),
    ("", [0, 1, 0]),
]


def run_script(body):
    """The TAP of a small script that uses the helper."""
    top = tempfile.mkdtemp(prefix="exq-helpers-")
    try:
        path = os.path.join(top, "script.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"import exq\n\n\n@exq.test('a point')\ndef point():\n{body}\n\n\nexq.main()\n")
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False,
                              env={**os.environ, "TMPDIR": top})
        out = "".join(line for line in done.stdout.splitlines(True) if "this is not root" not in line)
        return done.returncode, out, sorted(os.listdir(top))
    finally:
        shutil.rmtree(top)


@exq.test("totals are those of automake, of cmocka and of TAP")
def totals():
    for files, want in LOGS:
        top = tempfile.mkdtemp(prefix="exq-count-")
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(top, name)), exist_ok=True)
            with open(os.path.join(top, name), "w", encoding="utf-8") as file:
                file.write(text)
        got = [sum(column) for column in zip(*(
            count.trs_counts(os.path.join(root, name)) for root, _, names in os.walk(top)
            for name in names if name.endswith(".trs")))]
        shutil.rmtree(top)
        exq.equal(got, want, str(files))
    for text, want in TAPS:
        exq.equal(count.tap_counts(text), want, text)


@exq.test("a point that holds is ok")
def holds():
    status, out, _ = run_script("    exq.equal(1, 1)")
    exq.equal((status, out), (0, "1..1\nok 1 - a point\n"))


@exq.test("a point that does not hold, and an exception, are not ok")
def fails():
    for body in ("    exq.equal(1, 2)", "    exq.has('a', 'b')", "    exq.matches('a', 'b')", "    exq.check(0, 'no')",
                 "    raise KeyError('x')", "    exq.wait_for(lambda: False, 0.01)"):
        status, out, _ = run_script(body)
        exq.check(status == 1 and "not ok 1" in out, f"{body}: {out}")


@exq.test("a skip is no failure and says why")
def skips():
    status, out, _ = run_script("    exq.skip('the reason')")
    exq.equal((status, out), (0, "1..1\nok 1 - a point # SKIP the reason\n"))


@exq.test("a process that is left fails the point, even with a session of its own, and is ended")
def left():
    body = """    import subprocess
    subprocess.run(["/bin/sh", "-c", "setsid sleep 99942 >/dev/null 2>&1 &"])
    exq.wait_for(lambda: exq.find("sleep 99942"))"""
    body = body.replace("exq.wait_for", "import exq_proc; exq_proc.LEFT_SECONDS = 0.1; exq.wait_for")
    status, out, _ = run_script(body)
    exq.check(status == 1 and "left behind" in out and "sleep 99942" in out, out)
    exq.equal(exq.find("sleep 99942"), [])


@exq.test("workspaces are removed, also those with read-only directories")
def removed():
    status, out, names = run_script("    ws = exq.Workspace()\n    ws.write('a/b')\n    ws.mkdir('a', 0o500)")
    exq.equal((status, names), (0, ["script.py"]), out)


exq.main()
