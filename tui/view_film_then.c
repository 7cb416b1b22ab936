#include "config.h"

#include "tui/film.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "tui/fit.h"
#include "tui/ui_cache.h"
#include "tui/view.h"
#include "tui/view_card.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

/* The pane at the right of a recording: what the reviewer had on the screen, as the record tells it. */

#define LABEL_COLUMN 1u
#define LABEL_COLS 13u

/* One row below the other, as long as there is room. */
struct writer {
	const struct screen *s;
	unsigned row;
};

static void say(struct writer *w, const char *label, const char *text)
{
	unsigned end = w->s->frame->cols - 1, col = LABEL_COLUMN + LABEL_COLS;
	STR_AUTO struct str name = STR_INIT;

	if (w->row >= w->s->frame->rows)
		return;
	words_shown(label, LABEL_COLS - 1, &name);
	draw_text(w->s, LABEL_COLUMN, w->row, STYLE_RULE, str_c(&name));
	if (end > col)
		draw_field(w->s, col, w->row, end - col, STYLE_PLAIN, text);
	w->row++;
}

static void head(struct writer *w, const char *text)
{
	w->row++;
	if (w->row < w->s->frame->rows)
		draw_text(w->s, LABEL_COLUMN, w->row, STYLE_KEY, text);
	w->row++;
}

static const char *view_word(enum view view)
{
	static const char *const words[VIEW_COUNT] = {
		[VIEW_QUEUE] = N_("1 queue"),
		[VIEW_CARD] = N_("2 card"),
		[VIEW_OUTPUT] = N_("3 output"),
		[VIEW_HELP] = N_("? keys"),
		[VIEW_STOPPED] = N_("stopped"),
		[VIEW_HISTORY] = N_("4 history"),
		[VIEW_GRANTS] = N_("5 grants"),
		[VIEW_MARKED] = N_("marked"),
		[VIEW_AGENTS] = N_("6 agents"),
	};

	return _(words[view]);
}

static void say_view(struct writer *w, const struct ui *then)
{
	const struct job *job = ui_open_job(then, w->s->model);
	STR_AUTO struct str text = STR_INIT;

	str_add(&text, w->s->model->lock.on ? _("locked") : view_word(then->view));
	if (job != NULL && !w->s->model->lock.on)
		str_printf(&text, ", #%" PRIu64, job->seq);
	say(w, _("view"), str_c(&text));
}

/* Which rows stood there: of a card or of an output. */
static void say_rows(struct writer *w, const struct ui *then)
{
	const struct model *model = w->s->model;
	const struct job *job =
		then->view == VIEW_OUTPUT ? ui_output_job(then, model) : ui_card_job(then, model);
	size_t body = view_rows_of(then, model, then->view), top = then->card_top, total;
	STR_AUTO struct str text = STR_INIT;

	if (job == NULL || model->lock.on || ui_too_small(then))
		return;
	if (then->view == VIEW_OUTPUT) {
		struct output_look look = view_output_look(then);

		total = layout_output_rows(job, &look);
		top = then->following || then->output_top + body > total
			      ? total > body ? total - body : 0
			      : then->output_top;
	} else if (then->view == VIEW_CARD) {
		const struct rows *rows = ui_card_rows(then, job);

		total = rows->count;
		top = rows_first(rows, top, body);
	} else {
		return;
	}
	lines_words(top, body, total, &text);
	say(w, _("on screen"), str_c(&text));
}

static void approve_words(const struct screen *s, const struct ui *then, struct str *out)
{
	static const char *const words[GATE_COUNT] = {
		[GATE_RECORD] = N_("off: no record"),
		[GATE_LOCKED] = N_("off: locked"),
		[GATE_STOPPED] = N_("off: all stopped"),
		[GATE_DECIDED] = N_("off: decided already"),
		[GATE_TOO_SMALL] = N_("off: screen too small"),
		[GATE_OTHER_VIEW] = N_("off: not on a card"),
		[GATE_PROMPT] = N_("off: a line was typed"),
		[GATE_CHANGED] = N_("off: the card changed"),
		[GATE_NOT_SEEN] = "",
		[GATE_REST] = N_("off: the keys must rest"),
		[GATE_READY] = N_("ready"),
		[GATE_NOTHING] = N_("off: nothing to approve"),
	};
	enum gate gate = ui_gate(then, s->model, s->now_ms);
	size_t total, unseen;

	if (gate != GATE_NOT_SEEN) {
		str_add(out, _(words[gate]));
		return;
	}
	ui_seen_rows(then, s->model, &total, &unseen);
	str_printf(out, _("off: %zu not seen"), unseen);
}

static void say_seen(struct writer *w, const struct ui *then)
{
	STR_AUTO struct str text = STR_INIT;
	STR_AUTO struct str approve = STR_INIT;
	const struct job *job = ui_card_job(then, w->s->model);
	size_t total = 0, unseen = 0;

	if (job != NULL && !ui_too_small(then))
		ui_seen_rows(then, w->s->model, &total, &unseen);
	/* A card that is decided has nothing to be seen any more: what had been counts. */
	if (job != NULL && total == 0 && job->rows_total > 0) {
		total = job->rows_total;
		unseen = total - (job->rows_seen < total ? job->rows_seen : total);
	}
	if (total > 0) {
		str_printf(&text, _("%zu of %zu"), total - unseen, total);
		say(w, _("seen so far"), str_c(&text));
	}
	approve_words(w->s, then, &approve);
	say(w, _("approve"), str_c(&approve));
}

static void say_key(struct writer *w, const struct ui *then)
{
	int64_t ago = w->s->now_ms - then->last_input_ms;
	STR_AUTO struct str text = STR_INIT;

	if (then->last_input_ms <= 0 || ago < 0)
		return;
	if (then->last_key[0] != '\0')
		str_printf(&text, "%s, ", then->last_key);
	words_waited(ago, &text);
	str_add(&text, _(" before"));
	say(w, _("last key"), str_c(&text));
}

static const char *decision_word(char letter)
{
	static const struct {
		char letter;
		const char *word;
	} words[] = {{'a', N_("approved")}, {'g', N_("by grant")}, {'r', N_("rejected")},
		{'e', N_("expired")}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].letter == letter)
			return _(words[i].word);
	}
	return "";
}

/* What only the film knows. */
static void say_later(struct writer *w, const struct film *film, const struct job *job)
{
	const struct film_mark *mark =
		job == NULL ? NULL : film_decision_of(film, film->event, job->seq);
	STR_AUTO struct str text = STR_INIT;
	char line[64];

	if (mark == NULL)
		return;
	snprintf(line, sizeof(line), _("#%" PRIu64 " later"), job->seq);
	head(w, line);
	if (mark->all_seen_ms >= 0) {
		str_add(&text, _("after "));
		words_waited(mark->all_seen_ms, &text);
	} else {
		str_add(&text, _("never"));
	}
	say(w, _("all seen"), str_c(&text));
	str_clear(&text);
	if (mark->after_ms >= 0) {
		str_add(&text, _("after "));
		words_waited(mark->after_ms, &text);
		str_add(&text, ": ");
	}
	str_add(&text, decision_word(mark->letter));
	say(w, _("decided"), str_c(&text));
	if (mark->digest[0] == '\0')
		return;
	snprintf(line, sizeof(line), _("card %.4s %.4s"), mark->digest, mark->digest + 4);
	say(w, _("as"), line);
}

/* "#14 #15 #16", and how many more. */
static void add_number(struct str *out, unsigned room, uint64_t seq, size_t *hidden)
{
	char text[32];

	snprintf(text, sizeof(text), "%s#%" PRIu64, out->len > 0 ? " " : "", seq);
	if (*hidden > 0 || out->len + strlen(text) + 5 > room)
		(*hidden)++;
	else
		str_add(out, text);
}

static void say_numbers(struct writer *w, const char *label, struct str *text, size_t hidden)
{
	if (hidden > 0)
		str_printf(text, " +%zu", hidden);
	say(w, label, text->len > 0 ? str_c(text) : _("nothing"));
}

static size_t shown_numbers(const struct str *text)
{
	size_t count = 0;

	for (const char *at = str_c(text); (at = strchr(at, '#')) != NULL; at++)
		count++;
	return count;
}

static void say_moment(struct writer *w, const struct ui *then)
{
	static const char *const focus[FOCUS_COUNT] = {[FOCUS_UNKNOWN] = N_("focus not known"),
		[FOCUS_HERE] = N_("has the focus"),
		[FOCUS_AWAY] = N_("has not the focus")};
	const struct model *model = w->s->model;
	unsigned room = w->s->frame->cols - 1 - LABEL_COLUMN - LABEL_COLS;
	STR_AUTO struct str waiting = STR_INIT;
	STR_AUTO struct str running = STR_INIT;
	size_t hidden = 0;

	head(w, _("at this moment"));
	for (uint64_t seq = 0; (seq = model_next_waiting(model, seq, false)) != 0;) {
		add_number(&waiting, room, seq, &hidden);
		if (hidden > 0)
			break;
	}
	if (hidden > 0)
		hidden = model->waiting > 0 ? model->waiting - shown_numbers(&waiting) : 0;
	say_numbers(w, _("waiting"), &waiting, hidden);
	hidden = 0;
	for (size_t i = 0; i < model->active.count; i++)
		add_number(&running, room, job_list_at(&model->active, i)->seq, &hidden);
	say_numbers(w, _("running"), &running, hidden);
	if (then != NULL)
		say(w, _("window"), _(focus[then->focus]));
}

void draw_film_then(const struct screen *s, const struct film *film)
{
	const struct ui *then = film->then;
	struct writer w = {.s = s, .row = 2};
	char size[32];

	draw_rule(s, 0, STYLE_PLAIN, _("the reviewer's screen then"), "┐");
	draw_edge(s, 1, s->frame->rows - 1);
	if (then != NULL) {
		snprintf(size, sizeof(size), "%ux%u", then->cols, then->rows);
		say(&w, _("size"), size);
		say_view(&w, then);
		say_rows(&w, then);
		say_seen(&w, then);
		say_key(&w, then);
		say_later(&w, film, ui_open_job(then, s->model));
	} else {
		say(&w, _("size"), _("no screen so far"));
	}
	say_moment(&w, then);
}
