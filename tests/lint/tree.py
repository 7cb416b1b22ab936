"""The files of the tree that the rules look at."""

import fnmatch
import os
import subprocess

SKIPPED = {".git", "build", "autom4te.cache", "build-aux", "__pycache__"}


class Tree:
    """A source tree. Files are those that git knows or would take; without git, all but built ones."""

    def __init__(self, top, build=None, compiler="cc", tools=None):
        self.top = os.path.abspath(top)
        self.build = os.path.abspath(build) if build else None
        self.compiler = compiler
        self.tools = tools or {}
        self._texts = {}
        self.files = sorted(self._from_git() or self._from_walk())

    def _from_git(self):
        if not os.path.exists(os.path.join(self.top, ".git")):
            return None
        done = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", self.top, "ls-files", "-co", "--exclude-standard"],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return None
        return [name for name in done.stdout.splitlines() if os.path.isfile(os.path.join(self.top, name))]

    def _from_walk(self):
        found = []
        for root, dirs, names in os.walk(self.top):
            dirs[:] = [d for d in dirs if d not in SKIPPED and not d.startswith("build-")]
            found += [os.path.relpath(os.path.join(root, name), self.top) for name in names]
        return found

    def match(self, *patterns):
        """Files whose path matches one of the patterns (`*` crosses directories)."""
        return [name for name in self.files if any(fnmatch.fnmatch(name, p) for p in patterns)]

    def path(self, name):
        """Its absolute path."""
        return os.path.join(self.top, name)

    def text(self, name):
        """Its text; bytes that are not UTF-8 are kept as surrogates."""
        if name not in self._texts:
            with open(self.path(name), encoding="utf-8", errors="surrogateescape", newline="") as file:
                self._texts[name] = file.read()
        return self._texts[name]

    def has(self, name):
        """Whether the file is part of the tree."""
        return name in self.files

    def product(self):
        """C files of the product."""
        return self.match("src/*.[ch]", "sandbox/*.[ch]", "tui/*.[ch]")

    def c_files(self):
        """All C files."""
        return self.match("*.c", "*.h")

    def scripts(self):
        """Shell scripts, by name or by first line."""
        found = []
        for name in self.files:
            if name.endswith(".sh"):
                found.append(name)
            elif "." not in os.path.basename(name) and os.path.getsize(self.path(name)) < 1 << 20:
                with open(self.path(name), "rb") as file:
                    first = file.readline(80)
                if first.startswith(b"#!") and (b"/sh" in first or b"bash" in first):
                    found.append(name)
        return found
