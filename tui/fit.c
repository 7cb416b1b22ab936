#include "config.h"

#include "tui/fit.h"

#include <string.h>

#include "base/text.h"

void fit_pad(const char *text, unsigned columns, struct str *out)
{
	unsigned used = text_columns(text);

	str_add(out, text);
	str_printf(out, "%*s", used < columns ? (int)(columns - used) : 1, "");
}

/* A row does not begin with what closes a clause. */
static bool is_closing(const char *shown)
{
	return strstr("，。：；、）”！？", shown) != NULL;
}

size_t fit_row(const char *text, unsigned columns)
{
	struct text_iter *it = text_begin(text, strlen(text), TEXT_OUTPUT);
	struct text_piece piece;
	size_t end = 0, cut = 0, at = 0;
	unsigned used = 0, before = 1;

	while (text_next(it, &piece)) {
		bool blank = piece.shown[0] == ' ';

		if (blank || (before == 2 && piece.columns == 2 && !is_closing(piece.shown)))
			cut = piece.start;
		if (used + piece.columns > columns && !blank) {
			end = cut > 0 ? cut : at;
			break;
		}
		used += piece.columns;
		before = piece.columns;
		at = end = piece.start + piece.len;
	}
	text_end(it);
	return end > 0 || text[0] == '\0' ? end : strlen(text);
}

const char *fit_rest(const char *text, size_t len)
{
	return text + len + (text[len] == ' ');
}
