#include "config.h"

#include "app/broker.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/broker_desk.h"

/* The reasons that need no new plan; a new card is made in tests/e2e/test_edit.py. */
static void an_edit_that_may_not_take_the_place_of_the_command_changes_nothing(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"git diff --stat HEAD~3", "not edited: the text is the same"},
		{"", "not edited: the command is empty"},
		{"ls \xff", "not edited: it is not UTF-8"},
	};
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	struct intent intent = yes(&d, NULL);

	intent.kind = INTENT_EDIT;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		intent.text = mem_strdup(rows[i].text);
		assert_undecided(&d, &intent, rows[i].why);
		intent_release(&intent);
		intent = yes(&d, NULL);
		intent.kind = INTENT_EDIT;
	}
	intent.text = mem_strdup("ls");
	d.session.config.policy_default = VERDICT_DENY;
	assert_undecided(&d, &intent,
		"not edited: policy denies that: tool_policy.default = \"deny\" (default)");
	d.session.config.policy_default = VERDICT_SUPERVISED;
	d.broker.can_run = false;
	assert_undecided(&d, &intent, "not edited: the record cannot be written");
	d.broker.can_run = true;
	intent.digest.bytes[0] ^= 1;
	assert_undecided(&d, &intent, "the edit was discarded: the card changed meanwhile");
	intent.digest.bytes[0] ^= 1;
	struct intent approval = yes(&d, NULL);
	assert_decided(&d, &approval);
	assert_undecided(&d, &intent, "the edit was discarded: #1 is approved meanwhile");
	assert_int_equal(recorded(&d, "\"type\":\"edited\""), 0);
	assert_string_equal(d.call->request.command, "git diff --stat HEAD~3");
	assert_null(d.call->result.edited_command);
	intent_release(&intent);
	desk_close(&d);
}

static void an_edit_that_the_record_does_not_take_changes_nothing(void **state)
{
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	struct intent intent = yes(&d, NULL);

	intent.kind = INTENT_EDIT;
	intent.text = mem_strdup("ls");
	limit_files(1);
	assert_undecided(&d, &intent, "not edited: the record cannot be written");
	limit_files(RLIM_INFINITY);
	assert_false(d.broker.can_run);
	assert_string_equal(d.call->request.command, "git diff --stat HEAD~3");
	assert_null(d.call->result.edited_command);
	intent_release(&intent);
	desk_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_edit_that_may_not_take_the_place_of_the_command_changes_nothing,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			an_edit_that_the_record_does_not_take_changes_nothing, record_setup,
			record_teardown),
	};

	return cmocka_run_group_tests_name("broker_edit", tests, NULL, NULL);
}
