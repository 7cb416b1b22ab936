/* One call of a record: as JSON, as a row of a list, and whether a filter takes it. The job is one that past_read() tells, so that
   its card and output are there. */
#ifndef APP_PAST_CALL_H
#define APP_PAST_CALL_H

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "core/job_list.h"
#include "core/model.h"

/* The figures of a call, without its output; the caller owns it. Members that were never known are null. */
struct json *past_call_json(const struct job *job, const char *session);
/* "exit 0", "timeout", "rejected", "running": what came of it, in our words. Appends. */
void past_call_outcome(const struct job *job, struct str *out);
/* "#14   2026-11-30 13:28:03  exit 0  landlock  builder  ls -la", through the safe-text rule, cut at `width` columns, with a
   newline. Appends. */
void past_call_row(const struct job *job, unsigned width, struct str *out);

/* The bytes of a line that was no call: the record has them with escapes made visible, which are not to be escaped again. Appends. */
void past_raw(const char *raw, struct str *bytes);

struct past_filter {
	bool any;                   /* one of those below was given */
	int64_t since_ms, until_ms; /* wall time at which it was received; INT64_MIN, INT64_MAX */
	const char *agent;          /* part of the label; NULL: any */
	const char *text; /* in the command, the words about it or its output; NULL: any */
	int state;        /* enum job_state; -1: any */
	int backend;      /* enum backend_id; -1: any */
	const char *exit; /* a number, "ok", "failed" or the name of a reason; NULL: any */
};
void past_filter_init(struct past_filter *filter);
/* name: "since" ... "exit"; now_ms: for times like "2h", so long ago. Errors: ERR_INVALID, which says what is possible. value is
   not copied. */
int past_filter_set(struct past_filter *filter, const char *name, const char *value, int64_t now_ms,
	struct err *err);
bool past_filter_takes(const struct past_filter *filter, const struct job *job);

/* "2026-11-30", "2026-11-30T13:28", "2026-11-30T13:28:01", each in UTC and with or without Z; or "90s" "30m" "2h" "3d" "1w" before
   now_ms. ERR_INVALID. */
int past_time(const char *text, int64_t now_ms, int64_t *ret_ms, struct err *err);

/* Rows by the number of their call, whatever order they came in. */
struct past_rows {
	struct past_row {
		uint64_t seq;
		char *text;
	} * items;
	size_t count, cap;
};
void past_rows_add(struct past_rows *rows, uint64_t seq, char *text); /* owns text */
void past_rows_sort(struct past_rows *rows);
void past_rows_release(struct past_rows *rows);

#endif
