/* exequatur-supervisor: owns the whole process tree of one command and its deadlines, and ends all of it, also when the
   console is killed. Started with descriptor 3, a socket to the console, and nothing else. */
#include "config.h"

#include "sandbox/supervisor.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int become_supervisor(struct err *err)
{
	sigset_t set;
	/* Nobody of our uid may read our memory or take our descriptors. */
	prctl(PR_SET_DUMPABLE, 0);
	/* Every orphan of the tree comes to us, so that it can be found, killed and reaped. */
	bool subreaper = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
	setsid();
	/* Ignored, it would reap our children for us, and their times and pids would be lost. */
	signal(SIGCHLD, SIG_DFL);
	/* Blocked, so that tree_end can wait for it. */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	if (prctl(PR_GET_DUMPABLE) != 0)
		return err_set(err, ERR_REFUSED, "the command could look into the supervisor");
	if (!subreaper)
		return err_set(err, ERR_REFUSED, "orphans would not come to the supervisor");
	return tree_check(err);
}

static struct supervisor s = {
	.phase = PHASE_SETUP,
	.due_ms = NEVER_MS,
	.control_fd = SUPERVISOR_FD_CONTROL,
	.status_fd = -1,
	.output_fd = -1,
	.words_fd = -1,
	.main_pidfd = -1,
	.waiting = {.options_fd = -1},
	.launcher_pidfd = -1,
	.mounts_fd = -1,
	.private_fd = -1,
	.limits = LIMITS_RUN_INIT,
	.network = NETWORK_RUN_INIT,
	.engine = {.attach_fd = -1, .pump_fd = -1, .output_fd = -1, .input_fd = -1},
	.end = {.kind = MSG_ENDED},
};

int main(void)
{
	int fds[PLAN_FD_COUNT];
	struct err err = ERR_INIT;
	struct err reach = ERR_INIT;
	s.in_reach = become_supervisor(&reach) == 0;
	if (supervisor_take_plan(&s, fds, &err))
		supervisor_fail(&s, STAGE_PLAN, err.saved_errno, err.text);
	else if (!s.in_reach)
		supervisor_fail(&s, STAGE_PLAN, reach.saved_errno, reach.text);
	else
		supervisor_start(&s, fds);
	while (s.phase != PHASE_OVER)
		supervisor_step(&s);
	supervisor_finish(&s);
	return 0;
}
