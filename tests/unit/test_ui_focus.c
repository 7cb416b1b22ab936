#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/ui_world.h"
#include "tui/ui.h"

static void open_calls(struct world *world, unsigned calls)
{
	world_init(world, 80, 24);
	for (unsigned i = 0; i < calls; i++)
		world_call(world, "ls", 3);
	world_follow(world);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* The same keys, but between some of them the focus comes or goes, in pieces as a slow line gives them. */
static void type_at_random(struct world *world, uint32_t seed, bool focus)
{
	static const char *const keys[] = {"j", "k", "1", "2", "4", "5", "v", "?", "\x1B[B", "G",
		"g", "rno\x7F", "\x15", "J", "K", "z"};

	for (int64_t t = 1000; t < 60000; t += 1000) {
		const char *event = next_random(&seed) % 2 ? "\x1B[I" : "\x1B[O";

		world_keys(world, t, keys[next_random(&seed) % ARRAY_LEN(keys)]);
		if (focus && next_random(&seed) % 2) {
			world_keys(world, t + 450, "\x1B");
			world_keys(world, t + 460, event + 1);
		} else if (!focus) {
			next_random(&seed);
		}
		world_run(world, t + 900);
	}
}

static void whatever_is_typed_a_focus_is_no_key_of_it(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 40; seed++) {
		struct world plain, other;

		open_calls(&plain, 5);
		open_calls(&other, 5);
		type_at_random(&plain, seed, false);
		type_at_random(&other, seed, true);
		assert_int_equal(plain.ui.view, other.ui.view);
		assert_int_equal(plain.ui.selected, other.ui.selected);
		assert_int_equal(plain.ui.card_seq, other.ui.card_seq);
		assert_int_equal(plain.ui.prompt.kind, other.ui.prompt.kind);
		assert_string_equal(str_c(&plain.ui.prompt.text), str_c(&other.ui.prompt.text));
		assert_string_equal(plain.ui.message, other.ui.message);
		assert_int_equal(plain.ui.key_at_ms, other.ui.key_at_ms);
		assert_int_equal(plain.ui.focus, FOCUS_UNKNOWN);
		assert_int_not_equal(other.ui.focus, FOCUS_UNKNOWN);
		world_release(&plain);
		world_release(&other);
	}
}

static void the_focus_is_as_the_terminal_said_last_and_is_recorded(void **state)
{
	static const struct {
		const char *bytes;
		enum focus focus;
	} said[] = {{"\x1B[O", FOCUS_AWAY}, {"j", FOCUS_AWAY}, {"\x0C", FOCUS_AWAY},
		{"\x1B[I", FOCUS_HERE}, {"\x1B[1;2I", FOCUS_HERE},
		{"\x1B[200~\x1B[O\x1B[201~", FOCUS_HERE}, {"\x1BOO", FOCUS_HERE},
		{"\x1B[I\x1B[O", FOCUS_AWAY}};
	struct world world;

	(void)state;
	open_calls(&world, 2);
	assert_int_equal(world.ui.focus, FOCUS_UNKNOWN);
	for (size_t i = 0; i < ARRAY_LEN(said); i++) {
		world_keys(&world, 1000 * (int64_t)(i + 1), said[i].bytes);
		assert_int_equal(world.ui.focus, said[i].focus);
		struct json *v = ui_to_json(&world.ui);
		assert_int_equal(json_get_int(v, "focus", -1), said[i].focus);
		json_free(v);
	}
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_is_typed_a_focus_is_no_key_of_it),
		cmocka_unit_test(the_focus_is_as_the_terminal_said_last_and_is_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
