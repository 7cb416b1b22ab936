"""Attacks from inside, one by one, in each backend as root and as an ordinary user; and the same outside, where they work."""

import re

import attack_probe
import exq
from attack_probe_run import FAMILIES, expected, run_inside, run_outside

ROWS = {"backend": exq.EVERY, "user": exq.USERS}
NAMES = list(attack_probe.ATTACKS)
ARRIVES = {"abstract", "datagram", "local", "tcp", "tcp6", "udp"}


def inside(backend, user):
    """The one run inside of a backend and user."""
    return exq.once((backend, user), lambda: run_inside(backend, user, FAMILIES, timeout=50))


def outside(user):
    """The one run outside."""
    return exq.once(user, lambda: run_outside(user, FAMILIES))


def controlled(user):
    """The attacks whose answer outside is known."""
    return [name for name, row in attack_probe.ATTACKS.items() if row.outside[user]]


@exq.test("held: {name}", name=NAMES, **ROWS)
def held(name, backend, user):
    answers = inside(backend, user)[0]
    wanted = expected(backend, name)
    exq.check(re.fullmatch(wanted, answers[name]), f"got {answers[name]!r}, want {wanted!r}")


@exq.test("no attack came to a listener of the host", **ROWS)
def nothing_came(backend, user):
    exq.equal(inside(backend, user)[1], [])


@exq.test("no attack left a trace outside, or a setuid bit in the work directory", **ROWS)
def nothing_changed(backend, user):
    exq.equal(inside(backend, user)[2], [])


@exq.test("the attacks can be seen to work where nothing holds them", user=exq.USERS)
def control(user):
    answers, came = outside(user)
    wrong = {name: answers[name] for name in controlled(user)
             if not re.fullmatch(attack_probe.ATTACKS[name].outside[user], answers[name])}
    exq.equal(wrong, {}, "answers outside")
    exq.equal(set(came), ARRIVES, "what arrived outside")


@exq.test("most attacks are told apart from their answer outside", user=exq.USERS)
def told_apart(user):
    same = [name for name in controlled(user)
            if re.fullmatch(attack_probe.ATTACKS[name].inside, outside(user)[0][name])]
    exq.check(len(same) < len(NAMES) / (10 if user == "root" else 3), same)


exq.main()
