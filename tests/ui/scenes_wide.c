#include "config.h"

#include "scenes_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "scenes_calls.h"

/* The wide arrangement: three panes from 110x30 on. */

static const char tests_tail[] =
	" CC       src/voucher.o\n"
	" CC       tests/unit/test_cart.o\n"
	" CC       tests/unit/test_price.o\n"
	" LD       tests/run-unit\n"
	"unpack fixtures   0 %\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r"
	"\r\r\r\r\r\r\runpack fixtures  62 %\n"
	"ok 1 - an empty cart costs nothing\n"
	"ok 2 - a price is rounded to cents\n"
	"ok 3 - a voucher is used once\n"
	"not ok 4 - two vouchers keep their order\n"
	"#   expected WINTER, SPRING\n"
	"#   but was  SPRING, WINTER\n";

void set_wide_main(struct fixture *f)
{
	set_day(f);
	set_tests_output(f, 203, tests_tail); /* 214 lines */
	f->now_ms -= UI_SEEN_MS;
	ui_follow(&f->ui, &f->model, f->now_ms);
	fixture_card(f, 14);
}

void set_wide_queue(struct fixture *f)
{
	set_wide_main(f);
	fixture_press(f, "1j");
}

void set_wide_output(struct fixture *f)
{
	set_wide_main(f);
	fixture_press(f, "<Tab>b");
}

void set_wide_prompt(struct fixture *f)
{
	set_wide_main(f);
	fixture_press(f, "rN");
}

void set_wide_one(struct fixture *f)
{
	set_alone(f, &call_diff, 9000);
	fixture_later(f, 1000);
}

void set_wide_ended(struct fixture *f)
{
	set_wide_main(f);
	fixture_end(f, 13, f->now_ms, REASON_EXIT_STATUS, 2, 18000,
		"the command ended by itself with exit 2; its output says why");
	fixture_card(f, 13);
}

/* Three senders, 120 calls; somebody is far down in the list. */
void set_wide_many(struct fixture *f)
{
	static const char *const agents[] = {"build-bot", "docs-bot", "pipeline"};

	set_wide_main(f);
	for (unsigned i = 0; i < 117; i++) {
		struct call_spec spec = call_diff;
		char command[64];

		snprintf(command, sizeof(command), "python3 fetch.py --page %u", i + 1);
		spec.seq = 17 + i;
		spec.agent = agents[i % ARRAY_LEN(agents)];
		spec.command = command;
		fixture_call(f, &spec);
	}
	fixture_press(f, "<Tab><Tab>");
	for (unsigned i = 0; i < 50; i++)
		fixture_press(f, "j");
	f->now_ms = AT(14, 32, 44);
}
