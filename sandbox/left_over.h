/* Whether a command that was ended is gone: its processes by number and start, noted while it ran and counted behind its end. */
#ifndef SANDBOX_LEFT_OVER_H
#define SANDBOX_LEFT_OVER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct left_over {
	struct left_over_process {
		pid_t pid;
		uint64_t start;
	} * items;
	size_t count, cap;
};

/* Notes a supervisor and all that descends from it now. What hides itself (hidepid=) is not seen. */
void left_over_note(struct left_over *left, pid_t supervisor);
/* So many of those noted are alive still; what has ended and waits for its parent does not count. */
size_t left_over_count(const struct left_over *left);
void left_over_release(struct left_over *left);

#endif
