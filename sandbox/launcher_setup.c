#include "config.h"

#include "sandbox/launcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/caps.h"
#include "sandbox/channel.h"
#include "sandbox/firejail_inner.h"
#include "sandbox/landlock.h"
#include "sandbox/mounts.h"
#include "sandbox/namespaces.h"
#include "sandbox/plan_fd.h"
#include "sandbox/rlimits.h"
#include "sandbox/seccomp.h"
#include "sandbox/verify.h"

static bool below_wrapper(const struct plan *plan)
{
	return plan->wrapper.count > 0;
}

static int setup_self(struct launcher *l, struct err *err)
{
	sigset_t set;
	(void)l;
	(void)err;
	/* First of all: the command runs under our uid and must not read our memory or take our descriptors. */
	prctl(PR_SET_DUMPABLE, 0);
	/* Where there is no pid namespace, orphans come to us. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Fails where a wrapper made us a session leader already; then there is no terminal either. */
	setsid();
	/* A wrapper may have left it ignored: then nothing could be waited for. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	umask(022);
	return 0;
}

static int setup_streams(struct launcher *l, struct err *err)
{
	if (channel_use_streams(err) || channel_read_plan(&l->plan, err))
		return -1;
	return l->plan.stdin_passed ? channel_open_input(err) : 0;
}

static int take_base(struct launcher *l, struct message_extras *extras, struct err *err)
{
	FD_AUTO int fd = extras->fd_count == 1 ? extras->fds[0] : -1;
	l->stage = STAGE_MOUNTS;
	if (l->begun.count || fd < 0)
		return err_set(err, ERR_INVALID, "no beginning of a plan came");
	if (plan_read_fd(fd, &l->base, err))
		return -1;
	return mounts_begin(&l->base, &l->begun, &l->stage, err);
}

static int take_plan(struct launcher *l, struct message_extras *extras, struct err *err)
{
	FD_AUTO int input_fd = extras->fds[PREPARED_FD_STDIN];
	FD_AUTO int output_fd = extras->fds[PREPARED_FD_OUTPUT];
	FD_AUTO int plan_fd = extras->fds[PREPARED_FD_PLAN];
	l->stage = STAGE_PLAN;
	l->ready = (union message_buffer){0};
	if (dup2(input_fd, 0) < 0 || dup2(output_fd, 1) < 0 || dup2(output_fd, 2) < 0)
		return err_set_errno(err, "taking the output");
	if (plan_read_fd(plan_fd, &l->plan, err))
		return -1;
	if (!plan_mounts_begin_with(&l->plan, &l->base))
		return err_set(err, ERR_INVALID, "another beginning of a plan was prepared");
	return 0;
}

/* In the namespaces already; what to do in them comes with the descriptors of the command. */
static int wait_for_plan(struct launcher *l, struct err *err)
{
	struct pollfd status = {.fd = LAUNCHER_FD_STATUS, .events = POLLIN};
	struct message_extras extras;
	struct err later = ERR_INIT;
	/* What no plan changes. A failure is told in its turn: setup_network() tries again. */
	if (l->namespaces & CLONE_NEWNET)
		l->loopback_is_up = namespace_loopback_up(&later) == 0;
	/* Below a wrapper it is the plan that tells what is needed. */
	if (l->namespaces) {
		caps_drop_bounding();
		l->bounding_dropped = true;
	}
	for (;;) {
		poll(&status, 1, -1);
		int got = message_receive(LAUNCHER_FD_STATUS, &l->ready, &extras);
		if (got < 0)
			launcher_end_everything();
		if (got == 0)
			continue;
		if (l->ready.message.kind == MSG_PLAN && extras.fd_count == PREPARED_FD_COUNT)
			return take_plan(l, &extras, err);
		if (l->ready.message.kind != MSG_BASE)
			return err_set(err, ERR_INVALID, "no plan came");
		if (take_base(l, &extras, err))
			return -1;
	}
}

static int setup_plan(struct launcher *l, struct err *err)
{
	if (l->streams)
		return setup_streams(l, err);
	if (l->prepared) {
		if (wait_for_plan(l, err))
			return -1;
		if (below_wrapper(&l->plan))
			close(LAUNCHER_FD_SELF);
		return 0;
	}
	if (plan_read_fd(LAUNCHER_FD_PLAN, &l->plan, err))
		return -1;
	close(LAUNCHER_FD_PLAN);
	if (!below_wrapper(&l->plan))
		return 0;
	if (plan_is_firejail(&l->plan) && firejail_take_over(err))
		return -1;
	close(LAUNCHER_FD_SELF);
	if (dup2(LAUNCHER_FD_OUTPUT, 1) < 0 || dup2(LAUNCHER_FD_OUTPUT, 2) < 0)
		return err_set_errno(err, "taking the output");
	close(LAUNCHER_FD_OUTPUT);
	return 0;
}

static int setup_mounts(struct launcher *l, struct err *err)
{
	if (plan_is_firejail(&l->plan)) {
		firejail_make_home(&l->plan);
		return 0;
	}
	if (below_wrapper(&l->plan))
		return mounts_add(&l->plan, &l->stage, err);
	if (!(l->plan.namespaces & CLONE_NEWNS))
		return 0;
	return mounts_build(&l->plan, &l->begun, &l->stage, err);
}

/* After the root was changed, and before the filter takes openat2 away. */
static int setup_places(struct launcher *l, struct err *err)
{
	return mounts_measure(&l->plan, l->ready.ready.checks, &l->ready.message.check_count, err);
}

/* The null device that we were given is the host's, also behind an empty root: a root console's command owns it and could
   change its mode there by the descriptor alone. The one of the new root is read-only. A pipe or a file that a person passed
   stays. */
static int setup_input(struct launcher *l, struct err *err)
{
	struct stat st;
	(void)l;
	if (fstat(0, &st) != 0 || !S_ISCHR(st.st_mode))
		return 0;
	FD_AUTO int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, 0) < 0)
		return err_set_errno(err, "opening /dev/null inside");
	return 0;
}

static int setup_reports(struct launcher *l, struct err *err)
{
	(void)err;
	launcher_open_reports(l);
	return 0;
}

static int setup_network(struct launcher *l, struct err *err)
{
	if ((l->plan.namespaces & CLONE_NEWNET) && !l->loopback_is_up && namespace_loopback_up(err))
		return -1;
	if ((l->plan.namespaces & CLONE_NEWUTS) && l->plan.hostname)
		return namespace_set_hostname(l->plan.hostname, err);
	return 0;
}

static int setup_limits(struct launcher *l, struct err *err)
{
	return rlimits_set(&l->plan, err);
}

/* Bare (backend none) a root console's command keeps what root can do: nothing is isolated, and it would not be the command
   that the person knows. */
static int setup_capabilities(struct launcher *l, struct err *err)
{
	const struct plan *plan = &l->plan;
	bool drops = plan->namespaces || below_wrapper(plan) || plan_is_flat(plan) ||
		     (plan->proofs & PLAN_PROOF_CAPS);
	if (drops && !l->bounding_dropped)
		caps_drop_bounding();
	if (drops && caps_drop(err))
		return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return err_set_errno(err, "setting no_new_privs");
	return 0;
}

static int setup_landlock(struct launcher *l, struct err *err)
{
	if (!l->plan.landlock)
		return 0;
	bool cut_is_held = below_wrapper(&l->plan) || (l->plan.namespaces & CLONE_NEWNS) ||
			   l->plan.filter == PLAN_FILTER_FLAT_WHOLE;
	int result = landlock_restrict(&l->plan, cut_is_held, err);
	if (result && err->code == ERR_REFUSED)
		l->stage = STAGE_PLACES;
	return result;
}

static int setup_seccomp(struct launcher *l, struct err *err)
{
	return seccomp_restrict(l->plan.filter, err);
}

static int verify(struct launcher *l, struct err *err)
{
	unsigned held = 0;
	if (prctl(PR_GET_DUMPABLE) != 0)
		return err_set(err, ERR_REFUSED, "the command could look into the launcher");
	if (verify_all(&l->plan, &held, err))
		return -1;
	l->ready.message.value = held;
	return 0;
}

/* The order matters. Mounts need capabilities, and Landlock forbids them; the network needs capabilities; Landlock
   and the filter need no_new_privs; the filter comes last, since it takes away calls that the others make. What is verified
   is what the command gets: nothing is changed behind it, but that each fork asks from then on. */
static const struct {
	enum stage stage;
	int (*run)(struct launcher *, struct err *);
} recipe[] = {
	{STAGE_PLAN, setup_self},
	{STAGE_PLAN, setup_plan},
	{STAGE_NETWORK, launcher_ask_for_network},
	{STAGE_MOUNTS, setup_mounts},
	{STAGE_PLACES, setup_places},
	{STAGE_MOUNTS, setup_input},
	{STAGE_MOUNTS, setup_reports},
	{STAGE_NETWORK, setup_network},
	{STAGE_LIMITS, setup_limits},
	{STAGE_LIMITS, launcher_join_groups},
	{STAGE_NETWORK, launcher_wait_for_network},
	{STAGE_CAPABILITIES, setup_capabilities},
	{STAGE_VERIFY, launcher_watch_outside},
	{STAGE_LANDLOCK, setup_landlock},
	{STAGE_SECCOMP, setup_seccomp},
	{STAGE_VERIFY, verify},
	{STAGE_LANDLOCK, launcher_confine_child},
	{STAGE_LIMITS, launcher_count_forks},
	{STAGE_VERIFY, launcher_prove_child},
};

int launcher_set_up(struct launcher *l, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(recipe); i++) {
		l->stage = recipe[i].stage;
		if (recipe[i].run(l, err))
			return -1;
	}
	return 0;
}
