"""Two network namespaces of a test's own: the test process itself is moved into the one that its product takes for the machine's,
the other is the world behind its gateway. No packet leaves them. In each a server answers on every address of it, and writes down
what comes; that of the world is a resolver too, and speaks TLS.

    exq_net.enter()                  before anything else
    exq_net.world.clear()
    ... exq_net.world.came()         what came since, by name
"""

import atexit
import contextlib
import ctypes
import json
import os
import selectors
import shutil
import socket
import ssl
import struct
import subprocess
import sys

import exq_proc
from exq_proc import Failure, keep, wait_for

CLONE_NEWNS, CLONE_NEWNET = 0x20000, 0x40000000
MS_PRIVATE_ALL = 0x44000
LIBC = ctypes.CDLL(None, use_errno=True)
PYTHON = "/usr/bin/python3"
DATA = os.path.join(os.environ.get("EXQ_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))),
                    "tests", "data", "tls")

DEVICE = "up0"  # of the machine
MACHINE, MACHINE6, MACHINE_OTHER = "10.77.0.2", "fd77::2", "10.99.0.9"
WORLD, WORLD6, WORLD_FAR, WORLD_RESOLVER = "10.77.0.1", "fd77::1", "10.88.0.1", "10.77.0.53"
METADATA, LINK = "169.254.169.254", "fe80::77:1"
GROUP = "239.77.0.1"
TCP, UDP, DNS, TLS = 8001, 8002, 53, 8443

# In the namespace of the machine, as root of it; $1 is a process of the world. A link that is up at both ends has its carrier.
TOPOLOGY = f"""
ip link set lo up
ip link add {DEVICE} type veth peer name w0 netns "$1"
ip link add other0 type bridge
ip link set other0 up
ip addr add {MACHINE_OTHER}/24 dev other0
ip link set {DEVICE} addrgenmode none
ip link set {DEVICE} up
ip addr add {MACHINE}/24 dev {DEVICE}
ip addr add {MACHINE6}/64 dev {DEVICE} nodad
ip addr add fe80::77:2/64 dev {DEVICE} nodad
nsenter -t "$1" -n sh -ec '
ip link set lo up
ip link set w0 addrgenmode none
ip link set w0 up
ip addr add {WORLD}/24 dev w0
ip addr add {WORLD_RESOLVER}/24 dev w0
ip addr add {WORLD_FAR}/32 dev lo
ip addr add {METADATA}/32 dev w0
ip addr add {WORLD6}/64 dev w0 nodad
ip addr add {LINK}/64 dev w0 nodad'
ip route add default via {WORLD}
ip route add {METADATA}/32 dev {DEVICE}
ip -6 route add default via {LINK} dev {DEVICE}
"""


class Peer:
    """The server of a namespace."""

    def __init__(self, who, before=()):
        self.process = subprocess.Popen([*before, PYTHON, os.path.abspath(__file__), who], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.buffer, self.lines = b"", []
        keep([self.process.pid])
        exq_proc.own(self.process.pid)
        atexit.register(self.close)
        self._expect("here")

    def open(self):
        """The interfaces are there: it may listen."""
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()
        self._expect("up")

    def _read(self):
        os.set_blocking(self.process.stdout.fileno(), False)
        with contextlib.suppress(BlockingIOError):
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise Failure("a server ended")
            self.buffer += more
        *lines, self.buffer = self.buffer.split(b"\n")
        self.lines += [line.decode() for line in lines]

    def _expect(self, line):
        wait_for(lambda: self._read() or line in self.lines, what=f"{line!r} of a server")

    def clear(self):
        """Forgets what came."""
        self._read()
        self.lines = []

    def came(self, last=None):
        """The names of what came; last: one of them is waited for."""
        if last:
            self._expect(last)
        self._read()
        return self.lines

    def close(self):
        """Ends it."""
        self.process.stdin.close()
        self.process.wait()


world = machine = None


def _done(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _own_user_namespace():
    """Starts the script anew in a user namespace, where an ordinary user may make networks; rights stay with its children."""
    if os.environ.get("EXQ_NET"):
        return
    os.environ["EXQ_NET"] = "1"
    os.execvp("unshare", ["unshare", "--user", "--map-current-user", "--keep-caps", sys.executable, "-B", *sys.argv])


def without_rights():
    """For a program that is started below: an ordinary user's, as it would be outside."""
    return {} if os.getuid() == 0 else {"preexec_fn": lambda: LIBC.prctl(47, 4, 0, 0, 0)}  # no ambient capability


def enter():
    """Moves this process, which must have one thread, into a machine of its own."""
    global world, machine  # pylint: disable=global-statement
    if os.getuid() != 0:
        _own_user_namespace()
    _done(LIBC.unshare(CLONE_NEWNET | CLONE_NEWNS))
    _done(LIBC.mount(b"none", b"/", None, MS_PRIVATE_ALL, None))
    world = Peer("world", ["unshare", "--net"])
    subprocess.run(["sh", "-ec", TOPOLOGY, "sh", str(world.process.pid)], check=True)
    world.open()
    machine = Peer("machine")
    machine.open()


def kept_apart(backend):
    """Whether a network that is granted in a backend is one of its own, on the machine as it is."""
    if backend not in ("landlock", "bubblewrap") or not shutil.which("pasta", path="/usr/bin:/bin") or not os.access("/dev/net/tun", os.W_OK):
        return False
    with open("/proc/net/route", encoding="ascii") as v4, open("/proc/net/ipv6_route", encoding="ascii") as v6:
        return any(words[1] == "0" * 8 and words[2] != "0" * 8 for words in map(str.split, v4)) or \
            any(words[1] == "00" and words[4] != "0" * 32 for words in map(str.split, v6))


@contextlib.contextmanager
def covered(target, source):
    """A file or directory of the machine shows another one meanwhile."""
    target = os.path.realpath(target)
    subprocess.run(["mount", "--bind", source, target], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", target], check=True)


def ip(words):
    """Changes the machine's network."""
    subprocess.run(["ip", *words.split()], check=True)


# --- the server ---------------------------------------------------------------------------------------------------------


def say(name):
    """One line for the test."""
    sys.stdout.write(f"{name}\n")
    sys.stdout.flush()


def address_of(query):
    """An answer of the resolver: every name is the world, and has no other record."""
    end = query.index(b"\0", 12) + 5
    wants_a = query[end - 4:end - 2] == b"\0\1"
    record = b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 60, 4) + socket.inet_aton(WORLD) if wants_a else b""
    return query[:2] + b"\x81\x80\0\1" + struct.pack(">H", 1 if wants_a else 0) + b"\0\0\0\0" + query[12:end] + record


class Server:
    """All listeners of one namespace."""

    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(os.path.join(DATA, "server.pem"))

    def listen(self, address, port, kind, handler, scope=0):
        """One socket."""
        v6 = ":" in address
        server = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, kind)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if v6:
            server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        server.bind((address, port, 0, scope) if v6 else (address, port))
        if kind == socket.SOCK_STREAM:
            server.listen(64)
        self.selector.register(server, selectors.EVENT_READ, (address, handler))
        return server

    def on_tcp(self, server, address):
        """Says where it came to."""
        client = server.accept()[0]
        say(f"tcp {address}")
        client.sendall(f"hello from {address}\n".encode())
        client.close()

    def on_udp(self, server, address):
        """Says where it came to, and sends it back."""
        data, sender = server.recvfrom(2048)
        say(f"udp {address} {data.decode()}")
        server.sendto(data, sender)

    def on_dns(self, server, _address):
        """Answers."""
        data, sender = server.recvfrom(2048)
        say("dns")
        server.sendto(address_of(data), sender)

    def on_tls(self, server, _address):
        """One line over TLS."""
        client = server.accept()[0]
        client.settimeout(30)
        with contextlib.suppress(OSError), self.tls.wrap_socket(client, server_side=True) as wrapped:
            wrapped.sendall(b"hello over tls\n")

    def serve(self, control):
        """Until the control descriptor ends."""
        self.selector.register(control, selectors.EVENT_READ, None)
        while True:
            for key, _events in self.selector.select():
                if key.data is None:
                    return
                address, handler = key.data
                handler(key.fileobj, address)


def serve(who):
    """One of the two."""
    say("here")
    sys.stdin.readline()
    server = Server()
    addresses = ["0.0.0.0", "::"] if who == "machine" else [WORLD, WORLD_FAR, WORLD6, METADATA, LINK]
    for address in addresses:
        scope = socket.if_nametoindex("w0") if address == LINK else 0
        server.listen(address, TCP, socket.SOCK_STREAM, server.on_tcp, scope)
        server.listen(address, UDP, socket.SOCK_DGRAM, server.on_udp, scope)
    group = server.listen(GROUP, UDP, socket.SOCK_DGRAM, server.on_udp)
    own = MACHINE if who == "machine" else WORLD
    group.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton(own))
    server.listen("0.0.0.0" if who == "machine" else WORLD_RESOLVER, DNS, socket.SOCK_DGRAM, server.on_dns)
    server.listen(own, TLS, socket.SOCK_STREAM, server.on_tls)
    say("up")
    server.serve(sys.stdin)


if __name__ == "__main__":
    if sys.argv[1:] not in (["world"], ["machine"]):
        sys.exit("a part of the test scripts")
    serve(sys.argv[1])
