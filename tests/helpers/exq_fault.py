"""A session of which one call about its record fails, and what must hold of the record then (helper: fault.c)."""

import json
import os
import subprocess

import exq
from exq_space import build_dir

COMMANDS = 2
WHOLE, ENDS_EARLY = 0, 3


def requests(count, start=0):
    """Lines that ask for so many commands; each leaves a line in a file of its own."""
    return b"".join(json.dumps({"id": n, "name": "shell", "arguments": {"command": f"echo ran >> m{n}; echo {n}"}}).encode() + b"\n"
                    for n in range(start, start + count))


class Faulty:
    """A workspace whose record can be made to fail."""

    def __init__(self):
        self.ws = exq.Workspace()
        self.audit = os.path.join(self.ws.state, "exequatur", "audit")
        self.log = os.path.join(self.ws.run, "faults")

    def start(self, at=0, fault="", arguments=("--headless",)):
        """A session in which call `at` about the record has that fault."""
        library = os.path.join(build_dir(), "tests/helpers/fault.so")
        extra = {"LD_PRELOAD": library, "FAULT_DIR": self.audit, "FAULT_LOG": self.log, "FAULT_AT": str(at), "FAULT_DO": fault,
                 "ASAN_OPTIONS": "verify_asan_link_order=0"}
        return self.ws.popen([self.ws.program(), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env={**self.ws.env, **extra})

    def run(self, at=0, fault="", count=COMMANDS, start=0):
        """(exit status, answers) of such a session that is given so many commands at once."""
        process = self.start(at, fault)
        out, _err = process.communicate(requests(count, start), timeout=60)
        # What a killed console let go is ended by its supervisor.
        exq.wait_for(lambda: not exq.descendants(os.getpid()), what="the end of the session's processes")
        return process.returncode, [json.loads(line) for line in out.splitlines() if line.endswith(b"}")]

    def run_one(self, at=0, fault=""):
        """The exit status of `exequatur run` of one command."""
        process = self.start(at, fault, ("run", "echo ran >> m0"))
        process.communicate(timeout=60)
        exq.wait_for(lambda: not exq.descendants(os.getpid()), what="the end of the session's processes")
        return process.returncode

    def calls(self):
        """What the log says was called, in order."""
        with open(self.log, encoding="ascii") as file:
            return [line.split()[1] for line in file]

    def ran(self):
        """How often each command ran."""
        return {name: len(open(self.ws.path(name), encoding="ascii").readlines()) for name in os.listdir(self.ws.work) if name[0] == "m"}

    def approved(self):
        """Files of the commands that some record lets go."""
        names = set()
        for path in self.ws.records():
            with open(path, encoding="ascii") as file:
                events = [json.loads(line) for line in file if line.endswith("\n")]
            commands = {event["seq"]: event["command"] for event in events if event["type"] == "received"}
            names |= {commands[event["seq"]].split()[3].rstrip(";") for event in events if event["type"] == "launching"}
        return names

    def unanswered(self):
        """{file: calls} that stand in a file without an answer, of all files without an end."""
        found = {}
        for path in self.ws.records():
            with open(path, encoding="ascii") as file:
                events = [json.loads(line) for line in file if line.endswith("\n")]
            if not events or events[-1]["type"] == "session_end":
                continue
            answered = {event["seq"] for event in events if event["type"] == "answered"}
            found[os.path.basename(path)] = sorted({event["seq"] for event in events if event["type"] == "received"} - answered)
        return found

    def verify(self):
        """(exit status, report) of the whole record."""
        done = self.ws.exequatur("audit", "verify", self.audit)
        return done.returncode, (done.stdout + done.stderr).decode()

    def check_after(self, what):
        """What was recorded is readable, and nothing ran without its record; the next start names what it found and runs nothing again."""
        ran, dead = self.ran(), self.unanswered()
        exq.check(set(ran) <= self.approved(), f"{what}: {sorted(ran)} ran, {sorted(self.approved())} may")
        exq.check(set(ran.values()) <= {0, 1}, f"{what}: {ran}")
        told = {event["file"] for event in self.ws.events("found_open")} | {event.get("before") for event in self.ws.events("gap")}
        exq.equal(self.ws.call("echo next")["output"], "next\n", what)
        exq.equal(self.ran(), ran, f"{what}: what ran again")
        found = {event["file"]: event for event in self.ws.events("found_open")}
        for name, calls in dead.items():
            if name in told:
                continue
            exq.check(name in found, f"{what}: {name} is not found")
            exq.equal([(one["seq"], one["reason"]) for one in found[name]["calls"]], [(seq, "console_lost") for seq in calls], what)
        status, report = self.verify()
        exq.check(status in (WHOLE, ENDS_EARLY), f"{what}: {report}")
        return status
