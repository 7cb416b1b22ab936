/* Which key an action is on in this session: that of the table in action.c, or what the configuration bound it to. The bindings
   are a fact of the session (EVENT_SESSION_START), so that a replay names the keys that the person had. */
#ifndef TUI_KEYMAP_H
#define TUI_KEYMAP_H

#include <stdbool.h>

#include "base/str.h"
#include "base/strv.h"
#include "tui/action.h"

#define KEYMAP_NAME_BYTES 12

struct keymap {
	struct key keys[ACTION_COUNT]; /* KEY_CODE_NONE: those of the table */
	char names[ACTION_COUNT][KEYMAP_NAME_BYTES];
};

/* "approve=z" and so on, as the configuration has them; what is no action or no key is left out: it came from a record. */
void keymap_make(const struct strv *bindings, struct keymap *ret);
/* The name of an action in the configuration; NULL when it has none. */
const char *action_name(enum action action);
/* "a", "Space": the first of its keys. Valid as long as the map. */
const char *keymap_key(const struct keymap *map, enum action action);
bool keymap_is_bound(
	const struct keymap *map, enum action action); /* to another key than the table's */
/* As action_for_key(). A key that was bound takes the place of all that the action had. */
enum action keymap_action(const struct keymap *map, const struct key *key, unsigned where);
/* A sentence of ours that names the action's key as the table has it, once, as a word by itself: with the key that it is on. */
void keymap_words(const struct keymap *map, const char *text, enum action action, struct str *out);
/* The keys of a line of the help page: the row's own and those of the rows that it speaks for. */
/* The same without a look at what the table writes there. For tests. */
void keymap_help_keys(const struct keymap *map, const struct action_row *row, struct str *out);
void keymap_help(const struct keymap *map, const struct action_row *row, struct str *out);

#endif
