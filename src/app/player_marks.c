#include "config.h"

#include "app/player_marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/reason.h"
#include "core/result.h"

int player_marks_open(const char *path, struct player_marks *ret, struct err *err)
{
	*ret = (struct player_marks){0};
	return player_file_open(path, &ret->file, err);
}

void player_marks_close(struct player_marks *marks)
{
	player_file_close(marks->file);
	free(marks->items);
	*marks = (struct player_marks){0};
}

static struct marked_call *call_of(struct player_marks *marks, uint64_t seq)
{
	for (size_t i = 0; i < PLAYER_MARK_CALLS && seq != 0; i++) {
		if (marks->calls[i].seq == seq)
			return &marks->calls[i];
	}
	return NULL;
}

static void add(struct player_marks *marks, const struct event *event, uint64_t line, char letter)
{
	const struct marked_call *call = call_of(marks, event->seq);
	const char *digest = json_get_str(event->fields, "digest");
	struct film_mark mark = {.event = line,
		.seq = event->seq,
		.at_ms = event->at_ms,
		.letter = letter,
		.after_ms = call == NULL ? -1 : event->at_ms - call->at_ms,
		.all_seen_ms = call == NULL || call->all_seen_ms < 0
				       ? -1
				       : call->all_seen_ms - call->at_ms};

	if (marks->count == PLAYER_MARKS_MAX)
		return;
	if (digest != NULL && strlen(digest) >= sizeof(mark.digest))
		memcpy(mark.digest, digest, sizeof(mark.digest));
	mem_grow(&marks->items, &marks->cap, marks->count, sizeof(*marks->items));
	marks->items[marks->count++] = mark;
}

static bool says(const struct event *event, const char *key, const char *value)
{
	const char *text = json_get_str(event->fields, key);

	return text != NULL && strcmp(text, value) == 0;
}

static void on_received(struct player_marks *marks, const struct event *event, uint64_t line)
{
	(void)line;
	marks->calls[marks->call_next] = (struct marked_call){event->seq, event->at_ms, -1};
	marks->call_next = (marks->call_next + 1) % PLAYER_MARK_CALLS;
}

/* What policy allows is decided by nobody in the session. */
static void on_decided(struct player_marks *marks, const struct event *event, uint64_t line)
{
	if (says(event, "by", decider_name(DECIDER_GRANT)))
		add(marks, event, line, 'g');
	else if (says(event, "decision", "approved"))
		add(marks, event, line, 'a');
	else if (says(event, "decision", "rejected"))
		add(marks, event, line, 'r');
}

static void on_expired(struct player_marks *marks, const struct event *event, uint64_t line)
{
	add(marks, event, line, 'e');
}

static void on_stopping(struct player_marks *marks, const struct event *event, uint64_t line)
{
	if (says(event, "by", "operator"))
		add(marks, event, line, 'x');
}

static void on_ended(struct player_marks *marks, const struct event *event, uint64_t line)
{
	static const enum reason limits[] = {REASON_TIMEOUT, REASON_CPU_LIMIT, REASON_MEMORY_LIMIT,
		REASON_PROCESS_LIMIT, REASON_FILE_SIZE_LIMIT};

	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		if (says(event, "reason", reason_name(limits[i])))
			add(marks, event, line, 'l');
	}
}

static void on_refused(struct player_marks *marks, const struct event *event, uint64_t line)
{
	if (says(event, "reason", reason_name(REASON_DENIED_BY_POLICY)))
		add(marks, event, line, 'd');
}

static void on_intake(struct player_marks *marks, const struct event *event, uint64_t line)
{
	if (json_get_bool(event->fields, "stop_all", false))
		add(marks, event, line, '!');
}

/* The one range of what was seen is the whole text. */
static bool all_seen(const struct json *ui)
{
	int64_t len = json_get_int(ui, "seen_len", 0), start = -1, end = -1;
	const struct json *range = json_first(json_get(ui, "seen"));
	const struct json *first = range == NULL ? NULL : json_first(range);

	return len > 0 && first != NULL && json_next(first) != NULL &&
	       json_int(first, &start) == 0 && json_int(json_next(first), &end) == 0 &&
	       start == 0 && end == len;
}

static void on_view(struct player_marks *marks, const struct event *event, uint64_t line)
{
	const struct json *ui = json_get(event->fields, "ui");
	int64_t seq = json_get_int(ui, "card_seq", 0);
	struct marked_call *call = seq > 0 ? call_of(marks, (uint64_t)seq) : NULL;

	(void)line;
	if (call == NULL || json_get(ui, "seen_len") == NULL)
		return;
	/* A card that changed is to be read again. */
	if (!all_seen(ui))
		call->all_seen_ms = -1;
	else if (call->all_seen_ms < 0)
		call->all_seen_ms = event->at_ms;
}

void player_marks_take(struct player_marks *marks, const struct event *event, uint64_t line)
{
	static void (*const takers[EVENT_TYPE_COUNT])(
		struct player_marks *, const struct event *, uint64_t) = {
		[EVENT_RECEIVED] = on_received,
		[EVENT_DECIDED] = on_decided,
		[EVENT_EXPIRED] = on_expired,
		[EVENT_STOPPING] = on_stopping,
		[EVENT_ENDED] = on_ended,
		[EVENT_REFUSED] = on_refused,
		[EVENT_INTAKE] = on_intake,
		[EVENT_VIEW] = on_view,
		[EVENT_SEEN] = on_view,
	};

	marks->events = line;
	if (event->at_ms > marks->last_ms)
		marks->last_ms = event->at_ms;
	if (event->type < EVENT_TYPE_COUNT && takers[event->type] != NULL)
		takers[event->type](marks, event, line);
}

bool player_marks_work(struct player_marks *marks, unsigned most)
{
	struct event event;

	for (unsigned i = 0; i < most; i++) {
		struct err err = ERR_INIT;
		int status = player_file_next(marks->file, &event, &err);

		marks->done = status != 1;
		if (status != 1)
			return false;
		player_marks_take(marks, &event, player_file_line(marks->file));
		event_release(&event);
	}
	return true;
}
