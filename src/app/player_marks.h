/* What a film knows of its whole record: how long it is, and each decision and limit. Read beside the film, a part at a time. */
#ifndef APP_PLAYER_MARKS_H
#define APP_PLAYER_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/player_file.h"
#include "tui/film.h"

/* A record of millions of calls must not need the memory of them: so many marks are kept, and the film says that it goes on. */
#define PLAYER_MARKS_MAX 65536u
#define PLAYER_MARK_CALLS 256u

struct player_marks {
	struct player_file *file;
	struct film_mark *items;
	size_t count, cap;
	uint64_t events;
	int64_t last_ms;
	bool done;           /* up to the present end */
	struct marked_call { /* not decided yet; the oldest gives way */
		uint64_t seq;
		int64_t at_ms, all_seen_ms; /* -1: not yet */
	} calls[PLAYER_MARK_CALLS];
	size_t call_next;
};

int player_marks_open(const char *path, struct player_marks *ret, struct err *err);
void player_marks_close(struct player_marks *marks);
/* At most so many events; true while there are more. A line that is none ends it: the film says why when it comes there. */
bool player_marks_work(struct player_marks *marks, unsigned most);
/* The same for one event. */
void player_marks_take(struct player_marks *marks, const struct event *event, uint64_t line);

#endif
