#include "config.h"

#include "core/doctor.h"

static int position(const struct config *config, enum backend_id backend)
{
	for (unsigned i = 0; i < config->auto_order_count; i++)
		if (config->auto_order[i] == backend)
			return (int)i;
	return -1;
}

enum doctor_place doctor_place(const struct doctor *doctor, enum backend_id backend)
{
	const struct config *config = doctor->config;
	bool taken = doctor->takes == backend;
	if (taken)
		return DOCTOR_TAKEN;
	if (config->backend != BACKEND_AUTO)
		return config->backend == backend ? DOCTOR_PASSED_OVER : DOCTOR_NOT_ASKED;
	int own = position(config, backend), of_taken = position(config, doctor->takes);
	/* auto never picks it, wherever it stands */
	if (own < 0 || backend == BACKEND_NONE)
		return DOCTOR_NOT_LISTED;
	return of_taken < 0 || own < of_taken ? DOCTOR_PASSED_OVER : DOCTOR_NOT_REACHED;
}

bool doctor_is_safe(const struct doctor *doctor)
{
	const enum hold *facets = doctor->offer.facets;
	if (doctor->takes == BACKEND_AUTO || doctor->takes == BACKEND_NONE || doctor->record_why)
		return false;
	return facets[FACET_FILES] == HOLD_FULL && facets[FACET_PROCESSES] == HOLD_FULL &&
	       facets[FACET_NETWORK] != HOLD_NONE && facets[FACET_SOCKETS] != HOLD_NONE;
}

uint64_t doctor_causes(const struct doctor *doctor)
{
	uint64_t found = causes_of_machine(&doctor->machine);
	for (size_t i = 0; i < doctor->count; i++)
		found |= causes_of(&doctor->machine, &doctor->items[i]);
	return found;
}
