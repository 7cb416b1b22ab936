#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fixture.h"

static struct line *add(struct card *card, const char *label)
{
	return fact_line(facts_add(&card->facts, label));
}

static void add_note_line(struct fact *fact, const struct note_spec *note, size_t widest)
{
	bool danger = note->severity == SEVERITY_DANGER;
	struct line *line = fact_line(fact);
	char place[32];

	snprintf(place, sizeof(place), "line %u", note->line);
	line_add(line, danger ? SPAN_DANGER : SPAN_RISK, "%s", danger ? "!!" : "!");
	line_add(
		line, SPAN_OURS, "%s%-*s  %s", danger ? " " : "  ", (int)widest, place, note->what);
	if (note->words == NULL)
		return;
	line_add(line, SPAN_OURS, ": ");
	line_add(line, SPAN_FOREIGN, "%s", note->words);
}

static void add_note(struct card *card, const struct note_spec *spec)
{
	struct unusual_list *list = &card->unusual;
	const char *at = spec->marks != NULL ? strstr(card->command, spec->marks) : NULL;

	mem_grow(&list->items, &list->cap, list->count, sizeof(*list->items));
	list->items[list->count++] = (struct unusual){
		.severity = spec->severity,
		.line = spec->line,
		.start = at != NULL ? (size_t)(at - card->command) : 0,
		.len = at != NULL ? strlen(spec->marks) : 0,
		.what = mem_strdup(spec->what),
		.words = mem_strdup(spec->words),
		.summary = mem_strdup(spec->summary),
		.word = spec->word,
	};
}

static void add_notes(struct card *card, const struct call_spec *spec)
{
	struct fact *fact;
	size_t widest = 0;

	if (spec->note_count == 0)
		return;
	fact = facts_add(&card->facts, "unusual");
	for (size_t i = 0; i < spec->note_count; i++) {
		size_t len = spec->notes[i].line > 9 ? 7 : 6;

		widest = len > widest ? len : widest;
		add_note(card, &spec->notes[i]);
	}
	for (size_t i = 0; i < spec->note_count; i++)
		add_note_line(fact, &spec->notes[i], widest);
}

static void add_network(struct card *card, enum card_network network)
{
	struct line *line = add(card, "network");

	card->network = network;
	if (network == CARD_NETWORK_ON) {
		line_add(line, SPAN_RISK, "!ON");
		line_add(
			line, SPAN_OURS, ", not to this machine: it can send out what it can read");
	} else {
		line_add(line, SPAN_OURS, "off: own empty network, socket filter on top");
	}
}

static void add_places(struct card *card)
{
	struct line *line;

	line_add(add(card, "directory"), SPAN_FOREIGN, "/srv/shop");
	line = add(card, "may write");
	line_add(line, SPAN_FOREIGN, "/srv/shop");
	fixture_add_spans(line, ", any size|; read-only inside: ");
	line_add(line, SPAN_FOREIGN, ".git/hooks");
	line_add(line, SPAN_OURS, " ");
	line_add(line, SPAN_FOREIGN, ".git/config");
}

static void add_sandbox(struct card *card)
{
	struct line *line = add(card, "sandbox");

	fixture_add_spans(
		line, "landlock|, first in the list|, proved at 14:02 and again at start");
	line = fact_line(&card->facts.items[card->facts.count - 1]);
	fixture_add_spans(line, "files closed|, ");
	if (card->network == CARD_NETWORK_ON)
		line_add(line, SPAN_RISK, "!NETWORK ON");
	else
		line_add(line, SPAN_OURS, "network cut twice");
	fixture_add_spans(line, "|, |processes hidden|, |memory apart");
}

static void add_limits(struct card *card, bool not_held)
{
	struct line *line = add(card, "limits");

	if (!not_held) {
		fixture_add_spans(line,
			"time 60 s supervisor|    |memory 512 MB cgroup|  |output 1 MiB console");
		line = fact_line(&card->facts.items[card->facts.count - 1]);
		fixture_add_spans(
			line, "processes 10 supervisor| |CPU 80 % cgroup|       |files 256 rlimit");
		return;
	}
	fixture_add_spans(line, "time 60 s supervisor|    ");
	line_add(line, SPAN_RISK, "!memory not held");
	fixture_add_spans(line, "      |output 1 MiB console");
	line = fact_line(&card->facts.items[card->facts.count - 1]);
	line_add(line, SPAN_RISK, "!processes not held");
	line_add(line, SPAN_OURS, "     ");
	line_add(line, SPAN_RISK, "!CPU not held");
	fixture_add_spans(line, "         |files 256 rlimit");
}

static void add_origin(struct card *card, const struct call_spec *spec)
{
	struct line *line;

	if (spec->reason != NULL) {
		line = add(card, "agent says");
		line_add(line, SPAN_OURS, "\"");
		line_add(line, SPAN_AGENT, "%s", spec->reason);
		line_add(
			line, SPAN_OURS, spec->asked != NULL ? "\" (said before your edit)" : "\"");
	}
	line = add(card, "came from");
	line_add(line, SPAN_FOREIGN, "stdin, line %u, id %u", (unsigned)spec->seq,
		(unsigned)spec->seq);
	if (spec->ignored != NULL) {
		line_add(line, SPAN_OURS, "; ignored: ");
		line_add(line, SPAN_FOREIGN, "%s", spec->ignored);
		line_add(line, SPAN_OURS, " (has no effect)");
	}
	if (spec->asked != NULL)
		line_add(line, SPAN_OURS, "; edited by you at %s", spec->edit_at);
}

static void add_digest(struct card *card, const char *short_hex)
{
	char hex[DIGEST_HEX_BYTES], words[12];

	memset(hex, '0', sizeof(hex) - 1);
	hex[sizeof(hex) - 1] = '\0';
	memcpy(hex, short_hex, strlen(short_hex));
	assert_int_equal(0, digest_from_hex(hex, &card->digest));
	card_short_digest(card, words);
	line_add(add(card, "card"), SPAN_OURS,
		"%s   your yes holds for exactly this; v shows the details", words);
}

static void add_details(struct card *card)
{
	struct line *line = fact_line(facts_add(&card->details, "values"));

	line_add(line, SPAN_FOREIGN, "PATH=/usr/local/bin:/usr/bin:/bin");
	line_add(fact_line(&card->details.items[0]), SPAN_FOREIGN, "LANG=C.UTF-8");
	line_add(fact_line(facts_add(&card->details, "more limits")), SPAN_OURS,
		"CPU time 120 s a process rlimit");
}

static struct json *card_fields(const struct call_spec *spec)
{
	struct json *fields = json_new_object();
	char hex[DIGEST_HEX_BYTES];
	struct card card;

	card_init(&card);
	card.seq = spec->seq;
	card.command = mem_strdup(spec->command);
	card.asked = mem_strdup(spec->asked);
	card.editor = mem_strdup(spec->editor);
	card.agent = mem_strdup(spec->agent);
	card.backend = BACKEND_LANDLOCK;
	card.writes = 1;
	card.sandbox = HOLD_FULL;
	card.time_s = 60;
	card.grace_s = 2;
	card.env_kept = 7;
	card.env_cut = 31;
	add_notes(&card, spec);
	add_network(&card, spec->network);
	add_places(&card);
	add_sandbox(&card);
	add_limits(&card, spec->not_held);
	fixture_add_spans(add(&card, "env"),
		"7 kept; |31 cut: |4 keys and tokens|, 1 linker|, 2 hooks|, 24 other");
	add_origin(&card, spec);
	add_digest(&card, spec->digest != NULL ? spec->digest : "0d1e2f30");
	add_details(&card);
	json_set(fields, "card", card_to_json(&card));
	digest_hex(&card.digest, hex);
	json_set_str(fields, "digest", hex);
	card_release(&card);
	return fields;
}

void fixture_receive(struct fixture *f, const struct call_spec *spec)
{
	struct json *received = json_new_object();

	json_set_int(received, "peer", spec->peer != 0 ? spec->peer : 1);
	json_set_int(received, "line", (int64_t)spec->seq);
	json_set_int(received, "id", (int64_t)spec->seq);
	json_set_str(received, "agent", spec->agent);
	json_set_str(received, "command", spec->command);
	if (spec->reason != NULL)
		json_set_str(received, "agent_reason", spec->reason);
	fixture_event(f, EVENT_RECEIVED, spec->seq, spec->at_ms, received);
}

void fixture_call(struct fixture *f, const struct call_spec *spec)
{
	fixture_receive(f, spec);
	fixture_made(f, spec);
}

void fixture_made(struct fixture *f, const struct call_spec *spec)
{
	fixture_event(f, EVENT_CARD, spec->seq, spec->at_ms, card_fields(spec));
}

void fixture_change(struct fixture *f, const struct call_spec *spec)
{
	struct json *fields = card_fields(spec);
	char hex[DIGEST_HEX_BYTES];

	digest_hex(&model_job(&f->model, spec->seq)->card->digest, hex);
	json_set_str(fields, "old", hex);
	fixture_event(f, EVENT_CARD, spec->seq, f->now_ms, fields);
}

void fixture_edit(struct fixture *f, const struct call_spec *spec)
{
	struct json *fields = fields_str("how", spec->editor != NULL ? spec->editor : "inline");
	char hex[DIGEST_HEX_BYTES];

	digest_hex(&model_job(&f->model, spec->seq)->card->digest, hex);
	json_set_str(fields, "by", "operator");
	json_set_str(fields, "command", spec->command);
	json_set_str(fields, "old", hex);
	fixture_event(f, EVENT_EDITED, spec->seq, f->now_ms, fields);
	fixture_change(f, spec);
}

static struct json *decided_fields(const char *decision, const char *text)
{
	struct json *fields = fields_str("decision", decision);

	json_set_str(fields, "by", "operator");
	if (text != NULL)
		json_set_str(fields, "text", text);
	return fields;
}

void fixture_start(struct fixture *f, uint64_t seq, int64_t decided_ms, int64_t started_ms)
{
	fixture_event(f, EVENT_DECIDED, seq, decided_ms, decided_fields("approved", NULL));
	fixture_event(f, EVENT_LAUNCHING, seq, started_ms, fields_str("backend", "landlock"));
	struct json *started = json_new_object();

	json_set_int(started, "memory_limit", 512 << 20);
	json_set_int(started, "processes_limit", 10);
	fixture_event(f, EVENT_STARTED, seq, started_ms, started);
}

void fixture_usage(struct fixture *f, uint64_t seq, int64_t at_ms, const struct job_usage *used)
{
	struct json *fields = json_new_object();

	json_set_int(fields, "cpu_ms", used->cpu_ms);
	json_set_int(fields, "cpu_percent", used->cpu_percent);
	json_set_int(fields, "memory", used->memory);
	json_set_int(fields, "memory_peak", used->memory_peak);
	json_set_int(fields, "processes", used->processes);
	json_set_int(fields, "processes_peak", used->processes_peak);
	fixture_event(f, EVENT_USAGE, seq, at_ms, fields);
}

void fixture_output(struct fixture *f, uint64_t seq, int64_t at_ms, const char *bytes, size_t len)
{
	fixture_event(f, EVENT_OUTPUT, seq, at_ms, event_output_fields(bytes, len));
}

static void answer(struct fixture *f, uint64_t seq, int64_t at_ms)
{
	struct json *answered = json_new_object();

	json_set_bool(answered, "delivered", true);
	fixture_event(f, EVENT_ANSWERED, seq, at_ms, answered);
}

void fixture_end(struct fixture *f, uint64_t seq, int64_t at_ms, enum reason reason, int exit_code,
	int64_t duration_ms, const char *sentence)
{
	struct json *fields =
		fields_str("reason", reason == REASON_NONE ? NULL : reason_name(reason));

	if (exit_code >= 0)
		json_set_int(fields, "exit_code", exit_code);
	else
		json_set_int(fields, "signal", 9);
	json_set_int(fields, "duration_ms", duration_ms);
	if (sentence != NULL)
		json_set_str(fields, "sentence", sentence);
	fixture_event(f, EVENT_ENDED, seq, at_ms, fields);
	answer(f, seq, at_ms);
}

static void refuse(struct fixture *f, const struct call_spec *spec, enum reason reason)
{
	struct json *received = fields_str("agent", spec->agent);
	struct json *refused = fields_str("reason", reason_name(reason));

	json_set_str(received, "command", spec->command);
	json_set_str(refused, "sentence", "tool_policy.tools says deny for shell");
	fixture_event(f, EVENT_RECEIVED, spec->seq, spec->at_ms, received);
	fixture_event(f, EVENT_REFUSED, spec->seq, spec->at_ms, refused);
}

static void over(struct fixture *f, const struct call_spec *spec, enum reason reason, int exit_code)
{
	int64_t at_ms = spec->at_ms;

	if (reason == REASON_DENIED_BY_POLICY) {
		refuse(f, spec, reason);
		return;
	}
	struct call_spec waited = *spec;

	waited.at_ms -= 22000;
	fixture_call(f, &waited);
	if (reason == REASON_APPROVAL_TIMEOUT) {
		fixture_event(f, EVENT_EXPIRED, spec->seq, at_ms, json_new_object());
	} else if (reason == REASON_REJECTED) {
		fixture_event(f, EVENT_DECIDED, spec->seq, at_ms,
			decided_fields("rejected", "jq is already there: use /usr/bin/jq"));
		answer(f, spec->seq, at_ms);
	} else {
		fixture_start(f, spec->seq, at_ms, at_ms);
		fixture_end(f, spec->seq, at_ms, reason, exit_code, 100, NULL);
	}
}

void fixture_history(struct fixture *f, unsigned count)
{
	static const struct {
		const char *agent, *command;
		int64_t at_ms;
		enum reason reason;
		int exit_code;
	} calls[] = {
		{"build-bot", "git status --short", AT(14, 3, 0), REASON_NONE, 0},
		{"docs-bot", "ls docs", AT(14, 4, 0), REASON_NONE, 0},
		{"build-bot", "make -n test", AT(14, 5, 0), REASON_NONE, 0},
		{"pipeline", "docker ps", AT(14, 6, 0), REASON_DENIED_BY_POLICY, 0},
		{"build-bot", "sleep 600", AT(14, 8, 0), REASON_KILLED_BY_OPERATOR, -1},
		{"pipeline", "git log --oneline -5", AT(14, 11, 0), REASON_NONE, 0},
		{"docs-bot", "npm outdated", AT(14, 12, 0), REASON_APPROVAL_TIMEOUT, 0},
		{"build-bot", "ls -la src tests", AT(14, 19, 0), REASON_NONE, 0},
		{"build-bot", "grep -rn TODO src", AT(14, 21, 0), REASON_EXIT_STATUS, 2},
		{"build-bot", "npm test -- --watch", AT(14, 25, 0), REASON_TIMEOUT, -1},
		{"pipeline", "curl -sO https://example.org/jq", AT(14, 27, 0), REASON_REJECTED, 0},
		{"docs-bot", "sed -n 1,40p README.md", AT(14, 31, 0), REASON_NONE, 0},
	};

	for (unsigned i = 0; i < count; i++) {
		unsigned n = i < ARRAY_LEN(calls) ? i : 0;
		struct call_spec spec = {.seq = i + 1,
			.agent = calls[n].agent,
			.command = calls[n].command,
			.at_ms = i < ARRAY_LEN(calls) ? calls[n].at_ms : AT(14, 32, 0)};

		over(f, &spec, calls[n].reason, calls[n].exit_code);
	}
}
