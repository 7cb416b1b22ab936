#include "config.h"

#include "app/script.h"

#include <inttypes.h>
#include <string.h>

#include "app/past_call.h"
#include "base/mem.h"
#include "base/text.h"

struct telling {
	struct script *script;
	const struct event *event;
	const struct job *job; /* NULL: none */
	const struct model *model;
	size_t line_start; /* of the row that is being made */
};

#define SIGN_GOES_ON ": "

static void end_line(struct telling *t)
{
	if (t->script->open_seq != 0)
		t->script->say(t->script->data, t->event->at_ms, SCRIPT_OUTPUT, "\n");
	t->script->open_seq = 0;
}

/* A field of the event as one piece of a line; "" when it is not there. */
static char *foreign(struct telling *t, const char *text)
{
	STR_AUTO struct str masked = STR_INIT;
	struct str shown = STR_INIT;

	mask_text(t->script->mask, text, &masked);
	text_escape(str_c(&masked), masked.len, 0, &shown);
	return shown.data == NULL ? mem_strdup("") : str_steal(&shown);
}

static char *raw_of(struct telling *t)
{
	STR_AUTO struct str masked = STR_INIT, bytes = STR_INIT;
	struct str shown = STR_INIT;

	mask_text(t->script->mask, json_get_str(t->event->fields, "raw"), &masked);
	past_raw(str_c(&masked), &bytes);
	text_escape(str_c(&bytes), bytes.len, 0, &shown);
	return shown.data == NULL ? mem_strdup("") : str_steal(&shown);
}

static char *text_of(struct telling *t, const char *key)
{
	return foreign(t, json_get_str(t->event->fields, key));
}

static void add_sign(struct telling *t, const char *sign, struct str *out)
{
	if (t->event->seq != 0)
		str_printf(out, "#%" PRIu64 " ", t->event->seq);
	str_add(out, sign);
	t->script->column = text_columns(str_c(out) + t->line_start);
}

static void new_row(struct telling *t, const char *sign, struct str *out)
{
	str_add_char(out, '\n');
	t->line_start = out->len;
	add_sign(t, sign, out);
}

/* One character of what went through the rule. */
static size_t add_character(struct telling *t, const char *at, struct str *out)
{
	size_t len = 1;
	char one[8] = {*at};

	while (len < sizeof(one) - 1 && ((unsigned char)at[len] & 0xC0) == 0x80) {
		one[len] = at[len];
		len++;
	}
	unsigned columns = len == 1 ? 1 : text_columns(one);

	if (t->script->column + columns > SCRIPT_COLUMNS)
		new_row(t, SIGN_GOES_ON, out);
	str_add(out, one);
	t->script->column += columns;
	return len;
}

/* Rows of ours: a terminal that broke a long line itself would begin a row with what is foreign. goes_on: the line that is open. */
static void add_rows(
	struct telling *t, const char *shown, const char *sign, bool goes_on, struct str *out)
{
	t->line_start = out->len;
	if (!goes_on)
		add_sign(t, sign, out);
	while (*shown != '\0') {
		if (*shown != '\n') {
			shown += add_character(t, shown, out);
		} else if (*++shown != '\0') {
			new_row(t, sign, out);
		} else {
			str_add_char(out, '\n');
		}
	}
}

static void line(struct telling *t, enum script_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void line(struct telling *t, enum script_kind kind, const char *fmt, ...)
{
	STR_AUTO struct str text = STR_INIT;
	va_list args;

	va_start(args, fmt);
	MEM_AUTO char *body = mem_vprintf(fmt, args);
	va_end(args);
	end_line(t);
	add_rows(t, body, "", false, &text);
	str_add_char(&text, '\n');
	t->script->say(t->script->data, t->event->at_ms, kind, str_c(&text));
}

static void mark(struct telling *t, const char *what)
{
	MEM_AUTO char *label = mem_printf("#%" PRIu64 " %s", t->event->seq, what);

	t->script->mark(t->script->data, t->event->at_ms, label);
}

static void tell_command(struct telling *t, const char *command)
{
	STR_AUTO struct str masked = STR_INIT, shown = STR_INIT, out = STR_INIT;

	mask_text(t->script->mask, command, &masked);
	text_escape(str_c(&masked), masked.len, TEXT_LINES, &shown);
	end_line(t);
	add_rows(t, str_c(&shown), "$ ", false, &out);
	if (out.len > 0 && out.data[out.len - 1] != '\n')
		str_add_char(&out, '\n');
	t->script->say(t->script->data, t->event->at_ms, SCRIPT_ASKED, str_c(&out));
}

static void tell_output_text(struct telling *t, const struct str *bytes)
{
	STR_AUTO struct str shown = STR_INIT, out = STR_INIT;

	if (bytes->len == 0)
		return;
	if (t->script->open_seq != t->event->seq)
		end_line(t);
	text_escape(str_c(bytes), bytes->len, TEXT_LINES | TEXT_OUTPUT, &shown);
	add_rows(t, str_c(&shown), "| ", t->script->open_seq == t->event->seq, &out);
	t->script->open_seq = shown.data[shown.len - 1] == '\n' ? 0 : t->event->seq;
	t->script->say(t->script->data, t->event->at_ms, SCRIPT_OUTPUT, str_c(&out));
}

static void tell_output(struct telling *t)
{
	STR_AUTO struct str bytes = STR_INIT, told = STR_INIT;
	int64_t size = json_get_int(t->event->fields, "bytes", -1);

	if (size >= 0)
		line(t, SCRIPT_RUN, "output, not recorded: %" PRId64 " bytes", size);
	if (event_output_bytes(t->event->fields, &bytes, NULL) != 0)
		return;
	mask_output(t->script->mask, t->event->seq, str_c(&bytes), bytes.len, &told);
	tell_output_text(t, &told);
}

static void tell_received(struct telling *t)
{
	MEM_AUTO char *agent = text_of(t, "agent"), *why = text_of(t, "agent_reason");
	MEM_AUTO char *raw = raw_of(t);
	const char *command = json_get_str(t->event->fields, "command");

	if (command == NULL) {
		line(t, SCRIPT_ASKED, "a line that was no call: %s", raw);
		return;
	}
	line(t, SCRIPT_ASKED, "asks%s%s%s%s%s%s", *agent != '\0' ? ", by the label \"" : "", agent,
		*agent != '\0' ? "\"" : "", *why != '\0' ? ", because \"" : "", why,
		*why != '\0' ? "\"" : "");
	tell_command(t, command);
}

static void tell_edited(struct telling *t)
{
	MEM_AUTO char *by = text_of(t, "by");

	line(t, SCRIPT_DECIDED, "edited by %s; the command is now", by);
	tell_command(t, json_get_str(t->event->fields, "command"));
}

static void tell_decided(struct telling *t)
{
	MEM_AUTO char *decision = text_of(t, "decision"), *by = text_of(t, "by");
	MEM_AUTO char *text = text_of(t, "text");
	MEM_AUTO char *label = mem_printf("%s by %s", decision, by);
	int64_t after = json_get_int(t->event->fields, "after_ms", -1);
	STR_AUTO struct str more = STR_INIT;

	if (after >= 0)
		str_printf(&more, " after %" PRId64 ".%" PRId64 " s", after / 1000,
			after % 1000 / 100);
	if (t->job != NULL && t->job->rows_total > 0)
		str_printf(&more, ", %u of %u lines of the card seen", t->job->rows_seen,
			t->job->rows_total);
	if (*text != '\0')
		str_printf(&more, ": %s", text);
	mark(t, label);
	line(t, SCRIPT_DECIDED, "%s%s", label, str_c(&more));
}

static void tell_refused(struct telling *t)
{
	MEM_AUTO char *reason = text_of(t, "reason"), *sentence = text_of(t, "sentence");
	MEM_AUTO char *label = mem_printf("refused: %s", reason);

	mark(t, label);
	line(t, SCRIPT_DECIDED, "%s: %s", label, sentence);
}

static void tell_withdrawn(struct telling *t)
{
	MEM_AUTO char *why = text_of(t, "why");

	mark(t, "withdrawn");
	line(t, SCRIPT_DECIDED, "withdrawn: %s", why);
}

static void tell_expired(struct telling *t)
{
	mark(t, "expired");
	line(t, SCRIPT_DECIDED, "expired: nobody decided in time");
}

static void tell_started(struct telling *t)
{
	if (t->job != NULL)
		line(t, SCRIPT_RUN, "runs, backend %s", backend_id_name(t->job->backend));
}

static void tell_stopping(struct telling *t)
{
	MEM_AUTO char *by = text_of(t, "by");

	line(t, SCRIPT_RUN, "is being stopped by %s", by);
}

static void tell_truncated(struct telling *t)
{
	line(t, SCRIPT_RUN, "its output reached the cap; more of it was counted, not kept");
}

static void tell_limit(struct telling *t)
{
	MEM_AUTO char *name = text_of(t, "name");

	line(t, SCRIPT_RUN, "met its limit: %s", name);
}

static void tell_ended(struct telling *t)
{
	STR_AUTO struct str rest = STR_INIT;
	MEM_AUTO char *reason = text_of(t, "reason"), *sentence = text_of(t, "sentence");
	int64_t code = json_get_int(t->event->fields, "exit_code", -1);
	int64_t ms = json_get_int(t->event->fields, "duration_ms", -1);

	mask_output_end(t->script->mask, t->event->seq, &rest);
	tell_output_text(t, &rest);
	STR_AUTO struct str what = STR_INIT;

	if (code >= 0)
		str_printf(&what, "exit %" PRId64, code);
	if (ms >= 0)
		str_printf(&what, "%safter %" PRId64 ".%03" PRId64 " s", code >= 0 ? " " : "",
			ms / 1000, ms % 1000);
	if (*sentence != '\0')
		str_printf(&what, "; %s: %s", reason, sentence);
	line(t, SCRIPT_RUN, "ended: %s", str_c(&what));
}

static void tell_session_start(struct telling *t)
{
	MEM_AUTO char *session = text_of(t, "session"), *host = text_of(t, "host");
	MEM_AUTO char *user = text_of(t, "user"), *place = text_of(t, "workspace");

	line(t, SCRIPT_SESSION, "session %s of %s on %s, workspace %s%s", session, user, host,
		place, t->model->no_sandbox ? ", NO SANDBOX" : "");
}

static void tell_intake(struct telling *t)
{
	MEM_AUTO char *why = text_of(t, "why");

	line(t, SCRIPT_SESSION, "intake is %s%s%s%s",
		json_get_bool(t->event->fields, "open", false) ? "open" : "closed",
		*why != '\0' ? ": " : "", why,
		json_get_bool(t->event->fields, "stop_all", false) ? "; all is stopped" : "");
}

static void tell_locked(struct telling *t)
{
	line(t, SCRIPT_SESSION, "the screen is %s",
		json_get_bool(t->event->fields, "locked", false) ? "locked" : "not locked");
}

static void tell_gap(struct telling *t)
{
	MEM_AUTO char *why = text_of(t, "why"), *before = text_of(t, "before");

	line(t, SCRIPT_SESSION, "the record goes on behind a gap (%s); before it: %s", why, before);
}

static void tell_found_open(struct telling *t)
{
	MEM_AUTO char *file = text_of(t, "file");

	line(t, SCRIPT_SESSION, "found a session that died: %s", file);
}

static void tell_session_end(struct telling *t)
{
	MEM_AUTO char *why = text_of(t, "why");

	line(t, SCRIPT_SESSION, "the session ended%s%s", *why != '\0' ? ": " : "", why);
}

void script_event(struct script *script, const struct event *event, const struct model *model)
{
	static void (*const tellers[EVENT_TYPE_COUNT])(struct telling *) = {
		[EVENT_SESSION_START] = tell_session_start,
		[EVENT_RECEIVED] = tell_received,
		[EVENT_EDITED] = tell_edited,
		[EVENT_REFUSED] = tell_refused,
		[EVENT_DECIDED] = tell_decided,
		[EVENT_WITHDRAWN] = tell_withdrawn,
		[EVENT_EXPIRED] = tell_expired,
		[EVENT_STARTED] = tell_started,
		[EVENT_STOPPING] = tell_stopping,
		[EVENT_OUTPUT] = tell_output,
		[EVENT_TRUNCATED] = tell_truncated,
		[EVENT_LIMIT] = tell_limit,
		[EVENT_ENDED] = tell_ended,
		[EVENT_INTAKE] = tell_intake,
		[EVENT_LOCKED] = tell_locked,
		[EVENT_GAP] = tell_gap,
		[EVENT_FOUND_OPEN] = tell_found_open,
		[EVENT_SESSION_END] = tell_session_end,
	};

	mask_learn(script->mask, event);
	if (event->type >= EVENT_TYPE_COUNT || tellers[event->type] == NULL)
		return;
	struct telling t = {.script = script,
		.event = event,
		.model = model,
		.job = event->seq == 0 ? NULL : model_job(model, event->seq)};

	tellers[event->type](&t);
}
