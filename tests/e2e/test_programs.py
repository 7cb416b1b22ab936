"""The three programs as they were built: what they need, how they are hardened, what they say about themselves."""

import os
import re
import subprocess

import exq
from exq_space import PROGRAMS, build_dir, source_dir

HELPERS = PROGRAMS[1:]


def readelf(option, program):
    """What readelf prints about one of the programs."""
    tool = exq.need_program("readelf")
    path = os.path.join(build_dir(), program)
    return subprocess.run([tool, "-W", option, path], capture_output=True, text=True, check=True).stdout


@exq.test("the console needs no shared library but the C library and cJSON")
def libraries():
    needed = re.findall(r"Shared library: \[([^\]]+)\]", readelf("-d", "exequatur"))
    extra = [name for name in needed if not re.match(r"(?:libc|libm|libcjson|ld-linux[\w-]*)\.so", name)]
    exq.equal(extra, [], "libraries")


@exq.test("{program} needs no library and no loader", program=HELPERS)
def static(program):
    exq.check("INTERP" not in readelf("-l", program), "it has an interpreter")
    exq.check("NEEDED" not in readelf("-d", program), "it needs a library")


@exq.test("{program} has no executable stack and no place that is writable and executable", program=PROGRAMS)
def segments(program):
    headers = readelf("-l", program)
    exq.matches(headers, r"GNU_STACK.* RW ")
    exq.check(not re.search(r"LOAD.*\bRWE\b", headers), headers)
    exq.matches(headers, r"GNU_RELRO")


@exq.test("the console binds every symbol at its start and may be loaded anywhere")
def hardened():
    exq.matches(readelf("-d", "exequatur"), r"BIND_NOW|FLAGS.*NOW")
    exq.matches(readelf("-h", "exequatur"), r"Type:\s+DYN")


@exq.test("--version names the version of the build")
def version():
    with open(os.path.join(source_dir(), "configure.ac"), encoding="utf-8") as file:
        number = re.search(r"AC_INIT\(\[exequatur\], \[([^\]]+)\]", file.read()).group(1)
    for option in ("--version", "-V"):
        done = exq.Workspace().exequatur(option)
        exq.equal((done.returncode, done.stdout.decode(), done.stderr), (0, f"exequatur {number}\n", b""))


@exq.test("--help goes to standard output and names every command")
def help_text():
    for option in ("--help", "-h"):
        done = exq.Workspace().exequatur(option)
        exq.equal((done.returncode, done.stderr), (0, b""))
        for word in ("run", "plan", "doctor", "config", "audit", "--headless", "--config", "--workspace", "--backend"):
            exq.has(done.stdout.decode(), word)


@exq.test("a mistake in the arguments ends with 2, says why on standard error, and runs nothing: {arguments}",
          arguments=["--nosuch", "-b nosuch --headless", "run", "run --timeout 0 true", "run --timeout x true",
                     "run --nosuch true", "plan", "audit", "audit nosuch", "nosuch", "config nosuch",
                     "-c /nonexistent/config.toml --headless"])
def mistakes(arguments):
    ws = exq.Workspace()
    done = ws.exequatur(*arguments.split(), stdin=b'{"name":"shell","arguments":{"command":"touch ran"}}\n')
    exq.equal((done.returncode, done.stdout), (2, b""), done.stderr.decode())
    exq.check(len(done.stderr) > 10, "nothing is said")
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


exq.main()
