#include "config.h"

#include "sandbox/left_over.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sandbox/census.h"

static void add(struct left_over *left, const struct proc_stat *stat)
{
	mem_grow(&left->items, &left->cap, left->count, sizeof(*left->items));
	left->items[left->count++] =
		(struct left_over_process){.pid = stat->pid, .start = stat->start};
}

void left_over_note(struct left_over *left, pid_t supervisor)
{
	struct census census = CENSUS_INIT;
	struct proc_stat own;

	if (supervisor <= 1 || proc_stat_read(-1, supervisor, &own) != 0)
		return;
	add(left, &own);
	census.launcher = supervisor;
	census_take(&census);
	for (size_t i = 0; i < census.count; i++)
		add(left, &census.items[i]);
	census_release(&census);
}

size_t left_over_count(const struct left_over *left)
{
	size_t alive = 0;

	for (size_t i = 0; i < left->count; i++) {
		struct proc_stat now;

		/* The number alone may be that of another process by now. */
		alive += proc_stat_read(-1, left->items[i].pid, &now) == 0 &&
			 now.start == left->items[i].start && !now.ending;
	}
	return alive;
}

void left_over_release(struct left_over *left)
{
	free(left->items);
	*left = (struct left_over){0};
}
