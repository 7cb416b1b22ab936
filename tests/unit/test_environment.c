#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "core/environment.h"

static void scrub(char *const *envp, struct environment *ret)
{
	struct strv writable STRV_AUTO = STRV_INIT;
	struct strv visible STRV_AUTO = STRV_INIT;

	strv_add(&writable, "/srv/shop");
	strv_add(&writable, "/tmp/build");
	strv_add(&visible, "/usr");
	strv_add(&visible, "/bin");
	strv_add(&visible, "/opt/tools");
	environment_init(ret);
	environment_scrub(envp, &writable, &visible, ret);
}

static char *joined(const struct strv *v)
{
	struct str out = STR_INIT;

	for (size_t i = 0; i < v->count; i++)
		str_printf(&out, "%s%s", i ? "|" : "", v->items[i]);
	char *text = str_steal(&out);
	return text ? text : mem_strdup("");
}

static void assert_list(const struct strv *v, const char *expected)
{
	char *text MEM_AUTO = joined(v);

	assert_string_equal(text, expected);
}

static void only_nine_names_pass_in_their_order(void **state)
{
	static char *const envp[] = {"TMPDIR=/tmp", "LC_CTYPE=C", "SHELL=/bin/bash", "EDITOR=vi",
		"USER=mira", "LC_ALL=C", "LANG=ru_RU.UTF-8", "TERM=xterm", "HOME=/home/mira",
		"PATH=/usr/bin:/bin", "OPENAI_API_KEY=k1", "LD_PRELOAD=/x.so", "NODE_OPTIONS=-r x",
		"PYTHONPATH=/x", "DATABASE_URL=db", "SSH_AUTH_SOCK=/s", "PATHX=1", "LC_TIME=C",
		"path=lower", NULL};
	struct environment env;

	(void)state;
	scrub(envp, &env);
	assert_list(&env.kept,
		"PATH=/usr/bin:/bin|HOME=/home/mira|TERM=xterm|LANG=ru_RU.UTF-8|LC_ALL=C|"
		"LC_CTYPE=C|USER=mira|SHELL=/bin/bash|TMPDIR=/tmp");
	assert_list(&env.cut[ENV_GROUP_SECRETS], "OPENAI_API_KEY|SSH_AUTH_SOCK");
	assert_list(&env.cut[ENV_GROUP_LINKER], "LD_PRELOAD");
	assert_list(&env.cut[ENV_GROUP_HOOKS], "EDITOR|NODE_OPTIONS|PYTHONPATH");
	assert_list(&env.cut[ENV_GROUP_DATABASE], "DATABASE_URL");
	assert_list(&env.cut[ENV_GROUP_OTHER], "LC_TIME|PATHX|path");
	assert_int_equal(environment_cut_count(&env), 10);
	environment_release(&env);
}

static void names_are_counted_by_what_they_carry(void **state)
{
	static const struct {
		const char *name;
		enum env_group group;
	} cases[] = {
		{"ANTHROPIC_API_KEY", ENV_GROUP_SECRETS},
		{"AWS_SECRET_ACCESS_KEY", ENV_GROUP_SECRETS},
		{"AWS_PROFILE", ENV_GROUP_SECRETS},
		{"GITHUB_TOKEN", ENV_GROUP_SECRETS},
		{"github_token", ENV_GROUP_SECRETS},
		{"CLIENT_SECRET", ENV_GROUP_SECRETS},
		{"MYSQL_ROOT_PASSWORD", ENV_GROUP_SECRETS},
		{"PGPASSWORD", ENV_GROUP_SECRETS},
		{"SUDO_ASKPASS_PASSPHRASE", ENV_GROUP_SECRETS},
		{"GIT_TOKEN", ENV_GROUP_SECRETS},
		{"LD_LIBRARY_PATH", ENV_GROUP_LINKER},
		{"LD_AUDIT", ENV_GROUP_LINKER},
		{"DYLD_INSERT_LIBRARIES", ENV_GROUP_LINKER},
		{"GLIBC_TUNABLES", ENV_GROUP_LINKER},
		{"BASH_ENV", ENV_GROUP_HOOKS},
		{"BASH_FUNC_ls%%", ENV_GROUP_HOOKS},
		{"ENV", ENV_GROUP_HOOKS},
		{"PROMPT_COMMAND", ENV_GROUP_HOOKS},
		{"RUBYOPT", ENV_GROUP_HOOKS},
		{"PERL5LIB", ENV_GROUP_HOOKS},
		{"GIT_SSH_COMMAND", ENV_GROUP_HOOKS},
		{"REDIS_URL", ENV_GROUP_DATABASE},
		{"PGHOST", ENV_GROUP_DATABASE},
		{"MYSQL_HOST", ENV_GROUP_DATABASE},
		{"SENTRY_DSN", ENV_GROUP_DATABASE},
		{"ENVIRONMENT", ENV_GROUP_OTHER},
		{"PWD", ENV_GROUP_OTHER},
		{"MONKEY", ENV_GROUP_OTHER},
		{"DISPLAY", ENV_GROUP_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *entry MEM_AUTO = mem_printf("%s=zzVALUEzz", cases[i].name);
		char *const envp[] = {entry, NULL};
		struct environment env;

		scrub(envp, &env);
		assert_list(&env.cut[cases[i].group], cases[i].name);
		assert_int_equal(environment_cut_count(&env), 1);
		environment_release(&env);
	}
}

static void the_value_of_a_cut_name_is_nowhere(void **state)
{
	static char *const envp[] = {"A_TOKEN=zzSECRETzz", "X=zzSECRETzz", "zzSECRETzz",
		"=zzSECRETzz", "", "B=a=zzSECRETzz", NULL};
	struct environment env;

	(void)state;
	scrub(envp, &env);
	assert_list(&env.cut[ENV_GROUP_SECRETS], "A_TOKEN");
	assert_list(&env.cut[ENV_GROUP_OTHER], "(no name)|B|X");
	for (size_t i = 0; i < env.kept.count; i++)
		assert_null(strstr(env.kept.items[i], "zzSECRETzz"));
	environment_release(&env);
}

static void the_first_of_two_entries_holds_and_passes_once(void **state)
{
	static char *const envp[] = {"TERM=first", "TERM=second", "PATH=/usr/bin", "PATH=/evil",
		"A_KEY=1", "A_KEY=2", NULL};
	struct environment env;

	(void)state;
	scrub(envp, &env);
	assert_list(&env.kept, "PATH=/usr/bin|HOME=/tmp|TERM=first");
	assert_list(&env.cut[ENV_GROUP_SECRETS], "A_KEY");
	assert_int_equal(environment_cut_count(&env), 1);
	environment_release(&env);
}

static void path_loses_what_the_command_could_fill(void **state)
{
	static const struct {
		const char *path, *kept, *lost, *hidden;
	} cases[] = {
		{"/usr/bin:/bin", "/usr/bin:/bin", "", ""},
		{"/usr/bin:", "/usr/bin", "(empty)", ""},
		{":/usr/bin", "/usr/bin", "(empty)", ""},
		{"/usr/bin::/bin:", "/usr/bin:/bin", "(empty)", ""},
		{"./bin:/usr/bin", "/usr/bin", "./bin (relative)", ""},
		{".:bin:/usr/bin", "/usr/bin", ". (relative)|bin (relative)", ""},
		{"/srv/shop/bin:/usr/bin", "/usr/bin", "/srv/shop/bin (may write)", ""},
		{"/srv/shop:/usr/bin", "/usr/bin", "/srv/shop (may write)", ""},
		{"/srv/shopping/bin:/usr/bin", "/srv/shopping/bin:/usr/bin", "",
			"/srv/shopping/bin"},
		{"/usr/../srv/shop/bin:/bin", "/bin", "/usr/../srv/shop/bin (may write)", ""},
		{"/usr//bin/:/bin", "/usr//bin/:/bin", "", ""},
		{"/home/mira/.cargo/bin:/bin", "/home/mira/.cargo/bin:/bin", "",
			"/home/mira/.cargo/bin"},
		{"/opt/tools/x:/opt/other", "/opt/tools/x:/opt/other", "", "/opt/other"},
		{"", "/usr/local/bin:/usr/bin:/bin", "(empty)", ""},
		{"bin:/srv/shop", "/usr/local/bin:/usr/bin:/bin",
			"bin (relative)|/srv/shop (may write)", ""},
		{"~/bin:/bin", "/bin", "~/bin (relative)", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *entry MEM_AUTO = mem_printf("PATH=%s", cases[i].path);
		char *wanted MEM_AUTO = mem_printf("PATH=%s|HOME=/tmp", cases[i].kept);
		char *const envp[] = {entry, NULL};
		struct environment env;

		scrub(envp, &env);
		assert_list(&env.kept, wanted);
		assert_list(&env.path_lost, cases[i].lost);
		assert_list(&env.path_hidden, cases[i].hidden);
		environment_release(&env);
	}
}

static void without_a_path_there_is_a_plain_one(void **state)
{
	static char *const envp[] = {NULL};
	struct environment env;

	(void)state;
	scrub(envp, &env);
	assert_list(&env.kept, "PATH=/usr/local/bin:/usr/bin:/bin|HOME=/tmp");
	assert_int_equal(env.path_lost.count, 0);
	environment_release(&env);
}

static void home_keeps_its_value_or_becomes_tmp(void **state)
{
	static const struct {
		char *entry;
		const char *kept, *home, *note;
	} cases[] = {
		{"HOME=/home/mira", "HOME=/home/mira", "/home/mira", NULL},
		{"HOME=/home/mira/", "HOME=/home/mira/", "/home/mira", NULL},
		{"HOME=", "HOME=/tmp", "/tmp", "HOME is not set"},
		{"X=1", "HOME=/tmp", "/tmp", "HOME is not set"},
		{"HOME=home", "HOME=/tmp", "/tmp", "HOME is not an absolute path"},
		{"HOME=/", "HOME=/tmp", "/tmp", "HOME is /"},
		{"HOME=//", "HOME=/tmp", "/tmp", "HOME is /"},
		{"HOME=/home/..", "HOME=/tmp", "/tmp", "HOME is /"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *const envp[] = {cases[i].entry, NULL};
		struct environment env;

		scrub(envp, &env);
		assert_string_equal(env.kept.items[1], cases[i].kept);
		assert_string_equal(env.home, cases[i].home);
		if (cases[i].note)
			assert_string_equal(env.home_note, cases[i].note);
		else
			assert_null(env.home_note);
		environment_release(&env);
	}
}

static void tmpdir_is_a_place_that_is_there(void **state)
{
	static const struct {
		char *entry;
		const char *kept;
		bool changed;
	} cases[] = {
		{"TMPDIR=/tmp", "TMPDIR=/tmp", false},
		{"TMPDIR=/tmp/", "TMPDIR=/tmp/", false},
		{"TMPDIR=/tmp/build/t", "TMPDIR=/tmp/build/t", false},
		{"TMPDIR=/srv/shop/tmp", "TMPDIR=/srv/shop/tmp", false},
		{"TMPDIR=/tmp/other", "TMPDIR=/tmp", true},
		{"TMPDIR=/run/user/1000", "TMPDIR=/tmp", true},
		{"TMPDIR=tmp", "TMPDIR=/tmp", true},
		{"TMPDIR=", "TMPDIR=/tmp", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *const envp[] = {cases[i].entry, NULL};
		struct environment env;

		scrub(envp, &env);
		assert_int_equal(env.kept.count, 3);
		assert_string_equal(env.kept.items[2], cases[i].kept);
		assert_int_equal(env.tmpdir_changed, cases[i].changed);
		environment_release(&env);
	}
}

static void a_private_home_and_tmpdir_take_the_place_of_those_that_are_there(void **state)
{
	static char *const some[] = {
		"TERM=dumb", "HOME=relative", "TMPDIR=/run/x", "SHELL=/bin/sh", NULL};
	static char *const none[] = {NULL};
	struct environment env;

	(void)state;
	scrub(some, &env);
	environment_private(&env, "/tmp/run-1");
	assert_int_equal(env.kept.count, 5);
	assert_string_equal(env.kept.items[1], "HOME=/tmp/run-1/home");
	assert_string_equal(env.kept.items[4], "TMPDIR=/tmp/run-1/tmp");
	assert_string_equal(env.home, "/tmp/run-1/home");
	assert_string_equal(env.private_dir, "/tmp/run-1");
	assert_null(env.home_note);
	assert_false(env.tmpdir_changed);
	environment_release(&env);
	scrub(none, &env);
	environment_private(&env, "/tmp/run-1");
	environment_private(&env, "/tmp/run-2");
	assert_int_equal(env.kept.count, 3);
	assert_string_equal(env.kept.items[1], "HOME=/tmp/run-2/home");
	assert_string_equal(env.kept.items[2], "TMPDIR=/tmp/run-2/tmp");
	environment_release(&env);
}

static void values_pass_byte_for_byte(void **state)
{
	static char *const envp[] = {"LANG=C\033]0;x\a", "USER=a=b\n\xff", "TERM=", NULL};
	struct environment env;

	(void)state;
	scrub(envp, &env);
	assert_string_equal(env.kept.items[2], "TERM=");
	assert_string_equal(env.kept.items[3], "LANG=C\033]0;x\a");
	assert_string_equal(env.kept.items[4], "USER=a=b\n\xff");
	environment_release(&env);
}

static void each_group_has_words(void **state)
{
	(void)state;
	assert_string_equal(env_group_words(ENV_GROUP_SECRETS), "keys and tokens");
	assert_string_equal(env_group_words(ENV_GROUP_LINKER), "dynamic linker");
	assert_string_equal(env_group_words(ENV_GROUP_HOOKS), "interpreter hooks");
	assert_string_equal(env_group_words(ENV_GROUP_DATABASE), "database");
	assert_string_equal(env_group_words(ENV_GROUP_OTHER), "other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_nine_names_pass_in_their_order),
		cmocka_unit_test(names_are_counted_by_what_they_carry),
		cmocka_unit_test(the_value_of_a_cut_name_is_nowhere),
		cmocka_unit_test(the_first_of_two_entries_holds_and_passes_once),
		cmocka_unit_test(path_loses_what_the_command_could_fill),
		cmocka_unit_test(without_a_path_there_is_a_plain_one),
		cmocka_unit_test(home_keeps_its_value_or_becomes_tmp),
		cmocka_unit_test(tmpdir_is_a_place_that_is_there),
		cmocka_unit_test(a_private_home_and_tmpdir_take_the_place_of_those_that_are_there),
		cmocka_unit_test(values_pass_byte_for_byte),
		cmocka_unit_test(each_group_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
