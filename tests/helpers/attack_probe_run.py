"""Runs attack_probe.py inside a backend, or outside as the control, with a host around it that can be attacked."""

import ctypes
import glob
import json
import os
import shutil
import socket
import stat
import sys
import tempfile

import attack_probe
import attack_refuse
import exq
from exq_space import encode, request

PYTHON = "/usr/bin/python3"
IPC_RMID, IPC_CREAT, IPC_EXCL = 0, 0o1000, 0o2000
KINDS = ["user", "mnt", "pid", "net", "ipc", "uts"]
SHARED = ("/tmp", "/var/tmp", "/dev/shm")
LIBC = ctypes.CDLL(None, use_errno=True)


class Host:
    """What the attacks aim at: a process, memory, queues, listeners and files of the machine, gone with close()."""

    def __init__(self, ws):
        self.ws = ws
        self.token = os.path.basename(ws.dir)
        self.closers = []
        self.targets = {
            "work": ws.work, "home": ws.home, "state": ws.state, "config": ws.config, "outside_dir": ws.outside,
            "program": ws.program(), "token": self.token, "tmp_marker": exq.Workspace().dir,
            "var_tmp_marker": self.entry("/var/tmp"), "run_marker": self.entry("/run"),
            "namespaces": {kind: os.stat(f"/proc/self/ns/{kind}").st_ino for kind in KINDS},
        }
        self.victim = ws.popen(["/bin/sleep", "99800"])
        self.targets["victim"] = self.victim.pid
        self.extra = os.open("/dev/null", os.O_RDWR)
        self.closers.append(lambda: os.close(self.extra))
        try:
            self.memory()
            self.listeners()
            self.files()
        except BaseException:
            self.close()
            raise

    def entry(self, directory):
        """The path of something that the machine has in a directory, or of nothing."""
        names = [name for name in os.listdir(directory) if not name.startswith(".")]
        return os.path.join(directory, min(names, default="nothing"))

    def memory(self):
        """Shared memory, a semaphore and queues, open to everybody."""
        key = 0x65780000 | os.getpid() & 0xFFFF
        shm = LIBC.shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0o666)
        self.closers.append(lambda: LIBC.shmctl(shm, IPC_RMID, None))
        sem = LIBC.semget(key, 1, IPC_CREAT | IPC_EXCL | 0o666)
        self.closers.append(lambda: LIBC.semctl(sem, 0, IPC_RMID))
        msg = LIBC.msgget(key, IPC_CREAT | IPC_EXCL | 0o666)
        self.closers.append(lambda: LIBC.msgctl(msg, IPC_RMID, None))
        exq.check(min(shm, sem, msg) >= 0, "System V objects cannot be made")
        name = "/" + self.token
        before = os.umask(0)
        queue = LIBC.mq_open(name.encode(), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666, None)
        os.umask(before)
        exq.check(queue >= 0, "a queue cannot be made")
        self.closers += [lambda: LIBC.mq_close(queue), lambda: LIBC.mq_unlink(name.encode())]
        handle, path = tempfile.mkstemp(dir="/dev/shm")
        os.fchmod(handle, 0o644)
        os.close(handle)
        self.closers.append(lambda: os.unlink(path))
        self.targets.update(ipc_key=key, shm=shm, queue=name, shm_file=path)

    def listen(self, family, address, kind=socket.SOCK_STREAM):
        """A socket that takes whatever comes."""
        server = socket.socket(family, kind)
        server.bind(address)
        if kind == socket.SOCK_STREAM:
            server.listen(64)
        server.setblocking(False)
        self.closers.append(server.close)
        return server

    def listeners(self):
        """Internet and local sockets of the host."""
        path = os.path.join(self.ws.outside, "listener")
        self.tcp = self.listen(socket.AF_INET, ("127.0.0.1", 0))
        self.tcp6 = self.listen(socket.AF_INET6, ("::1", 0))
        self.udp = self.listen(socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM)
        self.local = self.listen(socket.AF_UNIX, path)
        self.abstract = self.listen(socket.AF_UNIX, b"\0" + self.token.encode())
        self.datagram = self.listen(socket.AF_UNIX, b"\0" + self.token.encode() + b"-datagram", socket.SOCK_DGRAM)
        os.chmod(path, 0o777)
        self.targets.update(tcp=self.tcp.getsockname()[1], tcp6=self.tcp6.getsockname()[1],
                            udp=self.udp.getsockname()[1], abstract=self.token, socket=path)

    def files(self):
        """Files of the user that are on no list."""
        for name in attack_probe.OUTSIDE_FILES:
            self.ws.write(os.path.join(self.ws.outside, name), "as it was\n")
        self.ws.mkdir(f"{self.ws.home}/.ssh", 0o700)
        self.ws.write(f"{self.ws.home}/.ssh/id", "key\n", 0o600)
        self.ws.write(f"{self.ws.home}/.profile", "as it was\n")
        for path in glob.glob(os.path.join(os.path.dirname(attack_probe.__file__), "attack_*.py")):
            with open(path, "rb") as source:
                self.ws.write(os.path.basename(path), source.read())
        self.ws.write("targets.json", json.dumps(self.targets))

    def arrived(self):
        """What came to the listeners."""
        came = []
        for name, server in (("tcp", self.tcp), ("tcp6", self.tcp6), ("local", self.local), ("abstract", self.abstract)):
            try:
                server.accept()[0].close()
                came.append(name)
            except BlockingIOError:
                pass
        for name, server in (("udp", self.udp), ("datagram", self.datagram)):
            try:
                server.recv(100)
                came.append(name)
            except BlockingIOError:
                pass
        return came

    def changed(self):
        """What is not as it was: files outside and at home, bits in the work directory, names in shared places."""
        wrong = []
        for directory in (self.ws.outside, self.ws.home):
            for root, _dirs, names in os.walk(directory):
                wrong += [path for path in (os.path.join(root, name) for name in names if name not in ("listener", "id"))
                          if not self.untouched(path)]
        wanted = sorted([*attack_probe.OUTSIDE_FILES, "listener"])
        if sorted(os.listdir(self.ws.outside)) != wanted:
            wrong.append(f"names: {sorted(os.listdir(self.ws.outside))}")
        for root, dirs, names in os.walk(self.ws.work):
            wrong += [f"{root}/{name}" for name in dirs + names if os.lstat(f"{root}/{name}").st_mode & 0o6000]
        return wrong + [f"{d}/{self.token}.file" for d in SHARED if os.path.exists(f"{d}/{self.token}.file")]

    def untouched(self, path):
        """Whether a file of ours is as it was made."""
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            return False
        with open(path, "rb") as file:
            return file.read() == b"as it was\n" and stat.S_IMODE(info.st_mode) == 0o644

    def close(self):
        """Takes everything away, also what an attack left that was not held."""
        for directory in SHARED:
            path = f"{directory}/{self.token}.file"
            if os.path.exists(path):
                os.unlink(path)
        for closer in reversed(self.closers):
            closer()


def environment(ws):
    """Secrets around the product."""
    ws.env.update(API_KEY=attack_probe.MARKER, DATABASE_URL=f"db://{attack_probe.MARKER}", SSH_AUTH_SOCK=f"/{attack_probe.MARKER}")


def run_inside(backend, user, families, sections=None, refuse=(), **arguments):
    """(answers, what arrived, what changed, the product's answer) of one probe in a backend; refuse: words of attack_refuse."""
    ws = exq.Workspace(backend=backend, user=user, sections=sections)
    environment(ws)
    host = Host(ws)
    try:
        line = request(f"{PYTHON} attack_probe.py targets.json {' '.join(families)}", **arguments)
        before = [PYTHON, attack_refuse.__file__, *refuse, "--"] if refuse else []
        process = ws.popen([*before, ws.program(), "--headless"], stdin=-1, stdout=-1, stderr=-1, pass_fds=[host.extra])
        out, _err = process.communicate(encode([line]), timeout=90)
        answer = json.loads(out)
        exq.check(answer["exit_code"] == 0, answer)
        exq.check(host.victim.poll() is None, "a process outside was ended")
        return json.loads(answer["output"]), host.arrived(), host.changed(), answer
    finally:
        host.close()


def on_copies(ws, *programs):
    """Root's own mounts and host name, with copies in the place of these programs: while one is open for writing, nobody else
    on the machine can execute it."""
    copies = [shutil.copy(path, os.path.join(ws.dir, f"copy-{number}")) for number, path in enumerate(programs)]
    script = "".join(f"mount --bind {copy} {path} && " for copy, path in zip(copies, programs)) + 'exec "$@"'
    return ["unshare", "-m", "-u", "--propagation", "private", "sh", "-c", script, "sh"]


def run_outside(user, families):
    """(answers, what arrived) of the same probe outside; as root with mounts and a host name of its own."""
    ws = exq.Workspace(user=user)
    environment(ws)
    host = Host(ws)
    own = on_copies(ws, "/usr/bin/env", ws.program()) if ws.uid == 0 else []
    try:
        process = ws.popen([*own, PYTHON, "attack_probe.py", "targets.json", "--outside", *families], stdout=-1, stderr=-1,
                           pass_fds=[host.extra])
        out, err = process.communicate(timeout=60)
        exq.check(process.returncode == 0, err.decode())
        return json.loads(out), host.arrived()
    finally:
        host.close()


if __name__ == "__main__":
    sys.exit("a part of the test scripts")
