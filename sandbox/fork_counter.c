#include "config.h"

#include "sandbox/fork_counter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/fork_mend.h"
#include "sandbox/signal_answer.h"

/* linux/seccomp.h of Linux 6.6: SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP */
#define NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define NOTIF_SYNC_WAKE_UP 1ul

/* A fork takes no longer, but that of a huge process on a loaded machine: after this a thread that is seen running is taken to
   be out of it. */
#define UNDER_WAY_MS 250
/* So long a question waits for grants that may turn out to be over. */
#define HOLD_MS 300
#define EARLY_COUNTS_MAX 4
/* Dead children that nobody waits for fill the machine's table of processes. */
#define ZOMBIES_MAX 512

static void note_peak(struct fork_counter *c, uint64_t alive)
{
	if (alive > c->peak)
		c->peak = alive < c->limit ? alive : c->limit;
}

void fork_counter_note(struct fork_counter *c, uint64_t alive)
{
	note_peak(c, alive);
}

static bool is_known(const struct fork_counter *c, const struct proc_stat *p)
{
	for (size_t i = 0; i < c->known_count; i++)
		if (c->known[i].pid == p->pid && c->known[i].start == p->start)
			return true;
	return false;
}

static void remember(struct fork_counter *c, const struct census *census)
{
	c->known_count = 0;
	for (size_t i = 0; i < census->count; i++) {
		mem_grow(&c->known, &c->known_cap, c->known_count, sizeof(*c->known));
		c->known[c->known_count++] =
			(struct process_id){census->items[i].pid, census->items[i].start};
	}
}

/* Whether the thread has surely left the call that was let go. While it is held in another call, stopped or gone, it has;
   while it runs, nobody can tell. */
static bool is_over(const struct fork_grant *grant, int64_t now_ms)
{
	char name[40], text[64];
	struct proc_stat task;
	char *end;
	if (proc_stat_read(-1, grant->task, &task) || strchr("ZXTt", task.state))
		return true;
	snprintf(name, sizeof(name), "%d/syscall", (int)grant->task);
	proc_read(-1, name, text, sizeof(text));
	long number = strtol(text, &end, 10);
	if (end != text)
		return number != grant->number;
	return now_ms - grant->at_ms > UNDER_WAY_MS;
}

/* The process of a thread, as the command's own pid namespace numbers it. */
static pid_t inner_process(pid_t task)
{
	char name[40], text[2048];
	snprintf(name, sizeof(name), "%d/status", (int)task);
	if (!proc_read(-1, name, text, sizeof(text)))
		return 0;
	char *line = strstr(text, "\nNStgid:");
	if (!line)
		return 0;
	line++;
	line[strcspn(line, "\n")] = '\0';
	char *last = strrchr(line, '\t');
	return last ? (pid_t)strtol(last, NULL, 10) : 0;
}

/* A child that was not in the census before is that of one fork under way, and of one only. */
static bool has_new_child(struct fork_counter *c, const struct census *census,
	const struct fork_grant *grant, bool *taken)
{
	pid_t parent = inner_process(grant->task);
	for (size_t i = 0; parent > 0 && i < census->count; i++) {
		const struct proc_stat *p = &census->items[i];
		if (taken[i] || p->parent != parent || is_known(c, p))
			continue;
		taken[i] = true;
		return true;
	}
	return false;
}

static void drop_settled(struct fork_counter *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->grant_count; i++)
		if (!c->grants[i].settled)
			c->grants[kept++] = c->grants[i];
	c->grant_count = kept;
}

/* Exactly. What was over before the census is in it; of the rest each child that is in it is found by its parent; what
   remains is counted as alive. */
static void count(struct fork_counter *c, struct census *census, int64_t now_ms)
{
	for (size_t i = 0; i < c->grant_count; i++)
		c->grants[i].settled = is_over(&c->grants[i], now_ms);
	drop_settled(c);
	census_take(census);
	MEM_AUTO bool *taken = mem_array(census->count + 1, sizeof(bool));
	for (size_t i = 0; i < c->grant_count; i++)
		c->grants[i].settled = has_new_child(c, census, &c->grants[i], taken);
	drop_settled(c);
	remember(c, census);
	note_peak(c, census->alive);
	c->bound = census->alive + c->grant_count;
	if (census->count - census->alive > ZOMBIES_MAX)
		c->bound += c->limit;
}

static bool is_free(struct fork_counter *c, struct census *census, int64_t now_ms)
{
	if (c->bound < c->limit) {
		/* The first is alive alone; how many the next ones are is looked up a few times. */
		if (c->bound == 0)
			note_peak(c, 1);
		else if (c->bound >= c->peak && c->early_counts < EARLY_COUNTS_MAX) {
			c->early_counts++;
			count(c, census, now_ms);
			note_peak(c, c->bound + 1);
		}
		return true;
	}
	count(c, census, now_ms);
	return c->bound < c->limit;
}

/* False when the thread does not wait for it any more. */
static bool answer(const struct fork_counter *c, uint64_t id, int error_number)
{
	struct seccomp_notif_resp response = {.id = id};
	if (error_number)
		response.error = -error_number;
	else
		response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	return ioctl(c->fd, SECCOMP_IOCTL_NOTIF_SEND, &response) == 0;
}

static void let_go(struct fork_counter *c, const struct fork_question *q, int64_t now_ms)
{
	mem_grow(&c->grants, &c->grant_cap, c->grant_count, sizeof(*c->grants));
	c->grants[c->grant_count++] =
		(struct fork_grant){.task = q->task, .number = q->number, .at_ms = now_ms};
	c->bound++;
	if (answer(c, q->id, 0))
		return;
	c->grant_count--;
	c->bound--;
}

static bool refuse(struct fork_counter *c, const struct fork_question *q)
{
	answer(c, q->id, EAGAIN);
	note_peak(c, c->limit);
	return c->refused++ == 0;
}

/* A thread that asks anew has left its last fork. */
static void settle_task(struct fork_counter *c, pid_t task)
{
	for (size_t i = 0; i < c->grant_count; i++)
		c->grants[i].settled = c->grants[i].task == task;
	drop_settled(c);
}

static bool judge(struct fork_counter *c, struct census *census, const struct fork_question *q,
	int64_t now_ms)
{
	if (is_free(c, census, now_ms)) {
		let_go(c, q, now_ms);
		return false;
	}
	if (c->grant_count == 0 || now_ms - q->at_ms > HOLD_MS)
		return refuse(c, q);
	struct fork_question held = *q;
	mem_grow(&c->held, &c->held_cap, c->held_count, sizeof(*c->held));
	c->held[c->held_count++] = held;
	return false;
}

void fork_counter_listen(struct fork_counter *c, int fd, pid_t launcher)
{
	c->fd = fd;
	c->launcher = launcher;
	if (fd >= 0)
		ioctl(fd, NOTIF_SET_FLAGS, NOTIF_SYNC_WAKE_UP);
}

bool fork_counter_hear(struct fork_counter *c, struct census *census, int64_t now_ms)
{
	/* Newer kernels may write more than they did when this was built. */
	union {
		struct seccomp_notif notice;
		char room[512];
	} in = {0};
	if (ioctl(c->fd, SECCOMP_IOCTL_NOTIF_RECV, &in) != 0) {
		if (errno != ENOENT && errno != EINTR)
			fd_close(&c->fd);
		return false;
	}
	const struct fork_question q = {.id = in.notice.id,
		.task = (pid_t)in.notice.pid,
		.number = in.notice.data.nr,
		.at_ms = now_ms};
	if (signal_is_asked(q.number)) {
		signal_answer(c->fd, &in.notice, census);
		return false;
	}
	bool forks = q.number != SYS_rt_sigaction;
	if (!forks)
		fork_mend_action(c->fd, &in.notice);
	if (!forks || q.task == c->launcher) {
		answer(c, q.id, 0);
		return false;
	}
	settle_task(c, q.task);
	return judge(c, census, &q, now_ms);
}

bool fork_counter_retry(struct fork_counter *c, struct census *census, int64_t now_ms)
{
	struct fork_question *held = STEAL(c->held);
	size_t count_before = c->held_count;
	bool first = false;
	c->held_count = c->held_cap = 0;
	for (size_t i = 0; i < count_before; i++)
		first |= judge(c, census, &held[i], now_ms);
	free(held);
	return first;
}

void fork_counter_release(struct fork_counter *c)
{
	fd_close(&c->fd);
	free(c->grants);
	free(c->held);
	free(c->known);
	*c = (struct fork_counter)FORK_COUNTER_INIT;
}
