#include "config.h"

#include "tui/film.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

/* Where in time a recording is: the bar, a letter for each decision and limit, and in words. */

#define GAP 5u
#define LEGEND_FROM 92u

static const char legend[] = N_(
	"a approved  g by grant  r rejected  e expired  x stopped  l limit  d denied  ! stop all");
static const char legend_short[] =
	N_("a yes  g grant  r no  e expired  x stopped  l limit  d denied  ! stop all");

static int64_t wall_of(const struct film *film, int64_t at_ms)
{
	return film->start_wall_ms + at_ms;
}

static void draw_bar(
	const struct screen *s, const struct film *film, const struct film_place *place)
{
	unsigned row = place->bar_row, cols = s->frame->cols;
	char from[16], to[16];

	clock_format_hm(film->start_wall_ms, from);
	clock_format_hm(wall_of(film, film->last_ms), to);
	draw_text(s, 1, row, STYLE_PLAIN, from);
	if (!film->counting)
		draw_text(s, cols - text_columns(to), row, STYLE_PLAIN, to);
	frame_fill(s->frame, place->bar_col, row, place->bar_cols, STYLE_RULE, "─");
	frame_put(s->frame, film_bar_column(place, film->at_ms, film->last_ms), row, 1, STYLE_KEY,
		"█");
}

/* The one that matters more stands on a column. */
static bool goes_before(char letter, const char *there)
{
	const char *rank = strchr(FILM_LETTERS, letter), *other = strchr(FILM_LETTERS, there[0]);

	return there[0] == ' ' || there[0] == '\0' || other == NULL ||
	       (rank != NULL && rank < other);
}

static void draw_letters(
	const struct screen *s, const struct film *film, const struct film_place *place)
{
	unsigned row = place->marks_row;

	for (size_t i = 0; i < film->mark_count; i++) {
		const struct film_mark *mark = &film->marks[i];
		unsigned col = film_bar_column(place, mark->at_ms, film->last_ms);
		char text[2] = {mark->letter, '\0'};
		bool bad = film_is_failure(mark);

		if (goes_before(mark->letter, frame_at(s->frame, col, row)->text))
			frame_put(s->frame, col, row, 1, bad ? STYLE_NOTE : STYLE_KEY, text);
	}
	draw_right(s, row, place->bar_col + place->bar_cols - 2, STYLE_RULE, _("marks"));
}

/* "14:32:18.204" while it stands still, so that two events of one second can be told apart. */
static void time_words(const struct film *film, bool exact, struct str *out)
{
	int64_t wall = wall_of(film, film->at_ms);
	char text[16];

	clock_format_hms(wall, text);
	str_add(out, text);
	if (exact)
		str_printf(out, ".%03u", (unsigned)((wall % 1000 + 1000) % 1000));
}

static void place_words(const struct film *film, struct str *out)
{
	if (film->at_end && !film->follows) {
		str_printf(out,
			film->broken != NULL ? _("end of what can be played, %" PRIu64 " events")
					     : _("end of the recording, %" PRIu64 " events"),
			film->event);
		return;
	}
	if (film->seeking) {
		str_printf(out, _("on the way, event %" PRIu64), film->event);
		return;
	}
	str_add(out, film->at_end   ? _("at the end so far, ")
		     : film->paused ? _("paused at ")
				    : _("playing "));
	time_words(film, film->paused && !film->at_end, out);
	str_printf(out, _(", event %" PRIu64 " of %" PRIu64), film->event, film->events);
	if (film->counting || film->follows)
		str_add_char(out, '+');
}

static void speed_words(const struct film *film, struct str *out)
{
	if (film->speed < 0)
		str_printf(out, _("speed 1/%ux"), 1u << -film->speed);
	else
		str_printf(out, _("speed %ux"), 1u << film->speed);
}

static bool is_any(const struct film_mark *mark)
{
	(void)mark;
	return true;
}

static void next_words(const struct film *film, struct str *out)
{
	const struct film_mark *mark = film_next(film, film->event, is_any);
	char time[16];

	if (mark == NULL) {
		if (!film->counting && !film->at_end)
			str_add(out, _("no mark behind this"));
		return;
	}
	clock_format_hms(wall_of(film, mark->at_ms), time);
	str_printf(out, _("next: %c at %s"), mark->letter, time);
}

/* As many parts as have room, the next mark at the right. */
static void draw_status(const struct screen *s, const struct film *film, unsigned row)
{
	STR_AUTO struct str place = STR_INIT;
	STR_AUTO struct str speed = STR_INIT;
	STR_AUTO struct str next = STR_INIT;
	const char *waits = film->cuts_waits ? _("long waits cut") : _("all waits kept");
	unsigned cols = s->frame->cols, col = 1, end;

	place_words(film, &place);
	speed_words(film, &speed);
	next_words(film, &next);
	col += draw_field(s, col, row, cols - col, STYLE_KEY, str_c(&place));
	end = cols - text_columns(str_c(&next));
	if (draw_right(s, row, col, STYLE_PLAIN, str_c(&next)) && next.len > 0)
		end -= 2;
	else
		end = cols;
	const char *parts[] = {str_c(&speed), waits};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		unsigned gap = cols < 100 ? 2 : GAP;

		if (col + gap + text_columns(parts[i]) > end)
			return;
		col += gap + draw_text(s, col + gap, row, STYLE_PLAIN, parts[i]);
	}
}

void draw_film_foot(const struct screen *s, const struct film *film, const struct film_place *place)
{
	STR_AUTO struct str text = STR_INIT;
	const char *corner = place->marks_row > 0 ? "┤" : "┘";

	if (place->status_row == 0)
		place_words(film, &text);
	draw_rule(s, place->rule_row, STYLE_KEY, str_c(&text), corner);
	if (place->right_cols > 0)
		frame_put(s->frame, place->cols - 1, place->rule_row, 1, STYLE_RULE, "┴");
	if (place->bar_row > 0)
		draw_bar(s, film, place);
	if (place->status_row > 0)
		draw_status(s, film, place->status_row);
	if (place->marks_row > 0) {
		draw_letters(s, film, place);
		draw_rule(s, place->status_row + 1, STYLE_RULE,
			s->frame->cols < LEGEND_FROM ? _(legend_short) : _(legend), "┘");
	}
}
