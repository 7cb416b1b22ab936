#include "config.h"

#include "tui/action.h"

#include <stddef.h>

#include "base/mem.h"

#define CH(c)                                                                                      \
	{                                                                                          \
		.code = KEY_CODE_CHAR, .ch = (c)                                                   \
	}
#define CTRL(c)                                                                                    \
	{                                                                                          \
		.code = KEY_CODE_CTRL, .ch = (c)                                                   \
	}
#define ON(name)                                                                                   \
	{                                                                                          \
		.code = KEY_CODE_##name                                                            \
	}

/* The order is the order of the help page. Where two actions share a help line, the first has it. No key that decides is a
   capital (Caps Lock) or can be the end of a sequence alone: those come from the parser as KEY_CODE_UNKNOWN. */
const struct action_row action_table[] = {
	{ACTION_APPROVE, {CH('a')}, ON_CARD, "a", "approve, only when [a] is lit", "a approve",
		true},
	{ACTION_REJECT, {CH('r')}, ON_CARD, "r", "reject, with a reason", "r reject", false},
	{ACTION_EDIT, {CH('e')}, ON_CARD, "e", "edit, then a new card", "e edit", false},
	{ACTION_AGAIN, {CH('t')}, ON_CARD, "t", "approve this call for a time", "t again", false},
	{ACTION_DETAILS, {CH('v')}, ON_CARD, "v", "environment, full argv, proofs", "v details",
		false},
	{ACTION_STOP, {CH('x')}, ON_CARD | ON_OUTPUT, "x", "stop it, asks; y is yes", "x stop",
		false},
	{ACTION_EXTEND, {CH('+')}, ON_CARD | ON_OUTPUT, "+", "more time, up to the limit",
		"+ more time", true},
	{ACTION_STOP_ALL, {CH('!')}, ON_ALL, "!", "stop all, asks; y is yes", "! stop all", false},
	{ACTION_INTAKE_OPEN, {CH('O')}, ON_STOPPED, "O", "open intake, asks for a word",
		"O open intake again", false},
	{ACTION_REVOKE, {CH('x')}, ON_GRANTS, "x", "revoke it, asks; y is yes", "x revoke", false},
	{ACTION_SAVE, {CH('o')}, ON_CARD | ON_OUTPUT | ON_HISTORY, "o", "save the output to a file",
		"o save", false},
	{ACTION_YES, {CH('y')}, ON_QUESTION, "y", "yes to a question", NULL, true},
	{ACTION_DOWN, {CH('j'), ON(DOWN)}, ON_ALL, "j k  Down Up", "one down, one up", NULL, false},
	{ACTION_UP, {CH('k'), ON(UP)}, ON_ALL, NULL, NULL, NULL, false},
	{ACTION_PART_NEXT, {CH(' '), ON(PGDN)}, ON_ALL, "Space  PgDn", "next part not seen yet",
		"Space next part", false},
	{ACTION_PART_BACK, {CH('b'), ON(PGUP)}, ON_ALL, "b  PgUp", "one part back", NULL, false},
	{ACTION_FIRST, {CH('g'), ON(HOME)}, ON_ALL, "g G  Home End", "first, last line", NULL,
		false},
	{ACTION_LAST, {CH('G'), ON(END)}, ON_ALL, NULL, NULL, "G follow", false},
	{ACTION_OPEN, {ON(ENTER)}, ON_QUEUE | ON_CARD | ON_HISTORY, "Enter",
		"open, or next waiting", "Enter open", false},
	{ACTION_BACK, {ON(ESC)}, ON_ALL, "Esc", "one view back", "Esc back", false},
	{ACTION_NEXT_WAITING, {CH('J')}, ON_ALL, "J K", "next, previous waiting", "J K waiting",
		false},
	{ACTION_PREV_WAITING, {CH('K')}, ON_ALL, NULL, NULL, NULL, false},
	{ACTION_VIEW_QUEUE, {CH('1')}, ON_ALL, "1 2 3", "queue, card, output", NULL, false},
	{ACTION_VIEW_CARD, {CH('2')}, ON_ALL, NULL, NULL, NULL, false},
	{ACTION_VIEW_OUTPUT, {CH('3')}, ON_ALL, NULL, NULL, "3 output", false},
	{ACTION_VIEW_HISTORY, {CH('4')}, ON_ALL, "4 5", "history, grants", "4 history", false},
	{ACTION_VIEW_GRANTS, {CH('5')}, ON_ALL, NULL, NULL, "5 grants", false},
	{ACTION_FIND, {CH('/')}, ON_HISTORY | ON_CARD | ON_OUTPUT, "/  n N", "find; next, previous",
		"/ find", false},
	{ACTION_MATCH_NEXT, {CH('n')}, ON_HISTORY | ON_CARD | ON_OUTPUT, NULL, NULL, "n N match",
		false},
	{ACTION_MATCH_BACK, {CH('N')}, ON_HISTORY | ON_CARD | ON_OUTPUT, NULL, NULL, NULL, false},
	{ACTION_UNFOLD, {CH('u')}, ON_OUTPUT, "u  h l", "unfold; left, right", "u unfold", false},
	{ACTION_PAN_LEFT, {CH('h'), ON(LEFT)}, ON_OUTPUT, NULL, NULL, NULL, false},
	{ACTION_PAN_RIGHT, {CH('l'), ON(RIGHT)}, ON_OUTPUT, NULL, NULL, NULL, false},
	{ACTION_PANE_NEXT, {ON(TAB)}, ON_QUEUE | ON_CARD | ON_OUTPUT, "Tab", "other pane",
		"Tab pane", false},
	{ACTION_PANE_BACK, {ON(BACKTAB)}, ON_QUEUE | ON_CARD | ON_OUTPUT, NULL, NULL, NULL, false},
	{ACTION_LOCK, {CH('L')}, ON_ALL, "L", "lock the screen", "L lock", false},
	{ACTION_HELP, {CH('?')}, ON_ALL, "?", "this page", "? keys", false},
	{ACTION_QUIT, {CH('q')}, ON_ALL, "q", "quit, asks first", "q quit", true},
	{ACTION_CANCEL, {CTRL('c')}, ON_ALL, "Ctrl-C", "Esc in a prompt, else q",
		NULL, false},
	{ACTION_REDRAW, {CTRL('l')}, ON_ALL, "Ctrl-L", "draw again", NULL, false},
};
const unsigned action_count = ARRAY_LEN(action_table);

static bool has_key(const struct action_row *row, const struct key *key)
{
	for (size_t i = 0; i < ARRAY_LEN(row->keys) && row->keys[i].code != KEY_CODE_NONE; i++) {
		if (row->keys[i].code == key->code && row->keys[i].ch == key->ch)
			return true;
	}
	return false;
}

enum action action_for_key(const struct key *key, unsigned where)
{
	for (unsigned i = 0; i < action_count; i++) {
		if ((action_table[i].where & where) != 0 && has_key(&action_table[i], key))
			return action_table[i].action;
	}
	return ACTION_NONE;
}
