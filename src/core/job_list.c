#include "config.h"

#include "core/job_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/model.h"

void job_list_release(struct job_list *list)
{
	free(list->items);
	*list = (struct job_list){0};
}

struct job *job_list_at(const struct job_list *list, size_t index)
{
	return index < list->count ? list->items[list->first + index] : NULL;
}

size_t job_list_below(const struct job_list *list, uint64_t seq)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->items[list->first + middle]->seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What was taken from the front is room again, once it is more than what is left. */
static void make_room(struct job_list *list)
{
	if (list->first > list->count) {
		memmove(list->items, list->items + list->first, list->count * sizeof(struct job *));
		list->first = 0;
	}
	mem_grow(&list->items, &list->cap, list->first + list->count, sizeof(struct job *));
}

void job_list_add(struct job_list *list, struct job *job)
{
	size_t index = job_list_below(list, job->seq);

	make_room(list);
	struct job **at = list->items + list->first + index;

	memmove(at + 1, at, (list->count - index) * sizeof(struct job *));
	*at = job;
	list->count++;
}

bool job_list_remove(struct job_list *list, const struct job *job)
{
	size_t index = job_list_below(list, job->seq);
	struct job **items = list->items + list->first;

	if (job_list_at(list, index) != job)
		return false;
	if (index < list->count / 2) {
		memmove(items + 1, items, index * sizeof(struct job *));
		list->first++;
	} else {
		memmove(items + index, items + index + 1,
			(list->count - index - 1) * sizeof(struct job *));
	}
	list->count--;
	return true;
}
