"""The suites of attacks and limits in a machine with another kernel: AppArmor, control groups of version 2, Landlock ABI 2.
Each point that ran there is one here."""

import json
import os
import re
import shutil
import signal
import sys
import tempfile

import machine

SILENCE_S = 240  # no point may say nothing for so long
TOTAL_S = 1800   # ten times what all of it may take


class Points:
    """Writes TAP, one stream out of all suites."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def add(self, good, name, note=""):
        """One point."""
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}{note}", flush=True)

    def say(self, text):
        """Words about the point before."""
        for line in text.splitlines():
            print(f"# {line}", flush=True)

    def end(self):
        """The plan, last."""
        print(f"1..{self.count}", flush=True)
        return 1 if self.failed else 0


class Suite:
    """The points of one suite, as they come."""

    def __init__(self, points, name):
        self.points, self.name = points, name
        self.came = 0
        self.failed = 0
        self.planned = None

    def line(self, text):
        """A line of its TAP: the plan, a point, or words about one."""
        plan = re.match(r"1\.\.(\d+)$", text)
        point = re.match(r"(not )?ok \d+ - (.*?)( # SKIP .*)?$", text)
        if plan:
            self.planned = int(plan.group(1))
        elif point:
            self.came += 1
            self.failed += bool(point.group(1))
            self.points.add(not point.group(1), f"{self.name}: {point.group(2)}", point.group(3) or "")
        else:
            self.points.say(f"{self.name}: {text}")

    def end(self, status, seconds, used):
        """It ended; that it had no points, or not all of them, is a point itself."""
        self.points.say(f"{self.name}: {self.came} points, status {status}, {seconds} s, {used} s of processors")
        if not self.came or self.came != self.planned or (status and not self.failed):
            self.points.add(False, f"{self.name}: it runs to its end")


def relay(points, lines):
    """Makes points of what the machine says; whether it came to its end."""
    suites = {}
    for line in lines:
        try:
            kind, *words = json.loads(line)
        except ValueError:
            points.say(f"the machine: {line}")
            continue
        if kind == "done":
            return True
        if kind == "begin":
            suites[words[0]] = Suite(points, *words)
        elif kind == "line":
            suites[words[0]].line(words[1])
        elif kind == "end":
            suites[words[0]].end(*words[1:])
        else:
            points.say(f"{kind}: {words[0]}")
    return False


def main():
    """Starts it and tells."""
    points = Points()
    lacking = machine.missing()
    if lacking:
        points.add(False, f"a machine can be started: {lacking} is missing, ./bootstrap deps brings it")
        return points.end()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    directory = tempfile.mkdtemp(prefix="exq-vm-")
    words = sys.argv[sys.argv.index("-k") + 1] if "-k" in sys.argv else ""
    source = os.environ.get("EXQ_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    box = None
    try:
        box = machine.Machine(directory, source, os.environ.get("EXQ_BUILD", os.getcwd()), {"etc/suites": words})
        done = relay(points, box.lines(SILENCE_S, TOTAL_S))
        if not done:
            points.say(box.said())
        points.add(done, "the machine runs all of it")
    finally:
        if box:
            box.close()
        shutil.rmtree(directory)
    return points.end()


sys.exit(main())
