"""Agents that connect to the socket of a console, and a console that listens."""

import json
import os
import select
import socket
import time

import exq
from exq_space import encode, request

NAME = os.path.join("exequatur", "console.sock")


def path_of(ws):
    """The usual socket of a console of this workspace."""
    return os.path.join(ws.run, NAME)


class Agent:
    """One connection. Its requests go out whole, its answers are read line by line."""

    def __init__(self, path, seconds=30):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.buffer = b""

        def connected():
            try:
                directory = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
            except FileNotFoundError:
                return False
            try:
                self.socket.connect(f"/proc/self/fd/{directory}/{os.path.basename(path)}")  # of any length
            except (FileNotFoundError, ConnectionRefusedError):
                return False
            finally:
                os.close(directory)
            return True

        exq.wait_for(connected, seconds, what=f"a console on {path}")

    def send(self, *lines):
        """Sends requests (objects, text or bytes)."""
        self.socket.sendall(encode(lines))

    def ask(self, command, id=None, **arguments):
        """Sends one call."""
        self.send(request(command, id, **arguments))

    def line(self, seconds=60):
        """The next line of bytes, or None at the end of the stream."""
        end_at = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.socket], [], [], max(0, end_at - time.monotonic()))
            exq.check(ready, f"no answer after {seconds} s")
            try:
                more = self.socket.recv(1 << 16)
            except ConnectionResetError:
                more = b""
            if not more:
                return None
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def answer(self, seconds=60):
        """The next answer."""
        line = self.line(seconds)
        exq.check(line is not None, "the connection ended without an answer")
        return json.loads(line)

    def call(self, command, id=None, **arguments):
        """One call and the next answer."""
        self.ask(command, id, **arguments)
        return self.answer()

    def half_close(self):
        """No more requests; the answers are still wanted."""
        self.socket.shutdown(socket.SHUT_WR)

    def close(self):
        """Goes away."""
        self.socket.close()


def headless(ws, *arguments, **options):
    """A console without a person that listens, and its standard error."""
    session = ws.start(*(arguments or ("--listen",)), **options)
    session.close_input()
    return session


def left(ws):
    """Those of the socket that left, in order: number and why."""
    joined = [event["peer"] for event in peers(ws)]
    return [(event["peer"], event["why"]) for event in ws.events("peer_left") if event["peer"] in joined]


def peers(ws):
    """The events of those who joined at the socket, in order."""
    return [event for event in ws.events("peer") if event["kind"] == "socket"]
