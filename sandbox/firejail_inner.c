#include "config.h"

#include "sandbox/firejail_inner.h"

#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "sandbox/namespaces.h"
#include "sandbox/protocol.h"

static int place(int fd, int number)
{
	if (fd == number)
		return 0;
	int result = dup2(fd, number);
	close(fd);
	return result < 0 ? -1 : 0;
}

int firejail_take_over(struct err *err)
{
	static union message_buffer incoming;
	struct message_extras extras;
	struct pollfd status = {.fd = LAUNCHER_FD_STATUS, .events = POLLIN};
	int got;
	do {
		poll(&status, 1, -1);
		got = message_receive(LAUNCHER_FD_STATUS, &incoming, &extras);
	} while (got == 0);
	if (got < 0 || incoming.message.kind != MSG_HANDOVER ||
		extras.fd_count != HANDOVER_FD_COUNT)
		return err_set(err, ERR_INVALID, "the supervisor handed nothing over");
	if (place(extras.fds[HANDOVER_FD_STATUS], LAUNCHER_FD_STATUS) != 0 ||
		place(extras.fds[HANDOVER_FD_OUTPUT], LAUNCHER_FD_OUTPUT) != 0)
		return err_set_errno(err, "taking over the descriptors");
	return 0;
}

static bool is_private(const char *path)
{
	struct statfs fs;
	return statfs(path, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

/* The empty and writable directory of firejail's at or above the home. */
static const char *base_of_home(const struct plan *plan)
{
	const char *best = NULL;
	for (size_t i = 0; i < plan->mount_count; i++) {
		const struct plan_mount *m = &plan->mounts[i];
		if (m->kind == PLAN_TMPFS && !(m->flags & PLAN_RO) &&
			path_is_equal_or_below(plan->home, m->target) &&
			(best == NULL || strlen(m->target) > strlen(best)))
			best = m->target;
	}
	return best;
}

/* Each directory on the way from the base, and the home itself. */
static void make_way(const char *base, const char *home)
{
	MEM_AUTO char *way = mem_strdup(home);
	for (char *at = way + strlen(base); at && *at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(way, 0755);
		*at = '/';
	}
	mkdir(home, 0755);
}

void firejail_make_home(const struct plan *plan)
{
	static const char *const names[] = {".cache", ".npm"};
	uint64_t inode;
	struct err err = ERR_INIT;
	/* In the host's own tree these would be made in the real home. */
	if (plan->home == NULL || namespace_inode(PLAN_NS_MOUNT, &inode, &err) != 0 ||
		inode == plan->host_ns[PLAN_NS_MOUNT])
		return;
	for (size_t i = 0; i < plan->check_count; i++)
		if (path_is_equal_or_below(plan->home, plan->checks[i].target))
			return; /* the host's own directory, shown as it is */
	const char *base = base_of_home(plan);
	if (base == NULL || !is_private(base))
		return;
	make_way(base, plan->home);
	if (!is_private(plan->home))
		return;
	/* made by firejail, for a shell that a person would use */
	MEM_AUTO char *inputrc = path_join(plan->home, ".inputrc");
	unlink(inputrc);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		MEM_AUTO char *path = path_join(plan->home, names[i]);
		mkdir(path, 0700);
	}
}
