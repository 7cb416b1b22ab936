/* The stable names of protocol.md section 2, each with its word in rows and its sentence on a card. */
#ifndef CORE_REASON_H
#define CORE_REASON_H

enum reason {
	REASON_NONE, /* success */
	REASON_INVALID_REQUEST,
	REASON_UNKNOWN_TOOL,
	REASON_DENIED_BY_POLICY,
	REASON_REJECTED,
	REASON_APPROVAL_TIMEOUT,
	REASON_APPROVAL_UNAVAILABLE,
	REASON_WITHDRAWN,
	REASON_WORKING_DIR_NOT_ALLOWED,
	REASON_NO_SANDBOX_AVAILABLE,
	REASON_SANDBOX_UNAVAILABLE,
	REASON_SANDBOX_FAILED,
	REASON_LAUNCH_FAILED,
	REASON_AUDIT_UNAVAILABLE,
	REASON_QUEUE_FULL,
	REASON_INTAKE_CLOSED,
	REASON_EXIT_STATUS,
	REASON_SIGNALED,
	REASON_TIMEOUT,
	REASON_CPU_LIMIT,
	REASON_MEMORY_LIMIT,
	REASON_PROCESS_LIMIT,
	REASON_FILE_SIZE_LIMIT,
	REASON_KILLED_BY_OPERATOR,
	REASON_CONSOLE_CLOSED,
	REASON_CONSOLE_LOST,
	REASON_SUPERVISOR_LOST,
	REASON_COUNT
};

const char *reason_name(enum reason reason); /* "exit_status"; "" for NONE */
const char *reason_word(
	enum reason reason); /* "exit", "time limit", "policy denies" ... (screens.md 10) */
int reason_from_name(const char *name, enum reason *ret); /* 0 or -1 */

#endif
