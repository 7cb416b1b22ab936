#include "config.h"

#include "app/peer_id.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "base/text.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* Linux 6.5 */
#endif
#define STAT_BYTES 4096
#define NAME_BYTES 32  /* quoted with a sign before each byte it fits peer_id.program */
#define START_FIELD 22 /* of /proc/PID/stat, proc(5) */

/* The 22nd field of "PID (NAME) STATE ..."; the name may hold blanks and brackets, what is behind the last bracket not. */
static int read_stat(const char *text, struct peer_id *ret)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	if (open == NULL || close == NULL || close < open)
		return -1;
	const char *at = close;
	for (int field = 2; field < START_FIELD; field++) {
		at = strchr(at, ' ');
		if (at == NULL)
			return -1;
		at++;
	}
	size_t len = (size_t)(close - open - 1);
	char name[NAME_BYTES];
	struct str shown STR_AUTO = STR_INIT;
	len = len < sizeof(name) - 1 ? len : sizeof(name) - 1;
	memcpy(name, open + 1, len);
	name[len] = '\0';
	text_name(name, &shown);
	text_fit(str_c(&shown), ret->program, sizeof(ret->program));
	ret->start = strtoll(at, NULL, 10);
	return 0;
}

/* The process that has connected is alive, so that its number is not another one's by now. Older kernels cannot tell. */
static bool is_alive(int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	return pidfd < 0 || poll(&p, 1, 0) == 0;
}

static void look_at_process(int fd, struct peer_id *ret)
{
	FD_AUTO int pidfd = -1;
	socklen_t len = sizeof(pidfd);
	struct err err = ERR_INIT;
	char path[64];
	struct str text STR_AUTO = STR_INIT;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len) != 0)
		pidfd = -1;
	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)ret->pid);
	struct peer_id found = *ret;
	if (fd_read_file(path, STAT_BYTES, &text, &err) == 0 &&
		read_stat(str_c(&text), &found) == 0 && is_alive(pidfd))
		*ret = found;
}

void peer_id_of(int fd, struct peer_id *ret)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	*ret = (struct peer_id){.uid = -1, .pid = -1, .start = -1};
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
		return;
	ret->uid = cred.uid;
	/* 0: in a pid namespace that we do not see */
	if (cred.pid <= 0)
		return;
	ret->pid = cred.pid;
	look_at_process(fd, ret);
}

bool peer_id_same(const struct peer_id *a, const struct peer_id *b)
{
	return a->start >= 0 && a->start == b->start && a->pid == b->pid && a->uid == b->uid;
}
