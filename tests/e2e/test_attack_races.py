"""Directories and programs that become others between the card and the start, again and again."""

import ctypes
import os
import shutil
import threading

import exq
from exq_space import PROGRAMS, request

AT_FDCWD, EXCHANGE = -100, 2
LIBC = ctypes.CDLL(None, use_errno=True)
REFUSALS = {"sandbox_failed", "sandbox_unavailable", "launch_failed", "working_dir_not_allowed"}


class Swapper:
    """Exchanges two names as fast as it can, until it is left."""

    def __init__(self, first, second):
        self.names = [os.fsencode(first), os.fsencode(second)]
        self.swaps = 0
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        """The loop of the thread."""
        while not self.stop.is_set():
            self.swaps += LIBC.renameat2(AT_FDCWD, self.names[0], AT_FDCWD, self.names[1], EXCHANGE) == 0

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_why):
        self.stop.set()
        self.thread.join()
        if self.swaps % 2:
            LIBC.renameat2(AT_FDCWD, self.names[0], AT_FDCWD, self.names[1], EXCHANGE)


# Calls of one point: those whose start takes longer give the other side as much time in fewer.
CALLS = {"landlock": 60, "bubblewrap": 60, "firejail": 25, "docker": 15}


def flip(ws, session, first, second, call):
    """Makes calls while the two names are exchanged; gives how many ran and how many were refused."""
    ran = refused = 0
    count = CALLS[ws.sections["security.sandbox"]["backend"]]
    with Swapper(first, second) as swapper:
        # On until both were seen: a start that takes long is seldom left alone.
        while ran + refused < count or (not (ran and refused) and ran + refused < 10 * count):
            answer = session.call(**call(ran + refused))
            exq.check(answer["reason"] in (None, "exit_status", *REFUSALS), answer)
            ran += answer["reason"] in (None, "exit_status")
            refused += answer["reason"] in REFUSALS
    exq.check(swapper.swaps > ran + refused, f"only {swapper.swaps} swaps")
    return ran, refused


@exq.test("a listed directory that is swapped for {other} is never followed there", other=["a link", "a directory"],
          backend=exq.EVERY)
def listed(other, backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    place = ws.mkdir(f"{ws.dir}/flip/listed")
    os.chown(os.path.dirname(place), ws.uid, ws.gid)
    evil = os.path.join(ws.dir, "flip", "evil")
    if other == "a link":
        os.symlink(ws.outside, evil)
    else:
        ws.mkdir(evil)
    ws.configure({"security.sandbox.bubblewrap": {"writable_paths": [place]}})
    session = ws.start()
    exq.equal(session.call(f"echo x > {place}/first")["success"], True)
    ran, refused = flip(ws, session, place, evil, lambda number: {"command": f"echo x > {place}/f{number}"})
    exq.equal(os.listdir(ws.outside), [])
    if other == "a directory":
        exq.equal(os.listdir(evil), [])
    # An engine takes so long that hardly a start is left alone; that one works is seen before and behind.
    exq.check(refused and (ran or backend == "docker"), f"{ran} ran, {refused} were refused: nothing was swapped in time")
    exq.equal(session.call(f"echo x > {place}/last")["success"], True)
    session.close_input()
    session.wait()


@exq.test("a working directory that is swapped for a link is never followed outside", backend=exq.EVERY)
def working_directory(backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    ws.mkdir("sub")
    os.symlink(ws.outside, ws.path("evil"))
    session = ws.start()
    ran, refused = flip(ws, session, ws.path("sub"), ws.path("evil"),
                        lambda number: {"command": f"echo x > f{number}", "working_dir": "sub"})
    exq.equal(os.listdir(ws.outside), [])
    exq.check(ran and refused, f"{ran} ran, {refused} were refused")
    session.close_input()
    session.wait()


@exq.test("a command cannot lead the console's own hand outside: {what}", what=["mount points of git", "made directories"],
          backend=exq.EVERY)
def console_hand(what, backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    inner = ws.mkdir(f"{ws.outside}/objects")
    ws.mkdir(f"{ws.outside}/hooks")  # empty, as one of ours would be: it must stay
    before = sorted(os.listdir(ws.outside))
    target = ws.outside if what == "mount points of git" else inner
    ws.write("swap.py", f"""import ctypes, os
libc = ctypes.CDLL(None)
os.makedirs("r/.git/objects", exist_ok=True)
os.path.islink("r/evil") or os.symlink("{target}", "r/evil")
swaps = 0
while not os.path.exists("stop"):
    swaps += libc.renameat2(-100, b"r/.git", -100, b"r/evil", 2) == 0
print(swaps)
""")
    ws.mkdir("r")
    session = ws.start()
    session.send({"id": "swap", "name": "shell", "arguments": {"command": "/usr/bin/python3 swap.py"}})
    exq.wait_for(lambda: os.path.lexists(ws.path("r/evil")), what="the swapping command")
    arguments = {} if what == "mount points of git" else {"working_dir": "r/.git/new"}
    if backend == "docker":
        # no engine mounts anything in there while the command is at work: what it finds is what that one left
        session.send(*(request("true", id=number, **arguments) for number in range(4)))
        exq.wait_for(lambda: "created" in [row["State"] for row in ws.engine.containers(ws.dir)] or len(ws.events("answered")) == 4,
                     what="a container that waits, or refusals")
        ws.write("stop")
        answers = [session.answer() for _ in range(5)]
        swaps = int(answers.pop(next(at for at, answer in enumerate(answers) if answer["id"] == "swap"))["output"])
    else:
        answers = [session.call("true", id=number, **arguments) for number in range(CALLS[backend])]
        ws.write("stop")
        swaps = int(session.answer()["output"])
    exq.check(swaps > 100, f"only {swaps} swaps")
    exq.check({answer["reason"] for answer in answers} <= {None, "exit_status", *REFUSALS}, answers)
    exq.equal(sorted(os.listdir(ws.outside)), before)
    exq.equal((os.listdir(inner), os.listdir(f"{ws.outside}/hooks")), ([], []))
    session.close_input()
    session.wait()


@exq.test("a helper that is swapped while the console lives is not run", helper=["exequatur-supervisor", "exequatur-launcher"],
          backend=exq.EVERY)
def helper_swapped(helper, backend):
    ws = exq.Workspace(backend=backend, user="ordinary")
    if ws.bin == os.environ.get("EXQ_BUILD"):
        exq.skip("the programs of the build directory are not swapped")
    session = ws.start()
    exq.equal(session.call("echo before")["output"], "before\n")
    fake = os.path.join(ws.bin, "fake")
    with open(fake, "w", encoding="ascii") as file:
        file.write(f"#!/bin/sh\ntouch {ws.outside}/fake\n")
    shutil.copymode(ws.program(helper), fake)
    os.rename(fake, ws.program(helper))
    answer = session.call("echo after")
    # An engine takes the launcher by its name: the one that is there now is known by its inode, and refused.
    if backend == "docker" and helper == "exequatur-launcher":
        exq.equal((answer["reason"], answer["output"]), ("sandbox_failed", ""), answer)
    else:
        exq.equal(answer["output"], "after\n")
    exq.equal(os.listdir(ws.outside), [])
    session.close_input()
    session.wait()


@exq.test("a workspace that holds the programs is refused at start", place=["the same", "above"])
def helper_directory(place):
    ws = exq.Workspace(user="ordinary")
    copies = ws.mkdir(f"{ws.outside}/tools/bin")
    for name in PROGRAMS:
        shutil.copy(ws.program(name), copies)
        os.chmod(f"{copies}/{name}", 0o755)
        os.chown(f"{copies}/{name}", ws.uid, ws.gid)
    os.chown(f"{ws.outside}/tools", ws.uid, ws.gid)
    directory = copies if place == "the same" else os.path.dirname(copies)
    process = ws.popen([f"{copies}/exequatur", "--headless", "-C", directory], stdin=-1, stdout=-1, stderr=-1)
    out, err = process.communicate(b'{"name":"shell","arguments":{"command":"touch ran"}}\n', timeout=60)
    exq.equal((process.returncode, out), (2, b""), err.decode())
    exq.check(not os.path.exists(f"{directory}/ran"), "it ran")
    process = ws.popen([f"{copies}/exequatur", "--headless"], stdin=-1, stdout=-1, stderr=-1)
    out, err = process.communicate(b'{"name":"shell","arguments":{"command":"echo ok"}}\n', timeout=60)
    exq.has(out.decode(), '"output":"ok\\n"')


@exq.test("{helper} that others may write, or that belongs to another user, is not run ({wrong})", wrong=["writable", "foreign"],
          helper=["exequatur-launcher", "exequatur-console"])
def helper_untrusted(wrong, helper):
    ws = exq.Workspace(user="ordinary")
    if ws.uid == os.getuid():
        exq.skip("needs root")
    path = ws.program(helper)
    if wrong == "writable":
        os.chmod(path, 0o757)
    else:
        os.chown(path, 12345, 12345)
    done = ws.exequatur("--headless", stdin=b'{"name":"shell","arguments":{"command":"touch ran"}}\n')
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    exq.has(done.stderr.decode() + done.stdout.decode(), helper)


exq.main()
