"""Rules about the words of the screen: they are marked for translation, and the marked ones are translated."""

import re

from ctext import TOKEN, blank

SCREEN = ("tui/view*.c", "tui/layout_*.c", "tui/plain*.c", "tui/action.c")
MARKS = {"_", "N_", "P_", "C_", "NOUN"}
# What looks at a text, or names a member of the record.
LOOKS = {"strcmp", "strncmp", "strcasecmp", "strstr", "strspn", "strcspn", "strchr", "strpbrk", "strlen", "has_prefix", "find_verb",
         "json_set", "json_set_int", "json_set_str", "json_set_bool", "json_get", "words_number", "fact_is", "ui_say", "ui_refuse",
         "edge_words"}
# Names of keys, words that are typed, signals: the same in every language.
SAME = re.compile(r"\[?(?:Enter|Esc|Space|Tab|PgDn|PgUp|Up Down|Ctrl-[A-Z]|Home|End|Down|Up|Backspace|Delete)\]?|(?:[a-z]+:)[a-z0-9:]+|"
                  r"(?:(?:[A-Za-z/+]|Home|Space|Down) +)+(?:[A-Za-z]|PgDn|PgUp|Down|Up|End|Home End|Down Up)|SIG[A-Z]*|true|false|yes|open|all|intake|Exequatur|<TAB>|"
                  r',? pid %|,? uid %|pid|uid|stdin|exequatur run|exit %d|signal %d|curl jq|exit 2|\\"rm -r\\"|<%zu CR>')
# Which labels are looked for; the two first are how English joins its notes.
LOOKED_FOR = {" and ", "agent says", "came from", "unusual", "card", "directory", "limits"}
# The commands of plain mode, in their table.
TYPED = {"list", "show", "more", "details", "approve", "reject", "output", "stop", "extend", "later", "help", "quit"}
CODE = re.compile(TOKEN.pattern + r"|[A-Za-z_]\w*|\s+|.", re.S)


def prose(text):
    """Whether a literal has a word in it, beside what printf replaces."""
    return re.search(r"[^\W\d_]{2}", re.sub(r"%[-0-9.*]*(?:hh|ll|[hlz])?[diuoxXscp]", "", text)) is not None


def literals(text):
    """(line, literal, the functions around it) of every string of a C file that is no #include."""
    around, before, line = [], "", 1
    for token in CODE.findall(blank(text, keep_strings=True)):
        if token.startswith('"') and len(token) > 1:
            yield line, token[1:-1], [name for name in around if name]
        elif token == "(":
            around.append(before if re.match(r"\w", before) else "")
        elif token == ")" and around:
            around.pop()
        line += token.count("\n")
        before = before if token.isspace() else token


def words_marked(tree):
    """a word that is drawn is marked for translation, with _() or N_()"""
    for name in tree.match(*SCREEN):
        text = re.sub(r"(?m)^\s*#.*$", "", tree.text(name))
        for line, literal, around in literals(text):
            if not prose(literal) or SAME.fullmatch(literal) or literal in LOOKED_FOR or MARKS & set(around) or LOOKS & set(around):
                continue
            if name == "tui/plain.c" and literal in TYPED:
                continue
            yield f'{name}:{line}: "{literal}" is not marked'


RULES = [words_marked]
