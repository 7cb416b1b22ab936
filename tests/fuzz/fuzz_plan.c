#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What decodes is canonical: it encodes to the very same bytes, so a digest of the bytes is a digest of the plan. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plan plan;
	struct str again = STR_INIT;
	if (plan_decode(data, size, &plan, NULL))
		return 0;
	plan_encode(&plan, &again);
	if (again.len != size || memcmp(again.data, data, size) != 0)
		abort();
	if (!plan.backend || !plan.command || !plan.cwd || !plan.shell)
		abort();
	str_release(&again);
	plan_release(&plan);
	return 0;
}
