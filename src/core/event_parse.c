#include "config.h"

#include "core/event.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

/* This and 64 digits stand at a fixed offset, so that no reader needs JSON to follow the chain. */
#define PREV_START "{\"prev\":\""

static int bad(struct err *err, const char *what)
{
	return err_set(err, ERR_INVALID, "an event line whose %s is not as one is written", what);
}

/* Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	static const int64_t before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	int64_t past = year - 1;
	int64_t days = past * 365 + past / 4 - past / 100 + past / 400 - 719162;

	return days + before[month - 1] + (month > 2 && leap) + day - 1;
}

static int digits(const char *text, size_t count, int64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < count; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		*ret = *ret * 10 + (text[i] - '0');
	}
	return 0;
}

/* The inverse of clock_format_utc(), for exactly what that prints. */
static int parse_wall(const char *text, int64_t *ret)
{
	static const struct {
		size_t at, count;
	} parts[] = {{0, 4}, {5, 2}, {8, 2}, {11, 2}, {14, 2}, {17, 2}, {20, 3}};
	int64_t v[ARRAY_LEN(parts)];
	char again[32];

	if (text == NULL || strlen(text) != 24)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (digits(text + parts[i].at, parts[i].count, &v[i]) != 0)
			return -1;
	}
	if (v[0] < 1 || v[1] < 1 || v[1] > 12)
		return -1;
	int64_t seconds = days_of(v[0], v[1], v[2]) * 86400 + v[3] * 3600 + v[4] * 60 + v[5];

	*ret = seconds * 1000 + v[6];
	/* A 30 February or a 25th hour comes back as another time. */
	clock_format_utc(*ret, again);
	return strcmp(again, text) == 0 ? 0 : -1;
}

static int take_int(struct json *object, const char *key, int64_t least, int64_t *ret)
{
	JSON_AUTO struct json *v = json_take(object, key);

	return v != NULL && json_int(v, ret) == 0 && *ret >= least ? 0 : -1;
}

static int take_prev(struct json *object, struct digest *ret, struct err *err)
{
	JSON_AUTO struct json *v = json_take(object, "prev");
	const char *hex = json_str(v);

	return hex != NULL && digest_from_hex(hex, ret) == 0 ? 0 : bad(err, "prev");
}

static int take_times(struct json *object, struct event *ret, struct err *err)
{
	int64_t number = 0;
	JSON_AUTO struct json *wall = json_take(object, "wall");

	if (take_int(object, "event", 1, &number) != 0)
		return bad(err, "event");
	if (take_int(object, "at", 0, &ret->at_ms) != 0)
		return bad(err, "at");
	if (parse_wall(json_str(wall), &ret->wall_ms) != 0)
		return bad(err, "wall");
	ret->number = (uint64_t)number;
	return 0;
}

static int take_seq(struct json *object, struct event *ret, struct err *err)
{
	int64_t seq = 0;

	ret->seq = 0;
	if (json_get(object, "seq") == NULL)
		return 0;
	if (take_int(object, "seq", 1, &seq) != 0)
		return bad(err, "seq");
	ret->seq = (uint64_t)seq;
	return 0;
}

/* The rest of the object stays as the fields. The type comes last: an unknown one leaves the event
   filled. */
static int take_header(
	struct json *object, struct event *ret, struct digest *ret_prev, struct err *err)
{
	int64_t version = 0;

	if (take_prev(object, ret_prev, err) != 0)
		return -1;
	if (take_int(object, "v", 1, &version) != 0)
		return bad(err, "v");
	if (version != EVENT_FORMAT_VERSION)
		return err_set(err, ERR_INVALID,
			"an event line of format version %lld; this program reads %d",
			(long long)version, EVENT_FORMAT_VERSION);
	if (take_times(object, ret, err) != 0 || take_seq(object, ret, err) != 0)
		return -1;
	JSON_AUTO struct json *type = json_take(object, "type");

	if (json_str(type) == NULL)
		return bad(err, "type");
	ret->type = EVENT_TYPE_COUNT;
	if (event_type_from_name(json_str(type), &ret->type) != 0)
		return err_set(
			err, ERR_NOT_FOUND, "an event of a type that this version does not know");
	return 0;
}

int event_parse(
	const char *line, size_t len, struct event *ret, struct digest *ret_prev, struct err *err)
{
	JSON_AUTO struct json *object = NULL;
	struct event event = {0};
	struct err own = ERR_INIT;

	if (len > EVENT_LINE_BYTES)
		return err_set(
			err, ERR_LIMIT, "a line of %zu bytes, more than %u", len, EVENT_LINE_BYTES);
	if (len < strlen(PREV_START) || memcmp(line, PREV_START, strlen(PREV_START)) != 0)
		return bad(err, "beginning");
	if (json_parse(line, len, JSON_DEPTH_MAX, &object, err) != 0)
		return -1;
	int status = take_header(object, &event, ret_prev, &own);

	if (status != 0 && err != NULL)
		*err = own;
	if (status == 0 || own.code == ERR_NOT_FOUND) {
		event.fields = STEAL(object);
		*ret = event;
	}
	return status;
}
