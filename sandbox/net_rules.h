/* Routing rules that answer at once what a frame filter would drop in silence. */
#ifndef SANDBOX_NET_RULES_H
#define SANDBOX_NET_RULES_H

#include "sandbox/protocol.h"

/* In the network namespace of the caller, who needs CAP_NET_ADMIN in it: what goes to an address that is refused on every
   machine, or to one of these, is "unreachable". Only so that a command need not wait: a kernel without such rules, and a
   socket that is bound to the device, find the filter instead. */
void net_rules_refuse(const struct message_address *own, size_t count);

#endif
