#include "config.h"

#include "scenes_set.h"

#include <inttypes.h>

#include "scenes_calls.h"

static struct json *numbers(const char *a, int64_t x, const char *b, int64_t y)
{
	struct json *fields = json_new_object();

	json_set_int(fields, a, x);
	json_set_int(fields, b, y);
	return fields;
}

static void give(struct fixture *f, const struct call_spec *spec, uint64_t number, int64_t at_ms,
	unsigned minutes, unsigned times)
{
	fixture_call(f, spec);
	fixture_grant(f, spec->seq, number, at_ms, minutes, times);
	fixture_start(f, spec->seq, at_ms, at_ms);
	fixture_end(f, spec->seq, at_ms + 200, REASON_NONE, 0, 200, NULL);
}

static void use(struct fixture *f, const struct call_spec *spec, uint64_t number, unsigned nth)
{
	struct json *fields = numbers("grant", (int64_t)number, "use", nth);

	fixture_call(f, spec);
	json_set_str(fields, "decision", "approved");
	json_set_str(fields, "by", "grant");
	fixture_event(f, EVENT_DECIDED, spec->seq, spec->at_ms + 10, fields);
	fixture_event(
		f, EVENT_LAUNCHING, spec->seq, spec->at_ms + 20, fields_str("backend", "landlock"));
	fixture_event(f, EVENT_STARTED, spec->seq, spec->at_ms + 30, json_new_object());
}

/* Four grants: one holds and was used, one holds for seconds, one is used up, one was revoked. */
static void set_given(struct fixture *f)
{
	struct call_spec log = {.agent = "pipeline", .command = "git log --oneline -5"};
	struct call_spec test = {.agent = "build-bot", .command = "make -j2 test\nmake report"};

	fixture_history(f, 12);
	log.seq = 13;
	log.at_ms = AT(14, 32, 0);
	give(f, &log, 1, AT(14, 32, 9), 1, 1);
	test.seq = 14;
	test.at_ms = AT(14, 33, 0);
	give(f, &test, 2, AT(14, 33, 20), 60, 20);
	log.seq = 15;
	log.at_ms = AT(14, 33, 30);
	give(f, &log, 3, AT(14, 33, 40), 10, 5);
	test.seq = 16;
	test.at_ms = AT(14, 34, 0);
	give(f, &test, 4, AT(14, 34, 10), 1, 5);
	log.seq = 17;
	log.at_ms = AT(14, 34, 20);
	use(f, &log, 1, 1);
	fixture_end(f, 17, AT(14, 34, 21), REASON_NONE, 0, 300, NULL);
	struct json *revoked = numbers("grant", 2, "use", 0);
	json_set_str(revoked, "why", "by you");
	fixture_event(f, EVENT_REVOKED, 0, AT(14, 34, 30), revoked);
	log.seq = 18;
	log.at_ms = AT(14, 34, 40);
	use(f, &log, 3, 1);
	f->now_ms = AT(14, 34, 50);
}

void set_grants(struct fixture *f)
{
	set_given(f);
	fixture_press(f, "5");
}

void set_grants_last(struct fixture *f)
{
	set_grants(f);
	fixture_press(f, "<End>");
}

void set_grants_revoke(struct fixture *f)
{
	set_grants(f);
	fixture_press(f, "x");
	fixture_later(f, 500);
}

void set_grants_none(struct fixture *f)
{
	fixture_history(f, 12);
	f->now_ms = AT(14, 34, 50);
	fixture_press(f, "5");
}

/* It runs by a grant. */
void set_granted(struct fixture *f)
{
	set_given(f);
	fixture_card(f, 18);
}

/* It ran by a grant. */
void set_granted_ended(struct fixture *f)
{
	set_given(f);
	fixture_card(f, 17);
}

void set_grant_prompt(struct fixture *f)
{
	set_everyday(f);
	fixture_press(f, f->ui.rows < 24 ? "<Space><Space><Space>t" : "t");
}

void set_grant_ready(struct fixture *f)
{
	set_grant_prompt(f);
	fixture_press(f, "30");
	fixture_later(f, 500);
}

void set_grant_wrong(struct fixture *f)
{
	set_grant_prompt(f);
	fixture_press(f, "<Up>99");
	fixture_later(f, 500);
}
