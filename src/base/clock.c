#include "config.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define MS_PER_S 1000

static int64_t read_ms(clockid_t id)
{
	struct timespec now = {0};

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * MS_PER_S + now.tv_nsec / 1000000;
}

int64_t clock_mono_ms(void)
{
	return read_ms(CLOCK_MONOTONIC);
}

int64_t clock_wall_ms(void)
{
	return read_ms(CLOCK_REALTIME);
}

/* Rounds down, also before 1970. */
static time_t whole_seconds(int64_t ms)
{
	return (time_t)(ms / MS_PER_S - (ms % MS_PER_S < 0));
}

static void format(int64_t wall_ms, struct tm *(*split)(const time_t *, struct tm *),
	const char *fmt, char *buf, size_t size)
{
	time_t seconds = whole_seconds(wall_ms);
	struct tm tm;

	memset(&tm, 0, sizeof(tm));
	if (split(&seconds, &tm) == NULL || strftime(buf, size, fmt, &tm) == 0)
		snprintf(buf, size, "?");
}

void clock_format_utc(int64_t wall_ms, char buf[32])
{
	char seconds[32];
	int64_t ms = (wall_ms % MS_PER_S + MS_PER_S) % MS_PER_S;

	format(wall_ms, gmtime_r, "%Y-%m-%dT%H:%M:%S", seconds, sizeof(seconds) - 8);
	snprintf(buf, 32, "%.24s.%03uZ", seconds, (unsigned)ms);
}

void clock_format_hm(int64_t wall_ms, char buf[16])
{
	format(wall_ms, localtime_r, "%H:%M", buf, 16);
}

void clock_format_hms(int64_t wall_ms, char buf[16])
{
	format(wall_ms, localtime_r, "%H:%M:%S", buf, 16);
}

void clock_format_day(int64_t wall_ms, char buf[16])
{
	static const char months[12][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t seconds = whole_seconds(wall_ms);
	struct tm tm;

	memset(&tm, 0, sizeof(tm));
	if (localtime_r(&seconds, &tm) == NULL || tm.tm_mon < 0 || tm.tm_mon > 11 ||
		tm.tm_year < -1899 || tm.tm_year > 8099)
		snprintf(buf, 16, "?");
	else
		snprintf(buf, 16, "%u %s %04u", (unsigned)tm.tm_mday % 100u, months[tm.tm_mon],
			(unsigned)(tm.tm_year + 1900) % 10000u);
}

void clock_format_compact(int64_t wall_ms, char buf[32])
{
	format(wall_ms, gmtime_r, "%Y%m%dT%H%M%SZ", buf, 32);
}
