#include "config.h"

#include "app/broker.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/broker_desk.h"

static const struct peer_id one = {.uid = 7, .pid = 8, .start = 9, .program = "a\x1b[31m"};

static bool nobody_hears(void *ctx, unsigned peer)
{
	(void)ctx;
	(void)peer;
	return false;
}

static void a_yes_whose_agent_is_gone_this_moment_decides_nothing(void **state)
{
	struct desk d;

	desk_open(&d, state);
	ask(&d, NULL, 0);
	struct intent intent = yes(&d, NULL);
	MEM_AUTO char *said = NULL;

	d.broker.hooks.heard = nobody_hears;
	assert_false(broker_intent(&d.broker, &intent, NULL, &said));
	assert_string_equal(said, "nothing decided: it does not wait any more");
	assert_int_equal(recorded(&d, "\"type\":\"decided\""), 0);
	assert_int_equal(recorded(&d, "\"type\":\"peer_left\""), 1);
	assert_int_equal(recorded(&d, "\"type\":\"withdrawn\""), 1);
	assert_int_equal(recorded(&d, "\"delivered\":false"), 1);
	assert_int_equal(d.broker.call_count, 0);
	broker_peer_left(&d.broker, BROKER_PEER_STDIN, "closed");
	assert_int_equal(recorded(&d, "\"type\":\"peer_left\""), 1);
	desk_close(&d);
}

static void connections_of_one_process_are_one_sender(void **state)
{
	const struct {
		struct peer_id id;
		unsigned sender; /* 0: itself */
	} rows[] = {
		{one, 0},
		{one, 3},
		{{.uid = 7, .pid = 8, .start = 10}, 0},
		{{.uid = 7, .pid = 9, .start = 9}, 0},
		{{.uid = 6, .pid = 8, .start = 9}, 0},
		{{.uid = 7, .pid = 8, .start = -1}, 0},
		{{.uid = 7, .pid = 8, .start = -1}, 0},
	};
	struct desk d;

	desk_open(&d, state);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned number = broker_peer_joined(&d.broker, &rows[i].id);

		assert_int_equal(number, 3 + i);
		assert_int_equal(broker_sender(&d.broker, number),
			rows[i].sender != 0 ? rows[i].sender : number);
		broker_peer_left(&d.broker, number, "closed");
	}
	assert_int_equal(broker_sender(&d.broker, 3), 3);
	assert_int_equal(recorded(&d, "\\u001b[31m"), 2);
	desk_close(&d);
}

/* Whatever a process calls itself, what stands behind its name is ours. */
static void a_process_is_named_so_that_its_name_ends_where_it_ends(void **state)
{
	static const char *const names[][2] = {
		{"agent-7.2", "agent-7.2"},
		{"stdin), pid 1, ", "\"stdin), pid 1, \""},
		{"x\", pid 1)", "\"x\\\", pid 1)\""},
		{"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"",
			"\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\""},
	};
	char before[17] = "";
	int pair[2];

	(void)state;
	assert_int_equal(prctl(PR_GET_NAME, before), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct peer_id id;

		assert_int_equal(prctl(PR_SET_NAME, names[i][0]), 0);
		peer_id_of(pair[0], &id);
		assert_int_equal(id.pid, getpid());
		assert_string_equal(id.program, names[i][1]);
	}
	assert_int_equal(prctl(PR_SET_NAME, before), 0);
	close(pair[0]);
	close(pair[1]);
}

static void a_sender_at_the_socket_has_a_quota_of_its_own(void **state)
{
	struct desk d;

	desk_open(&d, state);
	unsigned number = broker_peer_joined(&d.broker, &one);

	assert_int_equal(
		broker_sender_most(&d.broker, BROKER_PEER_STDIN), d.session.config.max_pending);
	assert_int_equal(broker_sender_most(&d.broker, number), 100);
	d.session.config.max_pending_per_sender = 7;
	assert_int_equal(broker_sender_most(&d.broker, BROKER_PEER_STDIN), 7);
	assert_int_equal(broker_sender_most(&d.broker, number), 7);
	desk_close(&d);
}

static bool shut(struct desk *d, uint64_t sender, bool refuse)
{
	struct intent intent = {
		.kind = refuse ? INTENT_REFUSE_SENDER : INTENT_TAKE_SENDER, .seq = sender};
	MEM_AUTO char *said = NULL;
	bool done = broker_intent(&d->broker, &intent, NULL, &said);

	assert_true(done == (said == NULL));
	return done;
}

static const char asks[] = "{\"name\":\"shell\",\"arguments\":{\"command\":\"ls\"}}";

static void new_calls_of_a_sender_are_refused_until_they_are_taken_again(void **state)
{
	struct desk d;

	desk_open(&d, state);
	broker_peer_joined(&d.broker, &one);
	unsigned second = broker_peer_joined(&d.broker, &one);

	assert_false(shut(&d, 99, true));
	assert_false(shut(&d, 3, false));
	assert_true(shut(&d, 3, true));
	assert_false(shut(&d, 3, true));
	assert_true(broker_is_refused(&d.broker, second));
	assert_false(broker_is_refused(&d.broker, BROKER_PEER_STDIN));
	broker_line(&d.broker, second, 1, asks, strlen(asks), false);
	assert_int_equal(recorded(&d, "\"reason\":\"intake_closed\",\"sentence\""), 1);
	d.broker.can_run = false;
	assert_false(shut(&d, 3, false));
	d.broker.can_run = true;
	assert_true(shut(&d, 3, false));
	assert_false(broker_is_refused(&d.broker, second));
	desk_close(&d);
}

static void the_file_behind_a_gap_says_who_is_there(void **state)
{
	struct desk d;

	desk_open(&d, state);
	broker_listens(&d.broker, "/run/x.sock");
	broker_peer_joined(&d.broker, &one);
	broker_peer_left(&d.broker, broker_peer_joined(&d.broker, &one), "closed");
	assert_true(shut(&d, 3, true));
	limit_files(1);
	broker_emit(&d.broker, EVENT_PROFILE, 0, NULL);
	limit_files(RLIM_INFINITY);
	assert_false(d.broker.can_run);
	broker_line(&d.broker, BROKER_PEER_STDIN, 2, "{", 1, false);
	assert_true(d.broker.can_run);
	assert_int_equal(recorded(&d, "\"type\":\"listening\",\"path\":\"/run/x.sock\""), 1);
	assert_int_equal(recorded(&d, "\"type\":\"peer\""), 1);
	assert_int_equal(recorded(&d, "\"type\":\"peer\",\"peer\":3,"), 1);
	assert_int_equal(recorded(&d, "\"sender\":3,\"refuse\":true"), 1);
	assert_int_equal(d.broker.model.connected, 1);
	desk_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_yes_whose_agent_is_gone_this_moment_decides_nothing, record_setup,
			record_teardown),
		cmocka_unit_test_setup_teardown(
			connections_of_one_process_are_one_sender, record_setup, record_teardown),
		cmocka_unit_test(a_process_is_named_so_that_its_name_ends_where_it_ends),
		cmocka_unit_test_setup_teardown(a_sender_at_the_socket_has_a_quota_of_its_own,
			record_setup, record_teardown),
		cmocka_unit_test_setup_teardown(
			new_calls_of_a_sender_are_refused_until_they_are_taken_again, record_setup,
			record_teardown),
		cmocka_unit_test_setup_teardown(
			the_file_behind_a_gap_says_who_is_there, record_setup, record_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
