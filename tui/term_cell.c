#include "config.h"

#include "tui/term_cell.h"

#include <stdio.h>
#include <string.h>
#include <unistr.h>

#include "base/mem.h"
#include "base/text.h"
#include "tui/term.h"

static bool is_safe(const struct cell *cell, bool utf8)
{
	size_t len = strnlen(cell->text, CELL_BYTES);
	struct text_piece piece;

	if (len == 1 && cell->text[0] >= ' ' && cell->text[0] <= '~')
		return cell->width == 1;
	if (len == 0 || len == CELL_BYTES || !utf8)
		return false;
	/* By itself: what a letter is beside others of its word was decided where the word was known. */
	struct text_iter *it = text_begin(cell->text, len, TEXT_OUTPUT);
	bool safe = text_next(it, &piece) && piece.kind == TEXT_PLAIN && piece.len == len &&
		    piece.columns == cell->width;
	text_end(it);
	return safe;
}

bool term_cell_wide(const struct cell *cell, bool utf8, size_t max, wchar_t *wide)
{
	const uint8_t *at = (const uint8_t *)cell->text;
	size_t n = 0;
	ucs4_t uc;

	if (!is_safe(cell, utf8))
		return false;
	while ((at = u8_next(&uc, at)) != NULL) {
		int want = n == 0 ? cell->width : 0;

		if (n == max || wcwidth((wchar_t)uc) != want)
			return false;
		wide[n++] = (wchar_t)uc;
	}
	wide[n] = L'\0';
	return n > 0;
}

bool term_knows_titles(const char *term_name)
{
	static const char *const plain[] = {"linux", "vt", "ansi", "cons", "sun", "wy", "eterm"};

	for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
		if (strncmp(term_name, plain[i], strlen(plain[i])) == 0)
			return false;
	}
	return true;
}

size_t term_title_bytes(const char *ours, char ret[TERM_TITLE_BYTES])
{
	static const char start[] = "\x1B]2;";
	static const char end[] = "\x1B\\";
	size_t len = sizeof(start) - 1;

	memcpy(ret, start, len);
	for (size_t i = 0; ours[i] != '\0' && len < TERM_TITLE_BYTES - sizeof(end); i++)
		ret[len++] = ours[i] >= ' ' && ours[i] <= '~' ? ours[i] : '?';
	memcpy(ret + len, end, sizeof(end) - 1);
	return len + sizeof(end) - 1;
}

enum term_between term_between(const char *term_name, const char *tmux, const char *sty)
{
	bool inside = strncmp(term_name, "tmux", 4) == 0 || strncmp(term_name, "screen", 6) == 0;

	/* A terminal that was started from there inherits the variables, but not the name. */
	if (inside && tmux != NULL && tmux[0] != '\0')
		return TERM_BETWEEN_TMUX;
	return inside && sty != NULL && sty[0] != '\0' ? TERM_BETWEEN_SCREEN : TERM_BETWEEN_NOTHING;
}

enum term_notice term_notice_form(const char *name)
{
	if (strcmp(name, "osc777") == 0)
		return TERM_NOTICE_OSC777;
	return strcmp(name, "osc9") == 0 ? TERM_NOTICE_OSC9 : TERM_NOTICE_OFF;
}

size_t term_notice_bytes(enum term_notice form, enum term_between between, const char *ours,
	char ret[TERM_NOTICE_BYTES])
{
	/* Never a digit behind "9;": for some terminals that is another command. tmux wants each ESC twice. */
	static const char *const begin[] = {[TERM_NOTICE_OSC9] = "]9;Exequatur: ",
		[TERM_NOTICE_OSC777] = "]777;notify;Exequatur;"};
	static const char *const open[] = {[TERM_BETWEEN_NOTHING] = "\x1B",
		[TERM_BETWEEN_TMUX] = "\x1BPtmux;\x1B\x1B",
		[TERM_BETWEEN_SCREEN] = "\x1BP\x1B"};
	const char *close = between == TERM_BETWEEN_NOTHING ? "\x1B\\" : "\a\x1B\\";
	char text[TERM_NOTICE_BYTES / 2] = "";

	if (form == TERM_NOTICE_OFF)
		return 0;
	for (size_t i = 0; ours[i] != '\0' && i < sizeof(text) - 1; i++)
		text[i] = ours[i] >= ' ' && ours[i] <= '~' && ours[i] != ';' ? ours[i] : '?';
	snprintf(ret, TERM_NOTICE_BYTES, "%s%s%s%s", open[between], begin[form], text, close);
	return strlen(ret);
}

enum theme term_theme_auto(const char *colorfgbg)
{
	const char *background = colorfgbg == NULL ? NULL : strrchr(colorfgbg, ';');

	/* 7 and 15 are the light ones of the sixteen; anything else, "default" too, tells nothing. */
	if (background != NULL && (strcmp(background, ";7") == 0 || strcmp(background, ";15") == 0))
		return THEME_LIGHT;
	return THEME_DARK;
}
