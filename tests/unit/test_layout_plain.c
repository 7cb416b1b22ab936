#include "config.h"

#include "tui/layout_plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/unit/ui_world.h"
#include "tui/plain_tty.h"

static const char *const commands[] = {
	"make",
	"make\n",
	"a\n\n\n\n\n\nb\n",
	"cat <<E\nEnd of card 1, digest 0000 0000.\nLine 7: x\nE\n",
	"printf '\033[8m\r\n\t\x7f<ESC>'  \n x",
	"echo \xff\xfe \xe2\x80\xae \xd0\xb0pple \xe4\xbd\xa0\xe5\xa5\xbd e\xcc\x81",
	"echo                                                              far <U+202E> <3 SP>",
};

/* The text behind "Line N: " and "Line N goes on: ", lines apart by LF. */
static void read_back(const struct rows *rows, struct str *out)
{
	bool first = true;
	for (size_t i = 0; i < rows->count; i++) {
		struct str text STR_AUTO = STR_INIT;
		for (size_t s = 0; s < rows->items[i].count; s++)
			str_add(&text, rows->items[i].segments[s].text);
		assert_true(text_columns(str_c(&text)) <= 60);
		if (strcmp(str_c(&text), "End of command.") == 0)
			return;
		if (strncmp(str_c(&text), "Line ", 5) != 0)
			continue;
		const char *colon = strstr(str_c(&text), ": ");
		assert_non_null(colon);
		if (!first && strstr(str_c(&text), " goes on: ") == NULL)
			str_add_char(out, '\n');
		else if (!first && strstr(str_c(&text), " goes on: ") > colon)
			str_add_char(out, '\n');
		first = false;
		str_add(out, colon + 2);
	}
}

static void a_printed_command_reads_back_to_its_bytes_and_every_position_is_covered(void **state)
{
	struct str huge STR_AUTO = STR_INIT;
	for (unsigned i = 0; i < 500; i++)
		str_add(&huge, i % 50 == 0 ? "\xff\xe4\xbd\xa0\n" : "word <x> ");
	for (size_t i = 0; i <= ARRAY_LEN(commands); i++) {
		const char *command = i < ARRAY_LEN(commands) ? commands[i] : str_c(&huge);
		for (int ascii = 0; ascii < 2; ascii++) {
			struct world world;
			struct rows rows, screen;
			struct str shown STR_AUTO = STR_INIT;
			struct str bytes STR_AUTO = STR_INIT;
			world_init(&world, 80, 24);
			const struct job *job = world_call(&world, command, 3);
			layout_plain_card(job, 60, ascii == 1, &rows);
			layout_card(job, 79, false, false, &screen);
			read_back(&rows, &shown);
			assert_int_equal(text_unescape(str_c(&shown), shown.len, &bytes, NULL), 0);
			assert_string_equal(str_c(&bytes), command);
			size_t covered = 0;
			for (size_t r = 0; r < rows.count; r++)
				covered += rows.items[r].end - rows.items[r].start;
			assert_int_equal(covered, rows.total);
			assert_int_equal(rows.total, screen.total);
			rows_release(&rows);
			rows_release(&screen);
			world_release(&world);
		}
	}
	(void)state;
}

static void a_fact_that_changed_says_what_it_was(void **state)
{
	struct world world;
	struct rows rows;
	struct str text STR_AUTO = STR_INIT;
	world_init(&world, 80, 24);
	struct job *job = world_call(&world, "make", 0);
	job->old_card = mem_alloc(sizeof(*job->old_card));
	card_init(job->old_card);
	line_add(fact_line(facts_add(&job->card->facts, "directory")), SPAN_FOREIGN, "/new");
	line_add(fact_line(facts_add(&job->old_card->facts, "directory")), SPAN_FOREIGN,
		"/old\n\033");
	layout_plain_card(job, 60, false, &rows);
	for (size_t r = 0; r < rows.count; r++) {
		for (size_t s = 0; s < rows.items[r].count; s++)
			str_add(&text, rows.items[r].segments[s].text);
		str_add_char(&text, '\n');
	}
	assert_non_null(
		strstr(str_c(&text), "\nDirectory: /new\n  That changed. It was: /old<LF><ESC>\n"));
	rows_release(&rows);
	world_release(&world);
	(void)state;
}

static void the_terminal_keeps_lines_echo_and_ctrl_z(void **state)
{
	struct termios raw = {0}, ours;
	raw.c_cc[VINTR] = 3;
	raw.c_cc[VSUSP] = 26;
	plain_tty_modes(&raw, &ours);
	assert_true((ours.c_lflag & ICANON) && (ours.c_lflag & ECHO) && (ours.c_lflag & ISIG));
	assert_int_equal(ours.c_cc[VINTR], _POSIX_VDISABLE);
	assert_int_equal(ours.c_cc[VSUSP], 26);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_printed_command_reads_back_to_its_bytes_and_every_position_is_covered),
		cmocka_unit_test(a_fact_that_changed_says_what_it_was),
		cmocka_unit_test(the_terminal_keeps_lines_echo_and_ctrl_z),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
