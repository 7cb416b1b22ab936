#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "box.h"
#include "launch_users.h"
#include "sandbox/landlock.h"
#include "sandbox/private_dir.h"

/* landlock without namespaces, as on kernels whose Landlock is older: what the plan does not name is not used. */

#define HOME "/home/tester"
#define ABI_MAX 7

/* `for (int abi = 1; next_box(&box, &abi); box_end(&box))` */
static bool next_box(struct box *box, int *abi)
{
	if (*abi > ABI_MAX || *abi > landlock_abi(NULL))
		return false;
	box_begin(box, &backend_landlock, HOME);
	box->host.refused_namespaces = 1u << PLAN_NS_USER;
	box->host.accept_partial = true;
	box->host.landlock_abi = (*abi)++;
	return true;
}

static void everyday_work_works(void **state)
{
	static const struct {
		const char *command, *output;
	} works[] = {
		{"echo x >/dev/null && head -c1 /dev/urandom >/dev/null && echo fine", "fine\n"},
		{"f=$(mktemp) && echo t > $f && cat $f; cat <<E\nhere\nE", "t\nhere\n"},
		{"sleep 0 & wait; bash -c 'cat <(echo sub)'", "sub\n"},
		{"printf 'int main(void){return 0;}' > a.c; printf 'a: a.c\\n\\tgcc -o a a.c\\n' > "
		 "Makefile; make -s && ./a && echo built",
			"built\n"},
		{"python3 -c 'import subprocess as s\nprint(s.run([\"echo\", \"1\"], "
		 "capture_output=True).stdout)'; perl -e 'print 1+1, \"\\n\"'",
			"b'1\\n'\n2\n"},
		{"node -e 'console.log(require(\"os\").cpus().length > 0)'", "true\n"},
		{"git init -q . && echo a > a && git add a && git -c user.name=x -c user.email=x@y "
		 "commit -qm one && git gc -q && git log --oneline | wc -l",
			"1\n"},
		{"mkdir -p d && mv a.c d/b.c && mv d/b.c b.c && ln b.c c.c && rm b.c c.c && echo "
		 "moved",
			"moved\n"},
		{"umask; ulimit -n; ulimit -c; readlink /proc/self/fd/0; ls /proc/self/fd | wc -l",
			"0022\n256\n0\n/dev/null\n4\n"},
		{"tr '\\0' '\\n' < /proc/$$/environ | cut -d= -f1 | sort | tr '\\n' ' '",
			"HOME PATH TERM TMPDIR "},
		{"ls -A ~ | tr '\\n' ' '; echo x > ~/.cache/x && touch ~/x 2>/dev/null || echo "
		 "closed",
			".cache .npm closed\n"},
		{"echo $HOME $TMPDIR | sed 's,/[a-z/]*tmp/exequatur-run-trial-[0-9-]*,P,g'",
			"P/home P/tmp\n"},
	};
	struct box box;
	(void)state;
	/* What these do without, and the last, which has all of it. */
	for (int abi = 1; next_box(&box, &abi); abi += 2, box_end(&box)) {
		box_workspace(&box, "ws");
		for (size_t i = 0; i < ARRAY_LEN(works); i++) {
			box_expect(&box, NULL, works[i].command, works[i].output);
			assert_int_equal(access(box.offer.private_dir, F_OK), -1);
		}
	}
}

/* Each line that says what was done is one too many. */
#define ATTACK                                                                                     \
	"import ctypes, os, signal, socket, sys\n"                                                 \
	"libc = ctypes.CDLL(None, use_errno=True)\n"                                               \
	"def call(*a):\n"                                                                          \
	"    if libc.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a]) == "     \
	"-1:\n"                                                                                    \
	"        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n"             \
	"def tried(name, function):\n"                                                             \
	"    try:\n"                                                                               \
	"        function()\n"                                                                     \
	"        print('DONE', name)\n"                                                            \
	"    except OSError as why:\n"                                                             \
	"        if why.errno not in (1, 13, 18, 3):\n"                                            \
	"            print(name, why)\n"

#define FILES                                                                                      \
	ATTACK "out, seen = sys.argv[1:3]\n"                                                       \
	       "f, g = out + '/f', seen + '/f'\n"                                                  \
	       "tried('read', lambda: open(f))\n"                                                  \
	       "tried('write', lambda: open(f, 'a'))\n"                                            \
	       "tried('list', lambda: os.listdir(out))\n"                                          \
	       "tried('make', lambda: os.mkdir(out + '/d'))\n"                                     \
	       "tried('unlink', lambda: os.unlink(f))\n"                                           \
	       "tried('rename', lambda: os.rename(f, 'taken'))\n"                                  \
	       "tried('rename outside', lambda: os.rename(f, f + 'x'))\n"                          \
	       "tried('link', lambda: os.link(f, 'linked'))\n"                                     \
	       "tried('link out', lambda: (open('in', 'w').close(), os.link('in', out + "          \
	       "'/in')))\n"                                                                        \
	       "tried('node', lambda: os.mkfifo(out + '/fifo'))\n"                                 \
	       "tried('home', lambda: os.listdir('/root'))\n"                                      \
	       "for path in (f, g):\n"                                                             \
	       "    tried('cut', lambda: os.truncate(path, 0))\n"                                  \
	       "    for mode in (0, 1, 2, 3):\n"                                                   \
	       "        tried('cut by open %d' % mode, lambda: os.open(path, os.O_TRUNC | "        \
	       "mode))\n"                                                                          \
	       "    tried('creat', lambda: call(85, path.encode(), 0o600))\n"                      \
	       "print(open(g).read(), end='')\n"

static void files_outside_are_closed(void **state)
{
	struct box box;
	(void)state;
	for (int abi = 1; next_box(&box, &abi); box_end(&box)) {
		MEM_AUTO char *out = scratch_make_dir(box.s, "out");
		MEM_AUTO char *seen = scratch_make_dir(box.s, "seen");
		MEM_AUTO char *file = scratch_write(box.s, "out/f", "as it was\n");
		free(scratch_write(box.s, "seen/f", "as it was\n"));
		free(scratch_write(box.s, "ws/try.py", FILES));
		strv_add(&box.x.config.readonly_paths, seen);
		box_workspace(&box, "ws");
		MEM_AUTO char *command = mem_printf("python3 try.py %s %s", out, seen);
		box_expect(&box, NULL, command, "as it was\n");
		struct stat st;
		assert_int_equal(stat(file, &st), 0);
		assert_int_equal(st.st_size, 10);
		assert_false(scratch_exists(box.s, "out/d"));
	}
}

#define SIGNALS                                                                                    \
	ATTACK "launcher = os.getppid()\n"                                                         \
	       "supervisor = int(open('/proc/%d/stat' % "                                          \
	       "launcher).read().rsplit(')')[1].split()[1])\n"                                     \
	       "info = ctypes.create_string_buffer(128)\n"                                         \
	       "ctypes.c_int.from_buffer(info, 8).value = -1\n"                                    \
	       "for name, pid in (('test', int(sys.argv[1])), ('launcher', launcher), "            \
	       "('supervisor', supervisor), ('first', 1)):\n"                                      \
	       "    for sig in (0, 18):\n"                                                         \
	       "        ctypes.c_int.from_buffer(info).value = sig\n"                              \
	       "        for number, args in ((62, (pid, sig)), (62, (-pid, sig)), (200, (pid, "    \
	       "sig)), "                                                                           \
	       "(234, (pid, pid, sig)), (129, (pid, sig, info)), (297, (pid, pid, sig, info))):\n" \
	       "            if args[0] != -1:\n"                                                   \
	       "                tried('%s %d %d' % (name, number, sig), lambda: call(number, "     \
	       "*args))\n"                                                                         \
	       "    tried(name + ' by descriptor', lambda: os.pidfd_open(pid))\n"                  \
	       "    r, w = os.pipe()\n"                                                            \
	       "    tried(name + ' as owner', lambda: call(72, r, 8, pid))\n"                      \
	       "    tried(name + ' as owner', lambda: call(16, r, 0x8901, "                        \
	       "ctypes.byref(ctypes.c_int(pid))))\n"                                               \
	       "    tried(name + ' priority', lambda: os.setpriority(0, pid, 5))\n"                \
	       "    tried(name + ' environment', lambda: open('/proc/%d/environ' % pid))\n"        \
	       "    tried(name + ' memory', lambda: open('/proc/%d/mem' % pid))\n"                 \
	       "    tried(name + ' traced', lambda: call(101, 16, pid, 0, 0))\n"                   \
	       "tried('priority of all', lambda: os.setpriority(2, 0, 5))\n"                       \
	       "tried('pair', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))\n"     \
	       "tried('socket', lambda: socket.socket(socket.AF_UNIX))\n"                          \
	       "tried('shm', lambda: call(29, 0, 4096, 0o1600))\n"                                 \
	       "socket.socketpair()\n"                                                             \
	       "print('end')\n"

static void processes_outside_are_out_of_reach(void **state)
{
	struct box box;
	(void)state;
	for (int abi = 1; next_box(&box, &abi); box_end(&box)) {
		free(scratch_write(box.s, "ws/try.py", SIGNALS));
		box_workspace(&box, "ws");
		MEM_AUTO char *command = mem_printf("exec python3 try.py %d", (int)getpid());
		box_expect(&box, NULL, command, "end\n");
	}
}

/* What a command does with its own: one, its group, a group of its children, all of them, itself, a thread, with a value. */
#define OWN                                                                                        \
	"import os, signal, subprocess, threading, time\n"                                         \
	"got = []\n"                                                                               \
	"for sig in (signal.SIGUSR1, signal.SIGUSR2): signal.signal(sig, lambda n, f: "            \
	"got.append(n))\n"                                                                         \
	"def child(group=0):\n"                                                                    \
	"    return subprocess.Popen(['sleep', '600'], start_new_session=group == 1)\n"            \
	"one = child()\n"                                                                          \
	"one.terminate()\n"                                                                        \
	"print(one.wait())\n"                                                                      \
	"two, three = child(1), child(0)\n"                                                        \
	"os.killpg(two.pid, signal.SIGKILL)\n"                                                     \
	"print(two.wait(), three.poll())\n"                                                        \
	"os.kill(three.pid, 0)\n"                                                                  \
	"os.kill(-1, signal.SIGINT)\n"                                                             \
	"print(three.wait())\n"                                                                    \
	"os.kill(os.getpid(), signal.SIGUSR1)\n"                                                   \
	"os.kill(0, signal.SIGUSR2)\n"                                                             \
	"print(sorted(got))\n"                                                                     \
	"signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)\n"                     \
	"print(len(got))\n"                                                                        \
	"try: os.kill(one.pid, 0)\n"                                                               \
	"except ProcessLookupError: print('gone')\n"                                               \
	"os.killpg(os.getpgid(0), signal.SIGUSR1)\n"                                               \
	"while len(got) < 4: time.sleep(0.01)\n"                                                   \
	"print(len(got))\n"

static void a_command_signals_its_own(void **state)
{
	struct box box;
	(void)state;
	for (int abi = 5; next_box(&box, &abi); box_end(&box)) {
		free(scratch_write(box.s, "ws/own.py", OWN));
		box_workspace(&box, "ws");
		box_expect(&box, NULL, "exec python3 own.py",
			"-15\n-9 None\n-2\n[10, 12]\n3\ngone\n4\n");
		box_expect(&box, NULL,
			"exec 2>/dev/null; sleep 600 & kill $!; wait $!; echo $?; timeout -s KILL "
			"0.05 "
			"sleep 600; echo $?; perl -e 'kill 9, $$' || echo $?",
			"143\n137\n137\n");
	}
}

/* Whoever is killed, the launcher ends the tree, and nothing of the tree can keep it from that. */
static void nothing_outlives_its_supervisor(void **state)
{
	struct box box;
	(void)state;
	for (int abi = 5; next_box(&box, &abi); box_end(&box)) {
		box_workspace(&box, "ws");
		box_plan(&box, NULL,
			HELD
			"for i in 1 2 3; do setsid sleep 600 & done; kill -9 $PPID; kill -STOP "
			"$PPID; "
			"trap '' TERM; echo up; while :; do kill -KILL $PPID; sleep 600; done");
		launch_watch_alive(&box.launch);
		launch_until_started(&box.launch);
		launch_until_output(&box.launch, "up\n");
		assert_int_equal(
			syscall(SYS_pidfd_send_signal, box.launch.child.pidfd, SIGKILL, NULL, 0),
			0);
		launch_until_nobody_alive(&box.launch);
		private_dir_remove(box.offer.private_dir);
		launch_release(&box.launch);
	}
}

static void one_of_the_same_name_is_not_taken(void **state)
{
	struct box box;
	int abi = landlock_abi(NULL);
	(void)state;
	if (!next_box(&box, &abi))
		skip();
	box_workspace(&box, "ws");
	box_plan(&box, NULL, "echo it ran");
	assert_int_equal(mkdir(box.offer.private_dir, 0700), 0);
	launch_start(&box.launch);
	assert_int_equal(launch_expect(&box.launch, MSG_FAILED)->stage, STAGE_MOUNTS);
	assert_int_equal(rmdir(box.offer.private_dir), 0);
	launch_release(&box.launch);
	box_end(&box);
}

static void a_directory_swapped_after_the_card_does_not_start(void **state)
{
	struct box box;
	(void)state;
	for (int abi = 5; next_box(&box, &abi); box_end(&box)) {
		box_workspace(&box, "ws");
		box_expect_failure(&box, box_swap_workspace, STAGE_PLACES);
	}
}

static void raise_abi(struct box *box)
{
	box->launch.plan.landlock_abi = 99;
}

static void forget_the_answerer(struct box *box)
{
	box->launch.plan.signals_asked = false;
}

static void open_private_dir(struct box *box)
{
	plan_add_rule(&box->launch.plan, PLAN_ACCESS_READ, box->offer.private_dir);
}

static void forget_the_filter(struct box *box)
{
	box->launch.plan.filter = PLAN_FILTER_NO_SOCKETS;
}

static void cut_below_abi_3(struct box *box)
{
	box->launch.plan.filter = PLAN_FILTER_FLAT;
}

static void what_is_not_held_is_found_before_the_command_runs(void **state)
{
	static const struct {
		int abi;
		void (*between)(struct box *);
		enum stage stage;
	} cases[] = {
		{6, raise_abi, STAGE_LANDLOCK},
		{5, forget_the_answerer, STAGE_VERIFY},
		{6, open_private_dir, STAGE_VERIFY},
		{6, forget_the_filter, STAGE_VERIFY},
		{2, cut_below_abi_3, STAGE_LANDLOCK},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct box box;
		int abi = cases[i].abi;
		if (!next_box(&box, &abi))
			continue;
		box_workspace(&box, "ws");
		box_expect_failure(&box, cases[i].between, cases[i].stage);
		box_end(&box);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everyday_work_works),
		cmocka_unit_test(files_outside_are_closed),
		cmocka_unit_test(processes_outside_are_out_of_reach),
		cmocka_unit_test(a_command_signals_its_own),
		cmocka_unit_test(nothing_outlives_its_supervisor),
		cmocka_unit_test(one_of_the_same_name_is_not_taken),
		cmocka_unit_test(a_directory_swapped_after_the_card_does_not_start),
		cmocka_unit_test(what_is_not_held_is_found_before_the_command_runs),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}
