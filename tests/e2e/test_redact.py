"""What the record keeps less of than was run and shown: masked secrets, outputs by size and digest, variables that were cut."""

import hashlib
import json
import os

import exq
import exq_screen

SECRET, SECOND, STRIPPED = "zzSECRETzz", "zzSECRET2zz", "never-seen-anywhere-4711"


def all_files(ws):
    """What the session left below its directory of state, as one text."""
    found = ""
    for root, _dirs, files in os.walk(ws.state):
        for name in files:
            with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
                found += file.read()
    return found


def digest(text):
    """As b2sum -l 256."""
    return hashlib.blake2b(text.encode(), digest_size=32).hexdigest()


@exq.test("the operator sees and runs the real text, the record holds it masked and still verifies (H018)")
def masked_for_the_record_alone():
    command = "printf '%s' 'Authorization: Bearer sk-TESTTESTTEST' | wc -c"
    ws = exq.Workspace(shell="supervised")
    ws.configure({"security.audit": {"redact": True}})
    term = exq.Tmux(ws)
    term.start(requests=[{"id": 1, "name": "shell", "arguments": {"command": command}}])
    term.wait("#1")
    term.keys("Enter")
    term.wait("Bearer sk-TESTTESTTEST")
    term.approve()
    exq.equal(term.answers(1)[0]["output"], "37\n")
    exq_screen.finish(term)
    exq.equal(exq_screen.verify(ws)[0], 0)
    exq.check("sk-TEST" not in all_files(ws), "the secret is in the record")
    received = ws.events("received")[0]
    exq.equal(received["command"], command.replace("sk-TESTTESTTEST", "*" * 15))
    exq.equal(received["masked"], {"kinds": ["authorization"], "count": 1, "digest": digest(command)})
    exq.equal(ws.events("card")[0]["card"]["command"], received["command"])


@exq.test("neither value is in the record, that something was masked is, and the command got both (H113)")
def both_values():
    command = f"API_KEY={SECRET} sh -c 'echo \"$API_KEY $*\"' x -H 'Authorization: Bearer {SECOND}' https://me:{SECRET}@x.invalid"
    ws = exq.Workspace()
    ws.configure({"security.audit": {"redact": True}})
    answers = ws.headless([{"id": 1, "name": "shell", "arguments": {"command": command}, "reason": f"with {SECRET}"},
                           {"id": 2, "name": "shell", "arguments": {"command": f"echo {SECOND}; cat /nonexistent/{SECRET}; echo {SECRET}; exit 7"}}])
    answers.sort(key=lambda answer: answer["id"])
    exq.equal(answers[0]["output"], f"{SECRET} -H Authorization: Bearer {SECOND} https://me:{SECRET}@x.invalid\n")
    exq.equal(answers[1]["exit_code"], 7)
    exq.has(answers[1]["output"], SECRET)
    files = all_files(ws)
    exq.check(SECRET not in files and SECOND not in files, "a value is in the record")
    exq.equal(exq_screen.verify(ws)[0], 0)
    received, second = ws.events("received")
    exq.equal((received["masked"]["kinds"], received["masked"]["digest"]), (["authorization", "named", "url", "repeated"], digest(command)))
    exq.equal(second["masked"]["kinds"], ["repeated"])
    output = "".join(event["text"] for event in ws.events("output") if event["seq"] == 1)
    exq.equal((output[:43], len(output)), (f"{'*' * 10} -H Authorization: Bearer {'*' * 7}", len(answers[0]["output"])))
    for *arguments, name in (("replay", "--dump", ""), ("audit", "show", "#1"), ("audit", "export", "--format", "json", "")):
        told = ws.exequatur(*arguments, ws.records()[0] + name).stdout.decode()
        exq.has(told, "*" * len(SECRET))
        exq.check(SECRET not in told and SECOND not in told, f"a value is in {arguments}")
    exq.check(SECRET not in ws.exequatur("config").stdout.decode(), "a value is in the configuration")


@exq.test("without redact the record is exact")
def exact():
    ws = exq.Workspace()
    ws.call(f"echo API_KEY={SECRET}")
    exq.has(ws.events("output")[0]["text"], SECRET)
    exq.check(not [event for event in ws.events() if "masked" in event], "something was masked")


@exq.test("record_output = false keeps how much there was and its digest; the answer has all of it")
def sizes_and_digests():
    ws = exq.Workspace()
    ws.configure({"security.audit": {"record_output": False, "redact": True}})
    answer = ws.call("echo not to be kept; exit 3")
    exq.equal((answer["output"], answer["exit_code"]), ("not to be kept\n", 3))
    exq.check("to be kept\\n" not in all_files(ws), "the output is in the record")
    output = ws.events("output")
    exq.equal([(event["bytes"], event["digest"]) for event in output], [(15, digest(answer["output"]))])
    exq.check(not [event for event in output if "text" in event or "base64" in event], output)
    exq.equal(ws.events("ended")[0]["output_bytes"], 15)
    for *arguments, name in (("replay", "--dump", ""), ("audit", "show", "#1"), ("audit", "export", "--format", "asciicast", "")):
        exq.has(ws.exequatur(*arguments, ws.records()[0] + name).stdout.decode(), "not recorded")
    exported = json.loads(ws.exequatur("audit", "export", "--format", "json", ws.records()[0]).stdout)
    exq.has(json.dumps(exported), digest(answer["output"]))
    exq.equal(exq_screen.verify(ws)[0], 0)


@exq.test("the value of a variable that was cut is nowhere in the record, on the screen or in the answer")
def cut_values():
    ws = exq.Workspace(shell="supervised")
    ws.env["MY_SERVICE_TOKEN"] = STRIPPED
    term = exq.Tmux(ws)
    term.start(requests=[{"id": 1, "name": "shell", "arguments": {"command": "env; echo done"}}])
    term.wait("#1")
    term.keys("Enter", "v")
    term.wait("values")
    term.keys("v")
    term.approve()
    answer = json.dumps(term.answers(1)[0])
    exq.has(answer, "done")
    exq_screen.finish(term)
    exq.has(json.dumps(ws.events("profile")), "MY_SERVICE_TOKEN")
    exq.check(STRIPPED not in all_files(ws) + answer + term.wire().decode("utf-8", "replace"), "the value is out")


exq.main()
