#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/action.h"
#include "tui/edge.h"
#include "tui/panes.h"
#include "tui/view.h"
#include "tui/view_parts.h"

/* A label of the key row: "Esc queue". The key is that of the table; what it does here is said by the state. */
struct label {
	enum action action;
	const char *does; /* NULL: as in the table */
};

#define LABELS_MAX 8

enum footer {
	FOOTER_QUEUE,
	FOOTER_EMPTY,
	FOOTER_CARD,
	FOOTER_RUNNING,
	FOOTER_DECIDED,
	FOOTER_REFUSED,
	FOOTER_OUTPUT,
	FOOTER_OUTPUT_ENDED,
	FOOTER_HELP,
	FOOTER_STOPPED,
	FOOTER_LOCKED,
	FOOTER_QUESTION,
	FOOTER_HISTORY,
	FOOTER_GRANTS,
	FOOTER_GRANT,
	FOOTER_MARKED,
	FOOTER_MARKED_DECIDED,
	FOOTER_GROUP,
	FOOTER_AGENTS,
	FOOTER_COUNT
};

static const struct label lefts[FOOTER_COUNT][LABELS_MAX] = {
	[FOOTER_QUEUE] = {{ACTION_OPEN, NULL}, {ACTION_MARK, NULL}, {ACTION_FIND, N_("filter")},
		{ACTION_VIEW_OUTPUT, NULL}, {ACTION_VIEW_HISTORY, NULL}, {ACTION_STOP_ALL, NULL}},
	[FOOTER_EMPTY] = {{ACTION_OPEN, NULL}, {ACTION_VIEW_HISTORY, NULL},
		{ACTION_VIEW_GRANTS, NULL}, {ACTION_VIEW_AGENTS, NULL}, {ACTION_LOCK, NULL}},
	[FOOTER_CARD] = {{ACTION_APPROVE, NULL}, {ACTION_REJECT, NULL}, {ACTION_EDIT, NULL},
		{ACTION_DETAILS, NULL}, {ACTION_PART_NEXT, NULL}, {ACTION_BACK, N_("queue")}},
	[FOOTER_RUNNING] = {{ACTION_STOP, NULL}, {ACTION_EXTEND, NULL},
		{ACTION_OPEN, N_("next waiting")}, {ACTION_VIEW_OUTPUT, NULL},
		{ACTION_DETAILS, NULL}, {ACTION_BACK, N_("queue")}},
	[FOOTER_DECIDED] = {{ACTION_OPEN, N_("next waiting")}, {ACTION_VIEW_OUTPUT, NULL},
		{ACTION_DETAILS, NULL}, {ACTION_SAVE, N_("save output")},
		{ACTION_BACK, N_("queue")}},
	[FOOTER_REFUSED] = {{ACTION_OPEN, N_("next waiting")}, {ACTION_VIEW_HISTORY, NULL},
		{ACTION_BACK, N_("queue")}},
	[FOOTER_OUTPUT] = {{ACTION_STOP, NULL}, {ACTION_EXTEND, NULL}, {ACTION_LAST, NULL},
		{ACTION_SAVE, NULL}, {ACTION_FIND, N_("search")}, {ACTION_UNFOLD, NULL},
		{ACTION_BACK, N_("back")}},
	[FOOTER_OUTPUT_ENDED] = {{ACTION_SAVE, NULL}, {ACTION_FIND, N_("search")},
		{ACTION_UNFOLD, NULL}, {ACTION_BACK, N_("back")}},
	[FOOTER_HELP] = {{ACTION_PART_NEXT, NULL}, {ACTION_BACK, N_("close")}},
	[FOOTER_STOPPED] = {{ACTION_INTAKE_OPEN, NULL}, {ACTION_VIEW_HISTORY, NULL},
		{ACTION_VIEW_OUTPUT, NULL}},
	[FOOTER_LOCKED] = {{ACTION_OPEN, N_("type the passphrase")}, {ACTION_STOP_ALL, NULL}},
	[FOOTER_QUESTION] = {{ACTION_YES, N_("yes")}, {ACTION_BACK, N_("no, nothing decided")}},
	[FOOTER_HISTORY] = {{ACTION_OPEN, NULL}, {ACTION_FIND, N_("filter")},
		{ACTION_MATCH_NEXT, NULL}, {ACTION_SAVE, N_("save output")},
		{ACTION_BACK, N_("queue")}},
	[FOOTER_GRANTS] = {{ACTION_REVOKE, NULL}, {ACTION_NEXT_WAITING, NULL}, {ACTION_FIND, NULL},
		{ACTION_BACK, N_("queue")}},
	[FOOTER_GROUP] = {{ACTION_REJECT, N_("reject all its waiting")},
		{ACTION_REFUSE_SENDER, NULL}, {ACTION_OPEN, NULL}},
	[FOOTER_AGENTS] = {{ACTION_OPEN, N_("its calls")}, {ACTION_REFUSE_SENDER, NULL},
		{ACTION_REJECT, N_("reject all")}, {ACTION_FIND, NULL}, {ACTION_BACK, N_("queue")}},
	[FOOTER_MARKED] = {{ACTION_APPROVE, NULL}, {ACTION_REJECT, NULL}, {ACTION_PART_NEXT, NULL},
		{ACTION_BACK, N_("queue")}},
	[FOOTER_MARKED_DECIDED] = {{ACTION_OPEN, N_("next waiting")}, {ACTION_BACK, N_("queue")}},
	[FOOTER_GRANT] = {{ACTION_YES, N_("yes, and again")},
		{ACTION_PANE_NEXT, N_("other number")}, {ACTION_BACK, N_("nothing decided")}},
};

static const struct label rights[FOOTER_COUNT][LABELS_MAX] = {
	[FOOTER_QUEUE] = {{ACTION_HELP, NULL}, {ACTION_QUIT, NULL}},
	[FOOTER_EMPTY] = {{ACTION_HELP, NULL}, {ACTION_QUIT, NULL}},
	[FOOTER_CARD] = {{ACTION_HELP, NULL}},
	[FOOTER_RUNNING] = {{ACTION_HELP, NULL}},
	[FOOTER_DECIDED] = {{ACTION_HELP, NULL}},
	[FOOTER_REFUSED] = {{ACTION_HELP, NULL}},
	[FOOTER_OUTPUT] = {{ACTION_HELP, NULL}, {ACTION_QUIT, NULL}},
	[FOOTER_OUTPUT_ENDED] = {{ACTION_HELP, NULL}, {ACTION_QUIT, NULL}},
	[FOOTER_HELP] = {{ACTION_HELP, NULL}},
	[FOOTER_STOPPED] = {{ACTION_HELP, NULL}, {ACTION_QUIT, NULL}},
	[FOOTER_LOCKED] = {{ACTION_HELP, NULL}},
	[FOOTER_HISTORY] = {{ACTION_HELP, NULL}, {ACTION_QUIT, NULL}},
	[FOOTER_GRANTS] = {{ACTION_HELP, NULL}, {ACTION_QUIT, NULL}},
	[FOOTER_GROUP] = {{ACTION_HELP, NULL}, {ACTION_QUIT, NULL}},
	[FOOTER_AGENTS] = {{ACTION_HELP, NULL}, {ACTION_QUIT, NULL}},
	[FOOTER_MARKED] = {{ACTION_HELP, NULL}},
	[FOOTER_MARKED_DECIDED] = {{ACTION_HELP, NULL}},
};

static const struct action_row *row_of(enum action action)
{
	for (unsigned i = 0; i < action_count; i++) {
		if (action_table[i].action == action)
			return &action_table[i];
	}
	return NULL;
}

static enum footer footer_of_card(const struct job *job)
{
	if (job == NULL)
		return FOOTER_REFUSED;
	if (job->state == JOB_WAITING)
		return FOOTER_CARD;
	if (job_is_running(job))
		return FOOTER_RUNNING;
	return job->card != NULL ? FOOTER_DECIDED : FOOTER_REFUSED;
}

static enum footer footer_of_marked(const struct job *job)
{
	return job != NULL && job->state == JOB_WAITING ? FOOTER_MARKED : FOOTER_MARKED_DECIDED;
}

static enum footer footer_of(const struct screen *s)
{
	static const enum footer by_view[VIEW_COUNT] = {
		[VIEW_HELP] = FOOTER_HELP,
		[VIEW_HISTORY] = FOOTER_HISTORY,
		[VIEW_GRANTS] = FOOTER_GRANTS,
		[VIEW_AGENTS] = FOOTER_AGENTS,
		[VIEW_STOPPED] = FOOTER_STOPPED,
	};

	if (s->ui->prompt.kind != PROMPT_NONE)
		return s->ui->prompt.kind == PROMPT_GRANT ? FOOTER_GRANT : FOOTER_QUESTION;
	if (screen_is_locked(s->ui, s->model))
		return FOOTER_LOCKED;
	if (s->ui->view == VIEW_MARKED)
		return footer_of_marked(s->job);
	if (s->ui->view == VIEW_QUEUE)
		return queue_is_empty(s->model)            ? FOOTER_EMPTY
		       : ui_group(s->ui, s->model) != NULL ? FOOTER_GROUP
							   : FOOTER_QUEUE;
	if (s->ui->view == VIEW_OUTPUT)
		return s->job != NULL && job_is_running(s->job) ? FOOTER_OUTPUT
								: FOOTER_OUTPUT_ENDED;
	return s->ui->view == VIEW_CARD ? footer_of_card(s->job) : by_view[s->ui->view];
}

/* A key that keeps its place while it does nothing: where all was seen, `t` takes it if the card may have a grant. */
static bool is_shown_blank(const struct screen *s, const struct label *label)
{
	enum gate gate = ui_gate(s->ui, s->model, s->now_ms);

	return s->ui->view == VIEW_CARD && label->action == ACTION_PART_NEXT && gate == GATE_READY;
}

static unsigned put_key(const struct screen *s, unsigned col, unsigned end, const char *key,
	const char *does, bool live)
{
	unsigned row = s->frame->rows - 1, start = col;

	if (col + text_columns(key) + 1 + text_columns(does) > end)
		return 0;
	col += draw_text(s, col, row, live ? STYLE_KEY : STYLE_QUIET, key) + 1;
	col += draw_text(s, col, row, live ? STYLE_PLAIN : STYLE_QUIET, does);
	return col - start;
}

/* A label as it is drawn. */
struct shown_label {
	char key[16], does[96];
	bool live;
};

/* Where the text of a footer names a second key: "n N match". */
static enum action also_named(enum action action)
{
	if (action == ACTION_MATCH_NEXT)
		return ACTION_MATCH_BACK;
	return action == ACTION_NEXT_WAITING ? ACTION_PREV_WAITING : ACTION_NONE;
}

/* While a prompt is open these are what they are, whatever is bound to another key. */
static const char *key_of(const struct screen *s, enum action action)
{
	if (s->ui->prompt.kind == PROMPT_NONE ||
		(action != ACTION_BACK && action != ACTION_PANE_NEXT))
		return keymap_key(s->keys, action);
	return action == ACTION_BACK ? "Esc" : "Tab";
}

/* The same key takes them again. */
static bool sender_is_shut(const struct screen *s)
{
	const struct sender *sender =
		s->ui->view == VIEW_AGENTS ? ui_agent(s->ui, s->model) : ui_group(s->ui, s->model);

	return sender != NULL && sender->shut;
}

static void label_words(const struct screen *s, const struct label *label, struct shown_label *ret)
{
	const struct action_row *row = row_of(label->action);
	STR_AUTO struct str does = STR_INIT;
	const char *words = row != NULL && row->footer != NULL ? _(row->footer) : "";
	const char *key = key_of(s, label->action), *form = "%s";

	words += strcspn(words, " ");
	words += strspn(words, " ");
	if (label->action == ACTION_REFUSE_SENDER && sender_is_shut(s))
		words = _("take its new ones");
	else if (label->action == ACTION_UNFOLD && s->ui->unfold)
		words = _("wrap");
	else if (label->does != NULL)
		words = _(label->does);
	keymap_words(s->keys, words, also_named(label->action), &does);
	text_fit(str_c(&does), ret->does, sizeof(ret->does));
	ret->live = label->action != ACTION_APPROVE ||
		    ui_gate(s->ui, s->model, s->now_ms) == GATE_READY;
	if (label->action == ACTION_APPROVE)
		form = ret->live ? "[%s]" : "(%s)";
	snprintf(ret->key, sizeof(ret->key), form, key);
}

static unsigned label_columns(const struct screen *s, const struct label *label)
{
	struct shown_label shown;

	label_words(s, label, &shown);
	return text_columns(shown.key) + 1 + text_columns(shown.does);
}

static unsigned put_label(
	const struct screen *s, unsigned col, unsigned end, const struct label *label)
{
	struct shown_label shown;

	label_words(s, label, &shown);
	return put_key(s, col, end, shown.key, shown.does, shown.live);
}

static unsigned right_columns(const struct screen *s, enum footer footer)
{
	unsigned columns = 0;

	for (unsigned i = 0; i < LABELS_MAX && rights[footer][i].action != ACTION_NONE; i++)
		columns += label_columns(s, &rights[footer][i]) + (i > 0 ? 2 : 0);
	return columns;
}

/* Columns that a label further right needs: the way back from an output, and the panic key, are there whatever else has no room. */
static unsigned reserved_columns(const struct screen *s, const struct label *label)
{
	static const enum action kept[VIEW_COUNT] = {[VIEW_QUEUE] = ACTION_STOP_ALL,
		[VIEW_OUTPUT] = ACTION_BACK,
		[VIEW_AGENTS] = ACTION_BACK};
	enum action action = kept[s->ui->view];

	if (action == ACTION_NONE || label->action == action || !key_is_useful(s, action))
		return 0;
	while (label->action != action && label->action != ACTION_NONE)
		label++;
	return label->action == ACTION_NONE ? 0 : label_columns(s, label) + 2;
}

static void put_labels(const struct screen *s, const struct label *labels, unsigned most,
	unsigned col, unsigned end)
{
	static const struct label again = {ACTION_AGAIN, NULL};

	for (unsigned i = 0; i < most && labels[i].action != ACTION_NONE; i++) {
		if (!key_is_useful(s, labels[i].action))
			continue;
		if (is_shown_blank(s, &labels[i])) {
			if (ui_can_grant(s->job))
				put_label(s, col, end, &again);
			col += label_columns(s, &labels[i]) + 2;
			continue;
		}
		unsigned used =
			put_label(s, col, end - reserved_columns(s, &labels[i]), &labels[i]);
		col += used > 0 ? used + 2 : 0;
	}
}

/* What is sought has the gate row, so that a message about it stands here. */
static void draw_find_keys(const struct screen *s)
{
	unsigned cols = s->frame->cols, row = s->frame->rows - 1, col = 1;

	if (s->ui->message[0] != '\0') {
		STR_AUTO struct str message = STR_INIT;

		edge_words(s->ui->message, &message);
		draw_field(s, col, row, cols - col, STYLE_KEY, str_c(&message));
		return;
	}
	col += put_key(s, col, cols, "Enter", s->ui->view == VIEW_HISTORY ? _("filter") : _("find"),
		       true) +
	       2;
	col += put_key(s, col, cols, "Esc", _("back, nothing changed"), true);
	draw_right(s, row, col, STYLE_QUIET, _("text only"));
}

/* Every prompt takes keys as text: its row names only those that are not. */
static void draw_prompt_keys(const struct screen *s)
{
	static const char *const sends[PROMPT_KIND_COUNT] = {[PROMPT_REASON] = N_("send"),
		[PROMPT_WORD] = N_("send the word"),
		[PROMPT_OPEN_INTAKE] = N_("send the word"),
		[PROMPT_PASS] = N_("send"),
		[PROMPT_NEW_PASS] = N_("go on"),
		[PROMPT_NEW_PASS_AGAIN] = N_("go on"),
		[PROMPT_EDIT] = N_("new card"),
		[PROMPT_SAVE] = N_("save"),
		[PROMPT_REASON_ALL] = N_("send"),
		[PROMPT_GOTO] = N_("a time, an event, or #14")};
	bool reason =
		s->ui->prompt.kind == PROMPT_REASON || s->ui->prompt.kind == PROMPT_REASON_ALL;
	unsigned cols = s->frame->cols, col = 1;

	col += put_key(s, col, cols, "Enter", _(sends[s->ui->prompt.kind]), true) + 2;
	if (s->ui->prompt.kind == PROMPT_EDIT)
		col += put_key(s, col, cols, "Ctrl-E", _("in an editor"), true) + 2;
	if (reason && s->ui->reason_count > 0)
		col += put_key(s, col, cols, "Up Down", _("earlier reasons"), true) + 2;
	col += put_key(s, col, cols, "Esc", _("back, nothing decided"), true);
	draw_right(s, s->frame->rows - 1, col, STYLE_QUIET, _("text only"));
}

static bool has_label(const struct label *labels, enum action action)
{
	for (unsigned i = 0; labels[i].action != ACTION_NONE; i++) {
		if (labels[i].action == action)
			return true;
	}
	return false;
}

/* The keys of the pane, and what works beside it: whole where there is room, from the left. Nothing leads back from a pane. */
static void pane_labels(const struct screen *s, enum footer footer, struct label *ret)
{
	static const enum action more[] = {
		ACTION_PANE_NEXT, ACTION_NEXT_WAITING, ACTION_STOP, ACTION_STOP_ALL};
	unsigned count = 0;

	for (unsigned i = 0; i < LABELS_MAX && lefts[footer][i].action != ACTION_NONE; i++) {
		if (lefts[footer][i].action != ACTION_BACK)
			ret[count++] = lefts[footer][i];
	}
	for (unsigned i = 0; i < ARRAY_LEN(more); i++) {
		bool here = (row_of(more[i])->where & 1u << s->ui->view) != 0;

		if (here && !has_label(ret, more[i]))
			ret[count++] = (struct label){more[i], NULL};
	}
}

static void draw_pane_keys(const struct screen *s, enum footer footer)
{
	struct label labels[LABELS_MAX + 4] = {{ACTION_NONE, NULL}};
	unsigned right = s->frame->cols - right_columns(s, FOOTER_QUEUE);

	pane_labels(s, footer, labels);
	put_labels(s, rights[FOOTER_QUEUE], LABELS_MAX, right, s->frame->cols);
	put_labels(s, labels, ARRAY_LEN(labels), 1, right - 1);
}

void draw_keys(const struct screen *s)
{
	enum footer footer = footer_of(s);
	unsigned cols = s->frame->cols, right;

	if (s->ui->prompt.kind == PROMPT_FIND) {
		draw_find_keys(s);
		return;
	}
	if (prompt_is_text(s->ui->prompt.kind) || prompt_is_secret(s->ui->prompt.kind)) {
		draw_prompt_keys(s);
		return;
	}
	if (panes_shown(s->ui) && !screen_is_locked(s->ui, s->model) &&
		s->ui->prompt.kind == PROMPT_NONE) {
		draw_pane_keys(s, footer);
		return;
	}
	right = cols - right_columns(s, footer);
	put_labels(s, rights[footer], LABELS_MAX, right, cols);
	put_labels(s, lefts[footer], LABELS_MAX, 1, right - 1);
}
