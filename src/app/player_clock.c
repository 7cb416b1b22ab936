#include "config.h"

#include "app/player_clock.h"

#define US_PER_MS 1000
/* A film of a forged record, or one that was stopped for a year, must not overflow. */
#define ELAPSED_MAX_MS ((int64_t)1 << 36)

static int64_t to_film_us(const struct player_clock *clock, int64_t ms)
{
	int64_t us = (ms > ELAPSED_MAX_MS ? ELAPSED_MAX_MS : ms) * US_PER_MS;

	return clock->speed >= 0 ? us << clock->speed : us >> -clock->speed;
}

/* Rounded down, or for a wait up: an event is never early. */
static int64_t to_world_ms(const struct player_clock *clock, int64_t us, bool up)
{
	int64_t scaled = clock->speed >= 0 ? us >> clock->speed : us << -clock->speed;

	return (scaled + (up ? US_PER_MS - 1 : 0)) / US_PER_MS;
}

static bool is_long(const struct player_clock *clock, int64_t last_ms, int64_t next_ms)
{
	return clock->max_wait_ms > 0 && next_ms - last_ms > clock->max_wait_ms;
}

static int64_t due_us(const struct player_clock *clock, int64_t last_ms, int64_t next_ms)
{
	return (is_long(clock, last_ms, next_ms) ? last_ms + clock->max_wait_ms : next_ms) *
	       US_PER_MS;
}

void player_clock_set(struct player_clock *clock, int64_t at_ms, int64_t mono_ms)
{
	clock->at_us = at_ms * US_PER_MS;
	clock->mono_ms = mono_ms;
}

int64_t player_clock_at_ms(const struct player_clock *clock)
{
	return clock->at_us / US_PER_MS;
}

bool player_clock_run(struct player_clock *clock, int64_t mono_ms, int64_t last_ms, int64_t next_ms)
{
	int64_t elapsed = mono_ms > clock->mono_ms ? mono_ms - clock->mono_ms : 0;

	if (clock->paused) {
		clock->mono_ms = mono_ms;
		return false;
	}
	int64_t target = clock->at_us + to_film_us(clock, elapsed);
	int64_t due = next_ms < 0 ? 0 : due_us(clock, last_ms, next_ms);

	if (next_ms < 0 || target < due) {
		/* What is less than a millisecond of the world stays with it. */
		if (to_film_us(clock, elapsed) > 0) {
			clock->at_us = target;
			clock->mono_ms = mono_ms;
		}
		return false;
	}
	int64_t rest = target - (due > clock->at_us ? due : clock->at_us);

	clock->mono_ms = mono_ms - to_world_ms(clock, rest, false);
	if (next_ms * US_PER_MS > clock->at_us || is_long(clock, last_ms, next_ms))
		clock->at_us = next_ms * US_PER_MS;
	return true;
}

int64_t player_clock_due(const struct player_clock *clock, int64_t last_ms, int64_t next_ms)
{
	if (clock->paused || next_ms < 0)
		return -1;
	int64_t wait = due_us(clock, last_ms, next_ms) - clock->at_us;

	return wait > 0 ? to_world_ms(clock, wait, true) : 0;
}

void player_clock_pause(struct player_clock *clock, bool paused, int64_t mono_ms)
{
	clock->paused = paused;
	clock->mono_ms = mono_ms;
}

void player_clock_speed(struct player_clock *clock, int speed, int64_t mono_ms)
{
	clock->speed = speed;
	clock->mono_ms = mono_ms;
}
