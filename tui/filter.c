#include "config.h"

#include "tui/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tui/view_words.h"

#define MINUTE_MS INT64_C(60000)
#define DAY_MINUTES 1440
#define COMMAND_BYTES                                                                              \
	4096 /* as many as a forgotten call keeps: the filter must not find less of it afterwards */

struct word {
	char text[400];
	bool quoted;
};

struct reader {
	const char *at;
	int since, until; /* minutes of the day; -1: none */
};

/* The next word without its quotes; a quote may begin behind a colon: ended:"time limit". */
static bool next_word(struct reader *reader, struct word *ret)
{
	const char *at = reader->at + strspn(reader->at, " ");
	bool inside = false;
	size_t len = 0;

	*ret = (struct word){.quoted = *at == '"'};
	if (*at == '\0')
		return false;
	for (; *at != '\0' && (inside || *at != ' '); at++) {
		if (*at == '"')
			inside = !inside;
		else if (len + 1 < sizeof(ret->text))
			ret->text[len++] = *at;
	}
	reader->at = at;
	return true;
}

static bool add(struct filter *filter, enum filter_field field, const char *text)
{
	if (filter->count == FILTER_WORDS_MAX)
		return false;
	if (*text != '\0')
		filter->words[filter->count++] =
			(struct filter_word){.field = field, .text = mem_strdup(text)};
	return true;
}

/* "14:20" as minutes of the day; -1. */
static int time_of_day(const char *text)
{
	int hour, minute, used = 0;

	if (strspn(text, "0123456789:") != strlen(text) ||
		sscanf(text, "%2d:%2d%n", &hour, &minute, &used) != 2 || text[used] != '\0')
		return -1;
	return hour < 24 && minute < 60 ? hour * 60 + minute : -1;
}

static bool is_number(const char *text)
{
	return *text != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* "exit" and the number behind it are one thing. */
static bool take_number(struct reader *reader, const char *head, struct str *out)
{
	struct reader ahead = *reader;
	struct word number;

	if (strcasecmp(head, "exit") != 0 && strcasecmp(head, "signal") != 0)
		return false;
	if (!next_word(&ahead, &number) || !is_number(number.text))
		return false;
	reader->at = ahead.at;
	str_printf(out, "%s %s", head, number.text);
	return true;
}

static int read_time(const char *name, const char *text, int *ret, struct err *err)
{
	*ret = time_of_day(text);
	if (*ret < 0)
		return err_set(err, ERR_INVALID, "%s needs a time of day: %s14:20", name, name);
	return 0;
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

static int take_word(
	struct reader *reader, const struct word *word, struct filter *filter, struct err *err)
{
	STR_AUTO struct str whole = STR_INIT;
	const char *text = word->text;
	bool added;

	if (!word->quoted && has_prefix(text, "since:"))
		return read_time("since:", text + strlen("since:"), &reader->since, err);
	if (!word->quoted && has_prefix(text, "until:"))
		return read_time("until:", text + strlen("until:"), &reader->until, err);
	if (!word->quoted && has_prefix(text, "agent:"))
		added = add(filter, FILTER_AGENT, text + strlen("agent:"));
	else if (!word->quoted && has_prefix(text, "from:") && is_number(text + strlen("from:")))
		added = add(filter, FILTER_FROM, text + strlen("from:"));
	else if (!word->quoted && has_prefix(text, "ended:"))
		added = add(filter, FILTER_ENDED, text + strlen("ended:"));
	else if (!word->quoted && take_number(reader, text, &whole))
		added = add(filter, FILTER_ENDED_WHOLE, str_c(&whole));
	else
		added = add(filter, FILTER_ANY, text);
	return added ? 0 : err_set(err, ERR_INVALID, "at most %d words", FILTER_WORDS_MAX);
}

/* The last moment up to `wall_ms` that has this time of day; whole minutes. */
static int64_t last_time(int64_t wall_ms, int minutes)
{
	char hm[16];
	int now;

	clock_format_hm(wall_ms, hm);
	now = time_of_day(hm);
	return wall_ms - wall_ms % MINUTE_MS -
	       (now - minutes + DAY_MINUTES) % DAY_MINUTES * MINUTE_MS;
}

/* An end lies behind the beginning, and in the session: before it a filter would list nothing and not say why. */
static void set_times(const struct reader *reader, const struct model *model, struct filter *filter)
{
	int64_t now = model->start_wall_ms + model->now_at_ms, least = model->start_wall_ms;

	filter->since_wall_ms = INT64_MIN;
	filter->until_wall_ms = INT64_MAX;
	if (reader->since >= 0)
		least = filter->since_wall_ms = last_time(now, reader->since);
	if (reader->until < 0)
		return;
	filter->until_wall_ms = last_time(now, reader->until) + MINUTE_MS;
	if (filter->until_wall_ms <= least)
		filter->until_wall_ms += DAY_MINUTES * MINUTE_MS;
}

int filter_parse(const char *text, const struct model *model, struct filter *ret, struct err *err)
{
	struct reader reader = {.at = text, .since = -1, .until = -1};
	struct filter filter = {0};
	struct word word;

	while (next_word(&reader, &word)) {
		if (take_word(&reader, &word, &filter, err) != 0) {
			filter_release(&filter);
			return -1;
		}
	}
	set_times(&reader, model, &filter);
	*ret = filter;
	return 0;
}

void filter_release(struct filter *filter)
{
	for (size_t i = 0; i < filter->count; i++)
		free(filter->words[i].text);
	*filter = (struct filter){0};
}

static bool command_has(const struct job *job, const char *text)
{
	const char *command = job->command != NULL ? job->command : job->raw;

	if (command == NULL)
		return false;
	if (strnlen(command, COMMAND_BYTES + 1) <= COMMAND_BYTES)
		return strcasestr(command, text) != NULL;
	MEM_AUTO char *head = mem_strndup(command, COMMAND_BYTES);
	return strcasestr(head, text) != NULL;
}

static bool agent_has(const struct job *job, const char *text)
{
	return job->agent != NULL && strcasestr(job->agent, text) != NULL;
}

/* In the words that the list shows, and in English: the help names those, and a filter means the same in every language. */
static bool outcome_has(const struct filter_word *word, const struct job *job)
{
	void (*const says[])(const struct job *, struct str *) = {
		words_outcome_english, words_outcome};

	for (size_t i = 0; i < ARRAY_LEN(says); i++) {
		STR_AUTO struct str ended = STR_INIT;

		says[i](job, &ended);
		if (word->field == FILTER_ENDED_WHOLE
				? strcasecmp(str_c(&ended), word->text) == 0
				: strcasestr(str_c(&ended), word->text) != NULL)
			return true;
	}
	return false;
}

static bool word_matches(const struct filter_word *word, const struct job *job)
{
	if (word->field == FILTER_AGENT)
		return agent_has(job, word->text);
	if (word->field == FILTER_FROM)
		return strtoul(word->text, NULL, 10) == job->sender;
	if (outcome_has(word, job))
		return true;
	return word->field == FILTER_ANY &&
	       (agent_has(job, word->text) || command_has(job, word->text));
}

bool filter_match(const struct filter *filter, const struct job *job)
{
	int64_t end = job->ended_wall_ms;

	if (end < filter->since_wall_ms || end >= filter->until_wall_ms)
		return false;
	for (size_t i = 0; i < filter->count; i++) {
		if (!word_matches(&filter->words[i], job))
			return false;
	}
	return true;
}
