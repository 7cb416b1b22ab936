/* Proofs about the network. */
#ifndef SANDBOX_VERIFY_NET_H
#define SANDBOX_VERIFY_NET_H

#include "base/err.h"

/* No interface but lo is up. (Tunnel devices that a kernel module puts into every namespace are there, but down.) */
int verify_only_loopback(struct err *err);

#endif
