/* Inside of cause.c: the tables. A new cause is a value of enum cause, a row, a line in exequatur-doctor(1) and a test. */
#ifndef CORE_CAUSE_ROWS_H
#define CORE_CAUSE_ROWS_H

#include <stddef.h>

#include "core/cause.h"

#define WAY_OUT_MAX 4

struct cause_row {
	enum cause cause;
	const char *name;
	/* Whether it is one of the causes of what was examined; in cause_weakening examined is NULL for the machine alone. NULL:
	   only the backend itself can tell. */
	bool (*holds)(const struct machine *machine, const struct examined *examined);
	/* {user} and the like are filled in; a line of the way out with one that is not known is left out. */
	const char *words;
	const char *way_out[WAY_OUT_MAX];
};

struct cause_rows {
	const struct cause_row *items;
	size_t count;
};
extern const struct cause_rows cause_building, cause_programs, cause_weakening;

#endif
