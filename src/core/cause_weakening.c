/* What makes a sandbox weaker than it could be, or what no sandbox closes. */
#include "config.h"

#include "core/cause_rows.h"

#include <stddef.h>

#include "base/mem.h"

static bool is(const struct examined *e, enum backend_id backend)
{
	return e->backend == backend;
}

static bool for_root(const struct machine *m, const struct examined *e)
{
	return e == NULL && m->uid == 0;
}

static bool for_landlock_old(const struct machine *m, const struct examined *e)
{
	return e == NULL && m->landlock_abi > 0 && m->landlock_abi < 6;
}

static bool for_no_control_group(const struct machine *m, const struct examined *e)
{
	return e == NULL && !m->control_groups;
}

static bool for_no_fork_questions(const struct machine *m, const struct examined *e)
{
	return e == NULL && !m->fork_questions;
}

static bool for_processes_hidden(const struct machine *m, const struct examined *e)
{
	return e == NULL && m->processes_hidden;
}

static bool for_memory_not_watched(const struct machine *m, const struct examined *e)
{
	return e && e->works && !is(e, BACKEND_DOCKER) && !m->processes_hidden &&
	       e->offer.enforcers[LIMIT_MEMORY] == NULL;
}

static bool for_engine_limits(const struct machine *m, const struct examined *e)
{
	(void)m;
	return e && e->works && is(e, BACKEND_DOCKER) &&
	       (e->offer.enforcers[LIMIT_MEMORY] == NULL || e->offer.enforcers[LIMIT_CPU] == NULL);
}

static bool for_network_shared(const struct machine *m, const struct examined *e)
{
	return e == NULL && m->network_why[0] != '\0';
}

static bool for_legacy_tiocsti(const struct machine *m, const struct examined *e)
{
	return e == NULL && (m->legacy_tiocsti == 1 || machine_is_older(m, 6, 2));
}

static const struct cause_row rows[] = {
	{CAUSE_ROOT, "root", for_root,
		"this is root: what a command writes belongs to root, and a hole in the kernel "
		"weighs more",
		{"run it as an ordinary user"}},
	{CAUSE_LANDLOCK_OLD, "landlock_old", for_landlock_old,
		"this Landlock scopes no signals and no abstract sockets: landlock and bubblewrap "
		"cannot be granted the network but by pasta, and below firejail a command can stop "
		"its launcher",
		{"Linux 6.12 is the first with all that is used"}},
	{CAUSE_NO_CONTROL_GROUP, "no_control_group", for_no_control_group,
		"no control group can be made here: memory is sampled and may pass its limit for a "
		"moment, the CPU share is held by stopping",
		{"with systemd: systemd-run --user --scope -p Delegate=yes exequatur ..."}},
	{CAUSE_NO_FORK_QUESTIONS, "no_fork_questions", for_no_fork_questions,
		"no fork can ask its supervisor (seccomp user notification): one process too many "
		"is ended instead of refused",
		{"Linux 5.0 is the first with it; where it is newer, another listener is in the "
		 "way (a container, a tracer): start it outside of that"}},
	{CAUSE_PROCESSES_HIDDEN, "processes_hidden", for_processes_hidden,
		"/proc hides processes (hidepid): with firejail and without a sandbox the "
		"supervisor does not see all that it has to hold",
		{"as root: mount -o remount,hidepid=0 /proc, or gid= with a group of {user}"}},
	{CAUSE_MEMORY_NOT_WATCHED, "memory_not_watched", for_memory_not_watched,
		"memory has no limit: no control group can be made, and memory_monitoring is off",
		{"memory_monitoring = true in [security.resources]"}},
	{CAUSE_ENGINE_LIMITS, "engine_limits", for_engine_limits,
		"the docker engine cannot hold memory or the CPU share",
		{"docker info says which control groups it misses (cgroup_enable=memory on the "
		 "kernel's command line adds that one)"}},
	{CAUSE_NETWORK_SHARED, "network_shared", for_network_shared,
		"a network that is granted is this machine's own and reaches its services, with "
		"landlock and bubblewrap too: {network}",
		{"apt-get install passt: pasta is in it", "let {user} open /dev/net/tun"}},
	{CAUSE_LEGACY_TIOCSTI, "legacy_tiocsti", for_legacy_tiocsti,
		"programs of yours outside a sandbox can put keys into this terminal "
		"(dev.tty.legacy_tiocsti); no command in a sandbox can",
		{"as root, from Linux 6.2 on: sysctl -w dev.tty.legacy_tiocsti=0"}},
};

const struct cause_rows cause_weakening = {rows, ARRAY_LEN(rows)};
