"""The configuration as a user meets it: read whole and strictly, or refused at start. Ids such as H119 are handed-out cases."""

import os

import exq
from exq_space import source_dir

SAMPLES = ["bubblewrap-paths.toml", "firejail.toml", "multiline.toml", "sandbox-flat.toml", "sandbox-nested.toml"]
DASHES = "-" * 197

# name, text, what the message must hold
REFUSED = [
    ("a misspelt key, with the nearest one (H119)", "[security.sandbox.bubblewrap]\nalow_network = false\n",
     [":2", "alow_network", "allow_network"]),
    ("a misspelt section, with the nearest one", "[security.sanbox]\nbackend = \"none\"\n", [":1", "security.sandbox"]),
    ("text behind a section header (H123)", "[security.sandbox] backend = \"none\"\n", [":1"]),
    ("a number in words (H125)", "[security.resources]\nmax_memory_mb = \"abc\"\n", [":2", "max_memory_mb"]),
    ("a bare word (H125)", "[security.resources]\nmax_memory_mb = abc\n", [":2"]),
    ("a duplicate key", "[exequatur]\nmax_running = 1\nmax_running = 2\n", [":3", "max_running"]),
    ("an unknown backend", "[security.sandbox]\nbackend = \"chroot\"\n", [":2", "chroot"]),
    ("a backend in capitals", "[security.sandbox]\nbackend = \"NONE\"\n", [":2"]),
    ("an unknown policy", "[security.tool_policy.tools]\nshell = \"yes\"\n", [":2"]),
    ("an approval that a deadline gives", "[security.approval]\non_timeout = \"allow\"\n", [":2"]),
    ("a run without a record", "[security.audit]\nenabled = false\n", [":2"]),
    ("a sandbox that is asked for and not named (H072)", "[security.sandbox]\nenabled = true\nbackend = \"none\"\n", ["none"]),
    ("no sandbox and a named one", "[security.sandbox]\nenabled = false\nbackend = \"landlock\"\n", ["landlock"]),
    ("an over-long line", "[exequatur]\nworkspace = \"/" + "x" * 70000 + "\"\n", [":2"]),
    ("a line that is no key", "[exequatur]\nworkspace\n", [":2"]),
    ("an open string", "[exequatur]\nworkspace = \"/srv\n", [":2"]),
    ("an open array", "[security.sandbox.bubblewrap]\nwritable_paths = [\"/srv\",\n", [""]),
    ("a key outside every section", "backend = \"none\"\n", [":1"]),
]


@exq.test("refused at start with file and line, and nothing runs: {name}", name=[row[0] for row in REFUSED])
def refused(name):
    text, words = next((row[1], row[2]) for row in REFUSED if row[0] == name)
    ws = exq.Workspace()
    ws.write_config(text + "\n[security.tool_policy.tools]\nshell = \"allow\"\n" if "shell" not in text else text)
    done = ws.exequatur("--headless", "-c", ws.config_path, stdin=b'{"name":"shell","arguments":{"command":"touch ran"}}\n')
    exq.equal((done.returncode, done.stdout), (2, b""), done.stderr.decode())
    for word in ["config.toml", *words]:
        exq.has(done.stderr.decode(), word)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


@exq.test("a configuration that is named and does not exist is refused (H120)")
def missing():
    ws = exq.Workspace()
    done = ws.exequatur("--headless", "--config", "/nonexistent", stdin=b"")
    exq.equal(done.returncode, 2)
    exq.has(done.stderr.decode(), "/nonexistent")


@exq.test("a configuration with mode {mode:o} is refused with the reason (H124)", mode=[0o666, 0o620, 0o602])
def modes(mode):
    ws = exq.Workspace()
    ws.write_config("[security.sandbox]\nbackend = \"auto\"\n", mode)
    done = ws.exequatur("--headless", stdin=b"")
    exq.equal(done.returncode, 2)
    exq.has(done.stderr.decode(), "config.toml")
    exq.matches(done.stderr.decode(), r"writ|mode")


@exq.test("a configuration of another user is refused, one of root is not")
def owner():
    ws = exq.Workspace(user="ordinary")
    if ws.uid == os.getuid():
        exq.skip("needs root")
    os.chown(ws.config_path, 0, 0)
    os.chmod(ws.config_path, 0o644)
    exq.equal(ws.exequatur("--headless", stdin=b"").returncode, 0)
    os.chown(ws.config_path, 1, 1)
    exq.equal(ws.exequatur("--headless", stdin=b"").returncode, 2)


def value(ws, key):
    """The line of a key in what `exequatur config` prints."""
    done = ws.exequatur("config")
    exq.equal(done.returncode, 0, done.stderr.decode())
    lines = [line for line in done.stdout.decode().split("\n") if line.lstrip("# ").startswith(f"{key} =")]
    exq.check(len(lines) == 1, f"{key}: {lines} in\n{done.stdout.decode()}")
    return lines[0]


@exq.test("a long comment cannot set a key (H122)")
def long_comment():
    ws = exq.Workspace()
    ws.write_config(f"[security.sandbox]\nbackend = \"bubblewrap\"\n# {DASHES}backend = \"none\"\n")
    exq.has(value(ws, "backend"), '"bubblewrap"')


@exq.test("a tilde means the home directory, and no directory of that name appears (H121)")
def tilde():
    ws = exq.Workspace()
    os.mkdir(os.path.join(ws.home, "shed"))
    ws.configure({"security.sandbox.bubblewrap": {"writable_paths": ["~/shed"]}})
    exq.has(value(ws, "writable_paths"), f"{ws.home}/shed")
    exq.equal(ws.call(f"echo x > {ws.home}/shed/file; echo rc=$?")["output"], "rc=0\n")
    exq.check(os.path.exists(os.path.join(ws.home, "shed/file")), "not written")
    exq.check(not os.path.exists(ws.path("~")), "a directory named ~")


@exq.test("the sample {name} loads as it is", name=SAMPLES)
def samples(name):
    ws = exq.Workspace()
    with open(os.path.join(source_dir(), "tests/data/samples", name), encoding="utf-8") as file:
        ws.write_config(file.read())
    done = ws.exequatur("config")
    exq.equal(done.returncode, 0, done.stderr.decode())
    exq.has(done.stdout.decode(), f"{ws.config_path}:")


@exq.test("an array over several lines keeps semicolons, blanks and long values")
def arrays():
    ws = exq.Workspace()
    with open(os.path.join(source_dir(), "tests/data/samples/multiline.toml"), encoding="utf-8") as file:
        ws.write_config(file.read())
    line = value(ws, "writable_paths")
    exq.has(line, "/srv/projects/a directory; with a semicolon")
    exq.has(line, "a-path-long-enough-that-the-whole-array-on-one-line-would-not-fit-into-a-buffer-of-two-hundred-bytes")


@exq.test("every value is printed with its origin: the file and line, an option, the default")
def origins():
    ws = exq.Workspace()
    ws.write_config("[security.resources]\nmax_open_files = 99\n")
    exq.has(value(ws, "max_open_files"), f"{ws.config_path}:2")
    exq.has(value(ws, "max_running"), "default")
    done = ws.exequatur("config", "-b", "bubblewrap")
    exq.matches(done.stdout.decode(), r"^\s*backend = \"bubblewrap\".*-b")


@exq.test("every key has its effect; those of seals and anchors are printed with their defaults")
def effect():
    ws = exq.Workspace()
    exq.check(b"no effect yet" not in ws.exequatur("config").stdout, "a key without effect")
    for key, line in (("sign_events", "false"), ("seal_every", "500"), ("anchor", '"off"'), ("anchor_command", "[]"), ("anchor_every", "500")):
        exq.has(value(ws, key), f"{key} = {line}")
    ws.configure({"security.audit": {"anchor_command": ["logger"]}})
    done = ws.exequatur("config")
    exq.equal(done.returncode, 2)
    exq.has(done.stderr.decode(), 'anchor_command: the program must be an absolute path, not "logger"')


@exq.test("what `config` prints loads back and prints the same values")
def round_trip():
    ws = exq.Workspace(sections={"exequatur": {"max_running": 2}, "security.sandbox.bubblewrap": {"readonly_paths": ["/opt"]}})

    def values():
        text = ws.exequatur("config").stdout.decode()
        return text, [line.split("#")[0].rstrip() for line in text.split("\n") if line[:1] not in ("#", "")]

    text, first = values()
    ws.write_config(text)
    exq.equal(values()[1], first)


@exq.test("policy {policy} holds", policy=["deny", "supervised", "allow", "absent"])
def policies(policy):
    want = {"deny": "denied_by_policy", "supervised": "approval_unavailable", "absent": "approval_unavailable", "allow": None}
    ws = exq.Workspace(shell=policy)
    if policy == "absent":
        ws.write_config("[security.tool_policy]\ndefault = \"allow\"\n")
    answer = ws.call("touch ran")
    exq.equal(answer["reason"], want[policy])
    exq.equal(os.path.exists(ws.path("ran")), policy == "allow")


exq.main()
