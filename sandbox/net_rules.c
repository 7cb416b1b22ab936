#include "config.h"

#include "sandbox/net_rules.h"

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "sandbox/net_ranges.h"
#include "sandbox/netlink.h"

static void refuse(int fd, const struct net_range *range)
{
	bool v4 = net_range_is_v4(range);
	size_t len = v4 ? 4 : sizeof(range->bytes);
	struct {
		struct nlmsghdr header;
		struct fib_rule_hdr rule;
		struct rtattr to;
		uint8_t address[sizeof(range->bytes)];
	} request = {
		.header = {.nlmsg_len = (uint32_t)(offsetof(__typeof__(request), address) + len),
			.nlmsg_type = RTM_NEWRULE,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE},
		.rule = {.family = v4 ? AF_INET : AF_INET6,
			.dst_len = (uint8_t)(v4 ? net_range_v4_bits(range) : range->bits),
			.action = FR_ACT_UNREACHABLE},
		.to = {.rta_type = FRA_DST, .rta_len = (unsigned short)RTA_LENGTH(len)}};
	memcpy(request.address, v4 ? net_range_v4(range) : range->bytes, len);
	send(fd, &request, request.header.nlmsg_len, 0);
}

void net_rules_refuse(const struct message_address *own, size_t count)
{
	FD_AUTO int fd = netlink_open(NULL);
	if (fd < 0)
		return;
	for (size_t i = 0; i < net_refused_count(); i++) {
		struct net_range range = net_refused(i);
		refuse(fd, &range);
	}
	for (size_t i = 0; i < count; i++) {
		struct net_range range = net_range_of_v6(own[i].bytes, 128);
		refuse(fd, &range);
	}
}
