#include "config.h"

#include "sandbox/engine_profile.h"

#include "base/mem.h"

/* By what they are for; what is not named is EPERM. Not here on purpose: what needs a capability that no container of ours
   has, io_uring, keys, ptrace and the memory of others, bpf, userfaultfd, NUMA, handles, namespaces and mounts. */
static const char *const groups[] = {
	/* descriptors and files */
	"read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek open "
	"openat openat2 creat close "
	"close_range dup dup2 dup3 fcntl ioctl flock pipe pipe2 sendfile splice tee vmsplice "
	"copy_file_range fallocate "
	"ftruncate truncate fsync fdatasync sync syncfs sync_file_range readahead fadvise64",
	"stat fstat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 ustat",
	"getcwd chdir fchdir mkdir mkdirat rmdir rename renameat renameat2 link linkat unlink "
	"unlinkat symlink symlinkat "
	"readlink readlinkat mknod mknodat getdents getdents64 umask",
	"chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat "
	"futimesat",
	"getxattr lgetxattr fgetxattr setxattr lsetxattr fsetxattr listxattr llistxattr flistxattr "
	"removexattr "
	"lremovexattr fremovexattr",
	"inotify_init inotify_init1 inotify_add_watch inotify_rm_watch",
	/* waiting */
	"poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait "
	"epoll_pwait2 eventfd "
	"eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime",
	"io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents",
	/* memory */
	"brk mmap munmap mremap mprotect madvise mincore msync mlock mlock2 mlockall munlock "
	"munlockall membarrier "
	"memfd_create remap_file_pages pkey_alloc pkey_free pkey_mprotect cachestat mseal "
	"map_shadow_stack",
	/* processes and threads; clone and clone3 are below */
	"fork vfork execve execveat exit exit_group wait4 waitid getpid getppid gettid getpgrp "
	"getpgid setpgid getsid "
	"setsid kill tkill tgkill pidfd_open pidfd_send_signal process_mrelease set_tid_address "
	"set_robust_list "
	"get_robust_list rseq arch_prctl prctl seccomp futex futex_waitv futex_wake futex_wait "
	"futex_requeue sched_yield "
	"getcpu restart_syscall",
	"landlock_create_ruleset landlock_add_rule landlock_restrict_self",
	"sched_getaffinity sched_setaffinity sched_getparam sched_setparam sched_getscheduler "
	"sched_setscheduler "
	"sched_getattr sched_setattr sched_get_priority_max sched_get_priority_min "
	"sched_rr_get_interval getpriority "
	"setpriority ioprio_get ioprio_set",
	"rt_sigaction rt_sigprocmask rt_sigpending rt_sigsuspend rt_sigtimedwait rt_sigqueueinfo "
	"rt_tgsigqueueinfo "
	"rt_sigreturn sigaltstack pause alarm getitimer setitimer",
	/* time, the machine, limits */
	"time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep times timer_create "
	"timer_delete "
	"timer_settime timer_gettime timer_getoverrun",
	"uname sysinfo getrandom getrlimit setrlimit prlimit64 getrusage",
	/* who we are */
	"getuid geteuid getgid getegid getresuid getresgid getgroups setuid setgid setreuid "
	"setregid setresuid setresgid "
	"setgroups setfsuid setfsgid capget capset",
	/* talking; socket is below */
	"socketpair bind connect listen accept accept4 getsockname getpeername getsockopt "
	"setsockopt shutdown sendto "
	"recvfrom sendmsg recvmsg sendmmsg recvmmsg",
	"shmget shmat shmdt shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl "
	"mq_open mq_unlink "
	"mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
};

/* The same, by an argument. */
static const struct {
	const char *name;
	unsigned arg;
	unsigned value, value_two;
	const char *op;
} conditions[] = {
	/* vsock reaches the host out of an empty network namespace */
	{"socket", 0, 40, 0, "SCMP_CMP_NE"},
	/* no new namespace of any kind */
	{"clone", 0, 0x7e020000, 0, "SCMP_CMP_MASKED_EQ"},
	/* asking for it, and what Linux programs are */
	{"personality", 0, 0xffffffff, 0, "SCMP_CMP_EQ"},
	{"personality", 0, 0, 0, "SCMP_CMP_EQ"},
};

static void add_names(struct str *out, const char *names)
{
	str_add(out, "{\"names\":[\"");
	for (; *names; names++) {
		if (*names == ' ')
			str_add(out, "\",\"");
		else
			str_add_char(out, *names);
	}
	str_add(out, "\"],\"action\":\"SCMP_ACT_ALLOW\"},");
}

void engine_profile(struct str *out)
{
	/* One architecture: the calls of another have other numbers, and their sockets cannot be told apart. */
	str_add(out, "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":1,"
		     "\"architectures\":[\"SCMP_ARCH_X86_64\"],\"syscalls\":[");
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		add_names(out, groups[i]);
	for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
		str_printf(out,
			"{\"names\":[\"%s\"],\"action\":\"SCMP_ACT_ALLOW\",\"args\":[{\"index\":%u,"
			"\"value\":%u,\"valueTwo\":%u,\"op\":\"%s\"}]},",
			conditions[i].name, conditions[i].arg, conditions[i].value,
			conditions[i].value_two, conditions[i].op);
	/* ENOSYS: the C library then uses clone, whose flags can be seen. */
	str_add(out, "{\"names\":[\"clone3\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":38}]}");
}
