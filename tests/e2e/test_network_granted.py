"""A granted network is one of the command's own: it leads to other machines, not to this one and not to what is on its links. All
that is reached here is a network namespace of the test's own."""

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import tempfile

import exq
import exq_net
import net_probe
from exq_net import GROUP, LINK, MACHINE, MACHINE6, MACHINE_OTHER, METADATA, WORLD, WORLD6, WORLD_FAR, WORLD_RESOLVER
from exq_space import encode, request

PYTHON = exq_net.PYTHON
ROWS = {"backend": ["landlock", "bubblewrap"], "user": exq.USERS}
ALLOWED = {"security.sandbox.bubblewrap": {"allow_network": True}}
PASTA = "--ns-ifname"  # an argument that no other process has
SHARED = "network_shared_with_host"
NO_WAY = {"Network is unreachable", "Connection refused", "nothing", "Permission denied"}


def attempt(name, kind, to, inside, outside=True, **more):
    """What is tried, and whether it gets through inside and outside of a sandbox (None: it is not tried there)."""
    port = exq_net.TCP if kind == "tcp" else exq_net.UDP
    return {"name": name, "kind": kind, "to": to, "port": port, "inside": inside, "outside": outside, **more}


ATTEMPTS = [
    *(attempt(f"{kind} to {to}", kind, to, inside) for kind in ("tcp", "udp") for to, inside in (
        ("127.0.0.1", False), ("::1", False), (MACHINE, False), (MACHINE6, False), (MACHINE_OTHER, False), (METADATA, False),
        (LINK, False), (WORLD, True), (WORLD_FAR, True), (WORLD6, True))),
    *(attempt(f"{kind} to {to} by the device", kind, to, False, to in (METADATA, LINK) or None, by="device")
      for kind in ("tcp", "udp") for to in ("127.0.0.1", MACHINE, MACHINE_OTHER, METADATA, LINK)),
    attempt("udp to the link by a packet's interface", "udp", METADATA, False, by="packet"),
    attempt("udp to another address by a packet's interface", "udp", MACHINE_OTHER, False, None, by="packet"),
    attempt("udp to a group", "udp", GROUP, False, by="device"),
    attempt("udp from a port of services", "udp", WORLD, False, **{"from": 5353}),
]


def space(backend, user, **more):
    """A workspace whose calls may have the network."""
    return exq.Workspace(backend=backend, user=user, sections=ALLOWED, **more)


def call(ws, command, **arguments):
    """The answer to one call with the network."""
    done = ws.exequatur("--headless", stdin=json.dumps(request(command, network=True, **arguments)).encode() + b"\n",
                        **exq_net.without_rights())
    answers = done.stdout.decode().splitlines()
    exq.check(len(answers) == 1, done.stderr.decode())
    return json.loads(answers[0])


def probe(ws, where):
    """Puts what is to be tried into the workspace; the command that tries it."""
    tried = [{**one, "through": one[where]} for one in ATTEMPTS if one[where] is not None]
    ws.write("attempts.json", json.dumps(tried))
    shutil.copy(net_probe.__file__, ws.path("probe.py"))
    return f"{PYTHON} probe.py attempts.json {'eth0' if where == 'inside' else exq_net.DEVICE}"


def judge(results, where):
    """Whether each got through or not, as it must."""
    wanted = {one["name"]: one[where] for one in ATTEMPTS if one[where] is not None}
    exq.equal(sorted(results), sorted(wanted), "attempts")
    wrong = {name: result for name, result in results.items()
             if (result == "through") != wanted[name] or (not wanted[name] and result not in NO_WAY)}
    exq.equal(wrong, {}, where)


@exq.test("the machine and its links are out of reach, whatever the socket is bound to, and all else is in reach", **ROWS)
def reach(backend, user):
    ws = space(backend, user)
    exq_net.machine.clear()
    exq_net.world.clear()
    answer = call(ws, probe(ws, "inside"), timeout=50)
    exq.equal((answer["success"], answer["network"], SHARED in answer["notes"]), (True, True, False), answer)
    judge(json.loads(answer["output"]), "inside")
    exq.equal(exq_net.machine.came(), [])
    refused = [line for line in exq_net.world.came() if METADATA in line or LINK in line or GROUP in line or "services" in line]
    exq.equal(refused, [], "what came to the world")
    cards = [event["card"] for event in ws.events("card")]
    exq.equal([card["network"] for card in cards], ["on"])


@exq.test("one call of a person's own, whose launcher waits before the plan is known, has it too", **ROWS)
def prepared(backend, user):
    ws = space(backend, user)
    done = ws.exequatur("run", "--network", f"{PYTHON} -c 'import socket\nprint(socket.create_connection((\"{WORLD}\", {exq_net.TCP}), 30)"
                        ".recv(99), len(socket.if_nameindex()))'", **exq_net.without_rights())
    exq.equal(done.stdout.decode(), f"b'hello from {WORLD}\\n' 2\n", done.stderr.decode())


@exq.test("outside of a sandbox each of these attempts gets through", user=exq.USERS)
def control(user):
    ws = space(None, user)
    process = ws.popen(["sh", "-c", probe(ws, "outside")], stdout=-1)
    out, _err = process.communicate(timeout=60)
    judge(json.loads(out), "outside")


@exq.test("the plan shows what pasta is run with, and none without a grant", backend=["landlock", "bubblewrap"])
def planned(backend):
    ws = space(backend, "ordinary")
    plan = ws.exequatur("plan", "--network", "true").stdout.decode()
    exq.matches(plan, r"^network +/usr/bin/pasta\n +--foreground\n.*^ +--no-map-gw\n")
    exq.matches(plan, r"^proofs .*own net pasta")
    exq.check("pasta" not in ws.exequatur("plan", "true").stdout.decode(), "pasta without a grant")


# A listener inside, and what the machine is told about itself while it listens.
LISTENER = (PYTHON + " -c 'import socket\nopen(\"up\", \"w\").close()\ns = [socket.create_server((\"\", 8055)), socket.socket(socket.AF_INET, "
            "socket.SOCK_DGRAM)]\ns[1].bind((\"\", 8056))\nopen(\"up\", \"w\").close()\n"
            "import os\nwhile not os.path.exists(\"end\"): pass\n"
            "for one in s:\n one.setblocking(False)\n"
            " try: print(one.accept() if one is s[0] else one.recv(9))\n except BlockingIOError: print(\"nobody\")'")


@exq.test("nothing from outside leads in", **ROWS)
def inbound(backend, user):
    ws = space(backend, user)
    session = ws.start(**exq_net.without_rights())
    session.send(request(LISTENER, network=True))
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the listener")
    for to in ("127.0.0.1", MACHINE, MACHINE_OTHER):
        exq.check(not connects(to, 8055), f"somebody listens on {to}")
        with net_probe.socket.socket(type=net_probe.socket.SOCK_DGRAM) as one:
            one.sendto(b"hello", (to, 8056))
    ws.write("end")
    exq.equal(session.answer()["output"], "nobody\nnobody\n")


def connects(to, port):
    """Whether somebody of the machine takes a connection."""
    with net_probe.socket.socket() as one:
        return one.connect_ex((to, port)) == 0


# --- names and certificates -------------------------------------------------------------------------------------------------

LOOK_UP = "getent ahostsv4 name.test | head -n 1"
FETCH = (PYTHON + " -c 'import socket, ssl\ncontext = ssl.create_default_context(capath=\"/etc/ssl/certs\")\n"
         f"one = socket.create_connection((\"name.test\", {exq_net.TLS}), 30)\n"
         "print(context.wrap_socket(one, server_hostname=\"name.test\").recv(99))'")


@exq.test("names are found, and certificates checked: {where}", where=["a resolver of the network", "a resolver on the loopback",
                                                                      "a resolver on an address of the machine's", "two resolvers"],
          backend=["landlock", "bubblewrap"], user=["ordinary"])
def names(where, backend, user):
    servers = {"a resolver of the network": [WORLD_RESOLVER], "a resolver on the loopback": ["127.0.0.1"],
               "a resolver on an address of the machine's": [MACHINE_OTHER], "two resolvers": ["127.0.0.1", WORLD_RESOLVER]}[where]
    inside = {(WORLD_RESOLVER,): WORLD_RESOLVER, ("127.0.0.1", WORLD_RESOLVER): WORLD_RESOLVER}.get(tuple(servers), "192.0.0.53")
    peer = exq_net.world if WORLD_RESOLVER in servers else exq_net.machine
    ws = space(backend, user)
    resolver = ws.write(f"{ws.outside}/resolv.conf", "".join(f"nameserver {one}\n" for one in servers))
    certificates = ws.mkdir(f"{ws.outside}/certs")
    shutil.copy(os.path.join(exq_net.DATA, "authority.pem"), f"{certificates}/f20e0b1e.0")
    peer.clear()
    with exq_net.covered("/etc/resolv.conf", resolver), exq_net.covered("/etc/ssl/certs", certificates):
        answer = call(ws, f"grep nameserver /etc/resolv.conf; {LOOK_UP}; {FETCH}", timeout=50)
    lines = answer["output"].split("\n")
    exq.equal(lines[0], f"nameserver {inside}")
    exq.matches(lines[1], rf"^{WORLD} +STREAM name\.test$")
    exq.equal(lines[2], "b'hello over tls\\n'")
    exq.has(peer.came("dns"), "dns")


# --- its end ---------------------------------------------------------------------------------------------------------------


def pastas():
    """Those that run."""
    return exq.find(PASTA)


WAYS = {
    "its end": ("echo hi", {}, None, None),
    "its deadline": ("trap '' TERM; sleep 99850", {"timeout": 1}, None, "timeout"),
    "SIGTERM to the console": ("sleep 99850", {}, (signal.SIGTERM, "console"), None),
    "SIGKILL of the console": ("sleep 99850", {}, (signal.SIGKILL, "console"), None),
    "SIGKILL of the supervisor": ("sleep 99850", {}, (signal.SIGKILL, "supervisor"), "supervisor_lost"),
    "SIGKILL of both": ("sleep 99850", {}, (signal.SIGKILL, "both"), None),
}


@exq.test("pasta and the command are gone after {way}", way=list(WAYS), **ROWS)
def ends(way, backend, user):
    command, arguments, kill, reason = WAYS[way]
    ws = space(backend, user)
    ws.configure({"exequatur": {"kill_grace_seconds": 1}})
    session = ws.start(**exq_net.without_rights())
    session.send(request(f"echo > up; {command}", network=True, **arguments))
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    everything = exq.descendants(session.pid)
    if kill:
        exq.equal(len(pastas()), 1)
        supervisor = [proc for proc in everything if proc.parent == session.pid][0]
        number, who = kill
        if who == "both":
            session.kill(signal.SIGSTOP)
        if who in ("supervisor", "both"):
            supervisor.kill(number)
        if who in ("console", "both"):
            session.kill(number)
    if reason or not kill:
        answer = session.answer()
        exq.equal(answer["reason"], reason, answer)
        if not kill:
            exq.equal(pastas(), [], "when the answer is there")
    exq.wait_for(lambda: not any(proc.alive() for proc in everything), 10, what="the end of all")
    exq.equal(pastas(), [])


@exq.test("a command whose pasta is killed goes on without a network, and ends as it ends", backend=["landlock", "bubblewrap"])
def without_pasta(backend):
    ws = space(backend, "ordinary")
    exq_net.world.clear()
    session = ws.start(**exq_net.without_rights())
    session.send(request("echo > up; while [ ! -e go ]; do :; done; " + PYTHON + " -c 'import socket\n"
                         "one = socket.socket()\none.setblocking(False)\n"
                         f"print(one.connect_ex((\"{WORLD}\", {exq_net.TCP})))'; exit 3", network=True))
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    (pasta,) = pastas()
    pasta.kill()
    exq.wait_for(lambda: not pasta.alive(), what="the end of pasta")
    ws.write("go")
    answer = session.answer()
    exq.equal((answer["exit_code"], answer["output"]), (3, f"{errno.EINPROGRESS}\n"), answer)
    exq.equal(exq_net.world.came(), [])


@exq.test("what pasta uses is not counted as the command's", **ROWS)
def usage(backend, user):
    ws = space(backend, user)
    call(ws, "true")
    (ended,) = ws.events("ended")
    exq.check(0 < ended["memory_peak"] < 20 << 20, ended)
    exq.equal(ended["processes_peak"], 0)


# --- without it ------------------------------------------------------------------------------------------------------------


def shared(ws, answer, why):
    """The host's network was given, and the card said so in the danger style with the reason."""
    exq.equal((answer["success"], answer["output"]), (True, f"hello from 0.0.0.0\n{exq_net.DEVICE}\n"), answer)
    exq.has(answer["notes"], SHARED)
    card = ws.events("card")[-1]["card"]
    exq.equal(card["network"], "on_host")
    exq.has(json.dumps(card["facts"]), why)


TO_MACHINE = (PYTHON + f" -c 'import socket, os\none = socket.create_connection((\"127.0.0.1\", {exq_net.TCP}), 30)\n"
              f"print(one.recv(99).decode(), end=\"\")\nprint([d for d in os.listdir(\"/sys/class/net\") if d == \"{exq_net.DEVICE}\"][0] "
              f"if os.path.isdir(\"/sys/class/net\") else \"{exq_net.DEVICE}\")'")


@exq.test("without pasta it is the machine's network, and the card says so")
def not_installed():
    ws = space("landlock", "ordinary")
    ws.env["PATH"] = "/nothing/here"
    shared(ws, call(ws, TO_MACHINE), "pasta: not installed")


@exq.test("where pasta could not work it is the machine's network, and the card says so: {why}",
          why=["no default route", "no tun device"], backend=["landlock", "bubblewrap"])
def no_use(why, backend):
    ws = space(backend, "ordinary")
    if why == "no default route":
        exq_net.ip(f"route del default via {WORLD}")
        exq_net.ip(f"-6 route del default via {LINK} dev {exq_net.DEVICE}")
        try:
            shared(ws, call(ws, TO_MACHINE), "a default route")
        finally:
            exq_net.ip(f"route add default via {WORLD}")
            exq_net.ip(f"-6 route add default via {LINK} dev {exq_net.DEVICE}")
    else:
        with exq_net.covered("/dev/net", ws.mkdir(f"{ws.outside}/net")):
            shared(ws, call(ws, TO_MACHINE), "/dev/net/tun")


@exq.test("when pasta fails at the start, the call gets a card anew, and the next one knows: {how}",
          how=["it gets no device", "it is another program"], **ROWS)
def fails(how, backend, user):
    ws = space(backend, user)
    calls = [request(TO_MACHINE, network=True)] * 2
    with tempfile.NamedTemporaryFile() as file, contextlib.ExitStack() as stack:
        os.chmod(file.name, 0o666)
        if "device" in how:
            stack.enter_context(exq_net.covered("/dev/net/tun", file.name))
        else:
            for name in filter(os.path.exists, ("/usr/bin/passt", "/usr/bin/passt.avx2")):
                stack.enter_context(exq_net.covered(name, "/bin/sleep"))
        process = ws.popen([ws.program(), "--headless"], stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, **exq_net.without_rights())
        # one after the other, so that the second has what the first learned
        answers = [json.loads(ask(process, call)) for call in calls]
        process.stdin.close()
        exq.equal(process.wait(), 0)
    for answer in answers:
        shared(ws, answer, "pasta: ")
    exq.equal(["backend_changed" in answer["notes"] for answer in answers], [True, False])
    exq.equal([event["card"]["network"] for event in ws.events("card")], ["on", "on_host", "on_host"])


def ask(process, call):
    """One line to the product, and one back."""
    process.stdin.write(encode([call]))
    process.stdin.flush()
    return process.stdout.readline()


@exq.test("the doctor proves a granted network, and says why it is not apart", user=exq.USERS)
def doctor(user):
    ws = space(None, user)

    def machine():
        return json.loads(ws.exequatur("doctor", "--json", **exq_net.without_rights()).stdout)["machine"]

    exq.equal((machine()["network_granted"], machine()["network_why"]), ("own", None))
    with exq_net.covered("/dev/net", ws.mkdir(f"{ws.outside}/net")):
        exq.equal(machine()["network_granted"], "host")
        exq.has(machine()["network_why"], "/dev/net/tun")
    exq.equal(ws.records(), [])


exq_net.enter()
exq.main()
