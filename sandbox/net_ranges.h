/* Addresses that a granted network does not lead to. */
#ifndef SANDBOX_NET_RANGES_H
#define SANDBOX_NET_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All addresses whose first `bits` are these. An IPv4 address is the IPv6 address ::ffff:a.b.c.d, its bits count from
   there. */
struct net_range {
	uint8_t bytes[16];
	unsigned bits;
};

bool net_range_is_v4(const struct net_range *range);
const uint8_t *net_range_v4(const struct net_range *range);         /* its last four bytes */
unsigned net_range_v4_bits(const struct net_range *range);          /* 0 to 32 */
struct net_range net_range_of_v4(const void *bytes, unsigned bits); /* of 32 */
struct net_range net_range_of_v6(const void *bytes, unsigned bits);
/* "192.0.2.7", "fe80::1%eth0": one address. False: it is none. */
bool net_range_parse(const char *text, struct net_range *ret);

/* What is refused on every machine: itself, its links, multicast, and the services by which clouds hand out keys. */
size_t net_refused_count(void);
struct net_range net_refused(size_t i);
/* One of these holds the address, or one of `more`. */
bool net_is_refused(const struct net_range *address, const struct net_range *more, size_t count);

#endif
