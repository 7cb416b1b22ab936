"""The limits that are held by now. Ids are handed-out cases."""

import exq

ROWS = {"backend": exq.EVERY, "user": exq.USERS}


@exq.test("node runs within the default limits (H079)", **ROWS)
def node(backend, user):
    exq.need_program("node")
    exq.equal(exq.Workspace(backend=backend, user=user).call("node -e 'console.log(1)'")["output"], "1\n")


@exq.test("two hundred open files are allowed by default, three hundred are not (H085)", **ROWS)
def files(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ws.write("open.py", "import sys\nfs = [open('/dev/null') for _ in range(int(sys.argv[1]))]\nprint(len(fs))\n")
    exq.equal(ws.call("/usr/bin/python3 open.py 200")["output"], "200\n")
    exq.equal(ws.call("/usr/bin/python3 open.py 300")["exit_code"], 1)


@exq.test("CPU time of one process is bounded, by name", backend=exq.EVERY)
def cpu(backend):
    import os
    ws = exq.Workspace(backend=backend, sections={"security.resources": {"max_cpu_time_seconds": 2}})
    answer = ws.call("exec /usr/bin/python3 -c 'while True: pass'")
    cpus = os.cpu_count()
    exq.equal(answer["reason"], "cpu_limit" if cpus == 1 else "timeout")


@exq.test("every limit is held", backend=exq.EVERY)
def named(backend):
    notes = exq.Workspace(backend=backend).call("true")["notes"]
    exq.equal([n for n in notes if n.endswith("not_enforced")], [])


@exq.test("a file larger than the limit of one file is refused by name", backend=exq.EVERY)
def file_size(backend):
    answer = exq.Workspace(backend=backend).call("exec /usr/bin/python3 -c \"import os; os.truncate(os.open('big', 66), 3 << 30)\"")
    exq.check(answer["reason"] in ("file_size_limit", "exit_status"), answer)
    exq.equal(answer["success"], False)


exq.main()
