#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static void expect_guards(const struct ground *g, const char *expected)
{
	MEM_AUTO char *got = guards_of(g->s, &g->x.c);
	assert_string_equal(got, expected);
}

static void a_repository_at_the_root_is_guarded(void **state)
{
	struct ground *g = *state;
	free(scratch_repository(g->s, "w"));
	ground_confine(g, "w");
	expect_guards(g, "self w/.git\nreadonly w/.git/hooks\nreadonly w/.git/config\n"
			 "made w/.git/config.worktree\n");
	assert_false(g->x.c.git_depth_reached);
}

static void every_directory_down_to_a_repository_is_held(void **state)
{
	struct ground *g = *state;
	free(scratch_repository(g->s, "w/a/b"));
	MEM_AUTO char *hooks = scratch_path(g->s, "w/a/b/.git/hooks");
	MEM_AUTO char *sample = path_join(hooks, "pre-commit.sample");
	assert_int_equal(unlink(sample), 0);
	assert_int_equal(rmdir(hooks), 0);
	ground_confine(g, "w");
	expect_guards(g, "self w/a\nself w/a/b\nself w/a/b/.git\nmade w/a/b/.git/hooks\n"
			 "readonly w/a/b/.git/config\nmade w/a/b/.git/config.worktree\n");
}

static void it_looks_three_levels_deep_and_says_so(void **state)
{
	struct ground *g = *state;
	free(scratch_repository(g->s, "w/1/2/3"));
	ground_confine(g, "w");
	assert_int_equal(g->x.c.repositories.count, 1);
	free(scratch_repository(g->s, "w/1/2/3/4"));
	assert_int_equal(confined_confine(&g->x, NULL), 0);
	assert_int_equal(g->x.c.repositories.count, 1);
	assert_true(g->x.c.git_depth_reached);
}

static void a_flood_of_entries_ends_the_search_not_the_neighbours(void **state)
{
	struct ground *g = *state;
	free(scratch_repository(g->s, "w/project"));
	for (unsigned i = 0; i < SCAN_ENTRIES + 10; i++) {
		MEM_AUTO char *name = mem_printf("w/flood/in/%u", i);
		free(scratch_write(g->s, name, ""));
	}
	ground_confine(g, "w");
	assert_int_equal(g->x.c.repositories.count, 1);
	assert_true(g->x.c.git_depth_reached);
}

static void symlinks_are_not_followed(void **state)
{
	struct ground *g = *state;
	free(scratch_repository(g->s, "outside"));
	free(scratch_make_dir(g->s, "w/linked"));
	free(scratch_link(g->s, "w/elsewhere", "../outside"));
	free(scratch_link(g->s, "w/linked/.git", "../../outside/.git"));
	ground_confine(g, "w");
	expect_guards(g, "self w/linked\n");
}

static void the_link_of_a_submodule_cannot_be_pointed_elsewhere(void **state)
{
	struct ground *g = *state;
	free(scratch_write(g->s, "w/sub/.git", "gitdir: ../.git/modules/sub\n"));
	free(scratch_make_dir(g->s, "w/.git/modules/sub"));
	ground_confine(g, "w/sub");
	expect_guards(g, "readonly w/sub/.git\n");
	assert_int_equal(g->x.c.git_outside.count, 1);
	assert_non_null(
		strstr(g->x.c.git_outside.items[0], "not visible inside; readonly_paths adds it"));
	assert_int_equal(g->x.c.readonly.count, 0);
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
	struct ground *g = *state;
	make_worktree(g->s, "wt/.git");
	ground_confine(g, "wt");
	MEM_AUTO char *common = scratch_path(g->s, "main/.git");
	assert_int_equal(g->x.c.readonly.count, 1);
	assert_string_equal(g->x.c.readonly.items[0].path, common);
	assert_non_null(strstr(g->x.c.git_outside.items[0], "(read-only)"));
	assert_int_equal(places_unchanged(&g->x.c, &g->x.err), 0);
}

static void a_link_that_its_repository_does_not_confirm_shows_nothing(void **state)
{
	struct ground *g = *state;
	make_worktree(g->s, "other/.git");
	ground_confine(g, "wt");
	assert_int_equal(g->x.c.readonly.count, 0);
	assert_non_null(strstr(g->x.c.git_outside.items[0], "not visible inside"));
}

static void a_bare_repository_is_one_too(void **state)
{
	struct ground *g = *state;
	free(scratch_write(g->s, "w/x.git/HEAD", "ref: refs/heads/main\n"));
	free(scratch_write(g->s, "w/x.git/config", ""));
	free(scratch_make_dir(g->s, "w/x.git/objects"));
	free(scratch_make_dir(g->s, "w/x.git/refs"));
	ground_confine(g, "w");
	expect_guards(g, "self w/x.git\nmade w/x.git/hooks\nreadonly w/x.git/config\n"
			 "made w/x.git/config.worktree\n");
}

static void a_read_only_place_inside_needs_no_guard_but_its_way(void **state)
{
	struct ground *g = *state;
	free(scratch_repository(g->s, "w/third/party"));
	strv_take(&g->x.config.readonly_paths, scratch_path(g->s, "w/third/party"));
	ground_confine(g, "w");
	expect_guards(g, "self w/third\n");
}

static void without_protection_repositories_are_still_known(void **state)
{
	struct ground *g = *state;
	free(scratch_repository(g->s, "w"));
	ground_confine(g, "w");
	g->x.config.protect_git = false;
	assert_int_equal(confined_confine(&g->x, NULL), 0);
	assert_int_equal(g->x.c.guard_count, 0);
	assert_int_equal(g->x.c.repositories.count, 1);
}

static void mount_points_are_made_and_removed(void **state)
{
	struct ground *g = *state;
	free(scratch_write(g->s, "w/.git/HEAD", ""));
	ground_confine(g, "w");
	expect_guards(g, "self w/.git\nmade w/.git/hooks\nmade w/.git/config\nmade "
			 "w/.git/config.worktree\n");
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), 0);
	assert_true(scratch_exists(g->s, "w/.git/hooks"));
	assert_true(scratch_exists(g->s, "w/.git/config"));
	assert_true(g->x.c.guards[1].place.ino != 0);
	assert_int_equal(places_unchanged(&g->x.c, &g->x.err), 0);
	git_guard_unmake(&g->x.c);
	assert_false(scratch_exists(g->s, "w/.git/hooks"));
	assert_false(scratch_exists(g->s, "w/.git/config"));
	assert_false(scratch_exists(g->s, "w/.git/config.worktree"));
	assert_true(scratch_exists(g->s, "w/.git/HEAD"));
}

static void a_trial_makes_nothing(void **state)
{
	struct ground *g = *state;
	free(scratch_repository(g->s, "w"));
	ground_confine(g, "w");
	git_guard_drop_made(&g->x.c);
	expect_guards(g, "self w/.git\nreadonly w/.git/hooks\nreadonly w/.git/config\n");
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), 0);
	assert_false(scratch_exists(g->s, "w/.git/config.worktree"));
}

static void what_is_no_longer_empty_stays(void **state)
{
	struct ground *g = *state;
	free(scratch_write(g->s, "w/.git/HEAD", ""));
	ground_confine(g, "w");
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), 0);
	free(scratch_write(g->s, "w/.git/hooks/post-merge", "theirs"));
	free(scratch_write(g->s, "w/.git/config", "[user]\n"));
	git_guard_unmake(&g->x.c);
	assert_true(scratch_exists(g->s, "w/.git/hooks/post-merge"));
	assert_true(scratch_exists(g->s, "w/.git/config"));
}

static void runs_at_once_share_a_mount_point_until_the_last(void **state)
{
	struct ground *first = *state;
	/* Of the same directory; it sees what the first made. */
	struct ground second = {.s = first->s};
	confined_begin(&second.x, "/nonexistent");
	free(scratch_write(first->s, "w/.git/HEAD", ""));
	ground_confine(first, "w");
	assert_int_equal(git_guard_make(&first->x.c, &first->x.err), 0);
	ground_confine(&second, "w");
	expect_guards(&second, "self w/.git\nmade w/.git/hooks\nmade w/.git/config\nmade "
			       "w/.git/config.worktree\n");
	assert_int_equal(git_guard_make(&second.x.c, &second.x.err), 0);
	git_guard_unmake(&first->x.c);
	assert_true(scratch_exists(first->s, "w/.git/hooks"));
	git_guard_unmake(&second.x.c);
	assert_false(scratch_exists(first->s, "w/.git/hooks"));
	confined_end(&second.x);
}

/* What another console does meanwhile: it holds the mount points until its input ends. */
static pid_t other_console(struct ground *g, int *ret_end_fd)
{
	int ready[2], end[2];
	char byte = 0;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(end), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(end[1]);
		bool made = git_guard_make(&g->x.c, &g->x.err) == 0;
		_exit(write(ready[1], "", 1) == 1 && read(end[0], &byte, 1) == 0 && made ? 0 : 1);
	}
	assert_true(pid > 0);
	close(ready[1]);
	close(end[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*ret_end_fd = end[1];
	return pid;
}

static void consoles_share_a_mount_point_until_the_last(void **state)
{
	struct ground *g = *state;
	int end_fd, status = 1;
	free(scratch_write(g->s, "w/.git/HEAD", ""));
	ground_confine(g, "w");
	pid_t pid = other_console(g, &end_fd);
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), 0);
	git_guard_unmake(&g->x.c);
	assert_true(scratch_exists(g->s, "w/.git/hooks"));
	assert_true(scratch_exists(g->s, "w/.git/config"));
	/* killed, it leaves them; the next run takes them over and removes them */
	close(end_fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), 0);
	git_guard_unmake(&g->x.c);
	assert_false(scratch_exists(g->s, "w/.git/hooks"));
	assert_false(scratch_exists(g->s, "w/.git/config"));
}

static void what_a_killed_run_left_is_taken_over(void **state)
{
	struct ground *g = *state;
	free(scratch_write(g->s, "w/.git/HEAD", ""));
	ground_confine(g, "w");
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), 0);
	/* the process that made them is gone without a word */
	MEM_AUTO char *hooks = scratch_path(g->s, "w/.git/hooks");
	git_guard_unmake(&g->x.c);
	assert_int_equal(mkdir(hooks, 0755), 0);
	assert_int_equal(confined_confine(&g->x, NULL), 0);
	expect_guards(g,
		"self w/.git\nreadonly w/.git/hooks\nmade w/.git/config\n"
		"made w/.git/config.worktree\n"); /* an empty one of the user is not ours */
	static const struct timespec mark[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
	assert_int_equal(utimensat(-1, hooks, mark, 0), 0);
	assert_int_equal(confined_confine(&g->x, NULL), 0);
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), 0);
	git_guard_unmake(&g->x.c);
	assert_false(scratch_exists(g->s, "w/.git/hooks"));
}

static void hooks_that_appear_after_the_card_are_refused(void **state)
{
	struct ground *g = *state;
	free(scratch_write(g->s, "w/.git/HEAD", ""));
	ground_confine(g, "w");
	free(scratch_write(g->s, "w/.git/config", "[core]\n"));
	assert_int_equal(git_guard_make(&g->x.c, &g->x.err), -1);
	assert_non_null(strstr(g->x.err.text, "appeared since the card was drawn"));
	assert_false(scratch_exists(g->s, "w/.git/hooks")); /* nothing half made stays */
	assert_true(scratch_exists(g->s, "w/.git/config"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_ground(a_repository_at_the_root_is_guarded),
		on_ground(every_directory_down_to_a_repository_is_held),
		on_ground(it_looks_three_levels_deep_and_says_so),
		on_ground(a_flood_of_entries_ends_the_search_not_the_neighbours),
		on_ground(symlinks_are_not_followed),
		on_ground(the_link_of_a_submodule_cannot_be_pointed_elsewhere),
		on_ground(the_repository_of_a_worktree_is_shown_read_only_when_it_knows_it),
		on_ground(a_link_that_its_repository_does_not_confirm_shows_nothing),
		on_ground(a_bare_repository_is_one_too),
		on_ground(a_read_only_place_inside_needs_no_guard_but_its_way),
		on_ground(without_protection_repositories_are_still_known),
		on_ground(mount_points_are_made_and_removed),
		on_ground(a_trial_makes_nothing),
		on_ground(what_is_no_longer_empty_stays),
		on_ground(runs_at_once_share_a_mount_point_until_the_last),
		on_ground(consoles_share_a_mount_point_until_the_last),
		on_ground(what_a_killed_run_left_is_taken_over),
		on_ground(hooks_that_appear_after_the_card_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
