"""What an engine mounts inside of what commands may write: never while a command could lead it elsewhere, and only where nobody
else could."""

import json
import os
import signal

import exq
from exq_engine import none_left
from exq_space import request

USERS = {"user": exq.USERS}


def space(user=None, **more):
    """A workspace for docker with a repository in sub/r."""
    ws = exq.Workspace(backend="docker", user=user, **more)
    for name in ("sub", "sub/r", "sub/r/.git", "sub/r/.git/hooks", "sub/r/.git/objects", "sub/r/.git/refs"):
        ws.mkdir(name)
    ws.write("sub/r/.git/HEAD", "ref: refs/heads/main\n")
    ws.write("sub/r/.git/config", "[core]\n")
    return ws


def at_work(ws, directory):
    """A console of another backend with one command at work in a directory, until the file "go" is there."""
    session = ws.start("--backend", "landlock", "-C", directory)
    session.send(request("echo > up; until test -e go; do sleep 0.02; done; echo done"))
    exq.wait_for(lambda: os.path.exists(f"{directory}/up"), what="the other command")
    return session


def ends(ws, session, directory):
    """Lets it go on to its end."""
    ws.write(f"{directory}/go")
    exq.equal(session.answer()["output"], "done\n")
    session.close_input()
    exq.equal(session.wait(), 0)


def made(ws):
    """The state of the one container of the directory."""
    return [row["State"] for row in ws.engine.containers(ws.dir)] == ["created"]


def lock_holders(directory):
    """How often a directory is locked, by the kernel's list."""
    info = os.stat(directory)
    wanted = f"{os.major(info.st_dev):02x}:{os.minor(info.st_dev):02x}:{info.st_ino}"
    with open("/proc/locks", encoding="ascii") as file:
        return sum(wanted in line and "->" not in line for line in file)


@exq.test("a container with mounts inside of a directory is not started while a command is at work {where}",
          where=["there", "in a directory above", "in a directory on the way"])
def waits(where):
    ws = space("ordinary")
    directory = {"there": ws.work, "in a directory above": ws.path("sub"), "in a directory on the way": ws.path("sub")}[where]
    own = ws.path("sub/r") if where == "in a directory above" else ws.work
    other = at_work(ws, directory)
    session = ws.start("-C", own)
    session.send(request("echo ours; test -w sub/r/.git/hooks || test -w .git/hooks || echo held"))
    exq.wait_for(lambda: made(ws), what="the container")
    ends(ws, other, directory)
    exq.equal(session.answer()["output"], "ours\nheld\n")
    order = [event["type"] for event in sorted(ws.events(), key=lambda event: event["wall"]) if event["type"] in ("started", "ended")]
    exq.equal(order, ["started", "ended", "started", "ended"])
    session.close_input()
    exq.equal(session.wait(), 0)
    exq.equal(lock_holders(ws.work), 0)


@exq.test("one that waits for that can be stopped, and leaves nothing")
def stopped():
    ws = space("ordinary")
    other = at_work(ws, ws.work)
    process = ws.popen([ws.program(), "run", "touch ran"], stdout=-1, stderr=-1)
    exq.wait_for(lambda: made(ws), what="the container")
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=60)
    exq.check(process.returncode in (130, 125), (process.returncode, err))
    none_left(ws)
    ends(ws, other, ws.work)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


CHANGES = {
    "hooks that are a link by then": lambda ws, git: (os.rename(f"{git}/hooks", f"{git}/h"), os.symlink(ws.outside, f"{git}/hooks")),
    "a way that leads through a link": lambda ws, git: (os.rename(ws.path("sub"), ws.path("s")), os.symlink("s", ws.path("sub"))),
    "an absent file that is a link by then": lambda ws, git: (os.unlink(f"{git}/config.worktree"), os.symlink(f"{ws.home}/key", f"{git}/config.worktree")),
}


@exq.test("what changed while it waited is not followed: {change}", change=list(CHANGES))
def changed(change):
    ws = space("ordinary")
    ws.write(f"{ws.home}/key", "key\n")
    other = at_work(ws, ws.work)
    session = ws.start()
    session.send(request("touch ran"))
    exq.wait_for(lambda: made(ws), what="the container")
    CHANGES[change](ws, ws.path("sub/r/.git"))
    ends(ws, other, ws.work)
    answer = session.answer()
    exq.equal((answer["reason"], answer["success"]), ("sandbox_failed", False), answer)
    exq.check(not os.path.exists(ws.path("ran")) and os.listdir(ws.outside) == [], "it ran")
    session.close_input()
    exq.equal(session.wait(), 0)
    none_left(ws)


@exq.test("where others may write git is not guarded, which the card says; what was changed is noted", **USERS)
def others(user):
    ws = space(user)
    os.chmod(ws.path("sub"), 0o777)
    answer = ws.call("echo x > sub/r/.git/hooks/post-commit")
    exq.equal((answer["success"], answer["notes"]), (True, ["git_metadata_changed"]), answer)
    exq.has(json.dumps(ws.events("card")[-1]["card"]), "!git hooks writable")
    exq.equal(sorted(os.listdir(ws.path("sub/r/.git"))), ["HEAD", "config", "hooks", "objects", "refs"])


@exq.test("a place that is read-only inside a writable one stays so, and cannot be moved away", **USERS)
def nested(user):
    ws = space(user)
    fixed = ws.mkdir("up/fixed")
    ws.mkdir("up")
    ws.write("up/fixed/file", "as it was\n")
    ws.configure({"security.sandbox.bubblewrap": {"readonly_paths": ["/usr", fixed]}})
    answer = ws.call("cat up/fixed/file; for try in 'touch up/fixed/new' 'mv up/fixed x' 'mv up x' 'rm up/fixed/file'; do $try 2>/dev/null && echo $try; done; "
                     "touch up/beside; ls up")
    exq.equal(answer["output"], "as it was\nbeside\nfixed\n", answer)
    os.chmod(ws.path("up"), 0o777)
    answer = ws.call("touch ran")
    exq.equal(answer["reason"], "sandbox_unavailable", answer)
    exq.has(answer["error"], "where somebody else may write")
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


@exq.test("calls at once in one repository run one after the other, and each has its guards")
def one_by_one():
    ws = space()
    answers = ws.headless([request("test -w sub/r/.git/hooks || echo held", id=n) for n in range(3)])
    exq.equal([answer["output"] for answer in answers], ["held\n"] * 3)
    none_left(ws)


exq.main()
