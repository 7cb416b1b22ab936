#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/docker_way.h"
#include "scratch.h"

#define OTHER 12345

/* How the directory w/a is made, on the way to w/a/b/.git. uid and gid 0: as it is. */
static const struct {
	mode_t mode;
	unsigned uid, gid;
	bool ours;
} ways[] = {
	{0755, 0, 0, true},
	{0700, 0, 0, true},
	{0775, 0, 0, true}, /* a group of one's own */
	{0777, 0, 0, false},
	{0757, 0, 0, false},
	{01777, 0, 0, true}, /* like /tmp: an entry is moved by its owner alone */
	{0775, 0, OTHER, false},
	{0755, 0, OTHER, true},
	{0755, OTHER, 0, false},
	{01777, OTHER, 0, false},
};

static void a_way_that_others_may_change_is_not_ours(void **state)
{
	struct ground *g = *state;
	MEM_AUTO char *a = scratch_make_dir(g->s, "w/a");
	free(scratch_make_dir(g->s, "w/a/b"));
	MEM_AUTO char *path = scratch_path(g->s, "w/a/b/.git");
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		if ((ways[i].uid || ways[i].gid) && geteuid() != 0)
			continue;
		assert_int_equal(chown(a, ways[i].uid ? ways[i].uid : geteuid(),
					 ways[i].gid ? ways[i].gid : getegid()),
			0);
		assert_int_equal(chmod(a, ways[i].mode), 0);
		if (docker_way_is_ours(path) != ways[i].ours)
			fail_msg("row %zu", i);
	}
}

static void a_way_that_is_not_there_or_a_link_is_not_ours(void **state)
{
	struct ground *g = *state;
	free(scratch_make_dir(g->s, "w/a"));
	free(scratch_link(g->s, "w/link", "a"));
	MEM_AUTO char *absent = scratch_path(g->s, "w/none/.git");
	MEM_AUTO char *linked = scratch_path(g->s, "w/link/.git");
	assert_false(docker_way_is_ours(absent));
	assert_false(docker_way_is_ours(linked));
}

static void guards_hold_where_each_way_is_ours(void **state)
{
	struct ground *g = *state;
	free(scratch_repository(g->s, "w/one"));
	free(scratch_repository(g->s, "w/two"));
	MEM_AUTO char *two = scratch_path(g->s, "w/two");
	ground_confine(g, "w");
	assert_true(g->x.c.guard_count > 0);
	assert_true(docker_holds_guards(&g->x.c));
	assert_int_equal(chmod(two, 0777), 0);
	assert_false(docker_holds_guards(&g->x.c));
	guards_drop(&g->x.c);
	assert_true(docker_holds_guards(&g->x.c));
}

static void the_empty_file_is_made_once_and_only_where_it_is_needed(void **state)
{
	struct ground *g = *state;
	struct err err = ERR_INIT;
	struct stat st;
	free(scratch_repository(g->s, "w/r"));
	MEM_AUTO char *worktree = scratch_write(g->s, "w/r/.git/config.worktree", "");
	MEM_AUTO char *empty = scratch_path(g->s, "empty");
	ground_confine(g, "w");
	assert_int_equal(docker_guards_make(&g->x.c, empty, &err), 0);
	assert_int_not_equal(stat(empty, &st), 0);
	assert_int_equal(unlink(worktree), 0);
	ground_confine(g, "w");
	for (int i = 0; i < 2; i++)
		assert_int_equal(docker_guards_make(&g->x.c, empty, &err), 0);
	assert_int_equal(stat(empty, &st), 0);
	assert_int_equal(st.st_size, 0);
	free(scratch_write(g->s, "other", "text"));
	MEM_AUTO char *other = scratch_path(g->s, "other");
	assert_int_equal(docker_guards_make(&g->x.c, other, &err), -1);
	assert_non_null(strstr(err.text, "remove it"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_ground(a_way_that_others_may_change_is_not_ours),
		on_ground(a_way_that_is_not_there_or_a_link_is_not_ours),
		on_ground(guards_hold_where_each_way_is_ours),
		on_ground(the_empty_file_is_made_once_and_only_where_it_is_needed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
