#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/panes.h"
#include "tui/edge.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define REASON_ROWS 7u /* field, blank, four earlier reasons, blank */
#define REASON_LEAST 3u
#define CARD_LEAST 3u /* rows of the card that stay above a prompt */
#define REASON_COLUMN 11u
#define FIND_COLUMN 12u

static unsigned dangers(const struct card *card)
{
	unsigned count = 0;

	for (size_t i = 0; card != NULL && i < card->unusual.count; i++)
		count += card->unusual.items[i].severity == SEVERITY_DANGER;
	return count;
}

static unsigned clamp(unsigned n, unsigned least, unsigned most)
{
	return n < least ? least : n > most ? most : n;
}

unsigned prompt_rows(const struct ui *ui, const struct job *job)
{
	unsigned body = panes_shown(ui) ? panes_of(ui).upper_rows - PANES_CARD_HEAD_ROWS
					: ui->rows - CARD_HEAD_ROWS - FOOT_ROWS;
	unsigned most;

	if (ui->view == VIEW_MARKED)
		body = ui->rows - LIST_HEAD_ROWS - FOOT_ROWS;
	most = body > CARD_LEAST + 1 ? body - CARD_LEAST - 1 : 1;
	if (job == NULL || (ui->view != VIEW_CARD && ui->view != VIEW_MARKED))
		return 0;
	if (ui->prompt.kind == PROMPT_REASON || ui->prompt.kind == PROMPT_EDIT)
		return 1 + clamp(REASON_ROWS, REASON_LEAST, most);
	if (ui->prompt.kind == PROMPT_GRANT)
		return 1 + clamp(GRANT_PROMPT_ROWS, REASON_LEAST, most);
	if (ui->prompt.kind == PROMPT_WORD)
		return 1 + clamp(dangers(job->card) + 3, REASON_LEAST, most);
	return 0;
}

/* The text that is typed, on as many rows as it needs, up to `count`; the cursor stays in sight. Returns the rows used. */
struct field {
	unsigned col, row, columns, count;
};

struct field_at { /* where a byte of the text is drawn */
	unsigned row, col;
};

/* Where byte `at_byte` is drawn: found in the whole text, since what stands behind a character can change how it is shown. */
static struct field_at field_find(const struct field *f, const struct str *whole, size_t at_byte)
{
	struct text_iter *it = text_begin(str_c(whole), whole->len, TEXT_OUTPUT);
	struct text_piece piece;
	struct field_at at = {0, 0};

	while (text_next(it, &piece) && piece.start < at_byte) {
		if (at.col + piece.columns > f->columns)
			at = (struct field_at){at.row + 1, 0};
		at.col += piece.columns;
	}
	text_end(it);
	if (at.col >= f->columns)
		at = (struct field_at){at.row + 1, 0};
	return at;
}

static void field_text(
	const struct screen *s, const struct field *f, const char *text, unsigned first)
{
	struct text_iter *it =
		text_begin(text, strlen(text), TEXT_OUTPUT | (s->ui->ascii ? TEXT_ASCII_ONLY : 0));
	struct text_piece piece;
	struct field_at at = {0, 0};

	while (text_next(it, &piece)) {
		if (at.col + piece.columns > f->columns)
			at = (struct field_at){at.row + 1, 0};
		if (at.row >= first && at.row - first < f->count)
			draw_text(s, f->col + at.col, f->row + at.row - first,
				piece.kind == TEXT_PLAIN ? STYLE_KEY : STYLE_ESCAPE, piece.shown);
		at.col += piece.columns;
	}
	text_end(it);
}

static unsigned draw_input(const struct screen *s, const struct field *f)
{
	const struct prompt *prompt = &s->ui->prompt;
	const char *text = str_c(&prompt->text);
	struct field_at cursor = field_find(f, &prompt->text, prompt->cursor);
	struct field_at end = field_find(f, &prompt->text, prompt->text.len);
	unsigned first = cursor.row >= f->count ? cursor.row - f->count + 1 : 0;
	unsigned row = f->row + cursor.row - first;

	field_text(s, f, text, first);
	if (prompt->cursor == prompt->text.len)
		draw_text(s, f->col + cursor.col, row, STYLE_KEY, "_");
	s->frame->cursor_col = (int)(f->col + cursor.col);
	s->frame->cursor_row = (int)row;
	s->frame->cursor_shown = true;
	return end.row - first + 1 < f->count ? end.row - first + 1 : f->count;
}

void draw_typed(const struct screen *s, unsigned col, unsigned row)
{
	struct field f = {.col = col, .row = row, .columns = s->frame->cols - col - 2, .count = 1};

	draw_input(s, &f);
}

static void draw_reason(const struct screen *s, unsigned row, unsigned count)
{
	const struct ui *ui = s->ui;
	struct field f = {.col = REASON_COLUMN,
		.row = row,
		.columns = s->frame->cols - REASON_COLUMN - 2,
		.count = count};
	unsigned used = draw_input(s, &f) + 1;

	draw_text(s, 1, row, STYLE_RULE, _("reason"));
	for (size_t i = 0; i < ui->reason_count && used < count; i++, used++) {
		if (i == 0)
			draw_text(s, 1, row + used, STYLE_RULE, _("earlier"));
		draw_field(s, REASON_COLUMN, row + used, f.columns, STYLE_PLAIN,
			ui->reasons[ui->reason_count - 1 - i]);
	}
}

static void draw_command(const struct screen *s, unsigned row, unsigned count)
{
	struct field f = {.col = REASON_COLUMN,
		.row = row,
		.columns = s->frame->cols - REASON_COLUMN - 2,
		.count = count};

	draw_text(s, 1, row, STYLE_RULE, _("command"));
	draw_input(s, &f);
}

/* "deletes version control" is what the command does; "you are about to" do that. */
static void infinitive(const char *what, struct str *out)
{
	static const char and[] = " and ";
	const char *rest = what;

	while (rest != NULL) {
		size_t verb = strcspn(rest, " :");
		size_t keep = verb > 1 && rest[verb - 1] == 's' ? verb - 1 : verb;
		const char *next = strstr(rest, and);

		str_add_bytes(out, rest, keep);
		rest += verb;
		str_add_bytes(out, rest,
			next != NULL ? (size_t)(next - rest) + strlen(and) : strlen(rest));
		rest = next != NULL ? next + strlen(and) : NULL;
	}
}

static void draw_danger(const struct screen *s, unsigned row, const struct unusual *note)
{
	STR_AUTO struct str what = STR_INIT;
	unsigned end = s->frame->cols - 2, col = PROMPT_WORD_COLUMN;

	if (words_are_english())
		infinitive(note->what, &what);
	else
		edge_words(note->what, &what);
	if (note->words != NULL)
		str_add(&what, ": ");
	col += frame_put(s->frame, col, row, end - col, STYLE_DANGER, str_c(&what));
	if (note->words != NULL && col < end)
		draw_field(s, col, row, end - col, STYLE_DANGER, note->words);
}

static void draw_word(const struct screen *s, unsigned row, unsigned count)
{
	const struct card *card = s->job->card;
	STR_AUTO struct str words = STR_INIT;
	unsigned end = row + count, at = row;
	struct field f = {.col = PROMPT_WORD_COLUMN,
		.columns = s->frame->cols - PROMPT_WORD_COLUMN - 2,
		.count = 1};

	/* The last two rows are for the word, whatever else there is no room for. */
	for (size_t i = 0; card != NULL && i < card->unusual.count && at + 2 < end; i++) {
		if (card->unusual.items[i].severity != SEVERITY_DANGER)
			continue;
		if (at == row)
			draw_text(s, 1, row, STYLE_RULE, _("you are about to"));
		draw_danger(s, at++, &card->unusual.items[i]);
	}
	if (card != NULL)
		card_words(card, &words);
	draw_text(s, 1, at, STYLE_RULE,
		strchr(str_c(&words), ' ') != NULL ? _("type the words") : _("type the word"));
	draw_text(s, PROMPT_WORD_COLUMN, at, STYLE_KEY, str_c(&words));
	f.row = at + 1;
	draw_input(s, &f);
}

/* "reject 100 of scraper: " and the reason behind it. */
static void draw_reason_all(const struct screen *s)
{
	const struct ui *ui = s->ui;
	const struct sender *sender = model_sender(s->model, (unsigned)ui->prompt.seq);
	STR_AUTO struct str name = STR_INIT;
	STR_AUTO struct str count = STR_INIT;
	unsigned row = screen_gate_row(s), col = 5;

	if (sender != NULL)
		sender_words(s->model, sender, &name);
	words_count(ui_rejected_count(ui, s->model), &count);
	draw_text(s, 1, row, STYLE_PLAIN, "[ ]");
	col += draw_text(s, col, row, STYLE_PLAIN, _("reject all "));
	col += draw_text(s, col, row, STYLE_KEY, str_c(&count));
	col += draw_text(s, col, row, STYLE_PLAIN, _(" of "));
	col += draw_field(s, col, row, 16, STYLE_AGENT, str_c(&name));
	col += draw_text(s, col, row, STYLE_PLAIN, ": ");
	draw_typed(s, col, row);
}

/* What is sought stands beside what is searched: the gate row alone is taken. */
void draw_find(const struct screen *s)
{
	bool list = s->ui->view == VIEW_HISTORY;
	bool save = s->ui->prompt.kind == PROMPT_SAVE, go = s->ui->prompt.kind == PROMPT_GOTO;
	unsigned col = save || go ? FIND_COLUMN + 1 : FIND_COLUMN;
	struct field f = {.col = col,
		.row = screen_gate_row(s),
		.columns = s->frame->cols - col - 1,
		.count = 1};

	if (s->ui->prompt.kind == PROMPT_REASON_ALL) {
		draw_reason_all(s);
		return;
	}
	draw_text(s, 1, f.row, STYLE_PLAIN, s->ui->film ? "[=]" : "[ ]");
	draw_text(s, 5, f.row, STYLE_PLAIN,
		go     ? _("go to")
		: save ? _("save to")
		: list ? _("filter")
		       : _("find"));
	draw_input(s, &f);
}

void draw_prompt(const struct screen *s, unsigned row)
{
	static const struct {
		const char *before, *behind; /* the number of the call */
		void (*draw)(const struct screen *s, unsigned row, unsigned count);
	} parts[PROMPT_KIND_COUNT] = {
		[PROMPT_REASON] = {N_("reject "), N_(": the agent gets this text, nothing runs"),
			draw_reason},
		[PROMPT_EDIT] = {N_("edit "), N_(": the new text is a new card"), draw_command},
		[PROMPT_GRANT] = {N_("approve "), N_(", and the identical call again for a time"),
			draw_grant_prompt},
		[PROMPT_WORD] = {"", N_(" needs a word"), draw_word},
	};
	const struct prompt *prompt = &s->ui->prompt;
	unsigned count = prompt_rows(s->ui, s->job) - 1;
	char head[240];

	draw_edge(s, row + 1, count);
	if (s->ui->view == VIEW_MARKED)
		snprintf(head, sizeof(head),
			_("reject all %u: each agent gets this text, nothing runs"),
			s->ui->mark_count);
	else
		snprintf(head, sizeof(head), "%s#%" PRIu64 "%s", _(parts[prompt->kind].before),
			prompt->seq, _(parts[prompt->kind].behind));
	draw_rule(s, row, STYLE_KEY, head, "┤");
	parts[prompt->kind].draw(s, row + 1, count);
}
