/* Inside of exequatur-launcher. */
#ifndef SANDBOX_LAUNCHER_H
#define SANDBOX_LAUNCHER_H

#include "base/err.h"
#include "sandbox/mounts.h"
#include "sandbox/plan.h"
#include "sandbox/protocol.h"

struct launcher {
	struct plan plan;
	bool streams;          /* the supervisor is reached by the standard streams */
	bool prepared;         /* its plan comes by the socket */
	bool bounding_dropped; /* its bounding set is empty already */
	unsigned namespaces;   /* then: what was made for it */
	bool loopback_is_up;
	struct plan base; /* what was made of the root before the plan came */
	struct mounts_begun begun;
	enum stage stage;                  /* what is being done: told when it fails */
	union message_buffer ready;        /* filled on the way */
	unsigned lost;                     /* enum lost_limit: told when it fails */
	int report_fds[READY_FDS_MAX + 1]; /* what goes with it */
	size_t report_count;
	/* What the command is confined by and we are not; see start_child. */
	int child_ruleset_fd;
	const struct sock_fprog *child_filter;
	uint64_t word; /* by which its start is not asked for */
};

/* launcher_setup.c: the recipe, from a fresh process to a verified one. */
int launcher_set_up(struct launcher *l, struct err *err);

/* launcher_flat.c: without namespaces; nothing is done otherwise. */
int launcher_watch_outside(struct launcher *l, struct err *err);
int launcher_confine_child(struct launcher *l, struct err *err); /* below firejail too */
int launcher_send_listener(struct launcher *l, int fd, struct err *err);
int launcher_prove_child(struct launcher *l, struct err *err);

/* launcher_report.c: descriptors for the supervisor, by which it counts. */
void launcher_open_reports(struct launcher *l);
int launcher_join_groups(struct launcher *l, struct err *err);
int launcher_count_forks(struct launcher *l, struct err *err);
void launcher_close_reports(struct launcher *l);

/* launcher_network.c: where the plan names pasta. */
/* Hands our network namespace to the supervisor, who lets it lead out while we go on. */
int launcher_ask_for_network(struct launcher *l, struct err *err);
/* Waits until it does. */
int launcher_wait_for_network(struct launcher *l, struct err *err);

/* launcher_run.c */
/* Reports ready and waits; returns at go, ends the process when the supervisor hangs up. */
int launcher_wait_for_go(struct launcher *l, struct err *err);
/* The supervisor is gone: nothing may stay. */
_Noreturn void launcher_end_everything(void);
/* Enters the working directory and executes the command as a child. */
int launcher_start(struct launcher *l, pid_t *ret_shell, struct err *err);
/* Reaps, reports how the shell ended, and stays until nobody is left or the supervisor hangs up. */
_Noreturn void launcher_keep(pid_t shell);

#endif
