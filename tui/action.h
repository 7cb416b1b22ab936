/* One table gives the action, its keys, the help line and the footer label (screens.md section 7.2); only keys that exist. */
#ifndef TUI_ACTION_H
#define TUI_ACTION_H

#include <stdbool.h>

#include "tui/keys.h"

enum action {
	ACTION_NONE,
	ACTION_DOWN,
	ACTION_UP,
	ACTION_PART_NEXT,
	ACTION_PART_BACK,
	ACTION_FIRST,
	ACTION_LAST,
	ACTION_OPEN,
	ACTION_BACK,
	ACTION_NEXT_WAITING,
	ACTION_PREV_WAITING,
	ACTION_VIEW_QUEUE,
	ACTION_VIEW_CARD,
	ACTION_VIEW_OUTPUT,
	ACTION_PANE_NEXT,
	ACTION_PANE_BACK,
	ACTION_VIEW_HISTORY,
	ACTION_FIND,
	ACTION_MATCH_NEXT,
	ACTION_MATCH_BACK,
	ACTION_APPROVE,
	ACTION_REJECT,
	ACTION_EDIT,
	ACTION_AGAIN,
	ACTION_REVOKE,
	ACTION_VIEW_GRANTS,
	ACTION_VIEW_AGENTS,
	ACTION_REFUSE_SENDER,
	ACTION_DETAILS,
	ACTION_SAVE,
	ACTION_UNFOLD,
	ACTION_PAN_LEFT,
	ACTION_PAN_RIGHT,
	ACTION_MARK,
	ACTION_STOP,
	ACTION_EXTEND,
	ACTION_STOP_ALL,
	ACTION_INTAKE_OPEN,
	ACTION_LOCK,
	ACTION_YES,
	ACTION_HELP,
	ACTION_QUIT,
	ACTION_CANCEL,
	ACTION_REDRAW,
	ACTION_FILM_PAUSE,
	ACTION_FILM_EVENT_BACK,
	ACTION_FILM_EVENT_ON,
	ACTION_FILM_DECISION_ON,
	ACTION_FILM_DECISION_BACK,
	ACTION_FILM_SLOWER,
	ACTION_FILM_FASTER,
	ACTION_FILM_GOTO,
	ACTION_FILM_FAILURE,
	ACTION_COUNT
};
enum action_where {
	ON_QUEUE = 1,
	ON_CARD = 2,
	ON_OUTPUT = 4,
	ON_HELP = 8,
	ON_QUESTION = 16,
	ON_HISTORY = 32,
	ON_GRANTS = 64,
	ON_AGENTS = 512,
	ON_STOPPED = 256, /* after stop-all: that view, and a bit of every other */
	ON_MARKED = 1024,
	ON_FILM = 2048, /* a recording, before all else and whatever the view */
	ON_ALL = 15 | ON_HISTORY | ON_GRANTS | ON_AGENTS | ON_STOPPED | ON_MARKED
};

struct action_row {
	enum action action;
	struct key keys[4];
	unsigned where;
	const char *keys_shown; /* "j k  Down Up" in help; NULL: the row above says it */
	const char *help;       /* "one down, one up"; NULL as keys_shown */
	const char *footer;     /* "j k move"; NULL: never in a footer */
	bool decides;           /* counts only alone */
};
extern const struct action_row action_table[];
extern const unsigned action_count;
/* The action of a key where the person is (a bit of action_where, or several); ACTION_NONE. */
enum action action_for_key(const struct key *key, unsigned where);

#endif
