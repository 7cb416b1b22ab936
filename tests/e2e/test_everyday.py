"""Everyday work, in each backend as root and as an ordinary user: a sandbox that breaks it would be switched off."""

import os

import exq
from exq_space import request

ROWS = {"backend": exq.EVERY, "user": exq.USERS}

SHELL = {
    "devices": ("echo x > /dev/null && head -c 3 /dev/zero | od -An -tx1 && head -c 8 /dev/urandom | wc -c && head -c 4 /dev/random | wc -c && "
                "(echo x > /dev/full) 2>/dev/null || echo full", " 00 00 00\n8\n4\nfull\n"),
    "standard descriptors by name": ("echo a > /dev/stdout; echo b > /dev/stderr; echo c > /dev/fd/1; cat /dev/stdin", "a\nb\nc\n"),
    "shared memory files": ("echo x > /dev/shm/a && cat /dev/shm/a", "x\n"),
    "pipes and exit status of a pipe": ("seq 1000 | sort -n | tail -1; false | true; echo $?", "1000\n0\n"),
    "background job and wait": ("(sleep 0.1; echo one) & p=$!; echo two; wait $p; echo $?", "two\none\n0\n"),
    "mktemp": ("f=$(mktemp) && d=$(mktemp -d) && echo x > $f && touch $d/y && ls $d && rm -r $f $d", "y\n"),
    "TMPDIR and HOME": ("cd $HOME && pwd -P >/dev/null && touch .cache/x .npm/y && echo ok; (touch x) 2>/dev/null || echo read-only", "ok\nread-only\n"),
    "here-document": ("cat <<'E'\na $b\nE\n", "a $b\n"),
    "bash: process substitution, arrays, here-string": ("bash -c 'diff <(echo a) <(echo a) && a=(1 2 3); echo ${#a[@]}; cat <<< x; echo y > >(cat)' | sort", "3\nx\ny\n"),
    "files: make, move, link, mode, time": ("mkdir -p a/b && echo x > a/b/c && mv a/b/c a/d && ln a/d a/e && ln -s d a/f && cat a/f && chmod 600 a/d && "
                                            "touch -d @86400 a/d && stat -c '%a %Y %h' a/d && cp -a a z && rm -r a z", "x\n600 86400 2\n"),
    "names with blanks and line breaks": ("touch 'a b' \"$(printf 'c\\nd')\" && find . -name '[ac]*' -print0 | sort -z | xargs -0 -n1 printf '<%s>'; rm a* c*",
                                          "<./a b><./c\nd>"),
    "find, xargs, awk, sed, grep, sort, uniq, cut, tr": ("for i in 3 1 2 2; do echo \"n $i\" > f$i.txt; done; find . -name 'f*.txt' | sort | xargs cat | "
                                                         "awk '{s += $2} END {print s}'; sed -i s/n/m/ f1.txt; grep -l m f*.txt; rm f*.txt", "6\nf1.txt\n"),
    "tar, gzip, zip tools and checksums": ("mkdir t && echo x > t/f && tar czf t.tgz t && rm -r t && tar xzf t.tgz && cat t/f && sha256sum t/f | cut -c1-8 && "
                                           "gzip -k t/f && gunzip -c t/f.gz && rm -r t t.tgz", "x\n73cb3858\nx\n"),
    "time zones and locale": ("TZ=Asia/Tokyo date -d @0 +%H:%M; TZ=UTC date -d @0 +%Z; printf 'ä' | wc -m", "09:00\nUTC\n1\n"),
    "who am I": ("test $(id -u) = $(stat -c %u .) && whoami > /dev/null && hostname", "sandbox\n"),
    "timeout, nice, nohup, env": ("timeout 0.1 sleep 5; echo $?; nice -n 1 true && nohup true >/dev/null 2>&1 && env X=y sh -c 'echo $X'", "124\ny\n"),
    "sparse and large files": ("truncate -s 1G s && stat -c %s s && dd if=/dev/zero of=d bs=1M count=8 status=none && stat -c %s d; rm s d", "1073741824\n8388608\n"),
    "a FIFO and a local socket": ("mkfifo p && (echo x > p &) && cat p && rm p && /usr/bin/python3 -c 'import socket\ns = socket.socket(socket.AF_UNIX)\n"
                                  "s.bind(\"k\"); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect(\"k\"); print(\"ok\")'; rm k", "x\nok\n"),
    "perl": ("perl -MData::Dumper -MFile::Temp -MPOSIX -e '$x = qx(echo hi); print $x; print POSIX::floor(2.5), qq(\\n)'", "hi\n2\n"),
    "a server and a client on the loopback": ("/usr/bin/python3 -m http.server 8765 --bind 127.0.0.1 >/dev/null 2>&1 & /usr/bin/python3 -c '\n"
                                              "import select, urllib.request\nfor _ in range(500):\n try:\n"
                                              "  print(urllib.request.urlopen(\"http://127.0.0.1:8765/\").status); break\n"
                                              " except OSError: select.select([], [], [], 0.01)'; kill $!", "200\n"),
    "the loopback by its IPv6 address": ("/usr/bin/python3 -c 'import socket; s = socket.create_server((\"::1\", 0), family=socket.AF_INET6)\n"
                                         "socket.create_connection(s.getsockname()[:2]); print(\"ok\")'", "ok\n"),
}


# HOME of the tests lies below /tmp, which firejail makes private as a whole.
OTHERWISE = {("firejail", "TMPDIR and HOME"): "ok\n"}


def run_in_shell(backend, user):
    """Every command by one console, each in a directory of its own: its answer, and what is left there."""
    ws = exq.Workspace(backend=backend, user=user, env={"LC_ALL": "C.UTF-8"})
    places = {what: ws.mkdir(f"d{number}") for number, what in enumerate(SHELL)}
    answers = ws.headless([request(SHELL[what][0], id=what, working_dir=places[what]) for what in SHELL], seconds=exq.WATCHDOG)
    return {what: (answers.by_id(what), os.listdir(places[what])) for what in SHELL}


@exq.test("in the shell: {what}", what=list(SHELL), **ROWS)
def shell(what, backend, user):
    answer, left = exq.once((backend, user), lambda: run_in_shell(backend, user))[what]
    exq.equal(answer["output"], OTHERWISE.get((backend, what), SHELL[what][1]), answer)
    exq.equal(left, [], "what is left in the work directory")


@exq.test("TMPDIR of {kind} is /tmp inside", kind=["a directory that is not visible", "a directory of the home directory", "a relative name"],
          **ROWS)
def tmpdir(kind, backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    values = {"a directory that is not visible": ws.outside, "a directory of the home directory": ws.mkdir(f"{ws.home}/tmp"),
              "a relative name": "tmp"}
    ws.env["TMPDIR"] = values[kind]
    answer = ws.call("echo ${TMPDIR-unset}; f=$(mktemp) && dirname $f")
    exq.check(answer["output"] in ("/tmp\n/tmp\n", "unset\n/tmp\n"), answer)
    exq.equal((os.listdir(ws.outside), ws.call("ls -A $HOME | tr '\\n' ' '")["output"]), ([], ".cache .npm "))


@exq.test("a TMPDIR inside the workspace is kept", **ROWS)
def own_tmpdir(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ws.env["TMPDIR"] = ws.mkdir("tmp")
    exq.equal(ws.call("dirname $(mktemp)")["output"], ws.path("tmp") + "\n")


def works(ws, program, command, **arguments):
    """The output of a command that must succeed, where its program is installed for everybody."""
    path = exq.need_program(program)
    if not os.path.realpath(path).startswith(("/usr/", "/bin/")):
        exq.skip(f"{program} is not installed below /usr")
    answer = ws.call(command, **arguments)
    exq.equal(answer["success"], True, answer)
    return answer["output"]


GIT = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; set -e; "


@exq.test("git: init, add, commit, status, diff, branch, merge, rebase, stash, clone, worktree", **ROWS)
def git(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    output = works(ws, "git", GIT + "git init -q -b main r; cd r; echo a > f; git add f; git commit -qm one; echo b >> f; git status --short; "
                   "git diff | tail -1; git stash -q; git stash pop -q; git commit -qam two; git checkout -qb side HEAD~1; echo c > g; "
                   "git add g; git commit -qm three; git rebase -q main; git checkout -q main; git merge -q --no-edit side; git branch -d side; "
                   "git clone -q . ../c; git -C ../c log --oneline | wc -l; git worktree add -q ../w; git tag v1; git describe --tags; git fsck --strict")
    exq.has(output, " M f\n+b\n")
    exq.has(output, "3\nv1\n")


@exq.test("git: work in a repository that was there before, the next call sees it", **ROWS)
def git_existing(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    session = ws.start()
    exq.equal(session.call(GIT + "git init -q -b main; echo a > f; git add f; git commit -qm one")["success"], True)
    answer = session.call(GIT + "echo b > f; git commit -qam two; git checkout -q -b x; git log --oneline | wc -l; git gc -q; git status --short")
    exq.equal((answer["output"], answer["success"]), ("2\n", True), answer)
    session.close_input()
    session.wait()


MAKEFILE = """CFLAGS = -O1 -Wall
prog: main.o one.o two.o three.o
\t$(CC) -o $@ $^ -lm -lpthread
check: prog
\t./prog
clean:
\trm -f *.o prog
"""
MAIN = """#include <math.h>
#include <pthread.h>
#include <stdio.h>
int one(void), two(void), three(void);
static void *run(void *x) { return x; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	pthread_join(t, NULL);
	printf("%d %.1f\\n", one() + two() + three(), sqrt(2.25));
	return 0;
}
"""


@exq.test("make -j2 with gcc, several files, again after a change", **ROWS)
def make(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    exq.need_program("gcc")
    ws.write("Makefile", MAKEFILE)
    ws.write("main.c", MAIN)
    for number, name in enumerate(("one", "two", "three"), 1):
        ws.write(f"{name}.c", f"int {name}(void) {{ return {number}; }}\n")
    output = works(ws, "make", "make -j2 check && sed -i s/3/30/ three.c && make -s -j2 check && make clean")
    exq.has(output, "6 1.5\n")
    exq.has(output, "33 1.5\n")


CPLUSPLUS = """#include <iostream>
#include <thread>
#include <vector>
int main()
{
	std::vector<int> v{1, 2, 3};
	int sum = 0;
	std::thread([&] { for (int x : v) sum += x; }).join();
	try { v.at(9); } catch (const std::out_of_range &) { std::cout << sum << std::endl; }
}
"""


@exq.test("{compiler} builds and runs C++ with threads and exceptions", compiler=["g++", "clang++"], **ROWS)
def cplusplus(compiler, backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ws.write("a.cc", CPLUSPLUS)
    exq.equal(works(ws, compiler, f"{compiler} -O0 -pthread a.cc && ./a.out"), "6\n")


# Its leak detection traces the program, which the filter refuses.
@exq.test("a program with the address sanitizer, one that is stripped, and an archive", **ROWS)
def sanitizer(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ws.write("a.c", "#include <stdlib.h>\n#include <stdio.h>\nint main(void) { free(malloc(9)); return puts(\"ok\") < 0; }\n")
    exq.equal(works(ws, "gcc", "gcc -fsanitize=address a.c && ASAN_OPTIONS=detect_leaks=0 ./a.out && gcc a.c -s && ./a.out && ar rcs a.a a.out && ar t a.a"),
              "ok\nok\na.out\n")


PYTHON = """import concurrent.futures, ctypes, multiprocessing, os, sqlite3, ssl, subprocess, tempfile, threading, zlib, uuid, asyncio, mmap
from multiprocessing import shared_memory

def square(x):
    return x * x

if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, [1, 2, 3]))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        print(list(pool.map(square, [4])))
    queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=queue.put, args=(5,))
    child.start(); print(queue.get()); child.join()
    memory = shared_memory.SharedMemory(create=True, size=16)
    memory.buf[0] = 7; print(memory.buf[0]); memory.close(); memory.unlink()
    base = sqlite3.connect("t.db")
    base.execute("pragma journal_mode=wal"); base.execute("create table t (x)"); base.execute("insert into t values (6)"); base.commit()
    print(base.execute("select x from t").fetchall())
    print(bool(ssl.create_default_context().get_ca_certs()))
    print(subprocess.run(["echo", "sub"], capture_output=True, text=True).stdout.strip())
    with tempfile.TemporaryDirectory() as place:
        print(place.startswith("/tmp/"))
    print(asyncio.run(asyncio.wait_for(asyncio.sleep(0, "async"), 5)))
"""


@exq.test("python3: processes, shared memory, sqlite3, ssl, subprocess, asyncio", **ROWS)
def python(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ws.write("p.py", PYTHON)
    exq.equal(works(ws, "/usr/bin/python3", "/usr/bin/python3 p.py"), "[1, 4, 9]\n[16]\n5\n7\n[(6,)]\nTrue\nsub\nTrue\nasync\n")


@exq.test("python3: a venv, and a package of its own installed without the network", **ROWS)
def venv(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ws.write("lib/thing.py", "print('thing')\n")
    output = works(ws, "/usr/bin/python3", "/usr/bin/python3 -m venv --without-pip v && . v/bin/activate && "
                   "cp lib/thing.py v/lib/python3*/site-packages/ && python -c 'import sys, thing; print(sys.prefix != sys.base_prefix)'")
    exq.equal(output, "thing\nTrue\n")


NODE = """const { Worker, isMainThread, parentPort } = require('worker_threads');
const { execFileSync } = require('child_process');
const fs = require('fs'), os = require('os'), http = require('http'), crypto = require('crypto');
if (!isMainThread) { parentPort.postMessage(6 * 7); return; }
console.log(execFileSync('echo', ['sub']).toString().trim(), crypto.randomBytes(4).length, os.tmpdir());
fs.writeFileSync('n.txt', 'x'); fs.rmSync('n.txt');
new Worker(__filename).on('message', (x) => {
	console.log(x);
	const server = http.createServer((q, r) => r.end('served')).listen(0, '127.0.0.1', () =>
		http.get({ port: server.address().port, host: '127.0.0.1' }, (r) => r.on('data', (d) => { console.log(d.toString()); server.close(); })));
});
"""


@exq.test("node: workers, processes, a local server", **ROWS)
def node(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ws.write("n.js", NODE)
    exq.equal(works(ws, "node", "node n.js"), "sub 4 /tmp\n42\nserved\n")


@exq.test("npm: init, install of a local package, run", **ROWS)
def npm(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    ws.write("dep/package.json", '{"name":"dep","version":"1.0.0","main":"i.js"}')
    ws.write("dep/i.js", "module.exports = 'from dep';\n")
    for name in ("", "dep"):
        os.chown(ws.path(name), ws.uid, ws.gid)
    output = works(ws, "npm", "npm init -y >/dev/null && npm install --offline --no-audit --no-fund ./dep >/dev/null && "
                   "npm pkg set scripts.go=\"node -p 'require(\\\"dep\\\")'\" && npm run -s go")
    exq.equal(output, "from dep\n")


@exq.test("sqlite3 and its write-ahead log between two calls", **ROWS)
def sqlite(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    works(ws, "sqlite3", "sqlite3 t.db 'pragma journal_mode=wal; create table t(x); insert into t values(1);'")
    exq.equal(works(ws, "sqlite3", "sqlite3 t.db 'select count(*) from t'"), "1\n")


@exq.test("what one call leaves is there for the next, and for the person", **ROWS)
def kept(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    exq.equal(ws.call("mkdir -p d && echo x > d/f && umask")["output"], "0022\n")
    exq.equal(ws.call("cat f; echo $PWD", working_dir="d")["output"], f"x\n{ws.path('d')}\n")
    info = os.stat(ws.path("d/f"))
    exq.equal((info.st_uid, info.st_gid, info.st_mode & 0o777), (ws.uid, ws.gid, 0o644))


@exq.test("four calls at once keep apart in their private places and share the work directory", **ROWS)
def together(backend, user):
    ws = exq.Workspace(backend=backend, user=user)
    command = ("echo {0} > /tmp/mine; touch here-{0}; until [ $(ls here-* | wc -l) = 4 ]; do sleep 0.02; done; cat /tmp/mine; ls /tmp | grep -c mine; "
               "ls /proc | grep -c '^[0-9]'")
    answers = ws.headless([{"id": n, "name": "shell", "arguments": {"command": command.format(n)}} for n in range(4)])
    for number in range(4):
        lines = answers.by_id(number)["output"].splitlines()
        exq.equal(lines[:2], [str(number), "1"], answers.by_id(number))
        # firejail and a shell of its own stand between
        exq.check(int(lines[2]) <= (7 if backend == "firejail" else 5), lines)


exq.main()
