/* Answers for each new process of the command, so that never more than the limit are alive at once: the supervisor's part. */
#ifndef SANDBOX_FORK_COUNTER_H
#define SANDBOX_FORK_COUNTER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/census.h"

/* A fork that was let go and may still be under way: its child is in no census yet. */
struct fork_grant {
	pid_t task; /* the thread that forks, in our pid namespace */
	int number; /* of its system call */
	int64_t at_ms;
	bool settled;
};

/* A question that waits until grants are settled. */
struct fork_question {
	uint64_t id;
	pid_t task;
	int number;
	int64_t at_ms;
};

struct process_id {
	pid_t pid;
	uint64_t start;
};

struct fork_counter {
	int fd; /* the listener; -1: nobody asks */
	uint32_t limit;
	pid_t launcher; /* in our pid namespace: its own fork is not counted */
	/* At most so many are alive, forks under way included. Counted exactly only when it would reach the limit. */
	uint64_t bound;
	uint64_t refused;
	uint64_t peak;
	unsigned early_counts; /* made for the peak alone */
	struct fork_grant *grants;
	size_t grant_count, grant_cap;
	struct fork_question *held;
	size_t held_count, held_cap;
	struct process_id *known; /* in the census before */
	size_t known_count, known_cap;
};

#define FORK_COUNTER_INIT                                                                          \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Takes the listener over: its questions wake us at once, where the kernel can do that. */
void fork_counter_listen(struct fork_counter *counter, int fd, pid_t launcher);
/* The listener is readable: takes one question and answers it, or holds it. Returns true when this one was the first that
   was refused. */
bool fork_counter_hear(struct fork_counter *counter, struct census *census, int64_t now_ms);
/* Looks at the held ones again; to be called while there are some, a millisecond later. As above. */
bool fork_counter_retry(struct fork_counter *counter, struct census *census, int64_t now_ms);
/* A census was taken for another reason: its number counts for the peak. */
void fork_counter_note(struct fork_counter *counter, uint64_t alive);
void fork_counter_release(struct fork_counter *counter);

#endif
