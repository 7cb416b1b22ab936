"""make lint: every rule is one point of TAP, and what breaks it stands below.

    lint.py [--build DIR] [--cc COMMAND] [--clang-format P] [--shellcheck P] [--mandoc P] SOURCE [RULE...]"""

import argparse
import sys

import rules_c
import rules_docs
import rules_text
import rules_words
from tree import Tree

RULES = [*rules_c.RULES, *rules_text.RULES, *rules_docs.RULES, *rules_words.RULES]


def main():
    """Runs the rules; exit status 1 if one is broken."""
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("rules", nargs="*")
    parser.add_argument("--build")
    parser.add_argument("--cc", default="cc")
    for tool in ("clang-format", "shellcheck", "mandoc"):
        parser.add_argument(f"--{tool}", default=tool)
    options = parser.parse_args()
    tools = {tool: getattr(options, tool.replace("-", "_")) for tool in ("clang-format", "shellcheck", "mandoc")}
    tree = Tree(options.source, options.build, options.cc, tools)
    rules = [rule for rule in RULES if not options.rules or rule.__name__ in options.rules]
    print(f"1..{len(rules)}")
    broken = 0
    for number, rule in enumerate(rules, 1):
        problems = list(rule(tree))
        print(f"{'not ok' if problems else 'ok'} {number} - {rule.__doc__.splitlines()[0]} [{rule.__name__}]", flush=True)
        for problem in problems:
            print(f"#   {problem}", flush=True)
        broken += bool(problems)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
