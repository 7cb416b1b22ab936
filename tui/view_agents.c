#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/agents.h"
#include "tui/edge.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

/* View 6: who sends, by what the kernel says of it, and how much of it waits, runs and is over. */

#define IN_SHORT_ROWS 9u /* a blank, its head, seven facts */
#define LIST_LEAST 4u
#define NARROW_BELOW 76u
#define WIDE_FROM 110u

struct columns {
	unsigned no, label, program, uid, pid, since, waits, oldest, runs, done, refused, rate;
};
/* 0: not shown */
static const struct columns columns_narrow = {1, 6, 0, 0, 0, 21, 28, 0, 37, 43, 52, 0};
static const struct columns columns_plain = {1, 6, 20, 0, 0, 33, 40, 49, 57, 63, 71, 0};
static const struct columns columns_wide = {1, 6, 27, 44, 52, 61, 68, 78, 86, 92, 100, 0};
static const struct columns columns_widest = {1, 7, 37, 62, 74, 86, 98, 112, 124, 134, 146, 158};

static const struct columns *columns_for(const struct screen *s)
{
	unsigned cols = s->frame->cols;

	if (cols < NARROW_BELOW)
		return &columns_narrow;
	if (cols < WIDE_FROM)
		return &columns_plain;
	return cols < 180 ? &columns_wide : &columns_widest;
}

static void put_heads(const struct screen *s, unsigned row)
{
	const struct columns *c = columns_for(s);
	const struct list_head heads[] = {{c->no, _("no")}, {c->label, _("agent")},
		{c->program, C_("column", "program")}, {c->uid, "uid"}, {c->pid, "pid"},
		{c->since, C_("column", "since")}, {c->waits, C_("column", "waits")},
		{c->oldest, C_("column", "oldest")}, {c->runs, C_("column", "runs")},
		{c->done, C_("column", "done")}, {c->refused, C_("column", "refused")},
		{c->rate, C_("column", "rate")}};

	draw_heads(s, row, heads, ARRAY_LEN(heads));
}

static void put_number(const struct screen *s, unsigned row, unsigned col, int64_t n)
{
	STR_AUTO struct str text = STR_INIT;

	if (col == 0 || n < 0)
		return;
	words_count((uint64_t)n, &text);
	draw_text(s, col, row, STYLE_PLAIN, str_c(&text));
}

/* uid and pid are names and no amounts. */
static void put_id(const struct screen *s, unsigned row, unsigned col, int64_t id)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, id);
	if (col > 0 && id >= 0)
		draw_text(s, col, row, STYLE_PLAIN, text);
}

static void put_label(
	const struct screen *s, unsigned row, const struct columns *c, const struct sender *sender)
{
	unsigned end = c->program > 0 ? c->program : c->since;
	STR_AUTO struct str shown = STR_INIT;

	if (sender->label == NULL)
		return;
	str_add_char(&shown, '"');
	words_field(sender->label, end - c->label - 3, s->ui->ascii, &shown);
	str_add_char(&shown, '"');
	draw_text(s, c->label, row, STYLE_AGENT, str_c(&shown));
}

static void program_words(const struct peer *peer, struct str *out)
{
	if (peer == NULL)
		str_add(out, _("not known"));
	else if (peer->kind == PEER_STDIN)
		str_add(out, "stdin");
	else if (peer->kind == PEER_OPERATOR)
		str_add(out, "exequatur run");
	else
		str_add(out, peer->program != NULL ? peer->program : _("not known"));
}

static void put_peer(
	const struct screen *s, unsigned row, const struct columns *c, const struct sender *sender)
{
	const struct peer *peer = model_peer(s->model, sender->number);
	unsigned end = c->uid > 0 ? c->uid : c->since;
	STR_AUTO struct str program = STR_INIT;
	char since[16];

	program_words(peer, &program);
	if (c->program > 0)
		draw_field(s, c->program, row, end - c->program - 1, STYLE_PLAIN, str_c(&program));
	if (peer == NULL)
		return;
	put_id(s, row, c->uid, peer->uid);
	put_id(s, row, c->pid, peer->pid);
	clock_format_hm(peer->joined_wall_ms, since);
	draw_text(s, c->since, row, STYLE_QUIET, since);
}

static void put_waits(
	const struct screen *s, unsigned row, const struct columns *c, const struct sender *sender)
{
	const struct job *oldest = job_list_at(&sender->waiting, 0);
	STR_AUTO struct str text = STR_INIT;
	unsigned col = c->waits;

	words_count(sender->waiting.count, &text);
	col += draw_text(s, col, row, STYLE_PLAIN, str_c(&text));
	if (sender_floods(sender))
		draw_text(s, col + 1, row, STYLE_NOTE, "!");
	if (oldest == NULL || c->oldest == 0)
		return;
	str_clear(&text);
	words_waited(s->now_ms - oldest->received_at_ms, &text);
	draw_text(s, c->oldest, row, STYLE_QUIET, str_c(&text));
}

static void put_agent(const struct screen *s, unsigned row, const struct sender *sender)
{
	const struct columns *c = columns_for(s);
	STR_AUTO struct str rate = STR_INIT;

	put_id(s, row, c->no, sender->number);
	put_label(s, row, c, sender);
	put_peer(s, row, c, sender);
	put_waits(s, row, c, sender);
	put_number(s, row, c->runs, sender->running);
	put_number(s, row, c->done, (int64_t)sender->done);
	if (sender->shut)
		draw_text(s, c->refused, row, STYLE_NOTE, _("!all new"));
	else
		put_number(s, row, c->refused, (int64_t)sender->refused);
	sender_rate_words(sender, &rate);
	if (c->rate > 0 && sender->burst_calls > 0)
		draw_text(s, c->rate, row, STYLE_QUIET, str_c(&rate));
	if (sender->number == s->ui->agent)
		draw_selected(s, row, 1);
}

static void put_list(
	const struct screen *s, unsigned row, unsigned count, const struct agent_rows *rows)
{
	size_t at = agent_rows_find(rows, s->ui->agent);
	size_t top = at < rows->count && at >= count ? at - count + 1 : 0;

	for (size_t i = top; i < rows->count && i - top < count; i++)
		put_agent(s, row + (unsigned)(i - top), rows->items[i]);
	draw_list_bar(s, row, count, top, rows->count);
}

static void process_words(const struct peer *peer, struct str *out)
{
	program_words(peer, out);
	if (peer == NULL)
		return;
	if (peer->pid >= 0)
		str_printf(out, ", pid %" PRId64, peer->pid);
	if (peer->uid >= 0)
		str_printf(out, peer->own_uid ? _(", its own uid %" PRId64) : ", uid %" PRId64,
			peer->uid);
}

static void here_words(const struct peer *peer, const struct sender *sender, struct str *out)
{
	char at[16];

	if (sender->label != NULL) {
		STR_AUTO struct str label = STR_INIT;

		text_quoted(sender->label, &label);
		str_printf(out, _("\"%s\", as it says; "), str_c(&label));
	}
	if (peer == NULL) {
		str_add(out, _("not known"));
		return;
	}
	clock_format_hms(peer->joined_wall_ms, at);
	str_printf(out, _("here since %s"), at);
	if (sender->here > 1)
		str_printf(out, _(", %u connections"), sender->here);
	if (sender->here > 0 || peer->left_at_ms < 0)
		return;
	clock_format_hms(peer->left_wall_ms, at);
	str_printf(out, _(", gone at %s"), at);
	if (peer->left_why != NULL) {
		str_add(out, ": ");
		edge_words(peer->left_why, out);
	}
}

static void waiting_words(const struct screen *s, const struct peer *peer,
	const struct sender *sender, struct str *out)
{
	const struct job *oldest = job_list_at(&sender->waiting, 0);

	words_count(sender->waiting.count, out);
	if (peer != NULL && peer->most > 0) {
		str_add(out, _(" of at most "));
		words_count((uint64_t)peer->most, out);
	}
	if (oldest == NULL)
		return;
	str_add(out, _("; the oldest for "));
	words_waited(s->now_ms - oldest->received_at_ms, out);
}

static void done_words(const struct sender *sender, struct str *out)
{
	words_count(sender->done, out);
	if (sender->refused == 0)
		return;
	str_add(out, _("; refused "));
	words_count(sender->refused, out);
	if (sender->full > 0) {
		str_add(out, _(", for want of room "));
		words_count(sender->full, out);
	}
}

static void sent_words(const struct sender *sender, struct str *out)
{
	int64_t ms = sender->last_at_ms - sender->burst_at_ms;

	words_number(sender->calls, "call", out);
	if (sender->burst_calls == 0)
		return;
	str_add(out, _("; of late "));
	words_count(sender->burst_calls, out);
	str_add(out, _(" in "));
	words_waited(ms < 1000 ? 1000 : ms, out);
	str_add(out, ": ");
	sender_rate_words(sender, out);
}

static void new_words(const struct screen *s, const struct sender *sender, struct str *out)
{
	const char *key = keymap_key(s->keys, ACTION_REFUSE_SENDER);
	char at[16];

	if (!sender->shut) {
		str_printf(out, _("taken; %s refuses them"), key);
		return;
	}
	clock_format_hms(sender->shut_wall_ms, at);
	str_printf(out, _("refused by you since %s; %s takes them again"), at, key);
}

static void put_in_short(const struct screen *s, unsigned row, const struct sender *sender)
{
	const struct peer *peer = model_peer(s->model, sender->number);
	struct str facts[7] = {
		STR_INIT, STR_INIT, STR_INIT, STR_INIT, STR_INIT, STR_INIT, STR_INIT};
	const char *const labels[] = {_("process"), _("agent"), _("waiting"), _("running"),
		_("done"), _("sent"), _("new calls")};
	char head[80];

	snprintf(head, sizeof(head), _("agent %u in short"), sender->number);
	draw_text(s, 1, row, STYLE_KEY, head);
	process_words(peer, &facts[0]);
	here_words(peer, sender, &facts[1]);
	waiting_words(s, peer, sender, &facts[2]);
	words_count(sender->running, &facts[3]);
	done_words(sender, &facts[4]);
	sent_words(sender, &facts[5]);
	new_words(s, sender, &facts[6]);
	for (unsigned i = 0; i < ARRAY_LEN(facts); i++) {
		draw_grant_fact(s, row + 1 + i, labels[i], str_c(&facts[i]));
		str_release(&facts[i]);
	}
}

static void put_none(const struct screen *s, unsigned row, unsigned end)
{
	static const char *const texts[] = {N_("No agent has been here yet."), "",
		N_("In another terminal:   exequatur submit ls -la"),
		N_("Each process that connects is listed here, with what waits of it.")};

	row += s->frame->rows >= 20 ? 2 : 0;
	for (size_t i = 0; i < ARRAY_LEN(texts) && row < end; i++, row++)
		draw_field(s, 1, row, s->frame->cols - 3, i == 0 ? STYLE_KEY : STYLE_PLAIN,
			texts[i][0] != '\0' ? _(texts[i]) : "");
}

void draw_agents(const struct screen *s)
{
	unsigned row = LIST_HEAD_ROWS, end = s->frame->rows - FOOT_ROWS;
	const struct sender *agent = ui_agent(s->ui, s->model);
	struct agent_rows rows;
	char head[120];

	agent_rows_make(s->model, &rows);
	snprintf(head, sizeof(head), _("agents: %zu here, %zu gone"), rows.here,
		rows.count - rows.here);
	draw_rule(s, LIST_HEAD_ROWS - 1, STYLE_KEY, rows.count > 0 ? head : _("agents 0"), "┐");
	draw_flood_head(s, LIST_HEAD_ROWS - 1, 3 + (unsigned)strlen(head));
	draw_edge(s, row, end - row);
	draw_rule(s, end, STYLE_RULE, NULL, "┘");
	bool roomy = agent != NULL && end - row >= 1 + LIST_LEAST + IN_SHORT_ROWS;
	unsigned list = end - row - 1 - (roomy ? IN_SHORT_ROWS : 0);

	if (rows.count == 0) {
		put_none(s, row, end);
	} else {
		put_heads(s, row);
		put_list(s, row + 1, list, &rows);
		if (roomy)
			put_in_short(s, row + 2 + list, agent);
	}
	agent_rows_release(&rows);
}
