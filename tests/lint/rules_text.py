"""Rules about scripts, pages, words, white space and golden frames."""

import os
import re
import subprocess

from ctext import blank

# Written so that this file does not hold what it looks for.
PRIVATE = [
    r"(?:^|[^A-Za-z0-9_.])/(?:wor[k]|far[m])/", r"\.pyen[v]", r"/roo[t]/\.", r"registry\.npm[j]s", r"deb\.debia[n]\.org",
    r"pypi\.or[g]", r"proxy\.golan[g]\.org", r"\b[Cc]laud[e]\b", r"\b[Cc]hat[Gg][Pp][T]\b", r"\b[Cc]opilo[t]\b",
    r"\blanguage mode[l]\b", r"\b[Aa]s an A[I]\b",
]
UNFINISHED = r"\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b|not implemente[d]|for no[w]\b"
WAITING = {
    ".c": r"\b(?:sleep|usleep|nanosleep|clock_nanosleep)\s*\(",
    ".h": r"\b(?:sleep|usleep|nanosleep|clock_nanosleep)\s*\(",
    ".py": r"\btime\.sleep\b|\bfrom time import\b.*\bsleep\b",
    ".sh": r"(?:^|[;&|]|\bdo\b|\bthen\b)\s*sleep\b",
}


def is_text(tree, name):
    """Whether the file is text that people wrote."""
    return not name.startswith(("tests/data/", "tests/golden/", "tests/fuzz/corpus")) and "\0" not in tree.text(name)


def white_space(tree):
    """no trailing white space, no missing newline at the end"""
    for name in tree.files:
        if not is_text(tree, name) or not tree.text(name):
            continue
        text = tree.text(name)
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                yield f"{name}:{number}: trailing white space"
        if not text.endswith("\n"):
            yield f"{name}: no newline at the end"


def private_words(tree):
    """no file speaks of a machine, a registry or who wrote it"""
    pattern = re.compile("|".join(PRIVATE), re.M)
    for name in tree.files:
        for match in pattern.finditer(tree.text(name)):
            line = tree.text(name).count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: {match.group(0).strip()}"


def unfinished(tree):
    """nothing in the product is marked as unfinished"""
    for name in tree.product():
        for number, line in enumerate(tree.text(name).split("\n"), 1):
            match = re.search(UNFINISHED, line)
            if match:
                yield f"{name}:{number}: {match.group(0)}"


def no_waiting(tree):
    """a test waits for facts, it never sleeps"""
    for name in tree.match("tests/*.c", "tests/*.h", "tests/*.py", "tests/*.sh", "bootstrap"):
        suffix = os.path.splitext(name)[1] or ".sh"
        text = tree.text(name)
        if suffix in (".c", ".h"):
            text = blank(text)
        elif suffix == ".sh":
            text = re.sub(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|(?m:^\s*#.*$)", "''", text)
        for match in re.finditer(WAITING[suffix], text, re.M):
            yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group(0).strip()}"


def shellcheck(tree):
    """shellcheck has nothing to say"""
    scripts = tree.scripts()
    if not scripts:
        return
    done = subprocess.run([tree.tools.get("shellcheck", "shellcheck"), "-f", "gcc", *scripts], cwd=tree.top,
                          capture_output=True, text=True, check=False)
    yield from done.stdout.splitlines()
    if done.returncode and not done.stdout:
        yield done.stderr.strip()


def python_syntax(tree):
    """every python file compiles"""
    for name in tree.match("*.py"):
        try:
            compile(tree.text(name), name, "exec")
        except SyntaxError as why:
            yield f"{name}:{why.lineno}: {why.msg}"


def manual_pages(tree):
    """mandoc has nothing to say about the manual pages"""
    for name in tree.match("doc/*.[0-9]"):
        done = subprocess.run([tree.tools.get("mandoc", "mandoc"), "-T", "lint", "-W", "warning", name], cwd=tree.top,
                              capture_output=True, text=True, check=False)
        yield from (done.stdout + done.stderr).splitlines()


def screens_in(text):
    """(name, columns, rows, body) of the drawn screens of a page."""
    return re.findall(r"```screen (\S+) (\d+)x(\d+)\n(.*?)\n```", text, re.S)


def screen_widths(tree):
    """every drawn screen and golden frame is as wide and high as it says, and a page draws what the product draws"""
    import wcwidth

    def wrong(where, cols, rows, body):
        lines = body.split("\n")
        if len(lines) != rows:
            yield f"{where}: {len(lines)} rows, not {rows}"
        for number, line in enumerate(lines, 1):
            if wcwidth.wcswidth(line) != cols:
                yield f"{where}: row {number} is {wcwidth.wcswidth(line)} wide, not {cols}"

    for name in tree.match("*.md"):
        for screen, cols, rows, body in screens_in(tree.text(name)):
            yield from wrong(f"{name} {screen}", int(cols), int(rows), body)
            golden = f"tests/golden/ui/{screen}.txt"
            if tree.has(golden) and tree.text(golden).rstrip("\n") != body:
                yield f"{name} {screen}: the product draws {golden}"
    for name in tree.match("tests/golden/*"):
        size = re.search(r"(\d+)x(\d+)", os.path.basename(name))
        if not size:
            continue
        cols, rows = int(size.group(1)), int(size.group(2))
        lines = tree.text(name).split("\n")
        yield from wrong(name, cols, rows, "\n".join(lines[:rows]))


RULES = [white_space, private_words, unfinished, no_waiting, shellcheck, python_syntax, manual_pages, screen_widths]
