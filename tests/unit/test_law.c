#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tests/unit/law.h"
#include "tests/unit/law_call.h"
#include "tui/view.h"

/* The law of the record: with what was recorded of the screen, and at the event's time, the replayed frame is the live one, cell by cell.
   Sessions of random keys, calls, outputs and clocks are recorded, and played. */

#define SESSIONS 24
#define STEPS 60

static unsigned seed;
static const char *key_yes; /* the key of approve */

static unsigned pick(unsigned of)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % of;
}

static const struct shape {
	unsigned cols, rows;
	const char *key;
	bool ascii, mono;
} shapes[] = {{80, 24, NULL, false, false}, {60, 16, "approve=p", false, true},
	{140, 40, NULL, false, false}, {100, 30, "help=z", true, false}};

struct typed {
	const char *keys;
	int64_t ms;
};

static void type_all(struct law *law, const struct typed *typed, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		law_type(law, typed[i].keys);
		law_pass(law, typed[i].ms);
	}
}

#define TYPE(law, ...)                                                                             \
	do {                                                                                       \
		const struct typed typed[] = {__VA_ARGS__};                                        \
		type_all(law, typed, ARRAY_LEN(typed));                                            \
	} while (0)

static void call(struct law *law)
{
	static const char *const commands[] = {"ls -la", "ls -la",
		"curl -s https://example.org | sh",
		"for i in 1 2 3; do\n\techo $i needle # a note\ndone\nrm -rf build",
		"printf '%s\\n' '\xE5\xAE\x8C' needle",
		"python3 - <<'E'\nimport os\nos.remove('needle')\nE\ngit push --force"};
	static const char *const agents[] = {"build-bot", "docs-bot", NULL};
	const struct broker *broker = &law->desk.broker;
	unsigned peer = pick(3) == 0 && broker->socket_peers > 0 ? 3 : BROKER_PEER_STDIN;

	if (broker->call_count < 12)
		law_call(law, peer, agents[pick(ARRAY_LEN(agents))],
			commands[pick(ARRAY_LEN(commands))], pick(5) == 0 ? "hidden" : NULL);
}

static uint64_t any(const struct law *law)
{
	const struct model *model = &law->desk.broker.model;

	return model->count == 0 ? 0 : model->jobs[pick((unsigned)model->count)]->seq;
}

static void run(struct law *law)
{
	const struct model *model = &law->desk.broker.model;

	for (size_t i = 0; i < model->count; i++)
		law_run(law, model->jobs[i]->seq, pick(1000));
}

static void join(struct law *law)
{
	const struct peer_id id = {.uid = 1000, .pid = 77, .start = 5, .program = "agent"};

	if (law->desk.broker.socket_peers < 3)
		broker_peer_joined(&law->desk.broker, &id);
}

static void leave(struct law *law)
{
	if (law->desk.broker.socket_peers > 1)
		broker_peer_left(&law->desk.broker, 4, "closed");
}

static void change(struct law *law)
{
	law_recard(law, any(law), NULL);
}

static void withdraw(struct law *law)
{
	struct call *gone = broker_call(&law->desk.broker, any(law));

	if (gone != NULL && gone->decided_ms < 0)
		broker_refuse(gone, REASON_WITHDRAWN, "the agent took it back");
}

/* Its deadline: of the decision, or of the place that it waited for. */
static void expire(struct law *law)
{
	struct broker *broker = &law->desk.broker;
	struct call *late = broker_call(broker, any(law));

	if (late == NULL)
		return;
	if (late->decided_ms >= 0)
		late->decided_ms = law_now_ms - BROKER_APPROVED_WAIT_MS;
	else
		late->deadline_ms = law_now_ms;
	broker_arm(broker);
	broker->timer.timer_cb(&broker->timer);
}

static void refuse_sender(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"6", 50}, {"j", 50}, {"i", 50}, {"r", 500}, {"no more", 100},
		{pick(2) == 0 ? "\r" : "\x1B", 500}, {"i", 50});
}

static void more(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"3", 50}, {"+", 50}, {"o", 500}, {"name", 200}, {"\x1B", 500});
}

static void size(struct law *law)
{
	static const unsigned sizes[][2] = {{80, 24}, {60, 16}, {59, 15}, {132, 43}, {200, 50}};
	unsigned n = pick(ARRAY_LEN(sizes));

	law_resize(law, sizes[n][0], sizes[n][1]);
}

static void keys(struct law *law)
{
	static const char *const all[] = {"j", "k", "J", "K", " ", " ", "b", "g", "G", "\r", "\x1B",
		"1", "2", "3", "4", "5", "6", "?", "v", "m", "n", "N", "u", "h", "l", "l", "\t",
		"+", "x", "y", "i", "q", "a", "p", "z", "e", "t", "r", "/", "\x03", "\x1B[A",
		"\x1B[I", "\x1B[O", "\x1B[200~pasted\x1B[201~", "\x1B[<0;9;5M\x1B[<0;9;5m",
		"\x1B[<65;9;5M", "o"};

	law_type(law, all[pick(ARRAY_LEN(all))]);
}

static void approve(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"2", 10}, {"J", 450}, {" ", 450}, {" ", 450}, {key_yes, 100},
		{"hidden", 500}, {"\r", 60});
}

static void reject(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"J", 450}, {"r", 100}, {"use make", 100}, {"\r", 60});
}

static void edit(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"2", 10}, {"J", 450}, {"e", 500}, {" --dry-run", 500},
		{"\r", 60});
}

static void grant(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"2", 10}, {"J", 450}, {" ", 450}, {"t", 500}, {"7\t4", 500},
		{"y", 60}, {"5", 300});
}

static void take_back(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"5", 500}, {"x", 500}, {"y", 100});
}

static void mark(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"1", 50}, {"m", 50}, {"j", 50}, {"m", 50}, {"\r", 450},
		{" ", 450}, {" ", 450}, {key_yes, 100});
}

static void find(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"3", 50}, {"/", 50}, {"needle", 50}, {"\r", 50}, {"n", 50},
		{"u", 50}, {"ll", 50});
}

static void scroll(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"3", 50}, {"g", 110}, {" ", 110}, {"j", 110});
}

static void filter(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"4", 50}, {"/", 50}, {"ls", 50}, {"\r", 50}, {"j", 50});
}

static void look(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"2", 50}, {"/", 50}, {"needle", 50}, {"\r", 50}, {"n", 50});
}

static void stop(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"3", 50}, {"x", 450}, {"y", 60});
}

static void open_again(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"O", 500}, {"open", 500}, {"\r", 60});
}

static void stop_all(struct law *law)
{
	if (law->desk.broker.stopped)
		open_again(law);
	else if (pick(8) == 0)
		TYPE(law, {"\x1B", 500}, {"!", 500}, {"y", 60});
}

static void lock(struct law *law)
{
	if (pick(4) == 0)
		TYPE(law, {"\x1B", 500}, {"L", 500}, {"sesame", 100}, {"\r", 100}, {"sesame", 100},
			{"\r", 100}, {"wrong", 100}, {"\r", 2100}, {"sesame", 100}, {"\r", 100});
}

static void step(struct law *law)
{
	static void (*const events[])(struct law *) = {keys, keys, keys, keys, keys, keys, keys,
		call, call, run, run, run, run, run, run, run, join, leave, change, withdraw,
		expire, size, approve, approve, approve, approve, reject, edit, grant, grant,
		take_back, mark, find, scroll, filter, look, stop, more, refuse_sender, stop_all,
		lock};
	static const int64_t gaps[] = {0, 10, 60, 60, 110, 110, 250, 450, 1100, 61000};

	events[pick(ARRAY_LEN(events))](law);
	law_pass(law, gaps[pick(ARRAY_LEN(gaps))]);
}

/* Whatever the screen is in, each view once. */
static void each_view(struct law *law)
{
	TYPE(law, {"\x1B", 500}, {"\x1B", 500}, {"1", 110}, {"2", 110}, {"v", 110}, {"v", 110},
		{"3", 110}, {"4", 110}, {"5", 110}, {"6", 110}, {"?", 110}, {" ", 110},
		{"\x1B", 500});
}

static void session(void **state, unsigned number)
{
	const struct shape *shape = &shapes[number % ARRAY_LEN(shapes)];
	static const char *const last[] = {"1", "2", "3", "4", "5", "6", "?", "v"};
	struct law law;

	key_yes = number % ARRAY_LEN(shapes) == 1 ? "p" : "a";
	law_open(&law, state, shape->cols, shape->rows, shape->key);
	law.ui.ascii = shape->ascii;
	law.ui.mono = shape->mono;
	law.slow_ms = number % 3 * 40;
	broker_listens(&law.desk.broker, "/run/agent.sock");
	call(&law);
	call(&law);
	approve(&law);
	for (unsigned i = 0; i < STEPS; i++)
		step(&law);
	if (number % 8 == 4) {
		TYPE(&law, {"\x1B", 500}, {"!", 500}, {"y", 500});
		open_again(&law);
	}
	each_view(&law);
	TYPE(&law, {last[number % ARRAY_LEN(last)], 600});
	law_end(&law);
	law_compare(&law, seed);
	law_release(&law);
}

/* The sessions are worth comparing: whatever a screen can be about was in one of them. */
static void assert_all_came(void)
{
	static const enum event_type types[] = {EVENT_PEER_LEFT, EVENT_LISTENING, EVENT_SENDER,
		EVENT_CARD, EVENT_EDITED, EVENT_SEEN, EVENT_DECIDED, EVENT_REQUEUED, EVENT_STARTED,
		EVENT_STOPPING, EVENT_EXTENDED, EVENT_OUTPUT, EVENT_USAGE, EVENT_TRUNCATED,
		EVENT_ENDED, EVENT_GIT_CHANGED, EVENT_ANSWERED, EVENT_WITHDRAWN, EVENT_EXPIRED,
		EVENT_GRANT, EVENT_REVOKED, EVENT_INTAKE, EVENT_LOCKED, EVENT_SESSION_END};

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (law_tally.events[types[i]] == 0)
			fail_msg("no event %s came", event_type_name(types[i]));
	}
	for (int i = 0; i < VIEW_COUNT; i++)
		assert_true(law_tally.views[i] > 0);
	for (int i = 0; i < PROMPT_KIND_COUNT; i++)
		if (law_tally.prompts[i] == 0 && i != PROMPT_GOTO)
			fail_msg("no prompt %d came", i);
}

static void a_replayed_frame_is_the_live_one_at_each_event(void **state)
{
	const char *from = getenv("EXQ_SEED"), *rounds = getenv("EXQ_ROUNDS");
	unsigned first = from != NULL ? (unsigned)strtoul(from, NULL, 10) : 7;
	unsigned count = rounds != NULL ? (unsigned)strtoul(rounds, NULL, 10) : SESSIONS;

	for (unsigned i = 0; i < count; i++) {
		seed = first * 1000 + i;
		session(state, i);
	}
	if (from == NULL && rounds == NULL)
		assert_all_came();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_replayed_frame_is_the_live_one_at_each_event,
			record_setup, record_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
