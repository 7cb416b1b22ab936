"""Sockets: every family that leads out, and listeners of the host."""

import os
import socket

from attack_base import T, attack, call, held_unless


def family(name, number, kind=socket.SOCK_STREAM, protocol=0, inside="EPERM", root="done", user="done"):
    """Registers an attack that opens one kind of socket."""
    attack("network", name, inside, root, user)(lambda: call(41, number, kind, protocol))


family("a vsock stream socket", 40)
family("a vsock datagram socket", 40, socket.SOCK_DGRAM, root=None, user=None)
family("a socket of the kernel's crypto", 38, socket.SOCK_SEQPACKET, root=None, user=None)
family("a Bluetooth socket", 31, socket.SOCK_RAW, root=None, user=None)
family("a TIPC socket", 30, root=None, user=None)
family("an XDP socket", 44, socket.SOCK_RAW, root=None, user=None)
family("an SMC socket", 43, root=None, user=None)
family("an amateur radio socket", 3, socket.SOCK_SEQPACKET, root=None, user=None)
family("a family above 32 bits", 1 << 32 | 40, root=None, user=None)
family("a packet socket", 17, socket.SOCK_RAW, user="EPERM")
family("a raw socket", 2, socket.SOCK_RAW, 255, user="EPERM")
family("a netlink audit socket joins a group", 16, socket.SOCK_RAW, 99, inside="EPROTONOSUPPORT|EPERM",
       root="EPROTONOSUPPORT", user="EPROTONOSUPPORT")

REFUSED = "E(CONNREFUSED|NETUNREACH|PERM|ACCES|NOENT|ADDRNOTAVAIL)"


@attack("network", "TCP to the host's 127.0.0.1", REFUSED)
def tcp():
    socket.create_connection(("127.0.0.1", T["tcp"]), 5)


@attack("network", "TCP to the host's ::1", REFUSED, root=None, user=None)
def tcp6():
    socket.create_connection(("::1", T["tcp6"]), 5)


@attack("network", "TCP by MSG_FASTOPEN", REFUSED)
def fastopen():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.sendto(b"x", socket.MSG_FASTOPEN, ("127.0.0.1", T["tcp"]))


@attack("network", "MPTCP to the host", REFUSED + "|EPROTONOSUPPORT|ENOPROTOOPT", root=None, user=None)
def mptcp():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as s:
        s.connect(("127.0.0.1", T["tcp"]))


@attack("network", "UDP to the host's 127.0.0.1", "sent, the test looks|" + REFUSED)
def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(T["token"].encode(), ("127.0.0.1", T["udp"]))
    held_unless(T["outside"], "sent, the test looks")


@attack("network", "an abstract socket of the host", "E(CONNREFUSED|PERM|ACCES)")
def abstract():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(b"\0" + T["abstract"].encode())


@attack("network", "an abstract datagram socket of the host", "E(CONNREFUSED|PERM|ACCES)")
def abstract_datagram():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.sendto(b"x", b"\0" + T["abstract"].encode() + b"-datagram")


@attack("network", "a socket of the host with a path", "ENOENT")
def path_socket():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(T["socket"])


@attack("network", "a socket of the host by a long way round", "ENOENT")
def path_socket_dots():
    with socket.socket(socket.AF_UNIX) as s:
        os.chdir(T["work"])
        s.connect("../" + os.path.relpath(T["socket"], os.path.dirname(T["work"])))


@attack("network", "an interface beside the loopback", "lo alone", root=None, user=None)
def interfaces():
    held_unless([name for _index, name in socket.if_nameindex() if name != "lo"], "lo alone")


@attack("network", "a listener inside is on the host's network", "own network")
def listener():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.listen(1)
        held_unless(os.stat("/proc/self/ns/net").st_ino == T["namespaces"]["net"], "own network")


@attack("network", "the sockets of the host are listed", "none of them")
def diagnose():
    with open("/proc/net/tcp", encoding="ascii") as file:
        held_unless(f":{T['tcp']:04X}" in file.read(), "none of them")


@attack("network", "the abstract sockets of the host are listed", "none of them")
def list_abstract():
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        held_unless(T["abstract"] in file.read(), "none of them")
