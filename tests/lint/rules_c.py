"""Rules about C: budgets, floors, monopolies, headers, form."""

import concurrent.futures
import re
import subprocess

from ctext import blank, functions, includes

FILE_LINES = 400
FUNCTION_LINES = 60
COMPLEXITY = 13

FLOORS = {"base": 0, "core": 1, "sandbox": 2, "tui": 2, "app": 3}
FORBIDDEN_PAIRS = {("sandbox", "tui"), ("tui", "sandbox")}

# what, as a pattern in code without comments and literals; the files that may
MONOPOLIES = [
    ("<curses.h>", r"#\s*include\s*<(?:n?curses|term)(?:w?/\w+)?\.h>|#\s*include\s*<ncursesw/", r"tui/term\.c"),
    ("<cjson/cJSON.h>", r"#\s*include\s*<cjson/|#\s*include\s*<cJSON", r"src/base/json\.c"),
    ("<ini.h>", r"#\s*include\s*<ini\.h>", r"src/core/config\w*\.c"),
    ("<seccomp.h>", r"#\s*include\s*<seccomp\.h>", r"sandbox/seccomp\w*\.c"),
    ("<uv.h>", r"#\s*include\s*<uv\.h>", r"src/app/\w+\.[ch]"),
    ("<sodium.h>", r"#\s*include\s*<sodium", r"src/base/(?:digest|password|seal)\.c"),
    ("<zstd.h>", r"#\s*include\s*<zstd", r"src/base/packed\.c"),
    ("starting a process",
     r"\b(?:v?fork|clone3?|fexecve|execveat|exec[lv]p?e?|execvpe|posix_spawnp?|system|popen|uv_spawn)\s*\("
     r"|\b(?:SYS|__NR)_(?:v?fork|clone3?|execve(?:at)?)\b", r"sandbox/\w+\.[ch]"),
    ("reading a clock",
     r"\b(?:clock_gettime|clock|time|gettimeofday|timespec_get|ftime|uv_hrtime|uv_now)\s*\(", r"src/base/clock\.c"),
]


def file_lines(tree):
    """a file is under 400 lines"""
    for name in tree.match("*.c", "*.h", "*.py", "*.sh", "bootstrap", "*.inc", "*.am", "*.ac"):
        lines = tree.text(name).count("\n")
        if lines >= FILE_LINES:
            yield f"{name}: {lines} lines"


def function_lines(tree):
    """a function is under 60 lines"""
    for name in tree.match("*.c", "*.h"):
        for function in functions(tree.text(name)):
            if function.lines >= FUNCTION_LINES:
                yield f"{name}:{function.first}: {function.name} has {function.lines} lines"


def complexity(tree):
    """a function has a cyclomatic complexity under 13"""
    for name in tree.match("*.c", "*.h"):
        for function in functions(tree.text(name)):
            if function.complexity >= COMPLEXITY:
                yield f"{name}:{function.first}: {function.name} has {function.complexity}"


def floor_of(name):
    """The floor that a file belongs to; None for files outside the floors."""
    if name == "src/main.c":
        return "app"
    parts = name.split("/")
    folder = parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]
    return folder if folder in FLOORS else None


def floors(tree):
    """a floor includes only itself and those below; sandbox and tui never each other"""
    for name in tree.product():
        mine = floor_of(name)
        for line, target, system in includes(tree.text(name)):
            if system or target == "config.h":
                continue
            theirs = target.split("/")[0]
            if theirs not in FLOORS:
                yield f'{name}:{line}: "{target}" does not name its floor'
            elif FLOORS[theirs] > FLOORS[mine] or (mine, theirs) in FORBIDDEN_PAIRS:
                yield f'{name}:{line}: {mine} includes "{target}"'


def monopolies(tree):
    """curses, cJSON, inih, seccomp, libuv, libsodium, zstd, processes and clocks stay in their files"""
    for name in tree.product():
        code = blank(tree.text(name))
        for what, pattern, allowed in MONOPOLIES:
            if re.fullmatch(allowed, name):
                continue
            for match in re.finditer(pattern, code):
                line = code.count("\n", 0, match.start()) + 1
                yield f"{name}:{line}: {what}: {match.group(0).strip()}"


def include_order(tree):
    """a .c of the product includes "config.h" first, then its own header where it has one"""
    for name in tree.match("src/*.c", "sandbox/*.c", "tui/*.c"):
        found = [target for _, target, _ in includes(tree.text(name))]
        if not found or found[0] != "config.h":
            yield f'{name}: the first include is not "config.h"'
            continue
        own = re.sub(r"^src/", "", name)[:-1] + "h"
        if own in found and found[1:2] != [own]:
            yield f'{name}: "{own}" is not the second include'


def no_typedef(tree):
    """a struct has no typedef"""
    for name in tree.product():
        code = blank(tree.text(name))
        for match in re.finditer(r"\btypedef\s+(?:struct|union)\b", code):
            yield f"{name}:{code.count(chr(10), 0, match.start()) + 1}: typedef of a struct"


def headers_alone(tree):
    """every header compiles alone, and twice"""
    flags = ["-std=gnu11", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c",
             "-I", tree.build or tree.top, "-I", tree.path("src"), "-I", tree.top]

    def compile_one(name):
        short = re.sub(r"^src/", "", name)
        source = f'#include "config.h"\n#include "{short}"\n#include "{short}"\n'
        done = subprocess.run([*tree.compiler.split(), *flags, "-"], input=source, capture_output=True, text=True,
                              check=False)
        return None if done.returncode == 0 else f"{name}: {(done.stderr.strip().splitlines() or ['?'])[0]}"

    headers = tree.match("src/*.h", "sandbox/*.h", "tui/*.h", "tests/*.h")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield from filter(None, pool.map(compile_one, headers))


def clang_format(tree):
    """clang-format has nothing to change"""
    names = tree.c_files()
    if not names:
        return
    done = subprocess.run([tree.tools.get("clang-format", "clang-format"), "--dry-run", "-Werror", "--style=file",
                           *names], cwd=tree.top, capture_output=True, text=True, check=False)
    wrong = sorted({line.split(":")[0] for line in done.stderr.splitlines() if ": error:" in line})
    for name in wrong:
        yield f"{name}: clang-format -i"
    if done.returncode and not wrong:
        yield done.stderr.strip()


RULES = [file_lines, function_lines, complexity, floors, monopolies, include_order, no_typedef, headers_alone,
         clang_format]
