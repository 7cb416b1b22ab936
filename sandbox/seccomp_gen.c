/* Build-time program: writes the system call filters as C arrays, so that no command waits for their making and the
   launcher does not link libseccomp. Deny-list: everything else is allowed, up to the ceiling in seccomp.c. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <linux/filter.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* Newer than the library: by number, as the kernel has them on x86-64. */
#define NR_FCHMODAT2 452
#define NR_CLONE3 435
#define NR_OPENAT2 437

#define LOW_32 0xffffffffull
#define SOCK_TYPE_MASK 0xf /* of the kernel: the flags lie above */

static const int denied[] = {
	/* other processes' memory and descriptors */
	SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(process_madvise),
	SCMP_SYS(pidfd_getfd),
	SCMP_SYS(kcmp),
	SCMP_SYS(ptrace),
	/* keys, programs in the kernel, counters, page faults: large and often broken */
	SCMP_SYS(keyctl),
	SCMP_SYS(add_key),
	SCMP_SYS(request_key),
	SCMP_SYS(bpf),
	SCMP_SYS(perf_event_open),
	SCMP_SYS(userfaultfd),
	SCMP_SYS(memfd_secret),
	SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_enter),
	SCMP_SYS(io_uring_register),
	/* another view of the file system */
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(pivot_root),
	SCMP_SYS(chroot),
	SCMP_SYS(fsopen),
	SCMP_SYS(fsconfig),
	SCMP_SYS(fsmount),
	SCMP_SYS(fspick),
	SCMP_SYS(move_mount),
	SCMP_SYS(open_tree),
	SCMP_SYS(mount_setattr),
	SCMP_SYS(open_by_handle_at),
	SCMP_SYS(name_to_handle_at),
	SCMP_SYS(fanotify_init),
	SCMP_SYS(fanotify_mark),
	SCMP_SYS(quotactl),
	SCMP_SYS(quotactl_fd),
	SCMP_SYS(acct),
	SCMP_SYS(swapon),
	SCMP_SYS(swapoff),
	/* other namespaces; clone is below */
	SCMP_SYS(unshare),
	SCMP_SYS(setns),
	/* the machine itself */
	SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load),
	SCMP_SYS(init_module),
	SCMP_SYS(finit_module),
	SCMP_SYS(delete_module),
	SCMP_SYS(reboot),
	SCMP_SYS(syslog),
	SCMP_SYS(clock_settime),
	SCMP_SYS(clock_adjtime),
	SCMP_SYS(adjtimex),
	SCMP_SYS(settimeofday),
	SCMP_SYS(sethostname),
	SCMP_SYS(setdomainname),
	SCMP_SYS(iopl),
	SCMP_SYS(ioperm),
	SCMP_SYS(vhangup),
	SCMP_SYS(modify_ldt),
	SCMP_SYS(uselib),
	SCMP_SYS(_sysctl),
	SCMP_SYS(lookup_dcookie),
	SCMP_SYS(nfsservctl),
	/* where memory lies */
	SCMP_SYS(mbind),
	SCMP_SYS(set_mempolicy),
	SCMP_SYS(get_mempolicy),
	SCMP_SYS(migrate_pages),
	SCMP_SYS(move_pages),
	SCMP_SYS(set_mempolicy_home_node),
};

/* What reaches processes and memory outside where no namespace keeps them away. */
static const int denied_without_namespaces[] = {
	SCMP_SYS(shmget),
	SCMP_SYS(shmat),
	SCMP_SYS(shmctl),
	SCMP_SYS(semget),
	SCMP_SYS(semop),
	SCMP_SYS(semtimedop),
	SCMP_SYS(semctl),
	SCMP_SYS(msgget),
	SCMP_SYS(msgsnd),
	SCMP_SYS(msgrcv),
	SCMP_SYS(msgctl),
};

/* Beside that, where there is no namespace of any kind. */
static const int denied_flat[] = {
	/* names of a space that everybody shares */
	SCMP_SYS(mq_open),
	SCMP_SYS(mq_unlink),
	/* told of what happens in directories that cannot be listed */
	SCMP_SYS(inotify_init),
	SCMP_SYS(inotify_init1),
};

/* One condition more: the argument with this mask has this value. */
struct condition {
	int nr;
	unsigned arg;
	uint64_t mask, value;
};

static const struct condition conditions[] = {
	/* typed into the terminal of whoever started us; the kernel looks at 32 bits, so do we */
	{SCMP_SYS(ioctl), 1, LOW_32, 0x5412},
	{SCMP_SYS(ioctl), 1, LOW_32, 0x541c},
	{SCMP_SYS(clone), 0, CLONE_NEWNS, CLONE_NEWNS},
	{SCMP_SYS(clone), 0, CLONE_NEWCGROUP, CLONE_NEWCGROUP},
	{SCMP_SYS(clone), 0, CLONE_NEWUTS, CLONE_NEWUTS},
	{SCMP_SYS(clone), 0, CLONE_NEWIPC, CLONE_NEWIPC},
	{SCMP_SYS(clone), 0, CLONE_NEWUSER, CLONE_NEWUSER},
	{SCMP_SYS(clone), 0, CLONE_NEWPID, CLONE_NEWPID},
	{SCMP_SYS(clone), 0, CLONE_NEWNET, CLONE_NEWNET},
	/* a file that runs with another user's rights would stay in the work directory */
	{SCMP_SYS(chmod), 1, S_ISUID, S_ISUID},
	{SCMP_SYS(chmod), 1, S_ISGID, S_ISGID},
	{SCMP_SYS(fchmod), 1, S_ISUID, S_ISUID},
	{SCMP_SYS(fchmod), 1, S_ISGID, S_ISGID},
	{SCMP_SYS(fchmodat), 2, S_ISUID, S_ISUID},
	{SCMP_SYS(fchmodat), 2, S_ISGID, S_ISGID},
	{NR_FCHMODAT2, 2, S_ISUID, S_ISUID},
	{NR_FCHMODAT2, 2, S_ISGID, S_ISGID},
	{SCMP_SYS(creat), 1, S_ISUID, S_ISUID},
	{SCMP_SYS(creat), 1, S_ISGID, S_ISGID},
	{SCMP_SYS(mknod), 1, S_ISUID, S_ISUID},
	{SCMP_SYS(mknod), 1, S_ISGID, S_ISGID},
	{SCMP_SYS(mknodat), 2, S_ISUID, S_ISUID},
	{SCMP_SYS(mknodat), 2, S_ISGID, S_ISGID},
};

static const struct condition conditions_flat[] = {
	/* a signal of one's choice to whoever is named as the owner of a descriptor */
	{SCMP_SYS(fcntl), 1, LOW_32, F_SETOWN},
	{SCMP_SYS(fcntl), 1, LOW_32, F_SETOWN_EX},
	{SCMP_SYS(ioctl), 1, LOW_32, FIOSETOWN},
	{SCMP_SYS(ioctl), 1, LOW_32, SIOCSPGRP},
	/* every process of the user, also where it is named by 0 */
	{SCMP_SYS(setpriority), 0, LOW_32, PRIO_USER},
	{SCMP_SYS(ioprio_set), 0, LOW_32, IOPRIO_WHO_USER},
};

/* Below its ABI 3 Landlock lets everything that can be opened be cut: by path, and on the way of an open for reading, or for
   nothing at all (3). */
#define CUTTING (O_TRUNC | O_ACCMODE)
static const struct condition conditions_cut[] = {
	{SCMP_SYS(open), 1, CUTTING, O_TRUNC | O_RDONLY},
	{SCMP_SYS(open), 1, CUTTING, O_TRUNC | O_ACCMODE},
	{SCMP_SYS(openat), 2, CUTTING, O_TRUNC | O_RDONLY},
	{SCMP_SYS(openat), 2, CUTTING, O_TRUNC | O_ACCMODE},
};

/* The mode counts only when a file is made; without that the register holds anything. */
static const struct {
	int nr;
	unsigned flags_arg;
} opens[] = {{SCMP_SYS(open), 1}, {SCMP_SYS(openat), 2}};

static const uint64_t making_flags[] = {O_CREAT, O_TMPFILE & ~O_DIRECTORY};

static const int answered_absent[] = {NR_CLONE3, NR_OPENAT2};

/* Families 0 to AF_NETLINK that are neither local nor IP; higher ones are denied by one comparison. */
static const unsigned denied_families[] = {3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15};

static void must(int result, const char *what)
{
	if (result == 0)
		return;
	fprintf(stderr, "seccomp_gen: %s: error %d\n", what, -result);
	exit(1);
}

static void deny_plain(scmp_filter_ctx ctx, const int *nrs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), nrs[i], 0), "a system call");
}

static void deny_conditions(scmp_filter_ctx ctx, const struct condition *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct condition *c = &list[i];
		must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), c->nr, 1,
			     SCMP_CMP64(c->arg, SCMP_CMP_MASKED_EQ, c->mask, c->value)),
			"a condition");
	}
}

static void deny_open(
	scmp_filter_ctx ctx, int nr, unsigned flags_arg, uint64_t making, uint64_t bit)
{
	must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), nr, 2,
		     SCMP_CMP64(flags_arg, SCMP_CMP_MASKED_EQ, making, making),
		     SCMP_CMP64(flags_arg + 1, SCMP_CMP_MASKED_EQ, bit, bit)),
		"an open with a mode");
}

static void deny_setuid_files(scmp_filter_ctx ctx)
{
	for (size_t i = 0; i < ARRAY_LEN(opens); i++)
		for (size_t k = 0; k < ARRAY_LEN(making_flags); k++) {
			deny_open(ctx, opens[i].nr, opens[i].flags_arg, making_flags[k], S_ISUID);
			deny_open(ctx, opens[i].nr, opens[i].flags_arg, making_flags[k], S_ISGID);
		}
}

static void allow_local_and_ip(scmp_filter_ctx ctx)
{
	for (size_t i = 0; i < ARRAY_LEN(denied_families); i++)
		must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
			     SCMP_CMP64(0, SCMP_CMP_EQ, denied_families[i], 0)),
			"a family");
	must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socket), 1,
		     SCMP_CMP64(0, SCMP_CMP_GT, AF_NETLINK, 0)),
		"higher families");
}

/* A pair of datagram sockets is not bound to its other end: each can send to every address that there is. Streams and
   packets in order are. No other family has any use for pairs. */
static void deny_loose_pairs(scmp_filter_ctx ctx)
{
	/* A pair that is bound takes its name from everybody else. */
	static const int names[] = {SCMP_SYS(bind), SCMP_SYS(connect), SCMP_SYS(listen)};
	deny_plain(ctx, names, ARRAY_LEN(names));
	for (unsigned type = 0; type <= SOCK_TYPE_MASK; type++)
		if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
			must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socketpair), 1,
				     SCMP_CMP64(1, SCMP_CMP_MASKED_EQ, SOCK_TYPE_MASK, type)),
				"a pair");
	must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(socketpair), 1,
		     SCMP_CMP64(0, SCMP_CMP_NE, AF_UNIX, 0)),
		"a pair of another family");
}

/* Own pid 0 stays: every shell sets its limits. */
static void deny_outside(scmp_filter_ctx ctx)
{
	deny_plain(ctx, denied_without_namespaces, ARRAY_LEN(denied_without_namespaces));
	static const struct {
		int nr;
		unsigned arg;
	} others[] = {{SCMP_SYS(prlimit64), 0}, {SCMP_SYS(sched_setaffinity), 0},
		{SCMP_SYS(sched_setscheduler), 0}, {SCMP_SYS(sched_setparam), 0},
		{SCMP_SYS(sched_setattr), 0}, {SCMP_SYS(setpriority), 1},
		{SCMP_SYS(ioprio_set), 1}};
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), others[i].nr, 1,
			     SCMP_CMP64(others[i].arg, SCMP_CMP_NE, 0, 0)),
			"other processes");
}

enum kind { WITH_SOCKETS, WITHOUT_SOCKETS, FLAT, FLAT_WHOLE };

static void deny_by_kind(scmp_filter_ctx ctx, enum kind kind)
{
	const int nr = SCMP_SYS(socket), cut = SCMP_SYS(truncate);
	if (kind == WITH_SOCKETS) {
		allow_local_and_ip(ctx);
		return;
	}
	deny_plain(ctx, &nr, 1);
	deny_loose_pairs(ctx);
	deny_outside(ctx);
	if (kind == WITHOUT_SOCKETS)
		return;
	deny_plain(ctx, denied_flat, ARRAY_LEN(denied_flat));
	deny_conditions(ctx, conditions_flat, ARRAY_LEN(conditions_flat));
	if (kind == FLAT)
		return;
	deny_plain(ctx, &cut, 1);
	deny_conditions(ctx, conditions_cut, ARRAY_LEN(conditions_cut));
}

static scmp_filter_ctx build(enum kind kind)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	if (!ctx)
		must(-ENOMEM, "a filter");
	must(seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "architecture");
	must(seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2), "a tree");
	deny_plain(ctx, denied, ARRAY_LEN(denied));
	deny_conditions(ctx, conditions, ARRAY_LEN(conditions));
	deny_setuid_files(ctx);
	for (size_t i = 0; i < ARRAY_LEN(answered_absent); i++)
		must(seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), answered_absent[i], 0),
			"an absent call");
	deny_by_kind(ctx, kind);
	return ctx;
}

static void print_filter(const char *name, enum kind kind)
{
	struct sock_filter code[4096];
	FILE *file = tmpfile();
	scmp_filter_ctx ctx = build(kind);
	if (!file)
		must(-errno, "a temporary file");
	must(seccomp_export_bpf(ctx, fileno(file)), "writing a filter");
	seccomp_release(ctx);
	rewind(file);
	size_t count = fread(code, sizeof(code[0]), ARRAY_LEN(code), file);
	if (count == 0 || count == ARRAY_LEN(code))
		must(-E2BIG, "the size of a filter");
	fclose(file);
	printf("static const struct sock_filter %s[] = {\n", name);
	for (size_t i = 0; i < count; i++)
		printf("\t{0x%04x, %u, %u, 0x%08x},\n", code[i].code, code[i].jt, code[i].jf,
			code[i].k);
	printf("};\n");
}

int main(void)
{
	printf("/* Written by seccomp_gen; x86-64. */\n");
	print_filter("filter_sockets", WITH_SOCKETS);
	print_filter("filter_no_sockets", WITHOUT_SOCKETS);
	print_filter("filter_flat", FLAT);
	print_filter("filter_flat_whole", FLAT_WHOLE);
	return 0;
}
