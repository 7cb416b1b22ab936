"""C source as text: comments and literals blanked, functions found by the shape that clang-format gives them."""

import re

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.S,
)
BRANCH = re.compile(r"\b(?:if|for|while|case)\b|&&|\|\||\?|^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b", re.M)


def blank(text, keep_strings=False):
    """The text with comments (and the contents of literals) replaced by blanks; lines keep their numbers."""

    def replace(match):
        token = match.group(0)
        if token[0] == "/":
            return re.sub(r"[^\n]", " ", token)
        if keep_strings:
            return token
        return token[0] + " " * (len(token) - 2) + token[0]

    return TOKEN.sub(replace, text)


class Function:
    """A function definition: its name, first line, number of lines (signature to closing brace) and complexity."""

    def __init__(self, name, first, last, body):
        self.name = name
        self.first = first
        self.lines = last - first + 1
        self.complexity = 1 + len(BRANCH.findall(body))


def functions(text):
    """Every function of a C file: its body opens with a brace alone in column 0 and ends with the next one there."""
    lines = blank(text).split("\n")
    found = []
    for start, line in enumerate(lines):
        if line.rstrip() != "{":
            continue
        first = start
        while first > 0 and lines[first - 1].strip() and not re.match(r"[}#]|.*;\s*$", lines[first - 1]):
            first -= 1
        end = start + 1
        while end < len(lines) and not lines[end].startswith("}"):
            end += 1
        signature = " ".join(lines[first:start])
        name = re.search(r"([A-Za-z_]\w*)\s*\(", signature)
        body = "\n".join(lines[start : end + 1])
        found.append(Function(name.group(1) if name else "?", first + 1, end + 1, body))
    return found


def includes(text):
    """(line, name, is_system) of every #include."""
    found = []
    for number, line in enumerate(blank(text, keep_strings=True).split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            found.append((number, match.group(2), match.group(1) == "<"))
    return found
