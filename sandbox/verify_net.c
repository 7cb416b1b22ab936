#include "config.h"

#include "sandbox/verify_net.h"

#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"

static int ask_for_links(int fd)
{
	const struct {
		struct nlmsghdr header;
		struct ifinfomsg info;
	} request = {.header = {.nlmsg_len = sizeof(request),
			     .nlmsg_type = RTM_GETLINK,
			     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
	return send(fd, &request, sizeof(request), 0) == (ssize_t)sizeof(request) ? 0 : -1;
}

/* 1: a link that is up and not the loopback; 0: none here; 2: the end of the list; -1: an error. */
static int look_at(const struct nlmsghdr *header)
{
	if (header->nlmsg_type == NLMSG_DONE)
		return 2;
	if (header->nlmsg_type != RTM_NEWLINK)
		return -1;
	const struct ifinfomsg *link = NLMSG_DATA(header);
	return (link->ifi_flags & IFF_UP) && !(link->ifi_flags & IFF_LOOPBACK) ? 1 : 0;
}

static int look_at_all(char *bytes, size_t len)
{
	int found = 0;
	unsigned left = (unsigned)len;
	for (struct nlmsghdr *header = (void *)bytes; NLMSG_OK(header, left) && found == 0;
		header = NLMSG_NEXT(header, left))
		found = look_at(header);
	return found;
}

/* An operator's argument may leave a command local sockets alone: then there is nothing to connect with. */
static bool no_sockets(void)
{
	static const int families[] = {AF_INET, AF_INET6, AF_NETLINK};
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		FD_AUTO int fd = socket(families[i], SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (fd >= 0)
			return false;
	}
	return true;
}

int verify_only_loopback(struct err *err)
{
	char bytes[16384] __attribute__((aligned(8)));
	FD_AUTO int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0 && no_sockets())
		return 0;
	if (fd < 0 || ask_for_links(fd) != 0)
		return err_set_errno(err, "asking for the network interfaces");
	int found = 0;
	while (found == 0) {
		ssize_t n = recv(fd, bytes, sizeof(bytes), 0);
		if (n <= 0)
			return err_set_errno(err, "reading the network interfaces");
		found = look_at_all(bytes, (size_t)n);
	}
	if (found == 1)
		return err_set(err, ERR_REFUSED, "a network interface is up");
	if (found < 0)
		return err_set(err, ERR_SYSTEM, "the network interfaces cannot be listed");
	return 0;
}
