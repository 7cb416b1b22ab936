#include "config.h"

#include "sandbox/signal_answer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/tree.h"

/* A process changes its parent when that ends: then it is looked for again. */
#define TRIES 4
#define GO_ON INT_MAX /* an answer: the call itself does it */

struct question {
	int listener_fd;
	uint64_t id;
	pid_t task, process; /* who asks */
	int args[4];         /* what the kernel takes of them */
	uint64_t info_at;    /* where its siginfo lies; 0: it has none */
	struct census *census;
	siginfo_t info;
	bool itself; /* one of those that are meant: signalled when it was answered */
};

static bool is_valid(const struct question *q)
{
	return ioctl(q->listener_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &q->id) == 0;
}

static pid_t process_of(pid_t task)
{
	char name[40], text[1024];
	snprintf(name, sizeof(name), "%d/status", (int)task);
	if (!proc_read(-1, name, text, sizeof(text)))
		return 0;
	const char *line = strstr(text, "\nTgid:");
	return line ? (pid_t)strtol(line + 6, NULL, 10) : 0;
}

/* What is sent along. It says what the sender likes in any case, so it may change while it is read. */
static bool read_info(struct question *q)
{
	char path[40];
	if (q->info_at == 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)q->task);
	FD_AUTO int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && is_valid(q) &&
	       pread(fd, &q->info, sizeof(q->info), (off_t)q->info_at) == sizeof(q->info);
}

/* 0 or an errno. */
static int send_to(const struct question *q, const struct proc_stat *process, int sig)
{
	FD_AUTO int pidfd = tree_open(process);
	if (pidfd < 0)
		return ESRCH;
	const siginfo_t *info = q->info_at ? &q->info : NULL;
	return syscall(SYS_pidfd_send_signal, pidfd, sig, info, 0) == 0 ? 0 : errno;
}

static const struct proc_stat *find(const struct census *census, pid_t pid)
{
	for (size_t i = 0; i < census->count; i++)
		if (census->items[i].pid == pid)
			return &census->items[i];
	return NULL;
}

static bool exists(pid_t pid)
{
	char name[40], text[8];
	snprintf(name, sizeof(name), "%d/stat", (int)pid);
	return proc_read(-1, name, text, sizeof(text)) > 0;
}

static int to_one(struct question *q, pid_t pid, int sig)
{
	if (pid == q->process)
		return GO_ON;
	int error = ESRCH;
	for (int i = 0; i < TRIES && error == ESRCH; i++) {
		census_take(q->census);
		const struct proc_stat *process = find(q->census, pid);
		if (process == NULL)
			return exists(pid) ? EPERM : ESRCH;
		if (!read_info(q))
			return EFAULT;
		error = send_to(q, process, sig);
	}
	return error;
}

/* group 0: all of the command but who asks. As kill(2): it is enough that one could be reached. */
static int to_many(struct question *q, pid_t group, int sig)
{
	int error = ESRCH;
	bool reached = false;
	census_take(q->census);
	for (size_t i = 0; i < q->census->count; i++) {
		const struct proc_stat *process = &q->census->items[i];
		bool itself = process->pid == q->process;
		if (group ? process->group != group : itself)
			continue;
		/* Not before it is answered: interrupted in its question, it would ask again. */
		q->itself |= itself;
		int failed = itself ? 0 : send_to(q, process, sig);
		reached |= failed == 0;
		if (failed && failed != ESRCH)
			error = failed;
	}
	return reached ? 0 : error;
}

static int on_kill(struct question *q)
{
	pid_t pid = q->args[0];
	int sig = q->args[1];
	/* Its own group is of its own session, which began with the command. */
	if (pid == 0)
		return GO_ON;
	if (pid == INT_MIN)
		return ESRCH;
	if (pid > 0)
		return to_one(q, pid, sig);
	return to_many(q, pid == -1 ? 0 : -pid, sig);
}

static int on_queue(struct question *q)
{
	return q->args[0] > 0 ? to_one(q, q->args[0], q->args[1]) : ESRCH;
}

/* A thread of its own process, which lives as long as it waits for us: no number can be anybody else's. */
static int on_tgkill(struct question *q)
{
	return q->args[0] == q->process ? GO_ON : EPERM;
}

static int on_tkill(struct question *q)
{
	if (q->args[0] == q->task)
		return GO_ON;
	return syscall(SYS_tgkill, q->process, q->args[0], q->args[1]) == 0 ? 0 : errno;
}

static const struct row {
	int number;
	int (*judge)(struct question *); /* 0, an errno, GO_ON */
	unsigned info;                   /* the argument with its siginfo; 0: none */
} rows[] = {
	{SYS_kill, on_kill, 0},
	{SYS_tkill, on_tkill, 0},
	{SYS_tgkill, on_tgkill, 0},
	{SYS_rt_sigqueueinfo, on_queue, 2},
	{SYS_rt_tgsigqueueinfo, on_tgkill, 0},
};

static const struct row *row_of(int number)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

bool signal_is_asked(int number)
{
	return row_of(number) != NULL;
}

static void answer(const struct question *q, int verdict)
{
	struct seccomp_notif_resp response = {.id = q->id};
	if (verdict == GO_ON)
		response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else
		response.error = -verdict;
	ioctl(q->listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void signal_answer(int listener_fd, const struct seccomp_notif *notice, struct census *census)
{
	struct question q = {.listener_fd = listener_fd,
		.id = notice->id,
		.task = (pid_t)notice->pid,
		.process = process_of((pid_t)notice->pid),
		.census = census};
	const struct row *row = row_of(notice->data.nr);
	for (size_t i = 0; i < ARRAY_LEN(q.args); i++)
		q.args[i] = (int)notice->data.args[i];
	if (row->info)
		q.info_at = notice->data.args[row->info];
	/* Its number was looked up while it surely waited for us. */
	if (!is_valid(&q))
		return;
	answer(&q, q.process ? row->judge(&q) : EPERM);
	/* The census that found it is still the last one. */
	const struct proc_stat *itself = q.itself ? find(census, q.process) : NULL;
	if (itself)
		send_to(&q, itself, q.args[1]);
}
