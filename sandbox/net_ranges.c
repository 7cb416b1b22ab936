#include "config.h"

#include "sandbox/net_ranges.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/mem.h"

#define V4_AT 12      /* byte of a mapped address at which the IPv4 address begins */
#define V4_BITS 96    /* bits before it */
#define TEXT_BYTES 64 /* longer is no address */

static const uint8_t mapped[V4_AT] = {[10] = 0xff, [11] = 0xff};

static const struct {
	const char *first;
	unsigned bits;
} refused[] = {
	{"0.0.0.0", 8},
	{"127.0.0.0", 8},
	{"169.254.0.0", 16}, /* the link: also where most clouds hand out keys */
	{"224.0.0.0", 4},    /* a service of this machine may have joined a group */
	{"240.0.0.0", 4},
	{"100.100.100.200", 32}, /* keys of a cloud, outside of 169.254 */
	{"168.63.129.16", 32},
	{"192.0.0.192", 32},
	{"::", 16}, /* ::1, and IPv4 written as IPv6 */
	{"fe80::", 10},
	{"fec0::", 10},
	{"ff00::", 8},
	{"fd00:ec2::254", 128}, /* keys of a cloud */
	{"fd20:ce::254", 128},
	{"64:ff9b::127.0.0.0",
		104}, /* what a translator on the way would make 127.0.0.0/8 and 169.254.0.0/16 again */
	{"64:ff9b::169.254.0.0", 112},
};

bool net_range_is_v4(const struct net_range *range)
{
	return range->bits >= V4_BITS && memcmp(range->bytes, mapped, V4_AT) == 0;
}

const uint8_t *net_range_v4(const struct net_range *range)
{
	return range->bytes + V4_AT;
}

unsigned net_range_v4_bits(const struct net_range *range)
{
	return range->bits - V4_BITS;
}

struct net_range net_range_of_v4(const void *bytes, unsigned bits)
{
	struct net_range range = {.bits = V4_BITS + bits};
	memcpy(range.bytes, mapped, V4_AT);
	memcpy(range.bytes + V4_AT, bytes, sizeof(range.bytes) - V4_AT);
	return range;
}

struct net_range net_range_of_v6(const void *bytes, unsigned bits)
{
	struct net_range range = {.bits = bits};
	memcpy(range.bytes, bytes, sizeof(range.bytes));
	return range;
}

bool net_range_parse(const char *text, struct net_range *ret)
{
	char address[TEXT_BYTES];
	unsigned char bytes[16];
	size_t len = strcspn(text, "%"); /* the link it is meant on */
	if (len >= sizeof(address))
		return false;
	memcpy(address, text, len);
	address[len] = '\0';
	if (inet_pton(AF_INET, address, bytes) == 1)
		*ret = net_range_of_v4(bytes, 32);
	else if (inet_pton(AF_INET6, address, bytes) == 1)
		*ret = net_range_of_v6(bytes, 128);
	else
		return false;
	return true;
}

size_t net_refused_count(void)
{
	return ARRAY_LEN(refused);
}

struct net_range net_refused(size_t i)
{
	struct net_range range = {0};
	net_range_parse(refused[i].first, &range);
	range.bits -= net_range_is_v4(&range) ? 32 - refused[i].bits : 128 - refused[i].bits;
	return range;
}

static bool holds(const struct net_range *range, const struct net_range *address)
{
	unsigned whole = range->bits / 8, rest = range->bits % 8;
	if (memcmp(range->bytes, address->bytes, whole) != 0)
		return false;
	return rest == 0 || (range->bytes[whole] ^ address->bytes[whole]) >> (8 - rest) == 0;
}

bool net_is_refused(const struct net_range *address, const struct net_range *more, size_t count)
{
	/* An IPv4 address is no address of ::/16, as it is written here. */
	bool v4 = net_range_is_v4(address);
	for (size_t i = 0; i < net_refused_count(); i++) {
		struct net_range range = net_refused(i);
		if (net_range_is_v4(&range) == v4 && holds(&range, address))
			return true;
	}
	for (size_t i = 0; i < count; i++)
		if (net_range_is_v4(&more[i]) == v4 && holds(&more[i], address))
			return true;
	return false;
}
