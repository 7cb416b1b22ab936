/* A backend answers "what do you offer here?" and "build the plan". */
#ifndef SANDBOX_BACKEND_H
#define SANDBOX_BACKEND_H

#include "base/err.h"
#include "core/config.h"
#include "core/confine.h"
#include "core/offer.h"
#include "core/reason.h"
#include "sandbox/base_set.h"
#include "sandbox/cgroup.h"
#include "sandbox/docker_host.h"
#include "sandbox/host_wrapper.h"
#include "sandbox/plan.h"
#include "sandbox/protocol.h"
#include "sandbox/way_out.h"

/* What is known of this machine; filled once by host_begin() and host_probe(), refined by failed launches. */
struct host {
	unsigned cpus;
	int landlock_abi;            /* 0: none */
	int landlock_errno;          /* why none */
	unsigned refused_namespaces; /* mask (1 << enum plan_ns) learned from a failed launch */
	char unusable_namespaces
		[160]; /* they can be made and nothing can be done in them, learned likewise; "" */
	bool private_dirs_tidied; /* what a killed console left was looked for */
	bool accept_partial; /* of the configuration: landlock without them is better than nothing */
	uint64_t own_ns[PLAN_NS_COUNT]; /* inodes of /proc/self/ns */
	char *bwrap_path;               /* NULL: none that may be trusted */
	int bwrap_fd;                   /* O_PATH; -1 */
	uint64_t bwrap_dev, bwrap_ino;
	char bwrap_why[160]; /* why none */
	enum wrapper_trouble bwrap_trouble;
	struct wrapper firejail, pasta;
	char pasta_lost[160];      /* why a launch failed with pasta; "" */
	struct way_out way_out;    /* as it was looked at last */
	struct strv firejail_args; /* of the configuration, checked */
	char *user_name;           /* of our user in the password database; NULL: none */
	char *passwd_home;         /* the same, its home */
	struct cgroup_site cgroups;
	bool fork_questions;  /* each fork can ask the supervisor */
	unsigned lost_limits; /* enum lost_limit: learned from a failed launch */
	bool in_container;
	bool processes_hidden; /* /proc hides some from us, so a supervisor may not see all of its tree */
	bool allow_unsandboxed;     /* the switch, read once at start */
	char switch_why[120];       /* why a set switch is refused: "inside a service" */
	struct passed_list failed;  /* backends that failed a launch in this session */
	struct base_set base_set;   /* what every sandbox shows read-only */
	struct docker_host *docker; /* NULL: not looked for; owned */
};
/* What the first mounts of a sandbox need to know. */
void host_begin(struct host *ret);
/* The rest. writable: wrapper programs below these are not trusted. Looks them up in PATH of envp (absolute entries, owner, mode). */
void host_probe(char *const *envp, const struct strv *writable, struct host *ret);
/* Its two parts. The second leaves a bwrap alone that was found before. */
void host_probe_machine(char *const *envp, struct host *ret);
void host_find_wrappers(char *const *envp, const struct strv *writable, struct host *ret);
void host_find_bwrap(char *const *envp, const struct strv *writable, struct host *ret);
void host_release(struct host *host);
/* Before a card of a call that wants the network: that of this machine changes. */
void host_look_at_network(struct host *host);
/* The programs that the plan of an offer is run by. */
struct plan_programs host_programs(const struct host *host, const struct offer *offer);
/* A launch of this backend failed: auto passes it over from now on. */
void host_note_failed(struct host *host, enum backend_id backend, const char *why);
void passed_add(struct passed_list *list, enum backend_id backend, const char *why);

/* Before a launch: removes what a console that was killed has left of launches of this kind. Once. */
void host_tidy(struct host *host, const struct offer *offer);
/* A native launch failed: true when that says that namespaces are of no use here, and accept_partial is set, so that the same
   backend may hold without them. */
bool host_learn_unusable(struct host *host, const struct offer *offer, enum stage stage,
	int error_number, const char *why);

struct backend {
	enum backend_id id;
	/* 0 and *ret filled, or -1 with the reason in words in err ("firejail is not built in yet"). Cheap: no fork. */
	int (*offer)(const struct host *host, const struct confinement *c, struct offer *ret,
		struct err *err);
	int (*plan)(const struct host *host, const struct confinement *c, const struct offer *offer,
		struct plan *ret, struct err *err);
};
extern const struct backend backend_landlock, backend_bubblewrap, backend_none, backend_firejail,
	backend_docker;
const struct backend *backend_by_id(enum backend_id id);

/* Takes the configured backend, or the first of auto_order that offers enough and is not in host->failed. Errors:
   What holds in part, without namespaces, is taken when nothing else of the list is left.
   REASON_SANDBOX_UNAVAILABLE (named), REASON_NO_SANDBOX_AVAILABLE (auto; none without the switch);
   passed tells each one that was passed over and why. */
int backend_select(const struct config *config, const struct host *host,
	const struct confinement *c, const struct backend **ret, struct offer *ret_offer,
	struct passed_list *ret_passed, enum reason *ret_reason, struct err *err);

/* What cannot be as the confinement has it below what is offered: git's guards, HOME and TMPDIR. Before the plan and the card. */
void backend_adapt(const struct offer *offer, struct confinement *c);

/* CLONE_NEW* that a plan will probably ask for where no namespace is refused; 0: none, or nothing can be said. */
unsigned backend_expected_namespaces(const struct config *config, bool network);
/* Then: the bytes of a plan with the mounts that it will begin with, where no place comes in between. Appends. */
void backend_expected_base(const struct host *host, const char *home, struct str *out);

#endif
