#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/past_call.h"
#include "base/clock.h"
#include "base/mem.h"
#include "core/config.h"

void past_filter_init(struct past_filter *filter)
{
	*filter = (struct past_filter){
		.since_ms = INT64_MIN, .until_ms = INT64_MAX, .state = -1, .backend = -1};
}

static int ago(const char *text, int64_t now_ms, int64_t *ret_ms)
{
	static const struct {
		char unit;
		int64_t ms;
	} units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}, {'w', 604800000}};
	size_t len = strspn(text, "0123456789");

	if (len == 0 || len > 6 || text[len] == '\0' || text[len + 1] != '\0')
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (units[i].unit == text[len]) {
			*ret_ms = now_ms - strtol(text, NULL, 10) * units[i].ms;
			return 0;
		}
	}
	return -1;
}

/* Whole: what is missing of "2026-01-01T00:00:00" is taken from there; then it must come back as it was said. */
static int date(const char *text, int64_t *ret_ms)
{
	char full[] = "2026-01-01T00:00:00", again[32];
	size_t len = strlen(text);
	struct tm tm = {0};

	if (len > 0 && text[len - 1] == 'Z')
		len--;
	if (len != 10 && len != 16 && len != 19)
		return -1;
	memcpy(full, text, len);
	if (full[10] == ' ')
		full[10] = 'T';
	const char *end = strptime(full, "%Y-%m-%dT%H:%M:%S", &tm);

	if (end == NULL || *end != '\0')
		return -1;
	*ret_ms = (int64_t)timegm(&tm) * 1000;
	clock_format_utc(*ret_ms, again);
	return strncmp(again, full, strlen(full)) == 0 ? 0 : -1;
}

int past_time(const char *text, int64_t now_ms, int64_t *ret_ms, struct err *err)
{
	if (date(text, ret_ms) == 0 || ago(text, now_ms, ret_ms) == 0)
		return 0;
	return err_set(err, ERR_INVALID,
		"a time is like 2026-11-30 or 2026-11-30T13:28:01 (UTC), or so long ago: 90s 30m "
		"2h 3d "
		"1w; not \"%s\"",
		text);
}

static int set_state(struct past_filter *f, const char *value, struct err *err)
{
	for (int i = JOB_WAITING; i < JOB_STATE_COUNT; i++) {
		if (strcmp(value, job_state_name((enum job_state)i)) == 0) {
			f->state = i;
			return 0;
		}
	}
	return err_set(err, ERR_INVALID,
		"a state is waiting, approved, starting, running, stopping, ended, rejected, "
		"refused, "
		"withdrawn, expired or lost; not \"%s\"",
		value);
}

static int set_backend(struct past_filter *f, const char *value, struct err *err)
{
	enum backend_id id;

	if (backend_id_from_name(value, &id) != 0 || id == BACKEND_AUTO)
		return err_set(err, ERR_INVALID, "no backend is called \"%s\"", value);
	f->backend = (int)id;
	return 0;
}

static bool is_number(const char *text)
{
	size_t len = strspn(text, "0123456789");

	return len > 0 && len <= 3 && text[len] == '\0';
}

static int set_exit(struct past_filter *f, const char *value, struct err *err)
{
	enum reason reason;

	if (!is_number(value) && strcmp(value, "ok") != 0 && strcmp(value, "failed") != 0 &&
		(*value == '\0' || reason_from_name(value, &reason) != 0))
		return err_set(err, ERR_INVALID,
			"--exit takes a number, ok, failed or a reason like timeout; not \"%s\"",
			value);
	f->exit = value;
	return 0;
}

int past_filter_set(
	struct past_filter *f, const char *name, const char *value, int64_t now_ms, struct err *err)
{
	f->any = true;
	if (strcmp(name, "since") == 0)
		return past_time(value, now_ms, &f->since_ms, err);
	if (strcmp(name, "until") == 0)
		return past_time(value, now_ms, &f->until_ms, err);
	if (strcmp(name, "state") == 0)
		return set_state(f, value, err);
	if (strcmp(name, "backend") == 0)
		return set_backend(f, value, err);
	if (strcmp(name, "exit") == 0)
		return set_exit(f, value, err);
	if (strcmp(name, "agent") == 0)
		f->agent = value;
	else
		f->text = value;
	return 0;
}

static bool in_text(const char *text, const char *part)
{
	return text != NULL && strstr(text, part) != NULL;
}

static bool says(const struct job *job, const char *part)
{
	const char *const texts[] = {job->command, job->raw, job->agent_reason, job->decision_text,
		job->sentence, job->card == NULL ? NULL : job->card->asked};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (in_text(texts[i], part))
			return true;
	}
	return job->output.len > 0 &&
	       memmem(job->output.data, job->output.len, part, strlen(part)) != NULL;
}

static bool ended_so(const struct job *job, const char *wanted)
{
	bool over = job_is_over(job->state);
	bool good = job->state == JOB_ENDED && job->reason == REASON_NONE;

	if (strcmp(wanted, "ok") == 0)
		return good;
	if (strcmp(wanted, "failed") == 0)
		return over && !good;
	if (is_number(wanted))
		return job->state == JOB_ENDED && job->exit_code == atoi(wanted);
	return over && strcmp(reason_name(job->reason), wanted) == 0;
}

bool past_filter_takes(const struct past_filter *f, const struct job *job)
{
	if (job->received_wall_ms < f->since_ms || job->received_wall_ms > f->until_ms)
		return false;
	if (f->state >= 0 && (int)job->state != f->state)
		return false;
	if (f->backend >= 0 && (int)job->backend != f->backend)
		return false;
	if (f->agent != NULL && !in_text(job->agent, f->agent))
		return false;
	if (f->exit != NULL && !ended_so(job, f->exit))
		return false;
	return f->text == NULL || says(job, f->text);
}
