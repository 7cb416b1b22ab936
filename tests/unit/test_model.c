#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "core/model.h"
#include "tests/unit/test_card_fixture.h"

#define START                                                                                      \
	"{\"session\":\"20261130T140200Z-4121-9c3e\",\"version\":\"0.1.0\",\"host\":\"quay\","     \
	"\"user\":\"mira\",\"workspace\":\"/srv/shop\",\"backend\":\"landlock\","                  \
	"\"max_running\":2,\"approval_timeout_s\":100,\"terminal\":true,"                          \
	"\"passed\":[{\"backend\":\"firejail\",\"why\":\"not installed\"}]}"

struct film {
	struct model model;
	uint64_t number;
	int64_t at_ms;
};

static void film_init(struct film *film)
{
	*film = (struct film){0};
	model_init(&film->model);
}

static void film_release(struct film *film)
{
	model_release(&film->model);
}

static int apply(
	struct film *film, enum event_type type, uint64_t seq, struct json *fields, struct err *err)
{
	struct event event = {.type = type,
		.number = ++film->number,
		.at_ms = ++film->at_ms * 1000,
		.wall_ms = 5000000 + film->at_ms * 1000,
		.seq = seq,
		.fields = fields};
	int status = model_apply(&film->model, &event, err);

	event_release(&event);
	return status;
}

static int apply_text(
	struct film *film, enum event_type type, uint64_t seq, const char *text, struct err *err)
{
	struct json *fields = NULL;

	assert_int_equal(json_parse(text, strlen(text), JSON_DEPTH_MAX, &fields, err), 0);
	return apply(film, type, seq, fields, err);
}

static void emit(struct film *film, enum event_type type, uint64_t seq, const char *text)
{
	struct err err = ERR_INIT;

	if (apply_text(film, type, seq, text, &err) != 0)
		fail_msg("%s: %s", event_type_name(type), err.text);
}

static void refuse(struct film *film, enum event_type type, uint64_t seq, const char *text)
{
	struct err err = ERR_INIT;

	if (apply_text(film, type, seq, text, &err) == 0)
		fail_msg("%s %s was taken", event_type_name(type), text);
	assert_int_equal(err.code, ERR_INVALID);
	assert_string_not_equal(err.text, "");
}

static void emit_card(struct film *film, uint64_t seq, bool changed)
{
	struct json *fields = fixture_card_event(seq);
	struct err err = ERR_INIT;

	if (changed)
		json_set_str(fields, "old", json_get_str(fields, "digest"));
	assert_int_equal(apply(film, EVENT_CARD, seq, fields, &err), 0);
}

static void receive(struct film *film, uint64_t seq)
{
	emit(film, EVENT_RECEIVED, seq,
		"{\"peer\":0,\"line\":14,\"id\":14,\"agent\":\"build-bot\","
		"\"agent_reason\":\"because\",\"command\":\"make\"}");
}

static void wait_for_person(struct film *film, uint64_t seq)
{
	receive(film, seq);
	emit(film, EVENT_RULED, seq, "{\"verdict\":\"supervised\",\"rule\":\"default\"}");
	emit_card(film, seq, false);
}

static void approve(struct film *film, uint64_t seq)
{
	emit(film, EVENT_DECIDED, seq,
		"{\"decision\":\"approved\",\"by\":\"operator\",\"after_ms\":7}");
}

static void assert_counts(
	const struct film *film, unsigned waiting, unsigned running, unsigned done)
{
	assert_int_equal(film->model.waiting, waiting);
	assert_int_equal(film->model.running, running);
	assert_int_equal(film->model.done, done);
}

static void a_session_begins_with_what_it_says(void **state)
{
	CLEANUP(film_release) struct film film;

	(void)state;
	film_init(&film);
	emit(&film, EVENT_SESSION_START, 0, START);
	assert_string_equal(film.model.session, "20261130T140200Z-4121-9c3e");
	assert_string_equal(film.model.session_short, "4121-9c3e");
	assert_string_equal(film.model.workspace, "/srv/shop");
	assert_string_equal(film.model.backend_title, "landlock");
	assert_int_equal(film.model.max_running, 2);
	assert_int_equal(film.model.approval_timeout_ms, 100000);
	assert_int_equal(film.model.start_wall_ms, 5000000);
	assert_int_equal(film.model.passed.count, 1);
	assert_int_equal(film.model.passed.items[0].backend, BACKEND_FIREJAIL);
	assert_true(film.model.terminal);
	assert_true(film.model.intake_open);
	assert_false(film.model.no_sandbox);
	refuse(&film, EVENT_SESSION_START, 0, START);
}

static void a_call_is_followed_to_its_end(void **state)
{
	CLEANUP(film_release) struct film film;

	(void)state;
	film_init(&film);
	emit(&film, EVENT_SESSION_START, 0, START);
	wait_for_person(&film, 14);
	const struct job *job = model_job(&film.model, 14);

	assert_counts(&film, 1, 0, 0);
	assert_string_equal(job->id_text, "14");
	assert_string_equal(job->agent, "build-bot");
	assert_string_equal(job->command, "make");
	assert_int_equal(job->deadline_at_ms, job->received_at_ms + 100000);
	assert_int_equal(job->wall_limit_ms, 60000);
	emit(&film, EVENT_SEEN, 14, "{\"rows\":[[0,5,400],[3,9,300],[12,13,200]],\"total\":13}");
	approve(&film, 14);
	assert_counts(&film, 0, 0, 0);
	assert_int_equal(job->rows_seen, 10);
	assert_int_equal(job->rows_total, 13);
	assert_int_equal(job->deadline_at_ms, -1);
	emit(&film, EVENT_LAUNCHING, 14, "{\"backend\":\"landlock\"}");
	assert_counts(&film, 0, 1, 0);
	emit(&film, EVENT_STARTED, 14, "{}");
	emit(&film, EVENT_OUTPUT, 14, "{\"text\":\"one\\ntwo\\n\"}");
	emit(&film, EVENT_OUTPUT, 14, "{\"base64\":\"/wo=\"}");
	assert_memory_equal(job->output.data, "one\ntwo\n\xff\n", 10);
	assert_int_equal(job->output_lines, 3);
	emit(&film, EVENT_ENDED, 14,
		"{\"reason\":\"exit_status\",\"sentence\":\"exit "
		"2\",\"exit_code\":2,\"duration_ms\":900,"
		"\"output_bytes\":10,\"notes\":[\"timeout_clamped\",\"a_later_note\"]}");
	emit(&film, EVENT_ANSWERED, 14,
		"{\"reason\":\"exit_status\",\"success\":false,\"delivered\":true,"
		"\"decision\":\"approved\",\"by\":\"operator\",\"notes\":[]}");
	assert_counts(&film, 0, 0, 1);
	assert_int_equal(job->state, JOB_ENDED);
	assert_true(job->answered);
	assert_true(job->delivered);
	assert_int_equal(job->reason, REASON_EXIT_STATUS);
	assert_int_equal(job->exit_code, 2);
	assert_int_equal(job->duration_ms, 900);
	assert_int_equal(job->notes, NOTE_BIT(NOTE_TIMEOUT_CLAMPED));
	assert_int_equal(job->decision, DECISION_APPROVED);
	assert_int_equal(job->decided_by, DECIDER_OPERATOR);
	assert_int_equal(job->first_event, 2);
	assert_int_equal(job->last_event, film.number);
	refuse(&film, EVENT_ANSWERED, 14, "{}");
}

static void a_call_that_policy_allows_is_never_waiting(void **state)
{
	CLEANUP(film_release) struct film film;

	(void)state;
	film_init(&film);
	receive(&film, 1);
	emit(&film, EVENT_RULED, 1, "{\"verdict\":\"allow\",\"rule\":\"default\"}");
	emit_card(&film, 1, false);
	assert_counts(&film, 0, 0, 0);
	assert_int_equal(model_job(&film.model, 1)->state, JOB_NEW);
	emit(&film, EVENT_DECIDED, 1, "{\"decision\":\"allowed\",\"by\":\"policy\"}");
	assert_int_equal(model_job(&film.model, 1)->state, JOB_APPROVED);
}

static void a_no_and_a_refusal_keep_their_words(void **state)
{
	CLEANUP(film_release) struct film film;

	(void)state;
	film_init(&film);
	wait_for_person(&film, 1);
	emit(&film, EVENT_DECIDED, 1,
		"{\"decision\":\"rejected\",\"by\":\"operator\",\"text\":\"not needed\"}");
	assert_int_equal(model_job(&film.model, 1)->state, JOB_REJECTED);
	assert_int_equal(model_job(&film.model, 1)->reason, REASON_REJECTED);
	assert_string_equal(model_job(&film.model, 1)->decision_text, "not needed");
	emit(&film, EVENT_RECEIVED, 2, "{\"peer\":0,\"line\":2,\"id\":null,\"raw\":\"{<ESC>\"}");
	emit(&film, EVENT_REFUSED, 2,
		"{\"reason\":\"no_sandbox_available\",\"sentence\":\"none works\","
		"\"tried\":[{\"backend\":\"landlock\",\"why\":\"old kernel\"}]}");
	const struct job *job = model_job(&film.model, 2);

	assert_string_equal(job->raw, "{<ESC>");
	assert_null(job->command);
	assert_int_equal(job->state, JOB_REFUSED);
	assert_int_equal(job->decided_by, DECIDER_CONSOLE);
	assert_string_equal(job->tried->items[0].why, "old kernel");
	wait_for_person(&film, 3);
	emit(&film, EVENT_EXPIRED, 3, "{\"after_ms\":100000}");
	assert_int_equal(model_job(&film.model, 3)->reason, REASON_APPROVAL_TIMEOUT);
	wait_for_person(&film, 4);
	emit(&film, EVENT_WITHDRAWN, 4, "{\"why\":\"the agent went away\"}");
	assert_int_equal(model_job(&film.model, 4)->decided_by, DECIDER_AGENT);
	assert_counts(&film, 0, 0, 4);
}

static void a_call_that_comes_back_waits_anew_and_undecided(void **state)
{
	CLEANUP(film_release) struct film film;

	(void)state;
	film_init(&film);
	emit(&film, EVENT_SESSION_START, 0, START);
	wait_for_person(&film, 1);
	emit(&film, EVENT_SEEN, 1, "{\"rows\":[[0,3,400]],\"total\":3}");
	approve(&film, 1);
	emit(&film, EVENT_LAUNCHING, 1, "{\"backend\":\"landlock\"}");
	emit(&film, EVENT_PROBE, 1,
		"{\"backend\":\"landlock\",\"ok\":false,\"why\":\"the network was open\"}");
	emit(&film, EVENT_REQUEUED, 1, "{\"why\":\"the sandbox did not hold\"}");
	emit_card(&film, 1, true);
	const struct job *job = model_job(&film.model, 1);

	assert_counts(&film, 1, 0, 0);
	assert_int_equal(job->decision, DECISION_NONE);
	assert_int_equal(job->decided_at_ms, -1);
	assert_int_equal(job->rows_total, 0);
	assert_true(job->card_changed);
	assert_int_equal(job->deadline_at_ms, 9000 + 100000);
	assert_string_equal(job->requeued_why, "the sandbox did not hold");
	assert_true(film.model.probe.tried);
	assert_false(film.model.probe.ok);
}

static void a_probe_tells_what_holds(void **state)
{
	CLEANUP(film_release) struct film film;

	(void)state;
	film_init(&film);
	emit(&film, EVENT_PROBE, 0,
		"{\"backend\":\"bubblewrap\",\"ok\":true,\"why\":null,"
		"\"facets\":{\"files\":\"holds\",\"network\":\"part\",\"end\":\"open\"}}");
	assert_true(film.model.probe.ok);
	assert_int_equal(film.model.probe.backend, BACKEND_BUBBLEWRAP);
	assert_int_equal(film.model.probe.facets[FACET_FILES], HOLD_FULL);
	assert_int_equal(film.model.probe.facets[FACET_NETWORK], HOLD_PART);
	assert_int_equal(film.model.probe.facets[FACET_END], HOLD_NONE);
	refuse(&film, EVENT_PROBE, 0, "{\"backend\":\"x\",\"ok\":true}");
	refuse(&film, EVENT_PROBE, 0,
		"{\"backend\":\"none\",\"ok\":true,\"facets\":{\"files\":\"fine\"}}");
}

static void what_cannot_happen_is_refused_and_changes_nothing(void **state)
{
	static const struct {
		enum event_type type;
		uint64_t seq;
		const char *fields;
	} cases[] = {
		{EVENT_STARTED, 1, "{}"},
		{EVENT_ENDED, 1, "{\"reason\":\"\"}"},
		{EVENT_ANSWERED, 1, "{}"},
		{EVENT_STARTED, 9, "{}"},
		{EVENT_STARTED, 0, "{}"},
		{EVENT_RECEIVED, 0, "{\"command\":\"x\"}"},
		{EVENT_RECEIVED, 1, "{\"peer\":0,\"line\":1,\"command\":\"x\"}"},
		{EVENT_RECEIVED, 2, "{\"peer\":0,\"line\":1}"},
		{EVENT_RECEIVED, 2, "{\"peer\":0,\"line\":1,\"command\":\"x\",\"raw\":\"y\"}"},
		{EVENT_RECEIVED, 2, "{\"peer\":-2,\"line\":1,\"command\":\"x\"}"},
		{EVENT_RECEIVED, 2, "{\"peer\":\"0\",\"line\":1,\"command\":\"x\"}"},
		{EVENT_DECIDED, 1, "{}"},
		{EVENT_DECIDED, 1, "{\"decision\":\"withdrawn\",\"by\":\"operator\"}"},
		{EVENT_DECIDED, 1, "{\"decision\":\"approved\"}"},
		{EVENT_DECIDED, 1, "{\"decision\":\"approved\",\"by\":\"root\"}"},
		{EVENT_REFUSED, 1, "{\"reason\":\"\",\"sentence\":\"x\"}"},
		{EVENT_REFUSED, 1, "{\"reason\":\"nobody\",\"sentence\":\"x\"}"},
		{EVENT_REFUSED, 1, "{\"reason\":\"rejected\"}"},
		{EVENT_REFUSED, 1, "{\"reason\":\"rejected\",\"sentence\":\"x\",\"tried\":[1]}"},
		{EVENT_CARD, 1, "{\"digest\":\"x\",\"card\":{}}"},
		{EVENT_CARD, 1, "{}"},
		{EVENT_SEEN, 1, "{\"rows\":[[0,4,1]],\"total\":3}"},
		{EVENT_SEEN, 1, "{\"rows\":[[-1,2,1]],\"total\":3}"},
		{EVENT_SEEN, 1, "{\"rows\":[\"x\"],\"total\":3}"},
		{EVENT_REQUEUED, 1, "{}"},
		{EVENT_WITHDRAWN, 1, "{\"why\":7}"},
		{EVENT_INTAKE, 0, "{\"open\":\"no\"}"},
		{EVENT_FOUND_OPEN, 0, "{}"},
	};
	CLEANUP(film_release) struct film film;

	(void)state;
	film_init(&film);
	wait_for_person(&film, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		refuse(&film, cases[i].type, cases[i].seq, cases[i].fields);
		assert_counts(&film, 1, 0, 0);
		assert_int_equal(film.model.count, 1);
		assert_int_equal(model_job(&film.model, 1)->state, JOB_WAITING);
		assert_int_equal(model_job(&film.model, 1)->decision, DECISION_NONE);
	}
}

/* A card of another call, or one whose digest is not the one the event names, decides nothing. */
static void a_card_belongs_to_its_call_and_digest(void **state)
{
	CLEANUP(film_release) struct film film;
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card;
	struct json *fields = json_new_object(), *other = json_new_object();
	struct err err = ERR_INIT;
	char hex[DIGEST_HEX_BYTES];

	(void)state;
	film_init(&film);
	receive(&film, 15);
	fixture_init(&f);
	card_build(&f.in, &card);
	digest_hex(&card.digest, hex);
	json_set(fields, "card", card_to_json(&card));
	json_set_str(fields, "digest", hex);
	assert_int_equal(apply(&film, EVENT_CARD, 15, fields, &err), -1);
	receive(&film, 16);
	hex[0] = hex[0] == '0' ? '1' : '0';
	json_set(other, "card", card_to_json(&card));
	json_set_str(other, "digest", hex);
	assert_int_equal(apply(&film, EVENT_CARD, 16, other, &err), -1);
	assert_null(model_job(&film.model, 16)->card);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_begins_with_what_it_says),
		cmocka_unit_test(a_call_is_followed_to_its_end),
		cmocka_unit_test(a_call_that_policy_allows_is_never_waiting),
		cmocka_unit_test(a_no_and_a_refusal_keep_their_words),
		cmocka_unit_test(a_call_that_comes_back_waits_anew_and_undecided),
		cmocka_unit_test(a_probe_tells_what_holds),
		cmocka_unit_test(what_cannot_happen_is_refused_and_changes_nothing),
		cmocka_unit_test(a_card_belongs_to_its_call_and_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
