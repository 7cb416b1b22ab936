"""What stays closed when the network is granted, and what standard input may bring into the sandbox."""

import json
import os
import re
import socket
import stat
import subprocess

import exq
import exq_net
from attack_probe_run import PYTHON, expected, run_inside

ROWS = {"backend": exq.EVERY, "user": exq.USERS}
ALLOWED = {"security.sandbox.bubblewrap": {"allow_network": True}}
# What a grant opens where pasta keeps it apart, and where the host's network is all there is to grant.
APART = {"an interface beside the loopback"}
OPENED = {"a namespace is shared with the outside", "TCP to the host's 127.0.0.1", "TCP to the host's ::1", "TCP by MSG_FASTOPEN",
          "MPTCP to the host", "UDP to the host's 127.0.0.1", "an interface beside the loopback",
          "a listener inside is on the host's network", "the sockets of the host are listed",
          "the abstract sockets of the host are listed"}


@exq.test("with the network granted every other attack is held", backend=exq.BACKENDS, user=exq.USERS)
def granted(backend, user):
    answers, came, changed, answer = run_inside(backend, user, ["kernel", "processes", "files", "network"], sections=ALLOWED,
                                                network=True, timeout=50)
    shared = "network_shared_with_host" in answer["notes"]
    exq.equal(shared, not exq_net.kept_apart(backend), answer)
    wrong = {name: text for name, text in answers.items()
             if name not in (OPENED if shared else APART) and not re.fullmatch(expected(backend, name), text)}
    exq.equal(wrong, {}, "attacks that were not held")
    exq.equal(changed, [])
    exq.check(not {"abstract", "datagram", "local"} & set(came) and (shared or not came), came)
    exq.equal(answers["TCP to the host's 127.0.0.1"] == "done", shared, "what was granted")
    exq.equal(answer["network"], True)


@exq.test("a grant that the configuration leaves to a person is refused without one", backend=exq.EVERY)
def not_granted(backend):
    ws = exq.Workspace(backend=backend)
    answer = ws.call("touch ran", network=True)
    exq.equal((answer["reason"], answer["network"]), ("approval_unavailable", True), answer)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


# --- standard input of `exequatur run` ----------------------------------------------------------------------------------

KIND = f"{PYTHON} -c 'import os, stat; print(stat.S_IFMT(os.fstat(0).st_mode), os.readlink(\"/proc/self/fd/0\"))'"


def run_with(ws, command, stdin):
    """The output of `exequatur run` with this descriptor as its standard input."""
    process = ws.popen([ws.program(), "run", command], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=60)
    exq.equal(process.returncode, 0, err.decode())
    return out.decode()


def kind_of(ws, stdin):
    """(type, link) of the command's standard input."""
    mode, link = run_with(ws, KIND, stdin).split(None, 1)
    return int(mode), link.strip()


@exq.test("a pipe and a file are passed as they are", **ROWS)
def passed(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    exq.equal(ws.exequatur("run", "cat; echo end", stdin=b"a\0b\n").stdout, b"a\0b\nend\n")
    with open(ws.write(f"{ws.outside}/input", "from a file\n"), "rb") as file:
        exq.equal(run_with(ws, "cat", file), "from a file\n")


@exq.test("a file that was passed for reading cannot be opened for writing", **ROWS)
def not_reopened(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    path = ws.write(f"{ws.outside}/input", "as it was\n")
    attempt = "(echo changed 1<> /proc/self/fd/0) || (echo cut > /proc/self/fd/0); echo rc=$?"
    with open(path, "rb") as file:
        # an engine passes what is in the file: the attempt changes a pipe
        exq.matches(run_with(ws, attempt, file), r"rc=\d\n$" if backend == "docker" else r"rc=[12]\n$")
    with open(path, "rb") as file:
        exq.equal(file.read(), b"as it was\n")
        process = ws.popen(["sh", "-c", attempt], stdin=file, stdout=subprocess.DEVNULL)
        process.wait()
    with open(path, "rb") as file:
        exq.check(file.read() != b"as it was\n", "the attempt does not work outside either")


@exq.test("a terminal is not passed", **ROWS)
def terminal(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    master, slave = os.openpty()
    try:
        os.fchown(slave, ws.uid, ws.gid)
        exq.equal(kind_of(ws, slave), (stat.S_IFCHR, "/dev/null"))
    finally:
        os.close(master)
        os.close(slave)


@exq.test("{kind} is not passed: it could be connected anew", kind=["a UDP socket", "a TCP socket", "a datagram pair"], **ROWS)
def sockets(kind, backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    pair = None
    if kind == "a datagram pair":
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        given = pair[0]
    else:
        given = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if "UDP" in kind else socket.SOCK_STREAM)
    try:
        exq.equal(kind_of(ws, given), (stat.S_IFCHR, "/dev/null"))
    finally:
        for one in pair or [given]:
            one.close()


@exq.test("a stream pair, which some programs use as a pipe, is passed", **ROWS)
def stream_pair(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ours, theirs = socket.socketpair()
    try:
        ours.sendall(b"by socket\n")
        ours.shutdown(socket.SHUT_WR)
        exq.equal(run_with(ws, "cat", theirs), "by socket\n")
    finally:
        ours.close()
        theirs.close()


@exq.test("an agent's call gets the null device, and does not eat the next request (H039)", **ROWS)
def null_device(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    first, second = ws.headless([{"name": "shell", "arguments": {"command": f"cat; echo end=$?; {KIND}"}},
                                 {"name": "shell", "arguments": {"command": "echo second"}}])
    exq.equal({first["output"], second["output"]}, {f"end=0\n{stat.S_IFCHR} /dev/null\n", "second\n"}, json.dumps([first, second]))


# --- local sockets in directories that the command may see --------------------------------------------------------------

@exq.test("sockets of host programs in visible directories are on the card: {place}", place=["writable", "read-only"],
          backend=exq.EVERY)
def on_the_card(place, backend):
    ws = exq.Workspace(backend=backend)
    directory = ws.work if place == "writable" else ws.mkdir(f"{ws.outside}/visible")
    if place != "writable":
        ws.configure({"security.sandbox.bubblewrap": {"readonly_paths": [directory]}})
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.join(directory, "agent-socket"))
        server.listen()
        ws.call("true")
    card = [event for event in ws.events("card")][0]["card"]
    exq.has(json.dumps(card["facts"]), "agent-socket")
    exq.equal(card["sandbox"], "part")


exq.main()
