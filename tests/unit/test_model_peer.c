#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/model.h"

static int apply(struct model *model, enum event_type type, const char *fields)
{
	struct err err = ERR_INIT;
	struct json *parsed = NULL;

	assert_int_equal(json_parse(fields, strlen(fields), 4, &parsed, &err), 0);
	struct event event = {.type = type, .at_ms = 1000, .wall_ms = 5000, .fields = parsed};
	int status = model_apply(model, &event, &err);

	event_release(&event);
	return status;
}

static void join(struct model *model, unsigned number)
{
	char fields[128];

	snprintf(fields, sizeof(fields), "{\"peer\":%u,\"kind\":\"socket\",\"uid\":7}", number);
	assert_int_equal(apply(model, EVENT_PEER, fields), 0);
}

static void a_peer_of_the_socket_is_known_until_it_leaves(void **state)
{
	struct model model;

	(void)state;
	model_init(&model);
	assert_int_equal(apply(&model, EVENT_LISTENING, "{\"path\":\"/run/x.sock\"}"), 0);
	assert_string_equal(model.listening, "/run/x.sock");
	assert_int_equal(apply(&model, EVENT_PEER, "{\"peer\":1,\"kind\":\"stdin\",\"uid\":0}"), 0);
	assert_int_equal(model.connected, 0);
	assert_int_equal(apply(&model, EVENT_PEER,
				 "{\"peer\":3,\"kind\":\"socket\",\"uid\":7,\"pid\":8,\"start\":9,"
				 "\"program\":\"agent\",\"own_uid\":true,\"sender\":2}"),
		0);
	const struct peer *peer = model_peer(&model, 3);

	assert_non_null(peer);
	assert_int_equal(model.connected, 1);
	assert_int_equal(peer->kind, PEER_SOCKET);
	assert_int_equal(peer->uid, 7);
	assert_int_equal(peer->pid, 8);
	assert_int_equal(peer->start, 9);
	assert_int_equal(peer->sender, 2);
	assert_true(peer->own_uid);
	assert_string_equal(peer->program, "agent");
	assert_int_equal(peer->left_at_ms, -1);
	assert_int_equal(apply(&model, EVENT_PEER_LEFT, "{\"peer\":3,\"why\":\"closed\"}"), 0);
	assert_int_equal(model.connected, 0);
	assert_int_equal(peer->left_at_ms, 1000);
	assert_int_equal(peer->left_wall_ms, 5000);
	assert_string_equal(peer->left_why, "closed");
	assert_int_equal(model_peer(&model, 1)->sender, 1);
	assert_null(model_peer(&model, 2));
	model_release(&model);
}

static void what_cannot_be_is_refused_and_changes_nothing(void **state)
{
	static const struct {
		enum event_type type;
		const char *fields;
	} rows[] = {
		{EVENT_PEER, "{\"kind\":\"socket\"}"},
		{EVENT_PEER, "{\"peer\":0,\"kind\":\"socket\"}"},
		{EVENT_PEER, "{\"peer\":5000000000,\"kind\":\"socket\"}"},
		{EVENT_PEER, "{\"peer\":4}"},
		{EVENT_PEER, "{\"peer\":4,\"kind\":\"pigeon\"}"},
		{EVENT_PEER, "{\"peer\":4,\"kind\":\"socket\",\"uid\":\"root\"}"},
		{EVENT_PEER, "{\"peer\":4,\"kind\":\"socket\",\"sender\":0}"},
		{EVENT_PEER_LEFT, "{\"peer\":4}"},
		{EVENT_PEER_LEFT, "{}"},
		{EVENT_LISTENING, "{}"},
	};
	struct model model;

	(void)state;
	model_init(&model);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(apply(&model, rows[i].type, rows[i].fields), -1);
	assert_int_equal(model.peer_count, 0);
	assert_null(model.listening);
	join(&model, 4);
	assert_int_equal(apply(&model, EVENT_PEER_LEFT, "{\"peer\":4}"), 0);
	assert_int_equal(apply(&model, EVENT_PEER_LEFT, "{\"peer\":4}"), -1);
	assert_int_equal(model.connected, 0);
	model_release(&model);
}

static void a_peer_that_is_said_again_is_the_same_one(void **state)
{
	struct model model;

	(void)state;
	model_init(&model);
	join(&model, 4);
	join(&model, 4);
	assert_int_equal(model.peer_count, 1);
	assert_int_equal(model.connected, 1);
	model_release(&model);
}

static void only_peers_that_left_are_forgotten(void **state)
{
	struct model model;

	(void)state;
	model_init(&model);
	join(&model, 1);
	join(&model, 2);
	assert_int_equal(apply(&model, EVENT_PEER_LEFT, "{\"peer\":2}"), 0);
	for (unsigned i = 3; i <= MODEL_PEERS_MAX + 1; i++)
		join(&model, i);
	assert_int_equal(model.peer_count, MODEL_PEERS_MAX);
	assert_non_null(model_peer(&model, 1));
	assert_null(model_peer(&model, 2));
	assert_non_null(model_peer(&model, MODEL_PEERS_MAX + 1));
	assert_int_equal(model.connected, MODEL_PEERS_MAX);
	model_release(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peer_of_the_socket_is_known_until_it_leaves),
		cmocka_unit_test(what_cannot_be_is_refused_and_changes_nothing),
		cmocka_unit_test(a_peer_that_is_said_again_is_the_same_one),
		cmocka_unit_test(only_peers_that_left_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
