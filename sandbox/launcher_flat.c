#include "config.h"

#include "sandbox/launcher.h"

#include <unistd.h>

#include "sandbox/landlock.h"
#include "sandbox/seccomp.h"
#include "sandbox/start_child.h"
#include "sandbox/verify_flat.h"

int launcher_watch_outside(struct launcher *l, struct err *err)
{
	return plan_is_flat(&l->plan) ? verify_flat_begin(err) : 0;
}

/* Not the first process of a namespace, we could be stopped or killed by the command. */
int launcher_confine_child(struct launcher *l, struct err *err)
{
	bool flat = plan_is_flat(&l->plan);
	if (flat)
		l->child_filter = &seccomp_no_pidfds;
	if (!plan_is_firejail(&l->plan) && (!flat || l->plan.signals_asked))
		return 0;
	int fd = landlock_signal_scope();
	if (fd < 0 && flat)
		return err_set_errno(err, "making a Landlock ruleset for signals");
	l->child_ruleset_fd = fd > 0 ? fd : 0;
	return 0;
}

/* Before all else is verified: from now on our own forks ask as well. */
int launcher_send_listener(struct launcher *l, int fd, struct err *err)
{
	(void)l;
	int sent =
		message_send_fds(LAUNCHER_FD_STATUS, &(struct message){.kind = MSG_ASKS}, &fd, 1);
	close(fd);
	return sent == 1 ? 0 : err_set_errno(err, "telling the supervisor who will ask it");
}

int launcher_prove_child(struct launcher *l, struct err *err)
{
	const struct start_child what = {
		.ruleset_fd = l->child_ruleset_fd, .filter = l->child_filter};
	return plan_is_flat(&l->plan) ? verify_flat_child(&what, err) : 0;
}
