#include "config.h"

#include "tui/layout_outcome.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/words.h"
#include "core/limits.h"
#include "tui/edge.h"
#include "tui/fit.h"
#include "tui/layout.h"
#include "tui/layout_fact.h"
#include "tui/view_words.h"

#define QUOTE_COLUMNS 66u /* of the output's last lines: a row of the narrowest full card */

static void add_blank(struct facts *facts)
{
	fact_line(facts_add(facts, ""));
}

static void add_ended(struct facts *facts, const struct job *job)
{
	struct line *line =
		fact_line(facts_add(facts, job->state == JOB_LOST ? N_("lost") : N_("ended")));
	STR_AUTO struct str words = STR_INIT;

	words_outcome(job, &words);
	if (job->reason == REASON_NONE || job->reason == REASON_EXIT_STATUS) {
		line_add(line, SPAN_OURS, _("by itself: %s"), str_c(&words));
		return;
	}
	if (job->sentence == NULL) {
		line_add(line, SPAN_OURS, "%s", str_c(&words));
		return;
	}
	MEM_AUTO char *first = mem_strndup(job->sentence, strcspn(job->sentence, ";"));
	str_add(&words, ": ");
	edge_words(first, &words);
	line_add(line, SPAN_OURS, "%s", str_c(&words));
}

static void add_notes(struct facts *facts, const struct job *job)
{
	if (job->notes & NOTE_BIT(NOTE_BACKGROUND_ENDED))
		line_add(fact_line(facts_add(facts, "")), SPAN_OURS,
			_("what it left in the background was ended with it"));
	for (size_t i = 0; i < job->git_changed.count; i++) {
		struct line *line = fact_line(facts_add(facts, ""));

		line_add(line, SPAN_RISK, _("!git changed: "));
		line_add(line, SPAN_FOREIGN, "%s", job->git_changed.items[i]);
	}
}

static const char *advice_of(const struct job *job)
{
	if (job->reason == REASON_EXIT_STATUS)
		return N_("its output says why: 3 shows it");
	return job->reason != REASON_SIGNALED ? words_advice(job->sentence) : NULL;
}

static void add_advice(struct facts *facts, const struct job *job)
{
	const char *advice = advice_of(job);
	STR_AUTO struct str words = STR_INIT;

	if (advice == NULL)
		return;
	edge_words(advice, &words);
	line_add(fact_line(facts_add(facts, N_("what now"))), SPAN_OURS, "%s", str_c(&words));
}

static void add_used_line(struct fact *fact, const char *name, const struct str *figure,
	const char *other_name, const struct str *other)
{
	STR_AUTO struct str text = STR_INIT;

	fit_pad(name, 11, &text);
	fit_pad(str_c(figure), 20, &text);
	fit_pad(other_name, 8, &text);
	line_add(fact_line(fact), SPAN_OURS, "%s%s", str_c(&text), str_c(other));
}

static void add_used(struct facts *facts, const struct job *job)
{
	const struct job_usage *used = &job->used;
	struct fact *fact = facts_add(facts, N_("used"));
	STR_AUTO struct str time = STR_INIT;
	STR_AUTO struct str cpu = STR_INIT;
	STR_AUTO struct str memory = STR_INIT;
	STR_AUTO struct str size = STR_INIT;
	STR_AUTO struct str processes = STR_INIT;

	words_ran(job, &time);
	if (used->cpu_ms < 0)
		str_add(&cpu, _("not measured"));
	else
		words_took(used->cpu_ms, &cpu);
	words_memory(used->memory_peak, used->memory_limit, &memory);
	words_size(job->output_bytes, &size);
	str_add(&size, _(" of "));
	words_size(LIMIT_OUTPUT_BYTES, &size);
	words_processes(used->processes_peak, used->processes_limit, &processes);
	add_used_line(fact, _("time"), &time, _("CPU"), &cpu);
	add_used_line(fact, _("memory"), &memory, _("output"), &size);
	STR_AUTO struct str last = STR_INIT;
	fit_pad(_("processes"), 11, &last);
	line_add(fact_line(fact), SPAN_OURS, "%s%s", str_c(&last), str_c(&processes));
}

static void add_quotes(struct fact *fact, const struct job *job, bool ascii)
{
	const struct output_look look = {.width = QUOTE_COLUMNS, .ascii = ascii};
	size_t total = layout_output_rows(job, &look);
	struct rows rows;

	layout_output_part(job, &look, total > 2 ? total - 2 : 0, 2, &rows);
	for (size_t i = 0; i < rows.count; i++) {
		struct line *line = fact_line(fact);

		/* The first column is the blank before an output. */
		for (size_t n = 0; n < rows.items[i].count; n++)
			line_add(line, SPAN_OURS, "%s", rows.items[i].segments[n].text + (n == 0));
	}
	rows_release(&rows);
}

static void add_output(struct facts *facts, const struct job *job, bool ascii)
{
	struct fact *fact = facts_add(facts, N_("output"));
	struct line *line = fact_line(fact);
	STR_AUTO struct str words = STR_INIT;
	bool open = job->output.len > 0 && job->output.data[job->output.len - 1] != '\n';
	uint64_t lines = job->output_lines + open;

	if (job->output_unrecorded > 0) {
		words_size(job->output_unrecorded, &words);
		str_add(&words, _(", not recorded"));
		line_add(line, SPAN_OURS, "%s", str_c(&words));
		return;
	}
	if (job->forgotten && job->output_bytes > 0) {
		line_add(line, SPAN_OURS, _("in the record alone"));
		return;
	}
	if (job->output.len == 0) {
		line_add(line, SPAN_OURS, _("none"));
		return;
	}
	words_number(lines, "line", &words);
	str_add(&words, lines > 2 ? _(", the last two:") : ":");
	if (job->output_dropped > 0) {
		str_add(&words, " (");
		words_size(job->output_dropped, &words);
		str_add(&words, _(" behind the cap were dropped)"));
	}
	line_add(line, SPAN_OURS, "%s", str_c(&words));
	add_quotes(fact, job, ascii);
}

static void add_decided(struct facts *facts, const struct job *job)
{
	STR_AUTO struct str words = STR_INIT;

	if (job->decision == DECISION_NONE)
		return;
	words_decided(job, &words);
	if (job->decided_by == DECIDER_OPERATOR && job->decided_at_ms >= 0) {
		str_add(&words, _(" after "));
		words_waited(job->decided_at_ms - job->received_at_ms, &words);
	}
	if (job->rows_total > 0)
		str_printf(&words, _(", %u of %u lines seen"), job->rows_seen, job->rows_total);
	if (job->grant != 0)
		str_printf(&words, _(", given on #%" PRIu64), job->grant_seq);
	if (job->grant_given != 0)
		str_printf(&words, _("; gave grant %" PRIu64), job->grant_given);
	line_add(fact_line(facts_add(facts, N_("decided"))), SPAN_OURS, "%s", str_c(&words));
	if (job->decision_text == NULL || job->decision_text[0] == '\0')
		return;
	line_add(fact_line(facts_add(facts, N_("you said"))), SPAN_OURS, "\"%s\"",
		job->decision_text);
}

/* What stands above is what ran, or would have run. */
static void add_edited(struct facts *facts, const struct job *job)
{
	char at[16];

	if (job->card == NULL || job->card->asked == NULL)
		return;
	clock_format_hms(job->edited_wall_ms, at);
	struct fact *fact = facts_add(facts, N_("edited"));
	line_add(fact_line(fact), SPAN_OURS, _("by you at %s; asked for was:"), at);
	line_add(fact_line(fact), SPAN_FOREIGN, "%s", job->card->asked);
}

static void add_answered(struct facts *facts, const struct job *job)
{
	struct line *line = fact_line(facts_add(facts, N_("answered")));

	if (!job->answered) {
		line_add(line, SPAN_OURS, _("not yet"));
		return;
	}
	line_add(line, SPAN_OURS, _("%s; success %s"),
		job->reason == REASON_NONE ? _("no error") : reason_name(job->reason),
		job->reason == REASON_NONE ? "true" : "false");
	if (job->started_at_ms < 0)
		return;
	if (job->exit_code >= 0)
		line_add(line, SPAN_OURS, _(", exit %d"), job->exit_code);
	else
		line_add(line, SPAN_OURS, _(", exit none"));
	if (job->signal > 0)
		line_add(line, SPAN_OURS, _(", signal %d"), job->signal);
	if (!job->delivered)
		line_add(line, SPAN_RISK, _(", !nobody was there to read it"));
}

void forgotten_facts(const struct job *job, struct facts *facts)
{
	if (!job->forgotten)
		return;
	add_blank(facts);
	line_add(fact_line(facts_add(facts, N_("kept"))), SPAN_OURS,
		_("its card, its output and what is long of its text are in the record alone"));
}

void outcome_facts(const struct job *job, bool ascii, struct facts *ret)
{
	bool ran = job->started_at_ms >= 0;

	if (job->state != JOB_REJECTED) {
		add_ended(ret, job);
		add_notes(ret, job);
		add_advice(ret, job);
		add_blank(ret);
	}
	if (ran) {
		add_used(ret, job);
		add_output(ret, job, ascii);
		add_blank(ret);
	}
	add_edited(ret, job);
	add_decided(ret, job);
	add_answered(ret, job);
	line_add(fact_line(facts_add(ret, N_("record"))), SPAN_OURS,
		_("events %" PRIu64 " to %" PRIu64), job->first_event, job->last_event);
	forgotten_facts(job, ret);
}
