#include "config.h"

#include "tui/prompt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <uchar.h>

#include <cmocka.h>

#include "base/mem.h"

/* "<" Left, ">" Right, "{" Home, "}" End, "#" Backspace, "!" Delete; the rest is typed. */
static enum prompt_result press(struct prompt *prompt, uint32_t ch)
{
	static const struct {
		char sign;
		enum key_code code;
	} signs[] = {{'<', KEY_CODE_LEFT}, {'>', KEY_CODE_RIGHT}, {'{', KEY_CODE_HOME},
		{'}', KEY_CODE_END}, {'#', KEY_CODE_BACKSPACE}, {'!', KEY_CODE_DELETE}};
	struct key key = {.code = KEY_CODE_CHAR, .ch = ch};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if ((uint32_t)signs[i].sign == ch)
			key = (struct key){.code = signs[i].code};
	}
	return prompt_key(prompt, &key);
}

static void keys_edit_the_line(void **state)
{
	static const struct {
		const char32_t *keys;
		const char *text;
		size_t cursor;
	} cases[] = {
		{U"abc", "abc", 3},
		{U"abc<<x", "axbc", 2},
		{U"abc#", "ab", 2},
		{U"abc{#", "abc", 0},
		{U"abc{!", "bc", 0},
		{U"abc!", "abc", 3},
		{U"abc{>!", "ac", 1},
		{U"abc{x}y", "xabcy", 5},
		{U"<<<>>>a", "a", 1},
		{U"\u00E9\u7528#", "\xC3\xA9", 2},
		{U"\u00E9\u7528<#", "\xE7\x94\xA8", 0},
		{U"\u00E9\u7528{!", "\xE7\x94\xA8", 0},
		/* a letter and its mark are one character */
		{U"xe\u0301#", "x", 1},
		{U"xe\u0301<!", "x", 1},
		{U"xe\u0301<y", "xye\xCC\x81", 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct prompt prompt = {0};

		prompt_open(&prompt, PROMPT_REASON, 7, 0);
		for (const char32_t *at = cases[i].keys; *at != 0; at++)
			press(&prompt, *at);
		assert_string_equal(str_c(&prompt.text), cases[i].text);
		assert_int_equal(prompt.cursor, cases[i].cursor);
		prompt_close(&prompt);
	}
}

static void what_cannot_be_seen_cannot_be_typed(void **state)
{
	static const uint32_t hidden[] = {0x1B, 0x07, 0x7F, 0x85, 0x9B, 0xA0, 0xAD, 0x200B, 0x200D,
		0x200E, 0x202E, 0x2028, 0x2066, 0xFEFF, 0xE0041, 0xE000, 0x0301, 0x3164, 0xD800,
		0x110000, 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
		struct prompt prompt = {0};

		prompt_open(&prompt, PROMPT_REASON, 7, 0);
		assert_int_equal(press(&prompt, hidden[i]), PROMPT_REFUSED);
		assert_string_equal(str_c(&prompt.text), "");
		prompt_close(&prompt);
	}
}

static void any_script_can_be_typed_and_mixed(void **state)
{
	struct prompt prompt = {0};

	(void)state;
	prompt_open(&prompt, PROMPT_REASON, 7, 0);
	for (const char32_t *at =
			U"ls \u0434\u043E\u043Aumenti \u7528\u6237 \u00FC\u00DF \U0001F600";
		*at != 0; at++)
		assert_int_equal(press(&prompt, *at), PROMPT_EDITED);
	prompt_close(&prompt);
}

static void a_line_is_bounded(void **state)
{
	struct prompt prompt = {0};

	(void)state;
	prompt_open(&prompt, PROMPT_REASON, 7, 0);
	for (size_t i = 0; i < PROMPT_BYTES_MAX - 1; i++)
		assert_int_equal(press(&prompt, 'a'), PROMPT_EDITED);
	assert_int_equal(press(&prompt, 0xE9), PROMPT_FULL);
	assert_int_equal(press(&prompt, 'a'), PROMPT_EDITED);
	assert_int_equal(press(&prompt, 'a'), PROMPT_FULL);
	assert_int_equal(prompt.text.len, PROMPT_BYTES_MAX);
	prompt_close(&prompt);
}

static void other_keys_mean_nothing_in_a_line(void **state)
{
	static const enum key_code codes[] = {KEY_CODE_TAB, KEY_CODE_BACKTAB, KEY_CODE_PGUP,
		KEY_CODE_CTRL, KEY_CODE_UNKNOWN, KEY_CODE_ESC, KEY_CODE_ENTER, KEY_CODE_PASTE};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		struct prompt prompt = {0};
		struct key key = {.code = codes[i], .ch = 'a'};

		prompt_open(&prompt, PROMPT_WORD, 7, 0);
		assert_int_equal(prompt_key(&prompt, &key), PROMPT_UNUSED);
		assert_string_equal(str_c(&prompt.text), "");
		prompt_close(&prompt);
	}
}

static void blanks_alone_are_no_text(void **state)
{
	struct prompt prompt = {0};

	(void)state;
	prompt_open(&prompt, PROMPT_REASON, 7, 0);
	assert_true(prompt_blank(&prompt));
	press(&prompt, ' ');
	assert_true(prompt_blank(&prompt));
	press(&prompt, 'x');
	assert_false(prompt_blank(&prompt));
	prompt_close(&prompt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_edit_the_line),
		cmocka_unit_test(what_cannot_be_seen_cannot_be_typed),
		cmocka_unit_test(any_script_can_be_typed_and_mixed),
		cmocka_unit_test(a_line_is_bounded),
		cmocka_unit_test(other_keys_mean_nothing_in_a_line),
		cmocka_unit_test(blanks_alone_are_no_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
