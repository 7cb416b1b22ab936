#include "config.h"

#include "sandbox/cpu_share.h"

#include <stdlib.h>

/* What it saved while it waited for something else, it may use at once, for so long. */
#define SAVED_MS 100
#define SHORTEST_STOP_MS 2
#define LONGEST_STOP_MS 200

/* CPU time that the share gives in so many milliseconds: a percent of a millisecond is 10 us. */
static int64_t share_us(const struct cpu_share *share, int64_t ms)
{
	return ms * share->percent * 10;
}

/* CPU time since the last look. A child that is reaped while we read is missing for once, with all of its time; one that dies
   unseen by its parent is missing for ever. */
static int64_t spent_us(struct cpu_share *share, uint64_t used_us)
{
	uint64_t before = share->used_us;
	if (used_us < before && !share->dipped) {
		share->dipped = true;
		return 0;
	}
	share->dipped = false;
	share->used_us = used_us;
	return used_us > before ? (int64_t)(used_us - before) : 0;
}

static int64_t account(struct cpu_share *share, uint64_t used_us, int64_t now_ms)
{
	int64_t most = share_us(share, SAVED_MS);
	if (share->begun) {
		share->credit_us += share_us(share, now_ms - share->at_ms);
		share->credit_us -= spent_us(share, used_us);
	} else {
		share->begun = true;
		share->credit_us = most;
		share->used_us = used_us;
	}
	if (share->credit_us > most)
		share->credit_us = most;
	share->at_ms = now_ms;
	return share->credit_us;
}

int64_t cpu_share_look(
	struct cpu_share *share, uint64_t used_us, int64_t now_ms, pid_t root, int root_pidfd)
{
	if (share->percent == 0)
		return 0;
	if (account(share, used_us, now_ms) >= 0) {
		tree_resume(&share->stopped);
		return 0;
	}
	tree_stop(root, root_pidfd, &share->stopped);
	int64_t wait_ms = -share->credit_us / share_us(share, 1) + 1;
	if (wait_ms < SHORTEST_STOP_MS)
		return SHORTEST_STOP_MS;
	return wait_ms < LONGEST_STOP_MS ? wait_ms : LONGEST_STOP_MS;
}

void cpu_share_resume(struct cpu_share *share)
{
	tree_resume(&share->stopped);
}

void cpu_share_release(struct cpu_share *share)
{
	tree_resume(&share->stopped);
	free(share->stopped.pidfds);
	*share = (struct cpu_share){0};
}
