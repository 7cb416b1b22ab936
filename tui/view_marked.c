#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "tui/marked.h"
#include "tui/view.h"
#include "tui/view_card.h"
#include "tui/view_gate.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define AGENT_COLUMNS 16u

/* The marked calls as one long card. */

/* "#16  pipeline   waits 9 s   left 4 min   network off   ! 1 unusual: ...": what of it has room. */
static void head_words(const struct screen *s, const struct job *job, struct str *out)
{
	enum style style;

	str_printf(out, "#%" PRIu64, job->seq);
	if (job->agent != NULL) {
		str_add(out, "  ");
		words_field(job->agent, AGENT_COLUMNS, s->ui->ascii, out);
	}
	if (job->state != JOB_WAITING || job->card == NULL) {
		str_printf(out, "   %s", _(job_state_name(job->state)));
		return;
	}
	str_add(out, _("   waits "));
	words_waited(s->now_ms - job->received_at_ms, out);
	if (job->deadline_at_ms >= 0) {
		str_add(out, _("   left "));
		words_left(job->deadline_at_ms - s->now_ms, out);
	}
	str_printf(out, _("   network %s"), network_words(job->card, &style));
	if (job->card->unusual.count == 0)
		return;
	str_add(out, "   ");
	unusual_row(&job->card->unusual, out);
}

static void put_head(const struct screen *s, unsigned row, const struct job *job)
{
	STR_AUTO struct str text = STR_INIT;
	bool note = job->card != NULL && job->card->unusual.count > 0;

	head_words(s, job, &text);
	draw_rule(s, row, note ? STYLE_NOTE : STYLE_KEY, str_c(&text), "┤");
}

static void put_row(const struct screen *s, unsigned at, const struct marked *marked, size_t row)
{
	const struct marked_part *head = marked_head(marked, row), *part;
	size_t index;

	part = marked_at(marked, row, &index);
	if (head != NULL)
		put_head(s, at, head->job);
	else if (part != NULL)
		draw_rows(s, at, 1, &part->rows, index);
}

/* What a row of the bar stands for: fog wins, so that none of it hides. */
static const char *bar_sign(const struct screen *s, const struct marked *marked, size_t top,
	unsigned count, unsigned at)
{
	size_t from = at * marked->total / count, to = (at + 1) * marked->total / count;
	bool shown = false;

	for (size_t row = from; row < to; row++) {
		bool here = row >= top && row < top + count;

		if (!here && marked_is_fog(s->ui, marked, row))
			return "░";
		shown = shown || here;
	}
	return shown ? "█" : "│";
}

static void draw_bar(
	const struct screen *s, const struct marked *marked, size_t top, unsigned count)
{
	for (unsigned i = 0; i < count && marked->total > count; i++)
		frame_put(s->frame, s->frame->cols - 1, LIST_HEAD_ROWS + i, 1, STYLE_RULE,
			bar_sign(s, marked, top, count, i));
}

void draw_marked(const struct screen *s)
{
	unsigned bottom = s->frame->rows - FOOT_ROWS;
	unsigned prompt = prompt_rows(s->ui, s->job), body = bottom - LIST_HEAD_ROWS - prompt;
	STR_AUTO struct str head = STR_INIT;
	struct marked marked;

	marked_make(s->ui, s->model, &marked);
	size_t top = marked_top(&marked, s->ui->marked_top, body);

	str_printf(&head, _("%u marked, decided together    "), marked.count);
	lines_words(top, body, marked.total, &head);
	draw_rule(s, LIST_HEAD_ROWS - 1, STYLE_KEY, str_c(&head), "┐");
	draw_edge(s, LIST_HEAD_ROWS, body);
	for (unsigned i = 0; i < body && top + i < marked.total; i++)
		put_row(s, LIST_HEAD_ROWS + i, &marked, top + i);
	draw_bar(s, &marked, top, body);
	if (prompt > 0)
		draw_prompt(s, LIST_HEAD_ROWS + body);
	draw_rule(s, bottom, STYLE_RULE, NULL, "┘");
	marked_release(&marked);
}

void gate_marks(const struct screen *s, struct gate_row *row)
{
	STR_AUTO struct str text = STR_INIT;

	row->head = _("approve off");
	str_printf(&text, _("%u marked: Enter shows them, one under another"), s->ui->mark_count);
	say_keyed(s, str_c(&text), ACTION_OPEN, &row->text);
}

void gate_of_marked(const struct screen *s, struct gate_row *row)
{
	snprintf(row->right, sizeof(row->right), _("%u marked"), s->ui->mark_count);
	if (s->job != NULL && s->job->state != JOB_WAITING)
		str_printf(&row->text, "#%" PRIu64 " ", s->job->seq);
}
