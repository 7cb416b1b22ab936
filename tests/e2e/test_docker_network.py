"""The network, granted to a command in a container: what is far is reached by name, this machine and link-local addresses are not."""

import json
import os
import shutil
import signal
import subprocess
import sys

import exq
import exq_docker
import far_net
from exq_space import encode, request

USERS = {"user": exq.USERS}
SIX = "exq-six"  # with IPv6 too
ALLOWED = {"security.sandbox.bubblewrap": {"allow_network": True}, "security.sandbox.docker": {"network": SIX, "args": [f"--dns={far_net.ADDRESS}"]}}

# One word for each way to each address: what a connection said, or the name of the error.
PROBE = """
import errno, socket, sys
def tcp(address, port, bound):
    s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    s.settimeout(float(sys.argv[2]))
    if bound:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"eth0")
    s.connect((address, port))
    return s.recv(100).decode().strip()
def udp(address, port, bound):
    if ":" in address:
        return socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"x", (address, port)) and "sent"
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    ancillary = [(socket.IPPROTO_IP, 8, socket.if_nametoindex("eth0").to_bytes(4, sys.byteorder) + bytes(8))] if bound else []
    s.sendmsg([b"x"], ancillary, 0, (address, port))
    return "sent"
for address in sys.argv[3:]:
    for way in (tcp, udp):
        for bound in (False, True):
            try:
                print(address, way.__name__, bound, way(address, int(sys.argv[1]), bound))
            except OSError as why:
                print(address, way.__name__, bound, errno.errorcode.get(why.errno, "timeout"))
"""

_far = []


class Far:
    """The engine's namespace with another machine beside it, and a listener on this side."""

    def __init__(self):
        self.engine = exq_docker.engine()
        self.process = subprocess.Popen([sys.executable, far_net.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        exq_docker.keep(self.process)
        exq.equal(self.process.stdout.readline(), "there\n")
        for line in (f"ip link add far type veth peer name near netns {self.process.pid}", f"ip address add {far_net.NEAR}/24 dev far",
                     f"ip address add {far_net.NEAR6}/64 dev far nodad", "ip link set far up", "ip link set lo up",
                     f"ip route add {far_net.METADATA} via {far_net.ADDRESS}"):
            subprocess.run([*self.engine.within(), *line.split()], check=True)
        forward = "echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding"
        subprocess.run([*self.engine.within(), "sh", "-c", forward], check=True)
        six = {"Name": SIX, "Driver": "bridge", "EnableIPv6": True,
               "IPAM": {"Config": [{"Subnet": "10.77.0.0/24"}, {"Subnet": "fd03:77::/64", "Gateway": "fd03:77::1"}]}}
        self.engine.ask("POST", "/networks/create", json.dumps(six))
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        exq.equal(self.process.stdout.readline(), "wired\n")
        code = f"import sys; sys.path.insert(0, {os.path.dirname(far_net.__file__)!r}); import far_net; far_net.greet('::')"
        self.near = subprocess.Popen([*self.engine.within(), sys.executable, "-c", code])
        exq_docker.keep(self.near)
        self.closed = ["10.77.0.1", far_net.NEAR, far_net.METADATA]
        self.closed6 = ["fd03:77::1", far_net.NEAR6]
        self.sent = ["10.77.0.255", "224.0.0.251", "255.255.255.255"]  # to all that are there, this machine too
        exq.wait_for(self.greets, what="the listener on this side")

    def greets(self):
        """Whether the listener on this side is there."""
        probe = f"import socket; socket.create_connection(('{far_net.NEAR}', {far_net.PORT}), 5)"
        return subprocess.run([*self.engine.within(), sys.executable, "-c", probe], stderr=subprocess.DEVNULL, check=False).returncode == 0


def far():
    """The other machine of this script."""
    if not _far:
        _far.append(Far())
    return _far[0]


def call(ws, command):
    """The answer to one call with the network, of a console that lives where the engine lives."""
    process = ws.popen([*ws.engine.within(ws), ws.program(), "--headless"], stdin=-1, stdout=-1, stderr=-1, user=None, group=None,
                       extra_groups=None)
    out, err = process.communicate(encode([request(command, network=True)]), timeout=60)
    exq.equal(len(out.splitlines()), 1, err.decode())
    return json.loads(out)


def ways(text):
    """{(address, kind, bound): answer} of what the probe printed."""
    return {tuple(line.split()[:3]): line.split()[3] for line in text.splitlines()}


@exq.test("without the closing each of these addresses is reached from a container, each way")
def control():
    world = far()
    engine = world.engine
    body = {"Image": exq_docker.IMAGE, "Cmd": ["/usr/bin/python3", "-c", PROBE, str(far_net.PORT), "20", *world.closed, *world.closed6, *world.sent],
            "User": "65534", "Tty": True,
            "HostConfig": {"NetworkMode": SIX, "Binds": ["/usr:/usr:ro"], "CapDrop": ["ALL"], "LogConfig": {"Type": "json-file"}}}
    made = json.loads(engine.ask("POST", "/containers/create", json.dumps(body)))["Id"]
    engine.ask("POST", f"/containers/{made}/start")
    engine.ask("POST", f"/containers/{made}/wait")
    answers = ways(engine.ask("GET", f"/containers/{made}/logs?stdout=1").decode())
    engine.ask("DELETE", f"/containers/{made}?force=1")
    wrong = {key: text for key, text in answers.items() if text != ("hello" if key[1] == "tcp" else "sent") and not (key[0] in world.sent and key[1] == "tcp")}
    exq.equal(wrong, {})


@exq.test("granted, what is far is reached, by name and by address; this machine and link-local addresses are not, whichever way", **USERS)
def granted(user):
    world = far()
    ws = exq.Workspace(backend="docker", user=user, sections=ALLOWED)
    ws.write("probe.py", PROBE)
    targets = [*world.closed, *world.closed6, *world.sent]
    answer = call(ws, f"/usr/bin/python3 probe.py {far_net.PORT} 2 {' '.join(targets)}")
    exq.equal((answer["network"], answer["success"], answer["notes"]), (True, True, []), answer)
    answers = ways(answer["output"])
    exq.equal((len(answers), set(answers.values()) & {"hello", "sent"}), (4 * len(targets), set()), answers)
    # at once, but of IPv6: an address that is new is not used for a second, and no answer finds a socket that is bound to the interface
    exq.equal({key for key, text in answers.items() if text == "timeout" and key[0] not in world.closed6}, set(), answers)
    reach = f"for to in (\"example.test\", \"{far_net.ADDRESS6}\"): print(socket.create_connection((to, {far_net.PORT}), 20).recv(9))"
    answer = call(ws, f"/usr/bin/python3 -c 'import socket\n{reach}'; test -s /etc/ssl/certs/ca-certificates.crt && echo certificates")
    exq.equal(answer["output"], "b'hello\\n'\n" * 2 + "certificates\n", answer)
    card = json.dumps(ws.events("card")[-1]["card"])
    exq.has(card, ", not to this machine")
    exq.equal(ws.engine.containers(ws.dir), [])


@exq.test("the container that closes addresses has one capability, our launcher and the network of the other; the command has none")
def closer():
    far()
    ws = exq.Workspace(backend="docker", sections=ALLOWED)
    plan = ws.exequatur("plan", "--network", "true").stdout.decode()
    closes = plan[plan.index("\ncloser "):plan.index("\nclosed ")]
    for words in ("--cap-drop=ALL", "--cap-add=NET_ADMIN", "--network=container:exequatur-plan", "--read-only", "--entrypoint=/exequatur-launcher",
                  "--close ", " 169.254.0.0/16 ", " fe80::/10 ", " 224.0.0.0/4 ", " 100.100.100.200 "):
        exq.has(closes, words)
    exq.equal((closes.count("--mount"), plan.count("--cap-add")), (1, 1))
    exq.check("closer" not in ws.exequatur("plan", "true").stdout.decode(), "closed without a network")
    answer = ws.call("grep Cap /proc/self/status | tr -d '0 \\t\\n'", network=True)
    exq.equal(answer["output"], "CapInh:CapPrm:CapEff:CapBnd:CapAmb:", answer)


CLIENT = """#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++)
		if (strcmp(argv[i], "--close") == 0)
			argv[i + 1] = "nowhere";
	execv(TRUE_DOCKER, argv);
	return 127;
}
"""


@exq.test("where addresses cannot be closed the call is refused by name, and so is the next one; without network all goes on")
def not_closed():
    far()
    ws = exq.Workspace(backend="docker", user="root", sections={**ALLOWED, "exequatur": {"max_running": 1}})
    true, source, false = os.path.join(ws.dir, "true-docker"), ws.write(f"{ws.dir}/client.c", CLIENT), os.path.join(ws.dir, "false-docker")
    shutil.copy(exq.need_program("docker"), true)
    subprocess.run([exq.need_program("gcc"), f'-DTRUE_DOCKER="{true}"', "-o", false, source], check=True)
    script = f"mount --bind {false} {exq.need_program('docker')} && exec \"$@\""
    process = ws.popen(["unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", ws.program(), "--headless"], stdin=-1, stdout=-1, stderr=-1)
    lines = [request("touch ran", id=1, network=True), request("touch ran", id=2, network=True), request("echo on", id=3)]
    out, err = process.communicate(encode(lines), timeout=60)
    answers = {answer["id"]: answer for answer in map(json.loads, out.splitlines())}
    exq.equal(len(answers), 3, err.decode())
    exq.equal([answers[n]["reason"] for n in (1, 2, 3)], ["sandbox_unavailable", "sandbox_unavailable", None], answers)
    for n in (1, 2):
        exq.has(answers[n]["error"], "cannot be closed to this machine")
    exq.equal((answers[3]["output"], os.listdir(ws.work), ws.engine.containers(ws.dir)), ("on\n", [], []))


@exq.test("with the network granted, both containers that a killed console and supervisor left are removed at the next start")
def killed():
    far()
    ws = exq.Workspace(backend="docker", user="ordinary", sections=ALLOWED)
    session = ws.start()
    session.send(request("echo > up; sleep 99931", network=True))
    exq.wait_for(lambda: os.path.exists(ws.path("up")) and exq.find("sleep 99931"), what="the command")
    supervisor = next(proc for proc in exq.descendants(session.pid) if proc.parent == session.pid)
    exq.equal(len(ws.engine.containers(ws.dir)), 2)
    session.kill(signal.SIGSTOP)
    supervisor.kill()
    session.kill()
    exq.gone("sleep 99931")
    exq.equal(ws.call("true")["success"], True)
    exq.equal(ws.engine.containers(ws.dir), [])


exq.main()
