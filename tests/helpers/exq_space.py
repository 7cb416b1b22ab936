"""A scratch workspace: directories, configuration, environment and user of one run of the product, and its commands."""

import json
import os
import pwd
import select
import shutil
import signal
import stat
import subprocess
import tempfile
import time

import exq_card
import exq_docker
from exq_proc import Failure, Skip, own, skip, wait_for  # noqa: F401  (for the scripts)
from exq_users import name_user

USERS = ["root", "ordinary"] if os.getuid() == 0 else ["ordinary"]
PROGRAMS = ["exequatur", "exequatur-console", "exequatur-supervisor", "exequatur-launcher"]
LACKS = os.environ.get("EXQ_LACKS", "").split()  # backends that cannot be used where this runs
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_open = []


def equal(got, want, what="value"):
    """Fails the point unless both are equal."""
    if got != want:
        raise Failure(f"{what}: got {got!r}, want {want!r}")


def has(text, part):
    """Fails the point unless the part is in the text."""
    if part not in text:
        raise Failure(f"{part!r} is not in:\n{text}")


def build_dir():
    """The directory with the three programs."""
    return os.path.realpath(os.environ.get("EXQ_BUILD", os.getcwd()))


def source_dir():
    """The top of the source tree."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.environ.get("EXQ_SOURCE", os.path.dirname(os.path.dirname(here)))


def close_all():
    """Removes every workspace of the point; what it could not leave clean is returned as text."""
    problems = []
    while _open:
        problem = _open.pop().close()
        if problem:
            problems.append(problem)
    return "\n".join(problems)


def toml(value):
    """A value as the configuration reader takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    return json.dumps(str(value))


class Answers(list):
    """The answers of a headless run, with how it ended."""

    status = None
    stderr = ""
    raw = b""

    def by_id(self, wanted):
        """The answer with this id."""
        for answer in self:
            if answer["id"] == wanted:
                return answer
        raise Failure(f"no answer with id {wanted!r} in {list(self)!r}\nstderr: {self.stderr}")


class Workspace:
    """One temporary directory: work (the workspace), home, outside (writable by the user, on no list), config, state
    (the record), run, bin (copies of the programs for another user).

    user: "root" or "ordinary" (nobody when the test is root, else whoever runs it); None: whoever runs it.
    shell: the policy; backend: a name or None for auto; sections: {"exequatur": {"max_running": 1}} and so on.
    env: added to the clean environment, a value None takes a name out."""

    def __init__(self, user=None, shell="allow", backend=None, sections=None, env=None):
        if user == "root" and os.getuid() != 0:
            skip("needs root")
        if backend in LACKS:
            skip(f"{backend} cannot be used here")
        self.uid = 65534 if user == "ordinary" and os.getuid() == 0 else os.getuid()
        self.gid = pwd.getpwuid(self.uid).pw_gid
        self.dir = os.path.realpath(tempfile.mkdtemp(prefix="exq-"))
        os.chmod(self.dir, 0o755)
        self.sessions = []
        _open.append(self)
        for name in ("work", "home", "outside", "config", "state", "run"):
            path = os.path.join(self.dir, name)
            setattr(self, name, path)
            os.mkdir(path, 0o700 if name in ("state", "run", "config") else 0o755)
            os.chown(path, self.uid, self.gid)
        if backend == "firejail" and self.uid != os.getuid():
            name_user(self.uid, self.home)
        elif backend == "firejail" and self.uid != 0:  # it makes only the home of the password database private
            env = {"HOME": pwd.getpwuid(self.uid).pw_dir, **(env or {})}
        self.config_path = os.path.join(self.config, "exequatur", "config.toml")
        self.mkdir(os.path.dirname(self.config_path), 0o700)
        self.sections = {"security.tool_policy.tools": {"shell": shell}}
        if backend:
            self.sections["security.sandbox"] = {"backend": backend}
        self.engine = exq_docker.engine() if backend == "docker" else None
        self.configure(exq_docker.sections(sections or {}) if self.engine else sections or {})
        self.bin = self._programs()
        self.env = self._environment(env or {})

    def _programs(self):
        """The build directory, or copies that another user can reach."""
        if self.uid == os.getuid():
            return build_dir()
        copies = os.path.join(self.dir, "bin")
        os.mkdir(copies, 0o755)
        for name in PROGRAMS:
            shutil.copy(os.path.join(build_dir(), name), copies)
            os.chmod(os.path.join(copies, name), 0o755)
        return copies

    def _environment(self, extra):
        env = {
            "PATH": PATH, "HOME": self.home, "USER": pwd.getpwuid(self.uid).pw_name, "SHELL": "/bin/sh",
            "LANG": "C.UTF-8", "TERM": "xterm-256color", "XDG_CONFIG_HOME": self.config,
            "XDG_STATE_HOME": self.state, "XDG_RUNTIME_DIR": self.run,
        }
        if self.engine:
            env["DOCKER_HOST"] = f"unix://{self.engine.socket}"
        env.update({k: os.environ[k] for k in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if k in os.environ})
        env.update(extra)
        return {key: value for key, value in env.items() if value is not None}

    def configure(self, sections):
        """Merges the sections into the configuration and writes it."""
        for section, keys in sections.items():
            self.sections.setdefault(section, {}).update(keys)
        lines = []
        for section, keys in self.sections.items():
            lines.append(f"[{section}]")
            lines += [f"{key} = {toml(value)}" for key, value in keys.items()]
        self.write_config("\n".join(lines) + "\n")

    def write_config(self, text, mode=0o600):
        """Writes the configuration file as it is."""
        data = text if isinstance(text, bytes) else text.encode()
        with open(self.config_path, "wb") as file:
            file.write(data)
        os.chmod(self.config_path, mode)
        os.chown(self.config_path, self.uid, self.gid)

    def path(self, *names):
        """A path below the workspace."""
        return os.path.join(self.work, *names)

    def write(self, name, text="", mode=0o644):
        """A file below the workspace (or at an absolute path), owned by the user. Gives its path."""
        path = os.path.join(self.work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)
        os.chown(path, self.uid, self.gid)
        return path

    def mkdir(self, name, mode=0o755):
        """A directory below the workspace (or at an absolute path), owned by the user. Gives its path."""
        path = os.path.join(self.work, name)
        os.makedirs(path, exist_ok=True)
        os.chmod(path, mode)
        os.chown(path, self.uid, self.gid)
        return path

    def program(self, name="exequatur"):
        """The path of one of the three programs."""
        return os.path.join(self.bin, name)

    def user_arguments(self):
        """What subprocess needs to become the user of this workspace."""
        if self.uid == os.getuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def popen(self, argv, **options):
        """A process of the user, in the workspace, with the clean environment and a session of its own."""
        settings = {"cwd": self.work, "env": self.env, "start_new_session": True,
                    "stdin": subprocess.DEVNULL, **self.user_arguments(), **options}
        process = subprocess.Popen(argv, **settings)
        own(process.pid)
        self.sessions.append(process)
        return process

    def exequatur(self, *arguments, stdin=b"", seconds=60, **options):
        """Runs the product to its end: CompletedProcess with bytes in stdout and stderr."""
        options.setdefault("stdin", subprocess.PIPE)
        process = self.popen([self.program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        data = stdin if options["stdin"] == subprocess.PIPE else None
        try:
            out, err = process.communicate(data, timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failure(f"exequatur {' '.join(arguments)}: still there after {seconds} s") from None
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def headless(self, lines, *arguments, seconds=60):
        """Sends the lines (objects, text or bytes) to `exequatur --headless`, closes, and gives Answers."""
        done = self.exequatur("--headless", *arguments, stdin=encode(lines), seconds=seconds)
        answers = Answers(json.loads(line) for line in done.stdout.decode().splitlines())
        answers.status, answers.stderr, answers.raw = done.returncode, done.stderr.decode("utf-8", "replace"), done.stdout
        return answers

    def call(self, command, seconds=60, options=(), **arguments):
        """One call through --headless; gives its answer."""
        answers = self.headless([request(command, **arguments)], *options, seconds=seconds)
        if len(answers) != 1:
            raise Failure(f"{len(answers)} answers, status {answers.status}, stderr: {answers.stderr}")
        return answers[0]

    def start(self, *arguments, **options):
        """A headless product that is spoken to line by line."""
        return Session(self, ["--headless", *arguments], **options)

    def records(self):
        """The session files of the record, oldest first."""
        base = os.path.join(self.state, "exequatur", "audit")
        names = sorted(os.listdir(base)) if os.path.isdir(base) else []
        return [os.path.join(base, name) for name in names if name.endswith(".jsonl")]

    def events(self, kind=None):
        """The events of all session files, or those of one type."""
        found = []
        for path in self.records():
            with open(path, encoding="ascii") as file:
                found += exq_card.make_whole([json.loads(line) for line in file if line.endswith("\n")])
        return [event for event in found if kind in (None, event["type"])]

    def close(self):
        """Ends what still runs and removes the directory; gives what was wrong, or None."""
        for session in self.sessions:
            session.close() if hasattr(session, "close") else end(session)
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            mounts = [line.split()[4] for line in file if self.dir in line]
        for root, dirs, _files in os.walk(self.dir):
            for name in dirs:
                path = os.path.join(root, name)
                if not os.path.islink(path) and not os.stat(path).st_mode & stat.S_IWUSR:
                    os.chmod(path, 0o700)
        shutil.rmtree(self.dir, ignore_errors=True)
        if mounts or os.path.exists(self.dir):
            return f"left behind: {self.dir} {mounts}"
        return None


def end(process):
    """Ends a process that the test started and waits for it."""
    if process.poll() is None:
        process.send_signal(signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream and not stream.closed:
            try:
                stream.close()
            except OSError:
                pass


def request(command, id=None, **arguments):
    """A request object; agent and reason go to the top, the rest into its arguments."""
    top = {key: arguments.pop(key) for key in ("agent", "reason", "name") if key in arguments}
    line = {"name": "shell", **top, "arguments": {"command": command, **arguments}}
    return line if id is None else {"id": id, **line}


def encode(lines):
    """Lines of bytes out of objects, text and bytes; bytes go as they are."""
    parts = []
    for line in lines:
        if isinstance(line, bytes):
            parts.append(line)
        elif isinstance(line, str):
            parts.append(line.encode() + b"\n")
        else:
            parts.append(json.dumps(line).encode() + b"\n")
    return b"".join(parts)


class Session:
    """A product that runs while the test sends requests and reads answers."""

    def __init__(self, ws, arguments, **options):
        self.ws = ws
        self.errors = os.path.join(ws.dir, f"stderr-{len(ws.sessions)}")
        with open(self.errors, "wb") as stderr:
            self.process = ws.popen([ws.program(), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=stderr, **options)
        self.pid = self.process.pid
        self.buffer = b""

    def send(self, *lines):
        """Sends requests (objects, text or bytes)."""
        self.process.stdin.write(encode(lines))
        self.process.stdin.flush()

    def call(self, command, seconds=60, **arguments):
        """Sends one call and gives the next answer."""
        self.send(request(command, **arguments))
        return self.answer(seconds)

    def answer(self, seconds=60):
        """The next answer; fails at the end of the stream or after the watchdog."""
        end_at = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end_at - time.monotonic()))
            if not ready:
                raise Failure(f"no answer after {seconds} s; stderr: {self.stderr()}")
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise Failure(f"answers ended; stderr: {self.stderr()}")
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def stderr(self):
        """What it said on standard error so far."""
        with open(self.errors, encoding="utf-8", errors="replace") as file:
            return file.read()

    def close_input(self):
        """The end of the requests."""
        self.process.stdin.close()

    def wait(self, seconds=60):
        """Its exit status, when it ends by itself."""
        wait_for(lambda: self.process.poll() is not None, seconds, what="the end of the product")
        return self.process.returncode

    def kill(self, number=signal.SIGKILL):
        """Signals the product itself."""
        self.process.send_signal(number)

    def close(self):
        """Ends it."""
        end(self.process)
