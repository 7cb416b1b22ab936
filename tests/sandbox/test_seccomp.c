#include "config.h"

#include <asm/ioctls.h>
#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/seccomp.h"

#define HIGH (1ul << 32)
#define SETUID (S_ISUID | 0700ul)
#define SETGID (S_ISGID | 0700ul)
#define OPENAT2 437
#define FCHMODAT2 452

/* One call and what it must answer. Arguments are such that nothing happens when it is not refused. */
struct call {
	const char *name;
	long nr;
	unsigned long args[4];
	int error; /* errno; 0: must succeed */
};

static const char missing[] = "/no/such/file";
#define PATH ((unsigned long)missing)

static const struct call refused_everywhere[] = {
	{"ptrace", SYS_ptrace, {16, 1}, EPERM},
	{"process_vm_readv", SYS_process_vm_readv, {1}, EPERM},
	{"pidfd_getfd", SYS_pidfd_getfd, {~0ul}, EPERM},
	{"keyctl", SYS_keyctl, {~0ul}, EPERM},
	{"bpf", SYS_bpf, {~0ul}, EPERM},
	{"perf_event_open", SYS_perf_event_open, {0}, EPERM},
	{"userfaultfd", SYS_userfaultfd, {~0ul}, EPERM},
	{"io_uring_setup", SYS_io_uring_setup, {0}, EPERM},
	{"mount", SYS_mount, {0}, EPERM},
	{"open_tree", SYS_open_tree, {~0ul}, EPERM},
	{"unshare user", SYS_unshare, {CLONE_NEWUSER}, EPERM},
	{"setns", SYS_setns, {~0ul}, EPERM},
	{"open_by_handle_at", SYS_open_by_handle_at, {~0ul}, EPERM},
	{"clone user", SYS_clone, {CLONE_NEWUSER | SIGCHLD}, EPERM},
	{"clone net", SYS_clone, {CLONE_NEWNET | SIGCHLD}, EPERM},
	{"clone3", SYS_clone3, {0}, ENOSYS},
	{"openat2", OPENAT2, {0}, ENOSYS},
	{"a call that is newer than we are", 463, {0}, ENOSYS},
	{"another one", 1000, {0}, ENOSYS},
	{"TIOCSTI", SYS_ioctl, {~0ul, 0x5412}, EPERM},
	{"TIOCSTI with a high bit", SYS_ioctl, {~0ul, HIGH | 0x5412}, EPERM},
	{"TIOCLINUX", SYS_ioctl, {~0ul, 0x541c}, EPERM},
	{"chmod setuid", SYS_chmod, {PATH, SETUID}, EPERM},
	{"chmod setgid", SYS_chmod, {PATH, SETGID}, EPERM},
	{"chmod setuid with high bits", SYS_chmod, {PATH, HIGH | SETUID}, EPERM},
	{"fchmod setuid", SYS_fchmod, {~0ul, SETUID}, EPERM},
	{"fchmodat setuid", SYS_fchmodat, {~0ul, PATH, SETUID}, EPERM},
	{"fchmodat setgid", SYS_fchmodat, {~0ul, PATH, SETGID}, EPERM},
	{"fchmodat2 setuid", FCHMODAT2, {~0ul, PATH, SETUID}, EPERM},
	{"open setuid", SYS_open, {PATH, O_CREAT | O_WRONLY, SETUID}, EPERM},
	{"openat setgid", SYS_openat, {~0ul, PATH, O_CREAT | O_WRONLY, SETGID}, EPERM},
	{"openat O_TMPFILE setuid", SYS_openat, {~0ul, PATH, O_TMPFILE | O_WRONLY, SETUID}, EPERM},
	{"creat setuid", SYS_creat, {PATH, SETUID}, EPERM},
	{"mknod setuid", SYS_mknod, {PATH, S_IFREG | SETUID}, EPERM},
	{"mknodat setgid", SYS_mknodat, {~0ul, PATH, S_IFREG | SETGID}, EPERM},
	{"vsock", SYS_socket, {AF_VSOCK, SOCK_STREAM}, EPERM},
	{"packet", SYS_socket, {AF_PACKET, SOCK_RAW}, EPERM},
	{"alg", SYS_socket, {AF_ALG, SOCK_SEQPACKET}, EPERM},
	{"vsock with a high bit", SYS_socket, {HIGH | AF_VSOCK, SOCK_STREAM}, EPERM},
	{"bluetooth", SYS_socket, {AF_BLUETOOTH, SOCK_RAW}, EPERM},
};

static const struct call allowed_everywhere[] = {
	{"chmod", SYS_chmod, {PATH, 0777}, ENOENT},
	{"chmod sticky", SYS_chmod, {PATH, 01777}, ENOENT},
	{"open without making a file, whatever is in the mode", SYS_open, {PATH, O_RDONLY, SETUID},
		ENOENT},
	{"openat of a directory", SYS_openat, {~0ul, PATH, O_RDONLY | O_DIRECTORY, SETUID}, ENOENT},
	{"openat of a new file", SYS_openat, {~0ul, PATH, O_CREAT | O_WRONLY, 0666}, ENOENT},
	{"ioctl TCGETS", SYS_ioctl, {~0ul, 0x5401}, EBADF},
	{"own limits", SYS_prlimit64, {0, RLIMIT_NOFILE, 0, 0}, 0},
	{"getpid", SYS_getpid, {0}, 0},
	{"fsync", SYS_fsync, {~0ul}, EBADF},
};

static const struct call with_sockets[] = {
	{"unix", SYS_socket, {AF_UNIX, SOCK_STREAM}, 0},
	{"inet", SYS_socket, {AF_INET, SOCK_STREAM}, 0},
	{"inet6", SYS_socket, {AF_INET6, 99}, EINVAL},
	{"netlink", SYS_socket, {AF_NETLINK, SOCK_RAW, 0}, 0},
	{"shmget", SYS_shmget, {0x7fff0001, 0, 0}, ENOENT},
	{"limits of another", SYS_prlimit64, {0x3fffffff, RLIMIT_NOFILE, 0, 0}, ESRCH},
};

static const struct call without_sockets[] = {
	{"unix", SYS_socket, {AF_UNIX, SOCK_STREAM}, EPERM},
	{"inet", SYS_socket, {AF_INET, SOCK_STREAM}, EPERM},
	{"netlink", SYS_socket, {AF_NETLINK, SOCK_RAW}, EPERM},
	{"shmget", SYS_shmget, {0x7fff0001, 0, 0}, EPERM},
	{"limits of another", SYS_prlimit64, {0x3fffffff, RLIMIT_NOFILE, 0, 0}, EPERM},
	{"a pair of datagrams, which can send to others", SYS_socketpair, {AF_UNIX, SOCK_DGRAM},
		EPERM},
	{"and with flags", SYS_socketpair, {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC}, EPERM},
	{"and by its other name", SYS_socketpair, {AF_UNIX, SOCK_RAW}, EPERM},
	{"bind", SYS_bind, {~0ul}, EPERM},
	{"connect", SYS_connect, {~0ul}, EPERM},
	{"listen", SYS_listen, {~0ul}, EPERM},
	{"a pair of another family", SYS_socketpair, {AF_TIPC, SOCK_STREAM}, EPERM},
	{"a pair of packets in order", SYS_socketpair, {AF_UNIX, SOCK_SEQPACKET, 0, 0}, EFAULT},
};

static const struct call flat[] = {
	{"a message queue", SYS_mq_open, {PATH, O_RDONLY}, EPERM},
	{"its end", SYS_mq_unlink, {PATH}, EPERM},
	{"inotify", SYS_inotify_init1, {~0ul}, EPERM},
	{"the owner of a descriptor", SYS_fcntl, {~0ul, F_SETOWN, 1}, EPERM},
	{"with a high bit", SYS_fcntl, {~0ul, HIGH | F_SETOWN, 1}, EPERM},
	{"the owner by a struct", SYS_fcntl, {~0ul, F_SETOWN_EX}, EPERM},
	{"the owner by ioctl", SYS_ioctl, {~0ul, FIOSETOWN}, EPERM},
	{"its group by ioctl", SYS_ioctl, {~0ul, HIGH | SIOCSPGRP}, EPERM},
	{"the priority of the user's", SYS_setpriority, {PRIO_USER, 0, 19}, EPERM},
	{"the same for disks", SYS_ioprio_set, {3, 0, 0}, EPERM},
	{"another fcntl", SYS_fcntl, {~0ul, F_GETFL}, EBADF},
	{"its own priority", SYS_setpriority, {PRIO_PROCESS, 0, 0}, 0},
};

/* As Landlock has it from ABI 3 on. */
static const struct call not_cut_by_filter[] = {
	{"truncate", SYS_truncate, {PATH, 0}, ENOENT},
	{"open for reading that cuts", SYS_open, {PATH, O_RDONLY | O_TRUNC}, ENOENT},
	{"openat for nothing that cuts", SYS_openat, {~0ul, PATH, O_ACCMODE | O_TRUNC}, ENOENT},
};

static const struct call cut_by_filter[] = {
	{"truncate", SYS_truncate, {PATH, 0}, EPERM},
	{"open for reading that cuts", SYS_open, {PATH, O_RDONLY | O_TRUNC}, EPERM},
	{"open for nothing that cuts", SYS_open, {PATH, O_ACCMODE | O_TRUNC}, EPERM},
	{"openat for reading that cuts", SYS_openat, {~0ul, PATH, O_CREAT | O_TRUNC}, EPERM},
	{"openat for nothing that cuts", SYS_openat, {~0ul, PATH, O_ACCMODE | O_TRUNC}, EPERM},
	{"open for writing that cuts", SYS_open, {PATH, O_WRONLY | O_TRUNC}, ENOENT},
	{"openat for both that cuts", SYS_openat, {~0ul, PATH, O_RDWR | O_TRUNC}, ENOENT},
	{"creat", SYS_creat, {PATH, 0600}, ENOENT},
	{"ftruncate", SYS_ftruncate, {~0ul, 0}, EBADF},
};

static const struct call without_descriptors_of_processes[] = {
	{"pidfd_open", SYS_pidfd_open, {1, 0}, EPERM},
	{"pidfd_send_signal", SYS_pidfd_send_signal, {~0ul, 0, 0, 0}, EPERM},
	{"kill", SYS_kill, {0x3fffffff, 0}, ESRCH},
};

static int check(const struct call *calls, size_t count)
{
	int bad = 0;
	for (size_t i = 0; i < count; i++) {
		const unsigned long *a = calls[i].args;
		errno = 0;
		long result = syscall(calls[i].nr, a[0], a[1], a[2], a[3]);
		int error = result < 0 ? errno : 0;
		if (error == calls[i].error)
			continue;
		fprintf(stderr, "%s: %s instead of %s\n", calls[i].name, strerror(error),
			strerror(calls[i].error));
		bad = 1;
	}
	return bad;
}

/* The body runs in a child below the filter; its wait status. */
static int below_filter(enum plan_filter filter, int (*body)(void))
{
	int status;
	fflush(stderr);
	pid_t pid = fork();
	if (pid == 0) {
		struct err err = ERR_INIT;
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		_exit(seccomp_restrict(filter, &err) ? 99 : body());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int common(void)
{
	int pair[2];
	return check(refused_everywhere, ARRAY_LEN(refused_everywhere)) |
	       check(allowed_everywhere, ARRAY_LEN(allowed_everywhere)) |
	       (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0);
}

static int loopback(void)
{
	return common() | check(with_sockets, ARRAY_LEN(with_sockets));
}

static int none(void)
{
	return common() | check(without_sockets, ARRAY_LEN(without_sockets));
}

static int all_flat(void)
{
	return none() | check(flat, ARRAY_LEN(flat));
}

static int flat_by_landlock(void)
{
	return all_flat() | check(not_cut_by_filter, ARRAY_LEN(not_cut_by_filter));
}

static int flat_whole(void)
{
	return all_flat() | check(cut_by_filter, ARRAY_LEN(cut_by_filter));
}

static int flat_child(void)
{
	const struct call free_before[] = {
		{"pidfd_send_signal", SYS_pidfd_send_signal, {~0ul, 0, 0, 0}, EBADF}};
	if (check(free_before, 1) ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &seccomp_no_pidfds))
		return 1;
	return check(without_descriptors_of_processes, ARRAY_LEN(without_descriptors_of_processes));
}

static void every_filter_refuses_what_it_must_and_no_more(void **state)
{
	(void)state;
	assert_int_equal(below_filter(PLAN_FILTER_NETNS, loopback), 0);
	assert_int_equal(below_filter(PLAN_FILTER_NETWORK, loopback), 0);
	assert_int_equal(below_filter(PLAN_FILTER_NO_SOCKETS, none), 0);
	assert_int_equal(below_filter(PLAN_FILTER_FLAT, flat_by_landlock), 0);
	assert_int_equal(below_filter(PLAN_FILTER_FLAT_WHOLE, flat_whole), 0);
	assert_int_equal(below_filter(PLAN_FILTER_FLAT, flat_child), 0);
}

/* The same calls without a filter answer otherwise: so the answers above are the filter's. */
static int without_filter(void)
{
	int same = 0;
	for (size_t i = 0; i < ARRAY_LEN(refused_everywhere); i++) {
		const struct call *c = &refused_everywhere[i];
		/* Making namespaces, or waiting for a descriptor, would be real here. */
		if (c->nr != SYS_chmod && c->nr != SYS_fchmodat && c->nr != SYS_open &&
			c->nr != SYS_ioctl && c->nr != SYS_creat)
			continue;
		errno = 0;
		syscall(c->nr, c->args[0], c->args[1], c->args[2], c->args[3]);
		same |= errno == c->error;
	}
	return same;
}

static void the_refusals_are_the_filters(void **state)
{
	(void)state;
	assert_int_equal(below_filter(PLAN_FILTER_NONE, without_filter), 0);
}

static int call_of_32_bits(void)
{
	long result;
	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "0"(20L)
			 : "memory", "r8", "r9", "r10", "r11");
	return result > 0 ? 0 : 1;
}

static int call_of_x32(void)
{
	return syscall(0x40000000 | SYS_getpid) > 0 ? 0 : 1;
}

static void calls_of_another_architecture_end_the_process(void **state)
{
	(void)state;
	assert_int_equal(below_filter(PLAN_FILTER_NETNS, call_of_32_bits) & 0x7f, SIGSYS);
	assert_int_equal(below_filter(PLAN_FILTER_NETNS, call_of_x32) & 0x7f, SIGSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_filter_refuses_what_it_must_and_no_more),
		cmocka_unit_test(the_refusals_are_the_filters),
		cmocka_unit_test(calls_of_another_architecture_end_the_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
