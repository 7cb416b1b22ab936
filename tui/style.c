#include "config.h"

#include "tui/style.h"

#include <stdbool.h>

#define OWN (-1) /* the terminal's own colour */

enum { BOLD = 1, UNDER = 2, REVERSE = 4 };

/* One cell of the table of screens.md section 7.1. */
struct ink {
	short fg, bg;
	unsigned char how;
};
struct style_row {
	const char *name;
	struct ink dark16, light16, dark256, light256, mono;
};

#define PLAIN                                                                                      \
	{                                                                                          \
		OWN, OWN, 0                                                                        \
	}
#define HOW(how)                                                                                   \
	{                                                                                          \
		OWN, OWN, (how)                                                                    \
	}
#define FG(fg)                                                                                     \
	{                                                                                          \
		(fg), OWN, 0                                                                       \
	}
#define BOLD_FG(fg)                                                                                \
	{                                                                                          \
		(fg), OWN, BOLD                                                                    \
	}
#define ON(fg, bg)                                                                                 \
	{                                                                                          \
		(fg), (bg), 0                                                                      \
	}
#define BOLD_ON(fg, bg)                                                                            \
	{                                                                                          \
		(fg), (bg), BOLD                                                                   \
	}

enum { BLACK = 0, RED = 1, GREEN = 2, YELLOW = 3, BLUE = 4, MAGENTA = 5, CYAN = 6, WHITE = 7 };

/* clang-format off */
static const struct style_row styles[STYLE_COUNT] = {
	[STYLE_PLAIN] = {"plain", PLAIN, PLAIN, PLAIN, PLAIN, PLAIN},
	[STYLE_TITLE] = {"title", HOW(REVERSE), HOW(REVERSE), ON(252, 238), ON(238, 252), HOW(REVERSE)},
	[STYLE_RULE] = {"rule", PLAIN, PLAIN, FG(247), FG(241), PLAIN},
	[STYLE_QUIET] = {"quiet", PLAIN, PLAIN, FG(247), FG(241), PLAIN},
	[STYLE_KEY] = {"key", HOW(BOLD), HOW(BOLD), HOW(BOLD), HOW(BOLD), HOW(BOLD)},
	[STYLE_SELECT] = {"select", HOW(REVERSE), HOW(REVERSE), ON(231, 24), ON(231, 25), HOW(REVERSE)},
	[STYLE_READY] = {"ready", HOW(BOLD | REVERSE), HOW(BOLD | REVERSE), BOLD_ON(16, 252), BOLD_ON(231, 238),
		HOW(BOLD | REVERSE)},
	[STYLE_NOTE] = {"note", BOLD_FG(YELLOW), BOLD_FG(MAGENTA), BOLD_FG(214), BOLD_FG(94), HOW(BOLD)},
	[STYLE_DANGER] = {"danger", BOLD_ON(WHITE, RED), BOLD_ON(WHITE, RED), BOLD_ON(231, 160), BOLD_ON(231, 124),
		HOW(BOLD | REVERSE)},
	[STYLE_MARK] = {"mark", HOW(UNDER), HOW(UNDER), {214, OWN, UNDER}, {94, OWN, UNDER}, HOW(UNDER)},
	[STYLE_ESCAPE] = {"escape", ON(WHITE, RED), ON(WHITE, RED), ON(231, 160), ON(231, 124), HOW(REVERSE)},
	[STYLE_FOLD] = {"fold", HOW(UNDER), HOW(UNDER), {180, OWN, UNDER}, {94, OWN, UNDER}, HOW(UNDER)},
	[STYLE_PROGRAM] = {"program", HOW(BOLD), HOW(BOLD), HOW(BOLD), HOW(BOLD), HOW(BOLD)},
	[STYLE_JOIN] = {"join", BOLD_FG(CYAN), BOLD_FG(BLUE), BOLD_FG(117), BOLD_FG(25), HOW(BOLD)},
	[STYLE_STRING] = {"string", FG(CYAN), FG(BLUE), FG(152), FG(24), PLAIN},
	[STYLE_EXPAND] = {"expand", FG(MAGENTA), FG(MAGENTA), FG(183), FG(91), PLAIN},
	[STYLE_AGENT] = {"agent", FG(CYAN), FG(BLUE), FG(152), FG(24), PLAIN},
	[STYLE_RUNNING] = {"running", HOW(BOLD), HOW(BOLD), BOLD_FG(117), BOLD_FG(25), HOW(BOLD)},
	[STYLE_FAILED] = {"failed", FG(YELLOW), FG(MAGENTA), FG(180), FG(94), HOW(BOLD)},
	[STYLE_TAKEN] = {"taken", FG(MAGENTA), FG(MAGENTA), FG(176), FG(90), PLAIN},
	[STYLE_ADDED] = {"added", BOLD_FG(CYAN), BOLD_FG(BLUE), BOLD_FG(117), BOLD_FG(25), HOW(BOLD)},
	[STYLE_MATCH] = {"match", ON(BLACK, YELLOW), ON(BLACK, YELLOW), ON(16, 220), ON(16, 222), HOW(REVERSE)},
	[STYLE_FILM] = {"film", ON(BLACK, CYAN), ON(BLACK, CYAN), ON(16, 117), ON(231, 24), HOW(REVERSE)},
	[STYLE_OUT_BOLD] = {"out-bold", HOW(BOLD), HOW(BOLD), HOW(BOLD), HOW(BOLD), HOW(BOLD)},
	[STYLE_OUT_RED] = {"out-red", FG(RED), FG(RED), FG(210), FG(124), PLAIN},
	[STYLE_OUT_GREEN] = {"out-green", FG(GREEN), FG(GREEN), FG(114), FG(22), PLAIN},
	[STYLE_OUT_YELLOW] = {"out-yellow", FG(YELLOW), FG(YELLOW), FG(222), FG(94), PLAIN},
	[STYLE_OUT_BLUE] = {"out-blue", FG(BLUE), FG(BLUE), FG(111), FG(25), PLAIN},
	[STYLE_OUT_MAGENTA] = {"out-magenta", FG(MAGENTA), FG(MAGENTA), FG(176), FG(90), PLAIN},
	[STYLE_OUT_CYAN] = {"out-cyan", FG(CYAN), FG(CYAN), FG(80), FG(23), PLAIN},
};
/* clang-format on */

const char *style_name(enum style style)
{
	return styles[style].name;
}

static const struct ink *ink_of(const struct style_row *row, enum theme theme, enum depth depth)
{
	bool light = theme == THEME_LIGHT;

	if (theme == THEME_MONO || depth == DEPTH_MONO)
		return &row->mono;
	if (depth == DEPTH_256)
		return light ? &row->light256 : &row->dark256;
	return light ? &row->light16 : &row->dark16;
}

struct look style_look(enum style style, enum theme theme, enum depth depth)
{
	const struct ink *ink = ink_of(&styles[style], theme, depth);
	struct look look = {
		.fg = ink->fg,
		.bg = ink->bg,
		.bold = (ink->how & BOLD) != 0,
		.underline = (ink->how & UNDER) != 0,
		.reverse = (ink->how & REVERSE) != 0,
	};

	return look;
}
