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
#include "scratch.h"

static char *made(const struct scratch *s, const char *name)
{
	return scratch_make_dir(s, name);
}

static void a_workspace_and_listed_paths_become_pinned_places(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *ws = made(s, "ws");
	struct confined x;
	confined_begin(&x, "/nonexistent");
	strv_take(&x.config.writable_paths, made(s, "more"));
	strv_take(&x.config.writable_paths, scratch_path(s, "absent"));
	strv_take(&x.config.readonly_paths, made(s, "tools"));
	assert_int_equal(confined_resolve(&x, ws), 0);
	assert_string_equal(x.base.workspace, ws);
	assert_int_equal(x.base.writable.count, 2);
	assert_string_equal(x.base.writable.items[0].path, ws);
	assert_true(x.base.writable.items[0].is_dir);
	struct stat st;
	assert_int_equal(stat(ws, &st), 0);
	assert_int_equal(x.base.writable.items[0].ino, st.st_ino);
	assert_int_equal(x.base.readonly.count, 1);
	assert_int_equal(x.base.missing.count, 1);
	assert_int_equal(x.base_pins.count, 3);
	assert_false(scratch_exists(s, "absent"));
	confined_end(&x);
	scratch_end(s);
}

static void the_listed_tmp_is_answered_by_the_private_one(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *ws = made(s, "ws");
	struct confined x;
	confined_begin(&x, "/nonexistent");
	strv_add(&x.config.writable_paths, "/tmp");
	strv_add(&x.config.readonly_paths, "/usr");
	strv_add(&x.config.readonly_paths, "/lib");
	strv_add(&x.config.readonly_paths, "/bin");
	assert_int_equal(confined_resolve(&x, ws), 0);
	assert_int_equal(x.base.writable.count, 1);
	assert_true(strv_has(&x.base.private_tmp, "/tmp"));
	assert_int_equal(x.base.readonly.count, 0); /* in the base set already */
	assert_int_equal(confined_confine(&x, "/tmp"), 0);
	assert_string_equal(x.c.cwd, "/tmp");
	confined_end(&x);
	scratch_end(s);
}

static void a_path_below_another_is_merged_away(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *ws = made(s, "a/ws");
	struct confined x;
	confined_begin(&x, "/nonexistent");
	strv_take(&x.config.writable_paths, made(s, "a/ws/below"));
	strv_take(&x.config.writable_paths, scratch_path(s, "a/ws"));
	strv_take(&x.config.writable_paths, made(s, "b"));
	strv_take(&x.config.writable_paths, made(s, "b/c"));
	strv_take(&x.config.readonly_paths, made(s, "r/s"));
	strv_take(&x.config.readonly_paths, scratch_path(s, "r"));
	assert_int_equal(confined_resolve(&x, ws), 0);
	assert_int_equal(x.base.writable.count, 2);
	MEM_AUTO char *b = scratch_path(s, "b");
	assert_string_equal(x.base.writable.items[1].path, b);
	assert_int_equal(x.base.readonly.count, 1);
	confined_end(&x);
	confined_begin(&x, "/nonexistent");
	strv_take(&x.config.writable_paths, scratch_path(s, "b"));
	strv_take(&x.config.writable_paths, scratch_path(s, "a"));
	assert_int_equal(confined_resolve(&x, ws), 0);
	MEM_AUTO char *a = scratch_path(s, "a");
	assert_int_equal(x.base.writable.count, 2);
	assert_string_equal(
		x.base.writable.items[0].path, a); /* the one that holds the workspace */
	assert_string_equal(x.base.workspace, ws);
	confined_end(&x);
	scratch_end(s);
}

struct refusal_case {
	const char *workspace; /* relative to the scratch directory, or absolute */
	const char *writable, *readonly;
	const char *words;
};

static void a_refusal_names_the_path_the_rule_and_the_option(void **state)
{
	static const struct refusal_case cases[] = {
		{"/usr/share", NULL, NULL, "-C DIR names another"},
		{"/", NULL, NULL, "workspace: / may not be writable"},
		{"u/h", NULL, NULL, "your home directory"},
		{"absent", NULL, NULL, "-C DIR"},
		{"file", NULL, NULL, "is not a directory"},
		{"ws", "u/h/.ssh", NULL, "writable_paths: "},
		{"ws", NULL, "u/h/.ssh", "readonly_paths: "},
		{"ws", NULL, "socket", "neither a directory nor a plain file"},
		{"ws", "socket", NULL, "neither a directory nor a plain file"},
		{"ws", "both", "both", "take it out of one"},
		{"ws", NULL, "ws", "take it out of one"},
		{"ws", "loop", NULL, "loop"},
	};
	(void)state;
	struct scratch *s = scratch_begin();
	free(made(s, "ws"));
	free(made(s, "both"));
	free(made(s, "u/h/.ssh"));
	free(scratch_write(s, "file", ""));
	free(scratch_socket(s, "socket"));
	free(scratch_link(s, "loop", "loop"));
	MEM_AUTO char *home = scratch_path(s, "u/h");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct confined x;
		confined_begin(&x, home);
		if (cases[i].writable)
			strv_take(&x.config.writable_paths, scratch_path(s, cases[i].writable));
		if (cases[i].readonly)
			strv_take(&x.config.readonly_paths, scratch_path(s, cases[i].readonly));
		MEM_AUTO char *ws = scratch_path(s, cases[i].workspace);
		if (confined_resolve(&x, ws) != -1 || !strstr(x.err.text, cases[i].words))
			fail_msg("case %zu: %s", i, x.err.text);
		confined_end(&x);
	}
	scratch_end(s);
}

static int resolve_foreign(void *data)
{
	struct confined x;
	confined_begin(&x, "/nonexistent");
	int got = confined_resolve(&x, data);
	bool right = got == -1 && strstr(x.err.text, "belongs to uid 0, not to you");
	confined_end(&x);
	return right ? 0 : 1;
}

static int resolve_own(void *data)
{
	struct confined x;
	confined_begin(&x, "/nonexistent");
	int got = confined_resolve(&x, data);
	confined_end(&x);
	return got == 0 ? 0 : 1;
}

static void a_workspace_must_belong_to_the_user(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	struct scratch *s = scratch_begin();
	MEM_AUTO char *roots = made(s, "roots");
	MEM_AUTO char *theirs = made(s, "theirs");
	assert_int_equal(chown(theirs, 65534, 65534), 0);
	assert_int_equal(as_nobody(resolve_foreign, roots), 0);
	assert_int_equal(as_nobody(resolve_own, theirs), 0);
	struct confined x;
	confined_begin(&x, "/nonexistent");
	assert_int_equal(confined_resolve(&x, theirs), -1);
	confined_end(&x);
	scratch_end(s);
}

static void a_symlinked_name_is_resolved_once_and_judged_by_what_it_is(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *real = made(s, "real");
	MEM_AUTO char *link = scratch_link(s, "link", "real");
	MEM_AUTO char *out = scratch_link(s, "out", "/etc");
	struct confined x;
	confined_begin(&x, "/nonexistent");
	assert_int_equal(confined_resolve(&x, link), 0);
	assert_string_equal(x.base.workspace, real);
	confined_end(&x);
	confined_begin(&x, "/nonexistent");
	assert_int_equal(confined_resolve(&x, out), -1);
	confined_end(&x);
	scratch_end(s);
}

struct dir_case {
	const char *asked;
	const char *cwd; /* relative to the scratch directory; NULL: refused */
	bool made;
	const char *words; /* of a refusal */
};

static void a_working_directory_is_taken_made_or_refused_by_where_it_leads(void **state)
{
	static const struct dir_case cases[] = {
		{NULL, "ws", false, NULL},
		{".", "ws", false, NULL},
		{"sub", "ws/sub", false, NULL},
		{"sub/..", "ws", false, NULL},
		{"link-in", "ws/sub", false, NULL},
		{"new", "ws/new", true, NULL},
		{"new/a/b/", "ws/new/a/b", true, NULL},
		{"sub/./new", "ws/sub/new", true, NULL},
		{"link-in/new", "ws/sub/new", true, NULL},
		{"new/../../outside", NULL, false, "cannot be made"},
		{"dangling", NULL, false, "cannot be made"},
		{"dangling/x", NULL, false, "cannot be made"},
		{"..", NULL, false, "not an allowed directory"},
		{"../outside", NULL, false, "leads to"},
		{"link-out", NULL, false, "outside"},
		{"link-out/new", NULL, false, "outside/new"},
		{"sub/../../outside", NULL, false, "outside"},
		{"/etc", NULL, false, "/etc is not an allowed directory; add it to writable_paths"},
		{"/nowhere/at/all", NULL, false, "/nowhere/at/all"},
		{"file", NULL, false, "is a file"},
		{"file/x", NULL, false, "Not a directory"},
		{"", NULL, false, "empty"},
		{"a\nb \x1b]0;x\a", "ws/a\nb \x1b]0;x\a", false, NULL},
	};
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *ws = made(s, "ws");
	free(made(s, "ws/sub"));
	free(made(s, "ws/a\nb \x1b]0;x\a"));
	free(made(s, "outside"));
	free(scratch_write(s, "ws/file", ""));
	free(scratch_link(s, "ws/link-in", "sub"));
	free(scratch_link(s, "ws/link-out", "../outside"));
	free(scratch_link(s, "ws/dangling", "../outside/later"));
	struct confined x;
	confined_begin(&x, "/nonexistent");
	assert_int_equal(confined_resolve(&x, ws), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct dir_case *it = &cases[i];
		int got = confined_confine(&x, it->asked);
		MEM_AUTO char *cwd = it->cwd ? scratch_path(s, it->cwd) : NULL;
		bool right = cwd ? got == 0 && strcmp(x.c.cwd, cwd) == 0 && x.c.cwd_made == it->made
				 : got < 0 && x.reason == REASON_WORKING_DIR_NOT_ALLOWED &&
					     strstr(x.err.text, it->words);
		if (!right)
			fail_msg("case %zu (%s): %d %s %s", i, it->asked, got, x.c.cwd, x.err.text);
	}
	confined_end(&x);
	scratch_end(s);
}

static void a_missing_directory_is_made_below_the_workspace_alone(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *ws = made(s, "ws");
	MEM_AUTO char *more = made(s, "more");
	MEM_AUTO char *there = made(s, "more/there");
	MEM_AUTO char *absent = scratch_path(s, "more/absent");
	struct confined x;
	confined_begin(&x, "/nonexistent");
	strv_add(&x.config.writable_paths, more);
	assert_int_equal(confined_resolve(&x, ws), 0);
	assert_int_equal(confined_confine(&x, there), 0);
	assert_int_equal(confined_confine(&x, absent), -1);
	assert_non_null(strstr(x.err.text, "only below the workspace"));
	confined_end(&x);
	scratch_end(s);
}

static void a_swapped_directory_is_noticed(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *ws = made(s, "ws");
	MEM_AUTO char *away = scratch_path(s, "away");
	struct confined x;
	confined_begin(&x, "/nonexistent");
	assert_int_equal(confined_resolve(&x, ws), 0);
	assert_int_equal(confined_confine(&x, NULL), 0);
	assert_int_equal(places_unchanged(&x.c, &x.err), 0);
	assert_int_equal(rename(ws, away), 0);
	assert_int_equal(mkdir(ws, 0755), 0);
	assert_int_equal(places_unchanged(&x.c, &x.err), -1);
	assert_non_null(strstr(x.err.text, ws));
	assert_int_equal(confined_confine(&x, NULL), -1);
	assert_int_equal(x.reason, REASON_SANDBOX_UNAVAILABLE);
	assert_int_equal(rmdir(ws), 0);
	assert_int_equal(symlink(away, ws), 0);
	/* also when a link leads back to the very directory: its target could be changed at any time */
	assert_int_equal(confined_confine(&x, NULL), -1);
	confined_end(&x);
	scratch_end(s);
}

static void a_listed_place_that_vanished_is_missing_for_the_run(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *ws = made(s, "ws");
	MEM_AUTO char *more = made(s, "more");
	struct confined x;
	confined_begin(&x, "/nonexistent");
	strv_add(&x.config.writable_paths, more);
	assert_int_equal(confined_resolve(&x, ws), 0);
	assert_int_equal(rmdir(more), 0);
	assert_int_equal(confined_confine(&x, NULL), 0);
	assert_int_equal(x.c.writable.count, 1);
	assert_true(strv_has(&x.c.missing, more));
	confined_end(&x);
	scratch_end(s);
}

static void sockets_and_fifos_of_the_top_two_levels_are_named(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *ws = made(s, "w");
	free(made(s, "w/run/deep"));
	MEM_AUTO char *top = scratch_socket(s, "w/top.sock");
	MEM_AUTO char *second = scratch_path(s, "w/run/pipe");
	assert_int_equal(mkfifo(second, 0600), 0);
	free(scratch_socket(s, "w/run/deep/s"));
	MEM_AUTO char *readable = scratch_socket(s, "tools/run/agent.sock");
	struct confined x;
	confined_begin(&x, "/nonexistent");
	strv_take(&x.config.readonly_paths, scratch_path(s, "tools"));
	assert_int_equal(confined_resolve(&x, ws), 0);
	assert_int_equal(confined_confine(&x, NULL), 0);
	assert_int_equal(x.c.sockets.count, 3);
	assert_true(
		strv_has(&x.c.sockets, readable)); /* a read-only mount does not stop a connect */
	assert_true(strv_has(&x.c.sockets, top));
	assert_true(strv_has(&x.c.sockets, second));
	confined_end(&x);
	scratch_end(s);
}

static void the_request_decides_network_command_and_environment(void **state)
{
	(void)state;
	struct scratch *s = scratch_begin();
	MEM_AUTO char *ws = made(s, "ws");
	struct confined x;
	confined_begin(&x, "/nonexistent");
	x.request.network = true;
	assert_int_equal(confined_resolve(&x, ws), 0);
	assert_int_equal(confined_confine(&x, NULL), 0);
	assert_true(x.c.network);
	assert_string_equal(x.c.command, "true");
	assert_string_equal(x.c.env.home, "/nonexistent");
	assert_true(strv_has(&x.c.env.kept, "PATH=/usr/bin:/bin"));
	assert_false(strv_has(&x.c.env.kept, "API_KEY=secret"));
	assert_int_equal(x.c.uid, geteuid());
	confined_end(&x);
	scratch_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_workspace_and_listed_paths_become_pinned_places),
		cmocka_unit_test(the_listed_tmp_is_answered_by_the_private_one),
		cmocka_unit_test(a_path_below_another_is_merged_away),
		cmocka_unit_test(a_refusal_names_the_path_the_rule_and_the_option),
		cmocka_unit_test(a_workspace_must_belong_to_the_user),
		cmocka_unit_test(a_symlinked_name_is_resolved_once_and_judged_by_what_it_is),
		cmocka_unit_test(a_working_directory_is_taken_made_or_refused_by_where_it_leads),
		cmocka_unit_test(a_missing_directory_is_made_below_the_workspace_alone),
		cmocka_unit_test(a_swapped_directory_is_noticed),
		cmocka_unit_test(a_listed_place_that_vanished_is_missing_for_the_run),
		cmocka_unit_test(sockets_and_fifos_of_the_top_two_levels_are_named),
		cmocka_unit_test(the_request_decides_network_command_and_environment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
