#!/usr/bin/env python3
"""The pictures of README.md and doc/SCREENS.md are golden frames: "```screen NAME COLSxROWS". GOLDEN=update (`make screens`)
writes them anew."""
import os
import re
import sys

TOP = os.environ.get("EXQ_SOURCE", ".")
BLOCK = re.compile(r"^```screen (\S+) (\d+)x(\d+)\n(.*?)^```$", re.M | re.S)
VIEWS = ["queue", "card-everyday", "card-off", "card-ready", "card-hidden", "card-finished", "output", "history", "grants", "help", "empty",
         "no-sandbox", "panic", "locked", "reject-prompt", "edit-diff", "typed-word", "wide-main-120x36",
         "replay-paused-100x30"]
WANTED = {"README.md": ["card-everyday", "wide-main-120x36"], "doc/SCREENS.md": VIEWS}


def frame(name, rows):
    """A golden frame without its styles."""
    with open(os.path.join(TOP, "tests", "golden", "ui", name + ".txt"), encoding="utf-8") as file:
        lines = file.read().split("\n")[:rows]
    return "".join(line + "\n" for line in lines)


def filled(text):
    """A document with each of its pictures as it is now."""
    return BLOCK.sub(lambda m: f"```screen {m[1]} {m[2]}x{m[3]}\n{frame(m[1], int(m[3]))}```", text)


def main():
    """One TAP point for each document, or writes them."""
    if os.environ.get("GOLDEN") != "update":
        print(f"1..{2 * len(WANTED)}")
    number = 0
    for name, wanted in WANTED.items():
        path = os.path.join(TOP, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if os.environ.get("GOLDEN") == "update":
            with open(path, "w", encoding="utf-8") as file:
                file.write(filled(text))
            continue
        missing = sorted(set(wanted) - {m[1] for m in BLOCK.finditer(text)})
        stale = [m[1] for m in BLOCK.finditer(text) if m[4] != frame(m[1], int(m[3]))]
        for what, bad in (("has a picture of each view", missing), ("has the pictures of today, else: make screens", stale)):
            number += 1
            print(f"{'not ok' if bad else 'ok'} {number} - {name} {what}{': ' + ' '.join(bad) if bad else ''}")


if __name__ == "__main__":
    sys.exit(main())
