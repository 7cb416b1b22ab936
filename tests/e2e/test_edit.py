"""A person edits the command of a card: on the screen, or in an editor of their own. The edited text is a new card."""

import json
import os
import re
import signal

import exq
from exq_space import Workspace
from exq_term import Tmux, numbered as request


def edited_console(command, env=None, **options):
    """A console with one card open, and the variables of the person who started it."""
    ws = Workspace(shell="supervised", **options)
    term = Tmux(ws, env=env)
    term.start(requests=[request(command)])
    term.open()
    return ws, term


def finish(term):
    term.close_input()
    exq.equal(term.wait_status(), 0)


def open_prompt(term):
    """Opens the prompt with the command."""
    term.keys("e")
    term.wait("you are editing the command")


def clear_line(term, command):
    """Takes the whole command out of the prompt."""
    open_prompt(term)
    term.keys(*["BSpace"] * len(command))
    term.wait("command   _ ")


def editor(ws, body, name="editor.py"):
    """An editor that a Python program plays; the program itself may lie anywhere, python3 is what is trusted."""
    path = os.path.join(ws.dir, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(body)
    return f"/usr/bin/python3 {path}"


@exq.test("edited on the screen: a difference, read anew, approved by its own yes, and the agent is told")
def inline():
    command = "echo one; echo two"
    ws, term = edited_console(command)
    term.arm()
    open_prompt(term)
    term.keys("Home", *["Right"] * 9, *["DC"] * len(" echo two"))
    term.wait("command   echo one;_")
    term.literal(" echo ü")
    term.keys("Enter")
    screen = term.wait("edited by you: - was asked for, + would run; the agent is told")
    exq.has(screen, "-   1│echo one; echo two")
    exq.has(screen, "+   1│echo one; echo ü")
    exq.has(screen, "taken out")
    exq.has(screen, "put in")
    exq.check(not ws.events("decided"), "an edit decided something")
    cards = [event["digest"] for event in ws.events("card")]
    term.approve()
    answer = term.answers(1)[0]
    exq.equal((answer["output"], answer["edited_command"], answer["notes"]),
              ("one\nü\n", "echo one; echo ü", ["edited"]))
    edit = ws.events("edited")[0]
    exq.equal((edit["by"], edit["how"], edit["command"], edit["old"]),
              ("operator", "inline", "echo one; echo ü", cards[0]))
    exq.equal([event["command"] for event in ws.events("received")], [command])
    exq.equal([event["digest"] for event in ws.events("decided")], [cards[1]])
    finish(term)


@exq.test("an edit that changes nothing, or leaves nothing, makes no card")
def nothing():
    ws, term = edited_console("echo a")
    open_prompt(term)
    term.keys("Enter")
    term.wait("not edited: the text is the same")
    clear_line(term, "echo a")
    term.keys("Enter")
    term.wait("the command is empty")
    term.keys("Escape")
    term.wait(lambda screen: "edit #1:" not in screen)
    exq.check(not ws.events("edited") and len(ws.events("card")) == 1, "a new card")
    term.reject("no")
    exq.equal(term.answers(1)[0]["notes"], [])
    finish(term)


@exq.test("edited twice, the difference is to what was asked for; edited back, there was no edit")
def twice():
    ws, term = edited_console("echo a")
    for text, shown in (("b", "+   1│echo ab"), ("c", "+   1│echo abc")):
        open_prompt(term)
        term.literal(text)
        term.keys("Enter")
        exq.has(term.wait(shown), "-   1│echo a")
    open_prompt(term)
    term.keys("BSpace", "BSpace", "Enter")
    exq.has(term.wait(lambda screen: "edited by you" not in screen and "edit #1" not in screen), "    1│echo a")
    term.approve()
    answer = term.answers(1)[0]
    exq.equal((answer["output"], answer["notes"], "edited_command" in answer), ("a\n", [], False))
    exq.equal([event["command"] for event in ws.events("edited")], ["echo ab", "echo abc", "echo a"])
    digests = [event["digest"] for event in ws.events("card")]
    exq.equal([event["old"] for event in ws.events("edited")], digests[:3])
    finish(term)


@exq.test("an edited call that is rejected says in its answer that it was edited, and never ran")
def rejected():
    ws, term = edited_console("echo a")
    open_prompt(term)
    term.literal("; printf '\\n'")
    term.keys("Enter")
    term.wait("edited by you")
    term.reject("no")
    answer = term.answers(1)[0]
    exq.equal((answer["notes"], answer["edited_command"]), (["edited"], "echo a; printf '\\n'"))
    exq.check(not ws.events("launching"), "it ran")
    finish(term)


@exq.test("an edit of a call that expired meanwhile is discarded, with a message: {where}", where=["inline", "editor"])
def expired(where):
    sections = {"security.approval": {"timeout_secs": 3}}
    ws = Workspace(shell="supervised", sections=sections)
    gate = os.path.join(ws.dir, "gate")
    os.mkfifo(gate)
    os.chown(gate, ws.uid, ws.gid)
    program = editor(ws, f"import sys\nopen({gate!r}).read()\nopen(sys.argv[1], 'w').write('echo late')\n")
    term = Tmux(ws, env={"EDITOR": program})
    term.start(requests=[request("echo a" if where == "inline" else "echo a\necho b")])
    term.open()
    term.keys("e")
    if where == "inline":
        term.wait("you are editing the command")
        term.literal(" late")
        term.answers(1)
        term.keys("Enter")
        term.wait("Enter did nothing: it expired")
    else:
        term.answers(1)
        with open(gate, "w", encoding="ascii"):
            pass
        term.wait("the edit was discarded: #1 is expired meanwhile")
    exq.equal(term.answers(1)[0]["reason"], "approval_timeout")
    exq.check(not ws.events("edited"), "edited")
    finish(term)


@exq.test("in an editor: more lines, its terminal, a private file, a clean environment, and nothing left")
def in_editor():
    ws = Workspace(shell="supervised")
    runtime = os.path.join(ws.dir, "runtime")
    os.mkdir(runtime, 0o700)
    os.chown(runtime, ws.uid, ws.gid)
    seen = os.path.join(ws.dir, "seen")
    program = editor(ws, f"""
import json, os, stat, sys
path = sys.argv[-1]
fds = [fd for fd in range(64) if os.path.exists(f"/proc/self/fd/{{fd}}")]
with open({seen!r}, "w") as file:
    json.dump({{"argv": sys.argv[1:-1], "env": dict(os.environ), "cwd": os.getcwd(), "path": path,
                "file": stat.S_IMODE(os.stat(path).st_mode), "dir": stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode),
                "tty": [os.isatty(fd) for fd in range(3)], "front": os.tcgetpgrp(0) == os.getpgrp(),
                "fds": fds}}, file)
text = open(path).read()
open(path + "~", "w").write(text)
open(path, "w").write(text.replace("two", "2"))
""")
    env = {"VISUAL": program + " --wait", "EDITOR": "/bin/false", "XDG_RUNTIME_DIR": runtime,
           "MY_TOKEN": "secret", "LC_TIME": "C.UTF-8", "LD_DEBUG_OUTPUT": "x"}
    term = Tmux(ws, env=env)
    term.start(requests=[request("echo one\necho two\n")])
    term.open()
    term.keys("e")
    screen = term.wait("edited by you in")
    exq.has(screen, ", outside the sandbox")
    exq.has(screen, "    1│echo one")
    exq.has(screen, "-   2│echo two")
    exq.has(screen, "+   2│echo 2")
    with open(seen, encoding="utf-8") as file:
        found = json.load(file)
    exq.equal((found["argv"], found["file"], found["dir"], found["tty"], found["front"]),
              (["--wait"], 0o600, 0o700, [True] * 3, True))
    exq.equal(os.path.dirname(found["path"]), found["cwd"])
    exq.check(found["cwd"].startswith(runtime + "/"), found["cwd"])
    exq.equal(sorted(name for name in found["env"] if name not in ("HOME", "LANG", "LC_CTYPE", "LC_ALL")),
              ["LC_TIME", "PATH", "TERM"])
    exq.equal(found["fds"], [0, 1, 2])
    exq.equal(os.listdir(runtime), [])
    term.approve()
    answer = term.answers(1)[0]
    exq.equal((answer["output"], answer["edited_command"]), ("one\n2\n", "echo one\necho 2\n"))
    exq.check(ws.events("edited")[0]["how"].startswith("/usr/bin/python3"), ws.events("edited"))
    finish(term)


BAD = {
    "fails": ("import sys; sys.exit(3)", "ended with exit 3"),
    "leaves nothing": ("import sys; open(sys.argv[1], 'w')", "the command is empty"),
    "leaves no text": (r"import sys; open(sys.argv[1], 'wb').write(b'ls \xff')", "it is not UTF-8"),
    "leaves a NUL": (r"import sys; open(sys.argv[1], 'wb').write(b'ls \0')", "it holds a NUL byte"),
    "leaves too much": ("import sys; open(sys.argv[1], 'w').write('x' * 131073)", "left more than"),
    "leaves a link": ("import os, sys; os.unlink(sys.argv[1]); os.symlink('/etc/passwd', sys.argv[1])", "left no file"),
    "stops itself": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "the text is the same"),
}


@exq.test("an editor that does not do its part changes nothing, and the screen comes back")
def bad_editors():
    ws = Workspace(shell="supervised")
    script = os.path.join(ws.dir, "editor.py")
    term = Tmux(ws, env={"EDITOR": f"/usr/bin/python3 {script}"})
    term.start(requests=[request("echo a\necho b")])
    term.open()
    for body, message in BAD.values():
        with open(script, "w", encoding="utf-8") as file:
            file.write(body)
        term.keys("e")
        exq.has(term.wait("not edited:"), message)
        term.keys("g")
        term.wait(lambda screen: "not edited:" not in screen)
    exq.check(not ws.events("edited"), "edited")
    term.approve()
    exq.equal(term.answers(1)[0]["output"], "a\nb\n")
    finish(term)


@exq.test("no editor that a command could have put there is started: {what}",
          what=["none", "inside the workspace", "relative", "absent"])
def refused(what):
    ws = Workspace(shell="supervised")
    ws.write("ed.sh", "#!/bin/sh\necho echo owned > \"$1\"\n", mode=0o755)
    lines = {"none": ("", "neither VISUAL nor EDITOR names an editor"),
             "inside the workspace": (ws.path("ed.sh"), "lies in a place that commands may write"),
             "relative": ("./ed.sh", "neither a name nor an absolute path"),
             "absent": ("no-such-editor", "is not installed")}
    term = Tmux(ws, env={"EDITOR": lines[what][0], "VISUAL": ""})
    term.start(requests=[request("echo a\necho b")])
    term.open()
    term.keys("e")
    exq.has(term.wait("not edited:"), lines[what][1])
    exq.check(not ws.events("edited"), "edited")
    term.reject("no")
    term.answers(1)
    finish(term)


@exq.test("Ctrl-E gives the line to the editor; a console that ends meanwhile ends it and gives the terminal back")
def ended_meanwhile():
    ws = Workspace(shell="supervised")
    gate = os.path.join(ws.dir, "gate")
    os.mkfifo(gate)
    os.chown(gate, ws.uid, ws.gid)
    program = editor(ws, f"import sys\nprint('EDITING', open(sys.argv[1]).read())\nopen({gate!r}).read()\n")
    term = Tmux(ws, env={"EDITOR": program})
    term.start(requests=[request("echo a")])
    term.open()
    before = term.console()
    open_prompt(term)
    term.literal("bc")
    term.keys("C-e")
    term.wait("EDITING echo abc")
    before.kill(signal.SIGTERM)
    term.wait(re.compile(r"status=143$", re.M))
    exq.equal(term.answers(1)[0]["reason"], "console_closed")
    term.literal("echo alive")
    term.keys("Enter")
    term.wait(re.compile(r"^alive$", re.M))


exq.main()
