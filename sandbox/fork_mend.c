#include "config.h"

#include "sandbox/fork_mend.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"

/* How the kernel reads it on x86-64; the rest does not matter here. */
struct action {
	uint64_t handler; /* 0: default, 1: ignored */
	uint64_t flags;
};

void fork_mend_action(int listener_fd, const struct seccomp_notif *notice)
{
	char path[40];
	struct action action;
	off_t at = (off_t)notice->data.args[1];
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)notice->pid);
	FD_AUTO int fd = open(path, O_RDWR | O_CLOEXEC);
	/* The number may be a stranger's meanwhile; while the notice is valid it is not, and the descriptor was opened before. */
	if (fd < 0 || ioctl(listener_fd, SECCOMP_IOCTL_NOTIF_ID_VALID, &notice->id) != 0 ||
		pread(fd, &action, sizeof(action), at) != sizeof(action))
		return;
	if (action.handler <= 1 || (action.flags & SA_RESTART))
		return;
	action.flags |= SA_RESTART;
	(void)!pwrite(fd, &action.flags, sizeof(action.flags), at + (off_t)sizeof(action.handler));
}
