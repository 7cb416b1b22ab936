#include "config.h"

#include "base/words.h"
#include "tui/view_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/result.h"
#include "tui/view_words.h"

#define TEXT_COLUMN 12u

/* The selected call in short: a row a fact, cut where it does not fit; the card has all of it. */
struct brief {
	const struct screen *s;
	const struct job *job;
	unsigned row, end, col;
};

static bool label(struct brief *b, const char *name)
{
	if (b->row >= b->end)
		return false;
	draw_text(b->s, 1, b->row, STYLE_RULE, name);
	b->col = TEXT_COLUMN;
	return true;
}

static unsigned room(const struct brief *b)
{
	return b->s->frame->cols - 2 > b->col ? b->s->frame->cols - 2 - b->col : 0;
}

static void put_ours(struct brief *b, enum style style, const char *text)
{
	STR_AUTO struct str shown = STR_INIT;

	words_shown(text, room(b), &shown);
	b->col += draw_text(b->s, b->col, b->row, style, str_c(&shown));
}

static void put_foreign(struct brief *b, enum style style, const char *text)
{
	if (room(b) > 1) {
		put_ours(b, STYLE_PLAIN, "\"");
		b->col += draw_field(b->s, b->col, b->row, room(b) - 1, style, text);
		put_ours(b, STYLE_PLAIN, "\"");
	}
}

static void put_clock(struct brief *b, int64_t wall_ms)
{
	char at[16];

	clock_format_hms(wall_ms, at);
	put_ours(b, STYLE_PLAIN, at);
}

static void put_command(struct brief *b)
{
	STR_AUTO struct str text = STR_INIT;

	if (!label(b, b->job->command != NULL ? _("command") : _("line")))
		return;
	words_command(b->job, room(b), b->s->ui->ascii, &text);
	draw_text(b->s, b->col, b->row++, STYLE_PLAIN, str_c(&text));
}

static void put_asked(struct brief *b)
{
	if (!label(b, _("asked")))
		return;
	put_clock(b, b->job->received_wall_ms);
	if (b->job->agent != NULL) {
		put_ours(b, STYLE_PLAIN, _(" by "));
		put_foreign(b, STYLE_AGENT, b->job->agent);
	}
	if (b->job->agent_reason != NULL) {
		put_ours(b, STYLE_PLAIN, _(", who says "));
		put_foreign(b, STYLE_AGENT, b->job->agent_reason);
	}
	b->row++;
}

/* "by you after 22 s with 13 of 13 lines seen: rejected". */
static void decided_words(const struct job *job, struct str *out)
{
	static const char *const by[DECIDER_COUNT] = {
		[DECIDER_NONE] = N_("by nobody"),
		[DECIDER_OPERATOR] = N_("by you"),
		[DECIDER_GRANT] = N_("by grant"),
		[DECIDER_POLICY] = N_("by policy"),
		[DECIDER_DEADLINE] = N_("by nobody"),
		[DECIDER_AGENT] = N_("by the agent"),
		[DECIDER_CONSOLE] = N_("by the console"),
	};
	int64_t at_ms = job->decided_at_ms >= 0 ? job->decided_at_ms : job->ended_at_ms;

	str_add(out, _(by[job->decided_by]));
	if (job->decided_by == DECIDER_GRANT) {
		str_printf(out, _(" %u of %u, given on #%" PRIu64), job->grant_use,
			job->grant_times, job->grant_seq);
	} else if (job->decided_by != DECIDER_POLICY && job->decided_by != DECIDER_CONSOLE) {
		str_add(out, _(" after "));
		words_waited(at_ms - job->received_at_ms, out);
	}
	if (job->decided_by == DECIDER_OPERATOR && job->rows_total > 0)
		str_printf(out, _(" with %u of %u lines seen"), job->rows_seen, job->rows_total);
	str_printf(out, ": %s",
		job->decision == DECISION_NONE ? _("not decided")
					       : _(decision_name(job->decision)));
}

static void put_decided(struct brief *b)
{
	STR_AUTO struct str text = STR_INIT;
	int64_t at = b->job->decided_wall_ms > 0 ? b->job->decided_wall_ms : b->job->ended_wall_ms;

	if (!label(b, _("decided")))
		return;
	put_clock(b, at);
	put_ours(b, STYLE_PLAIN, " ");
	decided_words(b->job, &text);
	put_ours(b, STYLE_PLAIN, str_c(&text));
	b->row++;
}

static void put_ended(struct brief *b)
{
	const struct job *job = b->job;
	STR_AUTO struct str text = STR_INIT;

	if (!label(b, _("ended")))
		return;
	put_clock(b, job->ended_wall_ms);
	str_add_char(&text, ' ');
	words_outcome(job, &text);
	str_add(&text, _(" after "));
	words_took(job->duration_ms, &text);
	str_add(&text, ", ");
	words_size(job->output_bytes, &text);
	str_add(&text, _(" of output"));
	put_ours(b, STYLE_PLAIN, str_c(&text));
	b->row++;
}

/* What was said to it: by the person, or why it was refused. */
static void put_said(struct brief *b)
{
	const struct job *job = b->job;
	bool person = job->decision_text != NULL;

	if (!person && (job->sentence == NULL || job->state == JOB_ENDED))
		return;
	if (!label(b, person ? _("you said") : _("why")))
		return;
	if (person)
		put_foreign(b, STYLE_PLAIN, job->decision_text);
	else
		draw_field(b->s, b->col, b->row, room(b), STYLE_PLAIN, job->sentence);
	b->row++;
}

static void put_answered(struct brief *b)
{
	STR_AUTO struct str text = STR_INIT;

	if (!label(b, _("answered")))
		return;
	put_clock(b, b->job->ended_wall_ms);
	if (!b->job->answered)
		str_add(&text, _(" not yet"));
	else
		str_printf(&text, " %s",
			b->job->reason == REASON_NONE ? _("success") : reason_name(b->job->reason));
	put_ours(b, STYLE_PLAIN, str_c(&text));
	b->row++;
}

static void put_record(struct brief *b)
{
	STR_AUTO struct str text = STR_INIT;

	if (!label(b, _("record")))
		return;
	str_printf(&text, _("events %" PRIu64 " to %" PRIu64 "%s"), b->job->first_event,
		b->job->last_event,
		b->job->forgotten ? _("; card and output are there alone") : "");
	put_ours(b, STYLE_PLAIN, str_c(&text));
	b->row++;
}

void draw_call_in_short(const struct screen *s, const struct job *job, unsigned row, unsigned end)
{
	struct brief b = {.s = s, .job = job, .row = row, .end = end};
	char head[64];

	if (row >= end)
		return;
	snprintf(head, sizeof(head), _("#%" PRIu64 " in short"), job->seq);
	draw_text(s, 1, b.row++, STYLE_KEY, head);
	put_command(&b);
	put_asked(&b);
	put_decided(&b);
	if (job->started_at_ms >= 0)
		put_ended(&b);
	put_said(&b);
	put_answered(&b);
	put_record(&b);
}

void draw_filter_help(const struct screen *s, unsigned row, unsigned end)
{
	static const char *const rows[][2] = {
		{"curl jq", N_("both, in the command, its agent or its end")},
		{"agent:bot", N_("the name of the agent has it")},
		{"since:14:20", N_("ended then or later, until:14:30 or earlier")},
		{"ended:limit", N_("its end has it: time limit, memory limit")},
		{"exit 2", N_("this end and no other; so is signal 9")},
		{"\"rm -r\"", N_("these words as they stand")},
	};
	struct brief b = {.s = s, .row = row, .end = end};

	if (row >= end)
		return;
	draw_text(s, 1, b.row++, STYLE_KEY, _("a filter is words; a call must have all of them"));
	for (size_t i = 0; i < ARRAY_LEN(rows) && b.row < end; i++, b.row++) {
		draw_text(s, 1, b.row, STYLE_KEY, rows[i][0]);
		b.col = TEXT_COLUMN + 3;
		put_ours(&b, STYLE_PLAIN, _(rows[i][1]));
	}
}
