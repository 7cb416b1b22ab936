#include "config.h"

#include "app/export.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

/* RFC 4180, each field in quotes. A spreadsheet takes a field for a formula that begins with = + - @ or a full-width form of them;
   one whose separator is a semicolon or a tab finds fields inside of ours. Such a sign gets an apostrophe before it: the file is for
   reading, the exact text is in the JSON export. */
static bool begins_formula(const char *text)
{
	static const char *const signs[] = {
		"=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (strncmp(text, signs[i], strlen(signs[i])) == 0)
			return true;
	}
	return false;
}

static void add_safe(const char *shown, struct str *out)
{
	bool start =
		true; /* of what somebody could take for a field: nothing but blanks and quotes so far */

	for (const char *at = shown; *at != '\0'; at++) {
		if (start && begins_formula(at))
			str_add_char(out, '\'');
		if (strchr(";\t,|", *at) != NULL)
			start = true;
		else if (strchr(" \"'", *at) == NULL)
			start = false;
		if (*at == '"')
			str_add_char(out, '"');
		str_add_char(out, *at);
	}
}

static void shown_field(struct str *out, const struct str *bytes)
{
	STR_AUTO struct str shown = STR_INIT;

	text_escape(str_c(bytes), bytes->len, 0, &shown);
	str_add(out, out->len > 0 ? ",\"" : "\"");
	add_safe(str_c(&shown), out);
	str_add_char(out, '"');
}

static void field(struct export *e, struct str *out, const char *text)
{
	STR_AUTO struct str masked = STR_INIT;

	mask_text(&e->mask, text, &masked);
	shown_field(out, &masked);
}

static void raw_field(struct export *e, struct str *out, const char *raw)
{
	STR_AUTO struct str masked = STR_INIT, bytes = STR_INIT;

	mask_text(&e->mask, raw, &masked);
	past_raw(str_c(&masked), &bytes);
	shown_field(out, &bytes);
}

static void number(struct str *out, int64_t value, bool known)
{
	if (known)
		str_printf(out, ",\"%" PRId64 "\"", value);
	else
		str_add(out, ",\"\"");
}

static void time_field(struct str *out, int64_t wall_ms, bool known)
{
	char buf[32];

	clock_format_utc(wall_ms, buf);
	str_printf(out, ",\"%s\"", known ? buf : "");
}

static void csv_begin(struct export *e)
{
	export_add(e,
		"session,call,received,agent,command,state,decision,decided_by,decided,"
		"decision_text,rows_seen,rows_total,backend,network,reason,sentence,exit_code,"
		"signal,duration_ms,output_bytes\r\n");
}

static void add_decision(struct export *e, const struct job *job, struct str *row)
{
	bool decided = job->decision != DECISION_NONE;

	field(e, row, job_state_name(job->state));
	field(e, row, decided ? decision_name(job->decision) : "");
	field(e, row, decided ? decider_name(job->decided_by) : "");
	time_field(row, job->decided_wall_ms, job->decided_at_ms >= 0);
	field(e, row, job->decision_text);
	number(row, job->rows_seen, job->rows_total > 0);
	number(row, job->rows_total, job->rows_total > 0);
}

static void csv_call(struct export *e, const struct job *job)
{
	STR_AUTO struct str row = STR_INIT;

	field(e, &row, e->session);
	number(&row, (int64_t)job->seq, true);
	time_field(&row, job->received_wall_ms, true);
	field(e, &row, job->agent);
	if (job->command != NULL)
		field(e, &row, job->command);
	else
		raw_field(e, &row, job->raw);
	add_decision(e, job, &row);
	field(e, &row, job->backend == BACKEND_AUTO ? "" : backend_id_name(job->backend));
	field(e, &row, job->card == NULL ? "" : card_network_name(job->card->network));
	field(e, &row, job_is_over(job->state) ? reason_name(job->reason) : "");
	field(e, &row, job->sentence);
	number(&row, job->exit_code, job->exit_code >= 0);
	number(&row, job->signal, job->signal > 0);
	number(&row, job->duration_ms, job->duration_ms >= 0);
	number(&row, (int64_t)job->output_bytes, true);
	str_add(&row, "\r\n");
	past_rows_add(&e->rows, job->seq, str_steal(&row));
}

static void csv_event(struct export *e, const struct event *event, const struct model *model)
{
	(void)model;
	mask_learn(&e->mask, event);
}

static void csv_end(struct export *e, const struct past_end *end, const struct model *model)
{
	(void)model;
	past_rows_sort(&e->rows);
	for (size_t i = 0; i < e->rows.count; i++)
		export_add(e, e->rows.items[i].text);
	if (end->broken == NULL)
		return;
	STR_AUTO struct str row = STR_INIT;
	MEM_AUTO char *words = mem_printf("the record is broken here: %s", end->broken);

	field(e, &row, e->session);
	str_add(&row, ",\"\",\"\",\"\"");
	field(e, &row, words);
	for (int i = 0; i < 15; i++)
		str_add(&row, ",\"\"");
	str_add(&row, "\r\n");
	export_add(e, str_c(&row));
}

const struct export_format export_csv = {
	.name = "csv", .begin = csv_begin, .event = csv_event, .call = csv_call, .end = csv_end};
