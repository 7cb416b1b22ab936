"""What one call costs in the record: bytes beyond its command and its output, and waits for the disk."""

import json
import subprocess

import exq

MOST_BYTES = 3072
MOST_SYNCS = 3


def of_call(ws, seq):
    """Bytes of the lines about a call, without its command and its output."""
    total = 0
    with open(ws.records()[0], "rb") as file:
        for line in file:
            event = json.loads(line)
            # once a second while it runs
            if event.get("seq") == seq and event["type"] != "usage":
                total += len(line)
                total -= len(json.dumps(event["command"])) if event["type"] == "received" else 0
                total -= len(json.dumps(event.get("text", event.get("base64", "")))) if event["type"] == "output" else 0
    return total


@exq.test("a call like one before adds at most 3 KiB to the record beyond its command and output (backend {backend})", backend=exq.BACKENDS)
def bytes_of_a_call(backend):
    ws = exq.Workspace(backend=backend)
    commands = ["true", "echo hi", f"echo {'x' * 9000}; exit 3", "echo first\necho 'second \u4e2d'\n" * 40, "printf '\\000'; kill -9 $$", "rm -rf x; chmod 777 ."]
    answers = ws.headless([{"id": n, "name": "shell", "arguments": {"command": command}} for n, command in enumerate(commands)])
    exq.equal(len(answers), len(commands))
    sizes = [of_call(ws, seq + 1) for seq in range(len(commands))]
    exq.check(all(size <= MOST_BYTES for size in sizes[1:]), sizes)
    whole = [event["card"]["command"] for event in ws.events("card")]
    exq.equal(whole, commands)
    for event in ws.events("card"):
        exq.has(json.dumps(event["card"]["details"]), json.dumps(event["card"]["command"])[1:-1])
    exq.equal(ws.exequatur("audit", "verify", ws.records()[0]).returncode, 0)


@exq.test("a call waits for the disk at most three times")
def syncs_of_a_call():
    ws = exq.Workspace()
    tool = exq.need_program("strace")

    def syncs(calls):
        trace = ws.path(f"trace{calls}")
        lines = b"".join(json.dumps({"name": "shell", "arguments": {"command": f"echo {n}"}}).encode() + b"\n" for n in range(calls))
        process = ws.popen([tool, "-f", "-o", trace, "-e", "trace=fdatasync,fsync", ws.program(), "--headless"],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate(lines, timeout=60)
        exq.equal(out.count(b'"success":true'), calls, err)
        with open(trace, encoding="utf-8") as file:
            return sum("sync(" in line for line in file)

    one, eleven = syncs(1), syncs(11)
    exq.check(one >= 2, f"the trace shows {one} only")
    exq.check(eleven - one <= 10 * MOST_SYNCS, f"{one} for one call, {eleven} for eleven")


exq.main()
