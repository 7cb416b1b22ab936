#include "config.h"

#include "base/words.h"
#include "tui/layout.h"

#include <string.h>

#include "base/mem.h"
#include "tui/action.h"
#include "tui/keymap.h"
#include "tui/fit.h"
#include "tui/layout_rows.h"

#define LEFT_COLUMN 1u
#define RIGHT_COLUMN 39u
#define LEFT_KEYS 6u
#define RIGHT_KEYS 15u
#define TWO_COLUMNS_FROM 77u
#define ITEMS_MAX 64u

static const char *const endnotes[] = {
	N_("[a] lights when every line of the card was on the screen and the keys have"),
	N_("rested for 0.4 s. Enter, Space, mouse and paste never decide."),
};

static const char *const film_notes[] = {
	N_("Nothing is decided here. A click on the bar goes there; Esc on the queue goes back to"),
	N_("the reviewer's view; q leaves."),
};

struct item {
	const char *head; /* or an action's row */
	const struct action_row *row;
};
struct items {
	struct item items[ITEMS_MAX];
	size_t count;
	const struct keymap *keys;
	bool film; /* a recording */
};
enum help_group {
	GROUP_CARD,
	GROUP_QUEUE,
	GROUP_OUTPUT,
	GROUP_RUNNING,
	GROUP_GRANTS,
	GROUP_STOPPED,
	GROUP_QUESTION,
	GROUP_FILM,
	GROUP_EVERYWHERE,
	GROUP_COUNT
};

static const struct {
	const char *head;
	unsigned where;
} groups[GROUP_COUNT] = {
	[GROUP_CARD] = {N_("on a card"), ON_CARD},
	[GROUP_QUEUE] = {N_("on the queue"), ON_QUEUE},
	[GROUP_OUTPUT] = {N_("on an output"), ON_OUTPUT},
	[GROUP_RUNNING] = {N_("on a running command"), 0},
	[GROUP_GRANTS] = {N_("on the grants"), ON_GRANTS},
	[GROUP_STOPPED] = {N_("after stop all"), ON_STOPPED},
	[GROUP_QUESTION] = {N_("after a question"), ON_QUESTION},
	[GROUP_FILM] = {N_("in a recording"), ON_FILM},
	[GROUP_EVERYWHERE] = {N_("everywhere"), 0},
};

static enum help_group group_of(const struct action_row *row)
{
	if (row->action == ACTION_STOP || row->action == ACTION_EXTEND)
		return GROUP_RUNNING;
	if (row->action == ACTION_SAVE || row->action == ACTION_REJECT)
		return GROUP_CARD;
	if (row->action == ACTION_UNFOLD)
		return GROUP_EVERYWHERE;
	if (row->action == ACTION_STOP_ALL || row->action == ACTION_REFUSE_SENDER)
		return GROUP_QUEUE;
	for (unsigned i = 0; i < GROUP_COUNT; i++) {
		if ((row->where & ~(unsigned)ON_MARKED) == groups[i].where)
			return (enum help_group)i;
	}
	return GROUP_EVERYWHERE;
}

static void add(struct items *items, const char *head, const struct action_row *row)
{
	if (items->count < ITEMS_MAX)
		items->items[items->count++] = (struct item){head, row};
}

/* What a recording has another key for, or does not do at all. */
static bool is_live(enum action action)
{
	return action == ACTION_PART_NEXT || action == ACTION_NEXT_WAITING ||
	       action == ACTION_LOCK || action == ACTION_QUIT || action == ACTION_CANCEL;
}

static void add_group(struct items *items, enum help_group group)
{
	bool first = true;

	for (unsigned i = 0; i < action_count; i++) {
		const struct action_row *row = &action_table[i];

		if (row->help == NULL || group_of(row) != group ||
			(items->film && is_live(row->action)))
			continue;
		if (first && items->count > 0)
			add(items, "", NULL);
		if (first)
			add(items, groups[group].head, NULL);
		first = false;
		add(items, NULL, row);
	}
}

static void add_groups(struct items *items, unsigned where)
{
	enum help_group first = where == ON_OUTPUT    ? GROUP_RUNNING
				: where == ON_STOPPED ? GROUP_STOPPED
						      : GROUP_CARD;

	add_group(items, first);
	for (unsigned i = 0; i < GROUP_EVERYWHERE; i++) {
		/* What works only after stop-all, or in a recording, is named only there. */
		if (i != first && i != GROUP_STOPPED && i != GROUP_FILM)
			add_group(items, (enum help_group)i);
	}
}

/* The action whose key its sentence names: "stop it, asks; y is yes". */
static enum action named_in(const struct action_row *row)
{
	if (row->action == ACTION_APPROVE)
		return ACTION_APPROVE;
	if (row->action == ACTION_CANCEL)
		return ACTION_QUIT;
	if (row->action == ACTION_MARK)
		return ACTION_OPEN;
	return strstr(row->help, "y is yes") != NULL ? ACTION_YES : ACTION_NONE;
}

/* The widest of the keys. */
static unsigned keys_columns(const struct items *items)
{
	unsigned most = 0;

	for (size_t i = 0; i < items->count; i++) {
		STR_AUTO struct str keys = STR_INIT;

		if (items->items[i].row != NULL)
			keymap_help(items->keys, items->items[i].row, &keys);
		most = keys.len > most ? (unsigned)keys.len : most;
	}
	return most;
}

static void put_item(
	struct row_writer *w, const struct items *items, size_t i, unsigned column, unsigned keys)
{
	STR_AUTO struct str shown = STR_INIT;
	STR_AUTO struct str help = STR_INIT;
	const struct item *item;

	if (i >= items->count)
		return;
	item = &items->items[i];
	row_pad(w, column);
	if (item->head != NULL) {
		row_put_ours(w, STYLE_RULE, _(item->head));
		return;
	}
	keymap_help(items->keys, item->row, &shown);
	keymap_words(items->keys, _(item->row->help), named_in(item->row), &help);
	row_put_ours(w, STYLE_KEY, str_c(&shown));
	row_pad(w, column + keys);
	row_put_ours(w, STYLE_PLAIN, str_c(&help));
}

static void put_endnotes(struct row_writer *w, unsigned width, const struct keymap *keys, bool film)
{
	const char *const *notes = film ? film_notes : endnotes;
	size_t count = film ? ARRAY_LEN(film_notes) : ARRAY_LEN(endnotes);

	row_end(w, 0);
	for (size_t i = 0; i < count; i++) {
		STR_AUTO struct str note = STR_INIT;

		keymap_words(
			keys, _(notes[i]), i == 0 && !film ? ACTION_APPROVE : ACTION_NONE, &note);
		const char *text = str_c(&note);
		do {
			size_t len = fit_row(text, width - 2);
			MEM_AUTO char *part = mem_strndup(text, len);

			row_pad(w, LEFT_COLUMN);
			row_put_ours(w, STYLE_PLAIN, part);
			row_end(w, 0);
			text = fit_rest(text, len);
		} while (text[0] != '\0');
	}
}

static void put_two_columns(
	struct row_writer *w, const struct items *left, const struct items *right)
{
	for (size_t i = 0; i < left->count || i < right->count; i++) {
		put_item(w, left, i, LEFT_COLUMN, LEFT_KEYS);
		put_item(w, right, i, RIGHT_COLUMN, RIGHT_KEYS);
		row_end(w, 0);
	}
}

static void put_one_column(
	struct row_writer *w, const struct items *first, const struct items *second)
{
	unsigned most = keys_columns(first), others = keys_columns(second), keys = RIGHT_KEYS;

	most = others > most ? others : most;
	keys = most >= keys ? most + 1 : keys;
	for (size_t i = 0; i < first->count; i++) {
		put_item(w, first, i, LEFT_COLUMN, keys);
		row_end(w, 0);
	}
	row_end(w, 0);
	for (size_t i = 0; i < second->count; i++) {
		put_item(w, second, i, LEFT_COLUMN, keys);
		row_end(w, 0);
	}
}

void layout_help(unsigned where, unsigned width, const struct keymap *keys, struct rows *ret)
{
	struct items left = {0}, right = {0};
	struct row_writer w;

	memset(ret, 0, sizeof(*ret));
	row_begin(&w, ret);
	left.keys = right.keys = keys;
	left.film = right.film = (where & ON_FILM) != 0;
	if (left.film)
		add_group(&left, GROUP_FILM);
	else
		add_groups(&left, where);
	add_group(&right, GROUP_EVERYWHERE);
	if (width >= TWO_COLUMNS_FROM && keys_columns(&left) < LEFT_KEYS &&
		keys_columns(&right) < RIGHT_KEYS)
		put_two_columns(&w, &left, &right);
	else
		put_one_column(&w, &left, &right);
	put_endnotes(&w, width, keys, left.film);
	row_release(&w);
}
