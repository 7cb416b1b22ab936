#include "config.h"

#include "tui/keymap.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static const char *const names[ACTION_COUNT] = {
	[ACTION_DOWN] = "down",
	[ACTION_UP] = "up",
	[ACTION_PART_NEXT] = "part-next",
	[ACTION_PART_BACK] = "part-back",
	[ACTION_FIRST] = "first",
	[ACTION_LAST] = "last",
	[ACTION_OPEN] = "open",
	[ACTION_BACK] = "back",
	[ACTION_NEXT_WAITING] = "waiting-next",
	[ACTION_PREV_WAITING] = "waiting-back",
	[ACTION_VIEW_QUEUE] = "view-queue",
	[ACTION_VIEW_CARD] = "view-card",
	[ACTION_VIEW_OUTPUT] = "view-output",
	[ACTION_PANE_NEXT] = "pane",
	[ACTION_PANE_BACK] = "pane-back",
	[ACTION_VIEW_HISTORY] = "view-history",
	[ACTION_FIND] = "find",
	[ACTION_MATCH_NEXT] = "match-next",
	[ACTION_MATCH_BACK] = "match-back",
	[ACTION_APPROVE] = "approve",
	[ACTION_REJECT] = "reject",
	[ACTION_EDIT] = "edit",
	[ACTION_AGAIN] = "again",
	[ACTION_REVOKE] = "revoke",
	[ACTION_VIEW_GRANTS] = "view-grants",
	[ACTION_VIEW_AGENTS] = "view-agents",
	[ACTION_REFUSE_SENDER] = "refuse-sender",
	[ACTION_DETAILS] = "details",
	[ACTION_SAVE] = "save",
	[ACTION_UNFOLD] = "unfold",
	[ACTION_PAN_LEFT] = "pan-left",
	[ACTION_PAN_RIGHT] = "pan-right",
	[ACTION_MARK] = "mark",
	[ACTION_STOP] = "stop",
	[ACTION_EXTEND] = "extend",
	[ACTION_STOP_ALL] = "stop-all",
	[ACTION_INTAKE_OPEN] = "intake-open",
	[ACTION_LOCK] = "lock",
	[ACTION_YES] = "yes",
	[ACTION_HELP] = "help",
	[ACTION_QUIT] = "quit",
	[ACTION_CANCEL] = "cancel",
	[ACTION_REDRAW] = "redraw",
	[ACTION_FILM_PAUSE] = "film",
	[ACTION_FILM_EVENT_ON] = "event-next",
	[ACTION_FILM_EVENT_BACK] = "event-back",
	[ACTION_FILM_DECISION_ON] = "decision-next",
	[ACTION_FILM_DECISION_BACK] = "decision-back",
	[ACTION_FILM_FAILURE] = "failure",
	[ACTION_FILM_SLOWER] = "slower",
	[ACTION_FILM_FASTER] = "faster",
	[ACTION_FILM_GOTO] = "goto",
};

static const struct {
	const char *name;
	struct key key;
} named_keys[] = {
	{"Space", {.code = KEY_CODE_CHAR, .ch = ' '}},
	{"Enter", {.code = KEY_CODE_ENTER}},
	{"Tab", {.code = KEY_CODE_TAB}},
	{"Shift-Tab", {.code = KEY_CODE_BACKTAB}},
	{"Esc", {.code = KEY_CODE_ESC}},
	{"Backspace", {.code = KEY_CODE_BACKSPACE}},
	{"Delete", {.code = KEY_CODE_DELETE}},
	{"Up", {.code = KEY_CODE_UP}},
	{"Down", {.code = KEY_CODE_DOWN}},
	{"Left", {.code = KEY_CODE_LEFT}},
	{"Right", {.code = KEY_CODE_RIGHT}},
	{"Home", {.code = KEY_CODE_HOME}},
	{"End", {.code = KEY_CODE_END}},
	{"PgUp", {.code = KEY_CODE_PGUP}},
	{"PgDn", {.code = KEY_CODE_PGDN}},
};

const char *action_name(enum action action)
{
	return action < ACTION_COUNT ? names[action] : NULL;
}

static bool key_named(const char *name, struct key *ret)
{
	if (strncmp(name, "Ctrl-", 5) == 0 && name[5] >= 'A' && name[5] <= 'Z' && name[6] == '\0') {
		*ret = (struct key){.code = KEY_CODE_CTRL, .ch = (uint32_t)(name[5] + 0x20)};
		return true;
	}
	if (name[0] > ' ' && name[0] < 0x7f && name[1] == '\0') {
		*ret = (struct key){.code = KEY_CODE_CHAR, .ch = (uint32_t)name[0]};
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(named_keys); i++) {
		if (strcmp(named_keys[i].name, name) == 0) {
			*ret = named_keys[i].key;
			return true;
		}
	}
	return false;
}

static void name_of(const struct key *key, char ret[KEYMAP_NAME_BYTES])
{
	snprintf(ret, KEYMAP_NAME_BYTES, "?");
	if (key->code == KEY_CODE_CTRL)
		snprintf(ret, KEYMAP_NAME_BYTES, "Ctrl-%c", (int)(key->ch - 0x20));
	else if (key->code == KEY_CODE_CHAR && key->ch != ' ')
		snprintf(ret, KEYMAP_NAME_BYTES, "%c", (int)key->ch);
	for (size_t i = 0; i < ARRAY_LEN(named_keys); i++) {
		if (named_keys[i].key.code == key->code && named_keys[i].key.ch == key->ch)
			snprintf(ret, KEYMAP_NAME_BYTES, "%s", named_keys[i].name);
	}
}

static enum action action_named(const char *name, size_t len)
{
	for (int i = 0; i < ACTION_COUNT; i++) {
		if (names[i] != NULL && strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return (enum action)i;
	}
	return ACTION_NONE;
}

static const struct action_row *row_of(enum action action)
{
	for (unsigned i = 0; i < action_count; i++) {
		if (action_table[i].action == action)
			return &action_table[i];
	}
	return NULL;
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->code == b->code && a->ch == b->ch;
}

void keymap_make(const struct strv *bindings, struct keymap *ret)
{
	*ret = (struct keymap){0};
	for (unsigned i = 0; i < action_count; i++)
		name_of(&action_table[i].keys[0], ret->names[action_table[i].action]);
	for (size_t i = 0; i < bindings->count; i++) {
		const char *text = bindings->items[i];
		size_t len = strcspn(text, "=");
		enum action action = action_named(text, len);
		struct key key;

		if (action == ACTION_NONE || text[len] == '\0' || !key_named(text + len + 1, &key))
			continue;
		ret->keys[action] = key;
		name_of(&key, ret->names[action]);
	}
}

bool keymap_is_bound(const struct keymap *map, enum action action)
{
	return map->keys[action].code != KEY_CODE_NONE;
}

const char *keymap_key(const struct keymap *map, enum action action)
{
	return map->names[action];
}

static bool row_has(const struct keymap *map, const struct action_row *row, const struct key *key)
{
	if (keymap_is_bound(map, row->action))
		return same_key(&map->keys[row->action], key);
	for (size_t i = 0; i < ARRAY_LEN(row->keys) && row->keys[i].code != KEY_CODE_NONE; i++) {
		if (same_key(&row->keys[i], key))
			return true;
	}
	return false;
}

enum action keymap_action(const struct keymap *map, const struct key *key, unsigned where)
{
	for (unsigned i = 0; i < action_count; i++) {
		if ((action_table[i].where & where) != 0 && row_has(map, &action_table[i], key))
			return action_table[i].action;
	}
	return ACTION_NONE;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Where `word` stands by itself in the text; NULL. A sign has no need to. */
static const char *find_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
		bool joined = (at > text && is_word(at[-1])) || is_word(at[len]);

		if (!is_word(word[0]) || !joined)
			return at;
	}
	return NULL;
}

void keymap_words(const struct keymap *map, const char *text, enum action action, struct str *out)
{
	const struct action_row *row = row_of(action);
	char old[KEYMAP_NAME_BYTES];
	const char *at = NULL;

	if (row != NULL && keymap_is_bound(map, action)) {
		name_of(&row->keys[0], old);
		at = find_word(text, old);
	}
	if (at == NULL) {
		str_add(out, text);
		return;
	}
	str_add_bytes(out, text, (size_t)(at - text));
	str_add(out, keymap_key(map, action));
	str_add(out, at + strlen(old));
}

/* Whether the help line of `speaker` names the keys of `row` too. */
static bool speaks_for(const struct action_row *speaker, const struct action_row *row)
{
	const struct action_row *above = row;

	while (above > action_table && above->help == NULL)
		above--;
	return above == speaker;
}

static void add_name(struct str *out, const char *gap, const char *name)
{
	if (out->len > 0)
		str_add(out, gap);
	str_add(out, name);
}

static void add_table_keys(struct str *out, const struct action_row *row, size_t nth, bool *first)
{
	char name[KEYMAP_NAME_BYTES];

	if (row->keys[nth].code == KEY_CODE_NONE)
		return;
	name_of(&row->keys[nth], name);
	add_name(out, *first ? "  " : " ", name);
	*first = false;
}

/* First keys of all, then second ones: "j k  Down Up". */
void keymap_help_keys(const struct keymap *map, const struct action_row *speaker, struct str *out)
{
	for (size_t nth = 0; nth < ARRAY_LEN(speaker->keys); nth++) {
		bool first = true;

		for (unsigned i = 0; i < action_count; i++) {
			const struct action_row *row = &action_table[i];

			if (!speaks_for(speaker, row))
				continue;
			if (!keymap_is_bound(map, row->action)) {
				add_table_keys(out, row, nth, &first);
			} else if (nth == 0) {
				add_name(out, first ? "  " : " ", keymap_key(map, row->action));
				first = false;
			}
		}
	}
}

void keymap_help(const struct keymap *map, const struct action_row *row, struct str *out)
{
	bool bound = false;

	for (unsigned i = 0; i < action_count; i++)
		bound = bound || (speaks_for(row, &action_table[i]) &&
					 keymap_is_bound(map, action_table[i].action));
	if (bound)
		keymap_help_keys(map, row, out);
	else
		str_add(out, row->keys_shown);
}
