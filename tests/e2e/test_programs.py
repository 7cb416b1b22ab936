"""The four programs as they were built: what they need, how they are hardened, what they say about themselves."""

import os
import re
import shutil
import subprocess

import exq
from exq_space import PROGRAMS, build_dir, source_dir

CONSOLE = "exequatur-console"
STATIC = [name for name in PROGRAMS if name != CONSOLE]


def readelf(option, program):
    """What readelf prints about one of the programs."""
    tool = exq.need_program("readelf")
    path = os.path.join(build_dir(), program)
    return subprocess.run([tool, "-W", option, path], capture_output=True, text=True, check=True).stdout


@exq.test("the console needs no shared library but the C library and cJSON")
def libraries():
    needed = re.findall(r"Shared library: \[([^\]]+)\]", readelf("-d", CONSOLE))
    extra = [name for name in needed if not re.match(r"(?:libc|libm|libcjson|ld-linux[\w-]*)\.so", name)]
    exq.equal(extra, [], "libraries")


@exq.test("{program} needs no library and no loader", program=STATIC)
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
    exq.matches(readelf("-d", CONSOLE), r"BIND_NOW|FLAGS.*NOW")
    exq.matches(readelf("-h", CONSOLE), r"Type:\s+DYN")


@exq.test("what only the program itself may say to the console is refused from a person ({words})",
          words=["--early=", "--early=1,2,3,4,5,6,7 run true", "run --early= true"])
def early_is_ours(words):
    ws = exq.Workspace()
    done = ws.exequatur(*words.split())
    exq.equal((done.returncode, done.stdout), (2, b""), done)
    exq.has(done.stderr.decode(), "--early")
    exq.equal(exq.descendants(os.getpid()), [], "left")


@exq.test("a call that cannot be made leaves nothing of what was started for it ({words})",
          words=["run", "run --no-such-option true", "run -C /nonexistent true", "run -b nosuch true"])
def nothing_left(words):
    ws = exq.Workspace()
    done = ws.exequatur(*words.split())
    exq.equal((done.returncode, done.stdout), (2, b""), done)
    exq.equal(exq.descendants(os.getpid()), [], "left")


@exq.test("a backend that needs no launcher of that kind runs all the same, and nothing is left ({backend})",
          backend=exq.BACKENDS)
def other_backends(backend):
    ws = exq.Workspace(backend=backend)
    done = ws.exequatur("run", "echo", "it", "ran")
    exq.equal((done.returncode, done.stdout.decode()), (0, "it ran\n"), done.stderr)
    exq.equal(exq.descendants(os.getpid()), [], "left")


@exq.test("the directory of the program that was called is not writable for commands, wherever its console lies")
def called_directory():
    ws = exq.Workspace()
    place = ws.mkdir(f"{ws.outside}/bin")
    process = ws.popen([f"{place}/exequatur", "run", "-C", place, "true"], executable=ws.program(CONSOLE), stdin=-1, stdout=-1, stderr=-1)
    out, err = process.communicate(timeout=60)
    exq.equal((process.returncode, out), (2, b""), err.decode())
    exq.has(err.decode(), "may not be writable")


@exq.test("without its console the program says what is missing and runs nothing")
def no_console():
    ws = exq.Workspace()
    place = ws.mkdir(f"{ws.outside}/bin")
    for name in STATIC:
        shutil.copy(ws.program(name), place)
    process = ws.popen([f"{place}/exequatur", "run", "touch ran"], stdin=-1, stdout=-1, stderr=-1)
    out, err = process.communicate(timeout=60)
    exq.equal((process.returncode, out), (125, b""), err)
    exq.has(err.decode(), CONSOLE)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    exq.equal(exq.descendants(os.getpid()), [], "left")


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
