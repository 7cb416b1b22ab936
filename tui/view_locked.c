#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/words.h"
#include "tui/view_gate.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define TEXT_COLUMN 13u
#define ROOMY_FROM 20u
#define WIDE_FROM 72u /* columns of a screen that has room for whole sentences */
#define PROMPT_ROWS 3u

/* What a locked screen may say: counts and ages. No command, no agent, no path, no output. */

bool screen_is_locked(const struct ui *ui, const struct model *model)
{
	/* What a recording shows was never behind this lock. */
	if (ui->film)
		return false;
	return prompt_is_secret(ui->prompt.kind) || (model->lock.on && ui->view != VIEW_HELP);
}

struct summary {
	const struct job *oldest, *next, *longest; /* waits longest, expires first, runs longest */
};

static bool earlier(int64_t a, int64_t b)
{
	return a >= 0 && (b < 0 || a < b);
}

static struct summary summarize(const struct model *model)
{
	struct summary sum = {0};

	/* Of each sender the oldest is also the one that expires first, but for what came back to the queue. */
	for (size_t i = 0; i < model->sender_count; i++) {
		const struct job *job = job_list_at(&model->senders[i]->waiting, 0);

		if (job == NULL)
			continue;
		if (sum.oldest == NULL || job->seq < sum.oldest->seq)
			sum.oldest = job;
		if (earlier(job->deadline_at_ms, sum.next == NULL ? -1 : sum.next->deadline_at_ms))
			sum.next = job;
	}
	for (size_t i = 0; i < model->active.count; i++) {
		const struct job *job = job_list_at(&model->active, i);

		if (job->started_at_ms >= 0 &&
			(sum.longest == NULL || job->started_at_ms < sum.longest->started_at_ms))
			sum.longest = job;
	}
	return sum;
}

static void put(const struct screen *s, unsigned row, const char *label, const struct str *text)
{
	draw_text(s, 1, row, STYLE_RULE, label);
	draw_text(s, TEXT_COLUMN, row, STYLE_PLAIN, str_c(text));
}

static void put_waiting(const struct screen *s, unsigned row, const struct summary *sum)
{
	unsigned waiting = s->model->waiting;
	STR_AUTO struct str text = STR_INIT;

	if (waiting == 0 || sum->oldest == NULL) {
		str_add(&text, _("nothing"));
	} else {
		words_number(waiting, "call", &text);
		str_printf(&text, _(", %sfor "),
			waiting == 1   ? ""
			: waiting == 2 ? _("the older one ")
				       : _("the oldest "));
		words_waited(s->now_ms - sum->oldest->received_at_ms, &text);
	}
	put(s, row, _("waiting"), &text);
}

static void put_next(const struct screen *s, unsigned row, const struct summary *sum)
{
	STR_AUTO struct str text = STR_INIT;

	if (sum->next == NULL) {
		str_add(&text, "-");
	} else {
		str_add(&text, _("in "));
		words_left(sum->next->deadline_at_ms - s->now_ms, &text);
		str_add(&text,
			s->model->waiting == 1 ? _(" it expires") : _(" one of them expires"));
		if (s->frame->cols >= WIDE_FROM)
			str_add(&text, _("; its agent is told so"));
	}
	put(s, row, _("next"), &text);
}

static void put_running(const struct screen *s, unsigned row, const struct summary *sum)
{
	unsigned running = s->model->running;
	STR_AUTO struct str text = STR_INIT;

	if (running == 0)
		str_add(&text, _("nothing"));
	else
		words_number(running, "command", &text);
	if (running > 0 && sum->longest != NULL) {
		str_add(&text, running > 1 ? _(", the longest ") : ", ");
		words_running(sum->longest, s->now_ms, &text);
	}
	put(s, row, _("running"), &text);
}

static void put_tries(const struct screen *s, unsigned row)
{
	const struct lock *lock = &s->model->lock;
	int64_t left = lock->wait_until_ms - s->now_ms;
	STR_AUTO struct str text = STR_INIT;

	if (lock->tries == 0)
		return;
	words_number(lock->tries, "wrong passphrase", &text);
	if (left > 0)
		str_printf(&text, _(", the next one is looked at in %" PRId64 " s"),
			(left + 999) / 1000);
	put(s, row, _("tried"), &text);
}

static void say_since(const struct lock *lock, struct str *out)
{
	char hm[16];

	clock_format_hm(lock->wall_ms, hm);
	str_printf(out, _("LOCKED at %s, "), hm);
	if (lock->why == LOCK_AT_START)
		str_add(out, _("from the start."));
	else if (lock->why == LOCK_BY_PERSON)
		str_add(out, _("by you."));
	else
		str_printf(out,
			P_("after %u minute without a key.", "after %u minutes without a key.",
				lock->minutes),
			lock->minutes);
}

static void draw_summary(const struct screen *s, unsigned row)
{
	struct summary sum = summarize(s->model);
	STR_AUTO struct str head = STR_INIT;
	bool wide = s->frame->cols >= WIDE_FROM;

	say_since(&s->model->lock, &head);
	draw_text(s, 1, row, STYLE_KEY, str_c(&head));
	put_waiting(s, row + 2, &sum);
	put_next(s, row + 3, &sum);
	put_running(s, row + 4, &sum);
	draw_text(s, 1, row + 6, STYLE_PLAIN,
		wide ? _("Commands, agents and output stay hidden until the passphrase is typed.")
		     : _("Commands, agents and output stay hidden until then."));
	draw_text(s, 1, row + 7, STYLE_PLAIN,
		wide ? _("Clocks and limits go on. Nothing can be approved meanwhile.")
		     : _("Clocks and limits go on. Nothing can be approved."));
	if (s->frame->rows >= ROOMY_FROM)
		put_tries(s, row + 9);
}

/* Nobody may count what is typed: only whether there is anything. */
static void draw_field_of(const struct screen *s, unsigned row)
{
	static const char *const heads[PROMPT_KIND_COUNT] = {
		[PROMPT_PASS] = N_("passphrase: what you type is not shown"),
		[PROMPT_NEW_PASS] = N_("a new passphrase, for this session alone: it is not shown"),
		[PROMPT_NEW_PASS_AGAIN] = N_("the same passphrase once more"),
	};
	const char *text = s->ui->secret_typed ? _("(typing)") : _("(nothing typed yet)");

	draw_rule(s, row, STYLE_KEY, _(heads[s->ui->prompt.kind]), "┤");
	draw_text(s, 1, row + 1, STYLE_RULE, _("passphrase"));
	draw_text(s, TEXT_COLUMN, row + 1, STYLE_QUIET, text);
	s->frame->cursor_row = (int)row + 1;
	s->frame->cursor_col = (int)TEXT_COLUMN;
	s->frame->cursor_shown = true;
}

void draw_locked(const struct screen *s)
{
	unsigned bottom = s->frame->rows - FOOT_ROWS;
	bool roomy = s->frame->rows >= ROOMY_FROM;

	draw_rule(
		s, LIST_HEAD_ROWS - 1, STYLE_KEY, s->model->lock.on ? _("locked") : _("lock"), "┐");
	draw_edge(s, LIST_HEAD_ROWS, bottom - LIST_HEAD_ROWS);
	if (s->model->lock.on) {
		draw_summary(s, LIST_HEAD_ROWS + (roomy ? 5 : 0));
	} else {
		draw_text(s, 1, LIST_HEAD_ROWS + (roomy ? 5 : 0), STYLE_KEY,
			_("The screen locks with a passphrase that you choose now."));
		draw_text(s, 1, LIST_HEAD_ROWS + (roomy ? 7 : 2), STYLE_PLAIN,
			_("It is kept in memory alone, until this console ends."));
	}
	if (prompt_is_secret(s->ui->prompt.kind))
		draw_field_of(s, bottom - PROMPT_ROWS);
	draw_rule(s, bottom, STYLE_RULE, NULL, "┘");
}

void gate_locked(const struct screen *s, struct gate_row *row)
{
	row->head = _("approve off");
	if (prompt_is_secret(s->ui->prompt.kind))
		str_add(&row->text, _("you are typing a passphrase: it is not shown"));
	else
		say_keyed(s, _("locked: press Enter, then type the passphrase"), ACTION_OPEN,
			&row->text);
	snprintf(row->right, sizeof(row->right), _("%u waiting"), s->model->waiting);
}
