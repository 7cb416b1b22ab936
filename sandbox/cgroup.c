#include "config.h"

#include "sandbox/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/strv.h"
#include "sandbox/namespaces.h"

#define TEXT_MAX 65536
#define CONTROL "cgroup.subtree_control"
#define MEMBERS "cgroup.procs"
#define OWN_LEAF CGROUP_PREFIX "console"

static bool read_in(const char *dir, const char *name, struct str *out)
{
	struct err err = ERR_INIT;
	MEM_AUTO char *path = path_join(dir, name);
	return fd_read_file(path, TEXT_MAX, out, &err) == 0;
}

static bool write_in(const char *dir, const char *name, const char *text)
{
	MEM_AUTO char *path = path_join(dir, name);
	FD_AUTO int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool may_write(const char *dir, const char *name)
{
	MEM_AUTO char *path = path_join(dir, name);
	return faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0 &&
	       faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
}

/* One of the words of a file like "cpu io memory". */
static bool has_word(const char *dir, const char *name, const char *word)
{
	STR_AUTO struct str text = STR_INIT;
	char *rest = NULL;
	if (!read_in(dir, name, &text) || text.len == 0)
		return false;
	MEM_AUTO char *copy = mem_strdup(str_c(&text));
	for (char *at = strtok_r(copy, " \n", &rest); at; at = strtok_r(NULL, " \n", &rest))
		if (strcmp(at, word) == 0)
			return true;
	return false;
}

/* A line of /proc/self/cgroup is "4:cpu,cpuacct:/path"; of version 2 "0::/path". */
static bool split_line(char *line, char **ret_controllers, char **ret_path)
{
	char *first = strchr(line, ':');
	char *second = first ? strchr(first + 1, ':') : NULL;
	if (!second || second[1] != '/')
		return false;
	*second = '\0';
	*ret_controllers = first + 1;
	*ret_path = second + 1;
	return true;
}

static bool lists(const char *controllers, const char *name)
{
	size_t len = strlen(name);
	for (const char *at = controllers; *at; at += strcspn(at, ",") + (strchr(at, ',') != NULL))
		if (strcspn(at, ",") == len && strncmp(at, name, len) == 0)
			return true;
	return false;
}

/* Our own group's directory in the hierarchy of this controller ("": version 2); NULL when it has none. */
static char *own_dir(const char *base, const char *own, const char *controller)
{
	MEM_AUTO char *copy = mem_strdup(own);
	char *rest = NULL, *controllers, *path;
	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (!split_line(line, &controllers, &path))
			continue;
		bool v2 = controllers[0] == '\0';
		if (v2 != (controller[0] == '\0') || (!v2 && !lists(controllers, controller)))
			continue;
		return mem_printf("%s%s%s%s", base, v2 ? "" : "/", controllers,
			strcmp(path, "/") == 0 ? "" : path);
	}
	return NULL;
}

static bool is_alone(const char *dir)
{
	STR_AUTO struct str text = STR_INIT;
	char own[32];
	snprintf(own, sizeof(own), "%d\n", (int)getpid());
	return read_in(dir, MEMBERS, &text) && strcmp(str_c(&text), own) == 0;
}

/* A group with members cannot give controllers to groups below it: we make room when we are the only one. */
static bool make_room(const char *dir)
{
	MEM_AUTO char *leaf = path_join(dir, OWN_LEAF);
	if (!is_alone(dir) || (mkdir(leaf, 0755) != 0 && errno != EEXIST))
		return false;
	return write_in(leaf, MEMBERS, "0");
}

static void turn_on(const char *dir)
{
	static const char *const controllers[] = {"memory", "cpu"};
	char text[16];
	for (size_t i = 0; i < ARRAY_LEN(controllers); i++) {
		if (!has_word(dir, "cgroup.controllers", controllers[i]) ||
			has_word(dir, CONTROL, controllers[i]))
			continue;
		snprintf(text, sizeof(text), "+%s", controllers[i]);
		if (!write_in(dir, CONTROL, text) && errno == EBUSY && make_room(dir))
			write_in(dir, CONTROL, text);
	}
}

/* From our own group upwards: groups below the first that is ours and hands memory down. */
static void look_upwards(const char *top, const char *own, struct cgroup_site *ret)
{
	MEM_AUTO char *dir = mem_strdup(own);
	while (may_write(dir, MEMBERS) && !ret->memory_dir && path_is_equal_or_below(dir, top)) {
		if (has_word(dir, CONTROL, "memory")) {
			ret->v2 = true;
			ret->memory_dir = mem_strdup(dir);
			if (has_word(dir, CONTROL, "cpu"))
				ret->cpu_dir = mem_strdup(dir);
		}
		char *above = path_dirname(dir);
		free(dir);
		dir = above;
	}
}

static void find_v2(const char *base, const char *own, struct cgroup_site *ret)
{
	MEM_AUTO char *unified = path_join(base, "unified");
	MEM_AUTO char *controllers = path_join(base, "cgroup.controllers");
	const char *top = access(controllers, F_OK) == 0 ? base : unified;
	MEM_AUTO char *dir = own_dir(top, own, "");
	if (!dir || !has_word(top, "cgroup.controllers", "memory"))
		return;
	look_upwards(top, dir, ret);
	/* Only then: who made room for groups once is in a group of its own already, and would make another in there. */
	if (ret->memory_dir || !may_write(dir, CONTROL))
		return;
	turn_on(dir);
	look_upwards(top, dir, ret);
}

static char *find_v1(const char *base, const char *own, const char *controller, const char *limit)
{
	MEM_AUTO char *dir = own_dir(base, own, controller);
	MEM_AUTO char *file = dir ? path_join(dir, limit) : NULL;
	if (!dir || access(file, F_OK) != 0 || !may_write(dir, "tasks"))
		return NULL;
	return STEAL(dir);
}

/* Its supervisor is gone. One that lives may have an empty group for a moment, which rmdir would take: where nothing can be
   said (another pid namespace, /proc not readable), it lives. */
static bool is_left(const char *name, uint64_t own_pidns)
{
	int pid = 0;
	unsigned long long number, pidns;
	if (sscanf(name, CGROUP_PREFIX "%d-%llu-%llu", &pid, &number, &pidns) != 3 || pid <= 1 ||
		pidns != own_pidns)
		return false;
	/* Not by its directory in /proc, which may be hidden from us. */
	FD_AUTO int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return pidfd < 0 && errno == ESRCH;
}

static void remove_left(const char *dir)
{
	struct stat st;
	struct err err = ERR_INIT;
	uint64_t own_pidns;
	/* Each group in it is a link of its "..": mostly there is none, and a start does not wait for a look. */
	if (stat(dir, &st) != 0 || st.st_nlink <= 2 ||
		namespace_inode(PLAN_NS_PID, &own_pidns, &err) != 0)
		return;
	DIR *entries = opendir(dir);
	for (struct dirent *entry; entries && (entry = readdir(entries));)
		if (is_left(entry->d_name, own_pidns))
			unlinkat(dirfd(entries), entry->d_name, AT_REMOVEDIR);
	if (entries)
		closedir(entries);
}

void cgroup_find_in(const char *base, const char *own, struct cgroup_site *ret)
{
	*ret = (struct cgroup_site){0};
	find_v2(base, own, ret);
	if (!ret->memory_dir) {
		ret->memory_dir = find_v1(base, own, "memory", "memory.limit_in_bytes");
		ret->cpu_dir = find_v1(base, own, "cpu", "cpu.cfs_quota_us");
	}
	if (ret->memory_dir)
		remove_left(ret->memory_dir);
	if (ret->cpu_dir && !ret->v2)
		remove_left(ret->cpu_dir);
}

/* No quota slows a real-time process down, and the kernel may refuse it in a group that has no share of real time. */
static bool is_real_time(void)
{
	long policy = syscall(SYS_sched_getscheduler, 0);
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

void cgroup_find(struct cgroup_site *ret)
{
	STR_AUTO struct str own = STR_INIT;
	struct err err = ERR_INIT;
	*ret = (struct cgroup_site){0};
	if (fd_read_file("/proc/self/cgroup", TEXT_MAX, &own, &err) == 0)
		cgroup_find_in("/sys/fs/cgroup", str_c(&own), ret);
	if (is_real_time()) {
		free(ret->cpu_dir);
		ret->cpu_dir = NULL;
	}
}

void cgroup_site_release(struct cgroup_site *site)
{
	free(site->memory_dir);
	free(site->cpu_dir);
	*site = (struct cgroup_site){0};
}
