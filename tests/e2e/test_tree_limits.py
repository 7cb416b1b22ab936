"""Limits of the whole tree of a command: held in each backend, by name, with figures. Ids are handed-out cases. Nothing here
can pass its limit by much: memory is at most twice the limit, processes are tens."""

import json
import os
import subprocess
import time

import exq
from attack_probe_run import refusing
from exq_space import encode, request

BACKENDS = [*exq.BACKENDS, "none"]
ROWS = {"backend": BACKENDS, "user": exq.USERS}
MEMORY_MB = 160


def space(backend, user=None, **resources):
    """A workspace whose limits are these."""
    env = {"EXEQUATUR_ALLOW_UNSANDBOXED": "1"} if backend == "none" else {}
    ws = exq.Workspace(backend=backend, user=user, env=env, sections={"security.resources": resources})
    ws.env["PATH"] = "/usr/bin:/bin"
    return ws


def ended(ws):
    """The event that ended the only call."""
    return ws.events("ended")[0]


def hog(program):
    """A command that runs it, and then waits to be ended."""
    return f"exec /usr/bin/python3 -c '{program}\nimport signal\nsignal.pause()'"


HOGS = {
    "one process": hog("b = bytearray(300 << 20)"),
    "several that are small each (H080)": "for i in 1 2 3 4; do /usr/bin/python3 -c "
                                          "'b=bytearray(70<<20);import signal;signal.pause()' & done; wait; echo survived",
    "files of memory": hog("import os\nfor i in range(30): os.write(os.memfd_create(\"m\"), bytes(10 << 20))"),
    "shared memory": hog("import mmap\nm = mmap.mmap(-1, 300 << 20)\nfor k in range(0, len(m), 4096): m[k] = 1"),
    "daemons": hog("import os\nfor i in range(6):\n    if os.fork() == 0:\n        os.setsid()\n"
                   "        b = bytearray(50 << 20)\n        import signal\n        signal.pause()"),
}


@exq.test("memory is held for the whole tree: {what}", what=list(HOGS), **ROWS)
def memory(what, backend, user):
    ws = space(backend, user, max_memory_mb=MEMORY_MB)
    answer = ws.call(HOGS[what])
    exq.equal((answer["reason"], answer["success"], answer["output"]), ("memory_limit", False, ""), answer)
    exq.equal(answer["error"], f"memory_limit: needed more than {MEMORY_MB} MB; max_memory_mb raises it")
    exq.equal([event["name"] for event in ws.events("limit")], ["memory"])
    exq.check(ended(ws)["memory_peak"] >= MEMORY_MB << 20, ended(ws))


@exq.test("a private tmpfs counts as memory", backend=exq.BACKENDS, user=exq.USERS)
def tmpfs(backend, user):
    ws = space(backend, user, max_memory_mb=MEMORY_MB)
    answer = ws.call("dd if=/dev/zero of=/tmp/large bs=1M count=300 2>/dev/null; sleep 600")
    exq.equal(answer["reason"], "memory_limit", answer)


@exq.test("only the command ends when it wants far more than it may have (H084)", **ROWS)
def far_more(backend, user):
    ws = space(backend, user, max_memory_mb=MEMORY_MB)
    answers = ws.headless([request(hog("b = bytearray(300 << 20)")), request("sleep 1; echo after")])
    exq.equal(sorted((answer["output"], answer["reason"]) for answer in answers), [("", "memory_limit"), ("after\n", None)])


@exq.test("eight forks that share their memory live", **ROWS)
def shared(backend, user):
    ws = space(backend, user, max_memory_mb=MEMORY_MB)
    answer = ws.call("exec /usr/bin/python3 -c 'import os, select\nb = bytearray(90 << 20)\nr, w = os.pipe()\nfor i in range(8):\n"
                     "    if os.fork() == 0:\n        os.close(w)\n        os.read(r, 1)\n        os._exit(0)\n"
                     "select.select([], [], [], 0.4)\nos.close(w)\nfor i in range(8): os.wait()\nprint(\"lived\")'")
    exq.equal((answer["output"], answer["reason"]), ("lived\n", None), answer)
    exq.check(90 << 20 < ended(ws)["memory_peak"] < MEMORY_MB << 20, ended(ws))
    exq.equal(ended(ws)["processes_peak"], 8)


@exq.test("never more than ten live, and the answer says so (H082)", **ROWS)
def processes(backend, user):
    ws = space(backend, user)
    answer = ws.call("for i in $(seq 50); do sleep 99600 & echo $i; done; wait; echo done")
    exq.equal(answer["output"].split("\n")[-2:], ["sh: 0: Cannot fork", ""], answer)
    exq.has(answer["output"], "9\n10\n")
    exq.equal(answer["reason"], "process_limit", answer)
    exq.equal(answer["error"], "process_limit: failed after an 11th process was refused; max_subprocesses raises 10")
    exq.equal((ended(ws)["processes_peak"], exq.find("sleep 99600")), (10, []))
    exq.equal([(event["name"], event["figure"]) for event in ws.events("limit")], [("processes", 10)])


@exq.test("a command that can do without the process it is refused succeeds", backend=BACKENDS)
def without(backend):
    answer = space(backend, max_subprocesses=2).call("sleep 0.3 & sleep 0.3 & (true); wait; exit 0")
    exq.equal(answer["reason"] in (None, "process_limit"), True, answer)
    answer = space(backend, max_subprocesses=1).call("/usr/bin/python3 -c 'import os\ntry:\n    os.fork() and os.fork()\n"
                                                     "except BlockingIOError: print(\"refused\")'; exit 0")
    exq.equal((answer["reason"], answer["exit_code"]), (None, 0), answer)


@exq.test("processes of the same user outside do not count (H081)", backend=BACKENDS, user=exq.USERS)
def others(backend, user):
    ws = space(backend, user)
    sleepers = [ws.popen(["/bin/sleep", "60"]) for i in range(30)]
    try:
        exq.equal(ws.call("echo ok | cat")["output"], "ok\n")
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()


WORK = {
    "a pipeline of everyday tools": ("seq 100 | sort -rn | head -3 | tr '\\n' ' ' | cat", "100 99 98 "),
    "make with two jobs": ("for i in 1 2 3 4 5 6; do echo \"int f$i(void){return $i;}\" > f$i.c; done\n"
                           "printf 'all: %s\\n\\t@echo built\\n%%.o: %%.c\\n\\t@gcc -c -o $@ $<\\n' "
                           "\"$(echo f1.o f2.o f3.o f4.o f5.o f6.o)\" > Makefile\nmake -j2", "built\n"),
    "threads of node": ("node -e 'const {Worker}=require(\"worker_threads\");let n=0;for(let i=0;i<12;i++)"
                        "new Worker(\"0\",{eval:true}).on(\"exit\",()=>{if(++n==12)console.log(\"all\")})'", "all\n"),
    "npm": ("npm --version > v && test -s v && echo npm", "npm\n"),
    "java": ("java -XX:-UsePerfData -version 2>&1 | grep -c version", "1\n"),
    "scripts that start many, one after the other": ("i=0; while [ $i -lt 60 ]; do (true); true & wait; i=$((i+1)); done; "
                                                     "echo $i", "60\n"),
}


@exq.test("works with ten processes: {what}", what=list(WORK), backend=BACKENDS, user=exq.USERS)
def work(what, backend, user):
    answer = space(backend, user, max_memory_mb=1024).call(WORK[what][0])
    exq.equal((answer["output"], answer["reason"]), (WORK[what][1], None), answer)


@exq.test("the CPU share is held for the whole tree", **ROWS)
def share(backend, user):
    ws = space(backend, user, max_cpu_percent=10)
    burn = "/usr/bin/python3 -c 'import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end: pass'"
    begun = time.monotonic()
    answer = ws.call(f"{burn} & {burn} & wait")
    exq.equal(answer["reason"], None, answer)
    # From before the start, which counts too. What it may save, and a last stretch between two looks, come on top.
    most = (time.monotonic() - begun) * 1000 * os.cpu_count() * 10 / 100 + 400
    exq.check(100 < ended(ws)["cpu_ms"] < most, (ended(ws), most))


@exq.test("what is used is recorded each second and at the end", **ROWS)
def usage(backend, user):
    ws = space(backend, user)
    ws.call("/usr/bin/python3 -c 'import select\nb = bytearray(40 << 20)\nselect.select([], [], [], 2.5)' & wait")
    events = ws.events("usage")
    exq.check(events and events[-1]["ms"] >= 1000, events)
    most = max(events, key=lambda event: event["memory"])  # the last may find it on its way out
    exq.equal(most["processes"], 1)
    exq.check(40 << 20 < most["memory"] < 100 << 20, most)
    exq.check(ended(ws)["memory_peak"] > 40 << 20 and ended(ws)["processes_peak"] == 1, ended(ws))
    exq.equal((ws.events("started")[0]["memory_limit"], ws.events("started")[0]["processes_limit"]), (512 << 20, 10))


@exq.test("a short command has its figures too", **ROWS)
def short(backend, user):
    ws = space(backend, user)
    ws.call("true; (true)")
    exq.check(ended(ws)["memory_peak"] > 0 and ended(ws)["processes_peak"] <= 1 and ended(ws)["cpu_ms"] >= 0, ended(ws))


def below(ws, words, command):
    """The answer of a headless run on a machine that refuses something."""
    before, more = refusing(ws, words, setuid=ws.sections["security.sandbox"]["backend"] == "firejail")
    process = ws.popen([*before, ws.program(), "--headless"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       **more)
    out, err = process.communicate(encode([request(command)]), timeout=exq.WATCHDOG)
    exq.equal(process.returncode, 0, err.decode())
    return json.loads(out)


@exq.test("where no fork can ask, too many processes are ended and the card says it beforehand (H083)",
          backend=BACKENDS, user=exq.USERS)
def watched(backend, user):
    if backend == "firejail" and os.getuid() != 0:
        exq.skip("needs root, to refuse something and leave firejail its set-user-ID bit")
    ws = space(backend, user)
    answer = below(ws, ["listener"], "for i in $(seq 30); do sleep 99601 & done; wait; sleep 600")
    exq.equal((answer["reason"], exq.find("sleep 99601")), ("process_limit", []), answer)
    exq.has(json.dumps(ws.events("card")), "!processes 10 watched, may pass for 20 ms")
    exq.equal(ws.events("started")[0]["enforced"]["processes"], "watched")


@exq.test("memory that nobody watches is named as not held (H083)", backend=BACKENDS, user=["ordinary"])
def not_held(backend, user):
    ws = space(backend, user, memory_monitoring=False)
    answer = ws.call("true")
    exq.equal([note for note in answer["notes"] if note.endswith("not_enforced")], ["memory_not_enforced"])
    exq.has(json.dumps(ws.events("card")), "!memory not held")


@exq.test("the keeper of each limit is on the card", **ROWS)
def keeper(backend, user):
    ws = space(backend, user)
    ws.call("true")
    card = json.dumps(ws.events("card"))
    exq.has(card, "processes 10 supervisor")
    exq.check("memory 512 MB cgroup" in card or "!memory 512 MB sampled, may pass by 40 MB" in card, card)
    exq.check("CPU 80 % cgroup" in card or "CPU 80 % supervisor" in card, card)


@exq.test("`run` of a command that is ended for its memory ends with 137", backend=exq.BACKENDS, user=exq.USERS)
def status(backend, user):
    ws = space(backend, user, max_memory_mb=MEMORY_MB)
    process = ws.popen([ws.program(), "run", hog("b = bytearray(300 << 20)")], stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    _, err = process.communicate(timeout=exq.WATCHDOG)
    exq.equal(process.returncode, 137)
    exq.has(err.decode(), "memory_limit")


@exq.test("nothing is left of a fork bomb when its console is killed", **ROWS)
def bomb(backend, user):
    ws = space(backend, user)
    process = ws.popen([ws.program(), "run", "f() { sleep 99602 & f & f; }; touch up; f"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    exq.wait_for(lambda: os.path.exists(ws.path("up")))
    process.kill()
    process.wait()
    exq.wait_for(lambda: not exq.find("sleep 99602"), what="the end of the bomb")


exq.main()
