"""Rules that hold the documents and the lists of tests to the tree."""

import json
import os
import re
import subprocess

CASES = 137
PAGE = "doc/exequatur.1"
DOCTOR_PAGE = "doc/exequatur-doctor.1"
EXIT_STATUSES = ["0", "1", "2", "3", "124", "125", "128+N", "130", "137", "152", "153"]


def page_text(tree):
    """The manual page as words: escapes of mdoc resolved."""
    text = tree.text(PAGE) if tree.has(PAGE) else ""
    return text.replace("\\-", "-").replace("\\&", "").replace("\\(ha", "^")


def run(tree, *arguments):
    """The words of the built program, which speaks without a configuration."""
    program = os.path.join(tree.build or tree.top, "exequatur")
    env = {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    if not os.path.exists(program):
        return ""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=env, cwd="/", check=False)
    return done.stdout


def options_documented(tree, usage=None):
    """every option and command of --help is in the manual page, every option that is read too"""
    usage = run(tree, "--help") if usage is None else usage
    page = page_text(tree)
    source = "".join(tree.text(name) for name in tree.match("src/app/options.c", "src/main.c"))
    options = re.findall(r"(?<![\w-])--([a-z][a-z-]+)", usage)
    if not options:
        yield "--help names no option"
    options += re.findall(r'"([a-z-]+)",\s*(?:no|required|optional)_argument', source)
    for option in sorted(set(options)):
        if not re.search(rf"\bFl -{option}\b", page):
            yield f"{PAGE}: --{option} is missing (Fl -{option})"
    for letter in sorted(set(re.findall(r"(?<![\w-])-([A-Za-z])\b", usage))):
        if not re.search(rf"\bFl {letter}\b", page):
            yield f"{PAGE}: -{letter} is missing (Fl {letter})"
    commands = sorted(set(re.findall(r"^\s*exequatur ([a-z]+)\b", usage, re.M)))
    if not commands:
        yield "--help names no command"
    for command in commands:
        if not re.search(rf"\b(?:Cm|Ic) {command}\b", page):
            yield f"{PAGE}: the command {command} is missing (Cm {command})"


def exit_statuses_documented(tree):
    """every exit status is in the manual page"""
    section = page_text(tree).partition(".Sh EXIT STATUS")[2].partition(".Sh ")[0]
    for status in EXIT_STATUSES:
        if not re.search(rf"(?<!\d){re.escape(status)}(?!\d)", section):
            yield f"{PAGE}: exit status {status} is missing"


def keys_in(printed):
    """section.key of every line that `exequatur config` prints."""
    found, section = [], ""
    for line in printed.split("\n"):
        header = re.match(r"\s*\[([^\]]+)\]", line)
        key = re.match(r"\s*#?\s*([a-z_][a-z_.]*)(?:\s*=|: another name| is not set)", line)
        if header:
            section = header.group(1)
        elif key and "." in key.group(1):
            found.append(key.group(1))
        elif key and section:
            found.append(f"{section}.{key.group(1)}")
    return found


def keys_documented(tree, printed=None):
    """every configuration key is in the manual page"""
    printed = run(tree, "config") if printed is None else printed
    page = page_text(tree)
    keys = keys_in(printed)
    if not keys:
        yield "`exequatur config` prints no key"
    for key in keys:
        section, _, name = key.rpartition(".")
        described = re.split(r"\n\.Ic \[|\n\.Sh ", page.partition(f"\n.Ic [{section}]")[2])[0]
        if not described:
            yield f"{PAGE}: the section [{section}] is missing (Ic [{section}])"
        elif not re.search(rf"\b{name}\b", described):
            yield f"{PAGE}: the key {key} is missing (Va {name})"


FORMAT_PAGE = "doc/exequatur-audit.5"
FORMAT_SOURCES = ["src/app/broker*.c", "src/app/audit*.c", "src/core/redact_fields.c", "src/core/card_json.c", "src/core/card_like.c",
                  "src/core/event_output.c"]
LINE_MEMBERS = {"prev", "v", "event", "at", "wall", "type", "seq", "masked"}


def members_recorded(tree):
    """(type of event, member) of the golden records."""
    for name in tree.match("tests/data/record-v*.jsonl"):
        for line in tree.text(name).splitlines():
            event = json.loads(line)
            yield from ((event["type"], member) for member in event if member not in LINE_MEMBERS)


def format_documented(tree):
    """every event of the record and each of its members is in the page of the format, with its type"""
    page = tree.text(FORMAT_PAGE) if tree.has(FORMAT_PAGE) else ""
    events, types = (page.partition(f".Sh {name}\n")[2].partition("\n.Sh ")[0] for name in ("EVENTS", "TYPES"))
    sections = {part.split("\n")[0]: part for part in re.split(r"^\.It Li ", events, flags=re.M)[1:]}
    names = re.findall(r'\[EVENT_\w+\]\s*=\s*"([a-z_]+)"', tree.text("src/core/event.c"))
    if not names:
        yield "src/core/event.c: no names found"
    for name in names:
        if name not in sections:
            yield f"{FORMAT_PAGE}: the event {name} is missing (It Li {name})"
    keys = set()
    for name in tree.match(*FORMAT_SOURCES):
        keys |= set(re.findall(r'(?:json_set\w*\(\s*\w+,|fields_one\()\s*"([a-z_]+)"', tree.text(name)))
    for key in sorted(keys):
        if not re.search(rf"\b{key}\b", types):
            yield f"{FORMAT_PAGE}: the type of the member {key} is missing (Sh TYPES)"
    for name, member in sorted(set(members_recorded(tree))):
        if not re.search(rf"\b{member}\b", sections.get(name, "")):
            yield f"{FORMAT_PAGE}: the member {member} of {name} is missing"


def reasons_documented(tree):
    """every reason and note of an answer is in the manual page"""
    for name, pattern in (("src/core/reason.c", r'\[REASON_\w+\]\s*=\s*\{?\s*"([a-z_]+)"'),
                          ("src/core/result.c", r'\[NOTE_\w+\]\s*=\s*"([a-z_]+)"')):
        words = re.findall(pattern, tree.text(name)) if tree.has(name) else []
        if not words:
            yield f"{name}: no names found"
        for word in words:
            if not re.search(rf"\b{word}\b", page_text(tree)):
                yield f"{PAGE}: {word} is missing"


def causes_documented(tree):
    """every cause that the doctor can name is in its manual page"""
    names = [name for file in tree.match("src/core/cause_*.c") for name in re.findall(r'\{\s*CAUSE_\w+,\s*"([a-z_]+)"', tree.text(file))]
    page = tree.text(DOCTOR_PAGE) if tree.has(DOCTOR_PAGE) else ""
    if not names:
        yield "no cause found"
    for name in names:
        if not re.search(rf"^\.It Li .*\b{name}\b", page, re.M):
            yield f"{DOCTOR_PAGE}: {name} is missing"


def cases_listed(tree):
    """every handed-out case is listed once, with a test that exists or the part it waits for"""
    if not tree.has("tests/cases.tsv"):
        yield "tests/cases.tsv is missing"
        return
    seen = {}
    for number, line in enumerate(tree.text("tests/cases.tsv").splitlines(), 1):
        if not line or line.startswith(("#", "id\t")):
            continue
        fields = line.split("\t")
        where = f"tests/cases.tsv:{number}"
        if len(fields) != 4 or not all(fields):
            yield f"{where}: wants four fields: id, theme, part, where"
            continue
        identity, _theme, part, test = fields
        if identity in seen:
            yield f"{where}: {identity} is also in line {seen[identity]}"
        seen[identity] = number
        if part == "here":
            yield from _named_test(tree, where, test)
    for number in range(1, CASES + 1):
        if f"H{number:03}" not in seen:
            yield f"tests/cases.tsv: H{number:03} is missing"
    for identity in sorted(set(seen) - {f"H{n:03}" for n in range(1, CASES + 1)}):
        yield f"tests/cases.tsv:{seen[identity]}: there is no case {identity}"


def _named_test(tree, where, tests):
    """Each "file:words" names a test: the file is in the tree and holds the words."""
    for test in tests.split("; "):
        name, _, words = test.partition(":")
        if not tree.has(name):
            yield f"{where}: {name} does not exist"
        elif not words or words not in tree.text(name):
            yield f"{where}: {name} has no test {words!r}"


def sources_listed(tree):
    """every source, every test and what a test needs is in a Makefile.inc, so that the archive is whole"""
    makefiles = "\n".join(tree.text(name) for name in tree.match("*Makefile.inc", "Makefile.am"))
    listed = set(re.findall(r"[\w./+-]+", makefiles))
    names = tree.match("src/*.[ch]", "sandbox/*.[ch]", "tui/*.[ch]", "tests/*", "doc/*", "po/*")
    for name in names:
        if name not in listed and not name.endswith("Makefile.inc"):
            yield f"{name}: in no Makefile.inc"


RULES = [options_documented, exit_statuses_documented, keys_documented, reasons_documented, format_documented, causes_documented, cases_listed,
         sources_listed]
