"""What an attack is answered where something is missing, and is held all the same."""

import re

import attack_probe
from attack_probe_run import expected

# --- landlock without namespaces: what works all the same, and the words on the card that say so ---
MODES = "!open: modes, owners, times, xattrs of "
SEEN = "!seen: which files there are outside"
PROCESSES = "!seen: all processes with their arguments, all connections"
NAMESPACES = "landlock without namespaces"
OPEN = {
    "stat outside": SEEN, "path descriptor outside": SEEN, "enter outside": SEEN,
    "chmod outside": MODES, "chown outside": MODES, "utimes outside": MODES, "setxattr outside": MODES,
    "the session outside is asked for": PROCESSES, "/proc shows a process outside": PROCESSES,
    "the command line outside is read": PROCESSES, "the sockets of the host are listed": PROCESSES,
    "the abstract sockets of the host are listed": PROCESSES, "a namespace is shared with the outside": NAMESPACES,
}
# These belong to root.
ROOT = {name: MODES for name in attack_probe.ATTACKS if re.match(r"the (mode|owner) of ", name)}
# Who has no capability cannot empty its bounding set, from which nothing can be gained any more.
BOUNDING = "capabilities or new privileges are left"
# The last two are what a file system says that makes no nameless files, and a program that runs.
DENIED = "E(ACCES|PERM|XDEV|NOENT|NOTSUP|TXTBSY)"
CHANGED = ["target-8"]  # outside, by what is open: its mode

# --- without a network of its own no socket can be opened at all, and what is shared may be seen ---
SHARED = {"a namespace is shared with the outside", "the sockets of the host are listed", "the abstract sockets of the host are listed"}


def left_open(user):
    """{attack: words on the card} of what works without namespaces."""
    return {**OPEN, **(ROOT if user == "root" else {})}


def wrong_flat(answers, user):
    """Answers without namespaces that are neither a refusal nor named on the card."""
    wrong = {}
    for name, text in answers.items():
        usual = attack_probe.ATTACKS[name].inside
        if name in left_open(user) or (name == BOUNDING and user != "root"):
            usual = "done|" + usual
        if not re.fullmatch(f"{usual}|{DENIED}", text):
            wrong[name] = text
    return wrong


def wrong_less(answers, backend, words):
    """Answers in a backend that are no refusal, on a machine of these words."""
    names = {word.partition("=")[0] for word in words}
    shared = SHARED if "net" in names else {"a namespace is shared with the outside"} if "uts" in names else set()
    wrong = {}
    for name, text in answers.items():
        refused = "net" in names and text == "EPERM"
        usual = "|".join(expected(backend, name, landlock) for landlock in {True, "landlock" not in names})
        if name not in shared and not refused and not re.fullmatch(usual, text):
            wrong[name] = text
    return wrong
