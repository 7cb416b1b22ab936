/* What may leave a network namespace through its tap device: a classic BPF program that the kernel runs on each frame on its
   way out to pasta. Routes could not do this: a socket that is bound to the device passes them by, and that needs no
   right. */
#ifndef SANDBOX_FRAME_FILTER_H
#define SANDBOX_FRAME_FILTER_H

#include <linux/filter.h>
#include <stddef.h>

#include "base/err.h"
#include "sandbox/net_ranges.h"

/* About what the kernel lets a socket keep (net.core.optmem_max, of old 20 KiB). */
#define FRAME_FILTER_MAX 2000

struct frame_filter {
	struct sock_filter code[FRAME_FILTER_MAX];
	size_t len;
};

/* Passes ARP, the neighbour discovery of IPv6, and TCP and UDP to addresses that are not refused: not those of every machine
   (net_refused) and not `own`, the addresses of this one. UDP only from ports that no service has: pasta binds the same one
   on the host, and whoever binds it with SO_REUSEADDR would take what is sent to that service. ERR_LIMIT: too many
   addresses. */
int frame_filter_build(
	const struct net_range *own, size_t count, struct frame_filter *ret, struct err *err);

/* Puts it on the device behind this descriptor of /dev/net/tun, for good, and looks whether it is there. */
int frame_filter_attach(int tap_fd, const struct frame_filter *filter, struct err *err);

#endif
