#!/usr/bin/env python3
"""Each golden frame is as wide as its screen by wcwidth, the measure of most terminals."""
import os
import re
import sys

try:
    import wcwidth
except ImportError:
    print("1..0 # SKIP python3-wcwidth is not installed")
    sys.exit(0)

GOLDEN = os.path.join(os.environ.get("EXQ_SOURCE", "."), "tests", "golden", "ui")
SIZE = re.compile(r"-(\d+)x(\d+)(?=-|$)")


def size_of(name):
    """Columns and rows that the name of a frame says. A frame with its styles is named NAME-styles and has a row of them for each row."""
    found = SIZE.search(name)
    if found:
        return int(found.group(1)), int(found.group(2))
    return (52, 14) if name == "too-small" else (80, 24)


def faults(name):
    """Rows that are not as wide as the screen."""
    cols, rows = size_of(name)
    with open(os.path.join(GOLDEN, name + ".txt"), encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    bad = [str(i + 1) for i, line in enumerate(lines[:rows]) if wcwidth.wcswidth(line) != cols]
    if len(lines) != rows * (2 if name.endswith("-styles") else 1):
        bad.append("%d rows" % len(lines))
    return bad


def main():
    """One TAP point for each frame."""
    names = sorted(name[:-4] for name in os.listdir(GOLDEN) if name.endswith(".txt"))
    print("1..%d" % len(names))
    for number, name in enumerate(names, 1):
        bad = faults(name)
        print("%sok %d - %s%s" % ("not " if bad else "", number, name, " rows " + " ".join(bad) if bad else ""))


main()
