"""Each way in which an engine or an image can be missing or wrong: refused by name, and nothing runs."""

import json
import os

import exq
import exq_docker
from exq_engine import done, none_left, space
from exq_pretend import http, pretend
from exq_space import encode, request

USERS = {"user": exq.USERS}


ENGINES = {
    "absent": ("unix:///nonexistent/engine.sock", "no docker engine runs here"),
    "remote": ("tcp://127.0.0.1:2375", "is not a local engine"),
    "by ssh": ("ssh://somebody@example.test", "is not a local engine"),
}


@exq.test("an engine that is {kind} is refused by name", kind=list(ENGINES), **USERS)
def refused(kind, user):
    host, words = ENGINES[kind]
    ws = space(user)
    ws.env["DOCKER_HOST"] = host
    answer = ws.call("touch ran")
    done(answer, reason="sandbox_unavailable", success=False)
    exq.has(answer["error"], words)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


PRETENDED = {
    "hangs": ({}, "does not answer within 2 s"),
    "is no engine": ({"/version": b"220 mail.example.test ESMTP\r\n"}, "is no docker engine"),
    "gives no JSON": ({"/version": b"HTTP/1.0 200 OK\r\n\r\nhello"}, "is no docker engine"),
    "is podman": ({"/version": http({"Components": [{"Name": "Podman Engine"}]})}, "podman answers"),
    "renames users": ({"/version": http({}), "/info": http({"OSType": "linux", "SecurityOptions": ["name=seccomp,profile=default", "name=userns"]})},
                      "renames users"),
    "is rootless": ({"/version": http({}), "/info": http({"SecurityOptions": ["name=rootless"]})}, "renames users"),
}


@exq.test("what {kind} is refused by name, and leaves nothing (H051: podman)", kind=list(PRETENDED))
def pretended(kind):
    ws = space("root")
    replies, words = PRETENDED[kind]
    server = pretend(ws, replies)
    try:
        answer = ws.call("touch ran")
    finally:
        server.close()
    done(answer, reason="sandbox_unavailable", success=False)
    exq.has(answer["error"], words)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")


def hanging_docker(ws):
    """Runs the product where the docker command, a program that may be trusted, hangs on any call."""
    source, program = ws.write(f"{ws.dir}/hang.c", "#include <unistd.h>\nint main(void) { for (;;) pause(); }\n"), f"{ws.dir}/hang"
    exq.equal(ws.popen([exq.need_program("gcc"), "-o", program, source]).wait(), 0)
    script = f"mount --bind {program} {exq.need_program('docker')} && exec \"$@\""
    return ["unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", ws.program(), "--headless"]


def ask(ws, argv):
    """The answer of a product that is started like this."""
    out, err = ws.popen(argv, stdin=-1, stdout=-1, stderr=-1).communicate(encode([request("touch ran; echo hi")]), timeout=60)
    exq.equal(len(out.splitlines()), 1, err.decode())
    return json.loads(out)


@exq.test("a docker that hangs on any call holds nobody up: {order} (H067)", order=["the usual one", "docker alone"])
def hanging(order):
    ws = space("root")
    server = pretend(ws, {})
    ws.configure({"security.sandbox": {"backend": "auto"}, "exequatur": {} if order == "the usual one" else {"auto_order": ["docker"]}})
    try:
        answer = ask(ws, hanging_docker(ws))
    finally:
        server.close()
    if order == "the usual one":
        done(answer, output="hi\n", backend="landlock", success=True)
    else:
        done(answer, reason="no_sandbox_available", success=False)
        exq.has(answer["error"], "docker: the docker engine at")


@exq.test("a client that hangs is given up, and nothing of it is left")
def hanging_client():
    ws = space("root")
    answer = ask(ws, hanging_docker(ws))
    done(answer, reason="sandbox_failed", success=False)
    exq.has(answer["error"], "made no container within")
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    none_left(ws)


@exq.test("a socket that may not be used is refused by name, and so is one that others could replace")
def forbidden():
    ws = space("ordinary")
    server = pretend(ws, {})
    os.chmod(f"{ws.dir}/pretended.sock", 0o600)
    answer = ws.call("true")
    exq.has(answer["error"], "may not be used by you")
    server.close()
    done(ws.call("true"), reason="sandbox_unavailable")
    ws.mkdir(f"{ws.dir}/open", 0o777)
    ws.env["DOCKER_HOST"] = f"unix://{ws.dir}/open/engine.sock"
    exq.has(ws.call("true")["error"], "others can change")
    ws.env["DOCKER_HOST"] = f"unix://{ws.work}/engine.sock"
    exq.has(ws.call("true")["error"], "commands may write")


@exq.test("without a client it is refused by name, and a context is not guessed")
def no_client():
    ws = space(env={"PATH": "/nonexistent"})
    exq.has(ws.call("true")["error"], "not installed")
    ws = space(env={"DOCKER_CONTEXT": "elsewhere"})
    ws.env.pop("DOCKER_HOST")
    exq.has(ws.call("true")["error"], "is a docker context")


@exq.test("an image that {kind} is refused by name", kind=["is not there", "has a VOLUME", "has no shell", "is for another machine"])
def images(kind):
    ws = space()
    name, words = {"is not there": ("absent:1", "is not on this engine"), "has a VOLUME": ("volume:1", "has a VOLUME (/data)"),
                   "has no shell": ("bare:1", "/bin/sh"), "is for another machine": ("arm:1", "is made for")}[kind]
    if kind == "has a VOLUME":
        ws.engine.load(name, exq_docker.skeleton(), "&changes=VOLUME%20/data")
    elif kind == "has no shell":
        ws.engine.load(name, exq_docker.skeleton({"bin": "nowhere"}))
    elif kind == "is for another machine":
        ws.engine.load_for(name, "arm64")
    ws.configure({"security.sandbox.docker": {"image": name}})
    answer = ws.call("touch ran")
    exq.check(answer["reason"] in ("sandbox_unavailable", "launch_failed"), answer)
    exq.has(answer["error"], words)
    exq.check(not os.path.exists(ws.path("ran")), "it ran")
    none_left(ws)


@exq.test("what the image brings along has no effect: its entry point, environment, user, directory and health check")
def image_settings():
    ws = space()
    ws.engine.load("odd:1", exq_docker.skeleton(), "&changes=ENV%20SECRET=1&changes=USER%201&changes=WORKDIR%20/srv&changes=ENTRYPOINT%20/bin/false"
                   "&changes=HEALTHCHECK%20--interval=1s%20CMD%20touch%20/tmp/health")
    ws.configure({"security.sandbox.docker": {"image": "odd:1"}})
    answer = ws.call("pwd; id -u; env | grep -c SECRET; sleep 1.5; test -e /tmp/health; echo $?")
    done(answer, output=f"{ws.work}\n{ws.uid}\n0\n1\n", success=True)


@exq.test("the tag moves on, the id does not: a card that waits is drawn anew")
def moved_tag():
    ws = space()
    ws.engine.load("moving:1", exq_docker.skeleton())
    ws.configure({"security.sandbox.docker": {"image": "moving:1"}})
    before = ws.exequatur("plan", "true").stdout
    ws.engine.load("moving:1", exq_docker.skeleton(files={"etc/new": "x"}))
    after = ws.exequatur("plan", "true").stdout
    exq.check(before != after and b"sha256:" in before, "the plan does not name the image by its id")


exq.main()
