/* The addresses under which this machine reaches itself. */
#ifndef SANDBOX_HOST_ADDRESSES_H
#define SANDBOX_HOST_ADDRESSES_H

#include "base/err.h"
#include "sandbox/net_ranges.h"

#define HOST_ADDRESSES_MAX 150 /* who has more has no pasta: see FRAME_FILTER_MAX */

struct host_addresses {
	struct net_range items[HOST_ADDRESSES_MAX];
	size_t count;
};

/* Of the network namespace of the caller, without those that are refused on every machine. ERR_LIMIT: more than that. */
int host_addresses_read(struct host_addresses *ret, struct err *err);

#endif
