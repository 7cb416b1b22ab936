#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "launch_table.h"
#include "launch_users.h"

static void limit_processes(struct launch *l, uint32_t count, enum plan_counting counting)
{
	l->plan.max_processes = count;
	l->plan.counting = counting;
}

/* Starts as many as it can, and says how many were alive when one was refused; then one ends, and another is let in. */
#define FILL                                                                                       \
	"import os, signal, time\n"                                                                \
	"def fill():\n"                                                                            \
	"    pids = []\n"                                                                          \
	"    try:\n"                                                                               \
	"        while len(pids) < 40:\n"                                                          \
	"            pid = os.fork()\n"                                                            \
	"            if pid == 0:\n"                                                               \
	"                time.sleep(600)\n"                                                        \
	"            pids.append(pid)\n"                                                           \
	"    except BlockingIOError:\n"                                                            \
	"        print('refused after', len(pids))\n"                                              \
	"    return pids\n"                                                                        \
	"pids = fill()\n"                                                                          \
	"os.kill(pids[0], signal.SIGKILL)\n"                                                       \
	"os.waitpid(pids[0], 0)\n"                                                                 \
	"fill()\n"

static void the_eleventh_process_is_refused(void **state)
{
	struct launch l;
	launch_python(&l, WAY(state), FILL);
	limit_processes(&l, 10, PLAN_COUNT_ASKED);
	const struct message *ended = launch_run_until_limit(&l, LIMIT_HIT_PROCESSES);
	assert_int_equal(ended->wait_status, 0);
	assert_int_equal(ended->usage.processes_refused, 2);
	assert_int_equal(ended->usage.processes_peak, 10);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "refused after 10\nrefused after 1\n");
	launch_release(&l);
}

/* Three fork at once, as fast as they can; each child counts itself while it lives. It is counted after its birth and until
   before its death, so that the number can only be too small. */
#define RACE                                                                                       \
	"import fcntl, mmap, os, signal, struct\n"                                                 \
	"signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"                                          \
	"open('lock', 'w').close()\n"                                                              \
	"shared = mmap.mmap(-1, 16)\n"                                                             \
	"def add(n):\n"                                                                            \
	"    fd = os.open('lock', os.O_RDWR)\n"                                                    \
	"    fcntl.flock(fd, fcntl.LOCK_EX)\n"                                                     \
	"    alive, most = struct.unpack('QQ', shared[:])\n"                                       \
	"    alive += n\n"                                                                         \
	"    shared[:] = struct.pack('QQ', alive, max(alive, most))\n"                             \
	"    os.close(fd)\n"                                                                       \
	"def fork_on(rounds):\n"                                                                   \
	"    for i in range(rounds):\n"                                                            \
	"        try:\n"                                                                           \
	"            if os.fork() == 0:\n"                                                         \
	"                add(1)\n"                                                                 \
	"                sum(range(20000))\n"                                                      \
	"                add(-1)\n"                                                                \
	"                os._exit(0)\n"                                                            \
	"        except BlockingIOError:\n"                                                        \
	"            pass\n"                                                                       \
	"for i in range(3):\n"                                                                     \
	"    if os.fork() == 0:\n"                                                                 \
	"        add(1)\n"                                                                         \
	"        fork_on(200)\n"                                                                   \
	"        add(-1)\n"                                                                        \
	"        os._exit(0)\n"                                                                    \
	"try:\n"                                                                                   \
	"    os.wait()\n"                                                                          \
	"except ChildProcessError:\n"                                                              \
	"    print(struct.unpack('QQ', shared[:])[1] <= 8)\n"

static void forks_at_once_do_not_pass_the_limit(void **state)
{
	struct launch l;
	launch_python(&l, WAY(state), RACE);
	limit_processes(&l, 8, PLAN_COUNT_ASKED);
	launch_until_started(&l);
	/* Whether one was refused depends on who is faster. */
	while (launch_next(&l)->kind == MSG_LIMIT)
		;
	assert_int_equal(l.last.message.kind, MSG_ENDED);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "True\n");
	launch_release(&l);
}

/* What must work however few processes there may be. */
static const struct {
	uint32_t limit;
	const char *program, *output;
} small[] = {
	{1,
		"import threading, time\n"
		"threads = [threading.Thread(target=time.sleep, args=(0.3,)) for i in "
		"range(40)]\n"
		"[t.start() for t in threads]\n"
		"[t.join() for t in threads]\n"
		"print('threads')",
		"threads\n"},
	{1,
		"import os\n"
		"for i in range(300):\n"
		"    pid = os.fork()\n"
		"    if pid == 0: os._exit(0)\n"
		"    os.waitpid(pid, 0)\n"
		"print('one after the other')",
		"one after the other\n"},
	{1,
		"import subprocess\n"
		"for i in range(60): subprocess.run(['true'], check=True)\n"
		"print('spawned')",
		"spawned\n"},
	/* Each generation ends when the next has begun, which waits for that. */
	{2,
		"import os\n"
		"read, write = os.pipe()\n"
		"if os.fork() == 0:\n"
		"    for i in range(100):\n"
		"        before = os.getpid()\n"
		"        if os.fork(): os._exit(0)\n"
		"        while os.getppid() == before: pass\n"
		"    os.write(write, b'relay')\n"
		"    os._exit(0)\n"
		"print(os.read(read, 9).decode())",
		"relay\n"},
	/* Dead ones that nobody has waited for yet are not alive. */
	{1,
		"import os\n"
		"for i in range(40):\n"
		"    pid = os.fork()\n"
		"    if pid == 0: os._exit(0)\n"
		"    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)\n"
		"print('zombies')",
		"zombies\n"},
};

static void what_stays_within_the_limit_is_never_refused(void **state)
{
	enum way way = WAY(state);
	for (size_t i = 0; i < ARRAY_LEN(small); i++) {
		struct launch l;
		launch_python(&l, way, small[i].program);
		limit_processes(&l, small[i].limit, PLAN_COUNT_ASKED);
		const struct message *ended = launch_run(&l);
		launch_until_silence(&l);
		assert_string_equal(str_c(&l.output), small[i].output);
		assert_int_equal(ended->usage.processes_refused, 0);
		launch_release(&l);
	}
}

/* A shell that asks while its last child ends is interrupted, and its fork fails for ever if nobody mends that. */
static void no_fork_fails_because_a_child_ends(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state),
		"i=0; while [ $i -lt 400 ]; do true & : | : ; i=$((i+1)); done; wait; echo done");
	limit_processes(&l, 1000, PLAN_COUNT_ASKED);
	launch_run(&l);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "done\n");
	launch_release(&l);
}

/* Its first thread ends: to /proc the process looks dead. */
#define HIDE                                                                                       \
	"import ctypes, os, threading, time\n"                                                     \
	"def hide():\n"                                                                            \
	"    if os.fork(): return\n"                                                               \
	"    threading.Thread(target=time.sleep, args=(600,)).start()\n"                           \
	"    ctypes.CDLL(None).syscall(60, 0)\n"                                                   \
	"try:\n"                                                                                   \
	"    for i in range(40):\n"                                                                \
	"        hide()\n"                                                                         \
	"        time.sleep(0.02)\n"                                                               \
	"except BlockingIOError:\n"                                                                \
	"    print('refused after', i)\n"

static void a_process_without_its_first_thread_is_alive(void **state)
{
	struct launch l;
	launch_python(&l, WAY(state), HIDE);
	limit_processes(&l, 4, PLAN_COUNT_ASKED);
	launch_run_until_limit(&l, LIMIT_HIT_PROCESSES);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "refused after 4\n");
	launch_release(&l);
}

static void where_no_fork_can_ask_too_many_are_ended(void **state)
{
	struct launch l;
	launch_python(&l, WAY(state), FILL "time.sleep(600)");
	limit_processes(&l, 10, PLAN_COUNT_WATCHED);
	const struct message *ended = launch_run_until_limit(&l, LIMIT_HIT_PROCESSES);
	assert_int_equal(ended->cause, STOP_PROCESSES);
	assert_int_equal(ended->wait_status, SIGKILL);
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALL_WAYS(the_eleventh_process_is_refused),
		ALL_WAYS(forks_at_once_do_not_pass_the_limit),
		ALL_WAYS(what_stays_within_the_limit_is_never_refused),
		ALL_WAYS(no_fork_fails_because_a_child_ends),
		ALL_WAYS(a_process_without_its_first_thread_is_alive),
		ALL_WAYS(where_no_fork_can_ask_too_many_are_ended),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}
