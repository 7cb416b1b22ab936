#include "config.h"

#include "sandbox/fork_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1u << 5) /* Linux 6.0 */
#endif

#define X32_BIT 0x40000000u
/* Of the 32-bit architecture, whose programs run where no other filter stops them. */
#define I386_FORK 2
#define I386_CLONE 120
#define I386_VFORK 190

#define CLONE3 435 /* on both */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define ANY_BIT(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, value, yes, no)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)

/* Jumps count the lines in between. The flags of clone are its first argument on both architectures, in the low half. */
static const struct sock_filter filter[] = {
	LOAD(arch),                                              /* 0 */
	EQUAL(AUDIT_ARCH_X86_64, 5, 0),                          /* 1: to 7 */
	LOAD(nr),                                                /* 2: i386 */
	EQUAL(I386_FORK, 17, 0),                                 /* 3: to 21 */
	EQUAL(I386_VFORK, 16, 0),                                /* 4: to 21 */
	EQUAL(I386_CLONE, 8, 0),                                 /* 5: to 14 */
	EQUAL(CLONE3, 15, 16),                                   /* 6: to 22 or 23 */
	LOAD(nr),                                                /* 7: x86-64 */
	ANY_BIT(X32_BIT, 13, 0),                                 /* 8: to 22 */
	EQUAL(SYS_fork, 11, 0),                                  /* 9: to 21 */
	EQUAL(SYS_vfork, 10, 0),                                 /* 10: to 21 */
	EQUAL(SYS_clone, 2, 0),                                  /* 11: to 14 */
	EQUAL(SYS_rt_sigaction, 3, 0),                           /* 12: to 16 */
	EQUAL(CLONE3, 8, 9),                                     /* 13: to 22 or 23 */
	LOAD(args[0]),                                           /* 14: clone */
	ANY_BIT(CLONE_THREAD, 7, 5),                             /* 15: to 23 or 21 */
	LOAD(args[0]),                                           /* 16: rt_sigaction */
	EQUAL(SIGCHLD, 0, 5),                                    /* 17: or to 23 */
	LOAD(args[1]),                                           /* 18: a new action */
	EQUAL(0, 0, 1),                                          /* 19: or to 21 */
	RETURN(SECCOMP_RET_ALLOW),                               /* 20 */
	RETURN(SECCOMP_RET_USER_NOTIF),                          /* 21 */
	RETURN(SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA)), /* 22 */
	RETURN(SECCOMP_RET_ALLOW),                               /* 23 */
};

/* Before the filter above. By the numbers of x86-64 alone: where signals are asked no other architecture runs. */
static const struct sock_filter signals_too[] = {
	LOAD(nr),                           /* 0 */
	EQUAL(SYS_kill, 4, 0),              /* 1: to 6 */
	EQUAL(SYS_tkill, 3, 0),             /* 2 */
	EQUAL(SYS_tgkill, 2, 0),            /* 3 */
	EQUAL(SYS_rt_sigqueueinfo, 1, 0),   /* 4 */
	EQUAL(SYS_rt_tgsigqueueinfo, 0, 1), /* 5: to 6 or 7 */
	RETURN(SECCOMP_RET_USER_NOTIF),     /* 6 */
};

/* Before both. On little endian the high half of an argument is its second. The other architecture has no high half, and a word
   always has one. */
#define WORD_ARGUMENT args[4]
#define WORD_ROWS 7
static size_t add_word(struct sock_filter ret[WORD_ROWS], uint64_t word)
{
	const struct sock_filter rows[WORD_ROWS] = {
		LOAD(nr),                    /* 0 */
		EQUAL(SYS_clone, 0, 5),      /* 1: or to 7 */
		LOAD(WORD_ARGUMENT),         /* 2 */
		EQUAL((uint32_t)word, 0, 3), /* 3: or to 7 */
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, WORD_ARGUMENT) + sizeof(uint32_t)), /* 4 */
		EQUAL((uint32_t)(word >> 32), 0, 1), /* 5: or to 7 */
		RETURN(SECCOMP_RET_ALLOW),           /* 6 */
	};
	memcpy(ret, rows, sizeof(rows));
	return WORD_ROWS;
}

uint64_t fork_filter_word(void)
{
	uint64_t word;
	return getrandom(&word, sizeof(word), GRND_NONBLOCK) == sizeof(word) && word >> 32 ? word
											   : 0;
}

int fork_filter_load(bool signals, uint64_t word, int *ret_fd, struct err *err)
{
	struct sock_filter all[WORD_ROWS + ARRAY_LEN(signals_too) + ARRAY_LEN(filter)];
	size_t len = word >> 32 ? add_word(all, word) : 0;
	if (signals) {
		memcpy(all + len, signals_too, sizeof(signals_too));
		len += ARRAY_LEN(signals_too);
	}
	memcpy(all + len, filter, sizeof(filter));
	len += ARRAY_LEN(filter);
	const struct sock_fprog program = {.len = (unsigned short)len, .filter = all};
	/* Once the supervisor has taken a question, only a deadly signal ends the wait: a program whose timer fires
	   faster than we answer would ask the same for ever. */
	static const unsigned flags[] = {
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		SECCOMP_FILTER_FLAG_NEW_LISTENER};
	int fd = -1;
	for (size_t i = 0; i < ARRAY_LEN(flags) && fd < 0; i++)
		fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags[i], &program);
	if (fd < 0)
		return err_set_errno(err, "asking to be told of new processes");
	*ret_fd = fd;
	return 0;
}

/* In a child, since a filter stays. */
static bool try_it(void)
{
	int status = 1;
	pid_t pid = (pid_t)syscall(SYS_clone, (unsigned long)SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0) {
		struct err err = ERR_INIT;
		int fd;
		_exit(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			fork_filter_load(false, 0, &fd, &err));
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && status == 0;
}

bool fork_filter_works(void)
{
	const uint32_t action = SECCOMP_RET_USER_NOTIF;
	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0)
		return false;
	/* Only a filter on ourselves can be in the way: one that refuses this, or one that has a listener. */
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 0 || try_it();
}
