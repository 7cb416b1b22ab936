#include "config.h"

#include "sandbox/starter.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* Its numbers came by our own arguments: whoever wrote those ran this program, but a number that is no child of ours must not be
   signalled or waited for. */
static bool is_our_child(const struct child *child)
{
	siginfo_t info;
	return child->pid > 1 &&
	       waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       waitid(P_PIDFD, (id_t)child->pidfd, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static bool close_on_exec(int fd)
{
	return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

int starter_take(
	const char *argument, const struct helpers *helpers, struct child *ret, bool *ret_native)
{
	int native;
	struct child child = CHILD_INIT;
	struct helpers its = {0};
	int end = 0;
	if (sscanf(argument,
		    STARTER_EARLY "%d,%d,%d,%d,%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 "%n",
		    &native, &child.pid, &child.pidfd, &child.control_fd, &its.supervisor_dev,
		    &its.supervisor_ino, &its.launcher_dev, &its.launcher_ino, &end) != 8 ||
		argument[end] != '\0' || !is_our_child(&child))
		return -1;
	bool taken = close_on_exec(child.pidfd) && close_on_exec(child.control_fd) &&
		     helpers != NULL && its.supervisor_dev == helpers->supervisor_dev &&
		     its.supervisor_ino == helpers->supervisor_ino &&
		     its.launcher_dev == helpers->launcher_dev &&
		     its.launcher_ino == helpers->launcher_ino;
	if (!taken) {
		child_end(&child);
		return -1;
	}
	*ret = child;
	*ret_native = native == 1;
	return 0;
}
