#include "config.h"

#include "scenes_set.h"

#include "base/json.h"

/* The panic key and the lock. */

static struct json *fields_intake(bool open, bool stop_all)
{
	struct json *fields = json_new_object();

	json_set_bool(fields, "open", open);
	json_set_bool(fields, "stop_all", stop_all);
	return fields;
}

static void ask(
	struct fixture *f, uint64_t seq, const char *agent, const char *command, int64_t at_ms)
{
	struct call_spec spec = {.seq = seq, .agent = agent, .command = command, .at_ms = at_ms};

	fixture_call(f, &spec);
}

static void run(struct fixture *f, uint64_t seq, const char *command, int64_t at_ms)
{
	ask(f, seq, "build-bot", command, at_ms);
	fixture_start(f, seq, at_ms + 1000, at_ms + 1000);
}

static void give_grant(struct fixture *f, uint64_t seq)
{
	ask(f, seq, "pipeline", "git log --oneline -5", AT(14, 35, 0));
	fixture_grant(f, seq, 1, AT(14, 35, 9), 10, 5);
	fixture_start(f, seq, AT(14, 35, 9), AT(14, 35, 9));
	fixture_end(f, seq, AT(14, 35, 10), REASON_NONE, 0, 200, NULL);
}

/* One runs, three wait, one grant holds. */
static void set_busy(struct fixture *f)
{
	fixture_history(f, 25);
	give_grant(f, 26);
	run(f, 27, "make -j2 test", AT(14, 40, 50));
	ask(f, 28, "build-bot", "git push origin main", AT(14, 40, 55));
	ask(f, 29, "docs-bot", "npm outdated", AT(14, 41, 0));
	ask(f, 30, "pipeline", "git diff --stat HEAD~3", AT(14, 41, 5));
	f->now_ms = AT(14, 41, 8);
	fixture_card(f, 27);
}

void set_panic_question(struct fixture *f)
{
	set_busy(f);
	fixture_press(f, "!");
	fixture_later(f, 500);
}

static void reject(struct fixture *f, uint64_t seq, int64_t at_ms)
{
	struct json *fields = fields_str("decision", "rejected");

	json_set_str(fields, "by", "operator");
	json_set_str(fields, "text", "all was stopped");
	fixture_event(f, EVENT_DECIDED, seq, at_ms, fields);
}

static void refuse(struct fixture *f, uint64_t seq, const char *agent, int64_t at_ms)
{
	struct json *received = fields_str("command", "npm outdated");
	struct json *refused = fields_str("reason", "intake_closed");

	json_set_str(received, "agent", agent);
	json_set_str(refused, "sentence", "the operator stopped everything");
	fixture_event(f, EVENT_RECEIVED, seq, at_ms, received);
	fixture_event(f, EVENT_REFUSED, seq, at_ms, refused);
}

static void stop_all(struct fixture *f)
{
	struct json *revoked = fields_str("why", "all was stopped");

	json_set_int(revoked, "grant", 1);
	fixture_event(f, EVENT_INTAKE, 0, AT(14, 41, 10), fields_intake(false, true));
	fixture_event(f, EVENT_REVOKED, 0, AT(14, 41, 10), revoked);
	fixture_event(f, EVENT_STOPPING, 27, AT(14, 41, 10), fields_str("by", "operator"));
	for (uint64_t seq = 28; seq <= 30; seq++)
		reject(f, seq, AT(14, 41, 10));
	f->now_ms = AT(14, 41, 10) + 100;
	ui_follow(&f->ui, &f->model, f->now_ms);
}

void set_panic_ending(struct fixture *f)
{
	set_busy(f);
	stop_all(f);
}

void set_panic(struct fixture *f)
{
	struct json *left = fields_intake(false, true);

	set_panic_ending(f);
	fixture_end(f, 27, AT(14, 41, 10) + 400, REASON_KILLED_BY_OPERATOR, -1, 19400, NULL);
	json_set_int(left, "left", 0);
	fixture_event(f, EVENT_INTAKE, 0, AT(14, 41, 11), left);
	refuse(f, 31, "pipeline", AT(14, 41, 30));
	refuse(f, 32, "docs-bot", AT(14, 41, 52));
	f->now_ms = AT(14, 42, 0);
	ui_follow(&f->ui, &f->model, f->now_ms);
}

/* More than the screen has rows for, and something that would not go. */
void set_panic_many(struct fixture *f)
{
	struct json *left = fields_intake(false, true);

	fixture_history(f, 4);
	for (uint64_t seq = 5; seq < 9; seq++)
		run(f, seq, "sleep 600", AT(14, 40, 0));
	for (uint64_t seq = 9; seq < 40; seq++)
		ask(f, seq, "scraper", "python3 fetch.py --page 1", AT(14, 40, 5));
	fixture_event(f, EVENT_INTAKE, 0, AT(14, 41, 10), fields_intake(false, true));
	for (uint64_t seq = 5; seq < 9; seq++) {
		fixture_event(f, EVENT_STOPPING, seq, AT(14, 41, 10), fields_str("by", "operator"));
		fixture_end(f, seq, AT(14, 41, 10) + 700 * (int64_t)(seq - 4),
			REASON_KILLED_BY_OPERATOR, -1, 60000, NULL);
	}
	for (uint64_t seq = 9; seq < 40; seq++)
		reject(f, seq, AT(14, 41, 11));
	json_set_int(left, "left", 2);
	fixture_event(f, EVENT_INTAKE, 0, AT(14, 41, 14), left);
	f->now_ms = AT(14, 41, 20);
	ui_follow(&f->ui, &f->model, f->now_ms);
}

void set_panic_word(struct fixture *f)
{
	set_panic(f);
	fixture_press(f, "Oope");
}

void set_panic_word_ready(struct fixture *f)
{
	set_panic(f);
	fixture_press(f, "Oopen");
	fixture_later(f, 500);
}

/* Stopped is said on every view. */
void set_panic_queue(struct fixture *f)
{
	set_panic(f);
	fixture_press(f, "1");
}

static void lock(struct fixture *f, int64_t at_ms, const char *why, int64_t tries)
{
	struct json *fields = fields_str("why", why);

	json_set_bool(fields, "locked", true);
	json_set_bool(fields, "set", true);
	json_set_int(fields, "minutes", 10);
	json_set_int(fields, "tries", tries);
	json_set_int(fields, "wait_ms", tries > 0 ? 1000 << (tries - 1) : 0);
	fixture_event(f, EVENT_LOCKED, 0, at_ms, fields);
	ui_follow(&f->ui, &f->model, at_ms);
}

void set_locked(struct fixture *f)
{
	fixture_history(f, 18);
	ask(f, 19, "build-bot", "git push origin main", AT(14, 59, 10));
	run(f, 20, "make -j2 test", AT(15, 1, 25));
	ask(f, 21, "docs-bot", "npm outdated", AT(15, 1, 30));
	fixture_card(f, 19);
	lock(f, AT(15, 2, 0), "idle", 0);
	f->now_ms = AT(15, 2, 10);
}

void set_locked_field(struct fixture *f)
{
	set_locked(f);
	fixture_press(f, "<Enter>open sesame");
}

void set_locked_tried(struct fixture *f)
{
	set_locked_field(f);
	lock(f, f->now_ms, "passphrase", 3);
	fixture_press(f, "x");
	ui_say(&f->ui, "wrong passphrase: the next one is looked at in 4 s");
}

void set_locked_question(struct fixture *f)
{
	set_locked(f);
	fixture_press(f, "!");
	fixture_later(f, 500);
}

void set_locked_stopped(struct fixture *f)
{
	set_panic(f);
	lock(f, AT(14, 42, 30), "operator", 0);
	f->now_ms = AT(14, 42, 40);
}

void set_lock_new(struct fixture *f)
{
	set_everyday(f);
	fixture_press(f, "L");
}
