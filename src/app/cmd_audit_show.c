#include "config.h"

#include "app/cmd_audit.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app/cmd.h"
#include "app/past_call.h"
#include "app/past_event.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

struct show {
	uint64_t seq; /* 0: the session */
	bool json, found;
	const char *session;
	struct str events; /* JSON, with commas between */
	struct str text;
	struct past_rows rows;
};

static int usage(void)
{
	fputs("usage: exequatur audit show [--json] [-c FILE] CALL|SESSION|FILE\n"
	      "       a call: SESSION#NUMBER, or NUMBER in the newest session\n",
		stderr);
	return EXIT_USAGE;
}

static int take_event(
	void *data, const struct event *event, const struct model *model, struct err *err)
{
	struct show *show = data;
	JSON_AUTO struct json *whole = NULL;

	(void)err;
	if (event->seq != show->seq)
		return 0;
	if (show->events.len > 0)
		str_add_char(&show->events, ',');
	whole = past_event_whole(event, model);
	past_event_print(event, whole != NULL ? whole : event->fields, &show->events);
	return 0;
}

static void field(struct show *show, const char *label, const char *text)
{
	if (text == NULL)
		return;
	str_printf(&show->text, "%-9s ", label);
	audit_foreign(text, &show->text);
	str_add_char(&show->text, '\n');
}

static void lines(struct show *show, const char *label, const char *text)
{
	if (text == NULL)
		return;
	str_printf(&show->text, "%s\n", label);
	audit_foreign_lines(text, strlen(text), TEXT_LINES, &show->text);
}

static void add_raw(struct show *show, const char *raw)
{
	STR_AUTO struct str bytes = STR_INIT;

	past_raw(raw, &bytes);
	str_add(&show->text, "no call\n");
	audit_foreign_lines(str_c(&bytes), bytes.len, TEXT_LINES, &show->text);
}

/* Our own words stand bare with the blanks that they have, what is the agent's in quotes. */
static void add_span(const struct span *span, struct str *out)
{
	bool quoted = span->kind == SPAN_AGENT;
	bool ours = !quoted && span->kind != SPAN_FOREIGN;

	str_add(out, quoted ? "\"" : "");
	text_escape(span->text, strlen(span->text), text_locale_flags() | (ours ? TEXT_OUTPUT : 0),
		out);
	str_add(out, quoted ? "\"" : "");
}

static void add_fact(struct show *show, const struct fact *fact)
{
	for (size_t i = 0; i < fact->count; i++) {
		const struct line *line = &fact->lines[i];

		str_printf(&show->text, "  %-10s  ", i == 0 ? fact->label : "");
		for (size_t s = 0; s < line->count; s++)
			add_span(&line->spans[s], &show->text);
		str_add_char(&show->text, '\n');
	}
}

static void add_card(struct show *show, const struct card *card)
{
	char hex[DIGEST_HEX_BYTES];

	if (card == NULL)
		return;
	digest_hex(&card->digest, hex);
	field(show, "card", hex);
	for (size_t i = 0; i < card->unusual.count; i++) {
		const struct unusual *note = &card->unusual.items[i];

		str_printf(&show->text, "  %s line %u %s",
			note->severity == SEVERITY_DANGER ? "!!" : "!", note->line, note->what);
		if (note->words != NULL) {
			str_add(&show->text, ": ");
			audit_foreign(note->words, &show->text);
		}
		str_add_char(&show->text, '\n');
	}
	for (size_t i = 0; i < card->facts.count; i++)
		add_fact(show, &card->facts.items[i]);
}

static void add_decision(struct show *show, const struct job *job)
{
	char wall[32];

	if (job->decision == DECISION_NONE)
		return;
	str_printf(&show->text, "decision  %s by %s", decision_name(job->decision),
		decider_name(job->decided_by));
	if (job->decided_at_ms >= 0) {
		clock_format_utc(job->decided_wall_ms, wall);
		str_printf(&show->text, ", %s, %" PRId64 " ms after it came", wall,
			job->decided_at_ms - job->received_at_ms);
	}
	str_add_char(&show->text, '\n');
	if (job->rows_total > 0)
		str_printf(&show->text,
			"seen      %u of %u lines of the card stood on the screen\n",
			job->rows_seen, job->rows_total);
	field(show, "because", job->decision_text);
}

static void add_outcome(struct show *show, const struct job *job)
{
	STR_AUTO struct str outcome = STR_INIT;

	past_call_outcome(job, &outcome);
	if (job->duration_ms >= 0)
		str_printf(&outcome, " after %" PRId64 " ms", job->duration_ms);
	field(show, "outcome", str_c(&outcome));
	field(show, "sentence", job->sentence);
	if (job->backend != BACKEND_AUTO)
		field(show, "backend", backend_id_name(job->backend));
	for (int i = 0; i < NOTE_COUNT; i++) {
		if ((job->notes & NOTE_BIT(i)) != 0)
			field(show, "note", note_name((enum note)i));
	}
	for (size_t i = 0; i < job->git_changed.count; i++)
		field(show, "git", job->git_changed.items[i]);
	str_printf(&show->text, "output    %" PRIu64 " bytes%s\n", job->output_bytes,
		job->output_unrecorded > 0 ? ", not recorded" : "");
	if (job->output.len > 0)
		audit_foreign_lines(
			job->output.data, job->output.len, TEXT_LINES | TEXT_OUTPUT, &show->text);
}

static void add_call(struct show *show, const struct job *job, const struct model *model)
{
	const struct peer *peer = model_peer(model, job->peer);
	char wall[32];

	clock_format_utc(job->received_wall_ms, wall);
	str_printf(&show->text, "call      #%" PRIu64 " of ", job->seq);
	audit_foreign(show->session, &show->text);
	str_printf(&show->text, "\nreceived  %s, %s, line %" PRIu64 "\n", wall,
		peer == NULL ? "a sender that left" : peer_kind_name(peer->kind), job->line_no);
	field(show, "id", job->id_text);
	field(show, "agent", job->agent);
	field(show, "it says", job->agent_reason);
	if (job->card != NULL)
		lines(show, "asked", job->card->asked);
	lines(show, "command", job->command);
	if (job->raw != NULL)
		add_raw(show, job->raw);
	add_card(show, job->card);
	add_decision(show, job);
	add_outcome(show, job);
}

static void add_call_json(struct show *show, const struct job *job)
{
	JSON_AUTO struct json *v = past_call_json(job, show->session);

	json_set(v, "output", event_output_fields(str_c(&job->output), job->output.len));
	json_print(v, true, &show->text);
	str_truncate(&show->text, show->text.len - 1);
	str_printf(&show->text, ",\"events\":[%s]}\n", str_c(&show->events));
}

static int take_call(void *data, const struct job *job, const struct model *model, struct err *err)
{
	struct show *show = data;
	STR_AUTO struct str row = STR_INIT;

	(void)err;
	if (show->seq == job->seq) {
		show->found = true;
		if (show->json)
			add_call_json(show, job);
		else
			add_call(show, job, model);
		return 1;
	}
	if (show->seq != 0)
		return 0;
	if (show->json) {
		JSON_AUTO struct json *v = past_call_json(job, show->session);

		json_print(v, true, &row);
	} else {
		str_add(&row, "  ");
		past_call_row(job, audit_columns() - 2, &row);
	}
	past_rows_add(&show->rows, job->seq, str_steal(&row));
	return 0;
}

static void add_session_facts(
	struct show *show, const struct past_end *end, const struct model *model)
{
	char from[32], to[32];

	clock_format_utc(end->start_wall_ms, from);
	clock_format_utc(end->last_wall_ms, to);
	field(show, "session", end->session);
	field(show, "began", from);
	field(show, "last", to);
	field(show, "ending", past_ending_name(end->ending));
	field(show, "version", model->version);
	field(show, "host", model->host);
	field(show, "user", model->user);
	field(show, "workspace", model->workspace);
	field(show, "backend", model->backend_title);
	field(show, "before", model->found_open);
	str_printf(&show->text, "record    %" PRIu64 " events, %" PRIu64 " calls\n", end->events,
		end->calls);
}

static void add_session(struct show *show, const struct past_end *end, const struct model *model)
{
	JSON_AUTO struct json *v = audit_session_json(end, model);

	past_rows_sort(&show->rows);
	if (show->json) {
		json_print(v, true, &show->text);
		str_truncate(&show->text, show->text.len - 1);
		str_add(&show->text, ",\"list\":[");
	} else {
		add_session_facts(show, end, model);
	}
	for (size_t i = 0; i < show->rows.count; i++) {
		if (show->json && i > 0)
			str_add_char(&show->text, ',');
		str_add(&show->text, show->rows.items[i].text);
	}
	str_add(&show->text, show->json ? "]}\n" : "");
	show->found = true;
}

static int show_path(struct show *show, const char *path, struct err *err)
{
	const struct past_visitor visitor = {.data = show,
		.event = show->json && show->seq != 0 ? take_event : NULL,
		.call = take_call};
	struct model model;
	struct past_end end;
	MEM_AUTO char *session = past_session(path);

	show->session = session;
	int status = past_read(path, &visitor, &model, &end, err);

	if (status == 0 && show->seq == 0)
		add_session(show, &end, &model);
	audit_say_broken(&end);
	if (status == 0 && !show->found)
		log_warn("there is no call #%" PRIu64 " in %s", show->seq, session);
	bool broken = end.broken != NULL;

	past_end_release(&end);
	model_release(&model);
	if (status != 0)
		return EXIT_USAGE;
	if (broken)
		return EXIT_ALTERED;
	return show->found ? 0 : EXIT_USAGE;
}

static int parse(int argc, char **argv, struct show *show, const char **ret_config)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"json", no_argument, NULL, 'j'},
		{NULL, 0, NULL, 0},
	};
	int opt;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "c:", options, NULL)) != -1) {
		if (opt == 'c')
			*ret_config = optarg;
		else if (opt == 'j')
			show->json = true;
		else
			return usage();
	}
	return optind == argc - 1 ? 0 : usage();
}

int cmd_audit_show(int argc, char **argv)
{
	struct show show = {0};
	struct err err = ERR_INIT;
	const char *config = NULL;
	MEM_AUTO char *path = NULL;
	int status = parse(argc, argv, &show, &config);

	if (status != 0)
		return status;
	if (past_find(config, argv[optind], &path, &show.seq, &err) == 0)
		status = show_path(&show, path, &err);
	else
		status = EXIT_USAGE;
	if (err.code != ERR_NONE)
		log_warn("%s", err.text);
	fputs(str_c(&show.text), stdout);
	past_rows_release(&show.rows);
	str_release(&show.events);
	str_release(&show.text);
	return fflush(stdout) != 0 ? EXIT_RUNTIME : status;
}
