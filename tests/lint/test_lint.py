"""The lint rules themselves: each finds its fault in a small bad tree and is silent about a good one."""

import os
import shutil
import sys
import tempfile

import exq

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ctext  # noqa: E402
import lint  # noqa: E402
import rules_docs  # noqa: E402
from tree import Tree  # noqa: E402

GOOD_C = """#include "config.h"

#include "base/x.h"

#include <stdio.h>

/* while (fork()) is only said here, "if" is only quoted. */
int x_add(int a, int b)
{
	return a + b;
}
"""
GOOD_H = """#ifndef BASE_X_H
#define BASE_X_H

int x_add(int a, int b);

#endif
"""
PAGE = """.Dd November 30, 2026
.Dt X 1
.Os
.Sh NAME
.Nm x
.Nd a page
.Sh DESCRIPTION
.Fl -config
.Fl c
.Cm run
The section
.Ic [a.b]
has
.Va key ,
answers have exit_status and edited.
.Sh EXIT STATUS
0 1 2 3 124 125 128+N 130 137 152 153
"""
CASES = "id\ttheme\tpart\twhere\n" + "".join(
    f"H{n:03}\ttui\there\ttests/e2e/test_x.py:a name\n" for n in range(1, 138))
FORMAT = ".Sh EVENTS\n.Bl -tag -width Ds\n.It Li card\n.Li why .\n.El\n.Sh TYPES\n.Bl -tag -width Ds\n.It text\n.Li why .\n.El\n"
RECORD = '{"type":"card","seq":1,"%s":"x"}\n'

GOOD = {
    "config.h": "", "src/base/x.c": GOOD_C, "src/base/x.h": GOOD_H, "doc/exequatur.1": PAGE,
    "src/core/reason.c": '#include "config.h"\n\nconst char *const names[] = {\n\t[REASON_EXIT] = "exit_status",\n};\n',
    "src/core/result.c": '#include "config.h"\n\nconst char *const notes[] = {\n\t[NOTE_EDITED] = "edited",\n};\n',
    "src/core/cause_x.c": '#include "config.h"\n\nconst struct row rows[] = {\n\t{CAUSE_X, "some_cause"},\n};\n',
    "doc/exequatur-doctor.1": PAGE.replace(".Sh EXIT", ".Bl -tag -width Ds\n.It Li some_cause\nA cause.\n.El\n.Sh EXIT"),
    "src/core/event.c": '#include "config.h"\n\nconst char *const events[] = {\n\t[EVENT_CARD] = "card",\n};\n',
    "src/app/broker_x.c": '#include "config.h"\n\nvoid *fields_x(void *f)\n{\n\tjson_set_str(f, "why", "x");\n\treturn f;\n}\n',
    "doc/exequatur-audit.5": PAGE.replace(".Dt X 1", ".Dt X 5").replace(".Sh EXIT", FORMAT + ".Sh EXIT"),
    "src/base/Makefile.inc": "a = src/core/event.c src/app/broker_x.c src/base/x.c src/base/x.h src/core/reason.c src/core/result.c src/core/cause_x.c tests/e2e/test_x.py\n"
    "b = doc/exequatur.1 doc/exequatur-audit.5 doc/exequatur-doctor.1 tests/cases.tsv tests/helpers/run.sh tests/golden/card-4x2.txt tests/helpers/note.md\n",
    "tests/cases.tsv": CASES, "tests/e2e/test_x.py": '"""a name"""\n', "tests/helpers/run.sh": "#!/bin/sh\nexit 0\n",
    "tests/golden/card-4x2.txt": "ab\u4e2d\n    \n", "tests/helpers/note.md": "```screen s 2x1\n\u4e2d\n```\n",
}
LONG = "int x_long(void)\n{\n" + "\tx();\n" * 60 + "\treturn 0;\n}\n"
KNOTTY = "int x_knot(int a)\n{\n\treturn " + " && ".join(["a"] * 13) + ";\n}\n"

# rule: [(file, text)], each of which alone must break it
BAD = {
    "file_lines": [("src/base/x.h", "\n" * 400), ("tests/helpers/run.sh", "#\n" * 400)],
    "function_lines": [("src/base/x.c", LONG)],
    "complexity": [("src/base/x.c", KNOTTY), ("src/base/x.c", KNOTTY.replace("&&", "?a:")),
                   ("src/base/x.c", "int f(int a)\n{\n\tswitch (a) {\n" + "\tcase 1:\n" * 12 + "\t}\n}\n")],
    "floors": [("src/base/x.c", '#include "core/y.h"\n'), ("tui/y.c", '#include "sandbox/y.h"\n'),
               ("sandbox/y.c", '#include "tui/y.h"\n'), ("src/base/x.c", '#include "x.h"\n')],
    "monopolies": [
        ("src/core/y.c", f"{line}\n") for line in (
            "#include <curses.h>", "#include <cjson/cJSON.h>", "#include <seccomp.h>", "#include <uv.h>",
            "#include <sodium.h>", "#include <zstd.h>", "int a = fork();", "int b = execve(x, y, z);", "int c = posix_spawn(p);",
            "int d = syscall(SYS_clone3, 0);", "int e = clock_gettime(0, 0);", "int f = time(0);")
    ] + [("src/base/passwords.c", "#include <sodium.h>\n"),
         ("tui/y.c", "#include <ini.h>\n"), ("tui/view.c", "#include <curses.h>\n"), ("src/app/y.c", "int a = uv_spawn(l);\n")],
    "include_order": [("src/base/x.c", '#include "base/x.h"\n#include "config.h"\n'),
                      ("src/base/x.c", '#include "config.h"\n#include <stdio.h>\n#include "base/x.h"\n')],
    "no_typedef": [("src/base/x.h", "typedef struct x x_t;\n")],
    "headers_alone": [("src/base/x.h", "size_t x_size(void);\n"), ("src/base/x.h", "int x = 1;\n")],
    "clang_format": [("src/base/x.c", "int  x_add(int a){return a;}\n")],
    "white_space": [("src/base/x.c", "int a; \n"), ("src/base/x.c", "int a;")],
    "private_words": [("README.md", "see /wo" + "rk/main\n"), ("src/base/x.c", "/* Cla" + "ude */\n")],
    "unfinished": [("src/base/x.c", "/* TO" + "DO */\n"), ("tui/x.c", "/* good enough for n" + "ow */\n")],
    "no_waiting": [("tests/unit/y.c", "int main(void)\n{\n\tusleep(3);\n}\n"), ("tests/e2e/y.py", "time.sle" + "ep(1)\n"),
                   ("tests/helpers/run.sh", "#!/bin/sh\nsleep 1\n"), ("tests/helpers/run.sh", "while :; do sleep 1; done\n")],
    "shellcheck": [("tests/helpers/run.sh", "#!/bin/sh\necho $1\n"), ("bootstrap", "#!/bin/sh\ncd x\n")],
    "python_syntax": [("tests/e2e/y.py", "def f(:\n")],
    "manual_pages": [("doc/exequatur.1", ".Sh NAME\n.Nosuch\n")],
    "screen_widths": [("tests/golden/card-4x2.txt", "abc\n    \n"), ("README.md", "```screen s 3x1\nab\n```\n"),
                      ("README.md", "```screen s 2x2\nab\n```\n"),
                      ("tests/golden/ui/s.txt", "ab\n")],
    "exit_statuses_documented": [("doc/exequatur.1", PAGE.replace("124 ", ""))],
    "reasons_documented": [("doc/exequatur.1", PAGE.replace("exit_status", "")), ("src/core/reason.c", "\n")],
    "format_documented": [("doc/exequatur-audit.5", PAGE), ("src/core/event.c", "\n"),
                          ("src/app/broker_y.c", 'json_set_int(f, "other", 1);\n'), ("tests/data/record-v1-x.jsonl", RECORD % "other"),
                          ("tests/data/record-v1-x.jsonl", (RECORD % "why").replace("card", "other"))],
    "causes_documented": [("doc/exequatur-doctor.1", ".It Li other\n"), ("src/core/cause_x.c", "\n")],
    "cases_listed": [
        ("tests/cases.tsv", CASES.replace("H100\ttui\there\ttests/e2e/test_x.py:a name\n", "")),
        ("tests/cases.tsv", CASES + "H001\ttui\tlater\tx\n"), ("tests/cases.tsv", CASES + "H138\ttui\tsocket\tx\n"),
        ("tests/cases.tsv", CASES.replace("test_x.py:a name", "test_x.py:another", 1)),
        ("tests/cases.tsv", CASES.replace("test_x.py", "test_y.py", 1))],
    "words_marked": [("tui/view_y.c", f"{line}\n") for line in (
        'draw_text(s, 1, 2, "nothing waits");', 'static const char *const names[] = {"1 queue"};', 'str_printf(o, "%u lines", n);')],
    "sources_listed": [("src/base/y.c", "\n"), ("tests/unit/test_y.c", "\n"), ("tests/e2e/test_y.py", "\n"),
                       ("tests/data/y", "\n"), ("doc/y.md", "\n")],
}
WORDS = {
    "options_documented": ("exequatur run [OPTIONS]\n  -c, --config FILE\n",
                           ["exequatur run\n --config --nosuch\n", "exequatur other\n --config\n", "exequatur run\n --config -q\n", ""]),
    "keys_documented": ("[a.b]\nkey = 1 # default\n", ["[a.b]\nother = 1\n", "[a.c]\nkey = 1\n", ""]),
}


class Made:
    """A temporary tree of files."""

    def __init__(self, files):
        self.top = tempfile.mkdtemp(prefix="exq-lint-")
        style = os.path.join(os.environ.get("EXQ_SOURCE", "."), ".clang-format")
        shutil.copy(style, self.top)
        for name, text in files.items():
            path = os.path.join(self.top, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def problems(self, rule, *arguments):
        """What the rule says about it."""
        return list(rule(Tree(self.top, build=self.top), *arguments))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.top)


def rule_named(name):
    """The rule."""
    return next(rule for rule in lint.RULES if rule.__name__ == name)


def need_tool(name):
    """Skips where the tool of a rule is missing."""
    for tool, rules in (("clang-format", ["clang_format"]), ("shellcheck", ["shellcheck"]), ("mandoc", ["manual_pages"])):
        if name in rules:
            exq.need_program(tool)
    if name == "screen_widths":
        try:
            import wcwidth  # noqa: F401
        except ImportError:
            exq.skip("python3-wcwidth is not installed")


@exq.test("every rule has a bad tree")
def covered():
    exq.equal(sorted(rule.__name__ for rule in lint.RULES), sorted([*BAD, *WORDS]))


@exq.test("{rule} is silent about a good tree", rule=sorted(BAD))
def good(rule):
    need_tool(rule)
    with Made(GOOD) as made:
        exq.equal(made.problems(rule_named(rule)), [])


@exq.test("{rule} finds every bad tree", rule=sorted(BAD))
def bad(rule):
    need_tool(rule)
    for name, text in BAD[rule]:
        with Made({**GOOD, name: text}) as made:
            exq.check(made.problems(rule_named(rule)), f"nothing said about {name}:\n{text[:300]}")


@exq.test("{rule} compares the words of the program with the page", rule=sorted(WORDS))
def words(rule):
    right, wrong = WORDS[rule]
    with Made(GOOD) as made:
        exq.equal(made.problems(rule_named(rule), right), [])
        for text in wrong:
            exq.check(made.problems(rule_named(rule), text), f"nothing said about {text!r}")


@exq.test("an option that is read and in no help must be in the page too")
def source_options():
    source = '#include "config.h"\n\nstruct option o = {"secret", no_argument, NULL, 1};\n'
    with Made({**GOOD, "src/app/options.c": source}) as made:
        exq.check(made.problems(rules_docs.options_documented, WORDS["options_documented"][0]), "nothing said")


@exq.test("functions are found with their names, lines and complexity")
def functions():
    found = ctext.functions(GOOD_C + "\nstatic int\ny(int a,\n\tint b)\n{\n\tif (a || b)\n\t\treturn a ? 1 : 2;\n\treturn '?';\n}\n")
    exq.equal([(f.name, f.lines, f.complexity) for f in found], [("x_add", 4, 1), ("y", 8, 4)])


@exq.test("keys of an inline and of a sectioned configuration are found")
def keys():
    printed = "[a.b]\nc = 1\n# d is not set: x\n# e: another name of f\n# a sentence\n[d]\n# e = 2\nf.g = 3\n"
    exq.equal(rules_docs.keys_in(printed), ["a.b.c", "a.b.d", "a.b.e", "d.e", "f.g"])


exq.main()
