/* The argv of `docker create`: all that the engine holds of a command. */
#ifndef SANDBOX_DOCKER_ARGV_H
#define SANDBOX_DOCKER_ARGV_H

#include "core/confine.h"
#include "core/offer.h"
#include "sandbox/docker_host.h"
#include "sandbox/plan.h"

/* Where the launcher is inside. */
#define DOCKER_LAUNCHER "/exequatur-launcher"

struct docker_limits {
	uint64_t memory_bytes;
	double cpus;
};
/* The lower of what [security.resources] and [security.sandbox.docker] say. cpus: online, at least 1. */
struct docker_limits docker_limits(
	const struct docker_host *d, const struct confinement *c, unsigned cpus);

/* Refuses what the client's options cannot spell. */
int docker_argv_check(const struct confinement *c, struct err *err);
/* Fills plan->wrapper and plan->checks; plan->container and home are there. */
void docker_argv(const struct docker_host *d, const struct confinement *c,
	const struct offer *offered, struct plan *plan);

#endif
