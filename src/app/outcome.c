#include "config.h"

#include "app/outcome.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"

static void say(struct call *call, enum reason reason, char *sentence)
{
	call->result.reason = reason;
	free(call->result.sentence);
	call->result.sentence = sentence;
}

/* What the supervisor ended by itself; false: nothing. */
static bool say_limit(struct call *call)
{
	const struct limits *l = &call->confinement.limits;
	unsigned lower_mb = call->offer.memory_mb;
	if (call->end.cause == STOP_MEMORY && lower_mb && lower_mb < l->memory_mb)
		say(call, REASON_MEMORY_LIMIT,
			mem_printf("needed more than %u MB; docker's memory_limit raises it",
				lower_mb));
	else if (call->end.cause == STOP_MEMORY)
		say(call, REASON_MEMORY_LIMIT,
			mem_printf(
				"needed more than %u MB; max_memory_mb raises it", l->memory_mb));
	else if (call->end.cause == STOP_PROCESSES)
		say(call, REASON_PROCESS_LIMIT,
			mem_printf(
				"was ended with more than %u processes; max_subprocesses raises it",
				l->processes));
	else
		return false;
	return true;
}

/* "an 11th", "a 22nd" */
static char *ordinal(unsigned n)
{
	static const char *const ends[] = {"th", "st", "nd", "rd"};
	bool teen = n % 100 >= 11 && n % 100 <= 13;
	unsigned first = n;
	while (first >= 1000)
		first /= 1000;
	bool vowel =
		first == 11 || first == 18 || first == 8 || first / 10 == 8 || first / 100 == 8;
	return mem_printf(
		"%s %u%s", vowel ? "an" : "a", n, teen || n % 10 > 3 ? "th" : ends[n % 10]);
}

/* It wanted more processes than it may have, and could not do without. */
static void say_refused_processes(struct call *call)
{
	unsigned most = call->confinement.limits.processes;
	MEM_AUTO char *one_more = ordinal(most + 1);
	say(call, REASON_PROCESS_LIMIT,
		mem_printf("failed after %s process was refused; max_subprocesses raises %u",
			one_more, most));
}

static void say_stopped(struct call *call)
{
	const struct limits *l = &call->confinement.limits;
	if (say_limit(call))
		return;
	if (call->end.cause == STOP_DEADLINE) {
		say(call, REASON_TIMEOUT,
			mem_printf("stopped after %u s, its time limit; max_cpu_time_seconds "
				   "raises the ceiling",
				l->wall_s + (unsigned)(call->extended_ms / 1000)));
		return;
	}
	switch ((int)call->stop_reason) {
	case REASON_KILLED_BY_OPERATOR:
		say(call, REASON_KILLED_BY_OPERATOR, mem_strdup("the operator stopped it"));
		break;
	case REASON_CONSOLE_CLOSED:
		say(call, REASON_CONSOLE_CLOSED,
			mem_strdup("the console was closed before it was done"));
		break;
	case REASON_AUDIT_UNAVAILABLE:
		say(call, REASON_AUDIT_UNAVAILABLE,
			mem_strdup("the record cannot be written, so it was ended; make room, then "
				   "ask again"));
		break;
	case REASON_WITHDRAWN:
		say(call, REASON_WITHDRAWN, mem_strdup("the agent went away, so it was ended"));
		break;
	default:
		say(call, REASON_SUPERVISOR_LOST,
			mem_strdup("it was ended for a reason that is not known"));
	}
}

/* A shell reports the death of its last command as 128 + N, so the two limits that kill by signal are seen there too. */
static enum reason limit_of(int exit_code, int signal_number)
{
	if (signal_number == SIGXCPU || exit_code == 128 + SIGXCPU)
		return REASON_CPU_LIMIT;
	if (signal_number == SIGXFSZ || exit_code == 128 + SIGXFSZ)
		return REASON_FILE_SIZE_LIMIT;
	return REASON_NONE;
}

static void say_by_itself(struct call *call)
{
	struct result *r = &call->result;
	const struct limits *l = &call->confinement.limits;
	enum reason limit = limit_of(r->exit_code, r->signal);
	if (limit == REASON_CPU_LIMIT)
		say(call, limit,
			mem_printf("one process used %u s of CPU; max_cpu_time_seconds raises it",
				l->cpu_s));
	else if (limit == REASON_FILE_SIZE_LIMIT)
		say(call, limit,
			mem_printf("it wanted a file larger than %llu bytes, the limit of one file",
				(unsigned long long)l->file_bytes));
	else if (call->end.usage.processes_refused > 0 && (r->signal > 0 || r->exit_code > 0))
		say_refused_processes(call);
	else if (r->signal > 0)
		say(call, REASON_SIGNALED,
			mem_printf("ended by signal %d (SIG%s); no limit was reached", r->signal,
				sigabbrev_np(r->signal) != NULL ? sigabbrev_np(r->signal) : "?"));
	else if (r->exit_code > 0)
		say(call, REASON_EXIT_STATUS,
			mem_printf("the command ended by itself with exit %d; its output says why",
				r->exit_code));
	else
		say(call, REASON_NONE, NULL);
}

static void say_never_ran(struct call *call)
{
	bool sandbox = call->end.stage < STAGE_GO;
	if (call->stop_reason != REASON_NONE) {
		say_stopped(call);
		return;
	}
	if (sandbox)
		say(call, REASON_SANDBOX_FAILED,
			mem_printf("the sandbox did not hold when checked from inside, so the "
				   "command was not "
				   "run: %s; exequatur doctor says more",
				call->end.text));
	else
		say(call, REASON_LAUNCH_FAILED,
			mem_printf("the sandbox held, but the command did not start in it: %s",
				call->end.text));
}

static void say_lost(struct call *call)
{
	if (call->stop_reason != REASON_NONE && !call->go_sent)
		say_stopped(call);
	else if (!call->go_sent)
		say(call, REASON_SANDBOX_FAILED,
			mem_strdup("its supervisor ended before the command was let go, so it was "
				   "not run"));
	else
		say(call, REASON_SUPERVISOR_LOST,
			mem_strdup("its supervisor was killed; the tree was ended, the command may "
				   "have run in part"));
}

unsigned outcome_notes(const struct call *call)
{
	unsigned notes = 0;
	if (call->request.timeout_set &&
		call->request.timeout_s >
			(int64_t)call->broker->session->config.max_cpu_time_seconds)
		notes |= NOTE_BIT(NOTE_TIMEOUT_CLAMPED);
	if (call->request.ignored.count > 0)
		notes |= NOTE_BIT(NOTE_ARGUMENTS_IGNORED);
	return notes;
}

static unsigned run_notes(const struct call *call)
{
	const struct result *r = &call->result;
	const struct offer *o = &call->offer;
	const struct {
		bool holds;
		enum note note;
	} rows[] = {
		{call->confinement.cwd_made, NOTE_WORKING_DIR_CREATED},
		{r->output_bytes > call->confinement.limits.output_bytes, NOTE_OUTPUT_TRUNCATED},
		{(call->end.flags & ENDED_BACKGROUND) != 0, NOTE_BACKGROUND_ENDED},
		{call->request.network && o->network_shared_with_host,
			NOTE_NETWORK_SHARED_WITH_HOST},
		{o->enforcers[LIMIT_MEMORY] == NULL, NOTE_MEMORY_NOT_ENFORCED},
		{o->enforcers[LIMIT_PROCESSES] == NULL, NOTE_PROCESSES_NOT_ENFORCED},
		{o->enforcers[LIMIT_CPU] == NULL, NOTE_CPU_NOT_ENFORCED},
		{o->backend == BACKEND_NONE, NOTE_UNSANDBOXED},
	};
	unsigned notes = 0;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].holds)
			notes |= NOTE_BIT(rows[i].note);
	return notes;
}

static void take_status(struct call *call)
{
	struct result *r = &call->result;
	r->duration_ms = call->end.elapsed_ms;
	if ((call->end.flags & ENDED_SHELL) == 0)
		return;
	if (WIFEXITED(call->end.wait_status))
		r->exit_code = WEXITSTATUS(call->end.wait_status);
	else if (WIFSIGNALED(call->end.wait_status))
		r->signal = WTERMSIG(call->end.wait_status);
}

void outcome_fill(struct call *call)
{
	struct result *r = &call->result;
	r->backend = backend_id_name(call->backend->id);
	r->notes |= outcome_notes(call);
	if (!call->end_known) {
		say_lost(call);
	} else if (!call->started) {
		say_never_ran(call);
	} else {
		take_status(call);
		bool by_us = call->end.cause != STOP_NONE;
		if (by_us)
			say_stopped(call);
		else if ((call->end.flags & ENDED_SHELL) == 0)
			say_lost(call);
		else
			say_by_itself(call);
	}
	if (call->started)
		r->notes |= run_notes(call);
}

void outcome_reset(struct call *call)
{
	broker_unwatch(call);
	child_end(&call->child); /* it said why it failed: nothing is left of its tree */
	call->child = (struct child)CHILD_INIT;
	str_clear(&call->plan_sent);
	call->go_given = call->go_sent = call->started = call->end_known = call->output_at_end =
		false;
	call->end = (struct ending){0};
}
