/* A session of calls for the tests of the screen: built by events alone, so that what the views show is what a record can hold. */
#ifndef TESTS_UI_FIXTURE_H
#define TESTS_UI_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "core/model.h"
#include "tui/frame.h"
#include "tui/ui.h"

/* Milliseconds of the session (it starts at 14:02:00 UTC) at a time of day. */
#define AT(hour, minute, second)                                                                   \
	((((int64_t)(hour)*60 + (minute)) * 60 + (second) - (14 * 60 + 2) * 60) * 1000)

struct fixture {
	struct model model;
	struct ui ui;
	struct frame frame;
	int64_t now_ms;
	uint64_t number; /* of the last event */
};

struct note_spec {
	enum severity severity;
	unsigned line;
	const char *what, *words, *summary, *word;
	const char *marks; /* the text of the command that it points to; NULL: nothing */
};
struct call_spec {
	uint64_t seq;
	unsigned peer;                        /* 0: 1 */
	const char *agent, *command, *reason; /* reason: the agent's words; NULL */
	int64_t at_ms;
	enum card_network network;
	const char *digest;  /* "3f9a20c4" */
	const char *ignored; /* "approved" or NULL */
	const struct note_spec *notes;
	size_t note_count;
	bool not_held;       /* the limits of a tree do not hold */
	const char *asked;   /* before a person edited it to `command`; NULL */
	const char *editor;  /* where; NULL: on the screen */
	const char *edit_at; /* "14:36:02" */
};

void fixture_open(struct fixture *f, unsigned cols, unsigned rows);
/* 80x24, and call 1, which runs and put out these bytes. */
struct job *fixture_open_output(struct fixture *f, const char *bytes, size_t len);
void fixture_close(struct fixture *f);
/* Applies one event; fails the test when the model refuses it. Owns fields. */
void fixture_event(
	struct fixture *f, enum event_type type, uint64_t seq, int64_t at_ms, struct json *fields);
struct json *fields_str(const char *key, const char *value);

/* A call with its card, waiting. */
void fixture_call(struct fixture *f, const struct call_spec *spec);
/* The same in two steps. */
void fixture_receive(struct fixture *f, const struct call_spec *spec);
void fixture_made(struct fixture *f, const struct call_spec *spec);
/* The same call gets another card. */
void fixture_change(struct fixture *f, const struct call_spec *spec);
/* A person edits its command: another card. */
void fixture_edit(struct fixture *f, const struct call_spec *spec);
/* Approved by the person and started, `limit` as the card says. */
void fixture_start(struct fixture *f, uint64_t seq, int64_t decided_ms, int64_t started_ms);
/* The person lets the command of this waiting call run again: grant `number`. */
void fixture_grant(struct fixture *f, uint64_t seq, uint64_t number, int64_t at_ms,
	unsigned minutes, unsigned times);
/* What a command uses, as told each second. */
void fixture_usage(struct fixture *f, uint64_t seq, int64_t at_ms, const struct job_usage *used);
void fixture_output(struct fixture *f, uint64_t seq, int64_t at_ms, const char *bytes, size_t len);
void fixture_end(struct fixture *f, uint64_t seq, int64_t at_ms, enum reason reason, int exit_code,
	int64_t duration_ms, const char *sentence);
/* Calls 1..count that were decided and are over, by three agents; the first twelve as the golden queue has them. */
void fixture_history(struct fixture *f, unsigned count);

/* Keys as a person presses them: one after another with rest between, each frame drawn. "Enter" and the like in <>. */
void fixture_press(struct fixture *f, const char *keys);
/* One key of them; its message stays. Fails the test when an intent comes of it. */
void fixture_key(struct fixture *f, const struct key *key);
void fixture_char(struct fixture *f, char ch);
void fixture_code(struct fixture *f, enum key_code code);
void fixture_draw(struct fixture *f);
/* Time passes: what is due on the screen happens. */
void fixture_later(struct fixture *f, int64_t ms);
/* Opens a card and reads it: what is on the screen counts as seen. */
void fixture_card(struct fixture *f, uint64_t seq);

/* Spans of our own words, as the product adds them: apart by "|". */
void fixture_add_spans(struct line *line, const char *text);

#endif
