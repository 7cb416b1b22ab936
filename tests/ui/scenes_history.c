#include "config.h"

#include <string.h>

#include "base/mem.h"
#include "core/result.h"
#include "scenes_calls.h"
#include "scenes_set.h"

/* Twelve calls that are over, as the history of the design draws them, and after them those of the queue. */
struct past {
	const char *agent, *command, *says;
	int64_t over_ms, waited_ms, ran_ms;
	enum decider by;
	enum reason reason;
	int exit_code;
};

#define EXIT_0 REASON_NONE, 0

static const struct past pasts[] = {
	{"pipeline", "git log --oneline -5", "see what is new", AT(14, 3, 5), 9000, 200,
		DECIDER_OPERATOR, EXIT_0},
	{"docs-bot", "ls docs", NULL, AT(14, 4, 2), 5000, 100, DECIDER_OPERATOR, EXIT_0},
	{"build-bot", "make -n test", NULL, AT(14, 5, 12), 0, 1100, DECIDER_POLICY, EXIT_0},
	{"pipeline", "docker ps", NULL, AT(14, 6, 3), 0, 0, DECIDER_POLICY, REASON_DENIED_BY_POLICY,
		-1},
	{"build-bot", "sleep 600", NULL, AT(14, 8, 50), 9000, 31000, DECIDER_OPERATOR,
		REASON_KILLED_BY_OPERATOR, -1},
	{"pipeline", "git log --oneline -5", NULL, AT(14, 11, 8), 0, 200, DECIDER_GRANT, EXIT_0},
	{"docs-bot", "npm outdated", "is anything old?", AT(14, 12, 44), 300000, 0,
		DECIDER_DEADLINE, REASON_APPROVAL_TIMEOUT, -1},
	{"build-bot", "ls -la src tests", NULL, AT(14, 19, 1), 3000, 100, DECIDER_OPERATOR, EXIT_0},
	{"build-bot", "grep -rn TODO src", NULL, AT(14, 21, 30), 3000, 300, DECIDER_OPERATOR,
		REASON_EXIT_STATUS, 2},
	{"build-bot", "npm test -- --watch", "watch the tests", AT(14, 25, 40), 6000, 62000,
		DECIDER_OPERATOR, REASON_TIMEOUT, -1},
	{"pipeline", "curl -sO https://example.org/jq", "need jq for the report", AT(14, 27, 9),
		22000, 0, DECIDER_OPERATOR, REASON_REJECTED, -1},
	{"docs-bot", "sed -n 1,40p README.md", NULL, AT(14, 31, 20), 4000, 100, DECIDER_OPERATOR,
		EXIT_0},
};

static void receive(struct fixture *f, uint64_t seq, const struct past *past, int64_t at_ms)
{
	struct call_spec spec = {.seq = seq,
		.agent = past->agent,
		.command = past->command,
		.reason = past->says,
		.at_ms = at_ms};

	fixture_call(f, &spec);
}

static void look(struct fixture *f, uint64_t seq, int64_t at_ms)
{
	struct json *seen = json_new_object();

	fixture_event(f, EVENT_VIEW, 0, at_ms, json_new_object());
	json_set_int(seen, "total", 600);
	json_set_int(seen, "lines", 13);
	json_set_int(seen, "lines_seen", 13);
	fixture_event(f, EVENT_SEEN, seq, at_ms, seen);
}

static void decide(struct fixture *f, uint64_t seq, const struct past *past, int64_t at_ms)
{
	bool no = past->reason == REASON_REJECTED;
	bool policy = past->by == DECIDER_POLICY;
	struct json *fields = fields_str("decision", no       ? "rejected"
						     : policy ? "allowed"
							      : "approved");

	json_set_str(fields, "by", decider_name(past->by));
	if (no)
		json_set_str(fields, "text", "jq is already there: use /usr/bin/jq");
	if (past->by == DECIDER_GRANT) {
		json_set_int(fields, "grant", 1);
		json_set_int(fields, "use", 1);
	}
	fixture_event(f, EVENT_DECIDED, seq, at_ms, fields);
}

static void answer(struct fixture *f, uint64_t seq, int64_t at_ms)
{
	struct json *answered = json_new_object();

	json_set_bool(answered, "delivered", true);
	fixture_event(f, EVENT_ANSWERED, seq, at_ms, answered);
}

static void run(struct fixture *f, uint64_t seq, const struct past *past, int64_t at_ms)
{
	fixture_event(f, EVENT_LAUNCHING, seq, at_ms, fields_str("backend", "landlock"));
	fixture_event(f, EVENT_STARTED, seq, at_ms, json_new_object());
	fixture_output(f, seq, at_ms, "one line of it\n", 15);
	fixture_end(f, seq, past->over_ms, past->reason, past->exit_code, past->ran_ms, NULL);
}

static void refuse(struct fixture *f, uint64_t seq, const struct past *past)
{
	struct json *received = fields_str("agent", past->agent);
	struct json *refused = fields_str("reason", reason_name(past->reason));

	json_set_str(received, "command", past->command);
	json_set_str(refused, "sentence", "tool_policy.tools says deny for shell");
	fixture_event(f, EVENT_RECEIVED, seq, past->over_ms, received);
	fixture_event(f, EVENT_REFUSED, seq, past->over_ms, refused);
	answer(f, seq, past->over_ms);
}

static void add_past(struct fixture *f, uint64_t seq, const struct past *past)
{
	int64_t decided_ms = past->over_ms - past->ran_ms;

	if (past->reason == REASON_DENIED_BY_POLICY) {
		refuse(f, seq, past);
		return;
	}
	receive(f, seq, past, decided_ms - past->waited_ms);
	if (seq == 1)
		fixture_grant(f, seq, 1, decided_ms, 10, 5);
	if (past->by == DECIDER_DEADLINE) {
		fixture_event(f, EVENT_EXPIRED, seq, past->over_ms, json_new_object());
		answer(f, seq, past->over_ms);
		return;
	}
	if (past->by == DECIDER_OPERATOR)
		look(f, seq, decided_ms);
	decide(f, seq, past, decided_ms);
	if (past->ran_ms > 0)
		run(f, seq, past, decided_ms);
	else
		answer(f, seq, decided_ms);
}

void set_history(struct fixture *f)
{
	for (size_t i = 0; i < ARRAY_LEN(pasts); i++) {
		if (i == 10)
			f->number = 60;
		add_past(f, i + 1, &pasts[i]);
	}
	set_day_open(f);
	fixture_press(f, "4j");
}

void open_history(struct fixture *f)
{
	fixture_open(f, 80, 24);
	set_history(f);
}

void set_history_expired(struct fixture *f)
{
	set_history(f);
	fixture_press(f, "jjjj");
}

void set_history_end(struct fixture *f)
{
	set_history(f);
	fixture_press(f, "G");
}

void set_history_empty(struct fixture *f)
{
	fixture_call(f, &call_diff);
	f->now_ms = call_diff.at_ms + 9000;
	f->ui.selected = 16;
	fixture_press(f, "4");
}

void set_history_prompt(struct fixture *f)
{
	set_history(f);
	fixture_press(f, "/build-bot exit");
}

void set_history_filter(struct fixture *f)
{
	set_history_prompt(f);
	fixture_press(f, "<Enter>n");
}

void set_history_no_match(struct fixture *f)
{
	set_history(f);
	fixture_press(f, "/agent:nobody<Enter>");
}

void set_history_bad_filter(struct fixture *f)
{
	struct key enter = {.code = KEY_CODE_ENTER};
	struct intent intent = {0};

	set_history(f);
	fixture_press(f, "/since:noon");
	ui_key(&f->ui, &f->model, &enter, f->now_ms, &intent);
}
