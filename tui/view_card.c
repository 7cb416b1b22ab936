#include "config.h"

#include "tui/view_card.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/edge.h"
#include "tui/layout_marks.h"
#include "tui/ui_cache.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define WHO_ROW 1u
#define FACTS_ROW 2u
#define UNUSUAL_ROW 3u

#define NO_COLUMN 1u
#define AGENT_COLUMN 6u
#define STATE_COLUMN 18u
#define LEFT_COLUMN 32u

static void put_waits(const struct screen *s, const struct job *job)
{
	STR_AUTO struct str waits = STR_INIT;
	STR_AUTO struct str left = STR_INIT;

	str_add(&waits, _("waits "));
	words_waited(s->now_ms - job->received_at_ms, &waits);
	draw_text(s, STATE_COLUMN, WHO_ROW, STYLE_QUIET, str_c(&waits));
	if (job->deadline_at_ms < 0)
		return;
	words_left(job->deadline_at_ms - s->now_ms, &left);
	enum style style = str_c(&left)[0] == '!' ? STYLE_NOTE : STYLE_QUIET;
	unsigned col = LEFT_COLUMN + draw_text(s, LEFT_COLUMN, WHO_ROW, style, _("left "));
	draw_text(s, col, WHO_ROW, style, str_c(&left));
}

/* What row 2 says of a call that does not wait; a time of day behind what is over. */
static void state_words(const struct screen *s, const struct job *job, struct str *out)
{
	static const char *const words[JOB_STATE_COUNT] = {
		[JOB_APPROVED] = N_("approved, waits for a free place"),
		[JOB_REFUSED] = N_("refused at once"),
	};
	int64_t wall_ms = job->state == JOB_REJECTED ? job->decided_wall_ms : job->ended_wall_ms;
	char at[16];

	str_add(out,
		words[job->state] != NULL ? _(words[job->state]) : _(job_state_name(job->state)));
	if (job_is_running(job) && job->started_at_ms >= 0) {
		str_add_char(out, ' ');
		words_running(job, s->now_ms, out);
	} else if (job_is_over(job->state) && job->state != JOB_REFUSED && wall_ms > 0) {
		clock_format_hms(wall_ms, at);
		str_printf(out, " %s", at);
	}
}

void draw_who(const struct screen *s, const struct job *job, const char *right)
{
	unsigned taken = LEFT_COLUMN + 10;
	char no[32];

	snprintf(no, sizeof(no), "#%" PRIu64, job->seq);
	draw_text(s, NO_COLUMN, WHO_ROW, STYLE_KEY, no);
	draw_field(s, AGENT_COLUMN > strlen(no) + 2 ? AGENT_COLUMN : (unsigned)strlen(no) + 2,
		WHO_ROW, STATE_COLUMN - AGENT_COLUMN - 1, STYLE_AGENT,
		job->agent != NULL ? job->agent : "-");
	if (job->state == JOB_WAITING) {
		put_waits(s, job);
	} else {
		STR_AUTO struct str words = STR_INIT;

		state_words(s, job, &words);
		taken = STATE_COLUMN + draw_text(s, STATE_COLUMN, WHO_ROW,
					       job_is_running(job) ? STYLE_RUNNING : STYLE_PLAIN,
					       str_c(&words));
	}
	/* With less room, the numbers alone. */
	if (!draw_right(s, WHO_ROW, taken, STYLE_QUIET, right) && strpbrk(right, "0123456789"))
		draw_right(s, WHO_ROW, taken, STYLE_QUIET, strpbrk(right, "0123456789"));
}

void lines_words(size_t top, size_t shown, size_t total, struct str *out)
{
	if (total <= shown) {
		str_add(out, total == 1 ? _("1 line") : _("all "));
		if (total != 1)
			words_number(total, "line", out);
		return;
	}
	str_printf(out, _("lines %zu-%zu of %zu"), top + 1,
		top + shown < total ? top + shown : total, total);
}

/* One fact of the third row: name, value, the style of the value. */
struct short_fact {
	unsigned column;
	const char *name;
	enum style style;
	char value[160];
};
#define SHORT_FACTS 5

static void fill_no_card(const struct job *job, struct short_fact *f)
{
	for (unsigned i = 0; i < SHORT_FACTS; i++)
		snprintf(f[i].value, sizeof(f[i].value), "-");
	if (job->reason != REASON_NO_SANDBOX_AVAILABLE)
		return;
	snprintf(f[2].value, sizeof(f[2].value), _("!NONE"));
	f[2].style = STYLE_NOTE;
}

const char *network_words(const struct card *card, enum style *ret)
{
	static const struct {
		const char *words;
		enum style style;
	} networks[] = {
		[CARD_NETWORK_OFF] = {N_("off"), STYLE_PLAIN},
		[CARD_NETWORK_ON] = {N_("!ON"), STYLE_NOTE},
		[CARD_NETWORK_ON_HOST] = {N_("!!ON"), STYLE_DANGER},
		[CARD_NETWORK_NONE] = {"-", STYLE_PLAIN},
	};

	*ret = networks[card->network].style;
	return _(networks[card->network].words);
}

const char *sandbox_words(const struct card *card, enum style *ret)
{
	static const char *const words[HOLD_COUNT] = {
		[HOLD_NONE] = N_("!NONE"), [HOLD_PART] = N_("!PARTIAL"), [HOLD_FULL] = N_("full")};

	*ret = card->sandbox == HOLD_FULL ? STYLE_PLAIN : STYLE_NOTE;
	if (card->unsandboxed)
		*ret = STYLE_DANGER;
	return _(words[card->sandbox]);
}

static void fill_card(const struct card *card, struct short_fact *f)
{
	snprintf(f[0].value, sizeof(f[0].value), "%s", network_words(card, &f[0].style));
	snprintf(f[1].value, sizeof(f[1].value), P_("%u place", "%u places", card->writes),
		card->writes);
	snprintf(f[2].value, sizeof(f[2].value), "%s", sandbox_words(card, &f[2].style));
	snprintf(f[3].value, sizeof(f[3].value), _("%u s"), card->time_s);
	snprintf(f[4].value, sizeof(f[4].value), _("%u kept, %u cut"), card->env_kept,
		card->env_cut);
}

static unsigned fact_columns(const struct short_fact *f)
{
	return text_columns(f->name) + 1 + text_columns(f->value);
}

static void put_short_fact(const struct screen *s, unsigned col, const struct short_fact *f)
{
	draw_text(s, col, FACTS_ROW, STYLE_RULE, f->name);
	draw_text(s, col + text_columns(f->name) + 1, FACTS_ROW, f->style, f->value);
}

/* The facts at their columns; on a screen too narrow for those one behind the other, as many as there is room for: the
   body has them all. */
static void draw_facts(const struct screen *s, const struct job *job)
{
	struct short_fact f[SHORT_FACTS] = {
		{1, _("network"), STYLE_PLAIN, ""},
		{15, _("writes"), STYLE_PLAIN, ""},
		{32, _("sandbox"), STYLE_PLAIN, ""},
		{50, _("time"), STYLE_PLAIN, ""},
		{62, _("env"), STYLE_PLAIN, ""},
	};
	unsigned end = s->frame->cols - s->pane, col = 1, used = 0;
	bool narrow = end < 79;

	if (job->card != NULL)
		fill_card(job->card, f);
	else
		fill_no_card(job, f);
	for (unsigned i = 0; i < SHORT_FACTS; i++) {
		unsigned columns = fact_columns(&f[i]);

		if (!narrow)
			col = f[i].column > col ? f[i].column : col;
		if (!narrow && i == SHORT_FACTS - 1 && end - columns > used)
			col = end - columns;
		if (col + columns > end)
			break;
		put_short_fact(s, col, &f[i]);
		used = col + columns;
		col = used + (narrow ? 2 : 1);
	}
}

/* Behind what is unusual, which comes first. */
static void edit_words(const struct card *card, struct str *out)
{
	STR_AUTO struct str editor = STR_INIT;

	if (card->asked == NULL)
		return;
	str_add(out, out->len > 0 ? _("   edited by you") : _("edited by you"));
	if (card->editor == NULL) {
		str_add(out, _(": - was asked for, + would run; the agent is told"));
		return;
	}
	text_escape(card->editor, strlen(card->editor), 0, &editor);
	str_printf(out, _(" in %s, outside the sandbox"), str_c(&editor));
}

/* What it covers says so, from the yes to the end. */
static void add_grant(const struct screen *s, const struct job *job, struct str *out)
{
	if (job->grant == 0 || job_is_over(job->state))
		return;
	str_printf(out, _("%sgrant %u of %u, given on #%" PRIu64), out->len > 0 ? "   " : "",
		job->grant_use, job->grant_times, job->grant_seq);
	say_keyed(s, _(": 5 lists it"), ACTION_VIEW_GRANTS, out);
}

static void add_came_back(const struct job *job, struct str *text)
{
	str_printf(text, _("%scame back: "), text->len > 0 ? "   " : "");
	edge_words(job->requeued_why, text);
}

static void draw_unusual(const struct screen *s, const struct job *job)
{
	STR_AUTO struct str text = STR_INIT;
	enum style style = outcome_style(job);

	words_head(job, &text);
	bool open = text.len == 0 && job->card != NULL;
	if (open && job->card->unusual.count > 0) {
		unusual_row(&job->card->unusual, &text);
		style = unusual_has_danger(&job->card->unusual) ? STYLE_DANGER : STYLE_NOTE;
	}
	if (open)
		edit_words(job->card, &text);
	add_grant(s, job, &text);
	if (job->state == JOB_WAITING && job->requeued_why != NULL)
		add_came_back(job, &text);
	if (job->state == JOB_REFUSED)
		style = STYLE_NOTE;
	draw_rule(s, UNUSUAL_ROW, style, str_c(&text), s->pane ? "┤" : "┐");
}

/* What one row of the bar stands for: rows from..to of the card. */
struct bar {
	const struct screen *s;
	const struct rows *rows;
	size_t top, end;
	bool fog_first;
};

static bool is_fog(const struct bar *bar, size_t i)
{
	return i < bar->rows->deciding && (i < bar->top || i >= bar->end) &&
	       !ui_row_seen(bar->s->ui, bar->s->job, bar->rows, i);
}

static const char *bar_sign(const struct bar *bar, size_t from, size_t to)
{
	bool shown = false, fog = false;

	for (size_t i = from; i < to && i < bar->rows->count; i++) {
		shown = shown || (i >= bar->top && i < bar->end);
		fog = fog || is_fog(bar, i);
	}
	if (fog && (bar->fog_first || !shown))
		return "░";
	return shown ? "█" : "│";
}

static bool put_bar(const struct bar *bar, unsigned row, unsigned count)
{
	struct frame *frame = bar->s->frame;
	size_t total = bar->rows->count;
	bool fog = false;

	for (unsigned i = 0; i < count; i++) {
		const char *sign = bar_sign(bar, i * total / count, (i + 1) * total / count);

		frame_put(frame, frame->cols - 1, row + i, 1, STYLE_RULE, sign);
		fog = fog || strcmp(sign, "░") == 0;
	}
	return fog;
}

/* A row of the bar that stands for rows on the screen and for fog is drawn as on the screen, but where that would hide the last
   of the fog. */
static void draw_seen_bar(
	const struct screen *s, unsigned row, unsigned count, const struct rows *rows, size_t top)
{
	struct bar bar = {.s = s, .rows = rows, .top = top, .end = top + count};

	draw_edge(s, row, count);
	if (rows->count <= count || put_bar(&bar, row, count))
		return;
	bar.fog_first = true;
	put_bar(&bar, row, count);
}

static void right_words(const struct screen *s, const struct rows *rows, size_t top, unsigned count,
	struct str *out)
{
	if (s->job->state == JOB_REFUSED) {
		str_add(out, reason_name(s->job->reason));
		return;
	}
	lines_words(top, count, rows->count, out);
	if (s->ui->prompt.kind == PROMPT_WORD && !screen_has_unseen(s))
		str_add(out, _(", all seen"));
}

/* What is dangerous goes on to look like that. */
static void tint_match(const struct screen *s, const struct row_mark *mark, unsigned row)
{
	for (unsigned col = mark->col; col < mark->col + mark->columns; col++) {
		enum style style = (enum style)frame_at(s->frame, col, row)->style;

		if (style != STYLE_ESCAPE && style != STYLE_DANGER && style != STYLE_NOTE)
			frame_tint(s->frame, col, row, 1, STYLE_MATCH);
	}
}

static void draw_marks(const struct screen *s, unsigned body, const struct rows *rows, size_t top)
{
	struct row_marks marks;
	struct seek seek;

	seek_begin_shown(&seek, s->ui->find);
	layout_marks(rows, &seek, &marks);
	for (size_t i = 0; i < marks.count; i++) {
		const struct row_mark *m = &marks.items[i];

		if (m->row >= top && m->row < top + body)
			tint_match(s, m, CARD_HEAD_ROWS + (unsigned)(m->row - top));
	}
	row_marks_release(&marks);
	seek_release(&seek);
}

void draw_card(const struct screen *s)
{
	STR_AUTO struct str right = STR_INIT;
	unsigned body = s->frame->rows - CARD_HEAD_ROWS - FOOT_ROWS, prompt;
	const struct rows *rows;
	size_t top;

	if (s->pane)
		draw_edge(s, WHO_ROW, UNUSUAL_ROW - WHO_ROW);
	if (s->job == NULL && s->pane && queue_is_empty(s->model)) {
		draw_edge(s, UNUSUAL_ROW, body + 1);
		draw_empty(s, WHO_ROW);
		return;
	}
	if (s->job == NULL) {
		draw_rule(s, UNUSUAL_ROW, STYLE_RULE, NULL, s->pane ? "┤" : "┐");
		draw_edge(s, CARD_HEAD_ROWS, body);
		say_keyed(s, _("No card is open: 1 shows the queue."), ACTION_VIEW_QUEUE, &right);
		draw_text(s, 1, CARD_HEAD_ROWS + 1, STYLE_PLAIN, str_c(&right));
		draw_rule(s, CARD_HEAD_ROWS + body, STYLE_RULE, NULL, "┘");
		return;
	}
	prompt = prompt_rows(s->ui, s->job);
	rows = ui_card_rows(s->ui, s->job);
	top = rows_first(rows, s->ui->card_top, body - prompt);
	right_words(s, rows, top, body - prompt, &right);
	draw_who(s, s->job, str_c(&right));
	draw_facts(s, s->job);
	draw_unusual(s, s->job);
	draw_rows(s, CARD_HEAD_ROWS, body - prompt, rows, top);
	draw_marks(s, body - prompt, rows, top);
	draw_seen_bar(s, CARD_HEAD_ROWS, body - prompt, rows, top);
	if (prompt > 0)
		draw_prompt(s, CARD_HEAD_ROWS + body - prompt);
	draw_rule(s, CARD_HEAD_ROWS + body, STYLE_RULE, NULL, "┘");
}
