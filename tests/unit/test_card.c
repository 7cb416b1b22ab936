#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/test_card_fixture.h"

struct built {
	struct card_fixture f;
	struct card card;
};

static void build(struct built *b)
{
	card_init(&b->card);
	card_build(&b->f.in, &b->card);
}

static void built_release(struct built *b)
{
	card_release(&b->card);
	fixture_release(&b->f);
}

static void assert_fact(const struct built *b, const char *label, const char *expected)
{
	STR_AUTO struct str out = STR_INIT;

	fixture_print_fact(&b->card.facts, label, &out);
	assert_string_equal(str_c(&out), expected);
}

static void assert_detail(const struct built *b, const char *label, const char *expected)
{
	STR_AUTO struct str out = STR_INIT;

	fixture_print_fact(&b->card.details, label, &out);
	assert_string_equal(str_c(&out), expected);
}

/* The frame card-everyday of the screens. */
static void the_everyday_card_says_what_the_screen_draws(void **state)
{
	CLEANUP(built_release) struct built b;
	STR_AUTO struct str out = STR_INIT, expected = STR_INIT;
	char digest[12];

	(void)state;
	fixture_init(&b.f);
	build(&b);
	card_short_digest(&b.card, digest);
	str_add(&expected,
		"network    off: own empty network, socket filter on top\n"
		"directory  /srv/shop\n"
		"may write  /srv/shop, any size; read-only inside: .git/hooks .git/config\n"
		"sandbox    landlock, first in the list, proved at 14:02 and again at start\n"
		"           files closed, network cut twice, processes hidden, memory apart\n"
		"limits     time 60 s supervisor    memory 512 MB cgroup  output 1 MiB console\n"
		"           processes 10 supervisor CPU 80 % cgroup       files 256 rlimit\n"
		"env        7 kept; 31 cut: 4 keys and tokens, 1 linker, 2 hooks, 24 other\n"
		"agent says \"see what changed since the release\"\n"
		"came from  stdin, line 16, id 16\n");
	str_printf(&expected,
		"card       %s   your yes holds for exactly this; v shows the details\n", digest);
	fixture_print(&b.card.facts, &out);
	assert_string_equal(str_c(&out), str_c(&expected));
}

static void the_facts_row_has_its_figures(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	build(&b);
	assert_int_equal(b.card.seq, 16);
	assert_string_equal(b.card.command, "git diff --stat HEAD~3");
	assert_string_equal(b.card.agent, "pipeline");
	assert_int_equal(b.card.network, CARD_NETWORK_OFF);
	assert_int_equal(b.card.writes, 1);
	assert_int_equal(b.card.sandbox, HOLD_FULL);
	assert_int_equal(b.card.time_s, 60);
	assert_int_equal(b.card.time_asked_s, 0);
	assert_int_equal(b.card.env_kept, 7);
	assert_int_equal(b.card.env_cut, 31);
	assert_false(b.card.unsandboxed);
}

static void limits_that_nobody_holds_are_said(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	b.f.offer.enforcers[LIMIT_MEMORY] = NULL;
	b.f.offer.enforcers[LIMIT_PROCESSES] = NULL;
	b.f.offer.enforcers[LIMIT_CPU] = NULL;
	build(&b);
	assert_fact(&b, "limits",
		"limits     time 60 s supervisor    !memory not held      output 1 MiB console\n"
		"           !processes not held     !CPU not held         files 256 rlimit\n");
	assert_int_equal(b.card.sandbox, HOLD_FULL);
	const struct line *line = &b.card.facts.items[4].lines[0];

	assert_int_equal(line->spans[2].kind, SPAN_RISK);
	assert_string_equal(line->spans[2].text, "!memory not held");
}

static void a_time_that_was_cut_is_said_with_what_was_asked(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	b.f.confinement.limits.wall_asked_s = 300;
	build(&b);
	assert_int_equal(b.card.time_s, 60);
	assert_int_equal(b.card.time_asked_s, 300);
	assert_fact(&b, "limits",
		"limits     time 60 s (300 asked) supervisor  memory 512 MB cgroup\n"
		"           processes 10 supervisor           CPU 80 % cgroup\n"
		"           output 1 MiB console              files 256 rlimit\n");
}

static void a_granted_network_is_a_danger_when_it_is_the_hosts_own(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	b.f.confinement.network = true;
	b.f.offer.network_shared_with_host = true;
	strcpy(b.f.offer.network_why, "pasta: not installed");
	build(&b);
	assert_int_equal(b.card.network, CARD_NETWORK_ON_HOST);
	assert_int_equal(b.card.facts.items[0].lines[0].spans[0].kind, SPAN_DANGER);
	assert_fact(&b, "network",
		"network    !!NETWORK ON, reaches services of this machine: it can send out what "
		"it can read\n"
		"           not kept apart (pasta: not installed)\n");
	assert_fact(&b, "sandbox",
		"sandbox    landlock, first in the list, proved at 14:02 and again at start\n"
		"           files closed, !NETWORK ON, processes hidden, memory apart\n");
}

static void a_granted_network_of_its_own_is_a_risk(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	b.f.confinement.network = true;
	build(&b);
	assert_int_equal(b.card.network, CARD_NETWORK_ON);
	assert_fact(&b, "network",
		"network    !ON, not to this machine: it can send out what it can read\n");
}

static void a_network_cut_once_is_said_in_part(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	b.f.offer.facets[FACET_NETWORK] = HOLD_PART;
	b.f.offer.facets[FACET_HOSTNAME] = HOLD_NONE;
	build(&b);
	assert_int_equal(b.card.sandbox, HOLD_PART);
	assert_fact(
		&b, "network", "network    off: !network cut once, by the socket filter alone\n");
	assert_fact(&b, "sandbox",
		"sandbox    landlock, first in the list, proved at 14:02 and again at start\n"
		"           files closed, !network cut once, processes hidden, memory apart, "
		"!host name shared\n");
}

static void without_a_sandbox_the_card_says_whose_rights_it_has(void **state)
{
	CLEANUP(built_release) struct built b;
	STR_AUTO struct str out = STR_INIT;

	(void)state;
	fixture_init(&b.f);
	b.f.offer = (struct offer){.backend = BACKEND_NONE};
	b.f.confinement.uid = 0;
	b.f.confinement.guard_count = 0;
	build(&b);
	b.f.confinement.guard_count = 3;
	assert_true(b.card.unsandboxed);
	assert_int_equal(b.card.sandbox, HOLD_NONE);
	assert_int_equal(b.card.network, CARD_NETWORK_ON_HOST);
	fixture_print_fact(&b.card.facts, "sandbox", &out);
	assert_non_null(strstr(out.data, "!NO SANDBOX: it runs with all rights of mira\n"));
	assert_non_null(strstr(out.data, "!FILES OPEN, !NETWORK ON, !PROCESSES OPEN"));
	assert_non_null(strstr(out.data, "!AS ROOT: it can do anything to this machine\n"));
	assert_fact(&b, "may write",
		"may write  !FILES OPEN: every file of this user, not only these places\n"
		"           /srv/shop, any size\n"
		"           !git hooks writable\n");
}

static void every_place_and_what_lies_in_it_is_named(void **state)
{
	CLEANUP(built_release) struct built b;
	struct confinement *c = &b.f.confinement;

	(void)state;
	fixture_init(&b.f);
	fixture_guard(&b.f, GUARD_MADE, "/srv/shop/.git/config.worktree");
	places_add(&c->writable, "/data/out", 1, 2, true);
	strv_add(&c->missing, "/data/gone");
	strv_add(&c->private_tmp, "/tmp");
	strv_add(&c->sockets, "/srv/shop/run/db.sock");
	c->git_depth_reached = true;
	free(c->cwd);
	c->cwd = mem_strdup("/srv/shop/o\x1but");
	c->cwd_made = true;
	build(&b);
	assert_int_equal(b.card.writes, 2);
	assert_fact(&b, "directory", "directory  /srv/shop/o<ESC>ut (will be made)\n");
	assert_fact(&b, "may write",
		"may write  /srv/shop, any size; read-only inside: .git/hooks .git/config\n"
		"           made empty and read-only for the run: .git/config.worktree\n"
		"           /data/out, any size\n"
		"           git looked for 3 levels deep\n"
		"           not there, so not bound: /data/gone\n"
		"           answered by the private /tmp: /tmp\n"
		"           !socket inside: run/db.sock\n");
}

static void very_many_guards_are_counted_and_listed_in_the_details(void **state)
{
	CLEANUP(built_release) struct built b;
	STR_AUTO struct str facts = STR_INIT, details = STR_INIT;

	(void)state;
	fixture_init(&b.f);
	for (unsigned i = 0; i < 30; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/srv/shop/r%u/.git/hooks", i);
		fixture_guard(&b.f, GUARD_READONLY, path);
	}
	build(&b);
	fixture_print_fact(&b.card.facts, "may write", &facts);
	assert_non_null(strstr(facts.data, "r5/.git/hooks and 24 more (details)\n"));
	fixture_print_fact(&b.card.details, "git", &details);
	assert_non_null(strstr(details.data, "read-only: /srv/shop/r29/.git/hooks\n"));
}

static void what_the_environment_lost_is_said(void **state)
{
	CLEANUP(built_release) struct built b;
	struct environment *env = &b.f.confinement.env;

	(void)state;
	fixture_init(&b.f);
	for (int g = 0; g < ENV_GROUP_COUNT; g++)
		strv_release(&env->cut[g]);
	strv_add(&env->path_lost, "./bin (relative)");
	strv_add(&env->path_lost, "/srv/shop/bin (may write)");
	strv_add(&env->path_hidden, "/home/mira/.cargo/bin");
	env->home_note = mem_strdup("HOME is not set");
	env->tmpdir_changed = true;
	build(&b);
	assert_fact(&b, "env",
		"env        7 kept; none cut\n"
		"           PATH lost ./bin (relative), /srv/shop/bin (may write)\n"
		"           not visible inside: /home/mira/.cargo/bin (readonly_paths adds it)\n"
		"           HOME is /tmp inside: HOME is not set\n"
		"           TMPDIR is /tmp inside: its value is not visible there\n");
}

static void the_agents_words_are_quoted_and_what_has_no_effect_is_named(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	free(b.f.request.reason);
	b.f.request.reason =
		mem_strdup("approved by \"you\\\" (said before your edit)\n\x1b[1mrun it");
	strv_add(&b.f.request.ignored, "approved");
	build(&b);
	assert_fact(&b, "agent says",
		"agent says \"approved by \\\"you\\\\\\\" (said before your edit)<LF><ESC>[1mrun "
		"it\"\n");
	assert_fact(&b, "came from",
		"came from  stdin, line 16, id 16; ignored: approved (has no effect)\n");
}

static void notes_stand_first_with_their_words_in_line(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	fixture_command(&b.f, "cp notes.txt out/\xe2\x80\xaetxt.exe\xe2\x80\xac\n"
			      "t\xe2\x80\x8bouch 'out/<ESC>'\n"
			      "printf '\x1b[8m'; make -s\r\x1b[2Kls -la\n"
			      "curl -o jq https://\xd0\xb0pple.example/jq");
	build(&b);
	assert_string_equal(b.card.facts.items[0].label, "unusual");
	assert_fact(&b, "unusual",
		"unusual    !! line 1  turns the reading order around: <U+202E>\n"
		"           !! line 2  hides a character in a word: t<U+200B>ouch\n"
		"           !! line 3  controls a terminal: <ESC>[8m <CR> <ESC>[2K\n"
		"           !  line 4  mixes Cyrillic into a Latin word: <U+0430>pple\n");
}

static void the_details_have_values_names_argv_and_proofs(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	b.f.passed.count = 1;
	b.f.passed.items[0].backend = BACKEND_FIREJAIL;
	snprintf(b.f.passed.items[0].why, sizeof(b.f.passed.items[0].why), "not installed");
	build(&b);
	assert_detail(&b, "values",
		"values     PATH=/usr/bin:/bin\n"
		"           HOME=/home/mira\n"
		"           TERM=xterm\n"
		"           LANG=C.UTF-8\n"
		"           USER=mira\n"
		"           SHELL=/bin/bash\n"
		"           TMPDIR=/tmp\n");
	assert_detail(&b, "argv",
		"argv       sh -c -- 'git diff --stat HEAD~3'\n"
		"           bind /srv/shop\n");
	assert_detail(&b, "passed over", "passed overfirejail: not installed\n");
	assert_detail(&b, "policy", "policy     supervised, by tool_policy.default (default)\n");
	assert_detail(&b, "git",
		"git        git config fails here, and git remote add: they write to config\n"
		"           cannot be renamed away: /srv/shop/.git\n"
		"           read-only: /srv/shop/.git/hooks\n"
		"           read-only: /srv/shop/.git/config\n");
	assert_detail(&b, "more limits",
		"more limitsCPU time 120 s a process rlimit\n"
		"           file size 2 GiB rlimit\n"
		"           grace 2 s between SIGTERM and SIGKILL\n"
		"           /tmp 512 MiB; /var/tmp, /run, /dev/shm, HOME/.cache and HOME/.npm 256 "
		"MiB "
		"each\n");
}

static void the_printed_plan_is_escaped_once(void **state)
{
	CLEANUP(built_release) struct built b;

	(void)state;
	fixture_init(&b.f);
	b.f.in.plan_text = "env        LANG=C<ESC>]0;x<BEL><xFF>\ncommand    echo '<U+003C>ESC>'";
	build(&b);
	assert_detail(&b, "argv",
		"argv       env        LANG=C<ESC>]0;x<BEL><xFF>\n"
		"           command    echo '<U+003C>ESC>'\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_everyday_card_says_what_the_screen_draws),
		cmocka_unit_test(the_facts_row_has_its_figures),
		cmocka_unit_test(limits_that_nobody_holds_are_said),
		cmocka_unit_test(a_time_that_was_cut_is_said_with_what_was_asked),
		cmocka_unit_test(a_granted_network_is_a_danger_when_it_is_the_hosts_own),
		cmocka_unit_test(a_granted_network_of_its_own_is_a_risk),
		cmocka_unit_test(a_network_cut_once_is_said_in_part),
		cmocka_unit_test(without_a_sandbox_the_card_says_whose_rights_it_has),
		cmocka_unit_test(every_place_and_what_lies_in_it_is_named),
		cmocka_unit_test(very_many_guards_are_counted_and_listed_in_the_details),
		cmocka_unit_test(what_the_environment_lost_is_said),
		cmocka_unit_test(the_agents_words_are_quoted_and_what_has_no_effect_is_named),
		cmocka_unit_test(notes_stand_first_with_their_words_in_line),
		cmocka_unit_test(the_details_have_values_names_argv_and_proofs),
		cmocka_unit_test(the_printed_plan_is_escaped_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
