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
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/proc_stat.h"

#define REAP_WAIT_NS 5000000
#define STOP_ROUNDS 8

struct queue {
	struct proc_stat *items;
	size_t count, cap;
};

static int send_signal(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

int tree_check(struct err *err)
{
	char path[64];
	struct proc_stat own;
	FD_AUTO int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (pidfd < 0 || send_signal(pidfd, 0) != 0)
		return err_set_errno(err, "nothing is started that could not be ended: %s",
			pidfd < 0 ? "pidfd_open" : "pidfd_send_signal");
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if (proc_stat_read(-1, getpid(), &own) || access(path, R_OK) != 0)
		return err_set(err, ERR_UNAVAILABLE,
			"nothing is started that could not be ended: /proc does not show children");
	return 0;
}

static void add_children(const char *path, pid_t parent, struct queue *queue)
{
	/* Longer lists are read in the next round: tree_end goes on until nobody is left. */
	char text[16384];
	char *at = text, *end;
	if (!proc_read(-1, path, text, sizeof(text)))
		return;
	for (pid_t pid; (pid = (pid_t)strtol(at, &end, 10)) > 1 && end != at; at = end) {
		struct proc_stat child = {0};
		if (*end != ' ')
			continue;
		/* hidepid= of /proc hides one that is not dumpable: of our own children the number is enough. */
		if (proc_stat_read(-1, pid, &child) != 0 && parent == getpid())
			child = (struct proc_stat){.pid = pid, .parent = parent};
		if (child.parent != parent)
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
		snprintf(
			path, sizeof(path), "%d/task/%d/children", (int)parent, atoi(task->d_name));
		add_children(path, parent, queue);
	}
	closedir(tasks);
}

/* The pidfd holds its process; if what /proc says behind it is what was queued, it is that one (or it is dead, and the
   signal reaches nobody). */
int tree_open(const struct proc_stat *process)
{
	struct proc_stat now;
	int pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (pidfd < 0)
		return -1;
	if (proc_stat_read(-1, process->pid, &now) || now.start != process->start ||
		now.parent != process->parent) {
		close(pidfd);
		return -1;
	}
	return pidfd;
}

/* One walk, and what it is for. */
struct walk {
	struct queue queue;
	int sig;
	struct tree_stopped *stopped; /* NULL: nobody is remembered */
};

static void keep(struct tree_stopped *stopped, int pidfd)
{
	mem_grow(&stopped->pidfds, &stopped->cap, stopped->count, sizeof(int));
	stopped->pidfds[stopped->count++] = pidfd;
}

static void visit(const struct proc_stat *process, struct walk *walk)
{
	int sig = walk->sig;
	struct queue *queue = &walk->queue;
	/* Nobody but us reaps our own children, so that their numbers stay theirs. */
	FD_AUTO int pidfd = process->parent == getpid()
				    ? (int)syscall(SYS_pidfd_open, process->pid, 0)
				    : tree_open(process);
	if (pidfd < 0)
		return;
	/* What the command stopped itself is not ours to continue. */
	if (walk->stopped && process->state == 'T')
		sig = 0;
	/* Before its children are read: a process that has been stopped forks no more. */
	if (sig)
		send_signal(pidfd, sig);
	/* A stopped process handles a SIGTERM only when it goes on. */
	if (sig == SIGTERM)
		send_signal(pidfd, SIGCONT);
	size_t before = queue->count;
	collect_children(process->pid, queue);
	/* Reaped meanwhile: its number may have been a stranger's while we read. */
	if (send_signal(pidfd, 0) != 0) {
		queue->count = before;
	} else if (walk->stopped && sig) {
		keep(walk->stopped, pidfd);
		pidfd = -1;
	}
}

static size_t walk_from(pid_t root, int root_pidfd, struct walk *walk)
{
	struct queue *queue = &walk->queue;
	size_t running = 0;
	collect_children(root, queue);
	if (root_pidfd >= 0 && send_signal(root_pidfd, 0) != 0)
		queue->count = 0;
	for (size_t i = 0; i < queue->count; i++) {
		struct proc_stat process = queue->items[i]; /* the queue moves when it grows */
		running += !process.ending;
		visit(&process, walk);
	}
	free(queue->items);
	return running;
}

size_t tree_signal(pid_t root, int root_pidfd, int sig)
{
	struct walk walk = {.sig = sig};
	return walk_from(root, root_pidfd, &walk);
}

void tree_stop(pid_t root, int root_pidfd, struct tree_stopped *stopped)
{
	/* Again, until nobody is new: a child may be born behind our back. */
	for (int round = 0; round < STOP_ROUNDS; round++) {
		size_t before = stopped->count;
		struct walk walk = {.sig = SIGSTOP, .stopped = stopped};
		walk_from(root, root_pidfd, &walk);
		if (stopped->count == before)
			return;
	}
}

void tree_resume(struct tree_stopped *stopped)
{
	for (size_t i = 0; i < stopped->count; i++) {
		send_signal(stopped->pidfds[i], SIGCONT);
		close(stopped->pidfds[i]);
	}
	stopped->count = 0;
}

static uint64_t microseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

void tree_used_add(struct tree_used *used, const struct rusage *usage)
{
	uint64_t largest_bytes = (uint64_t)usage->ru_maxrss * 1024;
	used->cpu_us += microseconds(usage->ru_utime) + microseconds(usage->ru_stime);
	if (largest_bytes > used->largest_bytes)
		used->largest_bytes = largest_bytes;
}

/* False when no child is left. */
static bool reap(struct tree_used *used)
{
	for (;;) {
		struct rusage usage;
		pid_t pid = wait4(-1, NULL, WNOHANG | __WALL, &usage);
		if (pid == 0)
			return true;
		if (pid < 0 && errno != EINTR)
			return false;
		if (pid > 0 && pid != used->apart)
			tree_used_add(used, &usage);
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
	struct tree_used used = {0};
	tree_end_counted(&used);
}

void tree_end_counted(struct tree_used *used)
{
	/* Most trees fall at the first blow; those that fork faster than we read are stopped before they are killed.
	   Orphans come to us, so every round starts with all that is left. */
	for (bool stubborn = false; reap(used); stubborn = true) {
		if (stubborn)
			stop_all();
		tree_signal(getpid(), -1, SIGKILL);
		wait_for_child();
	}
}
