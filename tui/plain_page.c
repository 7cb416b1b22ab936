#include "config.h"

#include "base/words.h"
#include "tui/plain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/layout.h"
#include "tui/layout_plain.h"
#include "tui/plain_internal.h"
#include "tui/view_words.h"

#define COMMAND_LEAST 20u

/* Cards, details and outputs on paper: in parts, so that nobody is read a thousand lines without having asked for them. */

static void say_more(struct plain_turn *t, const char *what, size_t left)
{
	str_printf(t->out, _("More of %s %" PRIu64 ": "), what, t->p->paper_seq);
	words_number(left, "line", t->out);
	str_add(t->out, _(". Type: more\n"));
}

static void card_part(struct plain_turn *t, const struct job *job)
{
	struct plain_card *card = &t->p->card;
	struct rows rows;

	layout_plain_card(job, card->cols, t->p->ascii, &rows);
	size_t to = card->next + PLAIN_PART_ROWS;
	card->count = rows.count;
	to = to < rows.count ? to : rows.count;
	plain_rows(&rows, card->next, to, "", t->out);
	card->next = to;
	if (to < rows.count)
		say_more(t, _("card"), rows.count - to);
	rows_release(&rows);
	t->p->drop = true;
}

static void say_notes(const struct card *card, struct str *out)
{
	if (card->unusual.count == 0)
		str_add(out, _(" Notes: none."));
	else
		str_printf(out, _(" Notes: %zu."), card->unusual.count);
	if (unusual_has_danger(&card->unusual))
		str_add(out, _(" Danger."));
	if (card->network == CARD_NETWORK_ON || card->network == CARD_NETWORK_ON_HOST)
		str_add(out, _(" Risk: network on."));
	if (card->unsandboxed)
		str_add(out, _(" Danger: no sandbox."));
}

void plain_show(struct plain_turn *t)
{
	const struct job *job = model_job(t->model, t->seq);
	struct plain *p = t->p;

	if (job->state != JOB_WAITING || job->card == NULL) {
		str_printf(t->out, _("Call %" PRIu64 " does not wait: "), t->seq);
		str_printf(t->out, _("it is %s. Its output: output %" PRIu64 "\n"),
			_(job_state_name(job->state)), t->seq);
		return;
	}
	p->card =
		(struct plain_card){.seq = job->seq, .digest = job->card->digest, .cols = p->cols};
	p->paper = PLAIN_PAPER_CARD;
	p->paper_seq = job->seq;
	str_printf(t->out, _("Call %" PRIu64 " from "), job->seq);
	plain_from(p, job, t->out);
	str_add(t->out, _(", asked "));
	plain_seconds(t->now_ms - job->received_at_ms, t->out);
	str_add(t->out, _(" ago, "));
	plain_left(job, t->now_ms, t->out);
	str_add(t->out, ".");
	say_notes(job->card, t->out);
	str_add(t->out, job->card_changed ? _(" The card changed: read all of it.\n") : "\n");
	card_part(t, job);
}

static void details_part(struct plain_turn *t, const struct job *job)
{
	struct plain *p = t->p;
	struct rows rows;

	layout_plain_details(job, p->cols, p->ascii, &rows);
	size_t to = p->paper_next + PLAIN_PART_ROWS;
	plain_rows(&rows, p->paper_next, to, "", t->out);
	p->paper_next = to;
	if (to < rows.count)
		say_more(t, _("the details of call"), rows.count - to);
	else
		str_printf(t->out, _("End of the details of call %" PRIu64 ".\n"), job->seq);
	rows_release(&rows);
}

static void begin_paper(struct plain_turn *t, enum plain_paper paper)
{
	t->p->paper = paper;
	t->p->paper_seq = t->seq;
	t->p->paper_next = 0;
}

void plain_details(struct plain_turn *t)
{
	const struct job *job = model_job(t->model, t->seq);

	if (job->card == NULL) {
		str_printf(t->out, _("Call %" PRIu64 " has no card here.\n"), t->seq);
		return;
	}
	begin_paper(t, PLAIN_PAPER_DETAILS);
	details_part(t, job);
}

/* Each row behind the number of its call: a terminal never begins a line of ours with an output's text. */
static void output_part(struct plain_turn *t, const struct job *job)
{
	struct plain *p = t->p;
	char head[32];
	struct rows rows;

	snprintf(head, sizeof(head), "%" PRIu64 ":", job->seq);
	struct output_look look = {.width = p->cols - (unsigned)strlen(head), .ascii = p->ascii};
	size_t all = layout_output_rows(job, &look);
	layout_output_part(job, &look, p->paper_next, PLAIN_PART_ROWS, &rows);
	plain_rows(&rows, 0, rows.count, head, t->out);
	p->paper_next += rows.count;
	rows_release(&rows);
	if (p->paper_next < all)
		say_more(t, _("the output of call"), all - p->paper_next);
	else
		str_printf(t->out, _("End of the output of call %" PRIu64 " %s.\n"), job->seq,
			job_is_over(job->state) ? "" : _("until now"));
}

void plain_output(struct plain_turn *t)
{
	const struct job *job = model_job(t->model, t->seq);

	if (job->output_unrecorded > 0) {
		str_printf(t->out, _("The output of call %" PRIu64 " was not recorded.\n"), t->seq);
		return;
	}
	if (job->output.len == 0) {
		str_printf(t->out, _("Call %" PRIu64 " has no output.\n"), t->seq);
		return;
	}
	begin_paper(t, PLAIN_PAPER_OUTPUT);
	output_part(t, job);
}

static void more_of_card(struct plain_turn *t, const struct job *job)
{
	const struct plain_card *card = &t->p->card;

	if (job == NULL || job->state != JOB_WAITING)
		str_printf(t->out, _("Call %" PRIu64 " does not wait any more.\n"), card->seq);
	else if (!plain_is_its_card(card, job))
		plain_say_changed(card->seq, t->out);
	else if (card->next >= card->count)
		str_printf(t->out, _("Card %" PRIu64 " was printed to its end.\n"), card->seq);
	else
		card_part(t, job);
}

void plain_more(struct plain_turn *t)
{
	const struct job *job = model_job(t->model, t->p->paper_seq);

	if (t->p->paper == PLAIN_PAPER_CARD)
		more_of_card(t, job);
	else if (t->p->paper == PLAIN_PAPER_DETAILS && job != NULL && job->card != NULL)
		details_part(t, job);
	else if (t->p->paper == PLAIN_PAPER_OUTPUT && job != NULL)
		output_part(t, job);
	else
		str_add(t->out, _("There is no more.\n"));
}

static void list_waiting(struct plain_turn *t, const struct job *job)
{
	size_t from;

	str_printf(t->out, _("Call %" PRIu64 " from "), job->seq);
	plain_from(t->p, job, t->out);
	str_add(t->out, _(", waits "));
	plain_seconds(t->now_ms - job->received_at_ms, t->out);
	str_add(t->out, ", ");
	plain_left(job, t->now_ms, t->out);
	str_add_char(t->out, '.');
	if (job->card != NULL)
		say_notes(job->card, t->out);
	str_add(t->out, _("\n  Begins: "));
	from = t->out->len;
	if (job->command != NULL)
		words_command(job, t->p->cols - COMMAND_LEAST, t->p->ascii, t->out);
	plain_cut_sign(t->out, from);
	str_add_char(t->out, '\n');
}

void plain_list(struct plain_turn *t)
{
	size_t running = 0;

	for (uint64_t seq = model_next_waiting(t->model, 0, false); seq != 0;
		seq = model_next_waiting(t->model, seq, false))
		list_waiting(t, model_job(t->model, seq));
	for (size_t i = 0; i < t->model->count; i++) {
		const struct job *job = t->model->jobs[i];

		if (job->state != JOB_NEW && job->state != JOB_WAITING &&
			!job_is_over(job->state)) {
			str_printf(t->out, _("Call %" PRIu64 " is %s"), job->seq,
				_(job_state_name(job->state)));
			str_printf(t->out, _(". To stop it type: stop %" PRIu64 "\n"), job->seq);
			running++;
		}
	}
	plain_waiting(t->model, t->out);
	if (running == 0)
		str_add(t->out, _("Nothing runs.\n"));
}
