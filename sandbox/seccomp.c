#include "config.h"

#include "sandbox/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "sandbox/seccomp_filters.h"

#define X32_BIT 0x40000000u
/* What comes later was never looked at by us. */
#define LAST_KNOWN_CALL (SECCOMP_FIRST_UNKNOWN_CALL - 1u)

/* A deny-list is open to every call that a newer kernel brings; this closes it. Programs take ENOSYS for an older
   kernel and do without. Another architecture's calls have other numbers, so the filter behind would judge the wrong
   ones: such a program is ended. */
static const struct sock_filter ceiling[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN_CALL, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* What the launcher itself needs to end its tree, and its command must not have: a descriptor of a process is signalled
   whatever was asked about it before. */
static const struct sock_filter no_pidfds[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 1, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_send_signal, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

struct filter {
	const struct sock_filter *code;
	size_t count;
};

static const struct filter filters[PLAN_FILTER_COUNT] = {
	[PLAN_FILTER_NETNS] = {filter_sockets, ARRAY_LEN(filter_sockets)},
	[PLAN_FILTER_NO_SOCKETS] = {filter_no_sockets, ARRAY_LEN(filter_no_sockets)},
	/* The same families: what the network is, the namespace decides. */
	[PLAN_FILTER_NETWORK] = {filter_sockets, ARRAY_LEN(filter_sockets)},
	[PLAN_FILTER_FLAT] = {filter_flat, ARRAY_LEN(filter_flat)},
	[PLAN_FILTER_FLAT_WHOLE] = {filter_flat_whole, ARRAY_LEN(filter_flat_whole)},
};

static int load(const struct sock_filter *code, size_t count, struct err *err)
{
	const struct sock_fprog program = {
		.len = (unsigned short)count, .filter = (struct sock_filter *)code};
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		return err_set_errno(err, "loading a system call filter");
	return 0;
}

int seccomp_restrict(enum plan_filter filter, struct err *err)
{
	if (filter == PLAN_FILTER_NONE)
		return 0;
	if (load(ceiling, ARRAY_LEN(ceiling), err))
		return -1;
	return load(filters[filter].code, filters[filter].count, err);
}

const struct sock_fprog seccomp_no_pidfds = {
	.len = ARRAY_LEN(no_pidfds), .filter = (struct sock_filter *)no_pidfds};
