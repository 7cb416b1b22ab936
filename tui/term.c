#include "config.h"

#include "tui/term.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/text.h"
#include "tui/term_cell.h"
#include "tui/term_signals.h"
#include "tui/term_tty.h"

/* curses draws and does nothing else: it reads no key (its parser gives up a split sequence as keys), sets no mode that stays and
   catches no signal. */

#define GATE_ROW_FROM_BOTTOM 2
#define OWN_MODES_ON "\x1B[?2004h\x1B[?1004h" /* bracketed paste, focus */
#define OWN_MODES_OFF "\x1B[?1006l\x1B[?1000l\x1B[?1004l\x1B[?2004l"
#define MOUSE_ON "\x1B[?1000h\x1B[?1006h" /* buttons and wheel, in a form without raw bytes */
#define TITLE_PUSH "\x1B[22;2t"
/* Empty first: it stays so where the terminal has no stack of titles. */
#define TITLE_POP "\x1B]2;\x1B\\\x1B[23;2t"

struct term {
	struct term_tty tty;
	FILE *in, *out;
	SCREEN *screen;
	enum theme theme;
	enum depth depth;
	bool utf8, titles, mouse;
	unsigned cols, rows;
	struct cell *shown; /* what is on the screen, so that only other cells are written */
	bool open;
};

static struct term the_term = {.tty = {.in_fd = -1, .out_fd = -1}};

static bool has_cap(const char *name)
{
	const char *cap = tigetstr((char *)name);

	return cap != NULL && cap != (const char *)-1;
}

static void add_cap(struct term_strings *to, const char *name)
{
	if (has_cap(name))
		term_strings_add_cap(to, tigetstr((char *)name));
}

static void make_strings(
	const struct term *term, struct term_strings *leave, struct term_strings *enter)
{
	*leave = (struct term_strings){.len = 0};
	*enter = (struct term_strings){.len = 0};
	if (term->titles)
		term_strings_add(leave, TITLE_POP);
	term_strings_add(leave, OWN_MODES_OFF);
	add_cap(leave, "sgr0");
	add_cap(leave, "op");
	add_cap(leave, "cnorm");
	add_cap(leave, has_cap("rmcup") ? "rmcup" : "clear");
	add_cap(enter, "smcup");
	add_cap(enter, "civis");
	if (term->titles)
		term_strings_add(enter, TITLE_PUSH);
	term_strings_add(enter, OWN_MODES_ON);
	if (term->mouse)
		term_strings_add(enter, MOUSE_ON);
}

/* newterm() takes signals that belong to the program's loop: they are given back at once. */
static SCREEN *new_screen(FILE *out, FILE *in)
{
	static const int taken[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
	struct sigaction before[ARRAY_LEN(taken)];
	SCREEN *screen;

	for (size_t i = 0; i < ARRAY_LEN(taken); i++)
		sigaction(taken[i], NULL, &before[i]);
	screen = newterm(NULL, out, in);
	for (size_t i = 0; i < ARRAY_LEN(taken); i++)
		sigaction(taken[i], &before[i], NULL);
	return screen;
}

static enum depth find_depth(enum theme theme)
{
	const char *no_color = getenv("NO_COLOR");

	if (theme == THEME_MONO || (no_color != NULL && no_color[0] != '\0') || !has_colors() ||
		start_color() == ERR || use_default_colors() == ERR)
		return DEPTH_MONO;
	return COLORS >= 256 ? DEPTH_256 : COLORS >= 8 ? DEPTH_16 : DEPTH_MONO;
}

static void make_pairs(const struct term *term)
{
	for (short style = 0; style < STYLE_COUNT && term->depth != DEPTH_MONO; style++) {
		struct look look = style_look((enum style)style, term->theme, term->depth);

		init_pair((short)(style + 1), look.fg, look.bg);
	}
}

static void set_up_screen(struct term *term)
{
	typeahead(-1); /* else a key pressed meanwhile would leave a frame half drawn */
	leaveok(stdscr, FALSE);
	scrollok(stdscr, FALSE);
	term->depth = find_depth(term->theme);
	make_pairs(term);
	curs_set(0);
}

static void start_modes(struct term *term)
{
	struct term_strings leave, enter;
	struct termios now, ours;

	make_strings(term, &leave, &enter);
	if (tcgetattr(term->tty.out_fd, &now) < 0)
		now = term->tty.before;
	term_tty_modes(&now, &ours);
	/* Handlers first: from here on every way out restores. */
	term_signals_install(term->tty.out_fd, &term->tty.before, &ours, &leave, &enter);
	tcsetattr(term->tty.out_fd, TCSAFLUSH,
		&ours); /* what was typed ahead is no answer to what comes */
	def_prog_mode();
	if (term->titles)
		fd_write_all(term->tty.out_fd, TITLE_PUSH, strlen(TITLE_PUSH), NULL);
	fd_write_all(term->tty.out_fd, OWN_MODES_ON, strlen(OWN_MODES_ON), NULL);
	if (term->mouse)
		fd_write_all(term->tty.out_fd, MOUSE_ON, strlen(MOUSE_ON), NULL);
}

static int open_screen(struct term *term, struct err *err)
{
	const char *name = getenv("TERM");

	if (name == NULL || name[0] == '\0')
		return err_set(
			err, ERR_UNAVAILABLE, "TERM is not set: the kind of terminal is not known");
	int in = dup(term->tty.in_fd);
	int out = dup(term->tty.out_fd);

	fd_set_cloexec(in, true, NULL);
	fd_set_cloexec(out, true, NULL);
	term->in = fdopen(in, "r");
	term->out = fdopen(out, "w");
	if (term->in == NULL || term->out == NULL)
		return err_set_errno(err, "opening the terminal twice");
	term->screen = new_screen(term->out, term->in);
	if (term->screen == NULL)
		return err_set(
			err, ERR_UNAVAILABLE, "TERM=%s: no such terminal is known here", name);
	if (has_cap("cup"))
		return 0;
	endwin();
	delscreen(term->screen);
	tcsetattr(term->tty.out_fd, TCSANOW, &term->tty.before);
	return err_set(err, ERR_UNAVAILABLE, "TERM=%s cannot place the cursor", name);
}

static void close_files(struct term *term)
{
	if (term->in != NULL)
		fclose(term->in);
	if (term->out != NULL)
		fclose(term->out);
	term->in = NULL;
	term->out = NULL;
	term_tty_close(&term->tty);
}

void term_use_mouse(bool on)
{
	the_term.mouse = on;
}

int term_open(enum theme theme, enum depth *ret_depth, struct term **ret, struct err *err)
{
	struct term *term = &the_term;

	if (term->open)
		return err_set(err, ERR_UNAVAILABLE, "the terminal is open already");
	if (term_tty_open(&term->tty, err) < 0)
		return -1;
	if (open_screen(term, err) < 0) {
		close_files(term);
		return -1;
	}
	term->theme = theme;
	term->utf8 = text_locale_flags() == 0;
	term->titles = term_knows_titles(getenv("TERM"));
	term->cols = 0; /* the first frame is a full one */
	term->rows = 0;
	term->open = true;
	set_up_screen(term);
	start_modes(term);
	*ret_depth = term->depth;
	*ret = term;
	return 0;
}

int term_fd(const struct term *term)
{
	return term->tty.in_fd;
}

int term_read(struct term *term, void *buf, size_t len)
{
	return term_tty_read(term->tty.in_fd, buf, len);
}

void term_size(struct term *term, unsigned *ret_cols, unsigned *ret_rows)
{
	*ret_cols = COLS > 0 ? (unsigned)COLS : 80;
	*ret_rows = LINES > 0 ? (unsigned)LINES : 24;
	term_tty_size(term->tty.out_fd, ret_cols, ret_rows);
}

static void put_cell(const struct term *term, unsigned col, unsigned row, const struct cell *cell)
{
	enum style style = cell->style < STYLE_COUNT ? (enum style)cell->style : STYLE_PLAIN;
	struct look look = style_look(style, term->theme, term->depth);
	wchar_t wide[CCHARW_MAX + 1];
	attr_t attrs = A_NORMAL;
	cchar_t drawn;

	if (look.bold)
		attrs |= A_BOLD;
	if (look.underline)
		attrs |= A_UNDERLINE;
	if (look.reverse)
		attrs |= A_REVERSE;
	bool safe = term_cell_wide(cell, term->utf8, CCHARW_MAX, wide);
	setcchar(&drawn, safe ? wide : L"?", attrs,
		term->depth == DEPTH_MONO ? 0 : (short)(style + 1), NULL);
	mvadd_wch((int)row, (int)col, &drawn);
	if (!safe && cell->width == 2)
		mvadd_wch((int)row, (int)col + 1, &drawn);
}

static void put_row(struct term *term, const struct frame *frame, unsigned row)
{
	const struct cell *cells = &frame->cells[(size_t)row * frame->cols];
	struct cell *shown = &term->shown[(size_t)row * frame->cols];

	/* Into the lower right corner curses goes by way of the column before it, also where there is none: what lies there in memory
	   would be on the screen. */
	if (frame->cols == 1 && row + 1 == frame->rows)
		return;
	if (memcmp(cells, shown, frame->cols * sizeof(*cells)) == 0)
		return;
	/* A whole row: half of a wide character can then never stay behind. curses sends only what differs. */
	wmove(stdscr, (int)row, 0);
	wclrtoeol(stdscr);
	for (unsigned col = 0; col < frame->cols; col++) {
		if (cells[col].width > 0 && col + cells[col].width <= frame->cols)
			put_cell(term, col, row, &cells[col]);
	}
	memcpy(shown, cells, frame->cols * sizeof(*cells));
}

static void place_cursor(const struct frame *frame, bool all)
{
	if (all) /* what curses believes of the cursor may be wrong after a stop */
		curs_set(frame->cursor_shown ? 0 : 1);
	curs_set(frame->cursor_shown ? 1 : 0);
	if (frame->cursor_row >= 0 && frame->cursor_col >= 0)
		wmove(stdscr, frame->cursor_row, frame->cursor_col);
}

/* Everything is drawn again, at this size. */
static void start_over(struct term *term, const struct frame *frame)
{
	resizeterm((int)frame->rows, (int)frame->cols);
	free(term->shown);
	term->shown = mem_array((size_t)frame->cols * frame->rows, sizeof(*term->shown));
	term->cols = frame->cols;
	term->rows = frame->rows;
	werase(stdscr);
	clearok(curscr, TRUE);
}

static void flush_screen(void)
{
	wnoutrefresh(stdscr);
	doupdate();
}

int term_put(struct term *term, const struct frame *frame, bool all, struct err *err)
{
	unsigned gate = frame->rows < GATE_ROW_FROM_BOTTOM ? 0 : frame->rows - GATE_ROW_FROM_BOTTOM;

	if (term_tty_hung_up(term->tty.out_fd))
		return err_set(err, ERR_UNAVAILABLE, "the terminal is gone");
	if (frame->cols == 0 || frame->rows == 0)
		return 0;
	all = all || frame->cols != term->cols || frame->rows != term->rows;
	if (all)
		start_over(term, frame);
	/* The lamp goes out before the card under it changes, however slow the line is. */
	put_row(term, frame, gate);
	flush_screen();
	for (unsigned row = 0; row < frame->rows; row++) {
		if (row != gate)
			put_row(term, frame, row);
	}
	place_cursor(frame, all);
	flush_screen();
	return 0;
}

void term_bell(struct term *term)
{
	fd_write_all(term->tty.out_fd, "\a", 1, NULL);
}

void term_title(struct term *term, const char *ours)
{
	char bytes[TERM_TITLE_BYTES];

	if (term->titles)
		fd_write_all(term->tty.out_fd, bytes, term_title_bytes(ours, bytes), NULL);
}

void term_notice(struct term *term, enum term_notice form, const char *ours)
{
	char bytes[TERM_NOTICE_BYTES];
	enum term_between between = term_between(getenv("TERM"), getenv("TMUX"), getenv("STY"));

	if (term->titles)
		fd_write_all(term->tty.out_fd, bytes, term_notice_bytes(form, between, ours, bytes),
			NULL);
}

void term_pause(struct term *term)
{
	if (term->open)
		term_signals_pause();
}

void term_resume(struct term *term)
{
	if (term->open)
		term_signals_resume();
}

bool term_take_resumed(struct term *term)
{
	return term->open && term_signals_take_resumed();
}

void term_drop_input(struct term *term)
{
	tcflush(term->tty.in_fd, TCIFLUSH);
}

static void leave_screen(const struct term *term)
{
	if (term->titles)
		fd_write_all(term->tty.out_fd, TITLE_POP, strlen(TITLE_POP), NULL);
	fd_write_all(term->tty.out_fd, OWN_MODES_OFF, strlen(OWN_MODES_OFF), NULL);
	if (!has_cap("rmcup")) {
		wclear(stdscr);
		flush_screen();
	}
	endwin();
}

void term_close(struct term *term)
{
	if (term == NULL || !term->open)
		return;
	term->open = false;
	/* Paused, nothing of ours is on it. */
	if (!term_signals_paused())
		leave_screen(term);
	term_signals_remove();
	/* Flushed: a late answer of the terminal must not be typed into the shell. */
	tcsetattr(term->tty.out_fd, TCSAFLUSH, &term->tty.before);
	delscreen(term->screen);
	term->screen = NULL;
	free(term->shown);
	term->shown = NULL;
	close_files(term);
}
