/* The styles of screens.md section 7.1, by meaning. */
#ifndef TUI_STYLE_H
#define TUI_STYLE_H

enum style {
	STYLE_PLAIN,
	STYLE_TITLE,
	STYLE_RULE,
	STYLE_QUIET,
	STYLE_KEY,
	STYLE_SELECT,
	STYLE_READY,
	STYLE_NOTE,
	STYLE_DANGER,
	STYLE_MARK,
	STYLE_ESCAPE,
	STYLE_FOLD,
	STYLE_PROGRAM,
	STYLE_JOIN,
	STYLE_STRING,
	STYLE_EXPAND,
	STYLE_AGENT,
	STYLE_RUNNING,
	STYLE_FAILED,
	STYLE_TAKEN,
	STYLE_ADDED,
	STYLE_MATCH,
	STYLE_FILM,
	STYLE_OUT_BOLD, /* colours of an output, where the person wants them */
	STYLE_OUT_RED,
	STYLE_OUT_GREEN,
	STYLE_OUT_YELLOW,
	STYLE_OUT_BLUE,
	STYLE_OUT_MAGENTA,
	STYLE_OUT_CYAN,
	STYLE_COUNT
};
enum theme { THEME_DARK, THEME_LIGHT, THEME_MONO, THEME_COUNT };
enum depth { DEPTH_MONO, DEPTH_16, DEPTH_256, DEPTH_COUNT };

struct look {         /* how a style is put on a terminal */
	short fg, bg; /* -1: the terminal's own */
	unsigned char bold, underline, reverse;
};
const char *style_name(enum style style);
struct look style_look(enum style style, enum theme theme, enum depth depth);

#endif
