/* Why a backend does not work on a machine, or holds less than it could; and the way out, in words. */
#ifndef CORE_CAUSE_H
#define CORE_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strv.h"
#include "core/machine.h"
#include "core/offer.h"

/* In the order in which they are told. */
enum cause {
	CAUSE_NONE,
	/* making namespaces and building a root */
	CAUSE_APPARMOR_USERNS,
	CAUSE_USERNS_CLONE,
	CAUSE_MAX_USER_NAMESPACES,
	CAUSE_MAX_NAMESPACES,
	CAUSE_NAMESPACES_USED_UP,
	CAUSE_TOO_MANY_PROCESSES,
	CAUSE_CHANGED_ROOT,
	CAUSE_PROC_COVERED,
	CAUSE_NO_TMP,
	CAUSE_NO_PRIVATE_PLACE,
	CAUSE_SYSCALL_FILTER,
	CAUSE_APPARMOR_PROFILE,
	CAUSE_CONTAINER,
	CAUSE_PARTIAL_NOT_ACCEPTED,
	/* Landlock */
	CAUSE_LANDLOCK_KERNEL,
	CAUSE_LANDLOCK_OFF,
	CAUSE_LANDLOCK_FILTERED,
	CAUSE_LANDLOCK_NOT_BUILT,
	/* wrapper programs */
	CAUSE_BUBBLEWRAP_ABSENT,
	CAUSE_FIREJAIL_ABSENT,
	CAUSE_DOCKER_ABSENT,
	CAUSE_PROGRAM_NOT_TRUSTED,
	CAUSE_FIREJAIL_NOT_SETUID,
	CAUSE_FIREJAIL_CONTAINER,
	CAUSE_FIREJAIL_USER_NAMESPACE,
	CAUSE_FIREJAIL_NO_NEW_PRIVS,
	CAUSE_FIREJAIL_USER,
	/* the engine */
	CAUSE_DOCKER_NOT_RUNNING,
	CAUSE_DOCKER_FORBIDDEN,
	CAUSE_DOCKER_LOGIN,
	CAUSE_DOCKER_HANGS,
	CAUSE_DOCKER_REMOTE,
	CAUSE_DOCKER_SOCKET_NOT_TRUSTED,
	CAUSE_DOCKER_IS_PODMAN,
	CAUSE_DOCKER_NO_ENGINE,
	CAUSE_DOCKER_RENAMES_USERS,
	CAUSE_DOCKER_IMAGE_ABSENT,
	CAUSE_DOCKER_IMAGE_UNFIT,
	/* the backend `none` */
	CAUSE_SWITCH_REFUSED,
	CAUSE_NOT_EXPLAINED,
	/* what makes a sandbox weaker, or what no sandbox closes */
	CAUSE_ROOT,
	CAUSE_LANDLOCK_OLD,
	CAUSE_NO_CONTROL_GROUP,
	CAUSE_NO_FORK_QUESTIONS,
	CAUSE_PROCESSES_HIDDEN,
	CAUSE_MEMORY_NOT_WATCHED,
	CAUSE_ENGINE_LIMITS,
	CAUSE_NETWORK_SHARED,
	CAUSE_LEGACY_TIOCSTI,
	CAUSE_COUNT
};

/* Where the trial of a backend ended. */
enum failing {
	FAILING_NOT,
	FAILING_LOOK, /* nothing was started: what it needs is not there */
	FAILING_WRAPPER,
	FAILING_NAMESPACES,
	FAILING_FILES,
	FAILING_LIMITS,
	FAILING_RESTRICTION, /* capabilities, Landlock, the filter of system calls */
	FAILING_ISOLATION,   /* what was proved from inside */
	FAILING_OTHER,
	FAILING_COUNT
};
const char *failing_name(enum failing failing);  /* "namespaces": stable */
const char *failing_words(enum failing failing); /* "making its namespaces" */

/* One backend and how its trial went. */
struct examined {
	enum backend_id backend;
	bool works; /* a launch that stopped before its command was proved from inside */
	enum failing failing;
	int error_number;
	enum cause told;     /* what the backend itself knows to be in the way */
	const char *program; /* of the wrapper or the client; not owned; NULL: none */
	char why[400];       /* when it does not work, or holds in part */
	struct offer offer;  /* when it works */
};

/* Values that the words are filled with; not owned. */
struct cause_names {
	const char *user, *image, *socket;
	const char *profile_file; /* the AppArmor profile that comes with us */
	const char *supervisor;   /* the program in use */
	const char *profiled;     /* the program that the profile is for */
};

const char *cause_name(enum cause cause); /* "apparmor_userns": stable */
bool cause_weakens(enum cause cause);     /* it explains no failure */
char *cause_words(enum cause cause, const struct machine *machine,
	const struct cause_names *names); /* the caller frees */
/* Appends one line after another. */
void cause_way_out(enum cause cause, const struct machine *machine, const struct cause_names *names,
	struct strv *ret);

/* Sets of causes. */
#define CAUSE_BIT(cause) ((uint64_t)1 << (cause))
/* Why this backend does not work, or isolates less than it could. Never empty when a launch failed. */
uint64_t causes_of(const struct machine *machine, const struct examined *examined);
/* What makes the machine weaker, whichever backend is taken. */
uint64_t causes_of_machine(const struct machine *machine);

#endif
