/* Why namespaces, a root of one's own or Landlock cannot be had. */
#include "config.h"

#include "core/cause_rows.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"

static bool is(const struct examined *e, enum backend_id backend)
{
	return e->backend == backend;
}

/* One that works flat does because a launch with namespaces failed before. */
static bool failed_in_launch(const struct examined *e)
{
	return (!e->works || e->offer.flat) && e->failing > FAILING_LOOK;
}

/* Those that make the namespaces and the root themselves, or have bwrap make them with no more rights than we have. */
static bool builds_itself(const struct examined *e)
{
	return is(e, BACKEND_LANDLOCK) || is(e, BACKEND_BUBBLEWRAP);
}

/* A wrapper tells only in words what the kernel said. */
static bool was_told(const struct examined *e, int error_number)
{
	return failed_in_launch(e) &&
	       (e->error_number == error_number || strstr(e->why, strerror(error_number)) != NULL);
}

static bool failed_while_building(const struct examined *e)
{
	return failed_in_launch(e) && builds_itself(e) && e->failing <= FAILING_FILES &&
	       !was_told(e, EAGAIN);
}

/* user_namespaces(7): a limit, or the depth of nesting. bwrap says it in words of its own. */
static bool had_no_room(const struct examined *e)
{
	return was_told(e, ENOSPC) || strstr(e->why, "ENOSPC") != NULL;
}

static bool was_denied(const struct examined *e)
{
	return failed_while_building(e) && !had_no_room(e);
}

/* It works, and a namespace that it can do without was refused. */
static bool does_without(const struct examined *e)
{
	return e->works && builds_itself(e) && !e->offer.flat &&
	       (e->offer.facets[FACET_NETWORK] == HOLD_PART ||
		       e->offer.facets[FACET_HOSTNAME] == HOLD_PART);
}

/* firejail is root, whom only few of these stop. */
static bool firejail_failed(const struct examined *e)
{
	return is(e, BACKEND_FIREJAIL) && failed_in_launch(e) && !was_told(e, EAGAIN);
}

static bool for_apparmor_userns(const struct machine *m, const struct examined *e)
{
	return (was_denied(e) || does_without(e)) && m->apparmor_userns == 1 && m->uid != 0;
}

static bool for_userns_clone(const struct machine *m, const struct examined *e)
{
	return was_denied(e) && m->userns_clone == 0 && m->uid != 0;
}

static bool for_max_user_namespaces(const struct machine *m, const struct examined *e)
{
	return failed_while_building(e) && m->user_namespaces_max == 0;
}

static bool for_max_namespaces(const struct machine *m, const struct examined *e)
{
	return (failed_while_building(e) || does_without(e) || firejail_failed(e)) &&
	       m->no_namespaces[0] != '\0';
}

static bool for_used_up(const struct machine *m, const struct examined *e)
{
	return failed_while_building(e) && had_no_room(e) && m->user_namespaces_max != 0 &&
	       m->no_namespaces[0] == '\0';
}

static bool for_too_many_processes(const struct machine *m, const struct examined *e)
{
	(void)m;
	return was_told(e, EAGAIN);
}

static bool for_changed_root(const struct machine *m, const struct examined *e)
{
	return was_denied(e) && m->changed_root;
}

static bool for_proc_covered(const struct machine *m, const struct examined *e)
{
	return was_denied(e) && m->proc_covered[0] != '\0';
}

static bool for_no_tmp(const struct machine *m, const struct examined *e)
{
	return is(e, BACKEND_BUBBLEWRAP) && failed_while_building(e) && m->no_tmp;
}

/* Without namespaces /tmp and HOME are directories of the machine. */
static bool for_no_private_place(const struct machine *m, const struct examined *e)
{
	return is(e, BACKEND_LANDLOCK) && !e->works && failed_while_building(e) &&
	       m->accepts_partial && m->no_private_place;
}

static bool for_syscall_filter(const struct machine *m, const struct examined *e)
{
	return (was_denied(e) || does_without(e) || firejail_failed(e)) && m->filtered;
}

static bool for_apparmor_profile(const struct machine *m, const struct examined *e)
{
	return was_denied(e) && m->apparmor_profile[0] != '\0';
}

static bool for_container(const struct machine *m, const struct examined *e)
{
	return was_denied(e) && m->in_container;
}

/* What backend_flat.c asks of a machine, but for the network. */
static bool for_partial_not_accepted(const struct machine *m, const struct examined *e)
{
	bool offered = !m->processes_hidden && !m->no_private_place &&
		       (m->landlock_abi >= 6 || m->fork_questions);
	return is(e, BACKEND_LANDLOCK) && !e->works && failed_while_building(e) &&
	       !m->accepts_partial && offered;
}

static bool has_no_landlock(const struct machine *m, const struct examined *e)
{
	return is(e, BACKEND_LANDLOCK) && !e->works && m->landlock_abi <= 0;
}

static bool for_landlock_kernel(const struct machine *m, const struct examined *e)
{
	return has_no_landlock(m, e) && machine_is_older(m, 5, 13);
}

static bool for_landlock_off(const struct machine *m, const struct examined *e)
{
	return has_no_landlock(m, e) && m->landlock_errno == EOPNOTSUPP;
}

static bool landlock_is_denied(const struct machine *m, const struct examined *e)
{
	return has_no_landlock(m, e) && !machine_is_older(m, 5, 13) &&
	       m->landlock_errno != EOPNOTSUPP;
}

static bool for_landlock_filtered(const struct machine *m, const struct examined *e)
{
	return landlock_is_denied(m, e) && m->filtered;
}

static bool for_landlock_not_built(const struct machine *m, const struct examined *e)
{
	return landlock_is_denied(m, e) && !m->filtered;
}

static const struct cause_row rows[] = {
	{CAUSE_APPARMOR_USERNS, "apparmor_userns", for_apparmor_userns,
		"AppArmor lets only programs that have a profile make user namespaces, as on "
		"Ubuntu (kernel.apparmor_restrict_unprivileged_userns is 1)",
		{"{install}",
			"as root: install -m 644 {profile_file} "
			"/etc/apparmor.d/exequatur-supervisor && apparmor_parser -r "
			"/etc/apparmor.d/exequatur-supervisor",
			"or, for every program of this machine, as root: sysctl -w "
			"kernel.apparmor_restrict_unprivileged_userns=0"}},
	{CAUSE_USERNS_CLONE, "unprivileged_userns_clone", for_userns_clone,
		"this kernel lets only root make user namespaces "
		"(kernel.unprivileged_userns_clone is 0)",
		{"as root: sysctl -w kernel.unprivileged_userns_clone=1 (and the same in a file of "
		 "/etc/sysctl.d, to keep it)"}},
	{CAUSE_MAX_USER_NAMESPACES, "max_user_namespaces", for_max_user_namespaces,
		"nobody may make a user namespace here (user.max_user_namespaces is 0)",
		{"as root: sysctl -w user.max_user_namespaces=10000 (and the same in a file of "
		 "/etc/sysctl.d, to keep it)"}},
	{CAUSE_MAX_NAMESPACES, "max_namespaces", for_max_namespaces,
		"a namespace that a sandbox has may not be made here "
		"(user.max_{namespaces}_namespaces is 0)",
		{"as root: sysctl -w user.max_{namespaces}_namespaces=10000 (and the same in a "
		 "file of /etc/sysctl.d, to keep it)"}},
	{CAUSE_NAMESPACES_USED_UP, "namespaces_used_up", for_used_up,
		"there are too many user namespaces already, or they are nested too deep (32)",
		{"end programs that hold some (lsns -t user lists them), or as root: raise "
		 "user.max_user_namespaces"}},
	{CAUSE_TOO_MANY_PROCESSES, "too_many_processes", for_too_many_processes,
		"this user or this machine has too many processes at the moment",
		{"try again when some have ended; ulimit -u, and TasksMax= of a unit of systemd, "
		 "are the limits"}},
	{CAUSE_CHANGED_ROOT, "changed_root", for_changed_root,
		"this runs below a changed root (chroot), where the kernel gives no user namespace",
		{"start it outside, or enter the directory by pivot_root, as systemd-nspawn does"}},
	{CAUSE_PROC_COVERED, "proc_masked", for_proc_covered,
		"part of /proc is masked ({covered}), so the kernel gives no new one to a sandbox",
		{"start it outside of the container that masks it",
			"or give the container its whole /proc: docker run --security-opt "
			"systempaths=unconfined, podman run --security-opt unmask=ALL"}},
	{CAUSE_NO_TMP, "tmp_missing", for_no_tmp,
		"there is no directory /tmp, where bwrap builds its root",
		{"as root: mkdir -m 1777 /tmp"}},
	{CAUSE_NO_PRIVATE_PLACE, "tmp_not_usable", for_no_private_place,
		"neither /tmp nor /var/tmp takes a private directory, which landlock without "
		"namespaces needs",
		{"as root: chown root: /tmp && chmod 1777 /tmp, and mount it writable"}},
	{CAUSE_SYSCALL_FILTER, "syscall_filter", for_syscall_filter,
		"a filter of system calls lies above this program (of a container, a service, "
		"another sandbox); it may refuse what a sandbox needs",
		{"start it outside of that",
			"or let the filter allow clone and unshare with namespaces, mount and "
			"pivot_root: seccomp= of docker run --security-opt, or "
			"RestrictNamespaces=no and SystemCallFilter=@mount of a unit of systemd"}},
	{CAUSE_APPARMOR_PROFILE, "apparmor_profile", for_apparmor_profile,
		"AppArmor confines this program by the profile {apparmor}, which may refuse mounts",
		{"let that profile allow userns, mount, umount and pivot_root; of a container: "
		 "docker run --security-opt apparmor=PROFILE"}},
	{CAUSE_CONTAINER, "container", for_container,
		"this runs inside a container; a second layer of sandboxes is often refused there",
		{"run Exequatur on the machine itself, and it makes a sandbox for each command",
			"or rely on a container that is thrown away afterwards: -b none with "
			"EXEQUATUR_ALLOW_UNSANDBOXED=1, which is on the record"}},
	{CAUSE_PARTIAL_NOT_ACCEPTED, "partial_not_accepted", for_partial_not_accepted,
		"landlock could hold in part without namespaces, which is not accepted here",
		{"accept_partial = true in [exequatur]: then what stays open is on each card"}},
	{CAUSE_LANDLOCK_KERNEL, "landlock_kernel", for_landlock_kernel,
		"kernel {kernel} has no Landlock; 5.13 is the first that has it",
		{"a newer kernel; the other backends do without"}},
	{CAUSE_LANDLOCK_OFF, "landlock_off", for_landlock_off,
		"Landlock is switched off in this kernel",
		{"put landlock into the list of lsm= on the kernel's command line and start the "
		 "machine again (/sys/kernel/security/lsm is the list in force)"}},
	{CAUSE_LANDLOCK_FILTERED, "landlock_filtered", for_landlock_filtered,
		"a filter of system calls above this program refuses Landlock",
		{"start it outside of the container or the service that set the filter",
			"or let the filter allow landlock_create_ruleset, landlock_add_rule and "
			"landlock_restrict_self, as newer engines do"}},
	{CAUSE_LANDLOCK_NOT_BUILT, "landlock_not_built", for_landlock_not_built,
		"kernel {kernel} was built without Landlock",
		{"a kernel with CONFIG_SECURITY_LANDLOCK; the other backends do without"}},
};

const struct cause_rows cause_building = {rows, ARRAY_LEN(rows)};
