#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/mem.h"
#include "core/model.h"

/* Records of real sessions, one for each way in which the format was ever written: read for ever. */

#define RECORD_BYTES (8u << 20)

static void apply(struct model *model, const char *line, size_t len, struct digest *last)
{
	STR_AUTO struct str again = STR_INIT;
	struct digest prev;
	struct event event;
	struct err err = ERR_INIT;

	if (event_parse(line, len, &event, &prev, &err) != 0 ||
		model_apply(model, &event, &err) != 0)
		fail_msg("%.300s\n%s", line, err.text);
	assert_true(digest_equal(&prev, last));
	event_print(&event, &prev, &again);
	assert_int_equal(again.len, len);
	assert_memory_equal(again.data, line, len);
	digest_bytes(line, len, last);
	event_release(&event);
}

/* Verified, written again as it is, and applied. */
static void read_golden(const char *name, struct model *model)
{
	MEM_AUTO char *path = mem_printf("%s/%s", TEST_DATA, name);
	STR_AUTO struct str text = STR_INIT;
	struct digest last = {{0}};
	struct err err = ERR_INIT;
	size_t len = 0;

	model_init(model);
	if (fd_read_file(path, RECORD_BYTES, &text, &err) != 0)
		fail_msg("%s: %s", path, err.text);
	for (const char *at = text.data; *at != '\0'; at += len + 1) {
		len = strcspn(at, "\n");
		assert_int_equal(at[len], '\n');
		apply(model, at, len, &last);
	}
	assert_true(model->ended);
	assert_int_equal(model->waiting + model->running, 0);
	for (size_t i = 0; i < model->count; i++)
		assert_true(model->jobs[i]->answered);
}

/* The text of the row of the details that begins so. */
static const char *detail(const struct job *job, const char *begins)
{
	for (size_t i = 0; i < job->card->details.count; i++) {
		const struct fact *fact = &job->card->details.items[i];

		for (size_t j = 0; j < fact->count; j++) {
			if (fact->lines[j].count > 0 &&
				strncmp(fact->lines[j].spans[0].text, begins, strlen(begins)) == 0)
				return fact->lines[j].spans[0].text;
		}
	}
	fail_msg("call %llu has no %s", (unsigned long long)job->seq, begins);
	return NULL;
}

static void whole_cards(void **state)
{
	struct model model;

	(void)state;
	read_golden("record-v1.jsonl", &model);
	assert_int_equal(model.count, 9);
	assert_non_null(model_job(&model, 1)->card);
	model_release(&model);
}

static void cards_like_others_and_masked_texts(void **state)
{
	struct model model;

	(void)state;
	read_golden("record-v1-masked.jsonl", &model);
	assert_int_equal(model.count, 6);
	for (uint64_t seq = 1; seq <= 6; seq++) {
		const struct job *job = model_job(&model, seq);
		const char *row = detail(job, "command     ");

		assert_string_equal(job->card->command, job->command);
		assert_string_equal(row + 12, job->command);
		assert_string_equal(detail(job, "backend "), "backend     landlock");
	}
	assert_string_equal(
		model_job(&model, 3)->command, "API_KEY=********** sh -c 'echo \"$API_KEY\"'");
	assert_string_equal(str_c(&model_job(&model, 3)->output), "**********\n");
	assert_int_equal(model_job(&model, 4)->reason, REASON_REJECTED);
	assert_true(model_job(&model, 4)->card->unusual.count > 0);
	model_release(&model);
}

static void outputs_by_their_size(void **state)
{
	struct model model;
	const struct job *job;

	(void)state;
	read_golden("record-v1-sizes.jsonl", &model);
	assert_int_equal(model.count, 4);
	job = model_job(&model, 1);
	assert_int_equal(job->output.len, 0);
	assert_int_equal(job->output_bytes, 4);
	assert_int_equal(job->output_unrecorded, 4);
	assert_int_equal(model_job(&model, 2)->exit_code, 3);
	assert_int_equal(model_job(&model, 3)->output_unrecorded, LIMIT_OUTPUT_BYTES);
	model_release(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_cards),
		cmocka_unit_test(cards_like_others_and_masked_texts),
		cmocka_unit_test(outputs_by_their_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
