#include "config.h"

#include "app/broker.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/broker_fields.h"
#include "base/mem.h"
#include "tests/unit/broker_desk.h"

static void a_yes_without_the_words_of_its_card_decides_nothing(void **state)
{
	static const char *const words[] = {"hidden", "remote", "hidden"};
	static const char *const wrong[] = {NULL, "", "y", "hidden", "remote", "remote hidden",
		"hidden remote hidden", "Hidden remote", "hiddenremote"};
	struct desk d;

	desk_open(&d, state);
	ask(&d, words, ARRAY_LEN(words));
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct intent intent = yes(&d, wrong[i]);

		assert_undecided(&d, &intent, "nothing decided: it asks for a word");
	}
	struct intent right = yes(&d, "hidden remote");

	assert_decided(&d, &right);
	desk_close(&d);
}

static void a_word_where_none_is_asked_decides_nothing(void **state)
{
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	struct intent typed = yes(&d, "hidden"), plain = yes(&d, NULL);

	assert_undecided(&d, &typed, "nothing decided: it asks for a word");
	assert_decided(&d, &plain);
	desk_close(&d);
}

static void a_yes_for_another_card_decides_nothing(void **state)
{
	static const enum intent_kind kinds[] = {INTENT_APPROVE, INTENT_REJECT};
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct intent intent = yes(&d, NULL);

		intent.kind = kinds[i];
		intent.digest.bytes[31] ^= 1;
		assert_undecided(&d, &intent, "nothing decided: the card changed");
	}
	desk_close(&d);
}

static void what_does_not_wait_any_more_is_not_decided_again(void **state)
{
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	struct intent intent = yes(&d, NULL);

	assert_decided(&d, &intent);
	assert_undecided(&d, &intent, "nothing decided: it does not wait any more");
	intent.kind = INTENT_REJECT;
	assert_undecided(&d, &intent, "nothing decided: it does not wait any more");
	desk_close(&d);
}

static void a_yes_that_the_record_cannot_take_decides_nothing(void **state)
{
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	struct intent intent = yes(&d, NULL);

	d.broker.can_run = false;
	assert_undecided(&d, &intent, "nothing decided: the record cannot be written");
	d.broker.can_run = true;
	assert_decided(&d, &intent);
	desk_close(&d);
}

/* Else the yes that the broken file did not take would start its command from the new one. */
static void what_was_open_when_the_record_broke_is_refused_before_it_goes_on(void **state)
{
	MEM_AUTO char *said = NULL;
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	struct intent intent = yes(&d, NULL);

	limit_files(1);
	assert_false(broker_intent(&d.broker, &intent, NULL, &said));
	assert_string_equal(said, "nothing runs: the record cannot be written");
	limit_files(RLIM_INFINITY);
	assert_false(d.broker.can_run);
	broker_line(&d.broker, BROKER_PEER_STDIN, 2, "{", 1, false);
	assert_true(d.broker.can_run);
	assert_null(broker_call(&d.broker, intent.seq));
	assert_int_equal(recorded(&d, "\"type\":\"gap\""), 1);
	assert_int_equal(recorded(&d, "\"type\":\"launching\""), 0);
	desk_close(&d);
}

static void replay_alone(const struct desk *d, struct model *ret)
{
	MEM_AUTO char *name = mem_printf("%s.jsonl", audit_session(d->broker.audit));
	STR_AUTO struct str text = STR_INIT;
	struct digest prev;
	struct err err = ERR_INIT;

	model_init(ret);
	record_read(d->record, name, &text);
	for (const char *line = str_c(&text); *line != '\0'; line += strcspn(line, "\n") + 1) {
		struct event event;

		if (event_parse(line, strcspn(line, "\n"), &event, &prev, &err) != 0 ||
			model_apply(ret, &event, &err) != 0)
			fail_msg("%s", err.text);
		event_release(&event);
	}
}

/* Whoever plays the new file alone sees the keys that the person saw. */
static void the_file_behind_a_gap_names_the_moved_keys(void **state)
{
	struct model film;
	struct desk d;

	desk_open(&d, state);
	strv_add(&d.session.config.keys, "mark=M");
	strv_add(&d.session.config.keys, "help=F");
	limit_files(1);
	broker_emit(&d.broker, EVENT_PROFILE, 0, NULL);
	limit_files(RLIM_INFINITY);
	broker_line(&d.broker, BROKER_PEER_STDIN, 2, "{", 1, false);
	replay_alone(&d, &film);
	for (unsigned i = 0; i < 2; i++) {
		const struct model *model = i == 0 ? &film : &d.broker.model;

		assert_int_equal(model->keys.count, 2);
		assert_string_equal(model->keys.items[0], "mark=M");
		assert_string_equal(model->keys.items[1], "help=F");
	}
	assert_true(film.after_gap);
	model_release(&film);
	desk_close(&d);
}

/* A reader of the new file alone must see the lock, and with it who could have said yes. */
static void the_file_behind_a_gap_says_that_the_screen_is_locked(void **state)
{
	static const struct {
		enum intent_kind kind;
		const char *typed, *says;
	} rows[] = {
		{INTENT_LOCK, "right",
			"\"why\":\"operator\",\"locked\":true,\"set\":true,\"minutes\":0,\"tries\":"
			"0,"},
		{INTENT_UNLOCK, "wrong",
			"\"why\":\"operator\",\"locked\":true,\"set\":true,\"minutes\":0,\"tries\":"
			"1,"},
		{INTENT_UNLOCK, "right", "\"why\":\"passphrase\",\"locked\":false,\"set\":true"},
	};
	struct desk d;

	desk_open(&d, state);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct intent intent = {.kind = rows[i].kind, .text = (char *)rows[i].typed};
		MEM_AUTO char *said = NULL;

		d.broker.model.lock.wait_until_ms = 0;
		broker_intent(&d.broker, &intent, NULL, &said);
		limit_files(1);
		broker_emit(&d.broker, EVENT_PROFILE, 0, NULL);
		limit_files(RLIM_INFINITY);
		assert_false(d.broker.can_run);
		broker_line(&d.broker, BROKER_PEER_STDIN, 2, "{", 1, false);
		assert_true(d.broker.can_run);
		assert_int_equal(recorded(&d, "\"type\":\"locked\""), 1);
		assert_int_equal(recorded(&d, rows[i].says), 1);
	}
	desk_close(&d);
}

/* Each no of stop-all frees a place: what was approved and waited for one must not take it. */
static void what_waits_for_a_place_does_not_start_in_the_middle_of_stop_all(void **state)
{
	struct intent stop = {.kind = INTENT_STOP_ALL};
	MEM_AUTO char *said = NULL;
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	struct intent intent = yes(&d, NULL);

	assert_decided(&d, &intent);
	ask(&d, NULL, 0);
	d.session.config.max_running = 1;
	assert_true(broker_intent(&d.broker, &stop, NULL, &said));
	assert_int_equal(d.broker.call_count, 0);
	assert_int_equal(recorded(&d, "\"reason\":\"intake_closed\""), 2); /* refused, answered */
	assert_int_equal(recorded(&d, "\"decision\":\"rejected\""), 2);
	assert_int_equal(recorded(&d, "\"type\":\"launching\""), 0);
	assert_int_equal(recorded(&d, "\"type\":\"card\""), 2);
	desk_close(&d);
}

/* The call runs, of 20 s that it asked for and 50 s that it can have. */
static void let_run(struct desk *d, int ret_supervisor[2])
{
	struct json *decided = fields_one("decision", "approved");

	json_set_str(decided, "by", "operator");
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ret_supervisor), 0);
	d->call->child.control_fd = ret_supervisor[0];
	d->call->confinement.limits.wall_s = 20;
	d->call->confinement.limits.wall_ceiling_s = 50;
	broker_emit(&d->broker, EVENT_DECIDED, d->call->seq, decided);
	broker_emit(&d->broker, EVENT_LAUNCHING, d->call->seq, fields_one("backend", "landlock"));
	broker_emit(&d->broker, EVENT_STARTED, d->call->seq, fields_started(d->call, 0));
}

static uint64_t extension_sent(int supervisor_fd)
{
	union message_buffer buffer;

	if (message_receive(supervisor_fd, &buffer, NULL) != 1)
		return 0;
	assert_int_equal(buffer.message.kind, MSG_EXTEND);
	return buffer.message.value;
}

static void more_time_comes_by_what_was_asked_up_to_the_ceiling(void **state)
{
	static const struct {
		uint64_t sent_ms;
		int64_t limit_ms;
		const char *said;
	} presses[] = {{20000, 0, "#1 now has 40 s of at most 50 s"},
		{10000, 0, "#1 now has 50 s of at most 50 s"},
		{0, 0, "no more time for #1: it has all that max_cpu_time_seconds allows"},
		{0, 0, "no more time for #1: it has all that max_cpu_time_seconds allows"}};
	struct intent more = {.kind = INTENT_EXTEND, .seq = 1};
	const struct job *job;
	int64_t limit_ms;
	int pair[2];
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	let_run(&d, pair);
	job = model_job(&d.broker.model, 1);
	limit_ms = job->wall_limit_ms;
	for (size_t i = 0; i < ARRAY_LEN(presses); i++) {
		MEM_AUTO char *said = NULL;

		assert_int_equal(
			broker_intent(&d.broker, &more, NULL, &said), presses[i].sent_ms > 0);
		assert_string_equal(said, presses[i].said);
		assert_true(extension_sent(pair[1]) == presses[i].sent_ms);
		limit_ms += (int64_t)presses[i].sent_ms;
		assert_int_equal(job->wall_limit_ms, limit_ms);
	}
	assert_int_equal(recorded(&d, "\"type\":\"extended\""), 2);
	assert_int_equal(job->wall_most_ms, 50000);
	child_close(&d.call->child);
	close(pair[1]);
	desk_close(&d);
}

static void what_does_not_run_gets_no_more_time(void **state)
{
	struct intent more = {.kind = INTENT_EXTEND, .seq = 1};
	MEM_AUTO char *waiting = NULL, *gone = NULL, *stopping = NULL;
	int pair[2];
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	assert_false(broker_intent(&d.broker, &more, NULL, &waiting));
	assert_string_equal(waiting, "no more time for #1: it does not run");
	more.seq = 7;
	assert_false(broker_intent(&d.broker, &more, NULL, &gone));
	assert_string_equal(gone, "no more time: it does not run");
	more.seq = 1;
	let_run(&d, pair);
	d.call->stop_reason = REASON_KILLED_BY_OPERATOR;
	assert_false(broker_intent(&d.broker, &more, NULL, &stopping));
	assert_string_equal(stopping, "no more time for #1: it does not run");
	assert_true(extension_sent(pair[1]) == 0);
	assert_int_equal(recorded(&d, "\"type\":\"extended\""), 0);
	child_close(&d.call->child);
	close(pair[1]);
	desk_close(&d);
}

static void the_record_says_who_asks(void **state)
{
	struct desk d;

	desk_open(&d, state);
	assert_int_equal(recorded(&d, "\"type\":\"peer\",\"peer\":1,\"kind\":\"stdin\""), 1);
	desk_close(&d);
}

static void a_plan_that_was_sent_ahead_counts_only_for_the_same_card(void **state)
{
	static const struct {
		const char *sent, *plan;
		bool kept;
	} rows[] = {{"plan", "plan", true}, {"plan", "plam", false},
		{"plan", "plan of more", false}, {"plan", "", false}, {"", "plan", true}};
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int pair[2];
		char byte;

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
		d.call->child.control_fd = pair[0];
		str_clear(&d.call->plan_sent);
		str_clear(&d.call->plan);
		str_add(&d.call->plan_sent, rows[i].sent);
		str_add(&d.call->plan, rows[i].plan);
		broker_check_plan_ahead(d.call);
		/* The launcher that has another plan sees a hang-up, which ends it. */
		assert_int_equal(recv(pair[1], &byte, 1, MSG_DONTWAIT), rows[i].kept ? -1 : 0);
		assert_int_equal(d.call->plan_sent.len, rows[i].kept ? strlen(rows[i].sent) : 0);
		child_close(&d.call->child);
		close(pair[1]);
	}
	str_clear(&d.call->plan_sent);
	desk_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_yes_without_the_words_of_its_card_decides_nothing,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			a_word_where_none_is_asked_decides_nothing, record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			a_yes_for_another_card_decides_nothing, record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(what_does_not_wait_any_more_is_not_decided_again,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(a_yes_that_the_record_cannot_take_decides_nothing,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			what_was_open_when_the_record_broke_is_refused_before_it_goes_on,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			the_file_behind_a_gap_names_the_moved_keys, record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			the_file_behind_a_gap_says_that_the_screen_is_locked, record_setup,
			record_teardown),
		cmocka_unit_test_setup_teardown(
			what_waits_for_a_place_does_not_start_in_the_middle_of_stop_all,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(more_time_comes_by_what_was_asked_up_to_the_ceiling,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			what_does_not_run_gets_no_more_time, record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			the_record_says_who_asks, record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			a_plan_that_was_sent_ahead_counts_only_for_the_same_card, record_setup,
			record_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
