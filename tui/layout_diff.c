#include "config.h"

#include "tui/layout_diff.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "core/edit.h"
#include "tui/layout_command.h"

#define SIGN_COLUMNS 3u /* - or +, and the sign of a note behind it */
#define MARGIN_COLUMNS 1u

struct difference {
	struct row_writer *w;
	const struct card *card;
	struct tint asked, now; /* of the two commands */
	struct edit_diff diff;
	unsigned gutter, width;
	bool ascii;
};

static void put_hunk(struct difference *d, const struct edit_hunk *hunk)
{
	static const char *const signs[] = {[EDIT_TAKEN] = "-", [EDIT_ADDED] = "+"};
	static const enum style styles[] = {
		[EDIT_SAME] = STYLE_PLAIN, [EDIT_TAKEN] = STYLE_TAKEN, [EDIT_ADDED] = STYLE_ADDED};
	bool taken = hunk->kind == EDIT_TAKEN;
	const struct command_part part = {.command = taken ? d->card->asked : d->card->command,
		.start = hunk->start,
		.len = hunk->len,
		.line = hunk->line,
		.sign = hunk->kind == EDIT_SAME ? NULL : signs[hunk->kind],
		.style = styles[hunk->kind],
		.unusual = taken ? NULL : &d->card->unusual,
		.tint = taken ? &d->asked : &d->now,
		.gutter = d->gutter,
		.width = d->width,
		.ascii = d->ascii};

	layout_command_part(d->w, &part);
}

/* Columns and characters of a line as it is drawn. */
struct line_place {
	unsigned start, end,
		all;        /* columns: where the span begins and ends, how wide the line is */
	size_t first, last; /* characters, from 1 */
};

static void find_place(const struct difference *d, const char *line, size_t len,
	const struct edit_span *span, struct line_place *ret)
{
	struct text_iter *it = text_begin(line, len, TEXT_LINES | (d->ascii ? TEXT_ASCII_ONLY : 0));
	struct text_piece piece;

	*ret = (struct line_place){.first = count_characters(line, span->start) + 1,
		.last = count_characters(line, span->end)};
	while (text_next(it, &piece)) {
		if (piece.start + piece.len <= span->start)
			ret->start = ret->all + piece.columns;
		ret->all += piece.columns;
		if (piece.start < span->end)
			ret->end = ret->all;
	}
	text_end(it);
}

/* "^^^^ taken out" under the words; where the line or that row is broken, the characters by number, as the gutter counts them. */
static void put_pointer(struct difference *d, const char *line, size_t len,
	const struct edit_span *span, enum style style, const char *words)
{
	static const char carets[] = "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^";
	unsigned room = d->width - MARGIN_COLUMNS - d->gutter;
	struct line_place at;
	char text[200];

	if (span->start == span->end)
		return;
	find_place(d, line, len, span, &at);
	row_pad(d->w, d->gutter);
	if (at.all > room || at.end + 1 + text_columns(words) > room) {
		snprintf(text, sizeof(text), _("characters %zu to %zu %s"), at.first, at.last,
			words);
		row_put_ours(d->w, style, text);
	} else {
		row_pad(d->w, d->gutter + at.start);
		for (unsigned left = at.end - at.start; left > 0;) {
			unsigned n = left < sizeof(carets) - 1 ? left : sizeof(carets) - 1;

			row_put(d->w, style, carets, n, n);
			left -= n;
		}
		row_put_ours(d->w, style, " ");
		row_put_ours(d->w, style, words);
	}
	row_end(d->w, d->w->start + 1);
}

/* One line and the one in its place. */
static void put_pair(
	struct difference *d, const struct edit_hunk *taken, const struct edit_hunk *added)
{
	const char *old = d->card->asked + taken->start, *now = d->card->command + added->start;
	struct edit_span out, in;

	edit_spans(old, taken->len, now, added->len, &out, &in);
	put_hunk(d, taken);
	put_pointer(d, old, taken->len, &out, STYLE_TAKEN, _("taken out"));
	put_hunk(d, added);
	put_pointer(d, now, added->len, &in, STYLE_ADDED, _("put in"));
}

static bool is_pair(const struct edit_hunk *hunk, const struct edit_hunk *next)
{
	return hunk->kind == EDIT_TAKEN && next->kind == EDIT_ADDED && hunk->lines == 1 &&
	       next->lines == 1;
}

void layout_diff(struct row_writer *w, const struct card *card, unsigned width, bool ascii)
{
	struct difference d = {.w = w, .card = card, .width = width, .ascii = ascii};
	unsigned asked = command_gutter(card->asked, strlen(card->asked), SIGN_COLUMNS);

	d.gutter = command_gutter(card->command, strlen(card->command), SIGN_COLUMNS);
	if (asked > d.gutter)
		d.gutter = asked;
	edit_diff(card->asked, card->command, &d.diff);
	tint_init(&d.asked, card->asked, strlen(card->asked));
	tint_init(&d.now, card->command, strlen(card->command));
	for (size_t i = 0; i < d.diff.count; i++) {
		const struct edit_hunk *hunk = &d.diff.items[i];

		if (i + 1 < d.diff.count && is_pair(hunk, hunk + 1)) {
			put_pair(&d, hunk, hunk + 1);
			i++;
		} else {
			put_hunk(&d, hunk);
		}
	}
	edit_diff_release(&d.diff);
	tint_release(&d.asked);
	tint_release(&d.now);
}
