#include "config.h"

#include "cause_machine.h"

#include <stdio.h>
#include <string.h>

struct machine healthy_machine(void)
{
	return (struct machine){.kernel = "6.12.3",
		.kernel_major = 6,
		.kernel_minor = 12,
		.cpus = 4,
		.landlock_abi = 7,
		.uid = 1000,
		.user_namespaces_max = 31000,
		.userns_clone = MACHINE_NOT_KNOWN,
		.apparmor_userns = MACHINE_NOT_KNOWN,
		.control_groups = true,
		.fork_questions = true,
		.accepts_partial = true};
}

struct examined failed(enum backend_id backend, enum failing failing, int error_number)
{
	struct examined e = {.backend = backend, .failing = failing, .error_number = error_number};
	snprintf(e.why, sizeof(e.why), "it failed: %s", strerror(error_number));
	return e;
}

struct examined said(enum backend_id backend, enum failing failing, const char *why)
{
	struct examined e = {.backend = backend, .failing = failing};
	snprintf(e.why, sizeof(e.why), "%s", why);
	return e;
}

struct examined told(enum backend_id backend, enum cause cause)
{
	struct examined e = said(backend, FAILING_LOOK, "it is not to be had");
	e.told = cause;
	return e;
}

struct examined holding(enum backend_id backend)
{
	struct examined e = {.backend = backend, .works = true, .offer.backend = backend};
	for (enum facet i = 0; i < FACET_COUNT; i++)
		e.offer.facets[i] = HOLD_FULL;
	for (enum limit_id i = 0; i < LIMIT_ID_COUNT; i++)
		e.offer.enforcers[i] = "supervisor";
	return e;
}

struct examined lacking(enum backend_id backend, enum facet facet)
{
	struct examined e = holding(backend);
	e.offer.facets[facet] = HOLD_PART;
	return e;
}

struct examined not_limiting(enum backend_id backend, enum limit_id id)
{
	struct examined e = holding(backend);
	e.offer.enforcers[id] = NULL;
	return e;
}

struct examined working_flat(struct examined failed)
{
	failed.works = true;
	failed.offer = holding(failed.backend).offer;
	failed.offer.flat = true;
	failed.offer.open[0] = "!open: modes";
	for (enum facet i = 0; i < FACET_COUNT; i++)
		failed.offer.facets[i] = HOLD_PART;
	return failed;
}
