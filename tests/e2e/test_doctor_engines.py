"""What the doctor says of engines that cannot be used."""

import os

import exq
from exq_doctor import doctor, on_machine, space
from exq_pretend import http, pretend

VERSION = {"/version": http({})}
GOOD = {**VERSION, "/info": http({"OSType": "linux", "MemoryLimit": True, "CpuCfsQuota": True})}
ASKED = "/images/i:1/json"
ENGINES = {
    "docker_hangs": {},
    "docker_no_engine": {"/version": b"220 mail.example.test ESMTP\r\n"},
    "docker_is_podman": {"/version": http({"Components": [{"Name": "Podman Engine"}]})},
    "docker_renames_users": {**VERSION, "/info": http({"SecurityOptions": ["name=rootless"]})},
    "docker_image_absent": {**GOOD, ASKED: http({}, "404 Not Found")},
    "docker_image_unfit": {**GOOD, ASKED: http({"Os": "linux", "Architecture": "amd64", "Config": {"Volumes": {"/data": {}}}})},
}


@exq.test("an engine: {cause}", cause=list(ENGINES))
def engine(cause):
    exq.need_program("docker")
    ws = space(sections={"security.sandbox.docker": {"image": "i:1"}})
    server = pretend(ws, ENGINES[cause])
    try:
        report = doctor(ws)
    finally:
        server.close()
    exq.equal((report.causes("docker"), report.status), ([[cause]], 0), report.backends["docker"])


@exq.test("an engine that is not there, remote, by a context, or where others could put theirs")
def no_engine():
    exq.need_program("docker")
    ws = space()
    exq.equal(doctor(ws).causes("docker"), [["docker_not_running"]])
    ws.env["DOCKER_HOST"] = "tcp://127.0.0.1:2375"
    exq.equal(doctor(ws).causes("docker"), [["docker_remote"]])
    ws.env["DOCKER_HOST"] = f"unix://{ws.work}/engine.sock"
    exq.equal(doctor(ws).causes("docker"), [["docker_socket_not_trusted"]])
    del ws.env["DOCKER_HOST"]
    ws.env["DOCKER_CONTEXT"] = "elsewhere"
    exq.equal(doctor(ws).causes("docker"), [["docker_remote"]])


@exq.test("a user without the engine's group, and one who joined it after this login", joined=[False, True])
def group(joined):
    exq.need_program("docker")
    ws = space()
    group_file = f"{ws.dir}/group"
    machine = on_machine(ws, f"mount --bind {group_file} /etc/group")
    ws.write(group_file, f"root:x:0:\nengineers:x:4242:{'ordinary' if joined else ''}\n")
    server = pretend(ws, {})
    os.chown(f"{ws.dir}/pretended.sock", 0, 4242)
    os.chmod(f"{ws.dir}/pretended.sock", 0o660)
    try:
        report = doctor(ws, machine)
    finally:
        server.close()
    cause = "docker_login" if joined else "docker_forbidden"
    exq.equal(report.causes("docker"), [[cause]])
    exq.has(report.named[cause]["way_out"][0], "newgrp engineers" if joined else "usermod -aG engineers ordinary")


exq.main()
