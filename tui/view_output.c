#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "core/limits.h"
#include "tui/seek.h"
#include "tui/view.h"
#include "tui/view_card.h"
#include "tui/view_words.h"

#define COMMAND_ROW 2u
#define USED_ROW 3u

static void draw_command(const struct screen *s)
{
	const struct card *card = s->job->card;
	STR_AUTO struct str command = STR_INIT;
	enum style network_style = STYLE_PLAIN, sandbox_style = STYLE_PLAIN;
	const char *network = card != NULL ? network_words(card, &network_style) : "-";
	const char *sandbox = card != NULL ? sandbox_words(card, &sandbox_style) : "-";
	unsigned right = text_columns(_("network ")) + 3 + text_columns(_("sandbox ")) +
			 text_columns(network) + text_columns(sandbox);
	unsigned col = s->frame->cols - right;

	words_command(s->job, col - 3, s->ui->ascii, &command);
	draw_text(s, 1, COMMAND_ROW, STYLE_PLAIN, str_c(&command));
	col += draw_text(s, col, COMMAND_ROW, STYLE_RULE, _("network "));
	col += draw_text(s, col, COMMAND_ROW, network_style, network) + 3;
	col += draw_text(s, col, COMMAND_ROW, STYLE_RULE, _("sandbox "));
	draw_text(s, col, COMMAND_ROW, sandbox_style, sandbox);
}

/* The first word about it comes after a second. */
static bool is_measured(const struct job *job)
{
	return job->used.cpu_ms >= 0 && (!job_is_running(job) || job->used.cpu_percent >= 0);
}

/* What it uses now; when it has ended, what it used at most. */
static void add_figures(const struct job *job, struct str *out)
{
	const struct job_usage *used = &job->used;
	bool running = job_is_running(job);

	str_add(out, _("   CPU "));
	if (running)
		str_printf(out, "%" PRId64 " %%", used->cpu_percent);
	else
		words_took(used->cpu_ms, out);
	str_add(out, _("   memory "));
	words_memory(running ? used->memory : used->memory_peak, used->memory_limit, out);
	str_add(out, _("   processes "));
	words_processes(
		running ? used->processes : used->processes_peak, used->processes_limit, out);
}

static void draw_used(const struct screen *s)
{
	const struct job *job = s->job;
	STR_AUTO struct str text = STR_INIT;

	if (job->started_at_ms < 0) {
		draw_rule(s, USED_ROW, STYLE_PLAIN, _("no output"), "┐");
		return;
	}
	str_add(&text, _("out "));
	words_size(job->output_bytes, &text);
	str_add(&text, _(" of "));
	words_size(LIMIT_OUTPUT_BYTES, &text);
	if (is_measured(job)) {
		add_figures(job, &text);
		draw_rule(s, USED_ROW, STYLE_PLAIN, str_c(&text), "┐");
		return;
	}
	str_add(&text, _("   time "));
	if (job_is_running(job))
		words_running(job, s->now_ms, &text);
	else
		words_ran(job, &text);
	draw_rule(s, USED_ROW, STYLE_PLAIN, str_c(&text), "┐");
}

/* Does it follow, what is below, how it ended. */
static void below_words(const struct screen *s, size_t below, size_t total, struct str *out)
{
	bool running = job_is_running(s->job);

	if (below > 0) {
		words_count(below, out);
		str_printf(out, _("%s%s below"), running ? _(" new") : "",
			below == 1 ? _(" line") : _(" lines"));
	} else if (running && s->ui->following) {
		if (s->pane)
			str_printf(out, _("following, line %zu"), total);
		else
			str_add(out, _("following: new lines appear at the end"));
	} else if (running) {
		say_keyed(s, _("at the end; G follows again"), ACTION_LAST, out);
	} else {
		words_head(s->job, out);
	}
}

/* The rule below. */
static void foot_words(
	const struct screen *s, size_t top, unsigned body, size_t total, struct str *out)
{
	const struct job *job = s->job;

	below_words(s, total > top + body ? total - top - body : 0, total, out);
	if (s->ui->unfold && s->ui->pan > 0)
		str_printf(
			out, _("%sfrom column %zu on"), out->len > 0 ? "   " : "", s->ui->pan + 1);
	if (job->output_dropped > 0) {
		str_add(out, out->len > 0 ? "   " : "");
		words_size(job->output_dropped, out);
		str_add(out, _(" behind the cap were dropped"));
	}
}

static void draw_nothing(const struct screen *s)
{
	STR_AUTO struct str shown = STR_INIT;
	const char *text = _("There is no output yet.");

	if (s->job == NULL && s->pane)
		text = _("Nothing has run yet: the output of the next command appears here.");
	else if (s->job == NULL)
		text = _("No call is open: 1 shows the queue.");
	else if (s->job->started_at_ms < 0)
		text = job_is_over(s->job->state) ? _("It did not start, so there is no output.")
						  : _("It has not started yet.");
	else if (s->job->output_unrecorded > 0)
		text = _("Its output was not recorded: the record holds sizes and digests only.");
	else if (s->job->forgotten && s->job->output_bytes > 0)
		text = _("Its output is kept in the record alone.");
	else if (!job_is_running(s->job))
		text = _("It ended without any output.");
	say_keyed(s, text, ACTION_VIEW_QUEUE, &shown);
	draw_text(s, 1, CARD_HEAD_ROWS, STYLE_QUIET, str_c(&shown));
}

void draw_output(const struct screen *s)
{
	unsigned body = s->frame->rows - CARD_HEAD_ROWS - FOOT_ROWS;
	struct output_look look = view_output_look(s->ui);
	struct seek seek;
	STR_AUTO struct str right = STR_INIT;
	STR_AUTO struct str foot = STR_INIT;
	struct rows rows = {0};
	size_t total = 0, top = s->ui->output_top;

	seek_begin(&seek, s->ui->find);
	look.seek = seek.bytes.len > 0 ? &seek : NULL;
	if (s->job != NULL) {
		total = layout_output_window(s->job, &look, s->ui->following, body, &top, &rows);
		lines_words(top, body, total, &right);
		if (!s->pane) {
			draw_who(s, s->job, total > 0 ? str_c(&right) : "");
			draw_command(s);
			draw_used(s);
		}
		foot_words(s, top, body, total, &foot);
	} else {
		draw_rule(s, USED_ROW, STYLE_RULE, NULL, "┐");
	}
	if (total == 0)
		draw_nothing(s);
	draw_rows(s, CARD_HEAD_ROWS, body, &rows, 0);
	draw_list_bar(s, CARD_HEAD_ROWS, body, top, total);
	draw_rule(s, CARD_HEAD_ROWS + body, STYLE_PLAIN, str_c(&foot), "┘");
	seek_release(&seek);
	rows_release(&rows);
}
