/* The time of a recording: it runs faster or slower than that of the world, stands still, and leaves long waits out. Pure: the world's time
   is an argument. */
#ifndef APP_PLAYER_CLOCK_H
#define APP_PLAYER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct player_clock {
	int64_t at_us;   /* of the recording, since the session's start */
	int64_t mono_ms; /* of the world, when that was so */
	int speed;       /* a power of two */
	bool paused;
	int64_t max_wait_ms; /* nothing happens longer than that: the next event comes at once; 0: all waits are kept */
};

void player_clock_set(struct player_clock *clock, int64_t at_ms, int64_t mono_ms);
int64_t player_clock_at_ms(const struct player_clock *clock);
/* Lets it run up to mono_ms. last_ms: of the event that came last; next_ms: of the next one, -1: there is none, and the clock goes on.
   true: the next event is due, and the clock stands at its time; what is left of the world's time is kept for the call behind that. */
bool player_clock_run(
	struct player_clock *clock, int64_t mono_ms, int64_t last_ms, int64_t next_ms);
/* Milliseconds of the world until the next event is due; -1: it never is by itself. */
int64_t player_clock_due(const struct player_clock *clock, int64_t last_ms, int64_t next_ms);
/* Changes that must not let the time jump. */
void player_clock_pause(struct player_clock *clock, bool paused, int64_t mono_ms);
void player_clock_speed(struct player_clock *clock, int speed, int64_t mono_ms);

#endif
