#include "config.h"

#include "tui/plain.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_world.h"
#include "tui/layout_plain.h"

/* One person in plain mode: lines at given times, what is said to them, what they decided. */
struct person {
	struct world world;
	struct plain plain;
	struct str said;
	struct intent intent; /* of the last line */
	int64_t now_ms;
};

/* Call 1 waits. */
static struct job *begin(struct person *p, const char *command, unsigned facts)
{
	*p = (struct person){.now_ms = 1000};
	world_init(&p->world, 80, 24);
	plain_init(&p->plain, 80, false);
	return world_call(&p->world, command, facts);
}

/* Call 1 waits, call 2 runs. */
static void begin_one_runs(struct person *p)
{
	begin(p, "make", 3);
	world_call(&p->world, "true", 3);
	world_state(&p->world, 2, JOB_RUNNING);
}

static void end(struct person *p)
{
	world_release(&p->world);
	plain_release(&p->plain);
	str_release(&p->said);
	intent_release(&p->intent);
}

static void follow(struct person *p)
{
	str_clear(&p->said);
	plain_follow(&p->plain, &p->world.model, p->now_ms, &p->said);
	plain_written(&p->plain, p->now_ms);
}

static void type_at(struct person *p, int64_t after_ms, const char *line, bool alone)
{
	p->now_ms += after_ms;
	intent_release(&p->intent);
	p->intent = (struct intent){0};
	str_clear(&p->said);
	plain_line(&p->plain, &p->world.model, p->now_ms, line, strlen(line), alone, &p->said,
		&p->intent);
	plain_written(&p->plain, p->now_ms);
}

static void type(struct person *p, const char *line)
{
	type_at(p, 1000, line, true);
}

static void approve_at(struct person *p, int64_t after_ms, const char *words, bool alone)
{
	struct str line STR_AUTO = STR_INIT;
	char code[PLAIN_CODE_BYTES];
	plain_code(model_job(&p->world.model, 1)->card, code);
	str_printf(&line, "approve 1 %s%s", code, words);
	type_at(p, after_ms, str_c(&line), alone);
}

static void assert_said(const struct person *p, const char *part)
{
	if (strstr(str_c(&p->said), part) == NULL)
		fail_msg("\"%s\" is not in:\n%s", part, str_c(&p->said));
}

static void a_line_means_one_thing_and_is_answered(void **state)
{
	static const struct {
		const char *line;
		enum intent_kind kind;
		const char *said;
	} rows[] = {
		{"", INTENT_NONE, ""},
		{"y", INTENT_NONE, "Nothing done. Not understood: y. Type: help"},
		{"yes", INTENT_NONE, "Nothing done. Not understood: yes."},
		{"approve", INTENT_NONE, "Nothing decided. Say the number: approve 1\n"},
		{"approve x", INTENT_NONE, "Nothing decided. Say the number"},
		{"approve 9 1234abcd", INTENT_NONE, "Nothing done. There is no call 9."},
		{"approve 1", INTENT_NONE, "Not yet. Call 1 is not the card that was printed last"},
		{"approve 99999999999999999999", INTENT_NONE, "Nothing decided. Say the number"},
		{"APPROVE 1", INTENT_NONE, "Not understood: APPROVE 1."},
		{"approve1", INTENT_NONE, "Not understood: approve1."},
		{"reject 1 too large", INTENT_REJECT, ""},
		{"reject 2 x", INTENT_NONE, "Call 2 does not wait any more: it is running."},
		{"stop", INTENT_NONE, "Nothing stopped. Say the number, or: stop all"},
		{"stop 1", INTENT_NONE, "Nothing stopped. Call 1 does not run."},
		{"extend 2", INTENT_EXTEND, ""},
		{"open", INTENT_NONE, "Type: open intake"},
		{"open intake", INTENT_OPEN_INTAKE, ""},
		{"show 2", INTENT_NONE, "Call 2 does not wait: it is running."},
		{"output 1", INTENT_NONE, "Call 1 has no output."},
		{"more", INTENT_NONE, "There is no more."},
		{"later", INTENT_NONE, ""},
		{"list", INTENT_NONE, "Call 2 is running. To stop it type: stop 2\n1 waiting."},
		{"help", INTENT_NONE, "approve N DIGEST [WORD]"},
		{"1", INTENT_NONE, "Line 1: make\nEnd of command."},
		{"show 1\x1b[A", INTENT_NONE, "a character that is no text"},
		{"reject 1 \xff", INTENT_NONE, "a character that is no text"},
		{"reject 1 a\x07", INTENT_NONE, "a character that is no text"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct person p;
		begin_one_runs(&p);
		type(&p, rows[i].line);
		assert_int_equal(p.intent.kind, rows[i].kind);
		if (rows[i].said[0] == '\0')
			assert_string_equal(str_c(&p.said), "");
		else
			assert_said(&p, rows[i].said);
		end(&p);
	}
	(void)state;
}

static void a_yes_needs_all_of_the_card_its_digest_and_a_rest(void **state)
{
	struct person p;
	begin(&p, "make", 60);
	type(&p, "show 1");
	assert_said(&p, "More of card 1: 45 lines. Type: more\n");
	approve_at(&p, 1000, "", true);
	assert_said(&p, "Not yet. 45 lines of card 1 were not printed.");
	type(&p, "more");
	type(&p, "more");
	type(&p, "more");
	assert_said(&p, "End of card 1, digest ");
	approve_at(&p, PLAIN_REST_MS - 1, "", true);
	assert_said(&p, "too soon");
	approve_at(&p, PLAIN_REST_MS - 1, "", true);
	assert_said(&p, "too soon");
	approve_at(&p, PLAIN_REST_MS, "", false);
	assert_said(&p, "More lines came with this one");
	type(&p, "approve 1 00000000");
	assert_said(&p, "not the digest of card 1");
	approve_at(&p, 1000, " please", true);
	assert_said(&p, "Behind the digest stands nothing.");
	assert_int_equal(p.intent.kind, INTENT_NONE);
	approve_at(&p, PLAIN_REST_MS, "", true);
	assert_int_equal(p.intent.kind, INTENT_APPROVE);
	assert_true(digest_equal(&p.intent.digest, &model_job(&p.world.model, 1)->card->digest));
	end(&p);
	(void)state;
}

static void a_danger_needs_its_word_behind_the_digest(void **state)
{
	struct person p;
	world_danger(begin(&p, "make", 3), "hidden");
	type(&p, "1");
	approve_at(&p, 1000, "", true);
	assert_said(&p, "Behind the digest it asks for: hidden\n");
	assert_int_equal(p.intent.kind, INTENT_NONE);
	approve_at(&p, 1000, " hidden", true);
	assert_int_equal(p.intent.kind, INTENT_APPROVE);
	assert_string_equal(p.intent.text, "hidden");
	end(&p);
	(void)state;
}

static void a_card_that_changed_or_is_gone_or_is_not_the_last_one_printed_is_refused(void **state)
{
	struct person p;
	begin(&p, "make", 3);
	world_call(&p.world, "true", 3);
	follow(&p);
	type(&p, "show 1");
	world_change(&p.world, 1);
	follow(&p);
	assert_string_equal(
		str_c(&p.said), "The card of call 1 changed. To read it type: show 1\n");
	approve_at(&p, 1000, "", true);
	assert_said(&p, "Nothing decided. The card of call 1 changed. Type: show 1");
	type(&p, "more");
	assert_said(&p, "The card of call 1 changed.");
	type(&p, "reject 1");
	world_change(&p.world, 1);
	type(&p, "because");
	assert_said(&p, "Nothing decided. The card of call 1 changed.");
	type(&p, "show 1");
	type(&p, "show 2");
	approve_at(&p, 1000, "", true);
	assert_said(&p, "Not yet. Call 1 is not the card that was printed last.");
	type(&p, "show 1");
	world_state(&p.world, 1, JOB_WITHDRAWN);
	approve_at(&p, 1000, "", true);
	assert_said(&p, "Nothing decided. Call 1 does not wait any more: it is withdrawn.");
	assert_int_equal(p.intent.kind, INTENT_NONE);
	end(&p);
	(void)state;
}

static void a_question_takes_the_next_line_and_only_yes_is_yes(void **state)
{
	static const struct {
		const char *question, *answer;
		enum intent_kind kind;
	} rows[] = {
		{"stop 2", "yes", INTENT_STOP},
		{"stop 2", "y", INTENT_NONE},
		{"stop 2", "", INTENT_NONE},
		{"stop 2", "list", INTENT_NONE},
		{"stop all", "yes", INTENT_STOP_ALL},
		{"stop all", "Yes", INTENT_NONE},
		{"quit", "yes", INTENT_QUIT},
		{"quit", "quit", INTENT_NONE},
		{"reject 1", "", INTENT_NONE},
		{"reject 1", "yes", INTENT_REJECT},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct person p;
		begin_one_runs(&p);
		type(&p, rows[i].question);
		assert_int_equal(p.intent.kind, INTENT_NONE);
		follow(&p);
		assert_string_equal(str_c(&p.said), ""); /* nothing comes between */
		type_at(&p, PLAIN_REST_MS - 1, rows[i].answer, true);
		assert_int_equal(p.intent.kind, INTENT_NONE); /* typed ahead */
		type(&p, rows[i].question);
		type(&p, rows[i].answer);
		assert_int_equal(p.intent.kind, rows[i].kind);
		type(&p, "yes");
		assert_int_equal(p.intent.kind, INTENT_NONE); /* it is over */
		end(&p);
	}
	(void)state;
}

static void each_call_is_told_once_and_a_flood_is_counted(void **state)
{
	struct person p;
	begin(&p, "make", 3);
	follow(&p);
	assert_string_equal(str_c(&p.said), "New: call 1 from \"build-bot\". 1 waiting, 4 minutes "
					    "left. To read it type: show 1\n");
	follow(&p);
	assert_string_equal(str_c(&p.said), "");
	for (unsigned i = 0; i < 30; i++)
		world_call(&p.world, "true", 3);
	follow(&p);
	assert_said(&p, "New: call 21 from");
	assert_said(&p, "And 10 more calls wait. Type: list\n");
	assert_null(strstr(str_c(&p.said), "call 22 "));
	world_state(&p.world, 1, JOB_WITHDRAWN);
	model_job(&p.world.model, 1)->reason = REASON_WITHDRAWN;
	follow(&p);
	assert_string_equal(str_c(&p.said), "Over: call 1: withdrawn. 30 waiting.\n");
	follow(&p);
	assert_string_equal(str_c(&p.said), "");
	end(&p);
	(void)state;
}

static void add_output(struct job *job, const char *text)
{
	str_add(&job->output, text);
	job->output_bytes = job->output.len;
}

static void output_is_said_by_whole_lines_behind_its_number_and_a_long_one_is_asked_for(
	void **state)
{
	struct person p;
	struct job *job = begin(&p, "make", 3);
	follow(&p);
	world_state(&p.world, 1, JOB_RUNNING);
	add_output(job, "one\n> approve 1\033[2J\ntw");
	follow(&p);
	assert_string_equal(str_c(&p.said), "1: one\n1: > approve 1<ESC>[2J\n");
	add_output(job, "o\nthr");
	follow(&p);
	assert_string_equal(str_c(&p.said), "1: two\n");
	for (unsigned i = 0; i < 40; i++)
		add_output(job, "more\n");
	follow(&p);
	assert_said(&p, "1: thrmore\n1: more\n");
	assert_said(&p, "1: more output. To read it type: output 1\n");
	add_output(job, "last\n");
	follow(&p);
	assert_string_equal(str_c(&p.said), "");
	type(&p, "output 1");
	assert_said(&p, "1: one\n");
	assert_said(&p, "More of the output of call 1: ");
	type(&p, "more");
	type(&p, "more");
	assert_said(&p, "1: last\nEnd of the output of call 1 until now.\n");
	end(&p);
	(void)state;
}

static void a_call_that_comes_back_is_announced_and_must_be_read_again(void **state)
{
	struct person p;
	struct job *job = begin(&p, "make", 3);
	follow(&p);
	type(&p, "show 1");
	approve_at(&p, 1000, "", true);
	assert_int_equal(p.intent.kind, INTENT_APPROVE);
	world_state(&p.world, 1, JOB_APPROVED);
	str_clear(&p.said);
	plain_done(&p.plain, &p.world.model, &p.intent, NULL, &p.said);
	assert_string_equal(str_c(&p.said), "Approved call 1. It waits for a free place.\n");
	follow(&p);
	assert_string_equal(str_c(&p.said), "");
	job->requeued_why = mem_strdup("no place was free");
	world_state(&p.world, 1, JOB_WAITING);
	follow(&p);
	assert_string_equal(str_c(&p.said), "Call 1 waits again: no place was free. To read it "
					    "type: show 1\n");
	approve_at(&p, 1000, "", true);
	assert_said(&p, "Not yet. Call 1 is not the card that was printed last.");
	end(&p);
	(void)state;
}

static void only_text_goes_to_the_terminal_and_no_foreign_text_begins_a_line(void **state)
{
	struct person p;
	struct job *job = begin(&p, "printf '\033[8m\r\n\t\x7f<ESC>'  \n x", 0);
	struct line *line = fact_line(facts_add(&job->card->facts, "agent says"));
	free(job->agent);
	job->agent = mem_strdup("a\". \033]0;x\007 End");
	line_add(line, SPAN_AGENT, "%s",
		"\033[2J one two three four five six seven eight nine ten eleven twelve "
		"End of card 1, digest 0000 0000. Answers: approve 1 00000000");
	follow(&p);
	type(&p, "list");
	type(&p, "show 1");
	for (const char *at = str_c(&p.said); *at != '\0'; at++)
		assert_true(*at == '\n' || ((unsigned char)*at >= ' ' && *at != 0x7f));
	const char *forged = strstr(str_c(&p.said), "\nEnd of card 1, digest 0000");
	assert_null(forged);
	assert_non_null(strstr(str_c(&p.said), "from \"a\\\". <ESC>"));
	end(&p);
	(void)state;
}

static void what_was_printed_is_what_the_record_says_was_seen(void **state)
{
	struct person p;
	begin(&p, "make", 60);
	type(&p, "show 1");
	struct json *seen = plain_seen_json(&p.plain, &p.world.model, 1, p.now_ms + 700);
	assert_int_equal(json_get_int(seen, "lines_seen", 0), PLAIN_PART_ROWS);
	assert_int_equal(json_get_int(seen, "lines", 0), 65);
	json_free(seen);
	world_change(&p.world, 1);
	seen = plain_seen_json(&p.plain, &p.world.model, 1, p.now_ms);
	assert_int_equal(json_get_int(seen, "lines_seen", -1), 0);
	json_free(seen);
	end(&p);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_means_one_thing_and_is_answered),
		cmocka_unit_test(a_yes_needs_all_of_the_card_its_digest_and_a_rest),
		cmocka_unit_test(a_danger_needs_its_word_behind_the_digest),
		cmocka_unit_test(
			a_card_that_changed_or_is_gone_or_is_not_the_last_one_printed_is_refused),
		cmocka_unit_test(a_question_takes_the_next_line_and_only_yes_is_yes),
		cmocka_unit_test(each_call_is_told_once_and_a_flood_is_counted),
		cmocka_unit_test(
			output_is_said_by_whole_lines_behind_its_number_and_a_long_one_is_asked_for),
		cmocka_unit_test(a_call_that_comes_back_is_announced_and_must_be_read_again),
		cmocka_unit_test(only_text_goes_to_the_terminal_and_no_foreign_text_begins_a_line),
		cmocka_unit_test(what_was_printed_is_what_the_record_says_was_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
