"""The tree of a command ends with it, always. Ids are handed-out cases. Times are upper bounds of watchdogs, never goals."""

import os
import re
import signal
import subprocess

import exq

BACKENDS = [*exq.EVERY, "none"]


def space(backend, **more):
    """A workspace for a backend, `none` with its switch."""
    env = {"EXEQUATUR_ALLOW_UNSANDBOXED": "1"} if backend == "none" else {}
    return exq.Workspace(backend=backend, env=env, **more)


def done(answer, **want):
    """Compares the named members of an answer."""
    exq.equal({key: answer[key] for key in want}, want, f"answer {answer}")


@exq.test("a background child is ended with its shell and noted, whatever it holds (H034): {tail}", backend=BACKENDS,
          tail=["sleep 99901 & echo hi", "setsid sleep 99901 & echo hi", "setsid sleep 99901 >/dev/null 2>&1 & echo hi",
                "(setsid sh -c 'trap \"\" TERM; sleep 99901; :' &) ; echo hi", "nohup sleep 99901 >/dev/null & echo hi"])
def background(backend, tail):
    answer = space(backend).call(tail)
    done(answer, output="hi\n", success=True, exit_code=0)
    exq.check(answer["duration_ms"] < 20000, answer["duration_ms"])
    exq.has(answer["notes"], "background_ended")
    exq.equal(exq.find("sleep 99901"), [])


@exq.test("a shell that waits for its background child is not cut short (H052)", backend=BACKENDS)
def waits(backend):
    answer = space(backend).call("echo BEFORE && sleep 99902 & sleep 0.3; echo AFTER")
    exq.equal(sorted(answer["output"].split()), ["AFTER", "BEFORE"])
    exq.equal(exq.find("sleep 99902"), [])
    done(space(backend).call("(sleep 0.3; echo late) & wait"), output="late\n", success=True, notes=answer_notes(backend))


def answer_notes(backend):
    """The notes of a call that ended cleanly."""
    return ["unsandboxed"] if backend == "none" else []


@exq.test("a timeout ends a session of its own too (H035)", backend=BACKENDS)
def timeout_setsid(backend):
    answer = space(backend).call("setsid sleep 99917 & wait", timeout=1)
    done(answer, success=False, reason="timeout")
    exq.equal(exq.find("sleep 99917"), [])


@exq.test("who ignores SIGTERM is killed after the grace (H036)", backend=BACKENDS)
def ignores_term(backend):
    answer = space(backend).call("trap '' TERM INT HUP; echo armed; while :; do sleep 1; done", timeout=1)
    done(answer, reason="timeout", output="armed\n", signal=9, exit_code=None)
    exq.check(3000 <= answer["duration_ms"] <= 20000, answer["duration_ms"])


@exq.test("SIGTERM reaches the command itself, whose last words are kept (H037)", backend=BACKENDS)
def got_term(backend):
    answer = space(backend).call("trap 'echo got-term; exit 5' TERM; while :; do sleep 0.1; done", timeout=1)
    done(answer, reason="timeout", exit_code=5, success=False)
    exq.matches(answer["output"], r"^(Terminated\n)?got-term\n$")  # dash says what ended its own child


@exq.test("a command that obeys SIGTERM needs no SIGKILL (H049)", backend=BACKENDS)
def obeys(backend):
    answer = space(backend).call("exec sleep 99949", timeout=1)
    done(answer, reason="timeout", signal=15)


@exq.test("exit 0 on the SIGTERM of the deadline is still a timeout", backend=BACKENDS)
def exits_on_term(backend):
    answer = space(backend).call("trap 'exit 0' TERM; while :; do sleep 0.1; done", timeout=1)
    done(answer, reason="timeout", exit_code=0, success=False)


@exq.test("unrelated processes of the same user are never signalled (H038)")
def bystanders():
    ws = exq.Workspace()
    ten = [ws.popen(["/bin/sleep", "500"]) for _ in range(10)]
    tool = exq.need_program("strace")
    trace = ws.path("trace")
    line = b'{"name":"shell","arguments":{"command":"sleep 99938","timeout":1}}\n'
    traced = ws.popen([tool, "-f", "-o", trace, "-e", "trace=kill,tkill,tgkill,pidfd_send_signal", ws.program(), "--headless"],
                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = traced.communicate(line, timeout=60)
    exq.has(out.decode() + err.decode(), '"reason":"timeout"')
    exq.equal([process.poll() for process in ten], [None] * 10)
    with open(trace, encoding="utf-8", errors="replace") as file:
        calls = file.read()
    exq.matches(calls, r"pidfd_send_signal\(")
    exq.check(not re.search(r"\bkill\((?:-1|0|1|-\d+),", calls), calls[-2000:])


@exq.test("standard input is empty, and the next request is not eaten (H039)", backend=BACKENDS)
def empty_input(backend):
    ws = space(backend)
    answers = ws.headless([{"id": 1, "name": "shell", "arguments": {"command": "cat; echo end=$?"}},
                           {"id": 2, "name": "shell", "arguments": {"command": "echo two"}}])
    exq.equal((answers.by_id(1)["output"], answers.by_id(2)["output"]), ("end=0\n", "two\n"))


@exq.test("a timeout above the ceiling is cut to it and noted (H041)")
def ceiling():
    ws = exq.Workspace(sections={"security.resources": {"max_cpu_time_seconds": 1}})
    answer = ws.call("sleep 99941", timeout=1000000000)
    done(answer, reason="timeout")
    exq.has(answer["notes"], "timeout_clamped")
    exq.check(answer["duration_ms"] < 20000, answer["duration_ms"])


@exq.test("nothing of a call outlives a SIGKILL of the console (H043)", backend=BACKENDS)
def console_killed(backend):
    ws = space(backend)
    session = ws.start()
    session.send({"name": "shell", "arguments": {"command": "setsid sleep 99930 & trap '' TERM; echo > up; sleep 99930"}})
    # the command may do something before the console is told that it was started
    exq.wait_for(lambda: ws.events("started") and os.path.exists(ws.path("up")) and len(exq.find("sleep 99930")) >= 2,
                 what="the command")
    session.kill()
    exq.gone("99930")
    exq.equal(ws.call("true")["success"], True)
    found = ws.events("found_open")
    exq.equal(len(found), 1, "found_open events")
    exq.equal([call["state"] for call in found[0]["calls"]], ["running"])


@exq.test("nothing of a call outlives its supervisor: gone before the answer says that it is lost", backend=BACKENDS)
def supervisor_killed(backend):
    ws = space(backend, sections={"security.resources": {"max_subprocesses": 100}})
    session = ws.start()
    # Many, so that an answer that does not wait for their end comes before it.
    many = "for i in $(seq 60); do setsid sleep 99931 & done; echo > up; sleep 99931"
    session.send({"name": "shell", "arguments": {"command": many}})
    exq.wait_for(lambda: os.path.exists(ws.path("up")) and len(exq.find("sleep 99931")) >= 61, what="the command")
    children = [proc for proc in exq.descendants(session.pid) if proc.parent == session.pid]
    exq.equal(len(children), 1, "children of the console")
    children[0].kill()
    done(session.answer(), reason="supervisor_lost", success=False)
    exq.equal([str(proc) for proc in exq.find("99931")], [], "what is left when the answer comes")
    session.close_input()
    session.wait()


@exq.test("nothing of a call outlives a SIGKILL of both", backend=BACKENDS)
def both_killed(backend):
    ws = space(backend)
    session = ws.start()
    session.send({"name": "shell", "arguments": {"command": "setsid sleep 99932 & echo > up; sleep 99932"}})
    exq.wait_for(lambda: os.path.exists(ws.path("up")) and len(exq.find("sleep 99932")) >= 2, what="the command")
    children = [proc for proc in exq.descendants(session.pid) if proc.parent == session.pid]
    session.kill(signal.SIGSTOP)
    children[0].kill()
    session.kill()
    exq.gone("99932")


@exq.test("a deadline passes while the console is stopped: the tree ends all the same", backend=BACKENDS)
def console_stopped(backend):
    ws = space(backend)
    session = ws.start()
    session.send({"name": "shell", "arguments": {"command": "echo > up; sleep 99933", "timeout": 1}})
    exq.wait_for(lambda: os.path.exists(ws.path("up")) and exq.find("sleep 99933"), what="the command")
    session.kill(signal.SIGSTOP)
    exq.gone("sleep 99933", 30)
    session.kill(signal.SIGCONT)
    done(session.answer(), reason="timeout", success=False)
    session.close_input()
    session.wait()


@exq.test("SIGTERM to the console ends what runs, answers it and ends with 143", backend=BACKENDS)
def console_terminated(backend):
    ws = space(backend)
    session = ws.start()
    session.send({"name": "shell", "arguments": {"command": "echo before; echo > up; sleep 99934"}})
    exq.wait_for(lambda: os.path.exists(ws.path("up")), what="the command")
    session.kill(signal.SIGTERM)
    done(session.answer(), reason="console_closed", output="before\n", success=False)
    exq.equal(session.wait(), 143)
    exq.equal(exq.find("sleep 99934"), [])


@exq.test("five hundred calls leave no zombie, no descriptor and no memory (H044)")
def many():
    ws = exq.Workspace()
    session = ws.start()

    def figures():
        own = [proc for proc in exq.descendants(session.pid, zombies=True) if proc.parent == session.pid]
        # The console cannot be read by its own user, which is as it should be: then its children alone are counted.
        readable = os.access(f"/proc/{session.pid}/fd", os.R_OK)
        return len(os.listdir(f"/proc/{session.pid}/fd")) if readable else None, len(own)

    for number in range(1, 501):
        exq.equal(session.call("true")["success"], True)
        if number == 100:
            before = figures()
    exq.wait_for(lambda: figures() == before, 10, what=lambda: f"{before} descriptors and children, now {figures()}")
    session.close_input()
    exq.equal(session.wait(), 0)


@exq.test("a missing working directory below the workspace is made, and noted (H045)", backend=BACKENDS)
def made_directory(backend):
    ws = space(backend)
    answer = ws.call("pwd", working_dir="new/deep")
    done(answer, output=ws.path("new/deep") + "\n", success=True)
    exq.has(answer["notes"], "working_dir_created")
    exq.equal(os.stat(ws.path("new/deep")).st_uid, ws.uid)


@exq.test("a command that begins with a dash is a command (H050)", backend=BACKENDS)
def dash(backend):
    answer = space(backend).call("-x; echo after")
    exq.matches(answer["output"], r"not found\nafter\n$")
    done(answer, exit_code=0)


@exq.test("fifty background processes are gone with the answer", backend=BACKENDS)
def fifty(backend):
    ws = space(backend, sections={"security.resources": {"max_subprocesses": 100}})
    done(ws.call("for i in $(seq 50); do setsid sleep 99935 & done; echo up"), output="up\n")
    exq.equal(exq.find("sleep 99935"), [])


@exq.test("exit status {code} comes through as it is", code=[0, 1, 42, 126, 127, 137, 255], backend=BACKENDS)
def exit_status(code, backend):
    done(space(backend).call(f"exit {code}"), exit_code=code, signal=None, success=code == 0,
         reason=None if code == 0 else "exit_status")


@exq.test("a signal is told apart from an exit status", backend=BACKENDS)
def signaled(backend):
    done(space(backend).call("kill -SEGV $$"), exit_code=None, signal=11, reason="signaled", success=False)


exq.main()
