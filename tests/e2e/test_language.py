"""The screen in another language: words are translated, keys and what is typed are not, and agents and the record get English."""

import re

import exq
from exq_screen import console, finish, request

CYRILLIC = re.compile(r"[Ѐ-ӿ]")


def english(ws, term):
    """Neither the answers nor the record nor standard error has a word of the language."""
    texts = [term.stderr()]
    for path in [term.answers_path, *ws.records()]:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    exq.equal([found.group(0) for found in map(CYRILLIC.search, texts) if found], [])


@exq.test("a person who reads Ukrainian approves, rejects and opens help by the same keys; all that is kept is English")
def ukrainian():
    ws, term = console([request("echo $((40 + 2))", 1), request("sudo true", 2)], cols=100, rows=40, env={"LANGUAGE": "uk"})
    term.wait(re.compile("^ 2 картка +2 чекає", re.M))
    term.keys("?")
    term.wait("схвалити, коли світиться [a]")
    term.keys("Escape")
    screen = term.wait(re.compile(r"^ \[a\] можна схвалити", re.M))
    exq.has(screen, "мережа     вимк.: власна порожня мережа")
    exq.has(screen, "echo $((40 + 2))")
    term.keys("a")
    exq.equal(term.answers(1)[0]["output"], "42\n")
    term.wait(re.compile("вже вирішено"))
    term.keys("Enter")
    term.wait("просить прав root")
    term.keys("r")
    term.wait("агент отримає цей текст")
    term.literal("no")
    term.keys("Enter")
    exq.equal(term.answers(2)[1]["reason"], "rejected")
    english(ws, term)
    finish(term)


@exq.test("with signs of ASCII, or in a locale that is not UTF-8, the screen stays English", settings=[
    {"env": {"LANGUAGE": "uk"}, "sections": {"exequatur": {"signs": "ascii"}}}, {"env": {"LANGUAGE": "uk", "LANG": "C"}}])
def ascii_is_english(settings):
    _, term = console([request("true", 1)], **settings)
    screen = term.wait("1 waiting")
    exq.equal(CYRILLIC.findall(screen), [])
    term.open(1)
    term.reject("enough")
    finish(term)


exq.main()
