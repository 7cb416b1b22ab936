/* The fixed structs between console, supervisor and launcher. Both sides are built from one tree; no versioning. */
#ifndef SANDBOX_PROTOCOL_H
#define SANDBOX_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/plan.h"

/* Descriptors a program finds when it is started. */
enum {
	SUPERVISOR_FD_CONTROL = 3, /* SOCK_SEQPACKET to the console; its hang-up ends everything */
	LAUNCHER_FD_STATUS = 3, /* SOCK_SEQPACKET to the supervisor; its hang-up ends everything */
	LAUNCHER_FD_PLAN = 4,   /* the sealed memfd; a prepared launcher gets it later */
	LAUNCHER_FD_SELF = 5, /* the launcher's program, for a wrapper that runs /proc/self/fd/5 */
	LAUNCHER_FD_OUTPUT =
		6, /* the command's output, only below a wrapper (1 and 2 are its own words) */
	FIREJAIL_FD_PROFILE = 8,
	WRAPPER_FD_OPTIONS = 7, /* of a wrapper that was started before its plan */
	ENGINE_FD_PROFILE = 7,  /* the system call profile, for an engine's client */
};

/* One piece of a passed standard input, on its way through an engine. */
#define STREAM_INPUT_BYTES 16384

/* Descriptors sent with MSG_PLAN by SCM_RIGHTS, in this order. */
enum {
	PLAN_FD_PLAN,
	PLAN_FD_LAUNCHER,
	PLAN_FD_OUTPUT_WRITE,
	PLAN_FD_OUTPUT_READ,
	PLAN_FD_STDIN,
	PLAN_FD_WRAPPER, /* from here on only what the plan names */
	PLAN_FD_NETWORK, /* pasta */
	PLAN_FD_COUNT
};

/* What a plan names besides our own two programs, by descriptor; -1: nothing. */
struct plan_programs {
	int wrapper_fd, network_fd;
};
#define PLAN_PROGRAMS_NONE                                                                         \
	(struct plan_programs)                                                                     \
	{                                                                                          \
		.wrapper_fd = -1, .network_fd = -1                                                 \
	}

/* Descriptors sent with MSG_HANDOVER. */
enum { HANDOVER_FD_STATUS, HANDOVER_FD_OUTPUT, HANDOVER_FD_COUNT };
/* Descriptors sent with MSG_PLAN to a launcher that was prepared. */
enum { PREPARED_FD_PLAN, PREPARED_FD_OUTPUT, PREPARED_FD_STDIN, PREPARED_FD_COUNT };
/* Its arguments then: this, and the CLONE_NEW* as a number. */
#define LAUNCHER_PREPARED "prepared"
/* Or this, and addresses: closes them in its network namespace and ends, with an errno as its status. */
#define LAUNCHER_CLOSE "--close"
#define LAUNCHER_CLOSE_OPEN                                                                        \
	126 /* instead: no call failed, and one can still be reached, or is none */
/* Behind the name of a container, the name of the one that closes addresses for it. */
#define DOCKER_CLOSER "-net"

enum message_kind {
	/* to the supervisor */
	MSG_PLAN, /* + descriptors; also supervisor -> prepared launcher; by a stream: value bytes of plan follow */
	MSG_GO, /* also supervisor -> launcher: the go byte; before MSG_READY it counts from then on */
	MSG_EXTEND, /* value: milliseconds added to the deadline */
	MSG_STOP, /* value: enum stop_cause; supervisor -> launcher in a container: SIGTERM to all */
	/* Before the plan, + the launcher's program: namespaces that it will probably ask for (value: CLONE_NEW*) are made
	   and a launcher waits in them. It is used only when the plan asks for exactly these, else ended. + a wrapper's program
	   behind that (value: 0): bwrap is started and waits for its options; used only when the plan names this program. */
	MSG_PREPARE,
	/* After that, + a plan whose mounts any plan will probably begin with: the waiting launcher makes them meanwhile. */
	MSG_BASE,
	/* from it; READY to SHELL_ENDED also launcher -> supervisor */
	MSG_READY,       /* isolation verified, waits for go; value: proofs held; checks */
	MSG_STARTED,     /* the command was exec'd */
	MSG_FAILED,      /* stage, error_number, text; nothing ran, or nothing more runs */
	MSG_SHELL_ENDED, /* launcher -> supervisor: wait_status */
	MSG_STOPPING,    /* SIGTERM was sent; value: enum stop_cause */
	MSG_USAGE,       /* once a second: elapsed_ms, cpu_us, usage */
	MSG_LIMIT,       /* value: enum limit_hit; usage */
	MSG_ENDED,       /* nothing of the tree is left; wait_status, cause, flags */
	/* between supervisor and launcher, by a stream alone */
	MSG_INPUT, /* value bytes of input follow, 0: its end; back: that piece was taken, 0: no more */
	/* supervisor -> launcher below firejail: + descriptors */
	MSG_HANDOVER,
	MSG_JOIN, /* supervisor -> launcher: + members of control groups of version 1 */
	/* launcher -> supervisor, without namespaces alone: + the listener, in place of READY_FORKS; the launcher's own proofs
	   need its answers */
	MSG_ASKS,
	/* where the plan names pasta: + the launcher's network namespace; back when it leads out: addresses */
	MSG_NETWORK,
	MSG_KIND_COUNT
};

enum stop_cause {
	STOP_NONE,
	STOP_DEADLINE,
	STOP_OPERATOR,
	STOP_CONSOLE_GONE,
	STOP_REFUSED,
	STOP_MEMORY,    /* its memory limit */
	STOP_PROCESSES, /* too many processes, where nothing refuses one */
	STOP_CAUSE_COUNT
};

enum limit_hit { LIMIT_HIT_MEMORY, LIMIT_HIT_PROCESSES, LIMIT_HIT_COUNT };

/* With MSG_READY: what the first descriptors are, in this order; those behind are roots of private tmpfs mounts. */
enum ready_flags {
	READY_FORKS = 1 << 0, /* the listener that is asked before each fork */
	READY_PROC = 1 << 1,  /* /proc of the command's pid namespace */
	READY_SHM = 1 << 2,   /* /proc/sysvipc/shm of its ipc namespace */
	READY_MOUNTS =
		1
		<< 3, /* its mount namespace: taken down when the supervisor ends, not while all wait for it */
};
#define READY_FDS_MAX 12

/* With MSG_FAILED of STAGE_LIMITS, as value: what is not to be had here. */
enum lost_limit {
	LOST_FORK_QUESTIONS = 1 << 0,
	LOST_CGROUP = 1 << 1,
};
/* With MSG_FAILED of STAGE_NETWORK, as value: pasta itself gave up, and would again. */
#define LOST_PASTA 1
/* The same: addresses could not be closed in a container's network. */
#define LOST_CLOSER 2

enum stage { /* where a launch failed; up to VERIFY it is sandbox_failed, from GO launch_failed */
	STAGE_PLAN,
	STAGE_NAMESPACES, /* value: mask of plan_ns that were refused */
	STAGE_ID_MAPS,
	STAGE_WRAPPER,
	STAGE_MOUNTS,
	STAGE_PLACES, /* a bound directory is not the one on the card */
	STAGE_NETWORK,
	STAGE_LIMITS,
	STAGE_CAPABILITIES,
	STAGE_LANDLOCK,
	STAGE_SECCOMP,
	STAGE_VERIFY,
	STAGE_GO,
	STAGE_CWD,
	STAGE_EXEC,
	STAGE_COUNT
};
const char *stage_words(enum stage stage); /* "making the namespaces"; in protocol.c */

enum ended_flags {
	ENDED_SHELL = 1 << 0, /* wait_status is the shell's own */
	ENDED_BACKGROUND =
		1 << 1,         /* processes were left when the shell had ended, and were killed */
	ENDED_BY_KILL = 1 << 2, /* the grace passed: SIGKILL */
};

struct message_check {
	uint64_t dev, ino;
};
/* Back with MSG_NETWORK, in their place: an address of this machine, which is not to be reached; see struct net_range. */
struct message_address {
	uint8_t bytes[16];
};

enum measured { MEASURED_MEMORY = 1 << 0, MEASURED_PROCESSES = 1 << 1 };

/* Of the whole tree. */
struct message_usage {
	uint64_t memory_bytes, memory_peak_bytes;
	uint64_t processes_refused;
	uint32_t processes, processes_peak; /* without the first shell */
	uint32_t measured;                  /* enum measured: which of these figures are known */
};

struct message {
	uint32_t kind;  /* enum message_kind */
	uint32_t stage; /* enum stage */
	uint64_t value;
	int32_t error_number;
	int32_t wait_status; /* as from waitpid */
	uint32_t cause;      /* enum stop_cause */
	uint32_t flags;      /* ended_flags; with MSG_READY ready_flags */
	int32_t pid; /* as the command's namespace numbers it: READY: the launcher, STARTED: the shell */
	uint64_t elapsed_ms; /* since STARTED */
	uint64_t cpu_us;     /* user + system of the reaped tree; 0: not measured */
	struct message_usage usage;
	char text[160];
	uint32_t check_count; /* only with MSG_READY and MSG_NETWORK: so many of 16 bytes follow */
};

#define MESSAGE_BYTES (sizeof(struct message) + PLAN_CHECKS_MAX * sizeof(struct message_check))
union message_buffer {
	struct message message;
	struct {
		struct message message;
		struct message_check checks[PLAN_CHECKS_MAX];
	} ready;
	struct {
		struct message message;
		struct message_address addresses[PLAN_CHECKS_MAX];
	} network;
	char bytes[MESSAGE_BYTES];
};

/* Fills text, cut at a whole character. */
void message_say(struct message *message, const char *text);
/* Never blocks, never raises SIGPIPE. 1: sent; 0: the socket is full; -1: hung up. */
int message_send(int fd, const struct message *message);
/* The same with descriptors, at most MESSAGE_FDS_MAX. */
int message_send_fds(int fd, const struct message *message, const int *fds, size_t count);
/* With its checks, and with descriptors (none: NULL, 0). */
int message_send_ready(int fd, const union message_buffer *ready, const int *fds, size_t count);

#define MESSAGE_FDS_MAX 16
/* What came beside a message. */
struct message_extras {
	pid_t pid; /* of the sender, in our namespace; only with SO_PASSCRED */
	int fds[MESSAGE_FDS_MAX];
	size_t fd_count;
};
/* Never blocks. 1: *ret is filled and well formed; 0: nothing now; -1: hung up, or a message that cannot be. extras may
   be NULL: descriptors are then closed by the kernel. */
int message_receive(int fd, union message_buffer *ret, struct message_extras *ret_extras);

#endif
