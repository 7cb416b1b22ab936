#include "config.h"

#include "tui/ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_world.h"
#include "tui/view.h"

/* The panic key and the lock on the screen: which keys come to something, and what is told of a passphrase. */

static void lock(struct world *world, bool on, bool set)
{
	world->model.lock.on = on;
	world->model.lock.set = set;
	world_follow(world);
}

static void stop(struct world *world, bool on)
{
	world->model.stop.on = on;
	world_follow(world);
}

static int open_world(void **state)
{
	struct world *world = mem_alloc(sizeof(*world));

	world_init(world, 80, 24);
	world_call(world, "touch marker", 5);
	world_follow(world);
	*state = world;
	return 0;
}

static int close_world(void **state)
{
	world_release(*state);
	free(*state);
	return 0;
}

static void says(const struct world *world, const char *intents)
{
	if (strcmp(str_c(&world->log), intents) != 0)
		fail_msg("\"%s\", not \"%s\" (%s)", str_c(&world->log), intents, world->ui.message);
}

static void the_panic_key_asks_and_only_a_rested_y_alone_is_yes(void **state)
{
	struct world *world = *state;

	world_keys(world, 1000, "!y");
	world_keys(world, 1100, "y");
	world_keys(world, 2000, "Y");
	world_keys(world, 3000, "yy");
	world_keys(world, 4000, "\r");
	world_run(world, 4900);
	says(world, "");
	world_keys(world, 5000, "y");
	world_run(world, 5100);
	says(world, "stop-all@5050");
}

static void it_works_on_every_view(void **state)
{
	static const char views[] = "12?4";
	struct world *world = *state;

	for (size_t i = 0; i < ARRAY_LEN(views) - 1; i++) {
		char keys[] = {views[i], '!', '\0'};
		int64_t at = 1000 + 2000 * (int64_t)i;

		world_keys(world, at, keys);
		assert_int_equal(world->ui.prompt.kind, PROMPT_STOP_ALL);
		world_keys(world, at + 100, "\x1B");
		world_run(world, at + 1900);
		assert_int_equal(world->ui.prompt.kind, PROMPT_NONE);
	}
	says(world, "");
}

static void after_it_only_the_word_opens_intake(void **state)
{
	struct world *world = *state;

	world_keys(world, 1000, "O");
	assert_int_equal(world->ui.prompt.kind, PROMPT_NONE);
	stop(world, true);
	assert_int_equal(world->ui.view, VIEW_STOPPED);
	assert_int_equal(world_gate(world), GATE_STOPPED);
	world_keys(world, 2000, "!");
	assert_string_equal(world->ui.message, "! did nothing: all is stopped already");
	world_keys(world, 3000, "1O");
	world_keys(world, 3100, "opem\r");
	assert_string_equal(world->ui.message, "Enter did nothing: type open");
	world_keys(world, 4000, "\x7Fn\r");
	says(world, "");
	world_keys(world, 5000, "\r");
	world_run(world, 5100);
	says(world, "open-intake@5050");
	stop(world, false);
	assert_int_equal(world->ui.view, VIEW_QUEUE);
}

static void no_key_of_a_locked_screen_decides(void **state)
{
	struct world *world = *state;

	world_run(world, 1000);
	lock(world, true, true);
	assert_int_equal(world_gate(world), GATE_LOCKED);
	for (const char *key = "arvxqO12345tem+\x03 "; *key != '\0'; key++) {
		char keys[] = {*key, '\0'};

		world_keys(world, world->now_ms + 1000, keys);
		assert_int_equal(world->ui.prompt.kind, PROMPT_NONE);
		assert_string_equal(world->ui.message,
			"that key did nothing: press Enter, then type the passphrase");
	}
	world_run(world, world->now_ms + 1000);
	says(world, "");
	/* Behind it the keys must rest anew; what was read stays read. */
	lock(world, false, true);
	assert_int_equal(world_unseen(world), 0);
	assert_int_equal(world_gate(world), GATE_REST);
	world_run(world, world->now_ms + UI_REST_MS);
	assert_int_equal(world_gate(world), GATE_READY);
}

static void a_card_behind_the_lock_is_not_read(void **state)
{
	struct world *world = *state;

	lock(world, true, true);
	world_run(world, 60000);
	lock(world, false, true);
	assert_true(world_unseen(world) > 0);
}

static void a_lock_takes_back_a_deciding_key(void **state)
{
	struct world *world = *state;

	world_run(world, 1000);
	world_keys(world, 1000, "a");
	lock(world, true, true);
	world_run(world, 2000);
	says(world, "");
}

static void print(const struct world *world, struct str *out)
{
	struct json *v JSON_AUTO = ui_to_json(&world->ui);
	struct frame frame = {0};

	json_print(v, true, out);
	view_draw(&world->model, &world->ui, world->now_ms, &frame);
	frame_print(&frame, true, out);
	frame_release(&frame);
}

static void what_is_told_of_a_passphrase_is_that_there_is_one(void **state)
{
	static const char *const typed[] = {
		"x", "correct horse", "\xD1\x84\xE6\x97\xA5", "a\x7Fzz"};
	struct world *world = *state;
	STR_AUTO struct str first = STR_INIT;

	world_state(world, 1, JOB_ENDED); /* no clock on the screen */
	lock(world, true, true);
	for (size_t i = 0; i < ARRAY_LEN(typed); i++) {
		STR_AUTO struct str now = STR_INIT;

		world_keys(world, world->now_ms + 100, "\r");
		world->ui.prompt.opened_at_ms = 100;
		for (const char *at = typed[i]; *at != '\0'; at++)
			world_type(world, world->now_ms + 130, at, 1);
		print(world, i == 0 ? &first : &now);
		/* Whatever is typed, how much of it and when: record and screen are the same. */
		if (i > 0)
			assert_string_equal(str_c(&first), str_c(&now));
		assert_true(world->ui.typed.len > 0);
		world_keys(world, world->now_ms + 100, "\x03");
		assert_int_equal(world->ui.prompt.kind, PROMPT_NONE);
		for (size_t n = 0; n < sizeof(world->ui.typed); n++)
			assert_int_equal(((const char *)&world->ui.typed)[n], 0);
	}
	world_keys(world, world->now_ms + 100, "\r\x1B[200~horse\x1B[201~");
	assert_string_equal(world->ui.message, "pasted text ignored: a passphrase is typed");
	says(world, "");
}

static void a_new_passphrase_is_typed_twice(void **state)
{
	struct world *world = *state;

	world_keys(world, 1000, "L");
	assert_int_equal(world->ui.prompt.kind, PROMPT_NEW_PASS);
	world_keys(world, 2000, "\r");
	assert_string_equal(world->ui.message, "Enter did nothing: there is no passphrase yet");
	world_keys(world, 3000, "one\rtwo\r");
	assert_int_equal(world->ui.prompt.kind, PROMPT_NEW_PASS);
	says(world, "");
	world_keys(world, 4000, "one\rone\r");
	says(world, "lock \"one\"@4000");
	assert_int_equal(world->ui.prompt.kind, PROMPT_NONE);
	assert_int_equal(world->ui.first.len, 0);
}

static void the_passphrase_is_handed_over_and_not_before_its_time(void **state)
{
	struct world *world = *state;

	lock(world, true, true);
	world_keys(world, 1000, "\rwrong\r");
	says(world, "unlock \"wrong\"@1000");
	world->model.lock.wait_until_ms = 3000;
	world_keys(world, 1500, "right\r");
	assert_string_equal(world->ui.message, "Enter did nothing: wait 2 s");
	assert_int_equal(world->ui.typed.len, 0);
	world_keys(world, 3000, "right\r");
	says(world, "unlock \"wrong\"@1000, unlock \"right\"@3000");
}

static void it_locks_by_itself_so_long_behind_the_last_key(void **state)
{
	struct world *world = *state;

	world->model.lock.set = true;
	world->ui.lock_after_ms = 600000;
	world_keys(world, 5000, "j");
	world_keys(world, 300000, "\x1B[I"); /* the focus is no key */
	world_call(world, "ls", 1);
	world_follow(world);
	world_run(world, 604999);
	says(world, "");
	world_run(world, 605000);
	says(world, "lock 1@605000");
}

static void without_lock_after_nothing_wakes_the_screen(void **state)
{
	struct world *world = *state;

	world_state(world, 1, JOB_ENDED);
	world->model.lock.set = true;
	world_run(world, 5000);
	assert_int_equal(ui_next_tick(&world->ui, &world->model, world->now_ms), -1);
	world->ui.lock_after_ms = 60000;
	assert_int_equal(ui_next_tick(&world->ui, &world->model, world->now_ms), 60000);
}

int main(void)
{
#define IN_A_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)
	const struct CMUnitTest tests[] = {
		IN_A_WORLD(the_panic_key_asks_and_only_a_rested_y_alone_is_yes),
		IN_A_WORLD(it_works_on_every_view),
		IN_A_WORLD(after_it_only_the_word_opens_intake),
		IN_A_WORLD(no_key_of_a_locked_screen_decides),
		IN_A_WORLD(a_card_behind_the_lock_is_not_read),
		IN_A_WORLD(a_lock_takes_back_a_deciding_key),
		IN_A_WORLD(what_is_told_of_a_passphrase_is_that_there_is_one),
		IN_A_WORLD(a_new_passphrase_is_typed_twice),
		IN_A_WORLD(the_passphrase_is_handed_over_and_not_before_its_time),
		IN_A_WORLD(it_locks_by_itself_so_long_behind_the_last_key),
		IN_A_WORLD(without_lock_after_nothing_wakes_the_screen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
