#include "config.h"

#include "sandbox/netlink.h"

#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_BYTES 32768 /* what the kernel puts into one answer of a list at most */

int netlink_open(struct err *err)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	return fd >= 0 ? fd : err_set_errno(err, "opening a netlink socket");
}

/* 1: the end of the list; 0: there is more. */
static int look_at(char *bytes, size_t len, netlink_each *each, void *ctx, struct err *err)
{
	unsigned left = (unsigned)len;
	for (struct nlmsghdr *header = (void *)bytes; NLMSG_OK(header, left);
		header = NLMSG_NEXT(header, left)) {
		if (header->nlmsg_type == NLMSG_DONE)
			return 1;
		if (header->nlmsg_type == NLMSG_ERROR)
			return err_set(err, ERR_SYSTEM, "netlink refuses the list");
		int result = each(header, ctx);
		if (result)
			return result;
	}
	return 0;
}

int netlink_dump(
	int fd, const void *request, size_t len, netlink_each *each, void *ctx, struct err *err)
{
	char bytes[ANSWER_BYTES] __attribute__((aligned(8)));
	int result = 0;
	if (send(fd, request, len, 0) != (ssize_t)len)
		return err_set_errno(err, "asking by netlink");
	while (result == 0) {
		ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
		if (n <= 0)
			return err_set_errno(err, "reading the answer of netlink");
		result = look_at(bytes, (size_t)n, each, ctx, err);
	}
	return result == 1 ? 0 : result;
}

const void *netlink_attribute(
	const struct nlmsghdr *header, size_t fixed, unsigned short type, size_t least)
{
	size_t head = NLMSG_SPACE(fixed);
	if (header->nlmsg_len < head)
		return NULL;
	unsigned left = (unsigned)(header->nlmsg_len - head);
	const char *at = (const char *)header + head;
	for (const struct rtattr *a = (const void *)at; RTA_OK(a, left); a = RTA_NEXT(a, left))
		if ((a->rta_type & NLA_TYPE_MASK) == type && RTA_PAYLOAD(a) >= least)
			return RTA_DATA(a);
	return NULL;
}
