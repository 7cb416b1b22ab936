/* The launch plan: data that travels as bytes, is hashed, recorded, printed and executed as it is. */
#ifndef SANDBOX_PLAN_H
#define SANDBOX_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/strv.h"

#define PLAN_VERSION 1
#define PLAN_BYTES_MAX (1u << 20)
#define PLAN_CHECKS_MAX 256 /* bound directories reported by the launcher in one message */

enum plan_mount_kind {
	PLAN_TMPFS,
	PLAN_BIND, /* file or directory, not recursive unless PLAN_REC */
	PLAN_PROC,
	PLAN_DEVICE,  /* bind of a device node such as /dev/null */
	PLAN_SYMLINK, /* source is the link's text */
	PLAN_DIR,     /* an empty directory */
	PLAN_MQUEUE,
	PLAN_REMOUNT_RO,
	PLAN_EMPTY_FILE, /* an empty read-only file (a guard for an absent config) */
	PLAN_FILE,       /* a read-only file with this text in place of a source */
	PLAN_MOUNT_KIND_COUNT
};
enum plan_mount_flags {
	PLAN_RO = 1 << 0,
	PLAN_OPTIONAL = 1 << 1, /* a missing source is passed over in silence */
	PLAN_CHECK = 1 << 2,    /* device and inode must be dev, ino; reported before the go byte */
	PLAN_NOEXEC = 1 << 3,
	PLAN_REC = 1 << 4,
};

struct plan_mount {
	enum plan_mount_kind kind;
	unsigned flags;
	char *source;
	char *target;      /* path inside */
	uint64_t size;     /* bytes, TMPFS */
	uint32_t mode;     /* TMPFS and DIR */
	uint64_t dev, ino; /* for PLAN_CHECK */
};

enum plan_access { PLAN_ACCESS_READ, PLAN_ACCESS_WRITE, PLAN_ACCESS_DEVICE, PLAN_ACCESS_LIST };
struct plan_rule { /* a Landlock rule */
	enum plan_access access;
	char *path;
};

enum plan_filter { /* which precompiled seccomp filter */
	PLAN_FILTER_NONE,
	PLAN_FILTER_NETNS,      /* network off, own net namespace: UNIX INET INET6 NETLINK */
	PLAN_FILTER_NO_SOCKETS, /* network off, no own namespace: socket() denied, socketpair stays */
	PLAN_FILTER_NETWORK,    /* granted: vsock, packet, alg... stay denied */
	PLAN_FILTER_FLAT,       /* no namespace at all: also what would reach processes outside */
	PLAN_FILTER_FLAT_WHOLE, /* and what cuts files that may not be written: Landlock below ABI 3 */
	PLAN_FILTER_COUNT
};

/* What the launcher proves from inside before it reports ready. */
enum plan_proof {
	PLAN_PROOF_FILES = 1 << 0, /* a write outside is refused, the home directory is not there */
	PLAN_PROOF_PIDNS = 1 << 1, /* pid 1, only own processes in /proc */
	PLAN_PROOF_NETNS = 1 << 2, /* only lo */
	PLAN_PROOF_IPCNS = 1 << 3,
	PLAN_PROOF_UTSNS = 1 << 4,
	PLAN_PROOF_USERNS = 1 << 5,
	PLAN_PROOF_CAPS = 1 << 6,    /* every set empty, bounding set too */
	PLAN_PROOF_SECCOMP = 1 << 7, /* mode 2; vsock and a new user namespace are refused */
	PLAN_PROOF_NNP = 1 << 8,
	PLAN_PROOF_LANDLOCK = 1 << 9,
	PLAN_PROOF_MOUNTNS = 1 << 10,
	PLAN_PROOF_NO_TTY = 1 << 11,
	PLAN_PROOF_OWN_NET =
		1 << 12, /* a network namespace that is not the host's, whatever is in it */
	PLAN_PROOF_FLAT =
		1
		<< 13, /* without namespaces: no file, process, memory or socket outside is reached */
	PLAN_PROOF_CLOSED = 1 << 14, /* nothing can be sent to what the plan wants closed */
	PLAN_PROOF_PASTA = 1 << 15,  /* only pasta's device, and no frame to a refused address */
};

enum plan_counting {        /* how the number of processes is held */
	PLAN_COUNT_ASKED,   /* each fork asks the supervisor: exact */
	PLAN_COUNT_WATCHED, /* it looks from time to time, and ends a tree that has too many */
	PLAN_COUNTING_COUNT
};

enum plan_ns {
	PLAN_NS_USER,
	PLAN_NS_MOUNT,
	PLAN_NS_PID,
	PLAN_NS_NET,
	PLAN_NS_IPC,
	PLAN_NS_UTS,
	PLAN_NS_COUNT
};

struct plan {
	char *backend; /* "landlock" */
	struct strv
		wrapper; /* argv of the wrapper (argv[0] is its absolute path); empty: the supervisor starts the launcher itself */
	char *profile; /* of firejail, which takes few arguments; NULL: another wrapper, or none */
	struct strv env;     /* the clean environment of everything that is started */
	unsigned namespaces; /* CLONE_NEW* the supervisor asks for (native) */
	struct plan_mount
		*mounts; /* in order, done by the launcher; below a wrapper: on what that made */
	size_t mount_count, mount_cap;
	struct plan_mount *
		checks; /* what else must be compared inside: bound directories of a wrapper (kind BIND, target, dev, ino) */
	size_t check_count, check_cap;
	struct plan_rule *rules; /* Landlock; empty: not used */
	size_t rule_count, rule_cap;
	bool landlock;
	unsigned landlock_net; /* bit 1: deny TCP bind and connect where the ABI knows it */
	enum plan_filter filter;
	unsigned proofs; /* plan_proof bits required */
	uint64_t host_ns
		[PLAN_NS_COUNT]; /* inode of the console's own namespaces; a proof compares */
	char *hostname;
	char *home; /* HOME inside */
	char *cwd;
	bool cwd_make;
	char *command;
	char *shell;       /* /bin/sh */
	bool stdin_passed; /* `exequatur run` with a pipe or a file */
	uint32_t uid, gid;
	uint64_t wall_ms, grace_ms, drain_ms;
	uint64_t cpu_s, open_files, file_bytes;
	uint32_t max_processes; /* alive at once; 0: not held */
	enum plan_counting counting;
	uint64_t memory_bytes; /* of the whole tree; 0: not held */
	uint32_t cpu_percent;  /* of one CPU, of the whole tree: 160 is 80 % of two; 0: not held */
	/* Directories of control groups in which the command's own is made; NULL: the supervisor holds the limit alone. */
	char *cgroup_memory, *cgroup_cpu;
	bool cgroup_v2;  /* both are the same then */
	char *engine;    /* path of the socket of the engine that runs it; NULL: no engine */
	char *container; /* its name there; wrapper then makes the container and starts nothing */
	/* argv of a client that makes one more container, which closes addresses in the network of the first; empty: none */
	struct strv closer;
	struct strv
		closed; /* network addresses that must not be reached ("169.254.0.0/16"), PLAN_PROOF_CLOSED */
	/* Without namespaces alone: NULL, 0 and false otherwise. */
	char *private_dir; /* made for the run, with HOME and TMPDIR in it, and removed after it */
	unsigned landlock_abi; /* that the kernel must have; no more of it is used */
	bool signals_asked; /* each signal to another process asks the supervisor: Landlock cannot hold them */
	struct strv
		pasta; /* argv of pasta, for a network namespace of its own that leads out; empty: none */
};

#define PRIVATE_TMP "tmp" /* in private_dir; all of it is the command's */
#define PRIVATE_HOME "home"
#define PRIVATE_MARK                                                                               \
	"mark" /* not the command's: by it a private directory is known, and the launcher proves Landlock */

void plan_init(struct plan *plan);
/* The wrapper is firejail, with the profile: mounts then say what it made, for the launcher to prove. */
bool plan_is_firejail(const struct plan *plan);
void plan_release(struct plan *plan);
bool plan_is_flat(const struct plan *plan); /* without namespaces */
/* Control groups of version 1: the launcher is sent their members, and joins. */
bool plan_has_groups_to_join(const struct plan *plan);
struct plan_mount *plan_add_mount(struct plan *plan, enum plan_mount_kind kind, unsigned flags,
	const char *source, const char *target);
struct plan_mount *plan_add_check(
	struct plan *plan, const char *target, uint64_t dev, uint64_t ino);
/* The first mounts of one are all the mounts of the other. */
bool plan_mounts_begin_with(const struct plan *plan, const struct plan *base);
/* Some mount or check of it is at this path or below it. */
bool plan_leads_to(const struct plan *plan, const char *path);
void plan_add_rule(struct plan *plan, enum plan_access access, const char *path);

/* Canonical bytes: magic, version, then every field in the order of the struct, little endian, strings length-prefixed.
   Equal plans give equal bytes. Appends. */
void plan_encode(const struct plan *plan, struct str *out);
/* Hostile input: every length is checked; ERR_INVALID. ret is initialised by the call. */
int plan_decode(const void *bytes, size_t len, struct plan *ret, struct err *err);
/* For `exequatur plan`, the details of a card and the tests: one fact a line, foreign text through text_escape. Appends.
   In plan_print.c, so that the static programs do not link it. */
void plan_print(const struct plan *plan, struct str *out);

#endif
