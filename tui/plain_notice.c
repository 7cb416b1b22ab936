#include "config.h"

#include "base/words.h"
#include "tui/edge.h"
#include "tui/plain.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tui/layout.h"
#include "tui/plain_internal.h"
#include "tui/view_words.h"

/* A flood is counted, not read out. */
#define NEW_AT_ONCE 20u

struct notices {
	struct plain *p;
	const struct model *model;
	int64_t now_ms;
	struct str *out;
	unsigned announced, passed;
};

static void to_read(const struct notices *n, const struct job *job)
{
	str_printf(n->out, _(" To read it type: show %" PRIu64 "\n"), job->seq);
}

static void announce(struct notices *n, const struct job *job)
{
	if (n->announced == NEW_AT_ONCE) {
		n->passed++;
		return;
	}
	n->announced++;
	str_printf(n->out, _("New: call %" PRIu64 " from "), job->seq);
	plain_from(n->p, job, n->out);
	str_printf(n->out, _(". %u waiting, "), n->model->waiting);
	plain_left(job, n->now_ms, n->out);
	str_add_char(n->out, '.');
	to_read(n, job);
}

static void say_output(struct notices *n, struct plain_told *told, const struct job *job)
{
	bool over = job_is_over(job->state);
	char head[32];
	struct rows rows;

	if (told->output_more || job->output.len == 0)
		return;
	snprintf(head, sizeof(head), "%" PRIu64 ":", job->seq);
	struct output_look look = {
		.width = n->p->cols - (unsigned)strlen(head), .ascii = n->p->ascii};
	size_t all = layout_output_rows(job, &look);
	/* The last row may go on. */
	size_t to = over || all == 0 ? all : all - 1;
	to = to > PLAIN_PART_ROWS ? PLAIN_PART_ROWS : to;
	if (to > told->output_rows) {
		layout_output_part(job, &look, told->output_rows, to - told->output_rows, &rows);
		plain_rows(&rows, 0, rows.count, head, n->out);
		rows_release(&rows);
		told->output_rows = to;
	}
	told->output_more = all > PLAIN_PART_ROWS;
	if (told->output_more)
		str_printf(n->out, _("%s more output. To read it type: output %" PRIu64 "\n"), head,
			job->seq);
}

static void say_end(struct notices *n, const struct job *job)
{
	bool ran = job->started_at_ms >= 0;

	str_printf(n->out, _("%s call %" PRIu64 ": "), ran ? _("Ended") : _("Over:"), job->seq);
	words_outcome(job, n->out);
	if (ran) {
		str_printf(n->out, _(" after %" PRId64 ".%" PRId64 " seconds, "),
			job->duration_ms / 1000, job->duration_ms % 1000 / 100);
		words_size(job->output_bytes, n->out);
		str_add(n->out, _(" of output"));
	}
	str_add(n->out, ". ");
	plain_waiting(n->model, n->out);
}

static const struct digest *digest_of(const struct job *job)
{
	static const struct digest none;

	return job->card != NULL ? &job->card->digest : &none;
}

static void say_change(struct notices *n, struct plain_told *told, const struct job *job)
{
	bool changed = !digest_equal(&told->digest, digest_of(job));

	if (told->state != job->state && job->state == JOB_WAITING) {
		str_printf(n->out, _("Call %" PRIu64 " waits again: "), job->seq);
		STR_AUTO struct str why = STR_INIT;

		edge_words(job->requeued_why != NULL ? job->requeued_why : "not started", &why);
		words_field(str_c(&why), 60, n->p->ascii, n->out);
		str_add_char(n->out, '.');
		to_read(n, job);
	} else if (changed && job->state == JOB_WAITING) {
		str_printf(n->out, _("The card of call %" PRIu64 " changed."), job->seq);
		to_read(n, job);
	}
	told->digest = *digest_of(job);
	told->state = job->state;
}

static struct plain_told *find(struct plain *p, uint64_t seq, size_t *at)
{
	while (*at < p->told_count && p->told[*at].seq < seq)
		(*at)++;
	return *at < p->told_count && p->told[*at].seq == seq ? &p->told[*at] : NULL;
}

static void look_at(struct notices *n, const struct job *job, size_t *at)
{
	struct plain *p = n->p;
	struct plain_told *told = find(p, job->seq, at);

	if (told != NULL) {
		say_output(n, told, job);
		if (job_is_over(job->state) && told->state != job->state)
			say_end(n, job);
		say_change(n, told, job);
	} else if (job->state == JOB_WAITING) {
		mem_grow(&p->told, &p->told_cap, p->told_count, sizeof(*p->told));
		memmove(&p->told[*at + 1], &p->told[*at], (p->told_count - *at) * sizeof(*p->told));
		p->told[*at] = (struct plain_told){
			.seq = job->seq, .state = job->state, .digest = *digest_of(job)};
		p->told_count++;
		announce(n, job);
	}
}

static void forget_over(struct plain *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->told_count; i++) {
		if (!job_is_over(p->told[i].state))
			p->told[kept++] = p->told[i];
	}
	p->told_count = kept;
}

void plain_follow(struct plain *p, const struct model *model, int64_t now_ms, struct str *out)
{
	struct notices n = {.p = p, .model = model, .now_ms = now_ms, .out = out};
	size_t at = 0;

	if (p->ask != PLAIN_ASK_NOTHING)
		return;
	for (size_t i = 0; i < model->count; i++)
		look_at(&n, model->jobs[i], &at);
	forget_over(p);
	if (n.passed > 0) {
		str_add(out, _("And "));
		words_number(n.passed, "more call", out);
		str_add(out, _(" wait. Type: list\n"));
	}
}

static void done_approved(const struct job *job, struct str *out)
{
	str_printf(out, _("Approved call %" PRIu64 ". "), job->seq);
	if (job->state == JOB_APPROVED)
		str_add(out, _("It waits for a free place.\n"));
	else
		str_printf(out, _("It runs, limit %u seconds. To stop it type: stop %" PRIu64 "\n"),
			job->card != NULL ? job->card->time_s : 0, job->seq);
}

static void done_rejected(
	struct plain *p, const struct model *model, const struct intent *intent, struct str *out)
{
	str_printf(out, _("Rejected call %" PRIu64 ". The agent was told: \""), intent->seq);
	text_escape(intent->text, strlen(intent->text), p->ascii ? TEXT_ASCII_ONLY : 0, out);
	str_add(out, "\" ");
	plain_waiting(model, out);
}

static void done_refused(const char *refused, struct str *out)
{
	size_t at = out->len;

	str_printf(out, "%s.\n", refused);
	out->data[at] = (char)toupper((unsigned char)out->data[at]);
}

/* What was said of it here is not said again as a notice. */
static void tell_state(struct plain *p, const struct job *job)
{
	size_t at = 0;
	struct plain_told *told = job != NULL ? find(p, job->seq, &at) : NULL;

	if (told != NULL && !(job->started_at_ms >= 0 && job_is_over(job->state)))
		told->state = job->state;
}

void plain_done(struct plain *p, const struct model *model, const struct intent *intent,
	const char *refused, struct str *out)
{
	const struct job *job = intent->seq != 0 ? model_job(model, intent->seq) : NULL;

	if (refused != NULL) {
		done_refused(refused, out);
		return;
	}
	if (intent->kind == INTENT_APPROVE && job != NULL)
		done_approved(job, out);
	else if (intent->kind == INTENT_REJECT)
		done_rejected(p, model, intent, out);
	else if (intent->kind == INTENT_STOP)
		str_printf(out, _("Stopping call %" PRIu64 ".\n"), intent->seq);
	else if (intent->kind == INTENT_STOP_ALL)
		str_add(out, _("All stopped. New calls are refused until you type: open intake\n"));
	else if (intent->kind == INTENT_OPEN_INTAKE)
		str_add(out, _("Intake is open.\n"));
	if (intent->kind == INTENT_REJECT)
		tell_state(p, job);
	if (intent->kind == INTENT_APPROVE || intent->kind == INTENT_REJECT)
		p->card = (struct plain_card){0};
}
