/* Calls by number, ascending. Taking one out costs the way to the nearer end: those at either end cost nothing, however many
   there are. Owns the list, not the calls. */
#ifndef CORE_JOB_LIST_H
#define CORE_JOB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;
struct job_list {
	struct job **items; /* from `first` on */
	size_t first, count, cap;
};

void job_list_release(struct job_list *list);
void job_list_add(struct job_list *list, struct job *job);
bool job_list_remove(struct job_list *list, const struct job *job); /* false: it was not there */
/* How many have a lower number: the index of that call when it is there. */
size_t job_list_below(const struct job_list *list, uint64_t seq);
struct job *job_list_at(const struct job_list *list, size_t index); /* NULL behind the last */

#endif
