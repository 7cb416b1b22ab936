#include "config.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/words.h"
#include "tui/edge.h"
#include "core/config.h"
#include "tui/layout_outcome.h"
#include "tui/view_words.h"

static const char *const advices[REASON_COUNT] = {
	[REASON_INVALID_REQUEST] =
		N_("the agent was told what is wrong with the line; nothing else to do"),
	[REASON_UNKNOWN_TOOL] = N_("there is only one tool here: shell"),
	[REASON_DENIED_BY_POLICY] =
		N_("[security.tool_policy] of the configuration says so; nobody is asked"),
	[REASON_APPROVAL_UNAVAILABLE] =
		N_("start Exequatur at a terminal, then a person can decide"),
	[REASON_WORKING_DIR_NOT_ALLOWED] =
		N_("add it to writable_paths, or let the agent ask for another"),
	[REASON_SANDBOX_UNAVAILABLE] = N_("run   exequatur doctor   it says what is missing"),
	[REASON_SANDBOX_FAILED] = N_("run   exequatur doctor   it says what does not hold"),
	[REASON_LAUNCH_FAILED] = N_("run   exequatur doctor   it says what works here"),
	[REASON_AUDIT_UNAVAILABLE] = N_("make room for the record, then let the agent ask again"),
	[REASON_QUEUE_FULL] = N_("decide some calls: then it may ask again"),
	[REASON_INTAKE_CLOSED] = N_("the console takes no more calls"),
};

static void add_text(struct facts *facts, const char *label, const char *text)
{
	line_add(fact_line(facts_add(facts, label)), SPAN_OURS, "%s", text);
}

static void add_blank(struct facts *facts)
{
	fact_line(facts_add(facts, ""));
}

static void add_why(struct facts *facts, const struct job *job)
{
	struct line *line = fact_line(facts_add(facts, N_("why")));

	if (job->reason == REASON_NO_SANDBOX_AVAILABLE) {
		line_add(line, SPAN_OURS,
			_("No sandbox on this machine can hold this run, so it did not run."));
	} else {
		bool said = job->sentence != NULL && job->sentence[0] != '\0';
		STR_AUTO struct str words = STR_INIT;

		edge_words(said ? job->sentence : reason_word(job->reason), &words);
		const char *why = str_c(&words);
		line_add(line, SPAN_OURS, "%c%s.", toupper((unsigned char)why[0]), why + 1);
	}
	add_text(facts, "", _("Nothing was started. The agent was told:"));
	line_add(&facts->items[facts->count - 1].lines[0], SPAN_OURS, " %s",
		reason_name(job->reason));
}

static void add_tried(struct facts *facts, const struct passed_list *tried)
{
	struct fact *fact;

	if (tried == NULL)
		return;
	add_blank(facts);
	fact = facts_add(facts, N_("tried"));
	for (unsigned i = 0; i < tried->count; i++)
		line_add(fact_line(fact), SPAN_OURS, _("%-10s  no   %s"),
			backend_id_name(tried->items[i].backend), tried->items[i].why);
}

static bool namespaces_are_refused(const struct passed_list *tried)
{
	for (unsigned i = 0; tried != NULL && i < tried->count; i++) {
		if (strstr(tried->items[i].why, "namespace") != NULL)
			return true;
	}
	return false;
}

static void add_what_now(struct facts *facts, const struct job *job)
{
	struct fact *fact;
	unsigned step = 1;

	if (job->reason != REASON_NO_SANDBOX_AVAILABLE) {
		if (advices[job->reason] == NULL)
			return;
		add_blank(facts);
		add_text(facts, N_("what now"), _(advices[job->reason]));
		return;
	}
	add_blank(facts);
	fact = facts_add(facts, N_("what now"));
	line_add(fact_line(fact), SPAN_OURS,
		_("%u  run   exequatur doctor   it says what each one lacks"), step++);
	if (namespaces_are_refused(job->tried))
		line_add(fact_line(fact), SPAN_OURS,
			_("%u  let bubblewrap use user namespaces; doctor prints the lines"),
			step++);
	line_add(fact_line(fact), SPAN_OURS,
		_("%u  start Exequatur again and let the agent ask once more"), step);
}

void refusal_facts(const struct job *job, struct facts *ret)
{
	add_why(ret, job);
	if (job->reason == REASON_NO_SANDBOX_AVAILABLE) {
		add_blank(ret);
		add_text(ret, N_("needed"),
			_("files, processes and outside sockets closed, network cut"));
	}
	add_tried(ret, job->tried);
	add_what_now(ret, job);
	forgotten_facts(job, ret);
}
