/* Proofs about the network. */
#ifndef SANDBOX_VERIFY_NET_H
#define SANDBOX_VERIFY_NET_H

#include "base/err.h"

/* No interface but the loopback is up in our network namespace. ERR_REFUSED: one is; ERR_SYSTEM: they cannot be listed. */
int verify_only_loopback(struct err *err);

/* None but the loopback and pasta's device is up, and a frame to an address that is refused does not get through that
   device. ERR_REFUSED, ERR_SYSTEM. */
int verify_pasta(struct err *err);

#endif
