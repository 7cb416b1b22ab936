/* Closes addresses to everything in our network namespace, by nftables: a route alone is passed by whoever names an interface
   with his packet. */
#ifndef SANDBOX_NET_CLOSE_H
#define SANDBOX_NET_CLOSE_H

#include "base/err.h"
#include "base/strv.h"

#define NET_CLOSE_MAX 256

/* prefixes: "169.254.0.0/16", "fe80::/10", "192.0.2.1"; at most NET_CLOSE_MAX. Needs CAP_NET_ADMIN over the namespace; done
   once in one. What is sent there is answered as unreachable. */
int net_close(const struct strv *prefixes, struct err *err);
/* ERR_REFUSED names the first into which something can be sent (one byte of UDP to port 9). */
int net_verify_closed(const struct strv *prefixes, struct err *err);

#endif
