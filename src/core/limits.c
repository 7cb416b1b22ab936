#include "config.h"

#include "core/limits.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/config.h"
#include "core/request.h"

static unsigned saturate(uint64_t value)
{
	return value > UINT_MAX ? UINT_MAX : (unsigned)value;
}

void limits_for(const struct config *config, const struct request *request, unsigned cpus,
	struct limits *ret)
{
	unsigned ceiling = config->max_cpu_time_seconds;
	unsigned asked = 0;

	if (request && request->timeout_set)
		asked = saturate((uint64_t)request->timeout_s);
	memset(ret, 0, sizeof(*ret));
	ret->wall_ceiling_s = ceiling;
	ret->wall_asked_s = asked;
	/* A request can only tighten: whatever it asks for, the ceiling stays the operator's. */
	ret->wall_s = asked && asked < ceiling ? asked : ceiling;
	ret->grace_s = config->kill_grace_seconds;
	ret->memory_mb = config->max_memory_mb;
	ret->memory_watched = config->memory_monitoring;
	ret->processes = config->max_subprocesses;
	ret->cpu_percent = config->max_cpu_percent;
	/* By the ceiling, which `+` can reach: a resource limit of something that runs cannot be raised. */
	ret->cpu_s = saturate((uint64_t)ceiling * (cpus ? cpus : 1));
	ret->open_files = config->max_open_files;
	ret->file_bytes = LIMIT_FILE_BYTES;
	ret->tmp_bytes = LIMIT_TMP_BYTES;
	ret->small_tmpfs_bytes = LIMIT_SMALL_TMPFS_BYTES;
	ret->output_bytes = LIMIT_OUTPUT_BYTES;
}

void size_words(uint64_t bytes, char buf[32])
{
	static const struct {
		unsigned shift;
		const char *unit;
	} units[] = {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		uint64_t whole = bytes >> units[i].shift;

		if (whole > 0 && whole << units[i].shift == bytes) {
			snprintf(buf, 32, "%llu %s", (unsigned long long)whole, units[i].unit);
			return;
		}
	}
	snprintf(buf, 32, "%llu bytes", (unsigned long long)bytes);
}

bool limits_clamped(const struct limits *limits)
{
	return limits->wall_asked_s > limits->wall_s;
}
