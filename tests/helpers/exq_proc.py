"""Processes of a test: found as descendants of the test itself, never by name, and signalled by pidfd."""

import ctypes
import functools
import os
import select
import signal
import time

PR_SET_CHILD_SUBREAPER = 36
LEFT_SECONDS = 10  # a tree is gone within 1 s of whatever ended it; the watchdog is ten times that

_owned = set()  # pids that a Popen of ours waits for
_kept = set()  # servers that outlive a point; what they start does not


class Failure(Exception):
    """The point does not hold."""


class Skip(Exception):
    """The point cannot be decided here."""


def skip(why):
    """Ends the point as skipped, with the reason."""
    raise Skip(why)


class Proc:
    """One process, pinned by its start time so that a reused pid is not mistaken for it."""

    def __init__(self, pid):
        rest = _bytes(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        self.pid = pid
        self.state = rest[0].decode()
        self.parent = int(rest[1])
        self.start = int(rest[19])

    @functools.cached_property
    def argv(self):
        """Its arguments when it is first asked for them; a census does not ask. None of one that is gone."""
        try:
            return [part.decode("utf-8", "replace") for part in _bytes(f"/proc/{self.pid}/cmdline").split(b"\0")[:-1]]
        except OSError:
            return []

    def __str__(self):
        return f"{self.pid} ({self.state}) {' '.join(self.argv)[:200]}"

    def alive(self):
        """Whether this very process is there and not a zombie."""
        now = _read(self.pid)
        return bool(now and now.start == self.start and now.state not in "ZX")

    def kill(self, number=signal.SIGKILL):
        """Signals it, if it is still the one that was seen."""
        try:
            pidfd = os.pidfd_open(self.pid)
        except OSError:
            return
        try:
            if self.alive():
                signal.pidfd_send_signal(pidfd, number)
        except OSError:
            pass
        finally:
            os.close(pidfd)


def _bytes(path):
    """What one read of a file below /proc gives, which is all of it."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(handle, 1 << 18)
    finally:
        os.close(handle)


def _read(pid):
    try:
        return Proc(pid)
    except (OSError, IndexError, ValueError):
        return None


def become_subreaper():
    """Orphans of the tree stay below the test, so that a census by descent is complete."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def all_processes():
    """Every process that can be read now."""
    return [proc for proc in map(_read, (int(name) for name in os.listdir("/proc") if name.isdigit())) if proc]


def _childless():
    """Whether the test has no child at all, as the kernel tells it quickly; every orphan below would be one."""
    try:
        with open("/proc/thread-self/children", encoding="ascii") as children:
            return len(os.listdir("/proc/self/task")) == 1 and not children.read().strip()
    except OSError:
        return False


def descendants(root=None, zombies=False):
    """The living descendants of a pid (default: of the test)."""
    if root is None and _childless():
        return []
    root = root or os.getpid()
    children = {}
    for proc in all_processes():
        children.setdefault(proc.parent, []).append(proc)
    found, todo = [], [root]
    while todo:
        for proc in children.get(todo.pop(), []):
            todo.append(proc.pid)
            if proc.pid not in _kept and (zombies or proc.state not in "ZX"):
                found.append(proc)
    return found


def find(text, root=None):
    """Descendants with an argument that contains the text: give commands a marker such as `sleep 99917`."""
    return [proc for proc in descendants(root) if text in " ".join(proc.argv)]


def gone(text, seconds=10):
    """Fails unless every descendant with the text in its arguments ends in time."""
    wait_for(lambda: not find(text), seconds, what=f"no process with {text!r}")


def own(pid):
    """A Popen waits for this pid: leave its zombie alone."""
    _owned.add(pid)


def keep(pids):
    """These serve the points that follow too: no census counts them, only what is below them."""
    _kept.update(pids)


def reap_orphans():
    """Takes zombies that came to the test as subreaper."""
    for proc in descendants(zombies=True):
        if proc.parent == os.getpid() and proc.state in "ZX" and proc.pid not in _owned:
            try:
                os.waitpid(proc.pid, os.WNOHANG)
            except ChildProcessError:
                pass


def pause(turn=0.01):
    """One turn of a loop that waits for a fact; never a measure of time."""
    select.select([], [], [], turn)


def wait_for(fact, seconds=30, what="the fact", turn=0.01):
    """Calls fact() until it gives something true, which is returned. After `seconds`, a watchdog of ten times what
    the product promises, fails with `what`; with what=None gives the last value instead."""
    end = time.monotonic() + seconds
    while True:
        begun = time.monotonic()
        value = fact()
        if value:
            return value
        if time.monotonic() > end:
            if what is None:
                return value
            raise Failure(f"waited {seconds} s in vain for {what() if callable(what) else what}")
        # A look that takes long is not to keep what it waits for from the processor.
        pause(max(turn, time.monotonic() - begun))
