#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_world.h"

#define FACTS 12 /* two such cards are longer than a screen */

/* Three calls wait, the keys are on the queue and rest. */
static void open_queue(struct world *world)
{
	world_init(world, 80, 24);
	for (int i = 0; i < 3; i++)
		world_call(world, "ls", FACTS);
	world_follow(world);
	world->ui.view = VIEW_QUEUE;
	world->ui.selected = 1;
	world_draw(world);
	world_run(world, 1000);
}

/* One key with rest before it and behind it; what it means is not carried out. */
static struct intent press(struct world *world, enum key_code code, char ch)
{
	struct key key = {.code = code, .ch = (uint32_t)ch};
	struct intent intent = {0};

	world->now_ms += 600;
	if (ui_tick(&world->ui, &world->model, world->now_ms, &intent) == 1)
		return intent;
	if (ui_key(&world->ui, &world->model, &key, world->now_ms, &intent) == 1)
		return intent;
	world_draw(world);
	return intent;
}

static struct intent type(struct world *world, const char *keys)
{
	struct intent intent = {0};

	for (; *keys != '\0' && intent.kind == INTENT_NONE; keys++)
		intent = *keys == '\r' ? press(world, KEY_CODE_ENTER, 0)
				       : press(world, KEY_CODE_CHAR, *keys);
	return intent;
}

static struct intent later(struct world *world)
{
	struct intent intent = {0};

	world->now_ms += UI_ALONE_MS;
	ui_tick(&world->ui, &world->model, world->now_ms, &intent);
	return intent;
}

static void read_all(struct world *world)
{
	for (int i = 0; i < 6; i++) {
		type(world, " ");
		world->now_ms += 300;
		world_draw(world);
	}
	world->now_ms += 600;
	world_draw(world);
}

static void open_two(struct world *world)
{
	open_queue(world);
	type(world, "mjm\r");
	assert_int_equal(VIEW_MARKED, world->ui.view);
	assert_int_equal(2, world->ui.mark_count);
}

static void all_marked_are_decided_by_one_key_each_by_its_own_digest(void **state)
{
	struct world world;

	(void)state;
	open_two(&world);
	assert_int_equal(INTENT_NONE, type(&world, "a").kind);
	assert_int_equal(INTENT_NONE, world.ui.pending.kind);
	assert_string_equal("a did nothing: 13 of 28 lines not seen yet", world.ui.message);
	read_all(&world);
	assert_int_equal(GATE_READY, world_gate(&world));
	assert_int_equal(INTENT_NONE, type(&world, "a").kind);
	struct intent intent = later(&world);
	assert_int_equal(INTENT_APPROVE_MARKED, intent.kind);
	assert_int_equal(2, intent.card_count);
	for (unsigned i = 0; i < 2; i++) {
		const struct job *job = model_job(&world.model, i + 1);

		assert_int_equal(i + 1, intent.cards[i].seq);
		assert_true(digest_equal(&job->card->digest, &intent.cards[i].digest));
	}
	world_release(&world);
}

/* Between the key and its 50 ms, and before it: what changed, went or expired keeps all of them undecided. */
static void one_that_changed_or_went_keeps_all_undecided(void **state)
{
	static const struct {
		bool under_the_key;
		enum job_state state; /* JOB_WAITING: its card changes */
		const char *message;
	} cases[] = {
		{true, JOB_WAITING, "a did nothing: the card changed"},
		{true, JOB_WITHDRAWN, "a did nothing: #2: the agent took it back"},
		{true, JOB_EXPIRED, "a did nothing: #2: it expired"},
		{true, JOB_RUNNING, "a did nothing: decided already"},
		{false, JOB_WITHDRAWN, "a did nothing: #2: the agent took it back"},
		{false, JOB_EXPIRED, "a did nothing: #2: it expired"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct world world;

		open_two(&world);
		read_all(&world);
		if (cases[i].under_the_key)
			type(&world, "a");
		if (cases[i].state == JOB_WAITING)
			world_change(&world, 2);
		else
			world_state(&world, 2, cases[i].state);
		if (!cases[i].under_the_key)
			type(&world, "a");
		if (later(&world).kind != INTENT_NONE)
			fail_msg("case %zu", i);
		assert_string_equal(cases[i].message, world.ui.message);
		assert_int_equal(2, world.ui.mark_count);
		world_release(&world);
	}
}

static void a_card_that_changed_is_read_again_before_all_are_decided(void **state)
{
	struct world world;

	(void)state;
	open_two(&world);
	read_all(&world);
	world_change(&world, 1);
	world_draw(&world);
	assert_int_equal(GATE_CHANGED, world_gate(&world));
	read_all(&world);
	assert_int_equal(GATE_READY, world_gate(&world));
	world_release(&world);
}

static void several_are_rejected_with_one_reason_unread(void **state)
{
	struct world world;

	(void)state;
	open_two(&world);
	assert_int_equal(INTENT_NONE, type(&world, "rno\r").kind);
	struct intent intent = later(&world);
	assert_int_equal(INTENT_REJECT_MARKED, intent.kind);
	assert_int_equal(2, intent.card_count);
	assert_string_equal("no", intent.text);
	intent_release(&intent);
	type(&world, "r");
	world_state(&world, 2, JOB_EXPIRED);
	type(&world, "no\r");
	assert_int_equal(INTENT_NONE, later(&world).kind);
	world_release(&world);
}

static void what_needs_a_word_or_does_not_wait_is_not_marked(void **state)
{
	struct world world;

	(void)state;
	open_queue(&world);
	world_danger(model_job(&world.model, 1), "hidden");
	type(&world, "m");
	assert_int_equal(0, world.ui.mark_count);
	assert_string_equal(
		"m did nothing: #1 asks for a word, so it is decided alone", world.ui.message);
	type(&world, "j");
	world_state(&world, 2, JOB_RUNNING);
	type(&world, "m");
	assert_string_equal(
		"m did nothing: only a call that waits can be marked", world.ui.message);
	assert_int_equal(0, world.ui.mark_count);
	world_release(&world);
}

/* It was marked as an everyday call: a danger that comes later is not waved through with the others. */
static void a_danger_that_comes_later_stops_all(void **state)
{
	struct world world;

	(void)state;
	open_two(&world);
	read_all(&world);
	world_danger(model_job(&world.model, 2), "hidden");
	assert_int_equal(GATE_CHANGED, world_gate(&world));
	type(&world, "a");
	assert_int_equal(INTENT_NONE, later(&world).kind);
	type(&world, "1"); /* back on the queue it has lost its mark */
	world_follow(&world);
	assert_int_equal(1, world.ui.mark_count);
	assert_true(ui_is_marked(&world.ui, 1));
	world_release(&world);
}

static void marks_are_few_taken_back_and_lost_with_their_call(void **state)
{
	struct world world;

	(void)state;
	open_queue(&world);
	for (unsigned i = 3; i <= UI_MARKS_MAX; i++)
		world_call(&world, "ls", 1);
	world_follow(&world);
	for (unsigned i = 0; i < UI_MARKS_MAX; i++)
		type(&world, "mj");
	assert_int_equal(UI_MARKS_MAX, world.ui.mark_count);
	type(&world, "m");
	assert_string_equal("m did nothing: 9 are marked, the most", world.ui.message);
	type(&world, "km");
	assert_int_equal(UI_MARKS_MAX - 1, world.ui.mark_count);
	assert_false(ui_is_marked(&world.ui, 9));
	world_state(&world, 4, JOB_WITHDRAWN);
	assert_int_equal(UI_MARKS_MAX - 2, world.ui.mark_count);
	assert_false(ui_is_marked(&world.ui, 4));
	world_release(&world);
}

static void marks_and_what_was_seen_of_them_are_in_the_record(void **state)
{
	struct world world;
	struct ui back;
	struct err err = ERR_INIT;
	size_t total, unseen, again_total, again_unseen;

	(void)state;
	open_two(&world);
	type(&world, "jj");
	world.now_ms += 300;
	world_draw(&world);
	struct json *recorded JSON_AUTO = ui_to_json(&world.ui);
	assert_int_equal(0, ui_from_json(recorded, &back, &err));
	assert_int_equal(VIEW_MARKED, back.view);
	assert_int_equal(2, back.mark_count);
	assert_int_equal(world.ui.marked_top, back.marked_top);
	ui_seen_rows(&world.ui, &world.model, &total, &unseen);
	ui_seen_rows(&back, &world.model, &again_total, &again_unseen);
	assert_true(unseen > 0 && unseen < total);
	assert_int_equal(total, again_total);
	assert_int_equal(unseen, again_unseen);
	ui_release(&back);
	world_release(&world);
}

static void a_record_with_wrong_marks_is_refused(void **state)
{
	static const char *const marks[] = {"[{\"seq\":0}]", "[{\"seq\":2},{\"seq\":1}]",
		"[{\"seq\":1},{\"seq\":1}]", "[{}]", "[3]",
		"[{\"seq\":1},{\"seq\":2},{\"seq\":3},{\"seq\":4},{\"seq\":5},{\"seq\":6},"
		"{\"seq\":7},{\"seq\":8},{\"seq\":9},{\"seq\":10}]"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		struct world world;
		struct ui back;
		struct err err = ERR_INIT;
		struct json *list = NULL;

		open_queue(&world);
		struct json *recorded JSON_AUTO = ui_to_json(&world.ui);
		assert_int_equal(0, json_parse(marks[i], strlen(marks[i]), 8, &list, &err));
		json_set(recorded, "marks", list);
		assert_int_equal(-1, ui_from_json(recorded, &back, &err));
		world_release(&world);
	}
}

/* A new width keeps the place by byte and what was seen. */
static void a_new_width_keeps_the_place_and_what_was_seen(void **state)
{
	struct world world;

	(void)state;
	open_two(&world);
	read_all(&world);
	size_t byte = world.ui.marked_byte;
	assert_true(byte > 0);
	world.now_ms += 100;
	ui_resize(&world.ui, 100, 20, world.now_ms);
	world_follow(&world);
	world_draw(&world);
	world.now_ms += 600;
	world_draw(&world);
	assert_int_equal(GATE_READY, world_gate(&world));
	assert_int_equal(1, world.ui.marked_seq);
	assert_int_equal(byte, world.ui.marked_byte);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_marked_are_decided_by_one_key_each_by_its_own_digest),
		cmocka_unit_test(one_that_changed_or_went_keeps_all_undecided),
		cmocka_unit_test(a_card_that_changed_is_read_again_before_all_are_decided),
		cmocka_unit_test(several_are_rejected_with_one_reason_unread),
		cmocka_unit_test(what_needs_a_word_or_does_not_wait_is_not_marked),
		cmocka_unit_test(a_danger_that_comes_later_stops_all),
		cmocka_unit_test(marks_are_few_taken_back_and_lost_with_their_call),
		cmocka_unit_test(marks_and_what_was_seen_of_them_are_in_the_record),
		cmocka_unit_test(a_record_with_wrong_marks_is_refused),
		cmocka_unit_test(a_new_width_keeps_the_place_and_what_was_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
