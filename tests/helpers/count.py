"""Counts what test programs really did: count.py [--tap FILE]... BUILD_DIR... prints `N N N` (passed, failed, skipped).

Of a build directory every .trs file of automake counts: a TAP script by its points, a cmocka program by the tests its log
names, anything else as one. A --tap file (the output of `make lint`) counts by its points."""

import os
import re
import sys

CMOCKA = {
    "passed": re.compile(r"^\[  PASSED  \] (\d+) test\(s\)", re.M),
    "failed": re.compile(r"^\[  FAILED  \] (\d+) test\(s\)|^ ?(\d+) FAILED TEST\(S\)", re.M),
    "skipped": re.compile(r"^\[  SKIPPED \] (\d+) test\(s\)", re.M),
    "running": re.compile(r"^\[==========\] Running (\d+) test\(s\)", re.M),
}
KINDS = {"PASS": 0, "XFAIL": 0, "FAIL": 1, "XPASS": 1, "ERROR": 1, "SKIP": 2}


def cmocka_counts(log):
    """[passed, failed, skipped] of a cmocka log, or None when it is none."""
    running = sum(int(n) for n in CMOCKA["running"].findall(log))
    if not running:
        return None
    passed = sum(int(n) for n in CMOCKA["passed"].findall(log))
    skipped = sum(int(n) for n in CMOCKA["skipped"].findall(log))
    return [passed, max(running - passed - skipped, 0), skipped]


def trs_counts(path):
    """[passed, failed, skipped] of one .trs file and its log."""
    with open(path, encoding="utf-8", errors="replace") as file:
        results = re.findall(r"^:test-result: (\w+)", file.read(), re.M)
    counts = [0, 0, 0]
    for result in results:
        counts[KINDS.get(result, 1)] += 1
    log = path[:-4] + ".log"
    if len(results) == 1 and os.path.exists(log):
        with open(log, encoding="utf-8", errors="replace") as file:
            inner = cmocka_counts(file.read())
        if inner:
            inner[1] = max(inner[1], counts[1])  # a crash after the last test fails too
            return inner
    if not results:
        counts[1] += 1
    return counts


def tap_counts(text):
    """[passed, failed, skipped] of a TAP stream; what the plan promised and did not come has failed."""
    counts = [0, 0, 0]
    for line in text.splitlines():
        match = re.match(r"(not )?ok\b.*?(# *SKIP\b.*)?$", line, re.I)
        if match:
            counts[1 if match.group(1) else 2 if match.group(2) else 0] += 1
    plan = re.search(r"^1\.\.(\d+)", text, re.M)
    missing = int(plan.group(1)) - sum(counts) if plan else 1
    counts[1] += max(missing, 0)
    return counts


def main(arguments):
    """Adds up what is named."""
    total = [0, 0, 0]
    names = iter(arguments)
    for name in names:
        if name == "--tap":
            with open(next(names), encoding="utf-8", errors="replace") as file:
                rows = [tap_counts(file.read())]
        else:
            rows = [trs_counts(os.path.join(root, file)) for root, _, files in os.walk(name)
                    for file in files if file.endswith(".trs")]
        for row in rows:
            total = [a + b for a, b in zip(total, row)]
    print(*total)


if __name__ == "__main__":
    main(sys.argv[1:])
