#include "config.h"

#include "scenes_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes_calls.h"
#include "tui/panes.h"

void set_day_open(struct fixture *f)
{
	fixture_call(f, &call_tests);
	fixture_start(f, 13, AT(14, 31, 59), AT(14, 32, 0));
	fixture_call(f, &call_workflow);
	fixture_call(f, &call_npm);
	fixture_call(f, &call_diff);
	f->now_ms = AT(14, 32, 18);
	f->ui.selected = 14;
}

void set_day(struct fixture *f)
{
	fixture_history(f, 12);
	set_day_open(f);
}

void set_alone(struct fixture *f, const struct call_spec *spec, int64_t waits_ms)
{
	fixture_history(f, (unsigned)spec->seq - 1);
	fixture_call(f, spec);
	f->now_ms = spec->at_ms + waits_ms - UI_SEEN_MS;
	fixture_card(f, spec->seq);
}

void set_everyday(struct fixture *f)
{
	set_day(f);
	f->now_ms = AT(14, 32, 23) - 1000;
	fixture_card(f, 16);
	fixture_later(f, 1000 - UI_SEEN_MS);
}

void set_card_rest(struct fixture *f)
{
	set_day(f);
	f->now_ms = AT(14, 32, 23);
	fixture_card(f, 16);
	fixture_press(f, "j");
}

void set_card_off(struct fixture *f)
{
	set_day(f);
	f->now_ms -= UI_SEEN_MS;
	fixture_card(f, 14);
}

void set_card_message(struct fixture *f)
{
	set_card_off(f);
	ui_say(&f->ui, "a did nothing: 35 of 52 lines not seen yet");
}

/* Read to its end, part by part. */
void set_card_ready(struct fixture *f)
{
	set_day(f);
	f->now_ms = AT(14, 32, 43);
	fixture_card(f, 14);
	fixture_press(f, "<Space><Space><Space><Space>");
	f->now_ms = AT(14, 32, 45);
	fixture_later(f, 1000);
}

void set_card_jumped(struct fixture *f)
{
	set_day(f);
	fixture_card(f, 14);
	fixture_press(f, "<End>");
	fixture_later(f, 800);
}

void set_card_details(struct fixture *f)
{
	set_day(f);
	fixture_card(f, 16);
	fixture_press(f, "v");
	fixture_press(f, "<End>");
}

void set_not_held(struct fixture *f)
{
	struct call_spec spec = call_diff;

	spec.not_held = true;
	spec.seq = 1;
	set_alone(f, &spec, 9000);
	fixture_later(f, 600);
}

void set_tests_output(struct fixture *f, unsigned lines, const char *tail)
{
	STR_AUTO struct str text = STR_INIT;

	for (unsigned i = 1; i <= lines; i++)
		str_printf(&text, " CC       src/catalogue/parts/item%03u.test.o\n", i);
	str_add(&text, tail);
	fixture_output(f, 13, f->now_ms, str_c(&text), text.len);
	fixture_usage(f, 13, f->now_ms,
		&(struct job_usage){.cpu_ms = 11600,
			.cpu_percent = 64,
			.memory = 88 << 20,
			.memory_peak = 120 << 20,
			.processes = 5,
			.processes_peak = 7});
}

static void show_output(struct fixture *f)
{
	f->ui.card_seq = f->ui.selected = 13;
	f->ui.view = VIEW_OUTPUT;
}

static const char output_tail[] =
	" CC       src/price.o\n"
	" CC       src/voucher.o\n"
	" CC       tests/unit/test_cart.o\n"
	" CC       tests/unit/test_price.o\n"
	" LD       tests/run-unit\n"
	"unpack fixtures   0 %\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r"
	"unpack fixtures  62 %\n"
	"\033[32mPASS\033[0m  an empty cart costs nothing\n"
	"\033[32mPASS\033[0m  a price is rounded to cents\n"
	"\033[32mPASS\033[0m  a voucher is used once\n"
	"\033[31mFAIL\033[0m  two vouchers keep their order\n"
	"  expected WINTER, SPRING\n"
	"  but was  SPRING, WINTER\n"
	"  at tests/unit/test_voucher.c:88\n"
	"\033[32mPASS\033[0m  an expired voucher is refused\n"
	"\033]0;all good\007\n"
	"\033[32mPASS\033[0m  totals add up in every currency\n"
	"running 41 more";

void set_output(struct fixture *f)
{
	set_day(f);
	set_tests_output(f, 197, output_tail);
	fixture_output(f, 13, f->now_ms, "", 0);
	show_output(f);
}

void set_output_scrolled(struct fixture *f)
{
	set_output(f);
	f->ui.following = false;
	f->ui.output_top = 103;
}

static const char long_lines[] =
	"gcc -Wall -Wextra -Wconversion -Wshadow -Isrc -Ibuild -O2 -g -c src/price.c -o "
	"build/price.o\n"
	"gcc -Wall -Wextra -Wconversion -Wshadow -Isrc -Ibuild -O2 -g -c src/voucher.c -o "
	"build/voucher.o\n"
	"src/price.c: In function 'price_round':\n"
	"src/price.c:88:17: \033[1;35mwarning:\033[0m conversion from 'long' to 'int' may change "
	"the "
	"value \xE4\xBB\xB7\xE6\xA0\xBC [-Wconversion]\n"
	"\n"
	"done\n";

void set_output_unfolded(struct fixture *f)
{
	set_day(f);
	fixture_output(f, 13, f->now_ms, long_lines, strlen(long_lines));
	show_output(f);
	fixture_press(f, "u");
}

void set_output_panned(struct fixture *f)
{
	set_output_unfolded(f);
	fixture_press(f, "l");
}

void set_output_save(struct fixture *f)
{
	set_output(f);
	fixture_press(f, "o");
}

void set_output_colours(struct fixture *f)
{
	set_output(f);
	f->ui.output_colours = true;
}

void set_card_found(struct fixture *f)
{
	set_card_off(f);
	fixture_press(f, "/");
	prompt_set(&f->ui.prompt, "on");
	fixture_press(f, "<Enter>");
}

void set_output_found(struct fixture *f)
{
	set_output(f);
	fixture_press(f, "/");
	prompt_set(&f->ui.prompt, "<ESC>[32mPASS");
	fixture_press(f, "<Enter>");
}

void set_output_ended(struct fixture *f)
{
	set_output(f);
	fixture_end(f, 13, AT(14, 32, 18), REASON_EXIT_STATUS, 2, 18000,
		"the command ended by itself with exit 2; its output says why");
}

void set_output_empty(struct fixture *f)
{
	set_day(f);
	show_output(f);
}

void set_queue(struct fixture *f)
{
	set_day(f);
	f->ui.view = VIEW_QUEUE;
}

void set_queue_bottom(struct fixture *f)
{
	set_queue(f);
	fixture_press(f, "G");
}

void set_help(struct fixture *f)
{
	set_card_off(f);
	fixture_press(f, "?");
}

void set_help_queue(struct fixture *f)
{
	set_queue(f);
	fixture_press(f, "?");
}

static void type_reason(struct fixture *f, const char *reason)
{
	fixture_press(f, "r");
	prompt_set(&f->ui.prompt, reason);
}

void set_reject(struct fixture *f)
{
	static const char *const earlier[] = {"Ask again without the network.",
		"Too broad: name the exact files.", "jq is already there: use /usr/bin/jq",
		"Not needed for this task."};

	fixture_history(f, 17);
	fixture_call(f, &call_fetch);
	for (size_t i = 0; i < ARRAY_LEN(earlier); i++) {
		mem_grow(&f->ui.reasons, &f->ui.reason_cap, f->ui.reason_count,
			sizeof(*f->ui.reasons));
		f->ui.reasons[f->ui.reason_count++] = mem_strdup(earlier[i]);
	}
	/* Opened at once: the lower rows never were on the screen. */
	f->now_ms = call_fetch.at_ms + 24500;
	f->ui.selected = f->ui.card_seq = 18;
	f->ui.view = VIEW_CARD;
	prompt_open(&f->ui.prompt, PROMPT_REASON, 18, f->now_ms);
	prompt_set(&f->ui.prompt, "Fetch it to a file first, so that I can read it.");
	fixture_draw(f);
	fixture_later(f, 500);
}

void set_reject_long(struct fixture *f)
{
	set_alone(f, &call_fetch, 24000);
	type_reason(f,
		"Fetch it to a file first, so that I can read it; then show me the file, say "
		"what each part of it is for, and ask again to run it without the network.");
}

/* The lamp of a card with a danger is lit, and `a` opened the prompt 50 ms later. */
static void open_word(struct fixture *f)
{
	fixture_later(f, 600);
	/* On a smaller screen it goes on. */
	if (f->ui.cols < 80 || f->ui.rows < 24 || panes_shown(&f->ui))
		fixture_press(f, "<Space><Space><Space><Space>");
	fixture_press(f, "a");
	fixture_later(f, UI_ALONE_MS);
	assert_int_equal(PROMPT_WORD, f->ui.prompt.kind);
	fixture_draw(f);
}

void set_word(struct fixture *f)
{
	set_alone(f, &call_git, 32000);
	open_word(f);
	prompt_set(&f->ui.prompt, "dele");
}

void set_word_typed(struct fixture *f)
{
	set_alone(f, &call_git, 31000);
	open_word(f);
	fixture_press(f, "delete");
	fixture_later(f, 500);
}

void set_word_rest(struct fixture *f)
{
	set_alone(f, &call_git, 31000);
	open_word(f);
	fixture_press(f, "delete");
}
