#include "config.h"

#include "tui/layout.h"

#include <string.h>

#include "tui/layout_command.h"
#include "tui/layout_diff.h"
#include "tui/layout_fact.h"
#include "tui/layout_outcome.h"

static void put_blank_row(struct row_writer *w)
{
	row_end(w, w->start);
}

/* Rows that no decision waits for show no position. */
static void without_positions(struct rows *rows, size_t first)
{
	for (size_t i = first; i < rows->count; i++)
		rows->items[i].start = rows->items[i].end = rows->total;
}

/* A line that was no call is kept in the record as shown text: it is shown as the bytes that it was. */
static void put_raw(struct row_writer *w, const struct job *job, unsigned width, bool ascii)
{
	STR_AUTO struct str bytes = STR_INIT;

	if (job->raw == NULL || job->raw[0] == '\0')
		return;
	if (text_unescape(job->raw, strlen(job->raw), &bytes, NULL) != 0) {
		str_clear(&bytes);
		str_add(&bytes, job->raw);
	}
	layout_command(w, bytes.data, bytes.len, NULL, width, ascii);
}

static void put_command(struct row_writer *w, const struct job *job, unsigned width, bool ascii)
{
	static const struct unusual_list nothing;

	if (job->command == NULL)
		put_raw(w, job, width, ascii);
	else
		layout_command(w, job->command, strlen(job->command),
			job->card != NULL ? &job->card->unusual : &nothing, width, ascii);
}

static void put_details(struct row_writer *w, const struct card *card, unsigned width, bool ascii)
{
	if (card == NULL || card->details.count == 0)
		return;
	put_blank_row(w);
	layout_card_facts(w, &card->details, NULL, width, ascii, w->start);
}

/* The deciding part, which stays as it was when its call is decided, withdrawn or expired. */
static void put_card(struct row_writer *w, const struct job *job, unsigned width, bool ascii)
{
	const struct facts *old = job->old_card != NULL ? &job->old_card->facts : NULL;
	struct rows *rows = w->rows;

	if (job->card != NULL && job->card->asked != NULL)
		layout_diff(w, job->card, width, ascii);
	else
		put_command(w, job, width, ascii);
	if (job->card != NULL) {
		put_blank_row(w);
		layout_card_facts(w, &job->card->facts, old, width, ascii, w->start);
	}
	rows->total = w->start;
	if (job->state == JOB_WAITING)
		rows->deciding = rows->count;
}

static void put_outcome(
	struct row_writer *w, const struct job *job, unsigned width, bool details, bool ascii)
{
	struct facts facts = {0};

	put_command(w, job, width, ascii);
	put_blank_row(w);
	if (job->state == JOB_REFUSED)
		refusal_facts(job, &facts);
	else
		outcome_facts(job, ascii, &facts);
	layout_facts(w, &facts, NULL, width, ascii, w->start);
	if (details && job->card != NULL) {
		put_blank_row(w);
		layout_card_facts(w, &job->card->facts, NULL, width, ascii, w->start);
	}
	facts_release(&facts);
}

static bool shows_outcome(const struct job *job)
{
	return job->state == JOB_ENDED || job->state == JOB_REJECTED || job->state == JOB_REFUSED ||
	       job->state == JOB_LOST;
}

void layout_card(const struct job *job, unsigned width, bool details, bool ascii, struct rows *ret)
{
	struct row_writer w;
	size_t behind = 0;

	memset(ret, 0, sizeof(*ret));
	row_begin(&w, ret);
	if (shows_outcome(job)) {
		put_outcome(&w, job, width, details, ascii);
	} else {
		put_card(&w, job, width, ascii);
		behind = ret->count;
	}
	if (details)
		put_details(&w, job->card, width, ascii);
	without_positions(ret, behind);
	row_release(&w);
}
