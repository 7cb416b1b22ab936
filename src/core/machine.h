/* What a machine allows a program that makes sandboxes, as a value. */
#ifndef CORE_MACHINE_H
#define CORE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_NOT_KNOWN (-1)

/* Filled by machine_read() and machine_of_host(). Numbers that nobody tells are MACHINE_NOT_KNOWN, text is "". */
struct machine {
	char kernel[72]; /* "6.1.0-18-amd64" */
	unsigned kernel_major, kernel_minor;
	unsigned cpus;
	int landlock_abi, landlock_errno; /* 0 and why */

	/* this process */
	unsigned uid;
	bool no_new_privs;         /* nothing it starts gains rights */
	bool filtered;             /* by a filter of system calls that somebody above us set */
	bool user_namespace;       /* it is in one that is not the machine's first */
	bool in_container;         /* a sign of one was found */
	bool changed_root;         /* chroot(2) */
	char apparmor_profile[96]; /* that confines it */

	/* settings of the kernel */
	int64_t user_namespaces_max; /* user.max_user_namespaces */
	char no_namespaces[8];       /* "net": user.max_net_namespaces is 0; of several the first */
	int64_t userns_clone;        /* kernel.unprivileged_userns_clone */
	int64_t apparmor_userns;     /* kernel.apparmor_restrict_unprivileged_userns */
	int64_t legacy_tiocsti;      /* dev.tty.legacy_tiocsti */
	char security_modules[128];  /* "lockdown,capability,landlock" */

	/* places */
	char proc_covered
		[96]; /* first place of /proc that something is mounted over, "/proc" when all of it is read-only */
	bool processes_hidden; /* from us, by hidepid= of /proc */
	bool no_tmp;           /* no directory /tmp */
	bool no_private_place; /* neither /tmp nor /var/tmp takes a directory that is safe from others */
	bool control_groups; /* one can be made for each command */
	bool fork_questions; /* each fork can ask the supervisor */

	char network_why
		[200]; /* why a granted network is this machine's own; "": it is kept apart, as was proved */

	bool accepts_partial; /* the configuration takes what holds in part */

	/* the group of the docker engine's socket */
	char engine_group[40]; /* may use it; "": none, or there is no socket */
	bool engine_group_joined; /* the user was put into it, after this process's login: it does not have it */
};

/* Whether its kernel is older than this; one whose version is not known is. */
bool machine_is_older(const struct machine *machine, unsigned major, unsigned minor);

#endif
