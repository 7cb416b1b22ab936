#include "config.h"

#include "sandbox/rlimits.h"

#include <stdint.h>
#include <sys/resource.h>

#include "base/mem.h"

/* Between SIGXCPU, which names the limit, and the SIGKILL for a process that ignores it. */
#define CPU_GRACE_S 2

static int set_limit(
	unsigned resource, const char *words, uint64_t soft, uint64_t above, struct err *err)
{
	struct rlimit limit;
	if (getrlimit(resource, &limit) != 0)
		return err_set_errno(err, "reading the limit of %s", words);
	uint64_t hard = soft > UINT64_MAX - above ? UINT64_MAX : soft + above;
	if (hard < limit.rlim_max)
		limit.rlim_max = hard;
	limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
	if (setrlimit(resource, &limit) != 0)
		return err_set_errno(err, "setting the limit of %s", words);
	return 0;
}

int rlimits_set(const struct plan *plan, struct err *err)
{
	const struct {
		unsigned resource;
		const char *words;
		uint64_t soft, above;
	} limits[] = {
		{RLIMIT_NOFILE, "open files", plan->open_files, 0},
		{RLIMIT_FSIZE, "file size", plan->file_bytes, 0},
		{RLIMIT_CPU, "CPU time", plan->cpu_s, CPU_GRACE_S},
	};
	for (size_t i = 0; i < ARRAY_LEN(limits); i++)
		if (limits[i].soft && set_limit(limits[i].resource, limits[i].words, limits[i].soft,
					      limits[i].above, err))
			return -1;
	/* A core file of a command can hold what it read. One byte, for which no file is made either: zero would still start
	   the host's own handler of crashes, as root and outside, wherever core_pattern is a pipe (core(5)). */
	return set_limit(RLIMIT_CORE, "core files", 1, 0, err);
}
