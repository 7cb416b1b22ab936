#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/git_config_paths.h"
#include "sandbox/git_guard.h"
#include "scratch.h"

struct change {
	enum { WRITE, REMOVE, RENAME, DIRECTORY, LINK } how;
	const char *path, *text; /* text: content, new name, target */
	const char *told;        /* NULL: nothing is told */
};

static const struct change changes[] = {
	{WRITE, "w/.git/hooks/post-checkout", "#!/bin/sh\n", "w/.git/hooks/post-checkout"},
	{WRITE, "w/.git/hooks/active", "other", "w/.git/hooks/active"},
	{REMOVE, "w/.git/hooks/active", NULL, "w/.git/hooks/active"},
	{RENAME, "w/.git/hooks/pre-commit.sample", "w/.git/hooks/pre-commit",
		"w/.git/hooks/pre-commit"},
	{WRITE, "w/.git/config", "[core]\n\tfsmonitor = x\n", "w/.git/config"},
	{WRITE, "w/.git/config.worktree", "[core]\n", "w/.git/config.worktree"},
	{WRITE, "w/.git/commondir", "/elsewhere\n", "w/.git/commondir"},
	{WRITE, "w/.git/modules/a/b/config", "[core]\n", "w/.git/modules/a/b/config"},
	{WRITE, "w/.git/modules/a/b/hooks/update", "", "w/.git/modules/a/b/hooks/update"},
	{WRITE, "w/.git/worktrees/one/gitdir", "/x\n", "w/.git/worktrees/one/gitdir"},
	{WRITE, "w/.git/worktrees/two/commondir", "/x\n", "w/.git/worktrees/two/commondir"},
	{RENAME, "w/.git", "w/.moved", "w/.git"},
	{LINK, "w/fresh/.git", "../.git", "w/fresh/.git"},
	{DIRECTORY, "w/fresh/.git", NULL, "w/fresh/.git"},
	{WRITE, "w/link/.git", "gitdir: /elsewhere\n", "w/link/.git"},
	{WRITE, "w/.husky/pre-push", "echo other", "w/.husky/pre-push"},
	{WRITE, "w/shared.inc", "[alias]\n", "w/shared.inc"},
	/* everyday work is not a change */
	{WRITE, "w/.git/index", "x", NULL},
	{WRITE, "w/.git/HEAD", "ref: refs/heads/next\n", NULL},
	{WRITE, "w/.git/refs/heads/next", "x", NULL},
	{WRITE, "w/.git/hooks/update.sample", "x", NULL},
	{WRITE, "w/.git/modules/a/b/index", "x", NULL},
	{WRITE, "w/.git/objects/00/11", "x", NULL},
	{WRITE, "w/source.c", "int x;", NULL},
};

static void build(const struct scratch *s)
{
	free(scratch_repository(s, "w"));
	free(scratch_write(s, "w/.git/config",
		"[core]\n\thooksPath = .husky ; theirs\n[include]\n\tpath = ../shared.inc\n"));
	free(scratch_write(s, "w/.git/hooks/active", "#!/bin/sh\n"));
	free(scratch_write(s, "w/.git/modules/a/b/HEAD", ""));
	free(scratch_write(s, "w/.git/modules/a/b/config", ""));
	free(scratch_write(s, "w/.git/worktrees/one/gitdir", "/one/.git\n"));
	free(scratch_write(s, "w/link/.git", "gitdir: ../.git/modules/a/b\n"));
	free(scratch_write(s, "w/.husky/pre-push", "echo"));
	free(scratch_write(s, "w/shared.inc", "[user]\n"));
	free(scratch_make_dir(s, "w/fresh"));
}

static void apply(const struct scratch *s, const struct change *change)
{
	MEM_AUTO char *path = scratch_path(s, change->path);
	MEM_AUTO char *other = change->text ? scratch_path(s, change->text) : NULL;
	switch (change->how) {
	case WRITE:
		free(scratch_write(s, change->path, change->text));
		break;
	case REMOVE:
		assert_int_equal(unlink(path), 0);
		break;
	case RENAME:
		assert_int_equal(rename(path, other), 0);
		break;
	case DIRECTORY:
		assert_int_equal(mkdir(path, 0755), 0);
		break;
	case LINK:
		assert_int_equal(symlink(change->text, path), 0);
		break;
	}
}

/* The repository of build() under guard, and what is told of what was done to it since. */
struct watched {
	struct ground *g;
	struct git_snapshot *before;
	struct strv told;
};

static void watched_begin(struct watched *w)
{
	void *state;
	assert_int_equal(ground_begin(&state), 0);
	*w = (struct watched){.g = state};
	build(w->g->s);
	ground_confine(w->g, "w");
	w->before = git_guard_snapshot(&w->g->x.c);
}

static void watched_tell(struct watched *w)
{
	git_guard_compare(w->before, &w->g->x.c, &w->told);
}

static void watched_end(struct watched *w)
{
	void *state = w->g;
	git_snapshot_free(w->before);
	strv_release(&w->told);
	ground_end(&state);
}

static void what_can_start_programs_is_told_and_nothing_else(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		struct watched w;
		watched_begin(&w);
		apply(w.g->s, &changes[i]);
		watched_tell(&w);
		MEM_AUTO char *path =
			changes[i].told ? scratch_path(w.g->s, changes[i].told) : NULL;
		if (path ? !strv_has(&w.told, path) : w.told.count != 0)
			fail_msg("change %zu: %zu told, first %s", i, w.told.count,
				w.told.count ? w.told.items[0] : "none");
		watched_end(&w);
	}
}

static void one_line_tells_of_a_repository_that_is_gone(void **state)
{
	static const struct change move = {RENAME, "w/.git", "w/.moved", NULL};
	struct watched w;
	(void)state;
	watched_begin(&w);
	apply(w.g->s, &move);
	watched_tell(&w);
	/* the name it lost, and the directory that is a bare one now */
	assert_int_equal(w.told.count, 2);
	watched_end(&w);
}

static void our_own_mount_points_are_no_change(void **state)
{
	struct ground *g = *state;
	struct strv told CLEANUP(strv_release) = STRV_INIT;
	free(scratch_write(g->s, "w/.git/HEAD", ""));
	ground_confine(g, "w");
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), 0);
	struct git_snapshot *before = git_guard_snapshot(&g->x.c);
	git_guard_unmake(&g->x.c);
	git_guard_compare(before, &g->x.c, &told);
	assert_int_equal(told.count, 0);
	git_snapshot_free(before);
	before = git_guard_snapshot(&g->x.c);
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), 0);
	git_guard_compare(before, &g->x.c, &told);
	assert_int_equal(told.count, 0);
	git_guard_unmake(&g->x.c);
	git_snapshot_free(before);
}

static void a_fifo_as_a_hook_does_not_hold_us_up(void **state)
{
	struct watched w;
	(void)state;
	watched_begin(&w);
	MEM_AUTO char *fifo = scratch_path(w.g->s, "w/.git/hooks/pre-rebase");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	watched_tell(&w);
	assert_true(strv_has(&w.told, fifo));
	watched_end(&w);
}

/* The event that tells of them must fit into a line of the record, or a command could break it. */
static void thousands_of_changes_are_counted(void **state)
{
	struct watched w;
	(void)state;
	watched_begin(&w);
	for (int i = 0; i < 100; i++) {
		MEM_AUTO char *name = mem_printf("w/new%d/.git", i);
		free(scratch_make_dir(w.g->s, name));
	}
	watched_tell(&w);
	assert_int_equal(w.told.count, 65);
	assert_string_equal(w.told.items[64], "and 36 more");
	watched_end(&w);
}

static void a_configuration_names_what_it_pulls_in(void **state)
{
	static const char text[] =
		"[core]\n\tbare = false\n\thooksPath = \"my hooks\" # why\n"
		"[Include] path = one.inc\n"
		"[includeIf \"gitdir:~/x/\"]\n  PATH=two.inc ; why\n"
		"[other]\n\tpath = no\n\thookspath = no\n[core]\n\thooksPathX = no\n";
	struct strv includes CLEANUP(strv_release) = STRV_INIT;
	struct strv hooks CLEANUP(strv_release) = STRV_INIT;
	(void)state;
	git_config_paths(text, sizeof(text) - 1, &includes, &hooks);
	assert_int_equal(hooks.count, 1);
	assert_string_equal(hooks.items[0], "my hooks");
	assert_int_equal(includes.count, 2);
	assert_string_equal(includes.items[0], "one.inc");
	assert_string_equal(includes.items[1], "two.inc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_start_programs_is_told_and_nothing_else),
		cmocka_unit_test(one_line_tells_of_a_repository_that_is_gone),
		on_ground(our_own_mount_points_are_no_change),
		cmocka_unit_test(a_fifo_as_a_hook_does_not_hold_us_up),
		cmocka_unit_test(thousands_of_changes_are_counted),
		cmocka_unit_test(a_configuration_names_what_it_pulls_in),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
