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
#include "tui/frame.h"
#include "tui/view.h"

static void print(const struct ui *ui, struct str *out)
{
	struct json *v JSON_AUTO = ui_to_json(ui);

	json_print(v, true, out);
}

/* Through text, as the record keeps it. */
static void read_back(const struct ui *ui, struct ui *ret)
{
	struct str text STR_AUTO = STR_INIT;
	struct json *v JSON_AUTO = NULL;
	struct err err = ERR_INIT;

	print(ui, &text);
	assert_int_equal(json_parse(str_c(&text), text.len, JSON_DEPTH_MAX, &v, &err), 0);
	if (ui_from_json(v, ret, &err) != 0)
		fail_msg("%s", err.text);
}

static void frame_of(const struct world *world, const struct ui *ui, struct str *out)
{
	struct frame frame = {0};

	view_draw(&world->model, ui, world->now_ms, &frame);
	frame_print(&frame, true, out);
	frame_release(&frame);
}

static void same_picture(const struct world *world)
{
	struct str a STR_AUTO = STR_INIT, b STR_AUTO = STR_INIT;
	struct str first STR_AUTO = STR_INIT, second STR_AUTO = STR_INIT;
	struct ui back;

	read_back(&world->ui, &back);
	print(&world->ui, &a);
	print(&back, &b);
	assert_string_equal(str_c(&a), str_c(&b));
	frame_of(world, &world->ui, &first);
	frame_of(world, &back, &second);
	assert_string_equal(str_c(&first), str_c(&second));
	ui_release(&back);
}

/* The law of the record: with the recorded ui the replayed frame equals the live one, whatever keys came before. */
static void a_replayed_frame_equals_the_live_one(void **state)
{
	static const char *const keys[] = {"a", "", "j", " ", "G", "v", "r", "no \xC3\xA9",
		"\x1B[D", "\r", "?", "1", "\r", "3", "k", "z", "q", "\x1B", "J",
		"\x1B[200~x\x1B[201~"};
	struct str command STR_AUTO = STR_INIT;
	struct world world;

	(void)state;
	for (int i = 0; i < 50; i++)
		str_printf(&command, "echo line %d\n", i);
	world_init(&world, 80, 24);
	world_danger(world_call(&world, str_c(&command), 5), "hidden");
	world_call(&world, "ls", 3);
	world_follow(&world);
	for (unsigned i = 0; i < 200; i++) {
		world_keys(&world, world.now_ms + 70 + i % 5 * 150, keys[i * 7 % ARRAY_LEN(keys)]);
		same_picture(&world);
		if (i == 60)
			world_state(&world, 1, JOB_RUNNING);
		if (i == 90)
			ui_resize(&world.ui, 70, 20, world.now_ms);
	}
	world_release(&world);
}

static void the_prompt_and_the_list_of_grants_are_replayed_too(void **state)
{
	static const char *const keys[] = {
		"t", "4", "\t", "7", "\x7F", "0", "\x1B", "5", "k", "x", "\x1B", "1"};
	struct world world;
	struct err err = ERR_INIT;
	bool prompted = false;

	(void)state;
	world_init(&world, 80, 24);
	world_call(&world, "ls", 3);
	world_follow(&world);
	for (uint64_t i = 0; i < 3; i++) {
		struct grant grant = {.seq = 1,
			.command = mem_strdup("ls"),
			.minutes = 10,
			.times = 2,
			.used = (unsigned)i};

		assert_int_equal(grants_add(&world.model.grants, &grant, 0, &err), 0);
	}
	for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
		world_keys(&world, world.now_ms + 600, keys[i]);
		world_run(&world, world.now_ms + 600);
		prompted = prompted || world.ui.prompt.kind == PROMPT_GRANT;
		same_picture(&world);
	}
	assert_true(prompted);
	world_release(&world);
}

static void set(struct json **v, const char *key, struct json *value)
{
	struct json *copy = json_new_object();

	for (const struct json *m = json_first(*v); m != NULL; m = json_next(m)) {
		if (strcmp(json_key(m), key) != 0)
			json_set(copy, json_key(m), json_copy(m));
	}
	if (value != NULL)
		json_set(copy, key, value);
	json_free(*v);
	*v = copy;
}

static struct json *range(int64_t start, int64_t end)
{
	struct json *array = json_new_array();
	struct json *one = json_new_array();

	json_push(one, json_new_int(start));
	json_push(one, json_new_int(end));
	json_push(array, one);
	return array;
}

static void a_forged_screen_is_refused(void **state)
{
	struct world world;
	const struct {
		const char *key;
		struct json *value; /* NULL: left out */
	} forged[] = {
		{"cols", json_new_int(0)},
		{"cols", json_new_int(1000000)},
		{"cols", json_new_str("80")},
		{"cols", NULL},
		{"rows", json_new_int(-1)},
		{"view", json_new_int(VIEW_COUNT)},
		{"theme", json_new_int(THEME_COUNT)},
		{"depth", json_new_int(99)},
		{"prompt", json_new_int(PROMPT_KIND_COUNT)},
		{"selected", json_new_int(-1)},
		{"prompt_cursor", json_new_int(1)}, /* inside a character */
		{"prompt_cursor", json_new_int(900)},
		{"prompt_text", json_new_int(3)},
		{"message", NULL},
		{"seen_digest", json_new_str("xy")},
		{"seen_len", json_new_int(INT64_C(1) << 40)},
		{"seen_len", json_new_int(1)},
		{"seen", range(5, 4)},
		{"seen", range(-1, 4)},
		{"seen", range(0, INT64_C(1) << 40)},
	};

	(void)state;
	world_init(&world, 80, 24);
	world_call(&world, "ls", 3);
	world_follow(&world);
	world_keys(&world, 500, "r\xC3\xA9");
	for (size_t i = 0; i < ARRAY_LEN(forged); i++) {
		struct json *v = ui_to_json(&world.ui);
		struct ui back;
		struct err err = ERR_INIT;

		set(&v, forged[i].key, forged[i].value);
		assert_int_equal(ui_from_json(v, &back, &err), -1);
		assert_int_equal(err.code, ERR_INVALID);
		json_free(v);
	}
	world_release(&world);
}

/* What a record was begun without stays as at the start. */
static void a_screen_of_before_a_field_came_is_read(void **state)
{
	static const char *const later[] = {"output_seq", "grant_number", "history_seq",
		"history_top", "unfold", "output_colours", "pan", "secret_typed", "focus"};
	struct world world;

	(void)state;
	world_init(&world, 80, 24);
	world_call(&world, "ls", 3);
	world_follow(&world);
	struct json *v = ui_to_json(&world.ui);
	struct err err = ERR_INIT;
	struct ui back;

	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		set(&v, later[i], NULL);
	assert_int_equal(ui_from_json(v, &back, &err), 0);
	assert_int_equal(back.card_seq, world.ui.card_seq);
	assert_false(back.unfold);
	assert_int_equal(back.pan, 0);
	ui_release(&back);
	json_free(v);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_replayed_frame_equals_the_live_one),
		cmocka_unit_test(the_prompt_and_the_list_of_grants_are_replayed_too),
		cmocka_unit_test(a_forged_screen_is_refused),
		cmocka_unit_test(a_screen_of_before_a_field_came_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
