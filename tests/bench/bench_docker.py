"""The start in docker as a ratio of one run: `exequatur run true` against the client's own `docker run` with the same options."""

import shlex
import statistics

import exq
from bench_measure import timed, verdict

ROUNDS = 30
OURS = ("--name", "--label")  # with a value of its own behind them
LEFT_OUT = ("--interactive", "--entrypoint=", "--security-opt=seccomp=")


def bare_docker(ws):
    """The argv with which the client alone runs `sh -c true` in a container as the plan makes it, and removes it."""
    text = ws.exequatur("plan", "true").stdout.decode()
    lines = text[text.index("\nwrapper ") + len("\nwrapper "):text.index("\ncheck ")].splitlines()
    words = [word for line in lines for word in shlex.split(line)]
    create = words.index("create")
    argv = [*words[:create], "run", "--rm"]
    options = iter(words[create + 1:words.index("--stream")])
    for word in options:
        value = next(options) if word in OURS or word == "--mount" else None
        if word == "--mount" and "exequatur-launcher" not in value:
            argv += [word, value]
        elif value is None and not word.startswith(LEFT_OUT):
            argv.append(word)
    return [*argv, "/bin/sh", "-c", "true"]


def docker():
    """Both in turn, so that what else the engine does is felt by both."""
    ws = exq.Workspace(backend="docker")
    argv = bare_docker(ws)
    timed([ws.program(), "run", "true"], ws)
    timed(argv, ws)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(timed([ws.program(), "run", "true"], ws))
        theirs.append(timed(argv, ws))
    # an engine cannot be put before all else that runs: of both, the quarter that was disturbed least
    mine, his = (statistics.quantiles(times)[0] * 1000 for times in (ours, theirs))
    print(f"run true {mine:.0f} ms, docker run {his:.0f} ms")
    return verdict("start against docker run", mine / his, 1.1, True)


BENCHES = {"docker": docker}
