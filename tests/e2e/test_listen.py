"""A console that listens: who may connect, one queue for all, who goes away, who does not read. Ids such as H047 are
handed-out cases."""

import os
import re
import signal
import socket
import stat
import subprocess

import exq
from exq_screen import verify
from exq_socket import Agent, headless, left, path_of, peers
from exq_space import request

CONNECT = """python3 -c "
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect('{path}')
print('CONNECTED')
s.sendall(b'{{\\"name\\":\\"shell\\",\\"arguments\\":{{\\"command\\":\\"touch inner\\"}}}}\\\\n')
" """


def console(*arguments, before="", **options):
    """A console in tmux that listens; its standard input is the terminal."""
    ws = exq.Workspace(shell="supervised", **options)
    term = exq.Tmux(ws)
    script = os.path.join(ws.dir, "listen.sh")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"{before}{ws.program()} --listen {' '.join(arguments)} 2> {term.errors_path}\necho status=$?\n")
    os.chown(script, ws.uid, ws.gid)
    term.literal(f". {script}")
    term.keys("Enter")
    return ws, term


def leave(term):
    """Quits, whatever waits or runs; the socket is gone, and the record can be replayed."""
    term.keys("q")
    term.wait(lambda screen: "status=" in screen or re.search(r"^ \[y\]", screen, re.M))
    term.literal("y")
    exq.equal(term.wait_status(), 0, "status")
    exq.equal(os.listdir(os.path.dirname(path_of(term.ws))), [], "left in the directory of the socket")
    exq.equal(verify(term.ws)[0], 0, "audit verify")


@exq.test("0600 at once whatever the umask, a stale socket is replaced, a second console is refused (H096, H100)",
          umask=[0, 0o777])
def one_console(umask):
    ws = exq.Workspace()
    first = headless(ws, preexec_fn=lambda: os.umask(umask))
    agent = Agent(path_of(ws))
    for path, mode in ((path_of(ws), 0o600), (os.path.dirname(path_of(ws)), 0o700)):
        exq.equal(oct(stat.S_IMODE(os.lstat(path).st_mode)), oct(mode), path)
    second = ws.exequatur("--headless", "--listen")
    exq.equal(second.returncode, 1)
    exq.has(second.stderr.decode(), f"another console listens on {path_of(ws)} already; it goes on")
    exq.equal(agent.call("echo once", 1)["output"], "once\n", "the first still works")
    exq.equal(len(ws.events("started")), 1)
    first.kill()
    first.wait()
    exq.check(stat.S_ISSOCK(os.lstat(path_of(ws)).st_mode), "the socket stays behind a SIGKILL")
    third = headless(ws)
    exq.equal(Agent(path_of(ws)).call("echo again")["output"], "again\n")
    third.kill(signal.SIGTERM)
    exq.equal(third.wait(), 128 + signal.SIGTERM)
    exq.equal(os.listdir(os.path.dirname(path_of(ws))), [], "left behind")
    exq.equal(ws.exequatur("submit", "ls").returncode, 125, "nobody listens")


@exq.test("no safe place for the socket is refused with a sentence")
def unsafe_places():
    ws = exq.Workspace(env={"XDG_RUNTIME_DIR": None})
    places = {name: os.path.join(ws.outside, name) for name in ("open", "file", "link", "live", "free", "safe")}
    for name in ("open", "free", "live", "safe"):
        ws.mkdir(places[name], 0o755 if name == "open" else 0o700)
    os.symlink(places["safe"], places["link"])
    for directory in ("free", "live"):
        ws.write(os.path.join(places[directory], "file"), "kept")
    os.symlink("elsewhere", os.path.join(places["free"], "link"))
    ws.mkdir(os.path.join(ws.outside, "shared"), 0o777)
    ws.mkdir(os.path.join(ws.outside, "shared", "own"), 0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(os.path.join(places["live"], "sock"))
        os.chown(os.path.join(places["live"], "sock"), ws.uid, ws.gid)
        other.listen()
        for argument, words in ((None, "XDG_RUNTIME_DIR is not set"), ("open/sock", "is open to others"),
                                ("link/sock", "is no directory, or a symlink"), ("none/sock", "No such file"),
                                ("free/file", "is no socket"), ("free/link", "is no socket"),
                                ("live/sock", "another program listens"), ("shared/own/sock", "may rename"),
                                ("free/" + "x" * 200, "is too long")):
            option = "--listen" if argument is None else f"--listen={os.path.join(ws.outside, argument)}"
            done = ws.exequatur("--headless", option)
            exq.equal(done.returncode, 1, f"{argument}: {done.stderr}")
            exq.has(done.stderr.decode(), words)
        other.settimeout(0)
    exq.equal(os.path.lexists(os.path.join(places["free"], "file")), True)
    exq.equal(os.readlink(os.path.join(places["free"], "link")), "elsewhere")
    inside = ws.mkdir("sockets", 0o700)
    done = ws.exequatur("--headless", f"--listen={inside}/sock")
    exq.equal(done.returncode, 2, "below the workspace")
    exq.has(done.stderr.decode(), "may not be writable")


@exq.test("a long path works, and submit has the status, the output and the sentence of its call")
def submit():
    deep = os.path.join(*["a-directory-with-a-long-name"] * 5)
    ws = exq.Workspace(sections={"security.tool_policy.tools": {"shell": "allow"}})
    ws.mkdir(os.path.join(ws.outside, deep), 0o700)
    path = os.path.join(ws.outside, deep, "sock")
    os.makedirs(os.path.join(ws.work, "below"))
    os.chown(os.path.join(ws.work, "below"), ws.uid, ws.gid)
    headless(ws, f"--listen={path}")
    Agent(path).close()
    for arguments, status, output, words in (
            (("printf 'a\\0b\\377'; exit 3",), 3, "a\0b�".encode(), ""),
            (("echo", "two words", "it's"), 0, b"two words it's\n", ""),
            (("--dir", "below", "pwd"), 0, f"{ws.work}/below\n".encode(), ""),
            (("--timeout", "1", "sleep 60"), 124, b"", "timeout: stopped after 1 s"),
            (("kill -9 $$",), 137, b"", "signaled: "),
            (("--dir", "/etc", "pwd"), 125, b"", "working_dir_not_allowed: ")):
        done = ws.exequatur("submit", f"--listen={path}", *arguments)
        exq.equal((done.returncode, done.stdout), (status, output), arguments)
        exq.has(done.stderr.decode(), words)
        exq.equal(bool(done.stderr), bool(words), done.stderr)
    exq.equal(ws.exequatur("submit", f"--listen={path}").returncode, 2, "no command")
    exq.equal(peers(ws)[-1]["program"], "exequatur")


@exq.test("SIGINT to submit withdraws its call, and a console that ends says that no answer came")
def submit_ends():
    ws = exq.Workspace()
    session = headless(ws)
    Agent(path_of(ws)).close()

    def running(number):
        child = ws.popen([ws.program(), "submit", "touch started; sleep 60"], stderr=subprocess.PIPE)
        exq.wait_for(lambda: len(ws.events("started")) == number, what="the start")
        return child

    first = running(1)
    first.send_signal(signal.SIGINT)
    exq.equal(first.wait(60), -signal.SIGINT)
    exq.wait_for(lambda: ws.events("answered"), what="the end of its call")
    exq.equal([event["reason"] for event in ws.events("ended")], ["withdrawn"])
    second = running(2)
    session.kill()
    exq.equal(second.wait(60), 125)
    exq.has(second.stderr.read().decode(), "console_lost: the console ended before it answered")


@exq.test("no command reaches the socket of its console, in {backend} (H058)", backend=exq.EVERY)
def from_inside(backend):
    ws = exq.Workspace(backend=backend, sections={"security.sandbox.bubblewrap": {"allow_network": True}})
    headless(ws)
    agent = Agent(path_of(ws))
    for network in (False, True):
        answer = agent.call(CONNECT.format(path=path_of(ws)) + "; echo ran; ls " + os.path.dirname(path_of(ws)),
                            network=network)
        exq.has(answer["output"], "ran")
        exq.check("CONNECTED" not in answer["output"], answer["output"])
        exq.check("console.sock" not in answer["output"].split("ran\n")[1], answer["output"])
    exq.equal(len(peers(ws)), 1, "who joined")
    exq.check(not os.path.exists(ws.path("inner")), "what was asked for from inside ran")


@exq.test("without a sandbox a command that connects is an ordinary requester (H058)")
def from_nowhere():
    ws = exq.Workspace(shell="supervised", backend="none", env={"EXEQUATUR_ALLOW_UNSANDBOXED": "1"})
    headless(ws)
    Agent(path_of(ws)).close()
    done = ws.exequatur("submit", "touch inner")
    exq.equal(done.returncode, 125)
    exq.has(done.stderr.decode(), "approval_unavailable: ")
    exq.check(not os.path.exists(ws.path("inner")), "it ran")


@exq.test("a card whose agent went away is withdrawn, and a yes comes to nothing (H047)")
def gone():
    ws, term = console(before="set +m\n")  # bash must not take the terminal back when the console is stopped
    screen = term.wait("listening")
    exq.has(screen, "0 agents connected")
    exq.has(screen, "exequatur submit ls -la")
    agent = Agent(path_of(ws))
    term.wait("1 agent connected")
    agent.ask("touch h_gone", 5, agent="somebody")
    screen = term.arm()
    exq.check(re.search(r"came from  socket, agent 3 \(python3, pid \d+\), line 1, id 5", screen), screen)
    exq.equal([peer["pid"] for peer in peers(ws)], [os.getpid()])
    console_process = term.console()
    # The key and the end of the connection are there in one turn of the console's loop.
    os.kill(console_process.pid, signal.SIGSTOP)
    term.keys("a")
    agent.close()
    os.kill(console_process.pid, signal.SIGCONT)
    term.wait("withdrawn")
    exq.equal(ws.events("launching") + [e for e in ws.events("decided") if e["decision"] != "withdrawn"], [])
    answered = exq.wait_for(lambda: ws.events("answered"), what="the end of the call")
    exq.equal([(e["decision"], e["by"], e["delivered"]) for e in answered], [("withdrawn", "agent", False)])
    term.keys("a")
    again = Agent(path_of(ws))
    again.ask("echo next")
    term.open(2)
    term.approve()
    exq.equal(again.answer()["output"], "next\n")
    exq.equal([event["seq"] for event in ws.events("started")], [2])
    exq.check(not os.path.exists(ws.path("h_gone")), "it ran")
    leave(term)


@exq.test("what runs of an agent that goes away is {row}", row=["ended", "finished"])
def disconnect(row):
    setting = {"ended": {}, "finished": {"exequatur": {"on_disconnect": "finish", "max_running": 1}}}[row]
    ws = exq.Workspace(sections=setting)
    headless(ws)
    agent, other = Agent(path_of(ws)), Agent(path_of(ws))
    agent.ask("until [ -e go ]; do sleep 0.05; done; echo done > out", 1)
    exq.wait_for(lambda: ws.events("started"), what="the start")
    if row == "finished":
        agent.ask("touch never", 2)  # waits for the one place
        exq.wait_for(lambda: len(ws.events("decided")) == 2, what="the second call")
    agent.close()
    exq.wait_for(lambda: left(ws), what="the end of the connection")
    ws.write("go")
    answered = exq.wait_for(lambda: len(ws.events("answered")) == (1 if row == "ended" else 2) and ws.events("answered"),
                            what="the end of its calls")
    exq.equal({event["delivered"] for event in answered}, {False})
    ended = ws.events("ended")
    exq.equal([event.get("reason") or "" for event in ended], ["withdrawn" if row == "ended" else ""])
    exq.equal(os.path.exists(ws.path("out")), row == "finished")
    exq.check(not os.path.exists(ws.path("never")), "what waited ran")
    exq.equal(other.call("echo still")["output"], "still\n")


@exq.test("who shuts its writing side still gets its answers, then the end of the stream; ids are each one's own")
def half_close():
    ws = exq.Workspace()
    headless(ws)
    first, second = Agent(path_of(ws)), Agent(path_of(ws))
    gate = "until [ -e go ]; do sleep 0.05; done; echo "
    first.send(request(gate + "a", 1), request(gate + "b", 1), "no json")
    second.send(request(gate + "c", 1))
    first.half_close()
    refused = [first.answer() for _ in range(2)]
    exq.equal([answer["reason"] for answer in refused], ["invalid_request", "invalid_request"])
    exq.has(refused[0]["error"], "the id is in use")
    ws.write("go")
    exq.equal(first.answer()["output"], "a\n")
    exq.equal(first.line(), None, "the end of the stream")
    exq.equal(second.answer()["output"], "c\n")
    exq.equal(left(ws), [(peers(ws)[0]["peer"], "closed")])


@exq.test("who does not read its answers is dropped after 10 s; the others are answered meanwhile (H097)")
def no_reader():
    ws = exq.Workspace()
    session = headless(ws)
    deaf, other = Agent(path_of(ws)), Agent(path_of(ws))
    deaf.ask("seq 1 200000")
    exq.wait_for(lambda: ws.events("answered"), what="its answer")
    exq.equal(other.call("echo ok")["output"], "ok\n")
    exq.equal(left(ws), [])
    exq.wait_for(lambda: left(ws), 100, what="the end of the one that does not read")
    exq.equal(left(ws), [(peers(ws)[0]["peer"], "does not read")])
    waited = ws.events("peer_left")[-1]["at"] - ws.events("answered")[0]["at"]
    exq.check(waited >= 9900, f"dropped after {waited} ms")
    with open(f"/proc/{session.pid}/status", encoding="ascii") as file:
        peak = int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1))
    exq.check(peak < 64 * 1024, f"{peak} KiB")
    exq.equal(other.call("echo ok")["output"], "ok\n")


@exq.test("one too many connections is told and let go, and a place that becomes free is given again")
def too_many():
    ws = exq.Workspace()
    headless(ws)
    agents = [Agent(path_of(ws)) for _ in range(256)]
    exq.equal(agents[-1].call("echo last")["output"], "last\n")
    exq.equal({peer.get("sender", peer["peer"]) for peer in peers(ws)}, {peers(ws)[0]["peer"]}, "one process, one sender")
    late = Agent(path_of(ws))
    answer = late.answer()
    exq.equal((answer["id"], answer["reason"]), (None, "queue_full"))
    exq.has(answer["error"], "256 agents are connected already")
    exq.equal(late.line(), None)
    agents.pop().close()
    exq.wait_for(lambda: left(ws), what="the place")
    exq.equal(Agent(path_of(ws)).call("echo again")["output"], "again\n")
    for agent in agents:
        agent.close()


@exq.test("500 requests of five agents within a second, all rejected: 500 answers, and the screen is empty (H101)")
def crowd():
    ws, term = console(sections={"exequatur": {"max_pending_per_sender": 500}})
    term.wait("listening")
    agents = [Agent(path_of(ws)) for _ in range(5)]
    for number, agent in enumerate(agents):
        agent.send(*[request(f"echo {number} {i}", i) for i in range(100)])
    term.wait(re.compile(r"500 waiting"))
    term.keys("1")
    term.wait(re.compile(r"^ 1 queue +500 waiting", re.M))
    term.keys("!")
    term.wait("stop all: reject 500")
    term.wait(re.compile(r"^ \[y\]", re.M))
    term.keys("y")
    for agent in agents:
        answers = [agent.answer() for _ in range(100)]
        exq.equal({answer["reason"] for answer in answers}, {"rejected"})
        exq.equal(sorted(answer["id"] for answer in answers), list(range(100)))
    exq.equal(ws.events("launching"), [])
    term.wait(re.compile(r"0 waiting"))
    leave(term)


@exq.test("100 calls of one process wait, however many connections it makes; another process has its own 100")
def quota():
    ws, term = console()
    term.wait("listening")
    agents = [Agent(path_of(ws)) for _ in range(3)]
    for agent in agents:
        agent.send(*[request(f"echo {i}", i) for i in range(40)])
    exq.wait_for(lambda: len(ws.events("refused")) == 20, what="what is too much")
    exq.equal({(event["reason"], event["sentence"]) for event in ws.events("refused")},
              {("queue_full", "100 calls wait already; ask again when some are decided")})
    other = ws.popen([ws.program(), "submit", "echo mine"], stderr=subprocess.DEVNULL)
    term.wait("101 waiting")
    leave(term)
    exq.equal(other.wait(60), 125)


@exq.test("standard input is one more agent, and its end ends nothing")
def beside_stdin():
    ws = exq.Workspace()
    session = ws.start("--listen")
    agent = Agent(path_of(ws))
    exq.equal(session.call("echo in", id=1)["output"], "in\n")
    exq.equal(agent.call("echo sock", 1)["output"], "sock\n")
    session.close_input()
    exq.wait_for(lambda: ws.events("peer_left"), what="the end of standard input")
    exq.equal(agent.call("echo more")["output"], "more\n")
    session.kill(signal.SIGTERM)
    exq.equal(session.wait(), 128 + signal.SIGTERM)
    exq.equal(agent.line(), None, "the end of the stream")


@exq.test("plain mode listens too, and a call whose agent went away cannot be approved")
def plain():
    ws = exq.Workspace(shell="supervised")
    pty = exq.Pty(ws, "--plain", "--listen")
    agent = Agent(path_of(ws))
    agent.ask("touch never")
    pty.read(b"To read it type: show 1")
    pty.write(b"show 1\n")
    word = pty.read(re.compile(rb"approve 1 [0-9a-f]{8}"))
    yes = re.search(rb"approve 1 [0-9a-f]{8}", word).group()
    agent.close()
    exq.wait_for(lambda: ws.events("withdrawn"), what="the end of the call")
    pty.write(yes + b"\n")
    pty.read(b"withdrawn")
    exq.equal(ws.events("decided") + ws.events("launching"), [])
    pty.process.send_signal(signal.SIGTERM)
    exq.equal(pty.wait(), 128 + signal.SIGTERM)
    with open(pty.errors_path, encoding="utf-8") as errors:
        exq.has(errors.read(), f"agents connect to {path_of(ws)}")
    exq.equal(os.listdir(os.path.dirname(path_of(ws))), [])


@exq.test("an agent under a user of its own is named as such on the card")
def own_user():
    if os.getuid() != 0:
        exq.skip("needs root, to become another user")
    ws, term = console(user="root")
    term.wait("listening")
    os.chmod(ws.run, 0o711)
    os.chmod(os.path.dirname(path_of(ws)), 0o711)
    refused = subprocess.run([ws.program(), "submit", "ls"], env=ws.env, user=65534, group=65534, extra_groups=[],
                             capture_output=True, check=False)
    exq.equal(refused.returncode, 125, "0600 lets nobody else in")
    exq.has(refused.stderr.decode(), "Permission denied")
    os.chmod(path_of(ws), 0o666)
    child = ws.popen([ws.program(), "submit", "echo theirs"], user=65534, group=65534, extra_groups=[],
                     stderr=subprocess.DEVNULL)
    screen = term.arm()
    exq.has(" ".join(screen.split()), "its own uid 65534)")
    exq.equal([(peer["uid"], peer["own_uid"]) for peer in peers(ws)], [(65534, True)])
    term.reject("no")
    exq.equal(child.wait(60), 125)
    leave(term)


exq.main()
