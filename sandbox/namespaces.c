#include "config.h"

#include "sandbox/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"

static const struct {
	const char *name; /* in /proc/self/ns */
	const char *words;
	unsigned flag;
} kinds[PLAN_NS_COUNT] = {
	[PLAN_NS_USER] = {"user", "user", CLONE_NEWUSER},
	[PLAN_NS_MOUNT] = {"mnt", "mount", CLONE_NEWNS},
	[PLAN_NS_PID] = {"pid", "process", CLONE_NEWPID},
	[PLAN_NS_NET] = {"net", "network", CLONE_NEWNET},
	[PLAN_NS_IPC] = {"ipc", "IPC", CLONE_NEWIPC},
	[PLAN_NS_UTS] = {"uts", "host name", CLONE_NEWUTS},
};

unsigned namespace_flag(enum plan_ns ns)
{
	return kinds[ns].flag;
}

const char *namespace_words(enum plan_ns ns)
{
	return kinds[ns].words;
}

int namespace_inode(enum plan_ns ns, uint64_t *ret, struct err *err)
{
	char path[32], text[64];
	snprintf(path, sizeof(path), "/proc/self/ns/%s", kinds[ns].name);
	/* "net:[4026531840]", namespaces(7): a third of what stat() costs, which makes an inode first. */
	ssize_t len = readlink(path, text, sizeof(text) - 1);
	if (len < 0)
		return err_set_errno(err, "%s", path);
	text[len] = '\0';
	const char *number = strchr(text, '[');
	*ret = number != NULL ? strtoull(number + 1, NULL, 10) : 0;
	return *ret != 0 ? 0 : err_set(err, ERR_SYSTEM, "%s leads to %s", path, text);
}

static int try_namespaces(unsigned flags)
{
	pid_t pid =
		(pid_t)syscall(SYS_clone, (unsigned long)flags | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return -1;
	waitpid(pid, NULL, 0);
	return 0;
}

unsigned namespaces_refused(unsigned flags)
{
	unsigned mask = 0;
	/* Without a user namespace the others fail as well: what they would do alone is not learned. */
	if ((flags & CLONE_NEWUSER) && try_namespaces(CLONE_NEWUSER))
		return 1u << PLAN_NS_USER;
	for (unsigned ns = 0; ns < PLAN_NS_COUNT; ns++)
		if ((flags & kinds[ns].flag) &&
			try_namespaces(kinds[ns].flag | (flags & CLONE_NEWUSER)))
			mask |= 1u << ns;
	return mask;
}

static int write_text(const char *path, const char *text, struct err *err)
{
	FD_AUTO int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return err_set_errno(err, "%s", path);
	return 0;
}

static int write_map(const char *path, unsigned inside, unsigned outside, struct err *err)
{
	char text[40];
	snprintf(text, sizeof(text), "%u %u 1", inside, outside);
	return write_text(path, text, err);
}

int namespace_map_user(uid_t uid, uid_t outside_uid, gid_t gid, gid_t outside_gid, struct err *err)
{
	/* Without this an ordinary user may not map a group: dropping a group could open what it is denied. */
	if (write_text("/proc/self/setgroups", "deny", err))
		return -1;
	if (write_map("/proc/self/uid_map", uid, outside_uid, err))
		return -1;
	return write_map("/proc/self/gid_map", gid, outside_gid, err);
}

int namespace_loopback_up(struct err *err)
{
	FD_AUTO int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) != 0)
		return err_set_errno(err, "bringing the loopback device up");
	return 0;
}

int namespace_set_hostname(const char *name, struct err *err)
{
	if (sethostname(name, strlen(name)) != 0)
		return err_set_errno(err, "setting the host name");
	return 0;
}
