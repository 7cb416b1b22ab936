#include "config.h"

#include "tests/unit/law_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/broker_fields.h"
#include "base/json_digest.h"
#include "base/mem.h"
#include "sandbox/backend.h"
#include "tests/unit/test_card_fixture.h"

static void add_danger(struct card *card, const char *word)
{
	struct unusual_list *list = &card->unusual;

	mem_grow(&list->items, &list->cap, list->count, sizeof(*list->items));
	list->items[list->count++] = (struct unusual){.severity = SEVERITY_DANGER,
		.line = 1,
		.what = mem_strdup("hides characters"),
		.summary = mem_strdup("hides characters"),
		.word = word};
}

static void say_card(struct law *law, struct call *call, const char *word)
{
	struct broker *broker = &law->desk.broker;
	const struct job *job = model_job(&broker->model, call->seq);
	struct digest old = call->digest;
	struct card_fixture f;
	struct card card;

	fixture_init(&f);
	fixture_command(&f, call->request.command);
	f.in.seq = call->seq;
	free(f.request.agent);
	f.request.agent = mem_strdup(call->request.agent);
	snprintf(f.offer.why, sizeof(f.offer.why), "at %lld", (long long)law_now_ms);
	card_init(&card);
	card_build(&f.in, &card);
	if (word != NULL)
		add_danger(&card, word);
	broker_emit(broker, EVENT_CARD, call->seq,
		fields_card(&broker->model, &card, job->card != NULL ? &old : NULL));
	call->digest = card.digest;
	card_release(&card);
	fixture_release(&f);
}

uint64_t law_call(
	struct law *law, unsigned peer, const char *agent, const char *command, const char *word)
{
	struct broker *broker = &law->desk.broker;
	struct call *call = broker_add_call(broker, peer, 0);
	struct card_fixture f;

	fixture_init(&f);
	fixture_command(&f, command);
	free(f.request.agent);
	f.request.agent = mem_strdup(agent);
	request_copy(&call->request, &f.request);
	call->confinement = f.confinement;
	confinement_init(&f.confinement);
	call->offer = f.offer;
	call->backend = &backend_none;
	call->deadline_ms = INT64_MAX / 2;
	fixture_release(&f);
	broker_emit(broker, EVENT_RECEIVED, call->seq, fields_received(call));
	say_card(law, call, word);
	return call->seq;
}

void law_recard(struct law *law, uint64_t seq, const char *command)
{
	struct broker *broker = &law->desk.broker;
	struct call *call = broker_call(broker, seq);

	if (call == NULL || call->decided_ms >= 0)
		return;
	if (command != NULL) {
		struct json *fields = fields_one("how", "inline");

		json_set_str(fields, "by", "operator");
		json_set_str(fields, "command", command);
		json_set_digest(fields, "old", &call->digest);
		free(call->request.command);
		call->request.command = mem_strdup(command);
		broker_emit(broker, EVENT_EDITED, seq, fields);
	}
	say_card(law, call, NULL);
}

static void start(struct law *law, uint64_t seq)
{
	struct broker *broker = &law->desk.broker;
	struct json *fields = json_new_object();

	/* From here on the broker has nothing to do with it. */
	broker_remove_call(broker_call(broker, seq));
	broker_emit(broker, EVENT_LAUNCHING, seq, fields_one("backend", "landlock"));
	json_set_int(fields, "memory_limit", 512 << 20);
	json_set_int(fields, "processes_limit", 10);
	json_set_int(fields, "wall_most_ms", 120000);
	broker_emit(broker, EVENT_STARTED, seq, fields);
}

static void put_out(struct law *law, uint64_t seq, unsigned dice)
{
	static const char *const texts[] = {"one\ntwo\n",
		("needle in a line that is longer than any row of the "
		 "screen is wide, so that it is wrapped, and wrapped again, needle\n"),
		"\x1B[31mred\x1B[0m\r\n", "half of it", "\xE5\xAE\x8C wide\n", "\xFF\xFE no text\n",
		"a\tb\tneedle\x07\n", "\n\n"};
	const char *text = texts[dice % ARRAY_LEN(texts)];

	for (unsigned i = 0; i <= dice % 40; i++)
		broker_emit(&law->desk.broker, EVENT_OUTPUT, seq,
			event_output_fields(text, strlen(text)));
}

static void measure(struct law *law, uint64_t seq, unsigned dice)
{
	struct json *fields = json_new_object();

	json_set_int(fields, "cpu_ms", dice);
	json_set_int(fields, "cpu_percent", dice % 100);
	json_set_int(fields, "memory", (int64_t)dice << 12);
	json_set_int(fields, "memory_peak", (int64_t)dice << 13);
	json_set_int(fields, "processes", dice % 9);
	broker_emit(&law->desk.broker, EVENT_USAGE, seq, fields);
}

static void end(struct law *law, uint64_t seq, unsigned dice)
{
	static const enum reason reasons[] = {
		REASON_NONE, REASON_NONE, REASON_TIMEOUT, REASON_EXIT_STATUS};
	enum reason reason = reasons[dice % ARRAY_LEN(reasons)];
	struct json *fields =
		fields_one("reason", reason == REASON_NONE ? NULL : reason_name(reason));

	if (reason == REASON_TIMEOUT)
		json_set_int(fields, "signal", 9);
	else
		json_set_int(fields, "exit_code", reason == REASON_NONE ? 0 : 3);
	json_set_int(fields, "duration_ms", 1234);
	json_set_int(fields, "output_bytes", 99);
	if (dice % 3 == 0)
		broker_emit(&law->desk.broker, EVENT_TRUNCATED, seq, json_new_object());
	broker_emit(&law->desk.broker, EVENT_ENDED, seq, fields);
	if (dice % 5 == 0) {
		STRV_AUTO struct strv paths = STRV_INIT;

		strv_add(&paths, ".git/config");
		broker_emit(&law->desk.broker, EVENT_GIT_CHANGED, seq, fields_git_changed(&paths));
	}
}

static void answer(struct law *law, uint64_t seq)
{
	struct json *fields = json_new_object();

	json_set_bool(fields, "delivered", true);
	broker_emit(&law->desk.broker, EVENT_ANSWERED, seq, fields);
}

static void stop(struct law *law, uint64_t seq)
{
	const struct job *job = model_job(&law->desk.broker.model, seq);

	if (job != NULL && job->state == JOB_RUNNING)
		broker_emit(&law->desk.broker, EVENT_STOPPING, seq, fields_one("by", "operator"));
}

static void extend(struct law *law, uint64_t seq)
{
	const struct job *job = model_job(&law->desk.broker.model, seq);
	struct json *fields = json_new_object();

	json_set_int(fields, "by_ms", 30000);
	if (job != NULL && job->state == JOB_RUNNING)
		broker_emit(&law->desk.broker, EVENT_EXTENDED, seq, fields);
	else
		json_free(fields);
}

void law_run(struct law *law, uint64_t seq, unsigned dice)
{
	const struct job *job = model_job(&law->desk.broker.model, seq);

	if (job == NULL)
		return;
	if (job->state == JOB_APPROVED && broker_call(&law->desk.broker, seq) != NULL)
		start(law, seq);
	else if (job->state == JOB_ENDED && !job->answered)
		answer(law, seq);
	else if (job->state != JOB_RUNNING && job->state != JOB_STOPPING)
		return;
	else if (dice % 8 == 0)
		end(law, seq, dice / 8);
	else if (dice % 40 == 1)
		extend(law, seq);
	else if (dice % 8 < 3)
		measure(law, seq, dice / 8);
	else
		put_out(law, seq, dice / 8);
}

bool law_call_intent(struct law *law, const struct intent *intent)
{
	switch ((int)intent->kind) {
	case INTENT_EDIT:
		law_recard(law, intent->seq, intent->text);
		return true;
	case INTENT_STOP:
		if (broker_call(&law->desk.broker, intent->seq) != NULL)
			return false;
		stop(law, intent->seq);
		return true;
	case INTENT_EXTEND:
		extend(law, intent->seq);
		return true;
	default:
		return false;
	}
}
