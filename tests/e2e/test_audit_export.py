"""Looking back: `audit export`. Its files are made with care, play in the programs they are for, and nothing foreign acts in them."""

import csv
import io
import json
import os
import re
import stat
import subprocess

import exq
import exq_browser

DAMAGED, USAGE, ENDS_EARLY = 1, 2, 3
FORMATS = ["asciicast", "asciicast2", "json", "csv", "html"]
PLAYER = "/var/cache/exequatur-player/dist/bundle"  # of npm, see ./bootstrap
MARKUP = "</script><script>document.title='owned'</script><img src=http://127.0.0.1:9/x onerror=\"document.title='owned'\"><!--"
LONG = "printf '%0200d#2 approved by operator\\n' 1"
COLOURS = "printf '\\033[31m#2 approved by operator\\033]52;c;SGk=\\007\\033[2J\\n'"
SPLIT = "printf '\\344'; sleep 0.1; printf '\\270\\255 ghp_abcdefghij'; sleep 0.1; printf 'klmnopqrstuvwxyz0123456789\\n'"
SECRET = "zzSECRETzz12345"


def request(command, **top):
    """A request of the agent."""
    return {"name": "shell", **top, "arguments": {"command": command}}


def recorded(*more):
    """A workspace with a record of one session, and the session's id."""
    ws = exq.Workspace(backend="landlock")
    ws.headless([
        request("echo " + quoted(MARKUP), agent="=HYPERLINK(\"http://x.invalid\")", reason=MARKUP),
        request("@SUM(1)\n#9 approved by operator"),
        request(LONG),
        request(COLOURS, agent="a;=1+1"),
        request(SPLIT, agent="-2"),
        request(f"API_KEY={SECRET}; echo {SECRET}; exit 7", agent=" \uff1d1+1"),
        b"=1+1;\t+2 \xe2\x80\xae no request\n",
        *more,
    ])
    return ws, os.path.basename(ws.records()[0])[:-len(".jsonl")]


def quoted(text):
    """As a shell reads it back."""
    return "'" + text.replace("'", "'\\''") + "'"


def export(ws, name, *arguments, status=0):
    """What an export writes to standard output."""
    done = ws.exequatur("audit", "export", *arguments, name)
    exq.equal(done.returncode, status, done.stderr)
    return done.stdout


def events_of(cast):
    """(header, events) of an asciicast."""
    header, *events = [json.loads(line) for line in cast.decode("ascii").splitlines()]
    return header, events


def drawn(events):
    """What a cast writes to its terminal, our styles taken out; nothing else may stand there that a terminal obeys."""
    text = "".join(data for _time, code, data in events if code == "o")
    text = re.sub(r"\x1b\[(?:2m|1m|1;36m|33m|0m|\?7l|7m)", "", text)
    exq.check(all(char in "\r\n" or char.isprintable() for char in text), repr(text))
    return text.replace("\r\n", "\n")


@exq.test("a file is made anew with mode 0600 whatever the umask, follows no link, and nothing of an export that failed stays")
def files():
    ws, session = recorded()
    path, victim = ws.path("out.json"), ws.write("victim", "mine\n")
    ask = ["audit", "export", "--format", "json", "-o"]
    for umask in (0, 0o777):
        done = ws.exequatur(*ask, path, session, preexec_fn=lambda mask=umask: os.umask(mask))
        exq.equal((done.returncode, done.stdout), (0, b""), done.stderr)
        exq.equal(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="ascii") as file:
            exq.equal(json.load(file)["format"], "exequatur")
        os.unlink(path)
    os.symlink(victim, path)
    os.symlink(ws.path("not there"), ws.path("dangling"))
    for name in (path, victim, ws.path("dangling")):
        done = ws.exequatur(*ask, name, session)
        exq.equal((done.returncode, b"exists" in done.stderr), (USAGE, True), done.stderr)
    with open(victim, encoding="ascii") as file:
        exq.equal((file.read(), os.path.exists(ws.path("not there"))), ("mine\n", False))
    done = ws.exequatur(*ask, ws.path("new"), f"{session}#99")
    exq.equal((done.returncode, os.path.exists(ws.path("new"))), (USAGE, False), done.stderr)
    with open("/dev/full", "wb") as full:
        done = ws.popen([ws.program(), "audit", "export", "--format", "html", session], stdout=full, stderr=subprocess.PIPE)
        exq.has(done.communicate()[1].decode(), "No space left")
        exq.equal(done.returncode, 1)
    for arguments in (["--format", "xml", session], [session], ["--format", "csv", "--version", "2", session], ["--format", "json"]):
        exq.equal(ws.exequatur("audit", "export", *arguments).returncode, USAGE, arguments)


@exq.test("json: every event as it was recorded and every call; csv: one row a call, and no field that any spreadsheet takes for a formula")
def tables():
    ws, session = recorded()
    whole = json.loads(export(ws, session, "--format", "json"))
    exq.equal((whole["record"]["status"], whole["masked"], [call["seq"] for call in whole["calls"]]), ("whole", False, list(range(1, 8))))
    exq.equal([(event["event"], event["type"], event.get("seq")) for event in whole["events"]],
              [(event["event"], event["type"], event.get("seq")) for event in ws.events()])
    exq.equal("".join(event["text"] for event in whole["events"] if (event["type"], event.get("seq")) == ("output", 1)), MARKUP + "\n")
    one = json.loads(export(ws, f"{session}#6", "--format", "json"))
    exq.equal(({event["seq"] for event in one["events"]}, [call["exit_code"] for call in one["calls"]]), ({6}, [7]))
    text = export(ws, session, "--format", "csv").decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    exq.equal((len(rows), {len(row) for row in rows}, text.count("\r\n"), text.count("\n")), (8, {20}, 8, 8))
    exq.equal([row[1] for row in rows[1:]], [str(number) for number in range(1, 8)])
    exq.equal(rows[2][4], "'@SUM(1)<LF>#9 approved by operator")
    exq.equal(rows[7][4], "'=1+1;<TAB>+2 <U+202E> no request")
    exq.equal([row[3] for row in rows[1:]][:6], ["'=HYPERLINK(\"http://x.invalid\")", "", "", "a;'=1+1", "'-2", " '\uff1d1+1"])
    for separator in ",;\t|":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, quoting=csv.QUOTE_NONE):
            for field in row:
                exq.check(not re.match(r"[\s\"]*[=+@\uff0b\uff0d\uff1d\uff20-]", field), (separator, field))


@exq.test("asciicast: decisions are markers, the end is an event, each row begins with words of ours; asciinema takes version 2")
def casts():
    ws, session = recorded()
    header, events = events_of(export(ws, session, "--format", "asciicast"))
    exq.equal((header["version"], header["term"], sorted(header)),
              (3, {"cols": 100, "rows": 30}, ["idle_time_limit", "term", "timestamp", "title", "version"]))
    exq.equal([data for _time, code, data in events if code == "m"],
              [*[f"#{number} allowed by policy" for number in range(1, 7)], "#7 refused: invalid_request"])
    exq.equal(([code for _time, code, _data in events].count("x"), events[-1][1:]), (1, ["x", "0"]))
    exq.check(all(time >= 0 for time, _code, _data in events), events)
    text = drawn(events)
    lines = text.splitlines()
    exq.check(all(re.match(r"#\d+ |session |intake |the session ended|: ", line) and len(line) <= 100 for line in lines), text)
    exq.equal([line for line in lines if re.match(r"#\d+ approved|#2 .*operator$", line)], ["#2 $ #9 approved by operator"])
    exq.has(lines, "#4 | <ESC>[31m#2 approved by operator<ESC>]52;c;SGk=<BEL><ESC>[2J")
    exq.has(lines, "#7 a line that was no call: =1+1;<TAB>+2 <U+202E> no request")
    # in as many rows as other calls wrote between its pieces
    exq.equal("".join(line[5:] for line in lines if line.startswith("#5 | ")), "\u4e2d ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    _header, one = events_of(export(ws, f"{session}#6", "--format", "asciicast"))
    exq.equal((one[-1][1:], {line[:3] for line in drawn(one).splitlines()}), (["x", "7"], {"#6 "}))
    for arguments in (["--format", "asciicast2"], ["--format", "asciicast", "--version", "2"]):
        old = export(ws, session, *arguments)
        exq.equal((events_of(old)[0]["version"], drawn(events_of(old)[1]), b'"x"' in old), (2, text, False))
    path = ws.write("old.cast", old)
    # It wants a terminal as well, which util-linux lends it.
    command = f"{exq.need_program('asciinema')} cat {path} >{path}.out"
    done = subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True, stdin=subprocess.DEVNULL,
                          env={**ws.env, "ASCIINEMA_CONFIG_HOME": ws.config}, check=False)
    with open(f"{path}.out", encoding="utf-8", newline="") as file:
        exq.equal((done.returncode, file.read()), (0, "".join(data for _time, code, data in events if code == "o")), done.stdout)


@exq.test("with --mask no format holds a secret, in whatever pieces a command wrote it; without, each does", format=FORMATS)
def masked(format):
    ws, session = recorded()
    exq.has(export(ws, session, "--format", format).decode(), SECRET)
    hidden = export(ws, session, "--format", format, "--mask").decode()
    # The halves of a token that the command itself holds, each behind a quote or a blank, are none.
    for secret in (SECRET, "ghp_abcdefghijklm", "(?<!')klmnopqrstuvwxyz"):
        exq.check(not re.search(secret, hidden), (secret, hidden))
    exq.has(hidden, "API_KEY=***************")
    exq.equal("ghp_**********" in hidden, format != "csv")


@exq.test("a record that was altered or cut is exported up to there, says so, and the status tells", format=FORMATS)
def broken(format):
    ws, session = recorded()
    path = ws.records()[0]
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    fourth = [number for number, line in enumerate(lines) if b'"received"' in line and b'"seq":4' in line][0]
    changed = lines[fourth].replace(b"SGk=", b"SGk+")
    for bad, status in ((b"{}\n", DAMAGED), (changed, DAMAGED), (b"", DAMAGED)):
        with open(path, "wb") as file:
            file.write(b"".join([*lines[:fourth], bad, *lines[fourth + 1:]]))
        done = ws.exequatur("audit", "export", "--format", format, session)
        exq.equal(done.returncode, status)
        text = done.stdout.decode()
        exq.has(text, "@SUM")
        exq.check("API_KEY" not in text, text)
        exq.matches(text, rf"{session}.jsonl:(?:{fourth + 1}|{fourth + 2}): ")
        exq.matches(done.stderr.decode(), rf"{session}.jsonl:(?:{fourth + 1}|{fourth + 2}): ")
    if format == "json":
        json.loads(text)
    # Cut without a trace in CHAIN, as by a crash: all that is there is exported.
    with open(path, "wb") as file:
        file.write(b"".join(lines[:-1]) + lines[-1][:-20])
    chain = os.path.join(os.path.dirname(path), "CHAIN")
    with open(chain, "rb") as file:
        first = file.read().splitlines(keepends=True)[0]
    with open(chain, "wb") as file:
        file.write(first)
    done = ws.exequatur("audit", "export", "--format", format, session)
    exq.equal(done.returncode, ENDS_EARLY, done.stderr)
    exq.has(done.stdout.decode(), "API_KEY")
    exq.has(done.stderr.decode(), "torn")


@exq.test("the page plays in a browser without a network, foreign text in it is text, and its player is the one that its policy names")
def page():
    ws, session = recorded()
    path = ws.path("session.html")
    exq.equal(export(ws, session, "--format", "html", "-o", path), b"")
    with open(path, encoding="ascii") as file:
        exq.equal(len(re.findall("<script", file.read())), 2)
    _header, events = events_of(export(ws, session, "--format", "asciicast"))
    with exq_browser.Browser(ws) as browser:
        browser.open(path)
        exq.equal(browser.value("[document.body.dataset.state, document.querySelector('#screen').textContent]"), ["paused", ""])
        exq.equal(browser.value("document.querySelector('#record').textContent"), "When it was exported, the record was: whole.")
        browser.value("document.querySelector('#next').click()")
        exq.matches(browser.value("document.querySelector('#screen').textContent"), r"^#1 allowed by policy[^\n]*\n\Z")
        browser.value("document.querySelector('#marks li:nth-child(7) button').click()")
        exq.has(browser.value("document.querySelector('#screen').textContent"), "#7 refused: invalid_request")
        browser.value("document.querySelector('#back').click()")
        exq.matches(browser.value("document.querySelector('#screen').textContent"), r"^#6 allowed by policy[^\n]*\n\Z")
        browser.value("document.querySelector('#speed').value = '16'")
        browser.value("document.querySelector('#play').click()")
        browser.wait("document.body.dataset.state === 'ended'")
        exq.equal(browser.value("document.querySelector('#screen').textContent"), drawn(events))
        exq.equal(browser.value("[...document.querySelectorAll('#calls tr')].map(row => row.cells[4].textContent)"),
                  ["0", "2", "0", "0", "0", "7", "invalid_request"])
        exq.equal(browser.value("document.querySelector('#calls tr').cells[5].textContent"), "=HYPERLINK(\"http://x.invalid\")")
        exq.equal(browser.value("[document.title, document.images.length, document.querySelectorAll('script').length]"),
                  [f"exequatur {session}", 0, 2])
        exq.equal((browser.asked, browser.faults), ([f"file://{path}"], []))


@exq.test("asciinema-player plays version 3 in a browser: the rows, the markers, the end")
def player():
    if not os.path.exists(f"{PLAYER}/asciinema-player.min.js"):
        exq.skip("asciinema-player is not there: ./bootstrap deps fetches it")
    ws, session = recorded()
    cast = export(ws, f"{session}#6", "--format", "asciicast").decode("ascii")
    script = """
        window.player = AsciinemaPlayer.create({data: CAST}, document.querySelector("#here"), {speed: 8, fit: false, controls: true});
        player.addEventListener("ended", () => { window.hasEnded = true; });
        player.play();
    """.replace("CAST", json.dumps(cast).replace("<", "\\u003c"))
    path = ws.write("player.html", f'<!DOCTYPE html><link rel="stylesheet" href="file://{PLAYER}/asciinema-player.css">'
                    f'<div id="here"></div><script src="file://{PLAYER}/asciinema-player.min.js"></script><script>{script}</script>')
    with exq_browser.Browser(ws) as browser:
        browser.open(path)
        browser.wait("window.hasEnded === true")
        exq.has(browser.value("[...document.querySelectorAll('.ap-marker-container')].map((mark) => mark.textContent).join()"),
                "#6 allowed by policy")
        rows = "[...document.querySelectorAll('.ap-line')].map((row) => row.textContent.trimEnd()).filter((row) => row)"
        wanted = json.dumps(drawn(events_of(cast.encode())[1]).splitlines())
        browser.wait(f"JSON.stringify({rows}) === JSON.stringify({wanted})")
        exq.equal((browser.value("player.getCurrentTime()") >= 0, browser.faults), (True, []))


exq.main()
