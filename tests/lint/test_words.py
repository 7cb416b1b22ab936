"""The catalogues of the screen: whole, fitting, and true to what is the same in every language."""

import glob
import os
import re
import subprocess

import exq

SOURCE = os.environ.get("EXQ_SOURCE", ".")
LANGUAGES = ["ru", "uk", "zh_CN"]
# What a translation must have as the English text has it: keys, signals, options, paths, names that an agent sees.
SAME = re.compile(r"\b(?:Enter|Esc|Space|Tab|Ctrl-[A-Z]|SIG[A-Z]{3,}|HOME|TMPDIR|PATH|JSON|CPU|[a-z]+_[a-z_]+|exequatur (?:doctor|submit|audit))\b|/[a-z/]+")
# What plain mode asks to type stands at the end of its sentence.
TYPED = re.compile(r"(?:[Tt]ype|number|or): ((?:[a-z]+ ?)+)")
# Columns that a text of a fixed place has: more would be cut, or would stand in the next one.
PLACES = {
    10: ["network", "directory", "may write", "sandbox", "limits", "env", "agent says", "came from", "card", "unusual",
         "1 queue", "2 card", "3 output", "4 history", "5 grants", "? keys", "locked", "lock", "stopped", "time", "memory", "CPU"],
    14: ["values", "cut", "argv", "passed over", "proofs", "more limits", "may read", "git", "policy", "asked for", "helpers", "ended", "lost",
         "what now", "used", "output", "decided", "you said", "answered", "record", "kept", "edited", "why", "tried", "needed"],
    11: ["no", "agent", "reading", "listening", "try it", "input", "found", "covers", "minutes", "times", "sender", "given", "revoked",
         "ends", "command", "waiting", "next", "running", "tried", "passphrase", "refused", "left over", "rejected"],
    18: ["approve off", "approve ready", "approve waits", "decided already", "nothing to approve", "intake closed", "intake ready"],
    20: ["you are about to", "type the word", "type the words"],
}


def words_of(text):
    """A C string without its escapes."""
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), text)


def entries(text):
    """{(context, msgid): (plural, [msgstr], flags)} of a catalogue, obsolete ones under (None, line)."""
    found = {}
    for block in re.split(r"\n\s*\n", text):
        fields, name, flags = {}, None, ""
        for line in block.split("\n"):
            if line.startswith("#~"):
                found[None, line] = ("", [""], "obsolete")
            elif line.startswith("#,"):
                flags += line
            elif not line.startswith("#"):
                match = re.match(r'(?:(msg[a-z_]+(?:\[\d\])?) )?"(.*)"$', line)
                if match:
                    name = match.group(1) or name
                    fields[name] = fields.get(name, "") + words_of(match.group(2))
        if fields.get("msgid"):
            strings = [fields[key] for key in sorted(fields) if key.startswith("msgstr")]
            found[fields.get("msgctxt", ""), fields["msgid"]] = (fields.get("msgid_plural"), strings, flags)
    return found


def read(path):
    """A file of the tree."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def template():
    """The texts of the source as they are now."""
    def run():
        exq.need_program("xgettext")
        done = subprocess.run(["sh", os.path.join(SOURCE, "po/extract"), SOURCE], capture_output=True, text=True, check=False)
        exq.equal(done.returncode, 0)
        return entries(done.stdout)
    return exq.once("template", run)


def catalogue(language):
    """Its entries."""
    return entries(read(f"po/{language}.po"))


def columns(text):
    """Its width on a terminal."""
    try:
        import wcwidth
    except ImportError:
        exq.skip("python3-wcwidth is not installed")
    return wcwidth.wcswidth(text)


def plain(text):
    """A format with its numbers as templates write them."""
    text = re.sub(r'"\s*PRI[a-z]*\d+\s*"?', lambda m: "u", text)
    return re.sub(r"%(?:zu|\d*d|c|\.19s|<PRI[a-zA-Z]*\d+>)", lambda m: "%s" if m.group(0)[-1] in "cs" else "%u", words_of(text))


def known():
    """All texts of the template, as plain() has them."""
    return {plain(text) for _, text in template()}


@exq.test("the template is what the source says: make update-po writes it")
def template_is_fresh():
    exq.equal(sorted(set(template()) ^ set(entries(read("po/exequatur.pot")))), [])


@exq.test("{language}: no text is missing, fuzzy, obsolete or invented", language=LANGUAGES)
def whole(language):
    mine = catalogue(language)
    exq.equal(sorted(map(str, set(template()) ^ set(mine))), [])
    exq.equal([key for key, (_, strings, flags) in mine.items() if not all(strings) or "fuzzy" in flags or "obsolete" in flags], [])


@exq.test("{language}: msgfmt finds no fault in formats and plurals", language=LANGUAGES)
def formats(language):
    exq.need_program("msgfmt")
    done = subprocess.run(["msgfmt", "--check", "-o", "/dev/null", os.path.join(SOURCE, f"po/{language}.po")], capture_output=True,
                          text=True, check=False)
    exq.equal((done.returncode, done.stderr), (0, ""))


@exq.test("{language}: keys, words to type, names of options and paths are as in English", language=LANGUAGES)
def same(language):
    wrong = []
    for (_, text), (_, strings, _) in catalogue(language).items():
        kept = SAME.findall(text) + [word.strip() for word in TYPED.findall(text)]
        wrong += [(text, string, word) for string in strings for word in kept if word not in string]
    exq.equal(wrong, [])


@exq.test("{language}: blanks at both ends are as in English, where texts are put together", language=LANGUAGES)
def blanks(language):
    def ends(text):
        return re.match(r"\s*", text).group(0), re.search(r"\s*$", text).group(0)
    def glued(text, string):
        # A full-width sign has its blank in it.
        before, behind = ends(text)
        return (before if string[:1] not in "，。；（）" else "", behind if string[-1:] not in "，。：；（" else "")
    exq.equal([text for (_, text), (_, strings, _) in catalogue(language).items() if any(ends(s) != glued(text, s) for s in strings)], [])


@exq.test("{language}: a footer begins with the key that English has", language=LANGUAGES)
def footers(language):
    mine = catalogue(language)
    rows = re.findall(r'N_\("((?:[^"\\]|\\.)*)"\)', read("tui/action.c"))
    feet = [row for row in rows if re.match(r"(?:\S|Space|Enter|Esc|Tab) \S", row) and "," not in row]
    exq.check(len(feet) > 15, "the key table has no footers")
    exq.equal([row for row in feet if mine["", row][1][0].split(" ")[0] != row.split(" ")[0]], [])


@exq.test("{language}: a text fits the place that it has", language=LANGUAGES)
def fitting(language):
    mine = catalogue(language)
    exq.equal([(text, mine["", text][1][0], most) for most, texts in PLACES.items() for text in texts
               if ("", text) in mine and columns(mine["", text][1][0]) > most], [])


@exq.test("{language}: what a key does fits its column of the help page", language=LANGUAGES)
def help_page(language):
    mine = catalogue(language)
    rows = re.findall(r'\{ACTION_(\w+), \{[^"]*"[^"]*",\s*N_\(\s*"((?:[^"\\]|\\.)*)"', read("tui/action.c"))
    exq.check(len(rows) > 20, "the key table has no help")
    # One column of 80 begins with 6 columns of keys, the other with 15.
    everywhere = {"DOWN", "PART_NEXT", "PART_BACK", "FIRST", "OPEN", "BACK", "NEXT_WAITING", "VIEW_QUEUE", "VIEW_HISTORY", "FIND",
                  "UNFOLD", "PANE_NEXT", "LOCK", "HELP", "QUIT", "CANCEL", "REDRAW"}
    shown = [(action, mine["", text][1][0]) for action, text in rows]
    exq.equal([(action, text) for action, text in shown if columns(text) > (24 if action in everywhere else 31)], [])


@exq.test("{language}: a whole sentence of a card's foot is at most a quarter longer than a row", language=LANGUAGES)
def short(language):
    exq.equal([(text, string) for (_, text), (_, strings, _) in catalogue(language).items() for string in strings
               if columns(string.replace("\n", " ").strip()) > max(100, columns(text.replace("\n", " ").strip()) * 5 // 4)], [])


def made_in_core():
    """What src/core puts into the facts of a card as words of ours, and the notes on a command."""
    literal = r'((?:"(?:[^"\\\n]|\\.)*"\s*)+)'
    texts = []
    for path in glob.glob(os.path.join(SOURCE, "src/core/card*.c")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        texts += re.findall(r"(?:line_words\([^;]*?|SPAN_(?:OURS|RISK|DANGER),\s*|fact_foreign_list\([^;]*?|facts_add\([^;]*?)" + literal, text)
    texts += re.findall(literal, read("src/core/offer.c"))
    texts += re.findall(r"\{SEVERITY_\w+,\s*" + literal, read("src/core/unusual_notes.c"))
    return sorted({plain(re.sub(r'"\s*"', "", text.strip())[1:-1]) for text in texts})


@exq.test("what a card says in words of ours is translated where it is drawn")
def cards():
    # Made of parts that are found by themselves, or names.
    parts = {"%s", "%*s", "%s%s", "", ", ", " ", ")", "%s%-*s  %s", "%s: ", ": ", '"', "argv", "%s ", "\"%s\"", "%u %s",
             " (readonly_paths adds %s)", "end", "files", "hostname", "sockets"}
    texts = [text for text in made_in_core() if re.search("[a-z]{2}", text)]
    exq.check(len(texts) > 60, f"only {len(texts)} texts were found")
    exq.equal([text for text in texts if text not in known() and text not in parts and not text.endswith(".h")], [])


@exq.test("what the gate row says to a key is translated where it is drawn")
def messages():
    texts = set()
    for path in glob.glob(os.path.join(SOURCE, "tui/ui*.c")):
        with open(path, encoding="utf-8") as file:
            for found in re.findall(r'\bui_say\(\s*[^,]*,\s*((?:"(?:[^"\\\n]|\\.)*"\s*(?:PRI\w+\s*)?)+)', file.read()):
                texts.add(plain(re.sub(r'"\s*"', "", re.sub(r'"\s*PRI[a-z]*\d+\s*(?:"|$)', "u", found.strip())).strip('"')))
    exq.check(len(texts) > 40, f"only {len(texts)} messages were found")
    # With words in their places that are texts of the table, and one that says no more than its parts.
    filled = {"%s %u %s, nothing decided", "match %u of %u%s", "no match %s", "pasted text ignored: %u character%s", "%s, %s %s"}
    whys = {text: re.sub(r"^\S+ did nothing: ", "", text) for text in texts if re.search("[a-z]{3}", text)}
    exq.equal(sorted(text for text, why in whys.items() if not {text, why} & (known() | filled)), [])


exq.main()
