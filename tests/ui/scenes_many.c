#include "config.h"

#include <stdio.h>

#include "base/mem.h"
#include "scenes_calls.h"
#include "scenes_set.h"

/* Several agents, one of which floods. */

#define FLOODED 4712
#define SHARE 100
#define NOW AT(14, 33, 20)

static void joined(struct fixture *f, unsigned number, int64_t uid, int64_t pid,
	const char *program, int64_t at_ms)
{
	struct json *fields = fields_str("kind", "socket");

	json_set_int(fields, "peer", number);
	json_set_int(fields, "uid", uid);
	json_set_int(fields, "pid", pid);
	json_set_int(fields, "start", 1000 + number);
	json_set_str(fields, "program", program);
	json_set_bool(fields, "own_uid", uid == 1002);
	json_set_int(fields, "most", SHARE);
	fixture_event(f, EVENT_PEER, 0, at_ms, fields);
}

static void page(char text[64], unsigned number)
{
	snprintf(text, 64, "python3 fetch.py --page %u", number);
}

static void scraper_waits(struct fixture *f, unsigned from, unsigned count)
{
	char command[64];

	for (unsigned i = 0; i < count; i++) {
		struct call_spec spec = {.seq = from + i,
			.agent = "scraper",
			.command = command,
			.peer = 5,
			.at_ms = NOW - (i < 2 ? 29000 : 28000)};

		page(command, i + 1);
		fixture_call(f, &spec);
	}
}

static void refused(struct fixture *f, const struct call_spec *spec)
{
	struct json *fields = fields_str("reason", "queue_full");

	fixture_receive(f, spec);
	json_set_str(fields, "sentence",
		"100 calls of this sender wait already; ask again when some are decided");
	fixture_event(f, EVENT_REFUSED, spec->seq, spec->at_ms, fields);
	fixture_event(f, EVENT_ANSWERED, spec->seq, spec->at_ms, json_new_object());
}

static void scraper_is_refused(struct fixture *f, unsigned from, unsigned count)
{
	char command[64];

	for (unsigned i = 0; i < count; i++) {
		struct call_spec spec = {.seq = from + i,
			.agent = "scraper",
			.command = command,
			.peer = 5,
			.at_ms = i + 1 < count ? NOW - 10000 : NOW};

		page(command, SHARE + 1 + i);
		refused(f, &spec);
	}
}

static void three_agents(struct fixture *f)
{
	joined(f, 3, 1000, 4100, "docs-agent", AT(14, 20, 0));
	joined(f, 4, 1000, 4200, "node", AT(14, 21, 30));
	joined(f, 5, 1002, 5120, "python3", NOW - 50000);
}

static void is_over(
	struct fixture *f, uint64_t seq, const char *agent, const char *command, int64_t at_ms)
{
	struct call_spec spec = {.seq = seq, .agent = agent, .command = command, .at_ms = at_ms};

	fixture_call(f, &spec);
	fixture_start(f, seq, at_ms, at_ms);
	fixture_end(f, seq, at_ms + 100, REASON_NONE, 0, 100, NULL);
}

static void is_rejected(
	struct fixture *f, uint64_t seq, const char *agent, const char *command, int64_t at_ms)
{
	struct call_spec spec = {.seq = seq, .agent = agent, .command = command, .at_ms = at_ms};
	struct json *fields = fields_str("decision", "rejected");

	json_set_str(fields, "by", "operator");
	fixture_call(f, &spec);
	fixture_event(f, EVENT_DECIDED, seq, at_ms, fields);
}

/* Twelve calls; of the first eight one stands for all. */
static void before(struct fixture *f)
{
	struct json *fields = fields_str("kind", "stdin");

	json_set_int(fields, "peer", 1);
	fixture_event(f, EVENT_PEER, 0, AT(14, 2, 0), fields);
	for (uint64_t seq = 1; seq <= 8; seq++) {
		struct call_spec spec = {.seq = seq,
			.agent = "pipeline",
			.command = "npm ls",
			.at_ms = AT(14, 19, 0)};

		refused(f, &spec);
	}
	is_over(f, 9, "build-bot", "grep -rn TODO src", AT(14, 21, 0));
	is_over(f, 10, "build-bot", "npm test", AT(14, 25, 0));
	is_rejected(f, 11, "pipeline", "curl -sO https://example.org/jq", AT(14, 27, 0));
	is_over(f, 12, "docs-bot", "sed -n 1,40p README.md", AT(14, 31, 0));
}

void set_flood(struct fixture *f)
{
	struct call_spec tests = call_tests, flow = call_workflow, npm = call_npm, diff = call_diff;

	npm.peer = 3;
	npm.at_ms = NOW - 31000;
	diff.peer = 4;
	diff.at_ms = NOW - 4000;
	before(f);
	three_agents(f);
	fixture_call(f, &tests);
	fixture_start(f, 13, NOW - 19000, NOW - 18000);
	fixture_call(f, &flow);
	fixture_start(f, 14, AT(14, 32, 50), AT(14, 33, 0));
	fixture_end(f, 14, AT(14, 33, 1), REASON_NONE, 0, 1000, NULL);
	fixture_call(f, &npm);
	fixture_receive(f, &diff);
	scraper_waits(f, 19, SHARE);
	/* Its card was made last: so its sender's turn comes behind the others'. */
	fixture_made(f, &diff);
	scraper_is_refused(f, 19 + SHARE, FLOODED);
	f->now_ms = NOW;
	f->ui.view = VIEW_QUEUE;
	f->ui.selected = 21;
}

void set_flood_reject(struct fixture *f)
{
	set_flood(f);
	fixture_press(f, "r");
	prompt_set(&f->ui.prompt, "One page at a time, please.");
}

void set_agents(struct fixture *f)
{
	struct json *left = fields_str("why", "closed");

	set_flood(f);
	joined(f, 6, 1000, 5200, "exequatur", AT(14, 33, 5));
	json_set_int(left, "peer", 6);
	fixture_event(f, EVENT_PEER_LEFT, 0, AT(14, 33, 10), left);
	fixture_press(f, "6jjj");
}

static void refuse_new(struct fixture *f)
{
	struct json *fields = json_new_object();

	json_set_int(fields, "sender", 5);
	json_set_bool(fields, "refuse", true);
	fixture_event(f, EVENT_SENDER, 0, f->now_ms, fields);
}

void set_agents_refused(struct fixture *f)
{
	set_agents(f);
	refuse_new(f);
}

void set_agents_none(struct fixture *f)
{
	f->now_ms = AT(14, 3, 0);
	fixture_press(f, "6");
}
