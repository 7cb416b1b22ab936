/* The little of rtnetlink(7) that supervisor, launcher and console ask for. */
#ifndef SANDBOX_NETLINK_H
#define SANDBOX_NETLINK_H

#include <linux/netlink.h>
#include <stddef.h>

#include "base/err.h"

/* A socket to the network namespace of the caller; -1. */
int netlink_open(struct err *err);
/* One of a list: 0 goes on, anything else ends the list and is what netlink_dump() returns. */
typedef int netlink_each(const struct nlmsghdr *header, void *ctx);
/* Sends a dump request and calls `each` for every answer. 0 at the end of the list, -1 with ERR_SYSTEM. */
int netlink_dump(
	int fd, const void *request, size_t len, netlink_each *each, void *ctx, struct err *err);
/* Of a message whose own part has `fixed` bytes: the value of an attribute of at least `least` bytes; NULL: it has none. */
const void *netlink_attribute(
	const struct nlmsghdr *header, size_t fixed, unsigned short type, size_t least);

#endif
