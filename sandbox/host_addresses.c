#include "config.h"

#include "sandbox/host_addresses.h"

#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/netlink.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

struct reading {
	struct host_addresses *to;
	bool too_many;
};

/* What the kernel delivers to itself, whether an interface has the address or a route says so. */
static int take(const struct nlmsghdr *header, void *ctx)
{
	struct reading *reading = ctx;
	struct host_addresses *to = reading->to;
	const struct rtmsg *route = NLMSG_DATA(header);
	if (header->nlmsg_type != RTM_NEWROUTE || route->rtm_type != RTN_LOCAL)
		return 0;
	bool v4 = route->rtm_family == AF_INET;
	const void *bytes = netlink_attribute(header, sizeof(*route), RTA_DST, v4 ? 4 : 16);
	if (!bytes)
		return 0;
	struct net_range range = v4 ? net_range_of_v4(bytes, route->rtm_dst_len)
				    : net_range_of_v6(bytes, route->rtm_dst_len);
	if (net_is_refused(&range, to->items, to->count))
		return 0;
	if (to->count == HOST_ADDRESSES_MAX) {
		reading->too_many = true;
		return -1;
	}
	to->items[to->count++] = range;
	return 0;
}

static int read_family(int fd, unsigned char family, struct host_addresses *ret, struct err *err)
{
	struct reading reading = {.to = ret};
	const struct {
		struct nlmsghdr header;
		struct rtmsg route;
	} request = {.header = {.nlmsg_len = sizeof(request),
			     .nlmsg_type = RTM_GETROUTE,
			     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.route = {.rtm_family = family, .rtm_type = RTN_LOCAL}};
	int result = netlink_dump(fd, &request, sizeof(request), take, &reading, err);
	if (reading.too_many)
		return err_set(err, ERR_LIMIT, "this machine has more than %d addresses",
			HOST_ADDRESSES_MAX);
	return result;
}

int host_addresses_read(struct host_addresses *ret, struct err *err)
{
	const int on = 1;
	FD_AUTO int fd = netlink_open(err);
	if (fd < 0)
		return -1;
	/* So that a router with a million routes sends these alone; a kernel that cannot sends all. */
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	ret->count = 0;
	return read_family(fd, AF_INET, ret, err) || read_family(fd, AF_INET6, ret, err) ? -1 : 0;
}
