#include "config.h"

#include "sandbox/census.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#define PASSES_MAX 4

/* What getdents64 gives; getdents(2). */
struct entry {
	uint64_t ino;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

static DIR *open_tasks(int proc_fd, pid_t pid)
{
	char path[40];
	snprintf(path, sizeof(path), "%s%d/task", proc_fd < 0 ? "/proc/" : "", (int)pid);
	int fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? NULL : fdopendir(fd);
}

/* A first thread that ended alone has given its memory back: what the process holds shows in another thread. */
static void look_through(int proc_fd, struct proc_stat *p)
{
	char path[64];
	DIR *tasks = open_tasks(proc_fd, p->pid);
	if (!tasks)
		return;
	for (struct dirent *task; (task = readdir(tasks));) {
		struct proc_stat thread;
		snprintf(path, sizeof(path), "%d/task/%d/stat", (int)p->pid, atoi(task->d_name));
		if (proc_stat_read_file(proc_fd, path, &thread) || thread.state == 'Z')
			continue;
		p->resident_bytes = thread.resident_bytes;
		p->state = thread.state;
		break;
	}
	closedir(tasks);
}

static void add(struct census *c, const struct proc_stat *found)
{
	mem_grow(&c->items, &c->cap, c->count, sizeof(*c->items));
	struct proc_stat *p = &c->items[c->count++];
	*p = *found;
	if (p->state == 'Z' && !p->ending)
		look_through(c->proc_fd, p);
}

static void add_namespace_entries(struct census *c, const char *buf, size_t len)
{
	for (size_t at = 0; at < len;) {
		const struct entry *entry = (const void *)(buf + at);
		struct proc_stat found;
		at += entry->length;
		int pid = atoi(entry->name);
		if (pid <= 0 || pid == c->launcher)
			continue;
		if (proc_stat_read(c->proc_fd, pid, &found) == 0)
			add(c, &found);
	}
}

/* By number, ascending: nobody can hide by changing its parent meanwhile. */
static void count_namespace(struct census *c)
{
	char buf[8192] __attribute__((aligned(8)));
	lseek(c->proc_fd, 0, SEEK_SET);
	for (long n; (n = syscall(SYS_getdents64, c->proc_fd, buf, sizeof(buf))) > 0;)
		add_namespace_entries(c, buf, (size_t)n);
}

static bool is_listed(const struct census *c, pid_t pid)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->items[i].pid == pid)
			return true;
	return false;
}

static void add_children(struct census *c, pid_t parent, pid_t task)
{
	char name[64], text[16384];
	char *at = text, *end;
	snprintf(name, sizeof(name), "%d/task/%d/children", (int)parent, (int)task);
	if (!proc_read(c->proc_fd, name, text, sizeof(text)))
		return;
	for (pid_t pid; (pid = (pid_t)strtol(at, &end, 10)) > 1 && end != at; at = end) {
		struct proc_stat found;
		if (!is_listed(c, pid) && proc_stat_read(c->proc_fd, pid, &found) == 0 &&
			found.parent == parent)
			add(c, &found);
	}
}

/* Children are listed with the thread that forked them. */
static void add_all_children(struct census *c, pid_t parent, uint32_t threads)
{
	if (threads == 1) {
		add_children(c, parent, parent);
		return;
	}
	DIR *tasks = open_tasks(c->proc_fd, parent);
	for (struct dirent *task; tasks && (task = readdir(tasks));)
		if (atoi(task->d_name) > 0)
			add_children(c, parent, atoi(task->d_name));
	if (tasks)
		closedir(tasks);
}

/* An orphan changes its parent while we read, and may then be missed below both: until a pass finds nobody new. */
static void count_descendants(struct census *c)
{
	for (int pass = 0; pass < PASSES_MAX; pass++) {
		size_t before = c->count;
		add_all_children(c, c->launcher, 1);
		for (size_t i = 0; i < c->count; i++)
			add_all_children(c, c->items[i].pid, c->items[i].threads);
		if (pass && c->count == before)
			return;
	}
}

static void count_alive(struct census *c)
{
	bool shell_seen = c->shell_ended;
	c->alive = 0;
	for (size_t i = 0; i < c->count; i++) {
		if (c->items[i].ending)
			continue;
		c->alive++;
		if (!c->shell_ended && c->items[i].pid == c->shell) {
			c->alive--;
			shell_seen = true;
		}
	}
	/* It may fork before the launcher's word of it has come. */
	if (!shell_seen && c->shell == 0 && c->alive > 0)
		c->alive--;
}

void census_take(struct census *c)
{
	c->count = 0;
	proc_stat_read(c->proc_fd, c->launcher, &c->launcher_stat);
	if (c->proc_fd >= 0 && c->launcher == 1)
		count_namespace(c);
	else
		count_descendants(c);
	count_alive(c);
}

uint64_t census_cpu_us(const struct census *c)
{
	uint64_t us = c->launcher_stat.cpu_us;
	for (size_t i = 0; i < c->count; i++)
		us += c->items[i].cpu_us;
	return us;
}

void census_release(struct census *c)
{
	free(c->items);
	c->items = NULL;
	c->count = c->cap = 0;
}
