"""What a command does to git for the next person who runs git outside: prevented for existing hooks and configuration, noticed
for the rest; and traps laid for the console itself."""

import os
import shutil
import subprocess

import exq

ROWS = {"backend": exq.EVERY, "user": exq.USERS}
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
NOTE = "git_metadata_changed"


def git(ws, *arguments, where=None):
    """git as the user, outside."""
    process = ws.popen([*GIT, *arguments], cwd=where or ws.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    out, _ = process.communicate(timeout=60)
    exq.equal(process.returncode, 0, f"git {' '.join(arguments)}: {out.decode()}")
    return out.decode()


def repository(ws, name="repo"):
    """A repository with one commit below the workspace."""
    git(ws, "init", "-q", ws.path(name))
    git(ws, "commit", "-q", "--allow-empty", "-m", "first", where=ws.path(name))
    return ws.path(name)


def view(directory):
    """Every file below a directory with its content."""
    found = {}
    for root, _dirs, names in os.walk(directory):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, directory)] = file.read()
    return found


# Each must fail, and leave hooks, configuration and where they are as they were.
PREVENTED = [
    "printf x > .git/hooks/pre-commit", "printf x > .git/hooks/post-checkout.sample", "mkdir .git/hooks/d", "chmod 700 .git/hooks",
    "rm -f .git/hooks/*", "rmdir .git/hooks", "mv .git/hooks .git/h", "ln -s /bin/sh .git/hooks/pre-push", "touch -d @1 .git/hooks",
    "printf '[core]\\n fsmonitor = x\\n' >> .git/config", "git config core.fsmonitor x", "git remote add o /o", "rm -f .git/config",
    "mv .git/config .git/c", "cp /etc/hosts .git/config", "ln -sf /etc/hosts .git/config", "mv .git .g", "rm -rf .git/hooks .git/config",
    "cd .. && mv repo away", "cd .. && mv repo/.git .", "printf x > .git/config.worktree", "chmod 777 .git/config", "touch -d @1 .git/config",
    "exec 9<.git && cd /proc/self/fd/9 && printf x > hooks/pre-commit", "cp -a .git g2 && rm -rf .git && mv g2 .git",
]


@exq.test("hooks and configuration that are there cannot be changed or moved away", **ROWS)
def prevented(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    top = repository(ws)
    before = {name: data for name, data in view(top + "/.git").items() if name.startswith(("hooks", "config"))}
    script = "\n".join(f"({command}) >/dev/null 2>&1 && echo DONE {number}" for number, command in enumerate(PREVENTED))
    answer = ws.call(f"{script}\necho end", working_dir="repo")
    done = [PREVENTED[int(line.split()[1])] for line in answer["output"].splitlines() if line.startswith("DONE")]
    after = {name: data for name, data in view(top + "/.git").items() if name.startswith(("hooks", "config"))}
    # parts of these work, and their last part reports it; what counts is what is left
    exq.equal(after, before, "hooks and configuration")
    exq.equal(done, [], "what was reported as done")
    exq.check(not os.path.exists(f"{top}/.git/config.worktree"), "an absent configuration was written")
    exq.has(answer["output"], "end\n")


@exq.test("a repository {levels} levels down is guarded as well", levels=[1, 2, 3], **ROWS)
def nested(levels, backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    name = "/".join("abc"[:levels])
    repository(ws, name)
    first = name.split("/")[0]
    answer = ws.call(f"printf x > {name}/.git/hooks/pre-commit; echo rc=$?; mv {name}/.git {name}/g; echo rc=$?; "
                     f"mv {first} away; echo rc=$?; git -C {name} commit -q --allow-empty -m x; echo rc=$?")
    exq.equal([line for line in answer["output"].splitlines() if line.startswith("rc=")][:3].count("rc=0"), 0, answer)
    exq.check(not os.path.exists(ws.path(name, ".git/hooks/pre-commit")), "a hook was written")
    exq.check(NOTE not in answer["notes"], answer)


@exq.test("everyday git works in a guarded repository", **ROWS)
def everyday(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    repository(ws)
    answer = ws.call("set -e; export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n"
                     "echo x > f; git add f; git commit -qm f; git checkout -q -b side; echo y > f; git stash -q; git stash pop -q\n"
                     "git commit -qam y; git checkout -q -; git merge -q side; git tag t; git gc -q; git diff HEAD~1 --stat; git log --oneline | wc -l",
                     working_dir="repo")
    exq.equal(answer["success"], True, answer)
    exq.check(answer["output"].endswith("3\n") and NOTE not in answer["notes"], answer)
    exq.equal(git(ws, "status", "--short", where=ws.path("repo")), "")


NOTICED = {
    "a commondir": "printf '../../evil\\n' > repo/.git/commondir",
    "a new repository": "git init -q fresh",
    "a new repository with a hook": "mkdir -p fresh/.git/hooks && printf x > fresh/.git/hooks/pre-commit",
    "a bare repository": "git init -q --bare fresh.git",
    "a file that points to a repository": "mkdir sub && printf 'gitdir: ../evil\\n' > sub/.git",
    "a link as repository": "mkdir sub && ln -s ../repo/.git sub/.git",
    "a hook of a module": "mkdir -p repo/.git/modules/m/hooks && : > repo/.git/modules/m/HEAD && printf x > repo/.git/modules/m/hooks/post-checkout",
    "the configuration of a module": "mkdir -p repo/.git/modules/m && : > repo/.git/modules/m/HEAD && printf '[core]' > repo/.git/modules/m/config",
    "a worktree": "mkdir -p repo/.git/worktrees/w && printf x > repo/.git/worktrees/w/config.worktree",
    "a hook of core.hooksPath": "printf x > shared-hooks/pre-commit",
    "an included configuration": "printf '[core]\\n fsmonitor = x\\n' > included",
}


def hooked_repository(ws, name):
    """A repository in a directory of its own, whose configuration leads to hooks and to another file beside it."""
    top = repository(ws, name)
    ws.mkdir(f"{os.path.dirname(top)}/shared-hooks")
    with open(f"{top}/.git/config", "a", encoding="ascii") as file:
        file.write("[core]\n\thooksPath = ../shared-hooks\n[include]\n\tpath = ../../included\n")


def is_noticed(session, what, where=None):
    """Makes the change, and fails the point unless it is noted."""
    arguments = {"working_dir": where} if where else {}
    answer = session.call(NOTICED[what], **arguments)
    exq.equal(answer["success"], True, answer)
    exq.has(answer["notes"], NOTE)


@exq.test("noticed after the run: {what}", what=list(NOTICED), backend=exq.BACKENDS)
def noticed(what, backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    hooked_repository(ws, "repo")
    session = ws.start()
    quiet = session.call("echo x > file; mkdir directory")
    exq.check(NOTE not in quiet["notes"], "a run that changes nothing of git is noted")
    is_noticed(session, what)


@exq.test("noticed after the run by a console whose commands run in docker: all of it")
def noticed_in_docker():
    ws = exq.Workspace(backend="docker", user="ordinary")
    session = ws.start()
    for number, what in enumerate(NOTICED):
        where = ws.mkdir(f"n{number}")
        hooked_repository(ws, f"n{number}/repo")
        if number == 0:
            quiet = session.call("echo x > file; mkdir directory", working_dir=where)
            exq.check(NOTE not in quiet["notes"], "a run that changes nothing of git is noted")
        is_noticed(session, what, where)
        shutil.rmtree(where)


@exq.test("an absent hooks directory is held empty, and gone again after the run", **ROWS)
def absent(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    top = repository(ws)
    subprocess.run(["rm", "-rf", f"{top}/.git/hooks"], check=True)
    before = sorted(os.listdir(f"{top}/.git"))
    answer = ws.call("printf x > .git/hooks/pre-commit; echo rc=$?; ls -A .git/hooks; rmdir .git/hooks; echo rc=$?; mv .git/hooks x; echo rc=$?",
                     working_dir="repo")
    exq.equal([line for line in answer["output"].splitlines() if line.startswith("rc=")].count("rc=0"), 0, answer)
    exq.equal(sorted(os.listdir(f"{top}/.git")), before)
    exq.check(NOTE not in answer["notes"], answer)


@exq.test("the guard is what prevents: without protect_git a hook can be written", **ROWS)
def unprotected(backend, user):
    ws = exq.Workspace(backend=backend, user=user, sections={"exequatur": {"protect_git": False}})
    repository(ws)
    answer = ws.call("printf x > repo/.git/hooks/pre-commit")
    exq.equal(answer["success"], True, answer)


# Left by one call for the console, which looks at git's files before and after the next.
TRAPS = {
    "a configuration that is a FIFO": "mkdir -p t/.git && mkfifo t/.git/config t/.git/HEAD t/.git/commondir",
    "a configuration that never ends": "mkdir -p t/.git && ln -s /dev/zero t/.git/config && ln -s /dev/zero t/.git/commondir",
    "a repository file that is a FIFO": "mkdir t && mkfifo t/.git",
    "a configuration of two gigabytes": "mkdir -p t/.git && truncate -s 2000M t/.git/config",
    "a configuration that includes itself": "mkdir -p t/.git && printf '[include]\\n path = config\\n' > t/.git/config",
    "links in a ring": "mkdir -p t/.git && ln -s config2 t/.git/config && ln -s config t/.git/config2 && ln -s . t/.git/modules",
    "hooks that are a link to /": "mkdir -p t/.git && ln -s / t/.git/hooks && printf '[core]\\n hooksPath = /proc\\n' > t/.git/config",
    "directories that cannot be read": "mkdir -p t/.git/hooks u && chmod 0 t/.git/hooks t/.git u",
    "three thousand repositories":
        "/usr/bin/python3 -c 'import os\nfor i in range(3000):\n os.makedirs(f\"t/{i}\"); open(f\"t/{i}/.git\", \"w\").close()'",
    "names with line breaks and escapes": "mkdir -p \"t/$(printf 'a\\n\\033]0;x\\007')/.git\"",
    "a very deep tree": "p=t; for i in $(seq 300); do p=$p/d; done; mkdir -p $p/.git",
    "a config with huge lines": "mkdir -p t/.git && (printf '[core]\\n hooksPath = '; head -c 900000 /dev/zero | tr '\\0' a) > t/.git/config",
}


@exq.test("a trap for the console is passed by: {trap}", trap=list(TRAPS), backend=["landlock", "bubblewrap"])
def traps(trap, backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    session = ws.start()
    laid = session.call(TRAPS[trap], seconds=40)
    exq.equal(laid["success"], True, laid)
    for _ in range(2):
        answer = session.call("echo on", seconds=40)
        exq.equal((answer["output"], answer["reason"]), ("on\n", None), answer)
    session.close_input()
    exq.equal(session.wait(), 0)
    again = ws.call("echo on", seconds=40)  # and a new console starts in there
    exq.equal((again["output"], again["reason"]), ("on\n", None), again)


# firejail rejects such names, and what it cannot protect is not run.
REJECTED = {("firejail", "names with line breaks and escapes"): ("", "sandbox_unavailable")}


@exq.test("no trap for the console, or for a wrapper that mounts something in it, holds up a command", backend=["firejail", "docker"])
def traps_at_once(backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    session = ws.start()
    for trap, command in TRAPS.items():
        laid = session.call(command, seconds=40)
        exq.equal(laid["success"], True, (trap, laid))
        answer = session.call("echo on", seconds=40)
        exq.equal((answer["output"], answer["reason"]), REJECTED.get((backend, trap), ("on\n", None)), (trap, answer))
        subprocess.run(["find", ws.work, "-type", "d", "-exec", "chmod", "700", "{}", "+"], check=True)
        subprocess.run(["find", ws.work, "-mindepth", "1", "-delete"], check=True)
    session.close_input()
    exq.equal(session.wait(), 0)


exq.main()
