"""`./bootstrap demo` as a visitor meets it: nine sample requests, decided by keys, each with its right answer."""

import json
import os
import re
import shutil

import exq
from exq_space import PROGRAMS, source_dir

# id: members of its answer
WANTED = {
    1: {"success": True, "decision": "approved"},
    2: {"decision": "approved"},
    3: {"success": True, "output": "./src/voucher.txt:1:TODO: sort the vouchers\n"},
    4: {"success": True, "output": "".join(f"step {n}\n" for n in range(1, 6))},
    5: {"success": False, "reason": "rejected", "decision": "rejected", "output": "", "decided_by": "operator"},
    6: {"success": True, "output": "harmless\n"},
    7: {"success": True, "truncated": True, "output_bytes": 3000000},
    8: {"success": False, "reason": "timeout", "exit_code": None, "signal": 15},
    9: {"success": True, "output": "looks-fine\u202e\nreversed\u202c\n"},
}


def lay_out(ws):
    """What a built clone holds of it, at a place that the user can reach. Gives the directory."""
    clone = ws.mkdir(os.path.join(ws.dir, "clone"))
    shutil.copy(os.path.join(source_dir(), "bootstrap"), clone)
    samples = os.path.join(clone, "tests/data/samples")
    os.makedirs(samples)
    shutil.copy(os.path.join(source_dir(), "tests/data/samples/requests.jsonl"), samples)
    for name in PROGRAMS:
        shutil.copy(ws.program(name), clone)
    return clone


@exq.test("nine sample requests decided by keys give nine right answers and a whole record", user=exq.USERS)
def demo(user):
    ws = exq.Workspace(user=user)
    term = exq.Tmux(ws)
    term.literal(f"TMPDIR={ws.run} {lay_out(ws)}/bootstrap demo; echo status=$?")
    term.keys("Enter")
    term.wait("9 waiting")
    for number in sorted(WANTED):
        term.open(number)
        if number == 5:
            term.reject("a test contacts nobody")
            continue
        term.approve()
        if number == 9:
            term.wait("type the word")
            term.literal("hidden")
            term.wait("[Enter]")
            term.keys("Enter")
            term.wait("decided already")
    term.wait("9 done", 60)
    exq.equal(term.ask("#{alternate_on}"), "1", "the screen stays until q")
    term.keys("q")
    exq.equal(term.wait_status(), 0)
    screen = term.tmux("capture-pane", "-p", "-J", "-S", "-200")
    answers = {answer["id"]: answer for answer in map(json.loads, re.findall(r"^\{.*\}$", screen, re.M))}
    exq.equal(sorted(answers), sorted(WANTED))
    for number, members in WANTED.items():
        exq.equal({key: answers[number][key] for key in members}, members, f"answer {number}")
    exq.matches(screen, r"the chain holds")
    exq.equal(os.listdir(ws.run), [], "left of the demo")


exq.main()
