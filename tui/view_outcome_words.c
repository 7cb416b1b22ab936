#include "config.h"

#include <string.h>

#include "base/words.h"
#include "core/result.h"
#include "tui/view_words.h"

static const char *const deciders[DECIDER_COUNT] = {
	[DECIDER_NONE] = "",
	[DECIDER_OPERATOR] = N_(" by you"),
	[DECIDER_GRANT] = N_(" by grant"),
	[DECIDER_POLICY] = N_(" by policy"),
	[DECIDER_DEADLINE] = N_(" by its deadline"),
	[DECIDER_AGENT] = N_(" by the agent"),
	[DECIDER_CONSOLE] = N_(" by the console"),
};

void words_decided(const struct job *job, struct str *out)
{
	bool open = job->decision == DECISION_NONE;
	str_add(out, open ? _("not decided") : _(decision_name(job->decision)));
	str_add(out, _(deciders[job->decided_by]));
	if (job->decided_by == DECIDER_GRANT)
		str_printf(out, _(" %u of %u"), job->grant_use, job->grant_times);
}

void words_decider(const struct job *job, struct str *out)
{
	static const char *const names[DECIDER_COUNT] = {
		[DECIDER_NONE] = N_("nobody"),
		[DECIDER_OPERATOR] = N_("you, "),
		[DECIDER_GRANT] = N_("grant "),
		[DECIDER_POLICY] = N_("policy"),
		[DECIDER_DEADLINE] = N_("nobody"),
		[DECIDER_AGENT] = N_("agent"),
		[DECIDER_CONSOLE] = N_("console"),
	};

	str_add(out, _(names[job->decided_by]));
	if (job->decided_by == DECIDER_OPERATOR)
		words_waited(job->decided_at_ms - job->received_at_ms, out);
	else if (job->decided_by == DECIDER_GRANT)
		str_printf(out, _("%u of %u"), job->grant_use, job->grant_times);
}

static void words_signal(int number, struct str *out)
{
	const char *name = sigabbrev_np(number);

	str_printf(out, _("signal %d"), number);
	if (name != NULL)
		str_printf(out, _(" (SIG%s)"), name);
}

void words_outcome_english(const struct job *job, struct str *out)
{
	if (job->reason == REASON_EXIT_STATUS)
		str_printf(out, "exit %d", job->exit_code);
	else if (job->reason == REASON_SIGNALED)
		str_printf(out, "signal %d", job->signal);
	else
		str_add(out, reason_word(job->reason));
}

void words_outcome(const struct job *job, struct str *out)
{
	if (job->reason == REASON_EXIT_STATUS)
		str_printf(out, _("exit %d"), job->exit_code);
	else if (job->reason == REASON_SIGNALED)
		str_printf(out, _("signal %d"), job->signal);
	else
		str_add(out, _(reason_word(job->reason)));
}

static void words_ended(const struct job *job, struct str *out)
{
	if (job->reason == REASON_SIGNALED) {
		words_signal(job->signal, out);
		str_add(out, _(": no limit was reached"));
	} else if (job->reason == REASON_TIMEOUT) {
		str_add(out, _("time limit: stopped after "));
		words_took(job->duration_ms, out);
	} else if (job->reason == REASON_KILLED_BY_OPERATOR) {
		str_add(out, _("stopped by you after "));
		words_took(job->duration_ms, out);
	} else {
		words_outcome(job, out);
	}
}

void words_head(const struct job *job, struct str *out)
{
	if (job->state == JOB_ENDED) {
		str_add(out, _("ended: "));
		words_ended(job, out);
	} else if (job->state == JOB_REFUSED) {
		bool none = job->reason == REASON_NO_SANDBOX_AVAILABLE;

		str_printf(out, _("refused: %s"),
			none ? _("no sandbox works here") : _(reason_word(job->reason)));
	} else if (job->state == JOB_REJECTED) {
		str_add(out, _("rejected"));
	} else if (job->state == JOB_LOST) {
		str_printf(out, _("lost: %s"), _(reason_word(job->reason)));
	}
}
