/* View 6 as a list: who is there or has calls open, by number, then who is gone, the last one first. */
#ifndef TUI_AGENTS_H
#define TUI_AGENTS_H

#include <stddef.h>

#include "core/model.h"

struct agent_rows {
	const struct sender **items;
	size_t count, here; /* here: so many of them are */
};

void agent_rows_make(const struct model *model, struct agent_rows *ret);
void agent_rows_release(struct agent_rows *rows);
size_t agent_rows_find(const struct agent_rows *rows, unsigned number); /* count: not there */

#endif
