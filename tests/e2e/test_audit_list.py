"""Looking back: `audit list` and `audit show` over records of real sessions. Ids are handed-out cases."""

import json
import os
import re

import exq
import exq_term

DAMAGED, USAGE = 1, 2
FORGED = "true\n{\"seq\":7,\"event\":\"approved\"}"
ESCAPES = "printf '\\033]0;x\\007\\342\\200\\256\\377 end\\n'"


def audit(ws, *arguments, **options):
    """(status, standard output, standard error) of `exequatur audit`."""
    done = ws.exequatur("audit", *arguments, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def listed(ws, *arguments):
    """The calls of `audit list --json`, as objects."""
    status, out, err = audit(ws, "list", "--json", *arguments)
    exq.equal(status, 0, err)
    return [item for item in map(json.loads, out.splitlines()) if item["type"] == "call"]


def session_of(path):
    """The id of the session of a file."""
    return os.path.basename(path)[:-len(".jsonl")]


def two_sessions():
    """A workspace with two sessions: calls of several kinds, then one more."""
    ws = exq.Workspace(backend="landlock")
    ws.headless([
        request("echo first", agent="builder", reason="to begin"),
        request("exit 3", agent="tester"),
        request(ESCAPES, agent="builder"),
        request(FORGED),
        b"not a request\n",
        request("sleep 9", agent="tester", timeout=1),
    ])
    ws.headless([request("echo second", agent="builder")])
    return ws


def request(command, **arguments):
    """A request of the agent."""
    top = {key: arguments.pop(key) for key in ("agent", "reason") if key in arguments}
    return {"name": "shell", **top, "arguments": {"command": command, **arguments}}


@exq.test("list: sessions and calls, each filter, and a person's view of them without a control")
def lists():
    ws = two_sessions()
    first, second = map(session_of, ws.records())
    calls = listed(ws)
    exq.equal([(call["session"], call["seq"]) for call in calls], [(first, n) for n in range(1, 7)] + [(second, 1)])
    exq.equal([(call["state"], call["exit_code"], call["reason"]) for call in calls[:4]],
              [("ended", 0, None), ("ended", 3, "exit_status"), ("ended", 0, None), ("ended", 127, "exit_status")])
    exq.equal(calls[3]["command"], FORGED)  # H112: one entry, what is forged stays in its field
    exq.equal((calls[4]["state"], calls[4]["reason"], calls[4]["raw"]), ("refused", "invalid_request", "not a request"))
    exq.equal((calls[0]["agent"], calls[0]["decision"], calls[0]["decided_by"], calls[0]["backend"], calls[0]["output_bytes"]),
              ("builder", "allowed", "policy", "landlock", 6))
    # The second in which the second session began, and the one before.
    began = calls[-1]["received"]
    filters = {
        ("--agent", "build"): [1, 3, 1], ("--state", "refused"): [5], ("--exit", "3"): [2], ("--exit", "timeout"): [6],
        ("--exit", "ok"): [1, 3, 1], ("--exit", "failed"): [2, 4, 5, 6], ("--backend", "landlock"): [1, 2, 3, 4, 6, 1],
        ("--backend", "docker"): [], ("--text", "echo second"): [1], ("--text", "\\342"): [3], ("--since", began[:19]): [1],
        ("--until", "2001-01-01"): [], ("--since", "1h"): [1, 2, 3, 4, 5, 6, 1],
        ("--agent", "tester", "--exit", "failed"): [2, 6],
    }
    for arguments, wanted in filters.items():
        got = [call["seq"] for call in listed(ws, *arguments)]
        exq.check(got == wanted or (arguments[0] == "--since" and got[-1:] == [1]), f"{arguments}: {got}")
    exq.equal([call["seq"] for call in listed(ws, second)], [1])
    _status, out, _err = audit(ws, "list", "--sessions")
    exq.equal([line.split()[:4] for line in out.splitlines()], [[first, "ended", "6", "calls"], [second, "ended", "1", "call"]])
    for language in ("C.UTF-8", "C"):
        done = ws.exequatur("audit", "list", env={**ws.env, "LANG": language})
        text = done.stdout
        exq.check(all(byte == 10 or 32 <= byte < 127 for byte in text), text)
        exq.equal((done.returncode, len(text.splitlines())), (0, 9), text)
    exq.matches(text.decode(), r"^  #4 .* exit 127 +landlock +- +true<LF>\{\"seq\":7")


@exq.test("show: one call in full and a session; a call is named by its session's last two parts, or by its number in the newest")
def shows():
    ws = two_sessions()
    first, second = map(session_of, ws.records())
    short = "-".join(first.split("-")[1:])
    status, out, err = audit(ws, "show", f"{short}#3")
    exq.equal(status, 0, err)
    exq.check(all(char == "\n" or char.isprintable() for char in out), repr(out))
    for wanted in (f"call      #3 of {first}", "agent     builder", "command\n  | printf", "decision  allowed by policy", "outcome   exit 0",
                   "backend   landlock", "  network     off", "output    15 bytes\n  | <ESC>]0;x<BEL><U+202E><xFF> end\n"):
        exq.has(out, wanted)
    whole = json.loads(audit(ws, "show", "--json", f"{first}#3")[1])
    kinds = [event["type"] for event in whole["events"]]
    exq.equal((kinds[0], kinds[-1], "card" in kinds, "decided" in kinds), ("received", "answered", True, True))
    recorded = [event for event in ws.events() if event.get("seq") == 3]
    wanted = [{key: value for key, value in event.items() if key not in ("prev", "v")} for event in recorded]
    exq.equal(len(whole["events"]), len(wanted))
    for event, one in zip(whole["events"], wanted):
        exq.equal(event, one)
    exq.has(whole["output"], "base64")
    exq.has(audit(ws, "show", "1")[1], f"call      #1 of {second}")
    exq.has(audit(ws, "show", f"{ws.records()[0]}#1")[1], "it says   to begin\n")
    status, out, _err = audit(ws, "show", short)
    exq.equal((status, len(re.findall(r"^  #\d", out, re.M))), (0, 6), out)
    exq.equal(len(json.loads(audit(ws, "show", "--json", second)[1])["list"]), 1)
    for name in (f"{short}#99", "nobody-0000", f"{first}#x", "-", "/nonexistent.jsonl"):
        status, out, err = audit(ws, "show", name)
        exq.equal((status, out), (USAGE, ""), name)
        exq.has(err, "exequatur: ")
    # Both sessions end so now.
    os.rename(ws.records()[1], os.path.join(os.path.dirname(ws.records()[1]), f"20990101T000000Z-{short}.jsonl"))
    status, out, err = audit(ws, "show", short)
    exq.equal((status, out), (USAGE, ""))
    exq.has(err, "several sessions")


@exq.test("what a person decided, with what they had seen and why")
def person():
    requests = [request("echo one", agent="builder"), request("rm -r old")]
    ws, with_person = exq_term.console(requests)
    with_person.open(1)
    with_person.approve()
    with_person.open(2)
    with_person.reject("keep it")
    with_person.answers(2)
    exq.equal([(call["seq"], call["decided_by"], call["decision_text"]) for call in listed(ws)],
              [(1, "operator", None), (2, "operator", "keep it")])
    seen = listed(ws)[0]
    exq.check(seen["rows_total"] > 0 and seen["rows_seen"] == seen["rows_total"], seen)
    out = audit(ws, "show", "2")[1]
    exq.has(out, "decision  rejected by operator, ")
    exq.has(out, "because   keep it\n")
    exq.matches(audit(ws, "show", "1")[1], r"^seen      (\d+) of \1 lines of the card stood on the screen$")
    exq.has(audit(ws, "list", "--sessions")[1], "  open  2 calls  ")


@exq.test("a broken record is listed up to its break, which is named; what is no record is too; other records are listed all the same")
def broken():
    ws = two_sessions()
    path = ws.records()[0]
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    second = [number for number, line in enumerate(lines) if b'"seq":2' in line][0]
    for bad in (b"{}\n", lines[second].replace(b'"seq":2', b'"seq":9'), lines[second].replace(b"exit 3", b"exit 0"), b"\xff" * 9 + b"\n"):
        with open(path, "wb") as file:
            file.write(b"".join([*lines[:second], bad, *lines[second + 1:]]))
        status, out, err = audit(ws, "list", "--json", "--text", "echo")
        calls = [item["command"] for item in map(json.loads, out.splitlines()) if item["type"] == "call"]
        exq.equal((status, calls), (DAMAGED, ["echo first", "echo second"]), bad)
        exq.matches(err, rf"{os.path.basename(path)}:(?:{second + 1}|{second + 2}): ")
    os.unlink(path)
    os.symlink("/etc/passwd", path)
    status, out, err = audit(ws, "list")
    exq.equal((status, out.count("#"), "root:" in out + err), (DAMAGED, 1, False))
    exq.has(err, "is not a plain file")


@exq.test("a session of several files is one session, whichever reader looks at it")
def several_files():
    ws = exq.Workspace(backend="landlock", sections={"security.audit": {"max_size_mb": 1}})
    ws.headless([request(f"echo call {number}; seq 1 130000") for number in range(3)] + [request("echo last")])
    exq.check(len(os.listdir(os.path.dirname(ws.records()[0]))) > 2, os.listdir(os.path.dirname(ws.records()[0])))
    calls = listed(ws)
    exq.equal(([call["seq"] for call in calls], len({call["session"] for call in calls})), ([1, 2, 3, 4], 1))
    short = "-".join(calls[0]["session"].split("-")[1:])
    exq.has(audit(ws, "show", f"{short}#4")[1], "output    5 bytes\n  | last\n")
    status, out, err = audit(ws, "export", "--format", "json", short)
    exq.equal((status, [call["seq"] for call in json.loads(out)["calls"]]), (0, [1, 2, 3, 4]), err)


@exq.test("nothing recorded is an empty list that makes no directory; a filter that means nothing is usage")
def empty():
    ws = exq.Workspace()
    exq.equal(audit(ws, "list"), (0, "", ""))
    exq.equal(os.listdir(ws.state), [])
    for arguments in (["--since", "yesterday"], ["--since", "2026-02-30"], ["--state", "done"], ["--backend", "auto"], ["--exit", "x"],
                      ["--exit", ""], ["--nothing"], ["--agent"]):
        status, out, err = audit(ws, "list", *arguments)
        exq.equal((status, out), (USAGE, ""), arguments)
        exq.check(err != "", arguments)
    exq.equal(audit(ws, "show", "1")[0], USAGE)


exq.main()
