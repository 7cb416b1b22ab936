#include "config.h"

#include "tests/unit/race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tui/view.h"

int64_t race_now_ms = 1000000;

static struct stood_card *stood_of(struct race *r, const struct digest *digest)
{
	for (size_t i = 0; i < r->card_count; i++) {
		if (digest_equal(&r->cards[i].digest, digest))
			return &r->cards[i];
	}
	assert_true(r->card_count < CARDS_MAX);
	r->cards[r->card_count] = (struct stood_card){.digest = *digest};
	return &r->cards[r->card_count++];
}

/* The frame that goes now stood until now. */
static void count_standing(struct race *r)
{
	struct shown *shown = &r->shown;

	if (shown->seq == 0)
		return;
	struct stood_card *card = stood_of(r, &shown->digest);

	for (size_t i = shown->top; i < shown->top + shown->rows && i < ROWS_MAX; i++)
		card->ms[i] += race_now_ms - shown->at_ms;
}

/* The lamp as it is drawn. */
static void read_lamp(struct race *r, char lamp[8])
{
	STR_AUTO struct str text = STR_INIT;

	for (unsigned col = 1; col < 12; col++)
		str_add(&text, frame_at(&r->frame, col, r->frame.rows - 2)->text);
	size_t len = strcspn(str_c(&text), "]") + 1;

	memset(lamp, 0, 8);
	if (len < 8)
		memcpy(lamp, str_c(&text), len);
}

static void read_frame(struct race *r)
{
	const struct model *model = &r->d->broker.model;
	const struct job *job = ui_card_job(&r->ui, model);
	struct shown was = r->shown;

	r->shown = (struct shown){.at_ms = race_now_ms, .since_ms = race_now_ms};
	if (r->ui.view != VIEW_CARD || job == NULL || job->card == NULL)
		return;
	r->shown.seq = job->seq;
	r->shown.digest = job->card->digest;
	r->shown.top = r->ui.card_top;
	r->shown.rows = view_body_rows(&r->ui, model);
	read_lamp(r, r->shown.lamp);
	if (was.seq == job->seq && digest_equal(&was.digest, &r->shown.digest))
		r->shown.since_ms = was.since_ms;
}

void race_draw(struct race *r)
{
	struct broker *broker = &r->d->broker;

	ui_drawing(&r->ui, broker_at_ms(broker));
	view_draw(&broker->model, &r->ui, broker_at_ms(broker), &r->frame);
	ui_drawn(&r->ui, &broker->model, broker_at_ms(broker));
	count_standing(r);
	read_frame(r);
	r->dirty = false;
}

static void assert_all_stood(struct race *r, const struct digest *digest)
{
	const struct stood_card *card = stood_of(r, digest);
	const struct job *job = model_job(&r->d->broker.model, r->shown.seq);
	struct rows rows;

	layout_card(job, view_body_cols(&r->ui), false, false, &rows);
	assert_true(rows.deciding > 0 && rows.deciding <= ROWS_MAX);
	for (size_t i = 0; i < rows.deciding; i++) {
		if (rows.items[i].end > rows.items[i].start)
			assert_true(card->ms[i] >= UI_SEEN_MS);
	}
	rows_release(&rows);
}

/* What must have been so, by the frames and the bytes alone, for a yes to be taken. */
void race_check_yes(struct race *r, const struct intent *intent)
{
	const struct shown *then = &r->before_key;

	count_standing(r);
	r->shown.at_ms = race_now_ms;
	assert_true(r->shown.seq == intent->seq && then->seq == intent->seq);
	assert_true(digest_equal(&then->digest, &intent->digest));
	assert_true(digest_equal(&r->shown.digest, &intent->digest));
	assert_string_equal(then->lamp, intent->text == NULL ? "[a]" : "[Enter]");
	assert_int_equal(r->key, intent->text == NULL ? 'a' : '\r');
	assert_true(r->key_ms - r->key_before_ms >= UI_REST_MS);
	assert_true(r->key_ms - then->since_ms >= UI_REST_MS);
	assert_true(race_now_ms - r->key_ms >= UI_ALONE_MS);
	assert_int_equal(r->typed.len, 0);
	assert_all_stood(r, &intent->digest);
}

void race_check_no(const struct race *r, const struct intent *intent)
{
	assert_int_equal(r->key, '\r');
	assert_true(race_now_ms - r->key_ms >= UI_ALONE_MS);
	assert_true(r->shown.seq == intent->seq);
	assert_true(digest_equal(&r->shown.digest, &intent->digest));
}
