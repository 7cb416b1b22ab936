#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/words.h"
#include "tui/edge.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

/* View 5: what was said yes to for a while, and for how long that still holds. */

#define IN_SHORT_ROWS 9u /* a blank, its head, seven facts */
#define LIST_LEAST 4u
#define NARROW_BELOW 76u
#define FACT_COLUMN 12u

struct columns {
	unsigned no, left, used, last, agent, command; /* 0: not shown */
};
static const struct columns columns_plain = {1, 7, 17, 29, 37, 48};
static const struct columns columns_narrow = {1, 7, 17, 0, 0, 28};

static const struct columns *columns_for(const struct screen *s)
{
	return s->frame->cols < NARROW_BELOW ? &columns_narrow : &columns_plain;
}

static void put_left(const struct screen *s, unsigned row, unsigned col, const struct grant *grant)
{
	enum grant_state state = grant_state(grant, s->now_ms);
	STR_AUTO struct str left = STR_INIT;

	if (state != GRANT_HOLDS) {
		draw_text(s, col, row, STYLE_QUIET, _(grant_state_word(state)));
		return;
	}
	words_left(grant_left_ms(grant, s->now_ms), &left);
	draw_text(s, col, row, STYLE_PLAIN, str_c(&left));
}

static void put_grant(const struct screen *s, unsigned row, const struct grant *grant)
{
	const struct columns *c = columns_for(s);
	STR_AUTO struct str command = STR_INIT;
	char text[96], last[16];

	snprintf(text, sizeof(text), "%" PRIu64, grant->number);
	draw_text(s, c->no, row, STYLE_PLAIN, text);
	put_left(s, row, c->left, grant);
	snprintf(text, sizeof(text), _("%u of %u"), grant->used, grant->times);
	draw_text(s, c->used, row, STYLE_PLAIN, text);
	if (c->last > 0 && grant->last_seq != 0) {
		clock_format_hm(grant->last_wall_ms, last);
		draw_text(s, c->last, row, STYLE_QUIET, last);
	}
	if (c->agent > 0 && grant->agent != NULL)
		draw_field(s, c->agent, row, c->command - c->agent - 1, STYLE_AGENT, grant->agent);
	grant_command_words(s, grant->command, s->frame->cols - 2 - c->command, &command);
	draw_text(s, c->command, row, STYLE_PLAIN, str_c(&command));
	if (grant->number == s->ui->grant_number)
		draw_selected(s, row, 1);
}

static void put_list(const struct screen *s, unsigned row, unsigned count)
{
	const struct grants *grants = &s->model->grants;
	size_t at = 0, top;

	while (at < grants->count && grants->items[at].number != s->ui->grant_number)
		at++;
	top = at < grants->count && at >= count ? at - count + 1 : 0;
	for (size_t i = top; i < grants->count && i - top < count; i++)
		put_grant(s, row + (unsigned)(i - top), &grants->items[i]);
	draw_list_bar(s, row, count, top, grants->count);
}

void draw_grant_fact(const struct screen *s, unsigned row, const char *label, const char *text)
{
	draw_text(s, 1, row, STYLE_RULE, label);
	draw_field(s, FACT_COLUMN, row, s->frame->cols - FACT_COLUMN - 2, STYLE_PLAIN, text);
}

static void put_times(const struct screen *s, unsigned row, const struct grant *grant)
{
	STR_AUTO struct str text = STR_INIT;
	char at[16];

	clock_format_hms(grant->made_wall_ms, at);
	str_printf(&text, _("%s by you on #%" PRIu64 ", for %u min and %u more"), at, grant->seq,
		grant->minutes, grant->times);
	draw_grant_fact(s, row, _("given"), str_c(&text));
	str_clear(&text);
	str_printf(&text, _("%u of %u"), grant->used, grant->times);
	if (grant->last_seq != 0) {
		clock_format_hms(grant->last_wall_ms, at);
		str_printf(&text, _(", the last by #%" PRIu64 " at %s"), grant->last_seq, at);
	}
	draw_grant_fact(s, row + 1, _("used"), str_c(&text));
}

static void put_end(const struct screen *s, unsigned row, const struct grant *grant)
{
	STR_AUTO struct str text = STR_INIT;
	char at[16];

	if (grant->revoked_why != NULL) {
		clock_format_hms(grant->revoked_wall_ms, at);
		str_printf(&text, _("at %s: "), at);
		edge_words(grant->revoked_why, &text);
		draw_grant_fact(s, row, _("revoked"), str_c(&text));
		return;
	}
	clock_format_hms(grant->made_wall_ms + (int64_t)grant->minutes * 60000, at);
	if (grant_state(grant, s->now_ms) == GRANT_HOLDS)
		str_printf(&text, _("%s, or with its last use, or with this session"), at);
	else
		str_printf(&text, "%s",
			grant_state(grant, s->now_ms) == GRANT_EXPIRED ? at
								       : _("with its last use"));
	draw_grant_fact(s, row,
		grant_state(grant, s->now_ms) == GRANT_HOLDS ? _("ends") : _("ended"),
		str_c(&text));
}

static void put_in_short(const struct screen *s, unsigned row, const struct grant *grant)
{
	STR_AUTO struct str covers = STR_INIT;
	STR_AUTO struct str command = STR_INIT;
	char head[120];

	snprintf(head, sizeof(head), _("grant %" PRIu64 " in short"), grant->number);
	draw_text(s, 1, row, STYLE_KEY, head);
	grant_command_words(s, grant->command, s->frame->cols - FACT_COLUMN - 2, &command);
	draw_text(s, 1, row + 1, STYLE_RULE, _("command"));
	draw_text(s, FACT_COLUMN, row + 1, STYLE_PLAIN, str_c(&command));
	draw_grant_fact(
		s, row + 2, _("directory"), grant->directory != NULL ? grant->directory : "-");
	grant_covers_words(grant->network, grant->time_s, grant->backend, &covers);
	draw_grant_fact(s, row + 3, _("network"), str_c(&covers));
	put_times(s, row + 4, grant);
	put_end(s, row + 6, grant);
}

static void put_none(const struct screen *s, unsigned row, unsigned end)
{
	static const struct {
		const char *words;
		enum action names; /* the key of which */
	} texts[] = {
		{N_("No grant holds: each call is asked for by itself."), ACTION_NONE},
		{"", ACTION_NONE},
		{N_("On a card that you have read, t says yes to it and to"), ACTION_AGAIN},
		{N_("the identical call again, for some minutes and times."), ACTION_NONE},
		{N_("Then it is listed here, and x takes it back. All end"), ACTION_REVOKE},
		{N_("with this session, and with stop all."), ACTION_NONE},
	};

	row += s->frame->rows >= 20 ? 2 : 0;
	for (size_t i = 0; i < ARRAY_LEN(texts) && row < end; i++, row++) {
		STR_AUTO struct str text = STR_INIT;

		say_keyed(s, _(texts[i].words), texts[i].names, &text);
		draw_field(s, 1, row, s->frame->cols - 3, i == 0 ? STYLE_KEY : STYLE_PLAIN,
			str_c(&text));
	}
}

static void put_heads(const struct screen *s, unsigned row)
{
	const struct columns *c = columns_for(s);
	const struct list_head heads[] = {{c->no, _("no")}, {c->left, C_("column", "left")},
		{c->used, C_("column", "used")}, {c->last, C_("column", "last")},
		{c->agent, _("agent")}, {c->command, C_("column", "command")}};

	draw_heads(s, row, heads, ARRAY_LEN(heads));
}

void draw_grants(const struct screen *s)
{
	unsigned row = LIST_HEAD_ROWS, end = s->frame->rows - FOOT_ROWS;
	const struct grant *grant = ui_grant(s->ui, s->model);
	size_t holding = grants_holding(&s->model->grants, s->now_ms);
	char head[200];

	snprintf(head, sizeof(head), _("grants: %zu %s, %zu ended"), holding,
		holding == 1 ? _("holds") : _("hold"), s->model->grants.count - holding);
	draw_rule(s, LIST_HEAD_ROWS - 1, STYLE_KEY,
		s->model->grants.count > 0 ? head : _("grants 0"), "┐");
	draw_edge(s, row, end - row);
	draw_rule(s, end, STYLE_RULE, NULL, "┘");
	if (s->model->grants.count == 0) {
		put_none(s, row, end);
		return;
	}
	bool roomy = grant != NULL && end - row >= 1 + LIST_LEAST + IN_SHORT_ROWS;
	unsigned list = end - row - 1 - (roomy ? IN_SHORT_ROWS : 0);

	put_heads(s, row);
	put_list(s, row + 1, list);
	if (roomy)
		put_in_short(s, row + 2 + list, grant);
}
