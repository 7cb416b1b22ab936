#include "config.h"

#include "box.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/git_guard.h"

static char *const probe_env[] = {"PATH=/usr/bin:/bin", "EXEQUATUR_ALLOW_UNSANDBOXED=1", NULL};

void box_begin(struct box *box, const struct backend *backend, const char *home)
{
	memset(box, 0, sizeof(*box));
	box->backend = backend;
	box->s = scratch_begin();
	MEM_AUTO char *path = scratch_path(box->s, home);
	host_begin(&box->host);
	host_probe(probe_env, NULL, &box->host);
	/* it makes the home of the password database private */
	bool other = backend->id == BACKEND_FIREJAIL && home[0] == '/' && box->host.passwd_home;
	confined_begin(&box->x, other ? box->host.passwd_home : path);
}

void box_workspace(struct box *box, const char *name)
{
	MEM_AUTO char *path = scratch_make_dir(box->s, name);
	if (confined_resolve(&box->x, path) < 0)
		fail_msg("%s", box->x.err.text);
}

void box_swap_workspace(struct box *box)
{
	MEM_AUTO char *ws = scratch_path(box->s, "ws");
	MEM_AUTO char *away = scratch_path(box->s, "away");
	assert_int_equal(rename(ws, away), 0);
	assert_int_equal(mkdir(ws, 0755), 0);
}

void box_plan(struct box *box, const char *working_dir, const char *command)
{
	struct confined *x = &box->x;
	free(x->request.command);
	x->request.command = mem_strdup(command);
	if (confined_confine(x, working_dir) < 0)
		fail_msg("%s", x->err.text);
	launch_init(&box->launch, BARE, "");
	plan_release(&box->launch.plan);
	if (box->backend->offer(&box->host, &x->c, &box->offer, &x->err) < 0)
		fail_msg("%s", x->err.text);
	if (box->offer.flat)
		backend_adapt(&box->offer, &x->c);
	if (box->backend->plan(&box->host, &x->c, &box->offer, &box->launch.plan, &x->err) < 0)
		fail_msg("%s", x->err.text);
	if (box->launch.plan.wrapper.count > 0)
		box->launch.wrapper_fd =
			fcntl(box->backend->id == BACKEND_FIREJAIL ? box->host.firejail.fd
								   : box->host.bwrap_fd,
				F_DUPFD_CLOEXEC, 0);
}

void box_expect(struct box *box, const char *working_dir, const char *command, const char *output)
{
	box_plan(box, working_dir, command);
	bool guarded = box->backend->id != BACKEND_NONE;
	if (guarded && git_guard_make(&box->x.c, &box->x.err) < 0)
		fail_msg("%s", box->x.err.text);
	const struct message *ended = launch_run(&box->launch);
	launch_until_silence(&box->launch);
	if (guarded)
		git_guard_unmake(&box->x.c);
	if (strcmp(str_c(&box->launch.output), output) != 0 || ended->wait_status != 0)
		fail_msg("%s: status %x\n--- expected:\n%s--- got:\n%s",
			backend_id_name(box->backend->id), (unsigned)ended->wait_status, output,
			str_c(&box->launch.output));
	launch_release(&box->launch);
}

void box_expect_failure(struct box *box, void (*between)(struct box *box), enum stage stage)
{
	box_plan(box, NULL, "echo it ran");
	between(box);
	launch_start(&box->launch);
	const struct message *failed = launch_next(&box->launch);
	if (failed->kind != MSG_FAILED || failed->stage != stage)
		fail_msg("message %u, stage %u: %s", failed->kind, failed->stage, failed->text);
	launch_until_silence(&box->launch);
	assert_null(strstr(str_c(&box->launch.output), "it ran"));
	launch_release(&box->launch);
}

void box_end(struct box *box)
{
	confined_end(&box->x);
	host_release(&box->host);
	scratch_end(box->s);
}
