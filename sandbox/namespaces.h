/* Namespaces: their names and inodes, the user's map, the loopback device, the host name. */
#ifndef SANDBOX_NAMESPACES_H
#define SANDBOX_NAMESPACES_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "sandbox/plan.h"

unsigned namespace_flag(enum plan_ns ns);     /* CLONE_NEWUSER ... */
const char *namespace_words(enum plan_ns ns); /* "user" ... */
/* Inode of our own namespace, as in /proc/self/ns. */
int namespace_inode(enum plan_ns ns, uint64_t *ret, struct err *err);

/* Which of these clone flags are refused here: a mask of (1 << enum plan_ns), found by trying each alone (together
   with a user namespace, when that was asked for; only its own bit when it is refused itself). 0 when all of them work alone. */
unsigned namespaces_refused(unsigned flags);

/* In a fresh user namespace: one user and one group, inside -> outside; no setgroups. */
int namespace_map_user(uid_t uid, uid_t outside_uid, gid_t gid, gid_t outside_gid, struct err *err);

int namespace_loopback_up(struct err *err);
int namespace_set_hostname(const char *name, struct err *err);

#endif
