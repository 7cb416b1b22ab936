"""A socket that answers as an engine of containers would, or as none would."""

import json
import os
import socket
import threading


def pretend(ws, replies):
    """Listens in the directory of the workspace, and points DOCKER_HOST there. replies: bytes by path; what is not in it is never
    answered. Gives the socket, to be closed."""
    path = os.path.join(ws.dir, "pretended.sock")
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    os.chmod(path, 0o666)
    server.listen(16)
    held = []

    def serve():
        while True:
            try:
                connection, _ = server.accept()
                held.append(connection)
                asked = connection.recv(4096).split(b" ")[1].decode()
            except (OSError, IndexError):
                return
            if asked in replies:
                connection.sendall(replies[asked])
                held.remove(connection)
                connection.close()

    threading.Thread(target=serve, daemon=True).start()
    ws.env["DOCKER_HOST"] = f"unix://{path}"
    return server


def http(value, status="200 OK"):
    """An answer of an engine."""
    return f"HTTP/1.0 {status}\r\nContent-Type: application/json\r\n\r\n".encode() + json.dumps(value).encode()
