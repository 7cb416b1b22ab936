#include "config.h"

#include "sandbox/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#define EXITING_FLAG 0x4 /* PF_EXITING in field 9 of /proc/PID/stat; proc(5) */
#define REAP_WAIT_NS 5000000
#define STOP_ROUNDS 8

struct process {
	pid_t pid, parent;
	uint64_t start; /* in clock ticks since boot */
	bool ending;    /* zombie or on its way */
};

struct queue {
	struct process *items;
	size_t count, cap;
};

static size_t read_proc(const char *path, char *buf, size_t size)
{
	FD_AUTO int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	/* One read gives a page at most. */
	size_t len = 0;
	for (ssize_t n; len < size - 1 && (n = read(fd, buf + len, size - 1 - len)) > 0;)
		len += (size_t)n;
	buf[len] = '\0';
	return len;
}

/* proc(5): "pid (comm) state ppid ..."; comm may hold blanks and parentheses, so the last one counts. */
static int read_process(pid_t pid, struct process *ret)
{
	char path[40], text[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!read_proc(path, text, sizeof(text)))
		return -1;
	char *at = strrchr(text, ')');
	if (!at || at[1] != ' ')
		return -1;
	at += 2;
	char state = *at++;
	uint64_t fields[23] = {0};
	for (unsigned i = 4; i <= 22; i++) {
		char *end;
		fields[i] = strtoull(at, &end, 10);
		if (end == at)
			return -1;
		at = end;
	}
	*ret = (struct process){.pid = pid,
		.parent = (pid_t)fields[4],
		.start = fields[22],
		.ending = state == 'Z' || state == 'X' || (fields[9] & EXITING_FLAG)};
	return 0;
}

static void add_children(const char *path, pid_t parent, struct queue *queue)
{
	/* Longer lists are read in the next round: tree_end goes on until nobody is left. */
	char text[16384];
	char *at = text, *end;
	if (!read_proc(path, text, sizeof(text)))
		return;
	for (pid_t pid; (pid = (pid_t)strtol(at, &end, 10)) > 1 && end != at; at = end) {
		struct process child;
		if (*end != ' ' || read_process(pid, &child) || child.parent != parent)
			continue;
		mem_grow(&queue->items, &queue->cap, queue->count, sizeof(child));
		queue->items[queue->count++] = child;
	}
}

/* Children are listed with the thread that forked them. */
static void collect_children(pid_t parent, struct queue *queue)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)parent);
	DIR *tasks = opendir(path);
	if (!tasks)
		return;
	for (struct dirent *task; (task = readdir(tasks));) {
		if (task->d_name[0] < '0' || task->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)parent,
			atoi(task->d_name));
		add_children(path, parent, queue);
	}
	closedir(tasks);
}

static int send_signal(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

/* The pidfd holds its process; if what /proc says behind it is what was queued, it is that one (or it is dead, and the
   signal reaches nobody). */
static int open_process(const struct process *process)
{
	struct process now;
	int pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (pidfd < 0)
		return -1;
	if (read_process(process->pid, &now) || now.start != process->start ||
		now.parent != process->parent) {
		close(pidfd);
		return -1;
	}
	return pidfd;
}

static void visit(const struct process *process, int sig, struct queue *queue)
{
	FD_AUTO int pidfd = open_process(process);
	if (pidfd < 0)
		return;
	/* Before its children are read: a process that has been stopped forks no more. */
	if (sig)
		send_signal(pidfd, sig);
	/* A stopped process handles a SIGTERM only when it goes on. */
	if (sig == SIGTERM)
		send_signal(pidfd, SIGCONT);
	size_t before = queue->count;
	collect_children(process->pid, queue);
	/* Reaped meanwhile: its number may have been a stranger's while we read. */
	if (send_signal(pidfd, 0) != 0)
		queue->count = before;
}

size_t tree_signal(pid_t root, int root_pidfd, int sig)
{
	struct queue queue = {0};
	size_t running = 0;
	collect_children(root, &queue);
	if (root_pidfd >= 0 && send_signal(root_pidfd, 0) != 0)
		queue.count = 0;
	for (size_t i = 0; i < queue.count; i++) {
		struct process process = queue.items[i]; /* the queue moves when it grows */
		running += !process.ending;
		visit(&process, sig, &queue);
	}
	free(queue.items);
	return running;
}

/* False when no child is left. */
static bool reap(void)
{
	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG | __WALL);
		if (pid == 0)
			return true;
		if (pid < 0 && errno != EINTR)
			return false;
	}
}

static void wait_for_child(void)
{
	const struct timespec limit = {.tv_nsec = REAP_WAIT_NS};
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigtimedwait(&set, NULL, &limit);
}

/* Until a walk finds no more than the one before: then nobody is left who forks. */
static void stop_all(void)
{
	size_t before = 0;
	for (int round = 0; round < STOP_ROUNDS; round++) {
		size_t now = tree_signal(getpid(), -1, SIGSTOP);
		if (round && now <= before)
			return;
		before = now;
	}
}

void tree_end(void)
{
	/* Most trees fall at the first blow; those that fork faster than we read are stopped before they are killed.
	   Orphans come to us, so every round starts with all that is left. */
	for (bool stubborn = false; reap(); stubborn = true) {
		if (stubborn)
			stop_all();
		tree_signal(getpid(), -1, SIGKILL);
		wait_for_child();
	}
}
