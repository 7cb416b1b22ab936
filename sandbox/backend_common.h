/* What the plans and offers of all backends have in common. */
#ifndef SANDBOX_BACKEND_COMMON_H
#define SANDBOX_BACKEND_COMMON_H

#include "sandbox/backend.h"

#define NS_BIT(ns) (1u << (ns))
#define NS_ALL (NS_BIT(PLAN_NS_COUNT) - 1)
#define DRAIN_MS 200 /* the pipe may stay open this long after the shell ended */

/* The command, its directory, environment and limits. ret is initialised by the call. */
void common_plan(const struct host *host, const struct confinement *c, const char *backend,
	struct plan *ret);
/* Who enforces what: the same for every backend of this machine, but for the limits of the whole tree. */
void common_offer(enum backend_id backend, const struct confinement *c, struct offer *ret);
/* Who holds the limits of the whole tree on this machine: where nothing but our supervisor does. */
void common_offer_limits(const struct host *host, const struct confinement *c, struct offer *ret);
/* Where /proc hides processes from us, what a supervisor holds by looking at them is not held. own_proc: but for the launcher's
   own, which shows all of the command's. */
void common_offer_unseen(const struct host *host, bool own_proc, struct offer *ret);
void common_plan_limits(const struct host *host, const struct confinement *c, struct plan *plan);
bool common_forks_are_asked(const struct host *host); /* of the supervisor, before each */
/* The facets of a backend that has these namespaces (mask of NS_BIT), and CLONE_NEW* in ret->namespaces. */
void common_isolation(const struct host *host, const struct confinement *c, unsigned namespaces,
	struct offer *ret);
unsigned common_clone_flags(unsigned namespaces); /* from NS_BIT to CLONE_NEW* */
/* Filter, proofs and HOME for these namespaces (mask of NS_BIT). */
void common_proofs(const struct confinement *c, unsigned namespaces, struct plan *plan);
/* The same, and Landlock. */
void common_confine(const struct host *host, const struct confinement *c, unsigned namespaces,
	struct plan *plan);
/* Namespaces that nothing else stands in for: ERR_UNAVAILABLE in words when one was refused (mask of NS_BIT). */
int common_check_refused(unsigned refused, struct err *err);
/* What to ask for: without net where it is granted but for pasta, without net and uts where this machine refused them. */
unsigned common_namespaces(unsigned refused, const struct confinement *c, bool pasta);
/* A granted network is kept apart by pasta where it can be: into ret, with why not. */
void common_network(
	const struct host *host, const struct confinement *c, unsigned refused, struct offer *ret);

#endif
