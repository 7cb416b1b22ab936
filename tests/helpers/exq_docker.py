"""A container engine of the test's own: dockerd with its own socket and data, without bridge and firewall, and an image that is
a skeleton: links into a /usr that the configuration binds from the machine (readonly_paths).

One engine serves all points of a script; it is started by the first that asks and ended with the script."""

import atexit
import ctypes
import glob
import hashlib
import http.client
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile

import exq_proc
from exq_proc import skip

IMAGE = "skeleton:test"
NETWORK = "exq-test"
GROUP = "nogroup"  # of the ordinary user of the tests: it may use the socket
START_SECONDS = 60
CLONE_NEWNET = 0x40000000
BOUND = ["/usr", "/etc/alternatives", "/etc/ssl/certs"]  # what /usr leads to, too
LINKS = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}
DIRECTORIES = {"usr": 0o755, "etc": 0o755, "dev": 0o755, "proc": 0o555, "sys": 0o555, "run": 0o755, "var": 0o755,
               "var/tmp": 0o1777, "tmp": 0o1777}
FILES = {"etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
         "etc/group": "root:x:0:\nnogroup:x:65534:\n",
         "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n"}

_engine = []


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("engine", timeout=60)
        self.path = path

    def connect(self):
        """Instead of a TCP connection."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.path)


def skeleton(links=None, files=None):
    """An archive of the image; links and files are added."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, mode in DIRECTORIES.items():
            info = tarfile.TarInfo(name)
            info.type, info.mode = tarfile.DIRTYPE, mode
            tar.addfile(info)
        for name, target in {**LINKS, **(links or {})}.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            tar.addfile(info)
        for name, text in {**FILES, **(files or {})}.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text), 0o644
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


class Engine:
    """One dockerd below a process that takes its orphans."""

    def __init__(self):
        if os.getuid() != 0:
            skip("an engine is started by root alone")
        if not shutil.which("dockerd", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"):
            skip("dockerd is not installed")
        self.dir = tempfile.mkdtemp(prefix="exq-engine-")
        os.chmod(self.dir, 0o755)
        self.socket = os.path.join(self.dir, "engine.sock")
        self.keeper = subprocess.Popen([sys.executable, __file__, self.dir, self.socket], start_new_session=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        exq_proc.own(self.keeper.pid)
        atexit.register(self.close)
        exq_proc.wait_for(self.answers, START_SECONDS, what=self.log)
        exq_proc.keep(proc.pid for proc in [exq_proc.Proc(self.keeper.pid), *exq_proc.descendants(self.keeper.pid)])
        self.load(IMAGE, skeleton())
        self.ask("POST", "/networks/create", json.dumps({"Name": NETWORK, "Driver": "bridge"}))

    def log(self):
        """The end of what dockerd said."""
        with open(os.path.join(self.dir, "log"), encoding="utf-8", errors="replace") as file:
            return "an engine:\n" + file.read()[-2000:]

    def answers(self):
        """Whether it answers."""
        if self.keeper.poll() is not None:
            raise exq_proc.Failure(self.log())
        try:
            return self.ask("GET", "/_ping") == b"OK"
        except (OSError, http.client.HTTPException):
            return False

    def ask(self, method, path, body=None, kind="application/json"):
        """The bytes of an answer; fails when it says no."""
        connection = Connection(self.socket)
        try:
            connection.request(method, path, body, {"Content-Type": kind} if body is not None else {})
            answer = connection.getresponse()
            data = answer.read()
            if answer.status >= 300:
                raise exq_proc.Failure(f"{method} {path}: {answer.status} {data.decode('utf-8', 'replace')}")
            return data
        finally:
            connection.close()

    def load(self, name, archive, changes=""):
        """Makes an image; changes: as of `docker import --change`, quoted for a query."""
        self.ask("POST", f"/images/create?fromSrc=-&repo={name.partition(':')[0]}&tag={name.partition(':')[2]}{changes}",
                 archive, "application/x-tar")

    def load_for(self, name, architecture):
        """An image that says that it is for another machine."""
        layer = skeleton()
        digest = hashlib.sha256(layer).hexdigest()
        config = json.dumps({"architecture": architecture, "os": "linux", "config": {},
                             "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]}})
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            manifest = json.dumps([{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}])
            for path, data in (("config.json", config.encode()), ("layer.tar", layer), ("manifest.json", manifest.encode())):
                info = tarfile.TarInfo(path)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        self.ask("POST", "/images/load", out.getvalue(), "application/x-tar")

    def within(self, ws=None):
        """What runs a program in the network namespace of the engine, as the user of a workspace."""
        become = ["setpriv", f"--reuid={ws.uid}", f"--regid={ws.gid}", "--clear-groups"] if ws and ws.uid != os.getuid() else []
        return ["nsenter", f"--net=/proc/{self.keeper.pid}/ns/net", *become]

    def containers(self, directory):
        """Those of the sessions recorded below the directory, or of no session, whatever their state."""
        rows = json.loads(self.ask("GET", "/containers/json?all=1"))
        return [row for row in rows if row["Labels"]["exequatur.session"].startswith(directory) or not row["Labels"]["exequatur.session"]]

    def close(self):
        """Ends it and takes its directory away."""
        self.keeper.stdin.close()
        self.keeper.wait(60)
        for path in glob.glob(f"/sys/fs/cgroup/*/{os.path.basename(self.dir)}") + glob.glob(f"/sys/fs/cgroup/{os.path.basename(self.dir)}"):
            os.rmdir(path)
        shutil.rmtree(self.dir, ignore_errors=True)


def keep(process):
    """A process that lives as long as the script: ended with it, and not taken for one that a point left."""
    exq_proc.own(process.pid)
    exq_proc.keep([process.pid])
    atexit.register(lambda: (process.kill(), process.wait()))


def engine():
    """The engine of this script."""
    if not _engine:
        _engine.append(Engine())
    return _engine[0]


def sections(wanted):
    """The sections, with what the configuration needs for the image."""
    merged = {name: dict(keys) for name, keys in wanted.items()}
    merged["security.sandbox.docker"] = {"image": IMAGE, "network": NETWORK, **merged.get("security.sandbox.docker", {})}
    paths = merged.setdefault("security.sandbox.bubblewrap", {})
    paths["readonly_paths"] = [*BOUND, *paths.get("readonly_paths", [])]
    return merged


def serve(directory, path):
    """The keeper: starts dockerd, and ends it when its own input ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(exq_proc.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # The bridges of its networks would stay in the machine's: they end with this namespace.
    if libc.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "a network namespace for the engine")
    with open(os.path.join(directory, "daemon.json"), "w", encoding="ascii") as file:
        file.write("{}")
    with open(os.path.join(directory, "log"), "wb") as log:
        daemon = subprocess.Popen(
            ["dockerd", "--config-file", f"{directory}/daemon.json", "-H", f"unix://{path}", "--group", GROUP,
             f"--cgroup-parent=/{os.path.basename(directory)}",
             "--data-root", f"{directory}/data", "--exec-root", f"{directory}/exec", "--pidfile", f"{directory}/pid",
             "--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false",
             "--storage-driver=vfs"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            # containerd leaves there what it was at when it was ended
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": directory})
    sys.stdin.buffer.read()
    daemon.send_signal(signal.SIGTERM)
    try:
        daemon.wait(30)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


if __name__ == "__main__":
    serve(*sys.argv[1:])
