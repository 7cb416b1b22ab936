#include "config.h"

#include <string.h>

#include "core/result.h"
#include "tui/view_words.h"

static const char *const deciders[DECIDER_COUNT] = {
	[DECIDER_NONE] = "",
	[DECIDER_OPERATOR] = " by you",
	[DECIDER_GRANT] = " by grant",
	[DECIDER_POLICY] = " by policy",
	[DECIDER_DEADLINE] = " by its deadline",
	[DECIDER_AGENT] = " by the agent",
	[DECIDER_CONSOLE] = " by the console",
};

void words_decided(const struct job *job, struct str *out)
{
	bool open = job->decision == DECISION_NONE;
	str_add(out, open ? "not decided" : decision_name(job->decision));
	str_add(out, deciders[job->decided_by]);
	if (job->decided_by == DECIDER_GRANT)
		str_printf(out, " %u of %u", job->grant_use, job->grant_times);
}

void words_decider(const struct job *job, struct str *out)
{
	static const char *const names[DECIDER_COUNT] = {
		[DECIDER_NONE] = "nobody",
		[DECIDER_OPERATOR] = "you, ",
		[DECIDER_GRANT] = "grant ",
		[DECIDER_POLICY] = "policy",
		[DECIDER_DEADLINE] = "nobody",
		[DECIDER_AGENT] = "agent",
		[DECIDER_CONSOLE] = "console",
	};

	str_add(out, names[job->decided_by]);
	if (job->decided_by == DECIDER_OPERATOR)
		words_waited(job->decided_at_ms - job->received_at_ms, out);
	else if (job->decided_by == DECIDER_GRANT)
		str_printf(out, "%u of %u", job->grant_use, job->grant_times);
}

static void words_signal(int number, struct str *out)
{
	const char *name = sigabbrev_np(number);

	str_printf(out, "signal %d", number);
	if (name != NULL)
		str_printf(out, " (SIG%s)", name);
}

void words_outcome(const struct job *job, struct str *out)
{
	if (job->reason == REASON_EXIT_STATUS)
		str_printf(out, "exit %d", job->exit_code);
	else if (job->reason == REASON_SIGNALED)
		str_printf(out, "signal %d", job->signal);
	else
		str_add(out, reason_word(job->reason));
}

static void words_ended(const struct job *job, struct str *out)
{
	if (job->reason == REASON_SIGNALED) {
		words_signal(job->signal, out);
		str_add(out, ": no limit was reached");
	} else if (job->reason == REASON_TIMEOUT) {
		str_add(out, "time limit: stopped after ");
		words_took(job->duration_ms, out);
	} else if (job->reason == REASON_KILLED_BY_OPERATOR) {
		str_add(out, "stopped by you after ");
		words_took(job->duration_ms, out);
	} else {
		words_outcome(job, out);
	}
}

void words_head(const struct job *job, struct str *out)
{
	if (job->state == JOB_ENDED) {
		str_add(out, "ended: ");
		words_ended(job, out);
	} else if (job->state == JOB_REFUSED) {
		bool none = job->reason == REASON_NO_SANDBOX_AVAILABLE;

		str_printf(out, "refused: %s",
			none ? "no sandbox works here" : reason_word(job->reason));
	} else if (job->state == JOB_REJECTED) {
		str_add(out, "rejected");
	} else if (job->state == JOB_LOST) {
		str_printf(out, "lost: %s", reason_word(job->reason));
	}
}
