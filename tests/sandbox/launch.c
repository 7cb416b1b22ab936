#include "config.h"

#include "launch_table.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/namespaces.h"

const enum way way_native = NATIVE, way_prepared = PREPARED, way_wrapped = WRAPPED, way_bare = BARE;

static char programs[64];
static const char *const names[] = {"exequatur-supervisor", "exequatur-launcher"};

static int copy_program(const char *from_dir, const char *name)
{
	STR_AUTO struct str bytes = STR_INIT;
	MEM_AUTO char *from = path_join(from_dir, name);
	MEM_AUTO char *to = path_join(programs, name);
	struct err err = ERR_INIT;
	if (fd_read_file(from, 64u << 20, &bytes, &err))
		return -1;
	FD_AUTO int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	return fd < 0 ? -1 : fd_write_all(fd, bytes.data, bytes.len, &err);
}

int launch_prepare(void)
{
	MEM_AUTO char *self = realpath("/proc/self/exe", NULL);
	MEM_AUTO char *dir = path_dirname(self);
	MEM_AUTO char *tests = path_dirname(dir);
	MEM_AUTO char *build = path_dirname(tests);
	strcpy(programs, "/tmp/exq-programs-XXXXXX");
	if (!mkdtemp(programs) || chmod(programs, 0755) != 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (copy_program(build, names[i]))
			return -1;
	return 0;
}

void launch_clean_up(void)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		MEM_AUTO char *path = path_join(programs, names[i]);
		unlink(path);
	}
	rmdir(programs);
}

bool can_run(enum way way)
{
	return (way != WRAPPED && way != WAITING) || access("/usr/bin/bwrap", X_OK) == 0;
}

void launch_init(struct launch *l, enum way way, const char *command)
{
	*l = (struct launch){.child = CHILD_INIT,
		.wrapper_fd = -1,
		.waiting_fd = -1,
		.network_fd = -1,
		.stdin_fd = -1,
		.alive_fd = -1};
	struct err err = ERR_INIT;
	struct plan *plan = &l->plan;
	strcpy(l->work, "/tmp/exq-work-XXXXXX");
	assert_non_null(mkdtemp(l->work));
	assert_int_equal(helpers_open_in(programs, &l->helpers, &err), 0);
	plan_init(plan);
	plan->backend = mem_strdup("test");
	strv_add(&plan->env, "PATH=/usr/bin:/bin");
	strv_add(&plan->env, "HOME=" LAUNCH_HOME);
	for (unsigned ns = 0; ns < PLAN_NS_COUNT; ns++)
		assert_int_equal(namespace_inode(ns, &plan->host_ns[ns], &err), 0);
	plan->home = mem_strdup(LAUNCH_HOME);
	plan->cwd = mem_strdup(l->work);
	plan->command = mem_strdup(command);
	plan->shell = mem_strdup("/bin/sh");
	plan->uid = geteuid();
	plan->gid = getegid();
	plan->wall_ms = 10 * WATCHDOG_MS;
	plan->grace_ms = WATCHDOG_MS;
	plan->drain_ms = 200;
	plan->open_files = 256;
	plan->file_bytes = 1u << 30;
	launch_plan(l, way);
}

void launch_wait_with(struct launch *l, const char *program)
{
	l->waits = true;
	l->waiting_fd = open(program, O_PATH | O_CLOEXEC);
	assert_true(l->waiting_fd >= 0);
}

void launch_python(struct launch *l, enum way way, const char *program)
{
	MEM_AUTO char *command = mem_printf("exec python3 -c \"%s\"", program);
	launch_init(l, way, command);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

void launch_release(struct launch *l)
{
	child_close(&l->child);
	helpers_close(&l->helpers);
	plan_release(&l->plan);
	fd_close(&l->wrapper_fd);
	fd_close(&l->waiting_fd);
	fd_close(&l->network_fd);
	fd_close(&l->stdin_fd);
	str_release(&l->base);
	str_release(&l->output);
	fd_close(&l->alive_fd);
	assert_int_equal(nftw(l->work, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void launch_watch_alive(struct launch *l)
{
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	l->stdin_fd = ends[0];
	l->alive_fd = ends[1];
}

bool launch_nobody_alive(const struct launch *l)
{
	struct pollfd held = {.fd = l->alive_fd};
	return poll(&held, 1, 0) == 1 && (held.revents & POLLERR);
}

void launch_until_nobody_alive(const struct launch *l)
{
	struct pollfd held = {.fd = l->alive_fd};
	if (poll(&held, 1, WATCHDOG_MS) != 1)
		fail_msg("something of the command is left");
}

void launch_base(const struct plan *plan, size_t count, struct str *out)
{
	struct plan base = {.backend = plan->backend,
		.cwd = plan->cwd,
		.command = plan->command,
		.shell = plan->shell,
		.mounts = plan->mounts,
		.mount_count = count};
	plan_encode(&base, out);
}

static void send_base(struct launch *l)
{
	struct err err = ERR_INIT;
	size_t count = 0;
	while (count < l->plan.mount_count && !(l->plan.mounts[count].flags & PLAN_CHECK))
		count++;
	if (l->base.len == 0)
		launch_base(&l->plan, count, &l->base);
	if (spawn_base(&l->child, &l->base, &err))
		fail_msg("%s", err.text);
}

void launch_start(struct launch *l)
{
	struct err err = ERR_INIT;
	STR_AUTO struct str bytes = STR_INIT;
	const struct plan_programs named = {l->wrapper_fd, l->network_fd};
	plan_encode(&l->plan, &bytes);
	if (spawn_supervisor(&l->helpers, &l->child, &err) ||
		(l->prepare && spawn_prepare(&l->child, &l->helpers, l->prepare, &err)) ||
		(l->waits && spawn_prepare_wrapper(&l->child, &l->helpers, l->waiting_fd, &err)))
		fail_msg("%s", err.text);
	if (l->prepare)
		send_base(l);
	if (spawn_plan(&l->child, &l->helpers, &bytes, l->stdin_fd, named, &err))
		fail_msg("%s", err.text);
	fd_close(&l->stdin_fd); /* the command alone holds it now */
}

static void read_output(struct launch *l)
{
	char bytes[4096];
	ssize_t n;
	while ((n = read(l->child.output_fd, bytes, sizeof(bytes))) > 0)
		str_add_bytes(&l->output, bytes, (size_t)n);
	if (n == 0)
		l->output_ended = true;
}

/* Waits for either; a stopped clock fails the test. */
static void wait_for_something(struct launch *l)
{
	struct pollfd fds[] = {{.fd = l->child.control_fd, .events = POLLIN},
		{.fd = l->output_ended ? -1 : l->child.output_fd, .events = POLLIN}};
	int n = poll(fds, ARRAY_LEN(fds), WATCHDOG_MS);
	if (n == 0)
		fail_msg("nothing happened; output so far: %s", str_c(&l->output));
	read_output(l);
}

const struct message *launch_next(struct launch *l)
{
	int got;
	do {
		while ((got = spawn_receive(&l->child, &l->last)) == 0)
			wait_for_something(l);
		if (got < 0)
			fail_msg("the supervisor hung up; output so far: %s", str_c(&l->output));
		if (l->last.message.kind == MSG_USAGE)
			l->usage = l->last.message;
	} while (l->last.message.kind == MSG_USAGE);
	read_output(l);
	return &l->last.message;
}

const struct message *launch_expect(struct launch *l, enum message_kind kind)
{
	const struct message *message = launch_next(l);
	if (message->kind != kind)
		fail_msg("message %u instead of %u: %s: %s", message->kind, kind,
			stage_words(message->stage), message->text);
	return message;
}

void launch_tell(struct launch *l, enum message_kind kind, uint64_t value)
{
	struct err err = ERR_INIT;
	if (spawn_tell(&l->child, kind, value, &err))
		fail_msg("%s", err.text);
}

void launch_until_started(struct launch *l)
{
	launch_start(l);
	launch_expect(l, MSG_READY);
	launch_tell(l, MSG_GO, 0);
	launch_expect(l, MSG_STARTED);
}

const struct message *launch_run(struct launch *l)
{
	launch_until_started(l);
	return launch_expect(l, MSG_ENDED);
}

const struct message *launch_run_until_limit(struct launch *l, enum limit_hit hit)
{
	launch_until_started(l);
	const struct message *limit = launch_expect(l, MSG_LIMIT);
	assert_int_equal(limit->value, hit);
	return launch_expect(l, MSG_ENDED);
}

void launch_until_output(struct launch *l, const char *text)
{
	while (read_output(l), !strstr(str_c(&l->output), text)) {
		struct pollfd output = {.fd = l->child.output_fd, .events = POLLIN};
		if (l->output_ended || poll(&output, 1, WATCHDOG_MS) <= 0)
			fail_msg("\"%s\" never came; output: %s", text, str_c(&l->output));
	}
}

void launch_until_silence(struct launch *l)
{
	while (read_output(l), !l->output_ended) {
		struct pollfd output = {.fd = l->child.output_fd, .events = POLLIN};
		if (poll(&output, 1, WATCHDOG_MS) <= 0)
			fail_msg("somebody still holds the output");
	}
}

int launch_reap(struct launch *l)
{
	int status;
	struct pollfd pidfd = {.fd = l->child.pidfd, .events = POLLIN};
	if (poll(&pidfd, 1, WATCHDOG_MS) <= 0)
		fail_msg("the supervisor does not end");
	assert_int_equal(spawn_reap(&l->child, &status), 1);
	return status;
}
