#include "config.h"

#include "core/hold.h"

#include <stddef.h>
#include <string.h>

static const char *const names[HOLD_COUNT] = {
	[HOLD_NONE] = "open",
	[HOLD_PART] = "part",
	[HOLD_FULL] = "holds",
};

const char *hold_name(enum hold hold)
{
	return names[hold];
}

int hold_from_name(const char *name, enum hold *ret)
{
	for (int i = 0; name != NULL && i < HOLD_COUNT; i++) {
		if (strcmp(names[i], name) == 0) {
			*ret = (enum hold)i;
			return 0;
		}
	}
	return -1;
}
