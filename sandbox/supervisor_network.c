#include "config.h"

#include "sandbox/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/nsfs.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/caps.h"
#include "sandbox/frame_filter.h"
#include "sandbox/host_addresses.h"
#include "sandbox/namespaces.h"
#include "sandbox/start_child.h"

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

#define SPARE_FD 32             /* out of the way of the numbers that pasta finds */
#define TAP_FD_MAX 64           /* pasta opens its tap device among its first descriptors */
#define EXIT_LIMIT_MS 1000      /* its descriptors close a little before it can be waited for */
#define NO_LOG "Failed to send" /* what it says of each line where no system logger listens */

/* Addresses of this machine, and what refuses them. */
static struct host_addresses own;
static struct frame_filter filter;

/* What it is started with. */
struct start {
	int userns_fd, netns_fd, ready_end, words_end;
	pid_t parent;
};

static void give_up(struct supervisor *s, const char *text, int error_number, bool for_good)
{
	supervisor_fail(s, STAGE_NETWORK, error_number, text);
	s->end.value = for_good ? LOST_PASTA : 0;
}

/* Inside the launcher's user namespace from its very start, so that nobody outside of it but us may look into it: the filter
   needs its tap device. It has no right anywhere else, not even as root. */
static int enter(const struct start *start, struct err *err)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (setns(start->userns_fd, CLONE_NEWUSER) != 0)
		return err_set_errno(err, "entering the launcher's user namespace");
	/* Root keeps all of them, and must not have fewer before: a gain of rights at the exec takes the signal below away. */
	if (geteuid() != 0 && caps_keep_over_exec(err))
		return -1;
	/* Our end may have come before it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != start->parent)
		return err_set_errno(err, "asking for a signal at the parent's death");
	return 0;
}

_Noreturn static void pasta_child(const struct supervisor *s, const struct start *start)
{
	const struct placed_fd placed[] = {
		{start->netns_fd, 0}, {start->ready_end, 1}, {start->words_end, 2}};
	char *const no_env[] = {NULL};
	struct err err = ERR_INIT;
	int words = fcntl(start->words_end, F_DUPFD_CLOEXEC, SPARE_FD);
	int program = fcntl(s->network.program_fd, F_DUPFD_CLOEXEC, SPARE_FD);
	if (enter(start, &err) == 0) {
		if (place_fds(placed, ARRAY_LEN(placed)) == 0)
			syscall(SYS_execveat, program, "", s->plan.pasta.items, no_env,
				AT_EMPTY_PATH);
		err_set_errno(&err, "executing it");
	}
	fd_write_all(words, err.text, strlen(err.text), NULL);
	_exit(127);
}

static int clone_pasta(struct supervisor *s, const struct start *start, struct err *err)
{
	pid_t pid = (pid_t)syscall(
		SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, &s->network.pidfd, NULL, NULL);
	if (pid == 0)
		pasta_child(s, start);
	if (pid < 0)
		return err_set_errno(err, "starting pasta");
	/* What it uses is not the command's. */
	s->used.apart = pid;
	return 0;
}

/* The user namespace that the network namespace belongs to: only in that one pasta may do what it has to. */
static int owner_of(int netns_fd, struct err *err)
{
	struct stat st;
	uint64_t ours;
	if (namespace_inode(PLAN_NS_NET, &ours, err))
		return -1;
	if (fstat(netns_fd, &st) != 0 || st.st_ino == ours)
		return err_set(err, ERR_REFUSED, "the launcher is in the host's network namespace");
	int fd = ioctl(netns_fd, NS_GET_USERNS);
	return fd >= 0 ? fd : err_set_errno(err, "finding the launcher's user namespace");
}

static int start_pasta(struct supervisor *s, int netns_fd, struct err *err)
{
	struct network_run *n = &s->network;
	int ready[2], words[2];
	FD_AUTO int userns_fd = owner_of(netns_fd, err);
	if (userns_fd < 0)
		return -1;
	/* Not blocking, as it keeps them as long as it lives, and nobody reads them then. */
	if (pipe2(ready, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set_errno(err, "making a pipe");
	n->ready_fd = ready[0];
	FD_AUTO int ready_end = ready[1];
	if (pipe2(words, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_set_errno(err, "making a pipe");
	n->words_fd = words[0];
	FD_AUTO int words_end = words[1];
	const struct start start = {userns_fd, netns_fd, ready_end, words_end, getpid()};
	return clone_pasta(s, &start, err);
}

void network_start(struct supervisor *s, const struct message_extras *extras)
{
	struct network_run *n = &s->network;
	struct err err = ERR_INIT;
	if (s->phase != PHASE_SETUP || n->program_fd < 0 || n->pidfd >= 0 || extras->fd_count != 1)
		return;
	/* While it starts we look for what is refused. */
	if (start_pasta(s, extras->fds[0], &err))
		give_up(s, err.text, err.saved_errno, false);
	else if (host_addresses_read(&own, &err) ||
		 frame_filter_build(own.items, own.count, &filter, &err))
		give_up(s, err.text, err.saved_errno, err.code == ERR_LIMIT);
	fd_close(&n->program_fd);
}

/* A second descriptor of its tap device. */
static int tap_of(int pidfd, struct err *err)
{
	for (int fd = 3; fd < TAP_FD_MAX; fd++) {
		struct ifreq request = {0};
		int ours = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
		if (ours >= 0 && ioctl(ours, TUNGETIFF, &request) == 0)
			return ours;
		if (ours < 0 && errno != EBADF)
			return err_set_errno(err, "reaching pasta's tap device");
		fd_close(&ours);
	}
	return err_set(err, ERR_NOT_FOUND, "pasta has no tap device");
}

static int put_filter_on(const struct network_run *n, struct err *err)
{
	FD_AUTO int tap = tap_of(n->pidfd, err);
	if (tap < 0 || frame_filter_attach(tap, &filter, err))
		return -1;
	/* It goes with the namespace then, behind our back. With pasta it would go before that has ended, and the kernel takes
	   its time for it while we wait. */
	ioctl(tap, TUNSETPERSIST, 1);
	return 0;
}

/* Single addresses alone: for a range that a route gives to this machine there is the filter. */
static void tell_launcher(struct supervisor *s)
{
	union message_buffer *message = &s->incoming;
	uint32_t count = 0;
	*message = (union message_buffer){.message = {.kind = MSG_NETWORK}};
	for (size_t i = 0; i < own.count; i++)
		if (own.items[i].bits == 128)
			memcpy(message->network.addresses[count++].bytes, own.items[i].bytes, 16);
	message->message.check_count = count;
	if (message_send_ready(s->status_fd, message, NULL, 0) != 1)
		give_up(s, "the launcher ended", 0, false);
}

/* It exited by itself: it would again. */
static bool ended_by_itself(const struct network_run *n)
{
	siginfo_t info = {0};
	struct pollfd end = {.fd = n->pidfd, .events = POLLIN};
	if (poll(&end, 1, EXIT_LIMIT_MS) == 1)
		waitid(P_PIDFD, (id_t)n->pidfd, &info, WEXITED | WNOWAIT);
	return info.si_code == CLD_EXITED;
}

/* The last of its words says why. */
static void say_why(struct supervisor *s)
{
	char words[4096], text[sizeof(s->end.text)];
	const char *why = "it ended without a word";
	ssize_t n = read(s->network.words_fd, words, sizeof(words) - 1);
	words[n > 0 ? n : 0] = '\0';
	char *rest = words;
	for (char *line; (line = strsep(&rest, "\n"));)
		if (*line && strncmp(line, NO_LOG, strlen(NO_LOG)) != 0)
			why = line;
	snprintf(text, sizeof(text), "pasta: %s", why);
	give_up(s, text, 0, ended_by_itself(&s->network));
}

void network_hear(struct supervisor *s)
{
	char line[32];
	struct err err = ERR_INIT;
	struct network_run *n = &s->network;
	ssize_t got = read(n->ready_fd, line, sizeof(line));
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	fd_close(&n->ready_fd);
	if (s->phase != PHASE_SETUP)
		return;
	if (got <= 0) {
		say_why(s);
	} else if (put_filter_on(n, &err)) {
		give_up(s, err.text, err.saved_errno, true);
	} else {
		n->up = true;
		tell_launcher(s);
	}
}

bool network_is_there(struct supervisor *s)
{
	siginfo_t info = {0};
	if (!s->plan.pasta.count)
		return true;
	if (!s->network.up ||
		waitid(P_PIDFD, (id_t)s->network.pidfd, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		info.si_pid != 0) {
		give_up(s, "pasta ended", 0, false);
		return false;
	}
	return true;
}
