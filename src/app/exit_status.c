#include "config.h"

#include "app/exit_status.h"

#include <signal.h>

#include "base/mem.h"

int exit_status_of(const struct result *result)
{
	static const struct {
		enum reason reason;
		int status;
	} rows[] = {
		{REASON_NONE, 0},
		{REASON_TIMEOUT, EXIT_TIMEOUT},
		{REASON_KILLED_BY_OPERATOR, EXIT_OPERATOR},
		{REASON_MEMORY_LIMIT, 128 + SIGKILL},
		{REASON_CPU_LIMIT, 128 + SIGXCPU},
		{REASON_FILE_SIZE_LIMIT, 128 + SIGXFSZ},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].reason == result->reason)
			return rows[i].status;
	if (result->reason == REASON_SUPERVISOR_LOST)
		return EXIT_NOT_RUN;
	if (result->exit_code >= 0)
		return result->exit_code;
	return result->signal > 0 ? 128 + result->signal : EXIT_NOT_RUN;
}
