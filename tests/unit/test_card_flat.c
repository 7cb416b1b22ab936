#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "test_card_fixture.h"

/* The card of landlock without namespaces. */

static void assert_fact(const struct facts *facts, const char *label, const char *expected)
{
	STR_AUTO struct str out = STR_INIT;

	fixture_print_fact(facts, label, &out);
	assert_string_equal(str_c(&out), expected);
}

static void build(struct card_fixture *f, struct card *ret)
{
	f->offer.flat = true;
	f->offer.open[0] = "!open: modes";
	f->offer.open[1] = "!seen: processes";
	f->offer.facets[FACET_FILES] = HOLD_PART;
	f->offer.facets[FACET_PROCESSES] = HOLD_PART;
	f->confinement.guard_count = 0;
	environment_private(&f->confinement.env, "/tmp/run-1");
	card_init(ret);
	card_build(&f->in, ret);
	f->confinement.guard_count = 3;
}

static void what_stays_open_is_said(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card;

	(void)state;
	fixture_init(&f);
	build(&f, &card);
	assert_int_equal(card.sandbox, HOLD_PART);
	assert_fact(&card.facts, "sandbox",
		"sandbox    landlock without namespaces, first in the list, proved at 14:02 and "
		"again at start\n"
		"           !outside in part, network cut twice, !processes visible, memory apart\n"
		"           !open: modes\n"
		"           !seen: processes\n");
	assert_int_equal(card.facts.items[3].lines[2].spans[0].kind, SPAN_RISK);
}

static void what_is_not_held_is_said_where_it_would_be(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card;
	STR_AUTO struct str env = STR_INIT, limits = STR_INIT;

	(void)state;
	fixture_init(&f);
	build(&f, &card);
	assert_fact(&card.facts, "may write",
		"may write  /srv/shop, any size\n"
		"           !git hooks writable\n");
	fixture_print_fact(&card.facts, "env", &env);
	assert_non_null(strstr(env.data, "HOME and TMPDIR are made for the run in /tmp/run-1\n"));
	fixture_print_fact(&card.details, "more limits", &limits);
	assert_non_null(
		strstr(limits.data, "!size of HOME and TMPDIR not held without namespaces\n"));
}

/* Without namespaces a child may stay, and the note about it is not taken back. */
static void survival_is_answered_only_by_a_sandbox_that_ends_it(void **state)
{
	static const char *const facts[] = {
		"unusual    !  line 1  means to outlive its end: nohup ls &\n",
		"unusual    !  line 1  means to outlive its end: nohup ls &   (it cannot: ends "
		"with its "
		"tree)\n"};

	(void)state;
	for (int ends = 0; ends < 2; ends++) {
		CLEANUP(fixture_release) struct card_fixture f;
		CLEANUP(card_release) struct card card;

		fixture_init(&f);
		f.offer.facets[FACET_END] = ends ? HOLD_FULL : HOLD_NONE;
		fixture_command(&f, "nohup ls &");
		build(&f, &card);
		assert_fact(&card.facts, "unusual", facts[ends]);
	}
}

static void one_of_a_group_is_named_in_the_singular(void **state)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card;
	struct environment *env = &f.confinement.env;

	(void)state;
	fixture_init(&f);
	for (int g = 0; g < ENV_GROUP_COUNT; g++) {
		strv_release(&env->cut[g]);
		env->cut[g] = (struct strv)STRV_INIT;
		strv_add(&env->cut[g], "NAME");
	}
	card_init(&card);
	card_build(&f.in, &card);
	assert_fact(&card.facts, "env",
		"env        7 kept; 5 cut: 1 key or token, 1 linker, 1 hook, 1 database, 1 "
		"other\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_of_a_group_is_named_in_the_singular),
		cmocka_unit_test(what_stays_open_is_said),
		cmocka_unit_test(what_is_not_held_is_said_where_it_would_be),
		cmocka_unit_test(survival_is_answered_only_by_a_sandbox_that_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
