"""Another machine beside the network namespace of an engine: 198.51.100.2, with a name server that knows every name, and a
server of link-local metadata as clouds have one. Ends when its input ends.

    python3 far_net.py        writes a line when it is there: its network namespace can be wired then; reads a line when it is"""

import ctypes
import os
import socket
import subprocess
import sys
import threading

ADDRESS, METADATA, PORT = "198.51.100.2", "169.254.169.254", 8080
NEAR = "198.51.100.1"
ADDRESS6, NEAR6 = "fd02::2", "fd02::1"
CLONE_NEWNET = 0x40000000


def run(line):
    """One command of iproute2."""
    subprocess.run(line.split(), check=True)


def greet(address):
    """Says hello to whoever connects."""
    six = ":" in address
    server = socket.create_server((address, PORT), family=socket.AF_INET6 if six else socket.AF_INET, dualstack_ipv6=address == "::")
    while True:
        connection, _ = server.accept()
        connection.sendall(b"hello\n")
        connection.close()


def answer_names():
    """A name server: every name is this machine's."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((ADDRESS, 53))
    while True:
        query, peer = server.recvfrom(512)
        end = query.index(b"\0", 12) + 5
        known = query[end - 4:end - 2] == b"\0\1"  # an address of version 4
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4" + socket.inet_aton(ADDRESS) if known else b""
        server.sendto(query[:2] + b"\x81\x80\0\1" + (b"\0\1" if known else b"\0\0") + b"\0\0\0\0" + query[12:end] + record, peer)


def main():
    """Its own namespace, then the servers."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "a network namespace")
    print("there", flush=True)
    sys.stdin.readline()
    run("ip link set lo up")
    run(f"ip address add {METADATA}/32 dev lo")
    run(f"ip address add {ADDRESS}/24 dev near")
    run("ip link set near up")
    run(f"ip route add default via {NEAR}")
    run(f"ip address add {ADDRESS6}/64 dev near nodad")
    run(f"ip -6 route add default via {NEAR6}")
    for target, arguments in ((greet, (ADDRESS,)), (greet, (ADDRESS6,)), (greet, (METADATA,)), (answer_names, ())):
        threading.Thread(target=target, args=arguments, daemon=True).start()
    print("wired", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
