#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/path.h"
#include "launch_table.h"
#include "launch_users.h"

/* A sandbox that breaks everyday work gets switched off by its owner. Each command ends with the word it must print. */
static const struct {
	const char *tool; /* passed over where it is not installed */
	const char *command;
} everyday[] = {
	{"sh", "echo x > /dev/null && head -c 4 /dev/zero | wc -c | grep -q 4 && head -c 9 "
	       "/dev/urandom "
	       "> a && echo fine"},
	{"sh", "f=$(mktemp) && echo x > $f && rm $f && d=$(mktemp -d) && rmdir $d && echo fine"},
	{"sh", "echo a > /dev/stdout && echo b > /dev/stderr && (sleep 0.01 & wait) && echo fine"},
	{"sh", "echo x | tee /dev/stderr | sed s/x/y/ | grep y && echo fine"},
	{"bash", "bash -c 'diff <(seq 9) <(seq 9) && cat < <(echo fine)'"},
	{"bash",
		"bash -c 'coproc cat; echo fine >&${COPROC[1]}; read -ru ${COPROC[0]} x; echo $x'"},
	{"git", "git init -q a && cd a && git -c user.name=n -c user.email=e commit -q "
		"--allow-empty -m m "
		"&& git log --oneline | wc -l && git gc -q && git clone -q . ../b && echo fine"},
	{"gcc", "printf 'int main(void){return 0;}' > a.c && "
		"printf 'all: a\\na: a.c\\n\\tgcc -o a a.c\\n' > Makefile && make -j2 -s && ./a && "
		"echo fine"},
	{"python3", "/usr/bin/python3 -c 'import multiprocessing as m\n"
		    "if __name__ == \"__main__\":\n"
		    "  print(m.Pool(2).map(len, [\"a\"]), m.Queue(), m.Lock())' && echo fine"},
	{"python3", "/usr/bin/python3 -c 'import socket, threading\n"
		    "s = socket.create_server((\"127.0.0.1\", 0))\n"
		    "threading.Thread(target=lambda: s.accept()[0].send(b\"fine\")).start()\n"
		    "print(socket.create_connection(s.getsockname()).recv(9).decode())'"},
	{"python3",
		"/usr/bin/python3 -m venv --without-pip a && a/bin/python -c 'print(\"fine\")'"},
	{"node", "node -e 'new (require(\"worker_threads\").Worker)(\"console.log(\\\"fine\\\")\", "
		 "{eval: true})'"},
	{"npm", "npm --version > /dev/null && npm init -y > /dev/null && test -f package.json && "
		"echo "
		"fine"},
	{"perl", "perl -e 'print qq(fine\\n) if fork; wait'"},
	{"tar", "mkdir a && echo x > a/x && tar cf - a | (mkdir b && tar xf - -C b) && cmp a/x "
		"b/a/x && "
		"echo fine"},
};

static bool is_installed(const char *tool)
{
	MEM_AUTO char *path = path_join("/usr/bin", tool);
	return access(path, X_OK) == 0;
}

static void everyday_work_works(void **state)
{
	enum way way = WAY(state);
	for (size_t i = 0; i < ARRAY_LEN(everyday); i++) {
		struct launch l;
		if (!is_installed(everyday[i].tool))
			continue;
		launch_init(&l, way, everyday[i].command);
		const struct message *ended = launch_run(&l);
		launch_until_silence(&l);
		if (ended->wait_status != 0 || !strstr(str_c(&l.output), "fine"))
			fail_msg("%s\nstatus %x: %s", everyday[i].command,
				(unsigned)ended->wait_status, str_c(&l.output));
		launch_release(&l);
	}
}

/* What must fail inside, and what it would have been seen by; each prints only when it got through. */
static const char *const attacks[] = {
	"touch /usr/x /etc/x /x /home/x /home/tester/x /srv/x 2>/dev/null && echo through",
	"cat /etc/shadow 2>/dev/null",
	"ls -A /home/tester | grep -v '^.cache$'",
	"ls -A /tmp | grep -v \"^$(basename $PWD)$\"",
	"touch a; chmod 4755 a 2>/dev/null && echo through",
	"touch b; chmod g+s b 2>/dev/null && echo through",
	"mkdir m; chmod 2755 m 2>/dev/null && echo through; rmdir m",
	"unshare -U true 2>/dev/null && echo through",
	"unshare -r true 2>/dev/null && echo through",
	"mount -t tmpfs none /tmp 2>/dev/null && echo through",
	"umount /proc/sys 2>/dev/null && echo through",
	"umount $PWD 2>/dev/null && echo through",
	"echo x 2>/dev/null > /proc/sys/kernel/core_pattern && echo through",
	"echo x 2>/dev/null > /proc/sysrq-trigger && echo through",
	"(: < /dev/tty) 2>/dev/null && echo through",
	"for p in /proc/[0-9]*; do [ $p = /proc/1 ] || [ $p = /proc/$$ ] || echo $p; done",
	"cat /proc/1/environ 2>/dev/null",
	"(: < /proc/1/mem) 2>/dev/null && echo through",
	"ls -l /proc/1/fd/ 2>/dev/null | grep socket",
	"ls /proc/1/root/usr 2>/dev/null",
	"kill -9 1; sleep 0.01; kill -0 1 || echo no more",
	"grep -v -e lo: -e Inter -e face /proc/net/dev",
	"cd / && for d in * .*; do touch $d/x 2>/dev/null && [ $d != tmp ] && echo $d; done",
	"ls -l /proc/self/fd | grep -e exequatur -e memfd",
	"ln -s /usr/bin a; touch a/x 2>/dev/null && echo through",
	"find / -xdev -name '.empty' 2>/dev/null",
	"cat /proc/self/mountinfo | grep -e ' / / ' | grep -v -w tmpfs",
};

static void attacks_get_nowhere(void **state)
{
	enum way way = WAY(state);
	for (size_t i = 0; i < ARRAY_LEN(attacks); i++) {
		struct launch l;
		launch_init(&l, way, attacks[i]);
		launch_run(&l);
		launch_until_silence(&l);
		if (l.output.len)
			fail_msg("%s: %s", attacks[i], str_c(&l.output));
		launch_release(&l);
	}
}

/* Limits that the kernel keeps for each process. */
static void limits_hold(void **state)
{
	static const struct {
		const char *command;
		int status;
	} cases[] = {{"dd if=/dev/zero of=file bs=1M count=3 2>/dev/null", 128 + 25},
		{"i=0; while :; do i=$((i+1)); done", 24}};
	enum way way = WAY(state);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct launch l;
		launch_init(&l, way, cases[i].command);
		l.plan.cpu_s = 1;
		l.plan.file_bytes = 2u << 20;
		const struct message *ended = launch_run(&l);
		int status = ended->wait_status;
		assert_true((status & 0x7f) == (cases[i].status & 0x7f) ||
			    status >> 8 == cases[i].status);
		launch_release(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONFINED_WAYS(everyday_work_works),
		CONFINED_WAYS(attacks_get_nowhere),
		ALL_WAYS(limits_hold),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}
