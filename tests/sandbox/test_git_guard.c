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
#include "base/path.h"
#include "sandbox/git_guard.h"
#include "sandbox/places_scan.h"
#include "scratch.h"

static const char *const kind_names[] = {"self", "readonly", "made"};

/* "kind path" of each guard, paths relative to the scratch directory, in their order. */
static char *guards_of(const struct scratch *s, const struct confinement *c)
{
	struct str out = STR_INIT;
	for (size_t i = 0; i < c->guard_count; i++)
		str_printf(&out, "%s %s\n", kind_names[c->guards[i].kind],
			c->guards[i].place.path + strlen(s->dir) + 1);
	str_add(&out, "");
	return str_steal(&out);
}

static void begin(struct confined *x, const struct scratch *s, const char *workspace)
{
	MEM_AUTO char *ws = scratch_make_dir(s, workspace);
	confined_begin(x, "/nonexistent");
	assert_int_equal(confined_resolve(x, ws), 0);
	assert_int_equal(confined_confine(x, NULL), 0);
}

static void expect_guards(const struct scratch *s, const struct confined *x, const char *expected)
{
	MEM_AUTO char *got = guards_of(s, &x->c);
	assert_string_equal(got, expected);
}

static void a_repository_at_the_root_is_guarded(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_repository(s, "w"));
	begin(&x, s, "w");
	expect_guards(s, &x,
		"self w/.git\nreadonly w/.git/hooks\nreadonly w/.git/config\n"
		"made w/.git/config.worktree\n");
	assert_false(x.c.git_depth_reached);
	confined_end(&x);
	scratch_end(s);
}

static void every_directory_down_to_a_repository_is_held(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_repository(s, "w/a/b"));
	MEM_AUTO char *hooks = scratch_path(s, "w/a/b/.git/hooks");
	MEM_AUTO char *sample = path_join(hooks, "pre-commit.sample");
	assert_int_equal(unlink(sample), 0);
	assert_int_equal(rmdir(hooks), 0);
	begin(&x, s, "w");
	expect_guards(s, &x,
		"self w/a\nself w/a/b\nself w/a/b/.git\nmade w/a/b/.git/hooks\n"
		"readonly w/a/b/.git/config\nmade w/a/b/.git/config.worktree\n");
	confined_end(&x);
	scratch_end(s);
}

static void it_looks_three_levels_deep_and_says_so(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_repository(s, "w/1/2/3"));
	begin(&x, s, "w");
	assert_int_equal(x.c.repositories.count, 1);
	free(scratch_repository(s, "w/1/2/3/4"));
	assert_int_equal(confined_confine(&x, NULL), 0);
	assert_int_equal(x.c.repositories.count, 1);
	assert_true(x.c.git_depth_reached);
	confined_end(&x);
	scratch_end(s);
}

static void a_flood_of_entries_ends_the_search_not_the_neighbours(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_repository(s, "w/project"));
	for (unsigned i = 0; i < SCAN_ENTRIES + 10; i++) {
		MEM_AUTO char *name = mem_printf("w/flood/in/%u", i);
		free(scratch_write(s, name, ""));
	}
	begin(&x, s, "w");
	assert_int_equal(x.c.repositories.count, 1);
	assert_true(x.c.git_depth_reached);
	confined_end(&x);
	scratch_end(s);
}

static void symlinks_are_not_followed(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_repository(s, "outside"));
	free(scratch_make_dir(s, "w/linked"));
	free(scratch_link(s, "w/elsewhere", "../outside"));
	free(scratch_link(s, "w/linked/.git", "../../outside/.git"));
	begin(&x, s, "w");
	expect_guards(s, &x, "self w/linked\n");
	confined_end(&x);
	scratch_end(s);
}

static void the_link_of_a_submodule_cannot_be_pointed_elsewhere(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_write(s, "w/sub/.git", "gitdir: ../.git/modules/sub\n"));
	free(scratch_make_dir(s, "w/.git/modules/sub"));
	begin(&x, s, "w/sub");
	expect_guards(s, &x, "readonly w/sub/.git\n");
	assert_int_equal(x.c.git_outside.count, 1);
	assert_non_null(
		strstr(x.c.git_outside.items[0], "not visible inside; readonly_paths adds it"));
	assert_int_equal(x.c.readonly.count, 0);
	confined_end(&x);
	scratch_end(s);
}

static void make_worktree(const struct scratch *s, const char *back)
{
	free(scratch_repository(s, "main"));
	MEM_AUTO char *link = mem_printf("gitdir: %s/main/.git/worktrees/wt\n", s->dir);
	MEM_AUTO char *gitdir = mem_printf("%s/%s\n", s->dir, back);
	free(scratch_write(s, "wt/.git", link));
	free(scratch_write(s, "main/.git/worktrees/wt/commondir", "../..\n"));
	free(scratch_write(s, "main/.git/worktrees/wt/gitdir", gitdir));
}

static void the_repository_of_a_worktree_is_shown_read_only_when_it_knows_it(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	make_worktree(s, "wt/.git");
	begin(&x, s, "wt");
	MEM_AUTO char *common = scratch_path(s, "main/.git");
	assert_int_equal(x.c.readonly.count, 1);
	assert_string_equal(x.c.readonly.items[0].path, common);
	assert_non_null(strstr(x.c.git_outside.items[0], "(read-only)"));
	assert_int_equal(places_unchanged(&x.c, &x.err), 0);
	confined_end(&x);
	scratch_end(s);
}

static void a_link_that_its_repository_does_not_confirm_shows_nothing(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	make_worktree(s, "other/.git");
	begin(&x, s, "wt");
	assert_int_equal(x.c.readonly.count, 0);
	assert_non_null(strstr(x.c.git_outside.items[0], "not visible inside"));
	confined_end(&x);
	scratch_end(s);
}

static void a_bare_repository_is_one_too(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_write(s, "w/x.git/HEAD", "ref: refs/heads/main\n"));
	free(scratch_write(s, "w/x.git/config", ""));
	free(scratch_make_dir(s, "w/x.git/objects"));
	free(scratch_make_dir(s, "w/x.git/refs"));
	begin(&x, s, "w");
	expect_guards(s, &x,
		"self w/x.git\nmade w/x.git/hooks\nreadonly w/x.git/config\n"
		"made w/x.git/config.worktree\n");
	confined_end(&x);
	scratch_end(s);
}

static void a_read_only_place_inside_needs_no_guard_but_its_way(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	MEM_AUTO char *ws = scratch_make_dir(s, "w");
	free(scratch_repository(s, "w/third/party"));
	confined_begin(&x, "/nonexistent");
	strv_take(&x.config.readonly_paths, scratch_path(s, "w/third/party"));
	assert_int_equal(confined_resolve(&x, ws), 0);
	assert_int_equal(confined_confine(&x, NULL), 0);
	expect_guards(s, &x, "self w/third\n");
	confined_end(&x);
	scratch_end(s);
}

static void without_protection_repositories_are_still_known(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_repository(s, "w"));
	begin(&x, s, "w");
	x.config.protect_git = false;
	assert_int_equal(confined_confine(&x, NULL), 0);
	assert_int_equal(x.c.guard_count, 0);
	assert_int_equal(x.c.repositories.count, 1);
	confined_end(&x);
	scratch_end(s);
}

static void mount_points_are_made_and_removed(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_write(s, "w/.git/HEAD", ""));
	begin(&x, s, "w");
	expect_guards(s, &x,
		"self w/.git\nmade w/.git/hooks\nmade w/.git/config\nmade "
		"w/.git/config.worktree\n");
	assert_int_equal(git_guard_make(&x.c, &x.err), 0);
	assert_true(scratch_exists(s, "w/.git/hooks"));
	assert_true(scratch_exists(s, "w/.git/config"));
	assert_true(x.c.guards[1].place.ino != 0);
	assert_int_equal(places_unchanged(&x.c, &x.err), 0);
	git_guard_unmake(&x.c);
	assert_false(scratch_exists(s, "w/.git/hooks"));
	assert_false(scratch_exists(s, "w/.git/config"));
	assert_false(scratch_exists(s, "w/.git/config.worktree"));
	assert_true(scratch_exists(s, "w/.git/HEAD"));
	confined_end(&x);
	scratch_end(s);
}

static void a_trial_makes_nothing(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_repository(s, "w"));
	begin(&x, s, "w");
	git_guard_drop_made(&x.c);
	expect_guards(s, &x, "self w/.git\nreadonly w/.git/hooks\nreadonly w/.git/config\n");
	assert_int_equal(git_guard_make(&x.c, &x.err), 0);
	assert_false(scratch_exists(s, "w/.git/config.worktree"));
	confined_end(&x);
	scratch_end(s);
}

static void what_is_no_longer_empty_stays(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_write(s, "w/.git/HEAD", ""));
	begin(&x, s, "w");
	assert_int_equal(git_guard_make(&x.c, &x.err), 0);
	free(scratch_write(s, "w/.git/hooks/post-merge", "theirs"));
	free(scratch_write(s, "w/.git/config", "[user]\n"));
	git_guard_unmake(&x.c);
	assert_true(scratch_exists(s, "w/.git/hooks/post-merge"));
	assert_true(scratch_exists(s, "w/.git/config"));
	confined_end(&x);
	scratch_end(s);
}

static void runs_at_once_share_a_mount_point_until_the_last(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined first, second;
	free(scratch_write(s, "w/.git/HEAD", ""));
	begin(&first, s, "w");
	assert_int_equal(git_guard_make(&first.c, &first.err), 0);
	begin(&second, s, "w"); /* sees what the first made */
	expect_guards(s, &second,
		"self w/.git\nmade w/.git/hooks\nmade w/.git/config\nmade "
		"w/.git/config.worktree\n");
	assert_int_equal(git_guard_make(&second.c, &second.err), 0);
	git_guard_unmake(&first.c);
	assert_true(scratch_exists(s, "w/.git/hooks"));
	git_guard_unmake(&second.c);
	assert_false(scratch_exists(s, "w/.git/hooks"));
	confined_end(&first);
	confined_end(&second);
	scratch_end(s);
}

static void what_a_killed_run_left_is_taken_over(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_write(s, "w/.git/HEAD", ""));
	begin(&x, s, "w");
	assert_int_equal(git_guard_make(&x.c, &x.err), 0);
	/* the process that made them is gone without a word */
	MEM_AUTO char *hooks = scratch_path(s, "w/.git/hooks");
	git_guard_unmake(&x.c);
	assert_int_equal(mkdir(hooks, 0755), 0);
	assert_int_equal(confined_confine(&x, NULL), 0);
	expect_guards(s, &x,
		"self w/.git\nreadonly w/.git/hooks\nmade w/.git/config\n"
		"made w/.git/config.worktree\n"); /* an empty one of the user is not ours */
	static const struct timespec mark[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	assert_int_equal(utimensat(-1, hooks, mark, 0), 0);
	assert_int_equal(confined_confine(&x, NULL), 0);
	assert_int_equal(git_guard_make(&x.c, &x.err), 0);
	git_guard_unmake(&x.c);
	assert_false(scratch_exists(s, "w/.git/hooks"));
	confined_end(&x);
	scratch_end(s);
}

static void hooks_that_appear_after_the_card_are_refused(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	struct confined x;
	free(scratch_write(s, "w/.git/HEAD", ""));
	begin(&x, s, "w");
	free(scratch_write(s, "w/.git/config", "[core]\n"));
	assert_int_equal(git_guard_make(&x.c, &x.err), -1);
	assert_non_null(strstr(x.err.text, "appeared since the card was drawn"));
	assert_false(scratch_exists(s, "w/.git/hooks")); /* nothing half made stays */
	assert_true(scratch_exists(s, "w/.git/config"));
	confined_end(&x);
	scratch_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_repository_at_the_root_is_guarded),
		cmocka_unit_test(every_directory_down_to_a_repository_is_held),
		cmocka_unit_test(it_looks_three_levels_deep_and_says_so),
		cmocka_unit_test(a_flood_of_entries_ends_the_search_not_the_neighbours),
		cmocka_unit_test(symlinks_are_not_followed),
		cmocka_unit_test(the_link_of_a_submodule_cannot_be_pointed_elsewhere),
		cmocka_unit_test(the_repository_of_a_worktree_is_shown_read_only_when_it_knows_it),
		cmocka_unit_test(a_link_that_its_repository_does_not_confirm_shows_nothing),
		cmocka_unit_test(a_bare_repository_is_one_too),
		cmocka_unit_test(a_read_only_place_inside_needs_no_guard_but_its_way),
		cmocka_unit_test(without_protection_repositories_are_still_known),
		cmocka_unit_test(mount_points_are_made_and_removed),
		cmocka_unit_test(a_trial_makes_nothing),
		cmocka_unit_test(what_is_no_longer_empty_stays),
		cmocka_unit_test(runs_at_once_share_a_mount_point_until_the_last),
		cmocka_unit_test(what_a_killed_run_left_is_taken_over),
		cmocka_unit_test(hooks_that_appear_after_the_card_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
