#include "config.h"

#include "tui/action.h"

#include <stddef.h>

#include "base/mem.h"
#include "base/words.h"

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

#define ON_SOUGHT (ON_QUEUE | ON_CARD | ON_OUTPUT | ON_HISTORY | ON_GRANTS | ON_AGENTS | ON_HELP)

/* The order is the order of the help page. Where two actions share a help line, the first has it. No key that decides is a
   capital (Caps Lock) or can be the end of a sequence alone: those come from the parser as KEY_CODE_UNKNOWN. */
const struct action_row action_table[] = {
	{ACTION_APPROVE, {CH('a')}, ON_CARD | ON_MARKED, "a", N_("approve, only when [a] is lit"),
		N_("a approve"), true},
	{ACTION_REJECT, {CH('r')}, ON_QUEUE | ON_AGENTS | ON_CARD | ON_MARKED, "r",
		N_("reject, with a reason"), N_("r reject"), false},
	{ACTION_EDIT, {CH('e')}, ON_CARD, "e", N_("edit, then a new card"), N_("e edit"), false},
	{ACTION_AGAIN, {CH('t')}, ON_CARD, "t", N_("approve this call for a time"), N_("t again"),
		false},
	{ACTION_DETAILS, {CH('v')}, ON_CARD, "v", N_("environment, full argv, proofs"),
		N_("v details"), false},
	{ACTION_STOP, {CH('x')}, ON_CARD | ON_OUTPUT, "x", N_("stop it, asks; y is yes"),
		N_("x stop"), false},
	{ACTION_EXTEND, {CH('+')}, ON_CARD | ON_OUTPUT, "+", N_("more time, up to the limit"),
		N_("+ more time"), true},
	{ACTION_MARK, {CH('m')}, ON_QUEUE, "m", N_("mark; Enter shows all marked"), N_("m mark"),
		false},
	{ACTION_REFUSE_SENDER, {CH('i')}, ON_QUEUE | ON_AGENTS, "i",
		N_("refuse one sender's new calls"), N_("i refuse its new ones"), false},
	{ACTION_STOP_ALL, {CH('!')}, ON_ALL, "!", N_("stop all, asks; y is yes"), N_("! stop all"),
		false},
	{ACTION_INTAKE_OPEN, {CH('O')}, ON_STOPPED, "O", N_("open intake, asks for a word"),
		N_("O open intake again"), false},
	{ACTION_REVOKE, {CH('x')}, ON_GRANTS, "x", N_("revoke it, asks; y is yes"), N_("x revoke"),
		false},
	{ACTION_SAVE, {CH('o')}, ON_CARD | ON_OUTPUT | ON_HISTORY, "o",
		N_("save the output to a file"), N_("o save"), false},
	{ACTION_YES, {CH('y')}, ON_QUESTION, "y", N_("yes to a question"), NULL, true},
	{ACTION_DOWN, {CH('j'), ON(DOWN)}, ON_ALL, "j k  Down Up", N_("one down, one up"), NULL,
		false},
	{ACTION_UP, {CH('k'), ON(UP)}, ON_ALL, NULL, NULL, NULL, false},
	{ACTION_PART_NEXT, {CH(' '), ON(PGDN)}, ON_ALL, "Space  PgDn", N_("next part not seen yet"),
		N_("Space next part"), false},
	{ACTION_PART_BACK, {CH('b'), ON(PGUP)}, ON_ALL, "b  PgUp", N_("one part back"), NULL,
		false},
	{ACTION_FIRST, {CH('g'), ON(HOME)}, ON_ALL, "g G  Home End", N_("first, last line"), NULL,
		false},
	{ACTION_LAST, {CH('G'), ON(END)}, ON_ALL, NULL, NULL, N_("G follow"), false},
	{ACTION_OPEN, {ON(ENTER)}, ON_AGENTS | ON_QUEUE | ON_CARD | ON_HISTORY | ON_MARKED, "Enter",
		N_("open, or next waiting"), N_("Enter open"), false},
	{ACTION_BACK, {ON(ESC)}, ON_ALL, "Esc", N_("one view back"), N_("Esc back"), false},
	{ACTION_NEXT_WAITING, {CH('J')}, ON_ALL, "J K", N_("next, previous waiting"),
		N_("J K waiting"), false},
	{ACTION_PREV_WAITING, {CH('K')}, ON_ALL, NULL, NULL, NULL, false},
	{ACTION_VIEW_QUEUE, {CH('1')}, ON_ALL, "1 2 3", N_("queue, card, output"), NULL, false},
	{ACTION_VIEW_CARD, {CH('2')}, ON_ALL, NULL, NULL, NULL, false},
	{ACTION_VIEW_OUTPUT, {CH('3')}, ON_ALL, NULL, NULL, N_("3 output"), false},
	{ACTION_VIEW_HISTORY, {CH('4')}, ON_ALL, "4 5 6", N_("history, grants, agents"),
		N_("4 history"), false},
	{ACTION_VIEW_GRANTS, {CH('5')}, ON_ALL, NULL, NULL, N_("5 grants"), false},
	{ACTION_VIEW_AGENTS, {CH('6')}, ON_ALL, NULL, NULL, N_("6 agents"), false},
	{ACTION_FIND, {CH('/')}, ON_SOUGHT, "/  n N", N_("find; next, previous"), N_("/ find"),
		false},
	{ACTION_MATCH_NEXT, {CH('n')}, ON_SOUGHT, NULL, NULL, N_("n N match"), false},
	{ACTION_MATCH_BACK, {CH('N')}, ON_SOUGHT, NULL, NULL, NULL, false},
	{ACTION_UNFOLD, {CH('u')}, ON_OUTPUT, "u  h l", N_("unfold; left, right"), N_("u unfold"),
		false},
	{ACTION_PAN_LEFT, {CH('h'), ON(LEFT)}, ON_OUTPUT, NULL, NULL, NULL, false},
	{ACTION_PAN_RIGHT, {CH('l'), ON(RIGHT)}, ON_OUTPUT, NULL, NULL, NULL, false},
	{ACTION_PANE_NEXT, {ON(TAB)}, ON_QUEUE | ON_CARD | ON_OUTPUT, "Tab", N_("other pane"),
		N_("Tab pane"), false},
	{ACTION_PANE_BACK, {ON(BACKTAB)}, ON_QUEUE | ON_CARD | ON_OUTPUT, NULL, NULL, NULL, false},
	{ACTION_LOCK, {CH('L')}, ON_ALL, "L", N_("lock the screen"), N_("L lock"), false},
	{ACTION_HELP, {CH('?')}, ON_ALL, "?", N_("this page"), N_("? keys"), false},
	{ACTION_QUIT, {CH('q')}, ON_ALL, "q", N_("quit, asks first"), N_("q quit"), true},
	{ACTION_CANCEL, {CTRL('c')}, ON_ALL, "Ctrl-C", N_("Esc in a prompt, else q"), NULL, false},
	{ACTION_REDRAW, {CTRL('l')}, ON_ALL, "Ctrl-L", N_("draw again"), NULL, false},
	{ACTION_FILM_PAUSE, {CH(' ')}, ON_FILM, "Space", N_("pause, go on"), N_("Space go on"),
		false},
	{ACTION_FILM_EVENT_BACK, {CH(',')}, ON_FILM, ", .", N_("one event back, on"),
		N_(", . event"), false},
	{ACTION_FILM_EVENT_ON, {CH('.')}, ON_FILM, NULL, NULL, NULL, false},
	{ACTION_FILM_DECISION_ON, {CH('J')}, ON_FILM, "J K", N_("next, previous decision"),
		N_("J K decision"), false},
	{ACTION_FILM_DECISION_BACK, {CH('K')}, ON_FILM, NULL, NULL, NULL, false},
	{ACTION_FILM_SLOWER, {CH('<')}, ON_FILM, "< >", N_("half, double speed"), N_("< > speed"),
		false},
	{ACTION_FILM_FASTER, {CH('>')}, ON_FILM, NULL, NULL, NULL, false},
	{ACTION_FILM_GOTO, {CH(':')}, ON_FILM, ":", N_("go to a time, an event, a call"),
		N_(": go to"), false},
	{ACTION_FILM_FAILURE, {CH('f')}, ON_FILM, "f", N_("next limit or failure"),
		N_("f next failure"), false},
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
