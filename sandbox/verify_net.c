#include "config.h"

#include "sandbox/verify_net.h"

#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/netlink.h"
#include "sandbox/pasta.h"

/* How often it is looked whether a frame was dropped, and how long between: another frame may be on its way before it. */
#define LOOKS 100
#define LOOK_MS 10

struct links {
	unsigned others;  /* up, neither the loopback nor pasta's */
	unsigned device;  /* index of pasta's, when it is up; 0 */
	uint64_t dropped; /* by it, of what was to go out */
};

/* The kernel's own copy need not lie at a multiple of eight. */
static uint64_t dropped_by(const struct nlmsghdr *header)
{
	struct rtnl_link_stats64 stats;
	size_t used = offsetof(struct rtnl_link_stats64, tx_dropped) + sizeof(stats.tx_dropped);
	const void *bytes = netlink_attribute(header, sizeof(struct ifinfomsg), IFLA_STATS64, used);
	if (!bytes)
		return 0;
	memcpy(&stats, bytes, used);
	return stats.tx_dropped;
}

static int look_at(const struct nlmsghdr *header, void *ctx)
{
	struct links *links = ctx;
	const struct ifinfomsg *link = NLMSG_DATA(header);
	if (header->nlmsg_type != RTM_NEWLINK)
		return -1;
	if (!(link->ifi_flags & IFF_UP) || (link->ifi_flags & IFF_LOOPBACK))
		return 0;
	const char *name =
		netlink_attribute(header, sizeof(*link), IFLA_IFNAME, sizeof(PASTA_DEVICE));
	if (name && memcmp(name, PASTA_DEVICE, sizeof(PASTA_DEVICE)) == 0) {
		links->device = (unsigned)link->ifi_index;
		links->dropped = dropped_by(header);
	} else {
		links->others++;
	}
	return 0;
}

static int list_links(struct links *ret, struct err *err)
{
	const struct {
		struct nlmsghdr header;
		struct ifinfomsg info;
	} request = {.header = {.nlmsg_len = sizeof(request),
			     .nlmsg_type = RTM_GETLINK,
			     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
	FD_AUTO int fd = netlink_open(err);
	*ret = (struct links){0};
	if (fd < 0)
		return -1;
	if (netlink_dump(fd, &request, sizeof(request), look_at, ret, err))
		return err_set(err, ERR_SYSTEM, "the network interfaces cannot be listed");
	return 0;
}

/* An operator's argument may leave a command local sockets alone: then there is nothing to connect with. */
static bool no_sockets(void)
{
	static const int families[] = {AF_INET, AF_INET6, AF_NETLINK};
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		FD_AUTO int fd = socket(families[i], SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (fd >= 0)
			return false;
	}
	return true;
}

int verify_only_loopback(struct err *err)
{
	struct links links;
	if (no_sockets())
		return 0;
	if (list_links(&links, err))
		return -1;
	if (links.others || links.device)
		return err_set(err, ERR_REFUSED, "a network interface is up");
	return 0;
}

/* Both addresses are multicast of documentation: nobody has joined them, and no neighbour is asked for before the frame is sent.
   Past the routing rules, as a command could: by the device. */
static bool send_v4(unsigned device)
{
	const struct ip_mreqn by = {.imr_ifindex = (int)device};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(9)};
	FD_AUTO int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, "233.252.0.1", &to.sin_addr);
	return fd >= 0 && setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &by, sizeof(by)) == 0 &&
	       sendto(fd, "", 1, 0, (const struct sockaddr *)&to, sizeof(to)) == 1;
}

static bool send_v6(unsigned device)
{
	const int by = (int)device;
	struct sockaddr_in6 to = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
	FD_AUTO int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET6, "ff0e::db8:0:1", &to.sin6_addr);
	return fd >= 0 && setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_IF, &by, sizeof(by)) == 0 &&
	       sendto(fd, "", 1, 0, (const struct sockaddr *)&to, sizeof(to)) == 1;
}

static int wait_for_drop(uint64_t before, struct err *err)
{
	struct links links;
	for (unsigned i = 0; i < LOOKS; i++) {
		if (list_links(&links, err))
			return -1;
		if (links.dropped > before)
			return 0;
		poll(NULL, 0, LOOK_MS);
	}
	return err_set(err, ERR_REFUSED, "a frame to an address that is refused got through");
}

int verify_pasta(struct err *err)
{
	struct links links;
	if (list_links(&links, err))
		return -1;
	if (links.others)
		return err_set(err, ERR_REFUSED, "a network interface that is not pasta's is up");
	if (!links.device)
		return err_set(err, ERR_REFUSED, "pasta's network interface is not up");
	if (!send_v4(links.device) && !send_v6(links.device))
		return err_set(err, ERR_REFUSED, "whether a frame is refused cannot be tried");
	return wait_for_drop(links.dropped, err);
}
