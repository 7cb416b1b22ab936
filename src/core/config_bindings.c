#include "config.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "core/config_value.h"

enum view {
	ON_LIST = 1 << 0,
	ON_CARD = 1 << 1,
	ON_OUTPUT = 1 << 2,
	IN_QUESTION = 1 << 3,
	IN_REPLAY = 1 << 4,
	ON_TEXT = ON_CARD | ON_OUTPUT,
	ON_ALL = ON_LIST | ON_TEXT,
	/* Esc, Ctrl-C and Ctrl-L mean the same in every prompt, whatever else is on them. */
	IN_PROMPT_TOO = ON_ALL | IN_QUESTION,
};

/* The actions of screens.md section 7.2, with the keys they have when nothing is said. */
static const struct {
	const char *name;
	const char *keys;
	unsigned views;
	bool decides;
} actions[] = {
	{"down", "j Down", ON_ALL, false},
	{"up", "k Up", ON_ALL, false},
	{"part-next", "Space PgDn", ON_ALL, false},
	{"part-back", "b PgUp", ON_ALL, false},
	{"first", "g Home", ON_ALL, false},
	{"last", "G End", ON_ALL, false},
	{"open", "Enter", ON_LIST | ON_CARD, false},
	{"back", "Esc", ON_ALL, false},
	{"waiting-next", "J", ON_ALL, false},
	{"waiting-back", "K", ON_ALL, false},
	{"view-queue", "1", ON_ALL, false},
	{"view-card", "2", ON_ALL, false},
	{"view-output", "3", ON_ALL, false},
	{"view-history", "4", ON_ALL, false},
	{"view-grants", "5", ON_ALL, false},
	{"view-agents", "6", ON_ALL, false},
	{"pane", "Tab", ON_ALL, false},
	{"pane-back", "Shift-Tab", ON_ALL, false},
	{"find", "/", ON_ALL, false},
	{"match-next", "n", ON_ALL, false},
	{"match-back", "N", ON_ALL, false},
	{"unfold", "u", ON_TEXT, false},
	{"pan-left", "h Left", ON_TEXT, false},
	{"pan-right", "l Right", ON_TEXT, false},
	{"approve", "a", ON_CARD, true},
	{"reject", "r", ON_LIST | ON_CARD, true},
	{"edit", "e", ON_CARD, false},
	{"again", "t", ON_CARD, true},
	{"details", "v", ON_CARD, false},
	{"save", "o", ON_TEXT, false},
	{"stop", "x", ON_TEXT, true},
	{"revoke", "x", ON_LIST, true},
	{"extend", "+", ON_TEXT, true},
	{"mark", "m", ON_LIST, false},
	{"refuse-sender", "i", ON_LIST, false},
	{"stop-all", "!", ON_ALL, true},
	{"yes", "y", IN_QUESTION, true},
	{"intake-open", "O", ON_ALL, false},
	{"lock", "L", ON_ALL, false},
	{"help", "?", ON_ALL, false},
	{"quit", "q", ON_ALL, true},
	{"cancel", "Ctrl-C", IN_PROMPT_TOO, false},
	{"redraw", "Ctrl-L", IN_PROMPT_TOO, false},
	{"film", "Space", IN_REPLAY, false},
	{"event-next", ".", IN_REPLAY, false},
	{"event-back", ",", IN_REPLAY, false},
	{"decision-next", "J", IN_REPLAY, false},
	{"decision-back", "K", IN_REPLAY, false},
	{"failure", "f", IN_REPLAY, false},
	{"slower", "<", IN_REPLAY, false},
	{"faster", ">", IN_REPLAY, false},
	{"goto", ":", IN_REPLAY, false},
};

static const char *const key_names[] = {
	"Enter",
	"Space",
	"Tab",
	"Shift-Tab",
	"Esc",
	"Up",
	"Down",
	"Left",
	"Right",
	"Home",
	"End",
	"PgUp",
	"PgDn",
	"Delete",
	"Backspace",
};

/* A name stands for one of those, or for a sequence, whose end alone would be a letter: none decides. */
static const char *const enter_tab_and_the_like[] = {
	"Ctrl-H", /* the byte of Backspace */
	"Ctrl-I", /* of Tab */
	"Ctrl-J", /* of the end of a pasted line */
	"Ctrl-M", /* of Enter */
	"Ctrl-Z", /* of the terminal: to the shell */
};

static bool is_in(const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(text, list[i]))
			return true;
	}
	return false;
}

static bool is_key(const char *key)
{
	if (key[0] && !key[1])
		return key[0] > 0x20 && key[0] < 0x7f;
	if (is_in(key, enter_tab_and_the_like, ARRAY_LEN(enter_tab_and_the_like)))
		return false;
	if (!strncmp(key, "Ctrl-", 5))
		return key[5] >= 'A' && key[5] <= 'Z' && !key[6];
	return is_in(key, key_names, ARRAY_LEN(key_names));
}

/* Not what a hand presses by habit, and not what a paste, a stuck Caps Lock or the tail of a sequence brings. */
static bool may_decide(const char *key)
{
	if (key[0] && !key[1])
		return !(key[0] >= '0' && key[0] <= '9') && !(key[0] >= 'A' && key[0] <= 'Z');
	return !is_in(key, key_names, ARRAY_LEN(key_names));
}

static size_t find_action(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
		if (!strcmp(actions[i].name, name))
			return i;
	}
	return ARRAY_LEN(actions);
}

static const char *nearest_action(const char *name)
{
	const char *nearest = NULL;
	unsigned least = UINT_MAX;

	for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
		unsigned distance = config_distance(name, actions[i].name);

		if (distance < least) {
			least = distance;
			nearest = actions[i].name;
		}
	}
	return nearest;
}

static size_t find_binding(const struct config *config, const char *action)
{
	size_t len = strlen(action);

	for (size_t i = 0; i < config->keys.count; i++) {
		if (!strncmp(config->keys.items[i], action, len) &&
			config->keys.items[i][len] == '=')
			return i;
	}
	return config->keys.count;
}

static int check_key(size_t action, const char *key, struct err *err)
{
	if (!is_key(key))
		return err_set(err, ERR_INVALID,
			"%s: \"%s\" is no key; write one character, Ctrl-A (not H I J M Z, which "
			"are other keys), or a name such as PgDn",
			actions[action].name, key);
	if (actions[action].decides && !may_decide(key))
		return err_set(err, ERR_INVALID,
			"%s decides, so it cannot be on %s (Enter, Space, Tab, Esc, an arrow, a "
			"digit, a capital or another key with a name)",
			actions[action].name, key);
	return 0;
}

int config_binding_add(struct config *config, const char *action, const struct config_value *value,
	unsigned line, struct err *err)
{
	size_t index = find_action(action);

	if (index == ARRAY_LEN(actions))
		return err_set(err, ERR_INVALID,
			"unknown action %s in [exequatur.keys]; the nearest is %s", action,
			nearest_action(action));
	if (value->kind != CONFIG_VALUE_STRING)
		return err_set(err, ERR_INVALID, "%s must be the name of a key in quotes", action);
	size_t earlier = find_binding(config, action);

	if (earlier < config->keys.count)
		return err_set(err, ERR_INVALID, "%s has a key already, from line %u", action,
			config->key_lines[earlier]);
	if (check_key(index, str_c(&value->text), err))
		return -1;
	config->key_lines =
		mem_resize(config->key_lines, config->keys.count + 1, sizeof(*config->key_lines));
	config->key_lines[config->keys.count] = line;
	strv_printf(&config->keys, "%s=%s", action, str_c(&value->text));
	return 0;
}

/* What the action is on: its binding, else its default keys. Apart by a blank. */
static const char *keys_of(const struct config *config, size_t action)
{
	size_t binding = find_binding(config, actions[action].name);

	if (binding == config->keys.count)
		return actions[action].keys;
	return strchr(config->keys.items[binding], '=') + 1;
}

/* Both could be meant by one key. Also where they are never on one view: a key that asks and answers `yes` too would answer its
   own question when it is pressed twice. */
static const char *clash(size_t a, size_t b)
{
	bool yes = !strcmp(actions[a].name, "yes") || !strcmp(actions[b].name, "yes");

	if (actions[a].views & actions[b].views)
		return "in one view";
	return yes && actions[a].decides && actions[b].decides ? "and one answers the other" : NULL;
}

int config_bindings_check(const struct config *config, unsigned *ret_line, struct err *err)
{
	for (size_t i = 0; i < config->keys.count; i++) {
		const char *key = strchr(config->keys.items[i], '=') + 1;
		char *name MEM_AUTO = mem_strndup(
			config->keys.items[i], (size_t)(key - 1 - config->keys.items[i]));
		size_t bound = find_action(name);

		for (size_t other = 0; other < ARRAY_LEN(actions); other++) {
			if (other == bound || !clash(bound, other) ||
				!config_word_in(key, keys_of(config, other)))
				continue;
			*ret_line = config->key_lines[i];
			return err_set(err, ERR_INVALID,
				"%s and %s are both on %s %s; give one of them another key", name,
				actions[other].name, key, clash(bound, other));
		}
	}
	return 0;
}

const char *config_binding_key(const struct config *config, const char *action)
{
	size_t binding = find_binding(config, action);

	return binding == config->keys.count ? NULL : strchr(config->keys.items[binding], '=') + 1;
}

const char *config_binding_action(size_t index)
{
	return index < ARRAY_LEN(actions) ? actions[index].name : NULL;
}

const char *config_binding_keys(size_t index)
{
	return actions[index].keys;
}
