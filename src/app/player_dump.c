#include "config.h"

#include "app/player_dump.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "app/cmd.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/event.h"
#include "core/model.h"
#include "tui/view_words.h"

#define LOOK_MS 200 /* for more of a session that is still written */

struct dump {
	struct player *player;
	uint64_t from, seq;
	FILE *out;
	unsigned flags;      /* of the safe-text rule: the locale's */
	uint64_t output_seq; /* whose output the line is of that was begun; 0: none */
	struct str line;     /* what is there of it */
};

static void put(struct dump *d, const char *text)
{
	fputs(text, d->out);
}

/* A line of foreign text behind a gutter. */
static void put_foreign_line(
	struct dump *d, const char *gutter, const char *bytes, size_t len, unsigned flags)
{
	STR_AUTO struct str shown = STR_INIT;

	text_escape(bytes, len, flags | d->flags, &shown);
	fprintf(d->out, "                              %s %s\n", gutter, str_c(&shown));
}

static void put_foreign(struct dump *d, const char *gutter, const char *text, unsigned flags)
{
	for (const char *at = text; *at != '\0';) {
		size_t len = strcspn(at, "\n");

		put_foreign_line(d, gutter, at, len, flags);
		at += len + (at[len] == '\n');
	}
}

static void flush_output(struct dump *d)
{
	if (d->line.len > 0)
		put_foreign_line(d, "|", str_c(&d->line), d->line.len, TEXT_OUTPUT);
	str_clear(&d->line);
	d->output_seq = 0;
}

static void head(struct dump *d, const struct event *event, const char *text)
{
	char time[16], call[32] = "";

	flush_output(d);
	clock_format_hms(event->wall_ms, time);
	if (event->seq > 0)
		snprintf(call, sizeof(call), "#%" PRIu64, event->seq);
	fprintf(d->out, "%s.%03u %8" PRIu64 "  %-7s %s\n", time,
		(unsigned)((event->wall_ms % 1000 + 1000) % 1000), d->player->next_line, call,
		text);
}

static void on_start(struct dump *d, const struct event *event)
{
	static const struct {
		const char *key, *before;
	} parts[] = {{"session", "session "}, {"user", ", "}, {"host", " at "},
		{"workspace", ", workspace "}, {"version", ", exequatur "}};
	STR_AUTO struct str text = STR_INIT;
	char day[16];

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const char *value = json_get_str(event->fields, parts[i].key);

		if (value == NULL)
			continue;
		str_add(&text, parts[i].before);
		text_escape(value, strlen(value), d->flags, &text);
	}
	clock_format_day(event->wall_ms, day);
	str_printf(&text, ", %s", day);
	head(d, event, str_c(&text));
}

static void on_received(struct dump *d, const struct event *event)
{
	const char *agent = json_get_str(event->fields, "agent");
	const char *command = json_get_str(event->fields, "command");
	const char *raw = json_get_str(event->fields, "raw");
	STR_AUTO struct str text = STR_INIT;

	str_add(&text, "asked");
	if (agent != NULL) {
		str_add(&text, " by \"");
		text_escape(agent, strlen(agent), d->flags, &text);
		str_add_char(&text, '"');
	}
	head(d, event, str_c(&text));
	if (command != NULL)
		put_foreign(d, ":", command, 0);
	else if (raw != NULL)
		put_foreign(d, "!", raw, 0);
}

/* Behind the model: it knows by whom, and what of the card was seen. */
static void on_decided(struct dump *d, const struct event *event)
{
	const struct job *job = model_job(&d->player->model, event->seq);
	STR_AUTO struct str text = STR_INIT;

	if (job == NULL)
		return;
	words_decided(job, &text);
	if (job->decided_by == DECIDER_OPERATOR) {
		str_add(&text, " after ");
		words_took(job->decided_at_ms - job->received_at_ms, &text);
		if (job->rows_total > 0)
			str_printf(&text, ", %u of %u lines seen", job->rows_seen, job->rows_total);
	}
	head(d, event, str_c(&text));
	if (job->decision_text != NULL)
		put_foreign(d, "\"", job->decision_text, 0);
}

static void on_ended(struct dump *d, const struct event *event)
{
	const struct job *job = model_job(&d->player->model, event->seq);
	STR_AUTO struct str text = STR_INIT;

	if (job == NULL)
		return;
	words_head(job, &text);
	head(d, event, str_c(&text));
}

static void on_output(struct dump *d, const struct event *event)
{
	STR_AUTO struct str bytes = STR_INIT;
	int64_t size = json_get_int(event->fields, "bytes", -1);
	struct err err = ERR_INIT;

	if (size >= 0) {
		str_printf(&bytes, "output, not recorded: %" PRId64 " bytes", size);
		head(d, event, str_c(&bytes));
		return;
	}
	if (event_output_bytes(event->fields, &bytes, &err) != 0)
		return;
	if (d->output_seq != event->seq) {
		head(d, event, "output");
		d->output_seq = event->seq;
	}
	for (size_t at = 0; at < bytes.len;) {
		const char *start = bytes.data + at, *end = memchr(start, '\n', bytes.len - at);
		size_t len = end != NULL ? (size_t)(end - start) : bytes.len - at;

		str_add_bytes(&d->line, start, len);
		at += len + (end != NULL);
		if (end == NULL)
			break;
		put_foreign_line(d, "|", str_c(&d->line), d->line.len, TEXT_OUTPUT);
		str_clear(&d->line);
	}
}

static void on_sentence(struct dump *d, const struct event *event)
{
	static const char *const keys[] = {"reason", "sentence", "why", "by", "name", "backend"};
	STR_AUTO struct str text = STR_INIT;

	str_add(&text, event_type_name(event->type));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *value = json_get_str(event->fields, keys[i]);

		if (value == NULL || value[0] == '\0')
			continue;
		str_printf(&text, "%s %s ", text.len > 0 ? "," : "", keys[i]);
		text_escape(value, strlen(value), d->flags, &text);
	}
	head(d, event, str_c(&text));
}

static bool is_quiet(enum event_type type)
{
	static const bool quiet[EVENT_TYPE_COUNT] = {
		[EVENT_VIEW] = true,
		[EVENT_SEEN] = true,
		[EVENT_USAGE] = true,
		[EVENT_PROFILE] = true,
	};

	return type < EVENT_TYPE_COUNT && quiet[type];
}

static void say(struct dump *d, const struct event *event)
{
	static void (*const sayers[EVENT_TYPE_COUNT])(struct dump *, const struct event *) = {
		[EVENT_SESSION_START] = on_start,
		[EVENT_RECEIVED] = on_received,
		[EVENT_DECIDED] = on_decided,
		[EVENT_ENDED] = on_ended,
		[EVENT_OUTPUT] = on_output,
	};

	if (d->player->next_line < d->from || (d->seq > 0 && event->seq != d->seq) ||
		is_quiet(event->type))
		return;
	if (event->type == EVENT_TYPE_COUNT)
		head(d, event, "an event of a type that this version does not know");
	else if (sayers[event->type] != NULL)
		sayers[event->type](d, event);
	else
		on_sentence(d, event);
}

static void on_applied(void *ctx, const struct event *event)
{
	say(ctx, event);
}

static void say_end(struct dump *d)
{
	const struct player *player = d->player;

	flush_output(d);
	if (player->broken)
		return;
	if (player_file_is_torn(player->file))
		put(d, "The last line is torn.\n");
	fprintf(d->out, "End of the recording, %" PRIu64 " event%s.\n", player->event,
		player->event == 1 ? "" : "s");
}

int player_dump(struct player *player, uint64_t from, uint64_t seq, bool follow, FILE *out)
{
	struct dump d = {.player = player,
		.from = from,
		.seq = seq,
		.out = out,
		.flags = text_locale_flags()};
	int status;

	player->on_applied = on_applied;
	player->ctx = &d;
	for (;;) {
		bool open = follow && player_file_is_open(player->file);

		while ((status = player_step(player)) == 1)
			;
		/* What was written up to the end of its session is read once more. */
		if (status < 0 || !open || ferror(out))
			break;
		fflush(out);
		poll(NULL, 0, LOOK_MS);
	}
	say_end(&d);
	str_release(&d.line);
	if (fflush(out) != 0) {
		log_warn("the recording could not be written");
		return EXIT_RUNTIME;
	}
	if (player->broken)
		log_warn("%s", player->err.text);
	return player->broken ? EXIT_RUNTIME : 0;
}
