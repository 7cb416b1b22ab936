/* pasta of the package passt: user-mode networking for a namespace of a command's own. */
#ifndef SANDBOX_PASTA_H
#define SANDBOX_PASTA_H

#include "base/err.h"
#include "base/strv.h"

#define PASTA_DEVICE "eth0" /* inside */

struct host;
struct plan;
struct wrapper;

/* As wrapper_find(); the variant that pasta would execute itself on this processor, so that what was checked is what
   runs. */
void pasta_find(const char *search_path, const struct strv *writable, struct wrapper *ret);

/* 0: it can serve on this machine; -1: why not, in words. */
int pasta_offer(const struct host *host, struct err *err);
/* A launch failed for want of it: from now on it is not offered. */
void pasta_note_lost(struct host *host, const char *why);

/* Its argv. */
void pasta_plan(const struct host *host, struct plan *plan);

#endif
