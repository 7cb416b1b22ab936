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

#define MIB (1ull << 20)

/* Ways to use 300 MB, most of which no process has mapped. */
static const struct hog {
	const char *name, *program;
	bool confined; /* only where the file system, or the IPC namespace, is its own */
} hogs[] = {
	{"heap", "b = bytearray(300 << 20)", false},
	{"tree",
		"import os, time\n"
		"for i in range(6):\n"
		"    if os.fork() == 0:\n"
		"        b = bytearray(50 << 20)\n"
		"        time.sleep(600)",
		false},
	{"copies of a fork",
		"import os, time\n"
		"b = bytearray(60 << 20)\n"
		"for i in range(5):\n"
		"    if os.fork() == 0:\n"
		"        for k in range(0, len(b), 4096): b[k] = 1\n"
		"        time.sleep(600)",
		false},
	{"memfd",
		"import os\n"
		"for i in range(30): os.write(os.memfd_create('m'), bytes(10 << 20))",
		false},
	{"anonymous shared",
		"import mmap\n"
		"m = mmap.mmap(-1, 300 << 20)\n"
		"for k in range(0, len(m), 4096): m[k] = 1",
		false},
	{"tmpfs",
		"f = open('/tmp/x', 'wb', 0)\n"
		"for i in range(30): f.write(bytes(10 << 20))",
		true},
	{"tmpfs without a name",
		"import os\n"
		"f = open('/dev/shm/x', 'wb', 0)\n"
		"os.unlink('/dev/shm/x')\n"
		"for i in range(30): f.write(bytes(10 << 20))",
		true},
	{"segments that nobody has attached",
		"import ctypes\n"
		"c = ctypes.CDLL(None)\n"
		"c.shmat.restype = ctypes.c_void_p\n"
		"for i in range(30):\n"
		"    n = c.shmget(0, 10 << 20, 0o1600)\n"
		"    p = c.shmat(n, None, 0)\n"
		"    ctypes.memset(p, 1, 10 << 20)\n"
		"    c.shmdt(ctypes.c_void_p(p))",
		true},
	{"behind a first thread that ended",
		"import ctypes, threading, time\n"
		"def eat():\n"
		"    time.sleep(0.1)\n"
		"    b = bytearray(300 << 20)\n"
		"    time.sleep(600)\n"
		"threading.Thread(target=eat).start()\n"
		"ctypes.CDLL(None).syscall(60, 0)",
		false},
};

static void each_way_to_use_memory_ends_at_the_limit(void **state)
{
	enum way way = WAY(state);
	for (size_t i = 0; i < ARRAY_LEN(hogs); i++) {
		if (hogs[i].confined && way == BARE)
			continue;
		struct launch l;
		MEM_AUTO char *program =
			mem_printf("%s\nimport time\ntime.sleep(600)", hogs[i].program);
		launch_python(&l, way, program);
		l.plan.memory_bytes = 160 * MIB;
		for (size_t m = 0; m < l.plan.mount_count; m++)
			if (l.plan.mounts[m].kind == PLAN_TMPFS)
				l.plan.mounts[m].size = 512 * MIB;
		const struct message *ended = launch_run_until_limit(&l, LIMIT_HIT_MEMORY);
		if (ended->cause != STOP_MEMORY || ended->wait_status != SIGKILL ||
			ended->usage.memory_peak_bytes <= 160 * MIB)
			fail_msg("%s: cause %u, status %x, peak %llu", hogs[i].name, ended->cause,
				(unsigned)ended->wait_status,
				(unsigned long long)ended->usage.memory_peak_bytes);
		launch_release(&l);
	}
}

static void what_is_shared_counts_once(void **state)
{
	static const char *const programs[] = {
		"import os, time\n"
		"b = bytearray(90 << 20)\n"
		"for i in range(8):\n"
		"    if os.fork() == 0:\n"
		"        time.sleep(0.5)\n"
		"        os._exit(0)\n"
		"for i in range(8): os.wait()",
		/* one file of memory, mapped and open in several */
		"import mmap, os, time\n"
		"fd = os.memfd_create('m')\n"
		"os.ftruncate(fd, 90 << 20)\n"
		"m = mmap.mmap(fd, 90 << 20)\n"
		"for k in range(0, len(m), 4096): m[k] = 1\n"
		"for i in range(8):\n"
		"    if os.fork() == 0:\n"
		"        sum(m[k] for k in range(0, len(m), 4096))\n"
		"        time.sleep(0.3)\n"
		"        os._exit(0)\n"
		"for i in range(8): os.wait()",
	};
	enum way way = WAY(state);
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		struct launch l;
		launch_python(&l, way, programs[i]);
		l.plan.memory_bytes = 200 * MIB;
		const struct message *ended = launch_run(&l);
		assert_int_equal(ended->cause, STOP_NONE);
		assert_int_equal(ended->wait_status, 0);
		assert_true(ended->usage.measured & MEASURED_MEMORY);
		assert_true(ended->usage.memory_peak_bytes > 90 * MIB);
		assert_true(ended->usage.memory_peak_bytes < 200 * MIB);
		launch_release(&l);
	}
}

/* Two that never rest, for three seconds. */
#define BURN                                                                                       \
	"import os, time\n"                                                                        \
	"end = time.monotonic() + 3\n"                                                             \
	"pid = os.fork()\n"                                                                        \
	"while time.monotonic() < end: pass\n"                                                     \
	"if pid: os.wait()"

static void the_cpu_share_is_held(void **state)
{
	struct launch l;
	launch_python(&l, WAY(state), BURN);
	l.plan.cpu_percent = 30;
	const struct message *ended = launch_run(&l);
	assert_int_equal(ended->wait_status, 0);
	/* What it may save, and a last stretch between two looks, come on top. */
	assert_true(ended->cpu_us < ended->elapsed_ms * 1000 * 30 / 100 + 400000);
	assert_true(ended->cpu_us > 100000);
	launch_release(&l);
}

static void what_the_command_stopped_stays_stopped(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state),
		"sleep 600 & kill -STOP $!; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; "
		"cut -d' ' -f3 /proc/$!/stat; kill -9 $!");
	l.plan.cpu_percent = 20;
	launch_run(&l);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "T\n");
	launch_release(&l);
}

static void a_command_that_is_held_back_can_still_be_stopped(void **state)
{
	struct launch l;
	launch_init(&l, WAY(state), "trap 'echo bye; exit 3' TERM; echo up; while :; do :; done");
	l.plan.cpu_percent = 5;
	launch_until_started(&l);
	launch_until_output(&l, "up\n");
	launch_tell(&l, MSG_STOP, STOP_OPERATOR);
	launch_expect(&l, MSG_STOPPING);
	const struct message *ended = launch_expect(&l, MSG_ENDED);
	assert_int_equal(ended->wait_status, 3 << 8);
	launch_until_silence(&l);
	assert_string_equal(str_c(&l.output), "up\nbye\n");
	launch_release(&l);
}

static void what_is_used_is_told_each_second(void **state)
{
	struct launch l;
	launch_python(&l, WAY(state),
		"import os, time\n"
		"b = bytearray(40 << 20)\n"
		"for i in range(3):\n"
		"    if os.fork() == 0:\n"
		"        time.sleep(600)\n"
		"end = time.monotonic() + 0.3\n"
		"while time.monotonic() < end: pass\n"
		"time.sleep(2)");
	l.plan.max_processes = 10;
	const struct message *ended = launch_run(&l);
	assert_int_equal(l.usage.kind, MSG_USAGE);
	assert_int_equal(l.usage.usage.processes, 3);
	assert_true(l.usage.usage.memory_bytes > 40 * MIB);
	assert_true(l.usage.usage.memory_bytes < 200 * MIB);
	assert_true(l.usage.elapsed_ms >= 1000);
	assert_int_equal(ended->usage.processes_peak, 3);
	assert_true(ended->usage.memory_peak_bytes > 40 * MIB);
	assert_int_equal(ended->usage.measured, MEASURED_MEMORY | MEASURED_PROCESSES);
	launch_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALL_WAYS(each_way_to_use_memory_ends_at_the_limit),
		ALL_WAYS(what_is_shared_counts_once),
		ALL_WAYS(the_cpu_share_is_held),
		ALL_WAYS(what_the_command_stopped_stays_stopped),
		ALL_WAYS(a_command_that_is_held_back_can_still_be_stopped),
		ALL_WAYS(what_is_used_is_told_each_second),
	};
	return run_as_both_users(tests, ARRAY_LEN(tests));
}
