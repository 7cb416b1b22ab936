#include "config.h"

#include "tests/unit/broker_desk.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/broker_fields.h"
#include "base/mem.h"
#include "tests/unit/test_card_fixture.h"

static void ask_of(struct desk *d, unsigned peer, const char *const *words, size_t count)
{
	struct card_fixture f;
	struct card card;

	d->call = broker_add_call(&d->broker, peer, 0);
	fixture_init(&f);
	f.in.seq = d->call->seq;
	request_copy(&d->call->request, &f.request);
	card_init(&card);
	card_build(&f.in, &card);
	for (size_t i = 0; i < count; i++) {
		struct unusual_list *list = &card.unusual;

		mem_grow(&list->items, &list->cap, list->count, sizeof(*list->items));
		list->items[list->count++] = (struct unusual){.severity = SEVERITY_DANGER,
			.line = 1,
			.what = mem_strdup("hides characters"),
			.summary = mem_strdup("hides characters"),
			.word = words[i]};
	}
	broker_emit(&d->broker, EVENT_RECEIVED, d->call->seq, fields_received(d->call));
	broker_emit(
		&d->broker, EVENT_CARD, d->call->seq, fields_card(&d->broker.model, &card, NULL));
	d->call->digest = card.digest;
	d->call->deadline_ms = INT64_MAX / 2;
	card_release(&card);
	fixture_release(&f);
}

void ask(struct desk *d, const char *const *words, size_t count)
{
	ask_of(d, BROKER_PEER_STDIN, words, count);
}

void ask_as(struct desk *d, unsigned peer)
{
	ask_of(d, peer, NULL, 0);
}

void desk_open(struct desk *d, void **state)
{
	static const struct broker_hooks hooks = {0};
	struct err err = ERR_INIT;

	*d = (struct desk){.record = *state};
	config_init(&d->session.config);
	d->session.config.max_running = 0;
	d->session.record_dir = d->record->dir;
	assert_int_equal(uv_loop_init(&d->loop), 0);
	broker_begin(&d->broker, &d->loop, &d->session, &hooks, true);
	if (broker_open(&d->broker, "stdin", &err) != 0)
		fail_msg("%s", err.text);
}

void desk_close(struct desk *d)
{
	while (d->broker.call_count > 0)
		broker_remove_call(d->broker.calls[0]);
	broker_close(&d->broker, "quit", NULL);
	assert_int_equal(uv_run(&d->loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&d->loop), 0);
	config_release(&d->session.config);
}

unsigned recorded(const struct desk *d, const char *text)
{
	STR_AUTO struct str bytes = STR_INIT;
	MEM_AUTO char *name = mem_printf("%s.jsonl", audit_session(d->broker.audit));
	unsigned times = 0;

	record_read(d->record, name, &bytes);
	for (const char *at = str_c(&bytes); (at = strstr(at, text)) != NULL; at++)
		times++;
	return times;
}

void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

void assert_undecided(struct desk *d, const struct intent *intent, const char *why)
{
	MEM_AUTO char *said = NULL;
	int64_t decided_ms = d->call->decided_ms;
	unsigned before = recorded(d, "\"type\":\"decided\"");

	assert_false(broker_intent(&d->broker, intent, NULL, &said));
	assert_string_equal(said, why);
	assert_true(d->call->decided_ms == decided_ms);
	assert_int_equal(recorded(d, "\"type\":\"decided\""), before);
}

void assert_decided(struct desk *d, const struct intent *intent)
{
	MEM_AUTO char *said = NULL;

	assert_true(broker_intent(&d->broker, intent, NULL, &said));
	assert_null(said);
	assert_true(d->call->decided_ms >= 0);
	assert_int_equal(recorded(d, "\"decision\":\"approved\""), 1);
}

struct intent yes(const struct desk *d, const char *typed)
{
	return (struct intent){.kind = INTENT_APPROVE,
		.seq = d->call->seq,
		.digest = d->call->digest,
		.text = (char *)typed};
}
