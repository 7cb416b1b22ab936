#include "config.h"

#include "fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/hold.h"
#include "tui/view.h"

#define START_WALL_MS INT64_C(1796047320000) /* 2026-11-30T14:02:00Z */

struct json *fields_str(const char *key, const char *value)
{
	struct json *fields = json_new_object();

	json_set_str(fields, key, value);
	return fields;
}

void fixture_event(
	struct fixture *f, enum event_type type, uint64_t seq, int64_t at_ms, struct json *fields)
{
	struct event event = {.type = type,
		.number = ++f->number,
		.at_ms = at_ms,
		.wall_ms = START_WALL_MS + at_ms,
		.seq = seq,
		.fields = fields};
	struct err err = ERR_INIT;

	if (model_apply(&f->model, &event, &err) != 0)
		fail_msg("%s of call %u: %s", event_type_name(type), (unsigned)seq, err.text);
	event_release(&event);
}

static struct json *probe_fields(void)
{
	struct json *fields = fields_str("backend", "landlock");
	struct json *facets = json_new_object();

	for (int i = 0; i < FACET_COUNT; i++)
		json_set_str(facets, facet_name((enum facet)i), hold_name(HOLD_FULL));
	json_set_bool(fields, "ok", true);
	json_set(fields, "facets", facets);
	return fields;
}

void fixture_open(struct fixture *f, unsigned cols, unsigned rows)
{
	struct json *start = fields_str("session", "20261130T140200Z-4121-9c3e");
	struct json *intake = json_new_object();

	setenv("TZ", "UTC", 1);
	tzset();
	memset(f, 0, sizeof(*f));
	model_init(&f->model);
	ui_init(&f->ui, cols, rows);
	json_set_str(start, "workspace", "/srv/shop");
	json_set_str(start, "backend", "landlock");
	json_set_int(start, "max_running", 4);
	json_set_int(start, "approval_timeout_s", 300);
	fixture_event(f, EVENT_SESSION_START, 0, 0, start);
	fixture_event(f, EVENT_PROBE, 0, 40, probe_fields());
	json_set_bool(intake, "open", true);
	fixture_event(f, EVENT_INTAKE, 0, 50, intake);
}

struct job *fixture_open_output(struct fixture *f, const char *bytes, size_t len)
{
	struct call_spec spec = {.seq = 1, .command = "make"};

	fixture_open(f, 80, 24);
	fixture_call(f, &spec);
	fixture_start(f, 1, 0, 0);
	fixture_output(f, 1, 0, bytes, len);
	return model_job(&f->model, 1);
}

void fixture_grant(struct fixture *f, uint64_t seq, uint64_t number, int64_t at_ms,
	unsigned minutes, unsigned times)
{
	struct json *fields = json_new_object();

	json_set_int(fields, "grant", (int64_t)number);
	json_set_int(fields, "minutes", minutes);
	json_set_int(fields, "times", times);
	json_set_str(fields, "digest",
		"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
	fixture_event(f, EVENT_GRANT, seq, at_ms, fields);
}

void fixture_close(struct fixture *f)
{
	frame_release(&f->frame);
	ui_release(&f->ui);
	model_release(&f->model);
}

void fixture_draw(struct fixture *f)
{
	ui_drawing(&f->ui, f->now_ms);
	view_draw(&f->model, &f->ui, f->now_ms, &f->frame);
	ui_drawn(&f->ui, &f->model, f->now_ms);
}

void fixture_later(struct fixture *f, int64_t ms)
{
	struct intent intent = {0};

	f->now_ms += ms;
	if (ui_tick(&f->ui, &f->model, f->now_ms, &intent) == 1)
		intent_release(&intent);
}

/* "<Enter>" as a key; steps over it. */
static struct key named_key(const char **at)
{
	static const struct {
		const char *name;
		enum key_code code;
	} names[] = {
		{"Enter", KEY_CODE_ENTER},
		{"Esc", KEY_CODE_ESC},
		{"Up", KEY_CODE_UP},
		{"Left", KEY_CODE_LEFT},
		{"End", KEY_CODE_END},
		{"Space", KEY_CODE_CHAR},
		{"Tab", KEY_CODE_TAB},
	};
	const char *end = strchr(*at, '>');
	size_t len = (size_t)(end - *at) - 1;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strlen(names[i].name) == len && memcmp(names[i].name, *at + 1, len) == 0) {
			*at = end + 1;
			return (struct key){.code = names[i].code,
				.ch = names[i].code == KEY_CODE_CHAR ? ' ' : 0};
		}
	}
	fail_msg("no such key: %s", *at);
	return (struct key){.code = KEY_CODE_NONE};
}

static struct key next_key(const char **at)
{
	if (**at == '<')
		return named_key(at);
	return (struct key){.code = KEY_CODE_CHAR, .ch = (unsigned char)*(*at)++};
}

void fixture_press(struct fixture *f, const char *keys)
{
	while (*keys != '\0') {
		struct key key = next_key(&keys);
		struct intent intent = {0};

		fixture_later(f, 500);
		fixture_draw(f);
		if (ui_key(&f->ui, &f->model, &key, f->now_ms, &intent) == 1)
			intent_release(&intent);
		fixture_draw(f);
		f->ui.message[0] = '\0';
	}
}

void fixture_key(struct fixture *f, const struct key *key)
{
	struct intent intent = {0};

	fixture_later(f, 500);
	fixture_draw(f);
	assert_int_equal(0, ui_key(&f->ui, &f->model, key, f->now_ms, &intent));
	fixture_draw(f);
}

void fixture_char(struct fixture *f, char ch)
{
	struct key key = {.code = KEY_CODE_CHAR, .ch = (unsigned char)ch};

	fixture_key(f, &key);
}

void fixture_code(struct fixture *f, enum key_code code)
{
	struct key key = {.code = code};

	fixture_key(f, &key);
}

void fixture_card(struct fixture *f, uint64_t seq)
{
	f->ui.selected = f->ui.card_seq = seq;
	f->ui.view = VIEW_CARD;
	f->ui.card_top = 0;
	f->ui.message[0] = '\0';
	fixture_draw(f);
	fixture_later(f, UI_SEEN_MS);
	fixture_draw(f);
}

void fixture_add_spans(struct line *line, const char *text)
{
	for (size_t len; *text != '\0'; text += len + (text[len] == '|')) {
		len = strcspn(text, "|");
		if (len > 0)
			line_add(line, SPAN_OURS, "%.*s", (int)len, text);
	}
}
