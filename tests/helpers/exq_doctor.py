"""Runs the doctor, also behind what changes the machine, and gives its report."""

import json
import os
import subprocess

import attack_refuse
import exq
from exq_users import name_user

PYTHON = "/usr/bin/python3"
NO_ENGINE = "unix:///nonexistent/engine.sock"


class Report:
    """The object of `doctor --json`, and its exit status."""

    def __init__(self, done):
        self.status = done.returncode
        if not done.stdout:
            raise exq.Failure(f"no report, status {done.returncode}: {done.stderr.decode()}")
        self.all = json.loads(done.stdout)
        self.backends = {backend["name"]: backend for backend in self.all["backends"]}
        self.named = {cause["name"]: cause for cause in self.all["causes"]}

    def causes(self, *names):
        """Causes of each of these backends."""
        return [self.backends[name]["causes"] for name in names]

    def works(self):
        """The backends that work."""
        return [name for name, backend in self.backends.items() if backend["works"]]


def space(user="ordinary", **more):
    """A workspace without an engine; its user has a name that firejail serves."""
    ws = exq.Workspace(user=user, **more)
    ws.env.setdefault("DOCKER_HOST", NO_ENGINE)
    if ws.uid != os.getuid():
        name_user(ws.uid, ws.home)
    return ws


def doctor(ws, before=None, *arguments):
    """Runs it; behind a program that needs root where one is given."""
    root = {"user": 0, "group": 0} if before and os.getuid() == 0 else {}
    process = ws.popen([*(before or []), ws.program(), "doctor", "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **root)
    out, err = process.communicate(timeout=60)
    return Report(subprocess.CompletedProcess([], process.returncode, out, err))


def on_machine(ws, script, *outer):
    """What runs a program as the user, behind a script of root in a mount namespace of its own."""
    if os.getuid() != 0:
        exq.skip("needs root, to change the machine")
    become = f"setpriv --reuid={ws.uid} --regid={ws.gid} --clear-groups"
    return [*outer, "unshare", "-m", "--propagation", "private", "sh", "-ec", f'{script}\nexec {become} "$@"', "sh"]


def refusing(ws, *words):
    """What runs a program below a filter, as attack_refuse makes it."""
    become = [f"as:{ws.uid}:{ws.gid}"] if ws.uid != os.getuid() else []
    return [PYTHON, "-B", attack_refuse.__file__, *words, *become, "--"]
