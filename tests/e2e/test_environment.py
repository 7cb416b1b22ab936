"""The environment of a command: nine names at most, wherever the rest came from. Ids are handed-out cases."""

import os

import exq

NAMES = {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "SHELL", "TERM", "TMPDIR", "USER"}
SECRETS = {"OPENAI_API_KEY": "zzSECRETzz", "LD_PRELOAD": "/nonexistent.so", "NODE_OPTIONS": "--inspect", "PYTHONPATH": "/zzSECRETzz",
           "DATABASE_URL": "postgres://zzSECRETzz", "SSH_AUTH_SOCK": "/zzSECRETzz", "BASH_ENV": "/zzSECRETzz",
           "BASH_FUNC_ls%%": "() { echo zzSECRETzz; }", "GIT_SSH_COMMAND": "zzSECRETzz", "LC_ALL": "C.UTF-8", "TMPDIR": "/tmp"}
NO_SANDBOX = {"EXEQUATUR_ALLOW_UNSANDBOXED": "1"}


def space(backend, user=None, env=None):
    """A workspace for a backend, `none` with its switch."""
    return exq.Workspace(backend=backend, user=user, env={**(env or {}), **(NO_SANDBOX if backend == "none" else {})})


@exq.test("a command gets at most the nine names (H075, H076)", backend=[*exq.EVERY, "none"], user=exq.USERS)
def nine(backend, user):
    ws = space(backend, user, {key: value for key, value in SECRETS.items() if key != "LD_PRELOAD"})
    ws.env["LD_PRELOAD"] = ""
    answer = ws.call("tr '\\0' '\\n' < /proc/$$/environ | cut -d= -f1 | sort")
    names = set(answer["output"].split())
    exq.check(names and names <= NAMES, f"{sorted(names - NAMES)} in {answer}")
    exq.check({"PATH", "HOME", "LANG", "USER"} <= names, names)


@exq.test("no process that a command can see holds a secret of the console (H077)", backend=exq.EVERY, user=exq.USERS)
def parents(backend, user):
    ws = space(backend, user, {"API_KEY": "zzSECRETzz"})
    answer = ws.call("cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; echo end")
    exq.has(answer["output"], "PATH=")
    exq.has(answer["output"], "end\n")
    exq.check("zzSECRETzz" not in answer["output"], answer["output"])


@exq.test("without a sandbox the card's warning is kept: the parent's environment is closed or the run is marked (H077)")
def parent_none():
    ws = space("none", env={"API_KEY": "zzSECRETzz"})
    answer = ws.call("tr '\\0' '\\n' < /proc/$PPID/environ; echo end")
    exq.has(answer["output"], "end\n")
    exq.check("zzSECRETzz" not in answer["output"], answer["output"])
    exq.has(answer["notes"], "unsandboxed")


@exq.test("a secret value is nowhere in the record, its name may be")
def record():
    ws = space(None, env=SECRETS | {"LD_PRELOAD": None})
    exq.equal(ws.call("true")["success"], True)
    for path in ws.records():
        with open(path, encoding="ascii") as file:
            exq.check("zzSECRETzz" not in file.read(), path)


@exq.test("LD_PRELOAD does not reach the command", backend=[*exq.EVERY, "none"])
def preload(backend):
    answer = space(backend, env={"LD_PRELOAD": "/nonexistent/x.so"}).call("true; echo end")
    exq.equal(answer["output"], "end\n")


@exq.test("PATH loses relative, empty and writable entries")
def path():
    ws = exq.Workspace()
    ws.mkdir("bin")
    ws.env["PATH"] = f"bin::.:{ws.path('bin')}:/usr/bin:/bin"
    exq.equal(ws.call("echo $PATH")["output"], "/usr/bin:/bin\n")


@exq.test("a HOME that is relative, `/` or absent becomes /tmp: {home}", home=["home", "/", None])
def home_tmp(home):
    ws = exq.Workspace(env={"XDG_STATE_HOME": None})
    ws.env["XDG_STATE_HOME"] = ws.state
    ws.env.pop("HOME")
    if home:
        ws.env["HOME"] = home
    exq.equal(ws.call("echo $HOME")["output"], "/tmp\n")


@exq.test("HOME keeps its value and is empty but for what is private", backend=exq.EVERY)
def home(backend):
    ws = exq.Workspace(backend=backend)
    ws.write(f"{ws.home}/.profile", "touch ran\n")
    answer = ws.call("echo $HOME; ls -A $HOME; touch $HOME/x; echo rc=$?; touch $HOME/.cache/y && echo cache")
    exq.has(answer["output"], ws.home + "\n")
    exq.check(".profile" not in answer["output"], answer["output"])
    # firejail: the whole of it is private there, below a private /tmp
    exq.has(answer["output"], "rc=0\n" if backend == "firejail" else "rc=1\n")
    exq.check(not os.path.exists(f"{ws.home}/x"), "the real home was written")
    exq.has(answer["output"], "cache\n")


@exq.test("odd bytes in a value reach the command as they are, or it is dropped; the card's text is escaped (H078)")
def odd():
    ws = exq.Workspace(shell="supervised", env={"LANG": "C\x1b]0;x\x07.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "xterm"})
    term = exq.Tmux(ws, rows=60)
    term.start(requests=[{"id": 1, "name": "shell", "arguments": {"command": "printf '%s' \"$LANG\" | od -c | head -3"}}])
    term.wait("#1")
    term.open()
    term.arm()
    term.keys("v")
    term.wait("LANG=C<ESC>]0;x<BEL>.UTF-8")
    exq.check(b"\x1b]0;x" not in term.wire(), "a title sequence reached the terminal")
    term.approve()
    exq.check(term.answers(1)[0]["success"], "the call failed")
    term.close_input()
    term.wait_status()


exq.main()
