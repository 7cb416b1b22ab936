#include "config.h"

#include "core/reason.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	const char *word;
} reasons[REASON_COUNT] = {
	[REASON_NONE] = {"", "exit 0"},
	[REASON_INVALID_REQUEST] = {"invalid_request", "bad request"},
	[REASON_UNKNOWN_TOOL] = {"unknown_tool", "unknown tool"},
	[REASON_DENIED_BY_POLICY] = {"denied_by_policy", "policy denies"},
	[REASON_REJECTED] = {"rejected", "rejected"},
	[REASON_APPROVAL_TIMEOUT] = {"approval_timeout", "expired"},
	[REASON_APPROVAL_UNAVAILABLE] = {"approval_unavailable", "no reviewer"},
	[REASON_WITHDRAWN] = {"withdrawn", "withdrawn"},
	[REASON_WORKING_DIR_NOT_ALLOWED] = {"working_dir_not_allowed", "wrong place"},
	[REASON_NO_SANDBOX_AVAILABLE] = {"no_sandbox_available", "no sandbox"},
	[REASON_SANDBOX_UNAVAILABLE] = {"sandbox_unavailable", "sandbox absent"},
	[REASON_SANDBOX_FAILED] = {"sandbox_failed", "sandbox failed"},
	[REASON_LAUNCH_FAILED] = {"launch_failed", "not started"},
	[REASON_AUDIT_UNAVAILABLE] = {"audit_unavailable", "no record"},
	[REASON_QUEUE_FULL] = {"queue_full", "queue full"},
	[REASON_INTAKE_CLOSED] = {"intake_closed", "intake closed"},
	[REASON_EXIT_STATUS] = {"exit_status", "exit"},
	[REASON_SIGNALED] = {"signaled", "signal"},
	[REASON_TIMEOUT] = {"timeout", "time limit"},
	[REASON_CPU_LIMIT] = {"cpu_limit", "CPU limit"},
	[REASON_MEMORY_LIMIT] = {"memory_limit", "memory limit"},
	[REASON_PROCESS_LIMIT] = {"process_limit", "process limit"},
	[REASON_FILE_SIZE_LIMIT] = {"file_size_limit", "file limit"},
	[REASON_KILLED_BY_OPERATOR] = {"killed_by_operator", "stopped"},
	[REASON_CONSOLE_CLOSED] = {"console_closed", "console closed"},
	[REASON_CONSOLE_LOST] = {"console_lost", "console lost"},
	[REASON_SUPERVISOR_LOST] = {"supervisor_lost", "supervisor lost"},
};

const char *reason_name(enum reason reason)
{
	return reasons[reason].name;
}

const char *reason_word(enum reason reason)
{
	return reasons[reason].word;
}

int reason_from_name(const char *name, enum reason *ret)
{
	for (int i = REASON_NONE + 1; i < REASON_COUNT; i++) {
		if (!strcmp(name, reasons[i].name)) {
			*ret = (enum reason)i;
			return 0;
		}
	}
	return -1;
}
