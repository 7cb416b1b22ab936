#include "config.h"

#include "app/export.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* asciicast versions 3 and 2 (docs.asciinema.org/manual/asciicast/): a header, then one event a line, [time, code, data]. Version 3
   has the time since the event before, version 2 since the start. */
#define CAST_COLUMNS 100
#define CAST_ROWS 30
#define CAST_IDLE_SECONDS 3 /* a player waits no longer */

/* A terminal that breaks no lines: ours are short enough, and a row must not begin with what is foreign. */
#define NO_WRAP "\033[?7l"

static void cast_event(struct export *e, int64_t at_ms, char code, const char *data)
{
	JSON_AUTO struct json *v = json_new_str(data);
	STR_AUTO struct str text = STR_INIT;
	/* A record may be hostile: time never runs back. */
	int64_t now = at_ms > e->last_ms ? at_ms : e->last_ms;
	int64_t from = e->format == &export_asciicast2 ? e->base_ms : e->last_ms;

	json_print(v, true, &text);
	export_printf(e, "[%" PRId64 ".%03" PRId64 ",\"%c\",%s]\n", (now - from) / 1000,
		(now - from) % 1000, code, str_c(&text));
	e->last_ms = now;
}

static void cast_say(void *data, int64_t at_ms, enum script_kind kind, const char *text)
{
	static const char *const styles[SCRIPT_KIND_COUNT] = {[SCRIPT_SESSION] = "\033[2m",
		[SCRIPT_ASKED] = "\033[1m",
		[SCRIPT_DECIDED] = "\033[1;36m",
		[SCRIPT_RUN] = "\033[33m"};
	STR_AUTO struct str out = STR_INIT;

	if (styles[kind] != NULL)
		str_add(&out, styles[kind]);
	for (; *text != '\0'; text++) {
		if (*text == '\n')
			str_add_char(&out, '\r');
		str_add_char(&out, *text);
	}
	if (styles[kind] != NULL)
		str_add(&out, "\033[0m");
	cast_event(data, at_ms, 'o', str_c(&out));
}

static void cast_mark(void *data, int64_t at_ms, const char *label)
{
	cast_event(data, at_ms, 'm', label);
}

static void cast_begin(struct export *e)
{
	MEM_AUTO char *name = e->seq == 0 ? mem_strdup(e->session)
					  : mem_printf("%s#%" PRIu64, e->session, e->seq);
	MEM_AUTO char *title = mem_printf("exequatur %s, record: %s", name, e->record_word);
	JSON_AUTO struct json *v = json_new_str(title);
	STR_AUTO struct str text = STR_INIT;

	json_print(v, true, &text);
	if (e->format == &export_asciicast2)
		export_printf(
			e, "{\"version\":2,\"width\":%d,\"height\":%d", CAST_COLUMNS, CAST_ROWS);
	else
		export_printf(e, "{\"version\":3,\"term\":{\"cols\":%d,\"rows\":%d}", CAST_COLUMNS,
			CAST_ROWS);
	export_printf(e, ",\"timestamp\":%" PRId64 ",\"idle_time_limit\":%d,\"title\":%s}\n",
		e->start_wall_ms / 1000, CAST_IDLE_SECONDS, str_c(&text));
	e->script.say = cast_say;
	e->script.mark = cast_mark;
	cast_event(e, e->base_ms, 'o', NO_WRAP);
}

static void cast_end(struct export *e, const struct past_end *end, const struct model *model)
{
	(void)model;
	if (end->broken != NULL) {
		MEM_AUTO char *words = mem_printf(
			"\r\n\033[7mthe record is broken here: %s\033[0m\r\n", end->broken);

		cast_event(e, e->last_ms, 'm', "the record is broken here");
		cast_event(e, e->last_ms, 'o', words);
	} else if (e->exit_status >= 0 && e->format == &export_asciicast) {
		MEM_AUTO char *status = mem_printf("%d", e->exit_status);

		cast_event(e, e->last_ms, 'x', status);
	}
}

const struct export_format export_asciicast = {
	.name = "asciicast", .plays = true, .begin = cast_begin, .end = cast_end};
const struct export_format export_asciicast2 = {
	.name = "asciicast2", .plays = true, .begin = cast_begin, .end = cast_end};
