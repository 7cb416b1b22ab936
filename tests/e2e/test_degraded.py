"""Machines that offer less: all attacks in each backend on each of them. Every attack is held, or the run is refused by name and
nothing of it was started; and what the machine lacks is on the card.

A machine is words of attack_refuse.py. A row says for each backend "held", or the words of its refusal."""

import json
import os
import re
import subprocess

import attack_mounts
import attack_refuse
import attack_trace
import exq
from attack_less import CHANGED, wrong_flat, wrong_less
from attack_probe_run import PYTHON, RUNAWAY, refusing, run_on
from exq_space import encode, request

BOTH = {"user": exq.USERS}
REASONS = {"no_sandbox_available", "sandbox_unavailable", "sandbox_failed"}
HELD = "held"
FLAT = {"exequatur": {"accept_partial": True}}

NO_LANDLOCK = "landlock: kernel "  # too old, built without, or refused by a filter
NO_NAMESPACE = "No permissions to create new namespace"
NOT_ENDED = "nothing is started that could not be ended: pidfd_"
NOT_LOADED = "loading a system call filter: "
NO_OPENAT2 = "workspace: openat2 of "
DEVICES = "making /dev/full read-only: "  # of a root console, whose command owns the host's devices
SAMPLED, WATCHED = "sampled, may pass", "watched, may pass"
ABIS = [f"abi={abi}" for abi in range(1, 8)]


def by_user(root, ordinary):
    """What differs by the user."""
    return {"root": root, "ordinary": ordinary}


# {words: (landlock, bubblewrap, on the card of both)}; None: nothing else than another row shows
MACHINES = {
    "user": ("user namespaces are refused", NO_NAMESPACE, ""),
    "user=ENOSPC": ("user namespaces are refused", "max_*_namespaces exceeded (ENOSPC)", ""),
    "mnt": ("mount namespaces are refused", NO_NAMESPACE, ""),
    "pid": ("process namespaces are refused", NO_NAMESPACE, ""),
    "ipc": ("ipc namespaces are refused", NO_NAMESPACE, ""),
    "net": (HELD, NO_NAMESPACE, "!network cut once"),
    "uts": (HELD, NO_NAMESPACE, ""),
    "powerless": ("parting from the host's mounts: ", "Failed to make / slave: ", ""),
    "landlock": (NO_LANDLOCK, HELD, "network cut twice"),
    "landlock=EOPNOTSUPP": ("Landlock is switched off in this kernel", HELD, ""),
    "landlock=EPERM": ("Landlock does not answer: Operation not permitted", None, ""),
    **{abi: (HELD, HELD, "") for abi in ABIS},
    "listener": (HELD, HELD, WATCHED),
    "listener=EBUSY": (HELD, None, WATCHED),
    "seccomp=ENOSYS": (NOT_LOADED, NOT_LOADED, ""),
    "seccomp=EPERM": (NOT_LOADED, NOT_LOADED, ""),
    "mounts=ENOSYS": ("mounting tmpfs: Function not implemented", by_user(DEVICES, HELD), ""),
    "mounts=EPERM": ("mounting tmpfs: Operation not permitted", by_user(DEVICES, HELD), ""),
    "mount_setattr=ENOSYS": ("binding /dev/full: Function not implemented", by_user(DEVICES, HELD), ""),
    "pidfd=ENOSYS": (NOT_ENDED, NOT_ENDED, ""),
    "pidfd=EPERM": (NOT_ENDED, NOT_ENDED, ""),
    "pidfd_send_signal=ENOSYS": (NOT_ENDED, NOT_ENDED, ""),
    "clone3=ENOSYS": (HELD, None, ""),
    "clone3=EPERM": (HELD, HELD, ""),
    "openat2=ENOSYS": (NO_OPENAT2, NO_OPENAT2, ""),
    "openat2=EPERM": (NO_OPENAT2, NO_OPENAT2, ""),
    "close_range=ENOSYS": (HELD, HELD, ""),
    "close_range=EPERM": (HELD, None, ""),
    "proc=masked": ("mounting proc: Operation not permitted", "Can't mount proc on ", ""),
    "proc=hidden": (HELD, HELD, ""),
    "proc=closed": (HELD, HELD, ""),
    "proc=empty": ("/proc does not name this program", "/proc does not name this program", ""),
    "sys=fixed": (HELD, HELD, SAMPLED),
    "sys=empty": (HELD, HELD, SAMPLED),
    "cgroup=none": (HELD, HELD, SAMPLED),
    # Linux 5.10
    "landlock mount_setattr=ENOSYS close_range=EINVAL fchmodat2=ENOSYS": (
        NO_LANDLOCK, by_user(DEVICES, HELD), ""),
    # the least that holds in full
    "abi=1 listener cgroup=none proc=hidden clone3=ENOSYS close_range=ENOSYS fchmodat2=ENOSYS statx=ENOSYS": (HELD, HELD, WATCHED),
    # a container
    "user mounts=EPERM proc=masked sys=fixed clone3=ENOSYS landlock=EPERM": ("Landlock does not answer", NO_NAMESPACE, ""),
}

# The same with accept_partial, where landlock has no namespaces: (refused with these words, on the card)
HIDES = "processes of the command could hide and outlive it"
WITHOUT_NAMESPACES = {
    **{f"user {abi}": (HELD, "") for abi in ABIS},
    "user=ENOSPC": (HELD, ""),
    "mnt": (HELD, ""),
    "powerless": (HELD, ""),
    "mounts=EPERM": (HELD, ""),
    "proc=masked": (HELD, ""),
    "user abi=7 listener": (HELD, WATCHED),
    "user abi=5 listener": ("processes outside could be signalled", ""),
    "user cgroup=none": (HELD, SAMPLED),
    "user close_range=ENOSYS clone3=EPERM": (HELD, ""),
    "user proc=hidden": (by_user(HELD, HIDES), ""),
    "user proc=closed": (by_user(HELD, HIDES), ""),
    "user landlock": (NO_LANDLOCK, ""),
    "user seccomp=ENOSYS": (NOT_LOADED, ""),
    "user pidfd=ENOSYS": (NOT_ENDED, ""),
}

# firejail and docker, each start of which is slow; the engine's own machine is whole.
SLOW = {
    ("firejail", "abi=1"): (HELD, ""),
    ("firejail", "abi=5"): (HELD, ""),
    ("firejail", "listener cgroup=none"): (HELD, WATCHED),
    ("firejail", "mounts=EPERM"): (HELD, ""),
    ("firejail", "close_range=ENOSYS"): (HELD, ""),
    ("firejail", "seccomp=ENOSYS"): (NOT_LOADED, ""),
    ("firejail", "pidfd=ENOSYS"): (NOT_ENDED, ""),
    ("firejail", "mnt"): ("Operation not permitted", ""),
    ("firejail", "proc=hidden"): (HELD, ""),
    ("firejail", "proc=masked"): (by_user("/proc/keys can be written", HELD), ""),
    ("docker", "abi=1"): (HELD, ""),
    ("docker", "listener close_range=ENOSYS sys=fixed"): (HELD, ""),
    ("docker", "pidfd=ENOSYS"): (NOT_ENDED, ""),
}

# What goes wrong in one of our programs alone: a call of it fails, or says that it was done and was not (=0).
# {words: (landlock, bubblewrap)}; a backend in which the call is not made is left out (None).
IN_BOUNDS = " is left in the bounding set"
IN_SIGHT, NOT_DENIED = "the command could look into the ", " is not refused"
FAULTS = {
    "launcher:landlock_create_ruleset=EPERM": ("Landlock is not there: ", "Landlock is not there: "),
    "launcher:landlock_add_rule=EPERM": ("a rule for ", "a rule for "),
    "launcher:landlock_add_rule=0": (": Permission denied", ": Permission denied"),
    "launcher:landlock_restrict_self=EPERM": ("restricting with Landlock: ", "restricting with Landlock: "),
    "launcher:landlock_restrict_self=0": ("Landlock does not refuse a device", "Landlock does not refuse a device"),
    "launcher:seccomp=EPERM": (NOT_LOADED, NOT_LOADED),
    "launcher:seccomp=0": (NOT_DENIED, NOT_DENIED),
    "launcher:seccomp#1=0": ("calls of newer kernels are not absent", "calls of newer kernels are not absent"),
    "launcher:seccomp#2=0": (NOT_DENIED, NOT_DENIED),
    "launcher:capset=EPERM": ("dropping the capabilities: ", "dropping the capabilities: "),
    "launcher:capset=0": ("capabilities are left", by_user("capabilities are left", None)),
    "launcher:prctl/38=EPERM": ("setting no_new_privs: ", "setting no_new_privs: "),  # PR_SET_NO_NEW_PRIVS
    "launcher:prctl/38=0": ("restricting with Landlock: ", None),
    "launcher:prctl/24=EPERM": (IN_BOUNDS, by_user(IN_BOUNDS, None)),  # PR_CAPBSET_DROP
    "launcher:prctl/24=0": (IN_BOUNDS, by_user(IN_BOUNDS, None)),
    "launcher:prctl/47=EPERM": ("clearing the ambient capabilities: ", "clearing the ambient capabilities: "),
    "launcher:prctl/4=0": (IN_SIGHT + "launcher", IN_SIGHT + "launcher"),  # PR_SET_DUMPABLE
    "launcher:prlimit64=EPERM": ("the limit of open files: ", "the limit of open files: "),
    "launcher:openat2=EPERM": (": Operation not permitted", ": Operation not permitted"),
    "launcher:mount=EPERM": ("parting from the host's mounts: ", None),
    "launcher:fsmount=EPERM": ("mounting tmpfs: ", None),
    "launcher:open_tree=EPERM": ("binding ", None),
    "launcher:move_mount=EPERM": ("attaching a new root: ", None),
    "launcher:move_mount=0": ("/proc/sys: ", None),
    "launcher:mount_setattr=0": ("/ can be changed", by_user("/dev/full can be changed", None)),
    "launcher:pivot_root=EPERM": ("changing the root: ", None),
    "launcher:pivot_root=0": ("/proc shows process ", None),
    "launcher:umount2=EPERM": ("letting the host's root go: ", None),
    "launcher:umount2=0": ("the host's root lies above /", None),
    "launcher:mkdirat=0": ("/dev: ", None),
    "launcher:getdents64=EPERM": ("/proc does not show the launcher", "/proc does not show the launcher"),
    "launcher:dup2=0": (by_user("standard input can be changed", None), None),
    "launcher:sethostname=EPERM": ("setting the host name: ", None),
    "supervisor:pidfd_open=EPERM": (NOT_ENDED, NOT_ENDED),
    "supervisor:prctl/4=0": (IN_SIGHT + "supervisor", IN_SIGHT + "supervisor"),
    "supervisor:prctl/36=EPERM": ("orphans would not come", "orphans would not come"),  # PR_SET_CHILD_SUBREAPER
    "supervisor:capset=EPERM": (by_user(None, "keeping capabilities: "), None),
}


def usable(words, user):
    """Skips what this test, or this kernel, cannot make."""
    if os.getuid() != 0 and any(word in attack_mounts.WAYS or attack_trace.parse([word]) for word in words):
        exq.skip("needs root, to trace or to mount")
    for word in words:
        if word in ABIS and int(word[4:]) > attack_trace.kernel_abi():
            exq.skip(f"the kernel's Landlock has ABI {attack_trace.kernel_abi()}")
    return words


def refused(run, words):
    """It was refused by a name and with these words, and nothing of it was left or done."""
    if run.answer is None:
        exq.check(run.status != 0 and words in run.said, run.said or f"status {run.status}")
    else:
        exq.check(run.answer["reason"] in REASONS and words in run.answer["error"], run.answer)
        exq.equal((run.answer["success"], run.answer["exit_code"], run.answer["output"], run.answer["duration_ms"]),
                  (False, None, "", None), run.answer)
    exq.equal((run.answers, run.left, run.came, run.changed), (None, [], [], []))


def held(run, wrong, card, changed=()):
    """All attacks ran and were held; the runaway went with its shell; the card says what is missing."""
    exq.check(run.answers is not None, run.answer or run.said)
    exq.equal((wrong(run.answers), run.came, [os.path.basename(path) for path in run.changed]), ({}, [], list(changed)))
    exq.equal(run.behind and run.behind["output"], "behind\n", run.behind)
    exq.has(run.card, card)


def on_machine(backend, user, words, wanted, card, wrong, sections=None, changed=()):
    """One start on one machine, judged."""
    if isinstance(wanted, dict):
        wanted = wanted[user]
    run = run_on(backend, user, usable(words.split(), user), sections, more_lines=[request(RUNAWAY, id="runaway")], timeout=50)
    if wanted == HELD:
        held(run, lambda answers: wrong(answers, run.answer["backend"]), card, changed)
    else:
        refused(run, wanted)
    return run


@exq.test("landlock on a machine {words}", words=list(MACHINES), **BOTH)
def landlock(words, user):
    wanted, _bubblewrap, card = MACHINES[words]
    on_machine("landlock", user, words, wanted, card, lambda answers, backend: wrong_less(answers, backend, words.split()))


@exq.test("bubblewrap on a machine {words}", words=[words for words, row in MACHINES.items() if row[1]], **BOTH)
def bubblewrap(words, user):
    _landlock, wanted, card = MACHINES[words]
    on_machine("bubblewrap", user, words, wanted, card, lambda answers, backend: wrong_less(answers, backend, words.split()))


@exq.test("landlock that may do without namespaces, on a machine {words}", words=list(WITHOUT_NAMESPACES), **BOTH)
def flat(words, user):
    wanted, card = WITHOUT_NAMESPACES[words]
    on_machine("landlock", user, words, wanted, card, lambda answers, _backend: wrong_flat(answers, user), FLAT, CHANGED)


@exq.test("{way[0]} on a machine {way[1]}", way=list(SLOW), **BOTH)
def slow(way, user):
    backend, words = way
    wanted, card = SLOW[way]
    if backend == "firejail" and os.getuid() != 0:
        exq.skip("needs root, to refuse something and leave firejail its set-user-ID bit")
    on_machine(backend, user, words, wanted, card, lambda answers, _backend: wrong_less(answers, backend, words.split()))


def rows(faults):
    """Each fault in each backend and for each user in which it can be."""
    for words, wanted in faults.items():
        for backend, sentence in zip(("landlock", "bubblewrap"), wanted):
            for user in exq.USERS:
                mine = sentence[user] if isinstance(sentence, dict) else sentence
                if mine:
                    yield words, backend, user, mine


@exq.test("where one program meets {row[0]}, nothing runs ({row[1]}, user {row[2]})", row=list(rows(FAULTS)))
def fault(row):
    words, backend, user, sentence = row
    refused(run_on(backend, user, usable([words], user)), sentence)


# --- what auto and `run` make of it -----------------------------------------------------------------------------------------

NOTHING = "no_sandbox_available"
AUTO = {
    "landlock": by_user("firejail", "bubblewrap"),
    "mounts=EPERM": by_user("firejail", "bubblewrap"),
    "powerless": NOTHING,
    "proc=masked": NOTHING,
    "seccomp=ENOSYS": NOTHING,
    "pidfd=ENOSYS": NOTHING,
    "user mounts=EPERM proc=masked sys=fixed clone3=ENOSYS landlock=EPERM": NOTHING,
    "launcher:landlock_restrict_self=0": NOTHING,
}


# An ordinary user's home is beside the workspace here, which firejail cannot make private.
@exq.test("auto on a machine {words}", words=list(AUTO), **BOTH)
def auto(words, user):
    exq.need_program("firejail")
    wanted = AUTO[words] if isinstance(AUTO[words], str) else AUTO[words][user]
    run = run_on(None, user, usable(words.split(), user))
    if wanted == NOTHING:
        refused(run, NOTHING)
        return
    exq.check(run.answers is not None, run.answer)
    exq.equal((run.answer["backend"], wrong_less(run.answers, wanted, words.split()), run.came, run.changed), (wanted, {}, [], []))


AHEAD = {
    **{words: MACHINES[words][0] for words in ("user", "pid", "net", "uts", "powerless", "abi=1", "listener", "mounts=EPERM", "pidfd=ENOSYS",
                                                "close_range=ENOSYS", "proc=masked", "proc=hidden", "cgroup=none", "seccomp=ENOSYS")},
    **{words: FAULTS[words][0] for words in ("launcher:landlock_restrict_self=0", "launcher:umount2=0", "supervisor:prctl/36=EPERM")},
}


@exq.test("`run`, whose launcher is made ahead of its plan, on a machine {words}", words=list(AHEAD), **BOTH)
def ahead(words, user):
    ws = exq.Workspace(user=user, backend="landlock")
    before, more = refusing(ws, usable(words.split(), user))
    command = f"touch ran; touch {ws.outside}/x; cat {ws.config_path}; {RUNAWAY}"
    process = ws.popen([*before, ws.program(), "run", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    out, err = process.communicate(timeout=exq.WATCHDOG)
    exq.equal(os.listdir(ws.outside), [], "outside")
    if AHEAD[words] == HELD:
        exq.equal((process.returncode, out.decode().splitlines()[-1:]), (0, ["behind"]), err.decode())
        exq.check("[security" not in out.decode(), out)
    else:
        exq.equal((process.returncode, out, os.listdir(ws.work)), (125, b"", []), err.decode())
        exq.has(err.decode(), AHEAD[words])


@exq.test("who hides from a supervisor that isolates nothing is found all the same ({words})",
          words=["proc=hidden", "proc=closed", "listener"], **BOTH)
def bare(words, user):
    ws = exq.Workspace(user=user, backend="none", env={"EXEQUATUR_ALLOW_UNSANDBOXED": "1"})
    before, more = refusing(ws, usable(words.split(), user))
    process = ws.popen([*before, ws.program(), "--headless"], stdin=-1, stdout=-1, stderr=-1, **more)
    out, err = process.communicate(encode([request(RUNAWAY)]), timeout=exq.WATCHDOG)
    exq.equal(json.loads(out)["output"], "behind\n", err.decode())


# --- that the machines are what they are called -----------------------------------------------------------------------------

LOOK = f"""
import ctypes, errno, json, os, sys
sys.path.insert(0, {os.path.dirname(attack_refuse.__file__)!r})
import attack_refuse
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(number), *[ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments])
    return got if got >= 0 else errno.errorcode[ctypes.get_errno()]
def bits(fs, net, scoped, size):
    return call(444, (ctypes.c_uint64 * 3)(fs, net, scoped), size, 0)
def opened(path, flags):
    try:
        os.close(os.open(path, flags))
    except OSError as why:
        return errno.errorcode[why.errno]
print(eval(sys.argv[1]))
"""
# {words: (an expression, what it gives there)}; elsewhere it gives something else.
SIGHTS = {
    **{f"{call}={error}": (f"call(attack_refuse.CALLS[{call!r}], -1, 0, 0, 0, 0)", error)
       for call, error in (("openat2", "ENOSYS"), ("close_range", "EPERM"), ("pidfd_open", "ENOSYS"), ("clone3", "EPERM"),
                           ("mount_setattr", "EPERM"), ("fsopen", "ENOSYS"), ("seccomp", "ENOSYS"))},
    **{f"{group}=EPERM": (f"{{call(attack_refuse.CALLS[c], -1, 0, 0, 0, 0) for c in attack_refuse.GROUPS[{group!r}]}}", "{'EPERM'}")
       for group in attack_refuse.GROUPS},
    **{kind: (f"call(272, {flag | attack_refuse.FLAGS['user']})", "EPERM") for kind, flag in attack_refuse.FLAGS.items()},
    "user=ENOSPC": (f"call(272, {attack_refuse.FLAGS['user']})", "ENOSPC"),
    "listener": ("call(317, 1, 8, 0)", "EINVAL"),
    "abi=1": ("call(444, 0, 0, 1), bits(0x1fff, 0, 0, 8) != 'EINVAL', bits(0x2000, 0, 0, 8), bits(1, 1, 0, 16)",
              "(1, True, 'EINVAL', 'E2BIG')"),
    "abi=2": ("call(444, 0, 0, 1), bits(0x3fff, 0, 0, 8) != 'EINVAL', bits(0x4000, 0, 0, 8)", "(2, True, 'EINVAL')"),
    "abi=3": ("call(444, 0, 0, 1), bits(0x7fff, 0, 0, 8) != 'EINVAL', bits(0x8000, 0, 0, 8)", "(3, True, 'EINVAL')"),
    "abi=4": ("call(444, 0, 0, 1), bits(1, 3, 0, 16) != 'EINVAL', bits(0x8000, 0, 0, 8), bits(1, 0, 1, 24)", "(4, True, 'EINVAL', 'E2BIG')"),
    "abi=5": ("call(444, 0, 0, 1), bits(0xffff, 3, 0, 16) != 'EINVAL', bits(1, 0, 1, 24)", "(5, True, 'E2BIG')"),
    "abi=6": ("call(444, 0, 0, 1), bits(1, 0, 3, 24) != 'EINVAL', call(446, -1, 1)", "(6, True, 'EINVAL')"),
    "anybody:sethostname=EBUSY": ("call(170, 0, -1)", "EBUSY"),
    "anybody:prctl/3#2=ENOSPC": ("call(157, 3), call(157, 3), call(157, 3)", "(1, 'ENOSPC', 1)"),
    "proc=masked": ("opened('/proc/sys/kernel/core_pattern', os.O_WRONLY)", "EROFS"),
    "proc=empty": ("os.listdir('/proc')", "[]"),
    "sys=fixed": ("opened('/sys/kernel/uevent_seqnum', os.O_WRONLY)", "EROFS"),
    "sys=empty": ("os.listdir('/sys')", "[]"),
    "cgroup=none": ("os.listdir('/sys/fs/cgroup')", "[]"),
}


def seen(ws, before, more, expression):
    """What a program sees there."""
    process = ws.popen([*before, PYTHON, "-B", "-c", LOOK, expression], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    out, err = process.communicate(timeout=exq.WATCHDOG)
    exq.equal(process.returncode, 0, err.decode())
    return out.decode().strip()


@exq.test("a machine {words} is one", words=list(SIGHTS))
def control(words):
    ws = exq.Workspace()
    expression, wanted = SIGHTS[words]
    exq.equal(seen(ws, *refusing(ws, usable([words], None)), expression), wanted)
    exq.check(seen(ws, [], {}, expression) != wanted, "it is so anyway")


exq.main()
