#include "config.h"

#include "app/past_call.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

/* Bytes that are no UTF-8 go through the safe-text rule; JSON cannot hold them. */
static void set_text(struct json *v, const char *key, const char *text)
{
	STR_AUTO struct str shown = STR_INIT;

	if (text == NULL || text_is_utf8(text, strlen(text))) {
		json_set_str(v, key, text);
		return;
	}
	text_escape(text, strlen(text), 0, &shown);
	json_set_str(v, key, str_c(&shown));
}

static void set_number(struct json *v, const char *key, int64_t value, bool known)
{
	json_set(v, key, known ? json_new_int(value) : json_new_null());
}

static void set_time(struct json *v, const char *key, int64_t wall_ms, bool known)
{
	char buf[32];

	clock_format_utc(wall_ms, buf);
	json_set_str(v, key, known ? buf : NULL);
}

static void set_decision(struct json *v, const struct job *job)
{
	bool decided = job->decision != DECISION_NONE;

	json_set_str(v, "decision", decided ? decision_name(job->decision) : NULL);
	json_set_str(v, "decided_by", decided ? decider_name(job->decided_by) : NULL);
	set_text(v, "decision_text", job->decision_text);
	set_time(v, "decided", job->decided_wall_ms, job->decided_at_ms >= 0);
	set_number(v, "rows_seen", job->rows_seen, job->rows_total > 0);
	set_number(v, "rows_total", job->rows_total, job->rows_total > 0);
	if (job->card == NULL) {
		json_set_str(v, "card", NULL);
		json_set_str(v, "network", NULL);
		return;
	}
	char hex[DIGEST_HEX_BYTES];

	digest_hex(&job->card->digest, hex);
	json_set_str(v, "card", hex);
	json_set_str(v, "network", card_network_name(job->card->network));
}

static void set_outcome(struct json *v, const struct job *job)
{
	bool over = job_is_over(job->state);

	json_set_str(
		v, "backend", job->backend == BACKEND_AUTO ? NULL : backend_id_name(job->backend));
	json_set_str(
		v, "reason", over && job->reason != REASON_NONE ? reason_name(job->reason) : NULL);
	set_text(v, "sentence", job->sentence);
	set_number(v, "exit_code", job->exit_code, job->exit_code >= 0);
	set_number(v, "signal", job->signal, job->signal > 0);
	set_number(v, "duration_ms", job->duration_ms, job->duration_ms >= 0);
	json_set_int(v, "output_bytes", (int64_t)job->output_bytes);
	json_set(v, "notes", note_names(job->notes));
	json_set_bool(v, "answered", job->answered);
}

struct json *past_call_json(const struct job *job, const char *session)
{
	struct json *v = json_new_object();

	json_set_str(v, "type", "call");
	set_text(v, "session", session);
	json_set_int(v, "seq", (int64_t)job->seq);
	set_text(v, "id", job->id_text);
	set_time(v, "received", job->received_wall_ms, true);
	json_set_int(v, "peer", job->peer);
	set_text(v, "agent", job->agent);
	set_text(v, "agent_reason", job->agent_reason);
	set_text(v, "command", job->command);
	set_text(v, "raw", job->raw);
	set_text(v, "asked", job->card == NULL ? NULL : job->card->asked);
	json_set_str(v, "state", job_state_name(job->state));
	set_decision(v, job);
	set_outcome(v, job);
	return v;
}

void past_call_outcome(const struct job *job, struct str *out)
{
	if (job->state != JOB_ENDED)
		str_add(out, job_state_name(job->state));
	else if (job->reason == REASON_NONE || job->reason == REASON_EXIT_STATUS)
		str_printf(out, "exit %d", job->exit_code);
	else if (job->reason == REASON_SIGNALED)
		str_printf(out, "signal %d", job->signal);
	else
		str_add(out, reason_name(job->reason));
}

void past_raw(const char *raw, struct str *bytes)
{
	size_t before = bytes->len;

	if (text_unescape(raw, strlen(raw), bytes, NULL) == 0)
		return;
	str_truncate(bytes, before);
	str_add(bytes, raw);
}

/* Cut at the column, with a sign: what is foreign comes last and cannot push our words out of their place. */
static void add_cut(const char *text, size_t len, unsigned width, struct str *out)
{
	struct text_iter *it = text_begin(text, len, text_locale_flags());
	struct text_piece piece;
	size_t fits = out->len;
	unsigned used = 0;
	bool cut = false;

	while (!cut && text_next(it, &piece)) {
		used += piece.columns;
		cut = used > width;
		if (cut)
			break;
		str_add(out, piece.shown);
		if (used + 3 <= width)
			fits = out->len;
	}
	text_end(it);
	if (!cut)
		return;
	str_truncate(out, fits);
	str_add(out, "...");
}

static void add_field(const char *text, unsigned width, struct str *out)
{
	STR_AUTO struct str shown = STR_INIT;

	if (text == NULL)
		text = "-";
	add_cut(text, strlen(text), width, &shown);
	unsigned used = text_columns(str_c(&shown));

	str_add(out, str_c(&shown));
	str_printf(out, "%*s", used < width ? (int)(width - used) + 2 : 2, "");
}

enum { OUTCOME_COLUMNS = 16, BACKEND_COLUMNS = 10, AGENT_COLUMNS = 12, FIXED_COLUMNS = 73 };

void past_call_row(const struct job *job, unsigned width, struct str *out)
{
	STR_AUTO struct str outcome = STR_INIT, text = STR_INIT;
	char wall[32];

	clock_format_utc(job->received_wall_ms, wall);
	wall[10] = ' ';
	wall[19] = '\0';
	past_call_outcome(job, &outcome);
	str_printf(out, "#%-5" PRIu64 "  %s  ", job->seq, wall);
	add_field(str_c(&outcome), OUTCOME_COLUMNS, out);
	add_field(job->backend == BACKEND_AUTO ? NULL : backend_id_name(job->backend),
		BACKEND_COLUMNS, out);
	add_field(job->agent, AGENT_COLUMNS, out);
	if (job->command != NULL)
		str_add(&text, job->command);
	else if (job->raw != NULL)
		past_raw(job->raw, &text);
	add_cut(str_c(&text), text.len, width > FIXED_COLUMNS + 20 ? width - FIXED_COLUMNS : 20,
		out);
	str_add_char(out, '\n');
}

void past_rows_add(struct past_rows *rows, uint64_t seq, char *text)
{
	mem_grow(&rows->items, &rows->cap, rows->count, sizeof(*rows->items));
	rows->items[rows->count++] = (struct past_row){seq, text};
}

static int compare_rows(const void *a, const void *b)
{
	const struct past_row *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

void past_rows_sort(struct past_rows *rows)
{
	if (rows->count > 0)
		qsort(rows->items, rows->count, sizeof(*rows->items), compare_rows);
}

void past_rows_release(struct past_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->items[i].text);
	free(rows->items);
	*rows = (struct past_rows){0};
}
