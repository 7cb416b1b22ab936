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

const char *limit_name(enum limit_id id)
{
	static const char *const limits[LIMIT_ID_COUNT] = {[LIMIT_TIME] = "time",
		[LIMIT_MEMORY] = "memory",
		[LIMIT_PROCESSES] = "processes",
		[LIMIT_CPU] = "cpu",
		[LIMIT_OUTPUT] = "output",
		[LIMIT_FILES] = "files",
		[LIMIT_FILE_SIZE] = "file_size",
		[LIMIT_CPU_TIME] = "cpu_time"};
	return limits[id];
}
