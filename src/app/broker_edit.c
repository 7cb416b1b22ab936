#include "config.h"

#include "app/broker.h"

#include <stdlib.h>
#include <string.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/json_digest.h"
#include "base/mem.h"
#include "core/edit.h"

#define NOT_RECORDED "not edited: the record cannot be written"

/* A person's edit: the same call with another command, judged and drawn anew. The agent hears of it in its answer. */

static struct json *edited_fields(const struct call *call, const char *text, const char *editor)
{
	struct json *f = fields_one("how", editor != NULL ? editor : "inline");

	json_set_str(f, "by", decider_name(DECIDER_OPERATOR));
	json_set_digest(f, "old", &call->digest);
	json_set_str(f, "command", text);
	return f;
}

/* An edit that gives back what was asked for is none. */
static void set_text(struct call *call, const char *text, const char *editor)
{
	struct call_edit *edit = &call->edit;
	struct result *result = &call->result;

	if (edit->asked == NULL)
		edit->asked = STEAL(call->request.command);
	free(call->request.command);
	call->request.command = mem_strdup(text);
	free(edit->editor);
	edit->editor = mem_strdup(editor);
	free(STEAL(result->edited_command));
	result->notes &= ~NOTE_BIT(NOTE_EDITED);
	if (strcmp(text, edit->asked) == 0) {
		free(STEAL(edit->asked));
		return;
	}
	result->edited_command = mem_strdup(text);
	result->notes |= NOTE_BIT(NOTE_EDITED);
	clock_format_hms(clock_wall_ms(), edit->at);
}

static char *not_waiting(const struct broker *broker, uint64_t seq)
{
	const struct job *job = model_job(&broker->model, seq);

	return mem_printf("the edit was discarded: #%llu is %s meanwhile", (unsigned long long)seq,
		job == NULL ? "gone" : job_state_name(job->state));
}

/* The policy may not allow for the new text what it allowed for the old one. NULL: it does, and *ret (zeroed before; the caller
   releases it) is its ruling. */
static char *objection(struct call *call, const char *text, struct ruling *ret)
{
	const struct broker *broker = call->broker;
	struct err err = ERR_INIT;
	struct request request;

	if (!broker->can_run)
		return mem_strdup(NOT_RECORDED);
	if (edit_check(text, strlen(text), &err) != 0)
		return mem_printf("not edited: %s", err.text);
	if (strcmp(text, call->request.command) == 0)
		return mem_strdup("not edited: the text is the same");
	request_init(&request);
	request_copy(&request, &call->request);
	free(request.command);
	request.command = mem_strdup(text);
	policy_judge(&request, &broker->session->config, ret);
	request_release(&request);
	return ret->verdict == VERDICT_DENY
		       ? mem_printf("not edited: policy denies that: %s", ret->rule)
		       : NULL;
}

bool broker_edit(
	struct broker *broker, const struct intent *intent, const char *editor, char **ret_text)
{
	struct call *call = broker_call(broker, intent->seq);

	free(*ret_text);
	*ret_text = NULL;
	if (call == NULL || call->decided_ms >= 0 || call->deadline_ms < 0) {
		*ret_text = not_waiting(broker, intent->seq);
		return false;
	}
	if (!digest_equal(&call->digest, &intent->digest)) {
		*ret_text = mem_strdup("the edit was discarded: the card changed meanwhile");
		return false;
	}
	struct ruling ruling = {0};
	*ret_text = objection(call, intent->text, &ruling);
	if (*ret_text == NULL && broker_emit(broker, EVENT_EDITED, call->seq,
					 edited_fields(call, intent->text, editor)) != 0)
		*ret_text = mem_strdup(NOT_RECORDED);
	if (*ret_text != NULL) {
		ruling_release(&ruling);
		return false;
	}
	set_text(call, intent->text, editor);
	ruling_release(&call->ruling);
	call->ruling = ruling;
	return broker_card(call, true) == 0;
}
