#include "config.h"

#include "tui/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "fixture.h"
#include "scenes_calls.h"

static const unsigned widths[] = {59, 60, 79, 80, 119, 299};

static struct row *row_at(struct rows *rows, size_t i)
{
	assert_true(i < rows->count);
	return &rows->items[i];
}

static unsigned row_columns(const struct row *row)
{
	unsigned columns = 0;

	for (size_t i = 0; i < row->count; i++)
		columns += text_columns(row->segments[i].text);
	return columns;
}

static void assert_rows_fit(const struct rows *rows, unsigned width)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (row_columns(&rows->items[i]) > width)
			fail_msg(
				"row %zu is %u wide of %u", i, row_columns(&rows->items[i]), width);
	}
}

/* Every byte of the text belongs to one row, in order. */
static void assert_rows_tile(const struct rows *rows)
{
	size_t at = 0;

	for (size_t i = 0; i < rows->deciding; i++) {
		assert_int_equal(at, rows->items[i].start);
		assert_true(rows->items[i].end >= at);
		at = rows->items[i].end;
	}
	assert_int_equal(rows->total, at);
	for (size_t i = rows->deciding; i < rows->count; i++)
		assert_int_equal(rows->items[i].start, rows->items[i].end);
}

/* The text of a row of the command behind its gutter. Returns whether the row goes on with a line. */
static bool row_text(const struct row *row, struct str *out)
{
	bool behind = false, goes_on = false;

	for (size_t i = 0; i < row->count; i++) {
		const struct segment *segment = &row->segments[i];

		if (behind) {
			str_add(out, segment->text);
		} else if (segment->style == STYLE_RULE) {
			behind = true;
			goes_on = strcmp(segment->text, ":") == 0;
		}
	}
	assert_true(behind);
	return goes_on;
}

/* What a person reads of the command, turned back into bytes, is the command. */
static void assert_rows_say(const struct rows *rows, const char *command)
{
	STR_AUTO struct str shown = STR_INIT;
	STR_AUTO struct str bytes = STR_INIT;
	size_t len = strlen(command);
	struct err err = ERR_INIT;

	for (size_t i = 0; i < rows->count; i++) {
		STR_AUTO struct str text = STR_INIT;

		/* The row behind the command is blank, or that of its last, empty line comes first. */
		if (rows->items[i].count == 0)
			break;
		bool goes_on = row_text(&rows->items[i], &text);

		if (i > 0 && !goes_on)
			str_add_char(&shown, '\n');
		str_add(&shown, str_c(&text));
	}
	if (text_unescape(str_c(&shown), shown.len, &bytes, &err) != 0)
		fail_msg("not readable back: %s", err.text);
	assert_int_equal(len, bytes.len);
	assert_memory_equal(command, bytes.data, len);
}

static char *repeat(const char *text, size_t bytes)
{
	char *out = mem_alloc(bytes + 1);
	size_t len = strlen(text);

	for (size_t i = 0; i < bytes; i++)
		out[i] = text[i % len];
	return out;
}

static void check_command(const char *command)
{
	struct call_spec spec = {.seq = 1, .command = command};
	struct fixture f;

	fixture_open(&f, 80, 24);
	fixture_call(&f, &spec);
	for (size_t i = 0; i < ARRAY_LEN(widths) * 2; i++) {
		unsigned width = widths[i / 2];
		struct rows rows;

		layout_card(model_job(&f.model, 1), width, false, i % 2 == 1, &rows);
		assert_rows_fit(&rows, width);
		assert_rows_tile(&rows);
		assert_rows_say(&rows, command);
		rows_release(&rows);
	}
	fixture_close(&f);
}

static const char *const commands[] = {
	"ls",
	"ls\n",
	"\n",
	"\n\n\nls\n\n\n\n",
	"a\n\nb\n\n\nc\n\n\n\nd",
	" leading and trailing ",
	"  \n  \n  ",
	"<ESC> <40 SP> <U+202E> <x41> <3 EMPTY LINES> <31 CR> <a> << EOF",
	"tab\there\r\n",
	"x                                        y",
	"\xE7\x94\xA8\xE6\x88\xB7\xE6\x89\x8B\xE5\x86\x8C",
	"e\xCC\x81\xCC\x81\xCC\x81\xCC\x81 stacked marks",
	"\xD0\xB0pple and apple",
	"a\x01\x1F\x7F\xC2\x80\xE2\x80\xAE\xE2\x80\x8B\xEF\xBB\xBF",
	"\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD\xF0\x9F\x8F\xBD",
	"cat <<'E' | sh\n$(x)\n\tE\nE\ncat <<-F\n`y` ${z\n\tF\n\n\n\n\nls",
	"a \"b $(c 'd\x1b' `e`) ${f:-\"g\"}\" $'h\\x41' ~i *.j >k 2>&1 && l & # m 'n",
	"case a in b|c) d;; esac; e() { f; }; x=(1 2\n3) [[ a < b ]] $((1 << 2)) 'o",
};

static void what_is_shown_of_a_command_is_the_command(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		check_command(commands[i]);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		MEM_AUTO char *many = repeat(commands[i], strlen(commands[i]) * 40);

		check_command(many);
	}
}

static void a_command_of_the_largest_size_is_shown_whole(void **state)
{
	static const char *const texts[] = {"a", "a\n", "ab \n", "<ESC>", "\t",
		"word \xD0\xB0pple\n", "\xE7\x94\xA8", "                         x", "$(", "'a'",
		"cat <<E\nx\nE\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		size_t len = strlen(texts[i]);
		MEM_AUTO char *command = repeat(texts[i], REQUEST_COMMAND_BYTES / len * len);

		check_command(command);
	}
}

/* Text of any bytes that are a command: UTF-8 without NUL. */
static void random_commands_are_shown_whole(void **state)
{
	static const char *const parts[] = {"a", "b ", " ", "\n", "\n", "<", ">", "<E", "SC>",
		"\033", "\r", "1 SP>", "\xE7\x94\xA8", "\xD0\xB0", "\xCC\x81", "\xE2\x80\xAE",
		"\xF0\x9F\x8F\xBD", "U+20", "\xC2\xA0", "$(", ")", "'", "\"", "`", "\\", "<<a\n",
		"\na\n", "${", "}", "|", "&", ";", "$x", "*", "#", "in", "case "};
	unsigned seed = 7;

	(void)state;
	for (unsigned n = 0; n < 400; n++) {
		STR_AUTO struct str command = STR_INIT;

		for (unsigned i = 0; i <= n / 2; i++) {
			seed = seed * 1103515245 + 12345;
			str_add(&command, parts[(seed >> 16) % ARRAY_LEN(parts)]);
		}
		check_command(str_c(&command));
	}
}

static void the_gutter_grows_with_its_numbers(void **state)
{
	static const struct {
		const char *text;
		size_t bytes;
		const char *first;
	} cases[] = {
		{"a", 10, "    1│"},
		{"a\n", 1996, "    1│"},
		{"a\n", 1998, "     1│"},
		{"a", 9999, "    1│"},
		{"a", 10000, "     1│"},
		{"a", 100000, "      1│"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		MEM_AUTO char *command = repeat(cases[i].text, cases[i].bytes);
		struct call_spec spec = {.seq = 1, .command = command};
		STR_AUTO struct str gutter = STR_INIT;
		struct fixture f;
		struct rows rows;

		fixture_open(&f, 80, 24);
		fixture_call(&f, &spec);
		layout_card(model_job(&f.model, 1), 79, false, false, &rows);
		for (size_t n = 0; n < row_at(&rows, 0)->count - 1; n++)
			str_add(&gutter, rows.items[0].segments[n].text);
		assert_string_equal(cases[i].first, str_c(&gutter));
		rows_release(&rows);
		fixture_close(&f);
	}
}

static void details_need_no_seeing(void **state)
{
	struct fixture f;
	struct rows with, without;

	(void)state;
	fixture_open(&f, 80, 24);
	fixture_call(&f, &call_workflow);
	layout_card(model_job(&f.model, 14), 79, false, false, &without);
	layout_card(model_job(&f.model, 14), 79, true, false, &with);
	assert_rows_tile(&with);
	assert_int_equal(without.deciding, with.deciding);
	assert_int_equal(without.total, with.total);
	assert_true(with.count > without.count);
	rows_release(&with);
	rows_release(&without);
	fixture_close(&f);
}

/* The agent's words look like facts: they stay one row under the other, one column to the right of ours. */
static void an_agent_cannot_write_where_facts_begin(void **state)
{
	struct call_spec spec = {.seq = 1,
		.command = "ls",
		.reason = "x                    network    !ON\nnetwork    off: and a long tail of "
			  "words, which wraps at the "
			  "right and begins a row of its own with the word network off and so on"};
	struct fixture f;
	struct rows rows;
	size_t found = 0;

	(void)state;
	fixture_open(&f, 80, 24);
	fixture_call(&f, &spec);
	layout_card(model_job(&f.model, 1), 79, false, false, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		const struct row *row = &rows.items[i];

		if (row->count == 2 && row->segments[1].style == STYLE_AGENT) {
			assert_int_equal(13, text_columns(row->segments[0].text));
			found++;
		}
		assert_rows_fit(&rows, 79);
	}
	assert_true(found > 0);
	rows_release(&rows);
	fixture_close(&f);
}

static void a_fact_is_wrapped_and_never_cut(void **state)
{
	MEM_AUTO char *reason = repeat("word and word, ", 4000);
	struct call_spec spec = {.seq = 1, .command = "ls", .reason = reason};
	STR_AUTO struct str text = STR_INIT;
	struct fixture f;
	struct rows rows;

	(void)state;
	fixture_open(&f, 80, 24);
	fixture_call(&f, &spec);
	layout_card(model_job(&f.model, 1), 79, false, false, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		for (size_t n = 0; n < rows.items[i].count; n++) {
			if (rows.items[i].segments[n].style != STYLE_AGENT)
				continue;
			if (text.len > 0)
				str_add_char(&text, ' ');
			str_add(&text, rows.items[i].segments[n].text);
		}
	}
	/* The last blank of all is one at an end, and is counted. */
	assert_int_equal(strlen(reason), text.len);
	assert_memory_equal(reason, str_c(&text), strlen(reason) - 1);
	rows_release(&rows);
	fixture_close(&f);
}

/* Rows of one side of a difference, by the sign before their line: "-" or "+"; lines of both have none. */
static void side_text(const struct rows *rows, size_t end, char other, struct str *out)
{
	bool first = true, skip = false;

	for (size_t i = 0; i < end; i++) {
		const struct row *row = &rows->items[i];
		STR_AUTO struct str text = STR_INIT;
		char sign = row->count > 0 ? row->segments[0].text[0] : ' ';

		if (row->count > 1 && strchr("^c", row->segments[1].text[0]) != NULL)
			continue; /* points to the words of the line above */
		if (row_text(row, &text)) {
			if (!skip)
				str_add(out, str_c(&text));
			continue;
		}
		if ((skip = sign == other))
			continue;
		str_printf(out, "%s%s", first ? "" : "\n", str_c(&text));
		first = false;
	}
}

static void both_sides_of_a_difference_can_be_read_and_must_be_seen(void **state)
{
	static const char *const edits[][2] = {
		{"rm -rf build dist && make all", "rm -rf build && make all"},
		{"a\nb\nc", "a\nc\n"},
		{"x", "t\xe2\x80\x8bouch \x1b[8m"},
		{"ls docs/\xe7\x94\xa8\xe6\x88\xb7", "ls docs/\xe6\x88\xb7"},
		{"set -e\nmake\nmake check\nmake install", "set -e\nmake -j2\nmake check\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(edits) * ARRAY_LEN(widths); i++) {
		const char *const *edit = edits[i / ARRAY_LEN(widths)];
		unsigned width = widths[i % ARRAY_LEN(widths)];
		struct call_spec spec = call_diff;
		struct fixture f;
		struct rows rows;
		size_t end = 0;

		fixture_open(&f, 80, 24);
		spec.command = edit[0];
		fixture_call(&f, &spec);
		spec.asked = edit[0];
		spec.command = edit[1];
		spec.edit_at = "14:36:02";
		spec.digest = "77b1e05c";
		fixture_edit(&f, &spec);
		layout_card(model_job(&f.model, spec.seq), width, false, false, &rows);
		assert_rows_fit(&rows, width);
		assert_rows_tile(&rows);
		for (; rows.items[end].count > 0; end++) /* to the blank row above the facts */
			assert_true(rows.items[end].start < rows.items[end].end);
		for (int side = 0; side < 2; side++) {
			STR_AUTO struct str shown = STR_INIT;
			STR_AUTO struct str bytes = STR_INIT;

			side_text(&rows, end, "+-"[side], &shown);
			assert_int_equal(text_unescape(str_c(&shown), shown.len, &bytes, NULL), 0);
			assert_string_equal(str_c(&bytes), edit[side]);
		}
		rows_release(&rows);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_shown_of_a_command_is_the_command),
		cmocka_unit_test(a_command_of_the_largest_size_is_shown_whole),
		cmocka_unit_test(random_commands_are_shown_whole),
		cmocka_unit_test(the_gutter_grows_with_its_numbers),
		cmocka_unit_test(details_need_no_seeing),
		cmocka_unit_test(an_agent_cannot_write_where_facts_begin),
		cmocka_unit_test(a_fact_is_wrapped_and_never_cut),
		cmocka_unit_test(both_sides_of_a_difference_can_be_read_and_must_be_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
