#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/ui/fixture.h"
#include "tests/ui/scenes_calls.h"

/* What a key costs on long texts, its frame included: "NAME MEDIAN 99TH" in microseconds, a line each. For bench.py keys. */

#define KEYS 400
#define MIB ((size_t)1 << 20)
#define COMMAND_BYTES ((size_t)100 << 10)

static const char cyrillic[] = "\xD1\x80\xD1\x8F\xD0\xB4\xD0\xBE\xD0\xBA ";
static const char han[] = "\xE7\x94\xA8\xE6\x88\xB7\xE6\x89\x8B\xE5\x86\x8C ";
static const char marks[] = "e\xCC\x81 \xE0\xA4\x95\xE0\xA5\x8D \xF0\x9F\x91\x8B ";

struct bench_case {
	const char *name, *text;
	size_t bytes, per_line; /* per_line 0: one line */
	bool card;
};
#define SCREEN 1500 /* as much as a screen holds */
static const struct bench_case cases[] = {
	{"short-ascii", "line ", SCREEN, 60, false},
	{"short-cyrillic", cyrillic, SCREEN, 60, false},
	{"short-han", han, SCREEN, 60, false},
	{"short-marks", marks, SCREEN, 60, false},
	{"output-ascii", "line ", MIB, 60, false},
	{"output-cyrillic", cyrillic, MIB, 60, false},
	{"output-han", han, MIB, 60, false},
	{"output-marks", marks, MIB, 60, false},
	{"one-line-ascii", "line ", MIB, 0, false},
	{"one-line-cyrillic", cyrillic, MIB, 0, false},
	{"card-ascii", "echo ", COMMAND_BYTES, 60, true},
	{"card-cyrillic", cyrillic, COMMAND_BYTES, 60, true},
};

static void fill(const struct bench_case *c, struct str *out)
{
	size_t line = 0;

	while (out->len + strlen(c->text) < c->bytes) {
		str_add(out, c->text);
		line += strlen(c->text);
		if (c->per_line > 0 && line >= c->per_line) {
			str_add_char(out, '\n');
			line = 0;
		}
	}
}

static void open_text(const struct bench_case *c, const char *text, size_t len, struct fixture *f)
{
	if (c->card) {
		struct call_spec spec = call_diff;

		spec.command = text;
		fixture_open(f, 80, 24);
		fixture_call(f, &spec);
		f->now_ms = spec.at_ms + 1000;
		ui_follow(&f->ui, &f->model, f->now_ms);
		fixture_card(f, spec.seq);
	} else {
		fixture_open_output(f, text, len);
		f->ui.card_seq = f->ui.selected = 1;
		f->ui.view = VIEW_OUTPUT;
		f->ui.following = false;
		f->ui.output_top = SIZE_MAX;
		fixture_draw(f);
		f->ui.output_top /= 2;
	}
}

/* Of the processor: what else runs on the machine takes no part. */
static int64_t spent_us(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000) +
	       used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

static int64_t key_us(struct fixture *f, enum key_code code)
{
	struct key key = {.code = code};
	struct intent intent = {0};
	int64_t begun = spent_us();

	f->now_ms += 500;
	ui_tick(&f->ui, &f->model, f->now_ms, &intent);
	ui_key(&f->ui, &f->model, &key, f->now_ms, &intent);
	fixture_draw(f);
	return spent_us() - begun;
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

static void measure(const struct bench_case *c)
{
	static const enum key_code codes[] = {
		KEY_CODE_DOWN, KEY_CODE_DOWN, KEY_CODE_UP, KEY_CODE_PGDN, KEY_CODE_PGUP};
	STR_AUTO struct str text = STR_INIT;
	struct fixture f;
	int64_t us[KEYS];

	fill(c, &text);
	open_text(c, str_c(&text), text.len, &f);
	for (size_t i = 0; i < KEYS; i++)
		us[i] = key_us(&f, codes[i % ARRAY_LEN(codes)]);
	qsort(us, KEYS, sizeof(*us), compare);
	printf("%s %lld %lld %lld\n", c->name, (long long)us[KEYS / 2],
		(long long)us[KEYS * 99 / 100], (long long)us[KEYS - 1]);
	fflush(stdout);
	fixture_close(&f);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		measure(&cases[i]);
	return 0;
}
