#include "config.h"

#include "sandbox/protocol.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

static const char *const stage_table[STAGE_COUNT] = {
	[STAGE_PLAN] = "reading the plan",
	[STAGE_NAMESPACES] = "making the namespaces",
	[STAGE_ID_MAPS] = "mapping the user",
	[STAGE_WRAPPER] = "starting the wrapper",
	[STAGE_MOUNTS] = "building the file system",
	[STAGE_PLACES] = "comparing the directories with the card",
	[STAGE_NETWORK] = "setting up the network",
	[STAGE_LIMITS] = "setting the limits",
	[STAGE_CAPABILITIES] = "dropping capabilities",
	[STAGE_LANDLOCK] = "restricting files with Landlock",
	[STAGE_SECCOMP] = "filtering system calls",
	[STAGE_VERIFY] = "verifying the isolation",
	[STAGE_GO] = "letting the command go",
	[STAGE_CWD] = "entering the working directory",
	[STAGE_EXEC] = "executing the shell",
};

const char *stage_words(enum stage stage)
{
	return (unsigned)stage < STAGE_COUNT ? stage_table[stage] : "an unknown stage";
}

static size_t message_bytes(const struct message *message)
{
	return sizeof(*message) + message->check_count * sizeof(struct message_check);
}

void message_say(struct message *message, const char *text)
{
	size_t len = strnlen(text, sizeof(message->text) - 1);
	/* Cut at a whole character: a continuation byte must not be the first that is left out. */
	if (text[len])
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	memcpy(message->text, text, len);
	memset(message->text + len, 0, sizeof(message->text) - len);
}

static int send_bytes(int fd, const void *bytes, size_t len)
{
	ssize_t n;
	do
		n = send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)len)
		return 1;
	return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
}

int message_send(int fd, const struct message *message)
{
	return send_bytes(fd, message, sizeof(*message));
}

static int send_with_fds(int fd, const void *bytes, size_t len, const int *fds, size_t count)
{
	union {
		char bytes[CMSG_SPACE(MESSAGE_FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec iov = {.iov_base = (void *)bytes, .iov_len = len};
	struct msghdr hdr = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = (socklen_t)CMSG_SPACE(count * sizeof(int))};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&hdr);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = (socklen_t)CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(cmsg), fds, count * sizeof(int));
	if (sendmsg(fd, &hdr, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
		return 1;
	return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
}

int message_send_fds(int fd, const struct message *message, const int *fds, size_t count)
{
	return send_with_fds(fd, message, sizeof(*message), fds, count);
}

int message_send_ready(int fd, const union message_buffer *ready, const int *fds, size_t count)
{
	size_t len = message_bytes(&ready->message);
	return count ? send_with_fds(fd, ready->bytes, len, fds, count)
		     : send_bytes(fd, ready->bytes, len);
}

static int message_check_shape(const struct message *message, size_t len)
{
	bool good = len >= sizeof(*message) && message->check_count <= PLAN_CHECKS_MAX &&
		    len == message_bytes(message) && message->kind < MSG_KIND_COUNT &&
		    message->stage < STAGE_COUNT && message->cause < STOP_CAUSE_COUNT &&
		    memchr(message->text, '\0', sizeof(message->text));
	return good ? 1 : -1;
}

static void take_descriptors(const struct cmsghdr *cmsg, struct message_extras *ret)
{
	size_t count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	for (size_t i = 0; i < count; i++) {
		int fd;
		memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
		if (ret->fd_count < MESSAGE_FDS_MAX)
			ret->fds[ret->fd_count++] = fd;
		else
			close(fd);
	}
}

static void take_extras(struct msghdr *hdr, struct message_extras *ret)
{
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(hdr); cmsg; cmsg = CMSG_NXTHDR(hdr, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET)
			continue;
		if (cmsg->cmsg_type == SCM_RIGHTS) {
			take_descriptors(cmsg, ret);
		} else if (cmsg->cmsg_type == SCM_CREDENTIALS) {
			struct ucred cred;
			memcpy(&cred, CMSG_DATA(cmsg), sizeof(cred));
			ret->pid = cred.pid;
		}
	}
}

/* The end of a peer races with our look: one that ended with something unread gives one ECONNRESET before what it said last, and
   the kernel, which looks for messages before it looks for the end, may report an end with a message that came in between still
   in the queue. So an end counts only when it is seen twice: after the first nothing more can come. */
static ssize_t receive_last(int fd, struct msghdr *hdr)
{
	struct msghdr fresh = *hdr;
	ssize_t n = -1;
	for (int tries = 0, ends = 0; tries < 6 && ends < 2; tries++) {
		*hdr = fresh;
		n = recvmsg(fd, hdr, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (n > 0)
			return n;
		if (n == 0)
			ends++;
		else if (errno != EINTR && errno != ECONNRESET)
			return n;
	}
	return n;
}

int message_receive(int fd, union message_buffer *ret, struct message_extras *ret_extras)
{
	union {
		char bytes[CMSG_SPACE(MESSAGE_FDS_MAX * sizeof(int)) +
			   CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {.iov_base = ret->bytes, .iov_len = sizeof(ret->bytes)};
	struct msghdr hdr = {.msg_iov = &iov, .msg_iovlen = 1};
	if (ret_extras) {
		*ret_extras = (struct message_extras){0};
		hdr.msg_control = control.bytes;
		hdr.msg_controllen = sizeof(control.bytes);
	}
	ssize_t n = receive_last(fd, &hdr);
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
	if (ret_extras)
		take_extras(&hdr, ret_extras);
	return (hdr.msg_flags & MSG_TRUNC) ? -1 : message_check_shape(&ret->message, (size_t)n);
}
