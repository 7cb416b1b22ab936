#include "config.h"

#include "app/player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

#define DAY_MS (24 * 60 * 60 * (int64_t)1000)

int player_open(const char *path, struct player *ret, struct err *err)
{
	*ret = (struct player){0};
	if (player_file_open(path, &ret->file, err) != 0)
		return -1;
	model_init(&ret->model);
	return 0;
}

static void drop_next(struct player *player)
{
	if (player->has_next)
		event_release(&player->next);
	player->has_next = false;
}

void player_close(struct player *player)
{
	if (player->file == NULL)
		return;
	drop_next(player);
	model_release(&player->model);
	player_file_close(player->file);
	player->file = NULL;
}

static int stop(struct player *player)
{
	player->broken = player->at_end = true;
	return -1;
}

/* 1: there is a next one. */
static int look(struct player *player)
{
	if (player->has_next)
		return 1;
	if (player->broken)
		return -1;
	int status = player_file_next(player->file, &player->next, &player->err);

	if (status < 0)
		return stop(player);
	player->at_end = status == 0;
	player->has_next = status == 1;
	player->next_line = player_file_line(player->file);
	return status;
}

/* Of a type that this version does not know: kept, not applied. */
static int apply(struct player *player)
{
	const struct event *event = &player->next;
	struct err err = ERR_INIT;

	if (event->type == EVENT_TYPE_COUNT || model_apply(&player->model, event, &err) == 0)
		return 0;
	char *name = text_escaped(player_file_name(player->file));

	err_set(&player->err, ERR_INVALID, "%s:%" PRIu64 ": it cannot have happened: %s", name,
		player->next_line, err.text);
	free(name);
	return -1;
}

int player_step(struct player *player)
{
	int status = look(player);

	if (status != 1)
		return status;
	if (apply(player) != 0) {
		drop_next(player);
		return stop(player);
	}
	if (player->on_applied != NULL)
		player->on_applied(player->ctx, &player->next);
	player->event = player->next_line;
	player->seq = player->next.seq;
	if (player->next.at_ms > player->last_ms)
		player->last_ms = player->next.at_ms;
	if (json_get(player->next.fields, "ui") != NULL)
		player->ui_event = player->event;
	drop_next(player);
	return 1;
}

static int64_t next_ms(struct player *player)
{
	if (look(player) != 1)
		return -1;
	return player->next.at_ms;
}

bool player_run(struct player *player, int64_t mono_ms, unsigned most)
{
	bool moved = false;

	for (unsigned i = 0; i < most; i++) {
		bool live = player->follows && player->at_end && !player->clock.paused;
		int64_t next = next_ms(player);

		if (next < 0 && !player->follows) {
			player->clock.mono_ms = mono_ms;
			break;
		}
		if (live && next >= 0) {
			if (next > player_clock_at_ms(&player->clock))
				player_clock_set(&player->clock, next, mono_ms);
		} else if (!player_clock_run(&player->clock, mono_ms, player->last_ms, next)) {
			break;
		}
		if (player_step(player) != 1)
			break;
		moved = true;
		if (live) /* the one behind it has come as well */
			look(player);
	}
	return moved;
}

int64_t player_due(const struct player *player)
{
	if (!player->has_next)
		return -1;
	return player_clock_due(&player->clock, player->last_ms, player->next.at_ms);
}

static void rewind_file(struct player *player)
{
	drop_next(player);
	player->broken = player->at_end = false;
	err_clear(&player->err);
	if (player_file_seek(player->file, 1, &player->err) != 0)
		stop(player);
	model_release(&player->model);
	model_init(&player->model);
	player->event = player->seq = player->ui_event = 0;
	player->last_ms = 0;
}

static void begin(struct player *player, uint64_t event, int64_t at_ms, uint64_t seq)
{
	player->seeking = true;
	player->to_event = event;
	player->to_ms = at_ms;
	player->to_seq = seq;
}

void player_seek_event(struct player *player, uint64_t event)
{
	uint64_t to = event == 0 ? 1 : event;

	if (to < player->event)
		rewind_file(player);
	begin(player, to, INT64_MAX, 0);
}

void player_seek_ms(struct player *player, int64_t at_ms)
{
	if (at_ms < player->last_ms)
		rewind_file(player);
	begin(player, UINT64_MAX, at_ms, 0);
}

void player_seek_call(struct player *player, uint64_t seq)
{
	rewind_file(player);
	begin(player, UINT64_MAX, INT64_MAX, seq);
}

/* The first event is always shown: before it there is nothing to see. */
static bool is_there(struct player *player)
{
	if (player->event == 0)
		return look(player) != 1;
	if (player->to_seq > 0 && player->seq == player->to_seq)
		return true;
	return look(player) != 1 || player->next_line > player->to_event ||
	       player->next.at_ms > player->to_ms;
}

bool player_work(struct player *player, int64_t mono_ms, unsigned most)
{
	for (unsigned i = 0; i < most && player->seeking; i++) {
		player->seeking = !is_there(player);
		if (player->seeking && player_step(player) != 1)
			player->seeking = false;
	}
	if (player->seeking)
		return false;
	int64_t at = player->last_ms;

	/* Between two events time passes too. */
	if (player->to_ms != INT64_MAX && player->to_ms > at && player->has_next)
		at = player->to_ms;
	player_clock_set(&player->clock, at, mono_ms);
	return true;
}

static int seek_time(struct player *player, const char *text, struct err *err)
{
	unsigned hour, minute, second = 0;
	int used = 0;
	time_t start = (time_t)(player->model.start_wall_ms / 1000);
	struct tm tm;

	if ((sscanf(text, "%2u:%2u:%2u%n", &hour, &minute, &second, &used) != 3 ||
		    text[used] != '\0') &&
		(sscanf(text, "%2u:%2u%n", &hour, &minute, &used) != 2 || text[used] != '\0'))
		return err_set(err, ERR_INVALID, "no time, no event, no call: %.60s", text);
	if (hour > 23 || minute > 59 || second > 59 || localtime_r(&start, &tm) == NULL)
		return err_set(err, ERR_INVALID, "no time of a day: %.60s", text);
	int64_t wanted = ((int64_t)hour * 60 + minute) * 60 + second;
	int64_t began = ((int64_t)tm.tm_hour * 60 + tm.tm_min) * 60 + tm.tm_sec;
	int64_t at_ms = (wanted - began) * 1000 - player->model.start_wall_ms % 1000;

	/* A session over midnight. */
	player_seek_ms(player, at_ms < -60000 ? at_ms + DAY_MS : at_ms < 0 ? 0 : at_ms);
	return 0;
}

int player_seek_text(struct player *player, const char *text, struct err *err)
{
	bool call = text[0] == '#';
	const char *digits = call ? text + 1 : text;
	size_t len = strspn(digits, "0123456789");
	uint64_t number;

	if (len == 0 || len > 15 || digits[len] != '\0')
		return seek_time(player, text, err);
	number = strtoull(digits, NULL, 10);
	if (call)
		player_seek_call(player, number);
	else
		player_seek_event(player, number);
	return 0;
}
