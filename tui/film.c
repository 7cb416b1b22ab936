#include "config.h"

#include "tui/film.h"

#include <string.h>

#define RIGHT_FROM 90u /* columns of a screen */
#define RIGHT_COLS 36u
#define WHOLE_FROM 24u /* rows that have room for the bar, the letters and what they mean */
#define BAR_FROM 20u   /* and for the bar alone */
#define BAR_SIDE 8u

bool film_is_decision(const struct film_mark *mark)
{
	return mark->letter != '\0' && strchr("agredx!", mark->letter) != NULL;
}

bool film_is_failure(const struct film_mark *mark)
{
	return mark->letter == 'l' || mark->letter == '!';
}

/* How many marks are not behind event. */
static size_t up_to(const struct film *film, uint64_t event)
{
	size_t low = 0, high = film->mark_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (film->marks[middle].event <= event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct film_mark *film_next(
	const struct film *film, uint64_t event, bool (*is)(const struct film_mark *))
{
	for (size_t i = up_to(film, event); i < film->mark_count; i++) {
		if (is(&film->marks[i]))
			return &film->marks[i];
	}
	return NULL;
}

const struct film_mark *film_before(
	const struct film *film, uint64_t event, bool (*is)(const struct film_mark *))
{
	for (size_t i = event == 0 ? 0 : up_to(film, event - 1); i-- > 0;) {
		if (is(&film->marks[i]))
			return &film->marks[i];
	}
	return NULL;
}

const struct film_mark *film_decision_of(const struct film *film, uint64_t event, uint64_t seq)
{
	for (size_t i = up_to(film, event); i < film->mark_count; i++) {
		const struct film_mark *mark = &film->marks[i];

		if (mark->seq == seq && strchr("agre", mark->letter) != NULL)
			return mark;
	}
	return NULL;
}

struct film_place film_place(unsigned cols, unsigned rows)
{
	struct film_place p = {.cols = cols, .rows = rows};

	if (cols >= RIGHT_FROM)
		p.right_cols = cols - UI_MIN_COLS < RIGHT_COLS ? cols - UI_MIN_COLS : RIGHT_COLS;
	p.cols -= p.right_cols;
	if (rows >= WHOLE_FROM)
		p.rows -= 4;
	else if (rows >= BAR_FROM)
		p.rows -= 2;
	p.rule_row = p.rows > 3 ? p.rows - 3 : 0;
	if (rows >= BAR_FROM)
		p.bar_row = p.rule_row + 1;
	if (rows >= WHOLE_FROM)
		p.marks_row = p.bar_row + 1;
	if (rows >= BAR_FROM)
		p.status_row = p.bar_row + (p.marks_row > 0 ? 2 : 1);
	p.bar_col = BAR_SIDE;
	p.bar_cols = cols > 2 * BAR_SIDE ? cols - 2 * BAR_SIDE : 0;
	return p;
}

unsigned film_bar_column(const struct film_place *place, int64_t at_ms, int64_t last_ms)
{
	int64_t at = at_ms < 0 ? 0 : at_ms > last_ms ? last_ms : at_ms;

	if (place->bar_cols == 0 || last_ms <= 0)
		return place->bar_col;
	unsigned col = (unsigned)((double)at / (double)last_ms * place->bar_cols);

	return place->bar_col + (col < place->bar_cols ? col : place->bar_cols - 1);
}
