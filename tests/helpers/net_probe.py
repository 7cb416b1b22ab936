"""Runs inside a sandbox and outside of it: tries connections and datagrams, and prints what became of each as JSON.

    net_probe.py ATTEMPTS.json DEVICE

An attempt has a name, tcp or udp as its kind, an address, a port, perhaps by ("device", "packet": bound to the device, or by
the interface of one datagram) and from (a source port). All begin at once; those with "through" are waited for, and then all
others had their time too."""

import json
import select
import socket
import struct
import sys
import time

SO_BINDTODEVICE, IP_PKTINFO = 25, 8
WATCHDOG = 30


def place(attempt, device):
    """Where it goes, as its family wants it."""
    if ":" not in attempt["to"]:
        return attempt["to"], attempt["port"]
    link = attempt["to"].startswith("fe80")
    return attempt["to"], attempt["port"], 0, socket.if_nametoindex(device) if link else 0


def opened(attempt, device):
    """A socket, bound as the attempt wants."""
    kind = socket.SOCK_STREAM if attempt["kind"] == "tcp" else socket.SOCK_DGRAM
    one = socket.socket(socket.AF_INET6 if ":" in attempt["to"] else socket.AF_INET, kind)
    one.setblocking(False)
    if attempt.get("by") == "device":
        one.setsockopt(socket.SOL_SOCKET, SO_BINDTODEVICE, device.encode() + b"\0")
    if "from" in attempt:
        one.bind(("", attempt["from"]))
    return one


def begin(attempt, device):
    """(socket, error)"""
    one = opened(attempt, device)
    to = place(attempt, device)
    try:
        if attempt["kind"] == "tcp":
            one.connect(to)
        elif attempt.get("by") == "packet":
            info = struct.pack("=I4s4s", socket.if_nametoindex(device), b"\0" * 4, b"\0" * 4)
            one.sendmsg([attempt["name"].encode()], [(socket.IPPROTO_IP, IP_PKTINFO, info)], 0, to)
        else:
            one.sendto(attempt["name"].encode(), to)
    except BlockingIOError:
        pass
    except OSError as why:
        return one, why
    return one, None


def came(attempt, one):
    """What came back, or the error; None: nothing yet."""
    try:
        data = one.recv(2048)
        return "through" if data else "ended"
    except BlockingIOError:
        return None
    except OSError as why:
        return why.strerror


def main():
    """Tries all."""
    with open(sys.argv[1], encoding="utf-8") as file:
        attempts = json.load(file)
    results, waiting = {}, {}
    for attempt in attempts:
        one, why = begin(attempt, sys.argv[2])
        if why:
            results[attempt["name"]] = why.strerror
        else:
            waiting[attempt["name"]] = (attempt, one)
    end = time.monotonic() + WATCHDOG
    while any(attempt["through"] for attempt, _one in waiting.values()) and time.monotonic() < end:
        select.select([one for _attempt, one in waiting.values()], [], [], 0.05)
        for name, (attempt, one) in list(waiting.items()):
            result = came(attempt, one)
            if result:
                results[name] = result
                del waiting[name]
    results.update({name: "nothing" for name in waiting})
    print(json.dumps(results))


if __name__ == "__main__":
    main()
