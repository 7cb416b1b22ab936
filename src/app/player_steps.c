#include "config.h"

#include "app/player_steps.h"

/* One step on its way. */
struct step {
	struct player *player;
	struct player_film *pf;
	const struct intent *intent;
	int64_t mono_ms;
};

static void hold(const struct step *s, bool paused)
{
	player_clock_pause(&s->player->clock, paused, s->mono_ms);
}

/* At the end it begins anew. */
static void toggle(const struct step *s)
{
	bool over = s->player->at_end && !s->player->has_next && !s->player->follows;

	if (over)
		player_seek_event(s->player, 1);
	hold(s, over ? false : !s->player->clock.paused);
}

/* Who steps through events looks at each: the film stands still. */
static void event_on(const struct step *s)
{
	hold(s, true);
	player_seek_event(s->player, s->player->event + 1);
}

static void event_back(const struct step *s)
{
	hold(s, true);
	player_seek_event(s->player, s->player->event > 1 ? s->player->event - 1 : 1);
}

static void go_to(const struct step *s, const struct film_mark *mark, const char *none)
{
	if (mark != NULL)
		player_seek_event(s->player, mark->event);
	else
		ui_say(&s->pf->ui, "%s",
			s->pf->film.counting ? "the record is still being read, none so far"
					     : none);
}

static void decision_on(const struct step *s)
{
	go_to(s, film_next(&s->pf->film, s->player->event, film_is_decision),
		"no decision behind this");
}

static void decision_back(const struct step *s)
{
	go_to(s, film_before(&s->pf->film, s->player->event, film_is_decision),
		"no decision before this");
}

static void failure_on(const struct step *s)
{
	go_to(s, film_next(&s->pf->film, s->player->event, film_is_failure),
		"no limit or failure behind this");
}

static void slower(const struct step *s)
{
	if (s->player->clock.speed <= FILM_SPEED_MIN)
		ui_say(&s->pf->ui, "this is the slowest");
	else
		player_clock_speed(&s->player->clock, s->player->clock.speed - 1, s->mono_ms);
}

static void faster(const struct step *s)
{
	if (s->player->clock.speed >= FILM_SPEED_MAX)
		ui_say(&s->pf->ui, "this is the fastest");
	else
		player_clock_speed(&s->player->clock, s->player->clock.speed + 1, s->mono_ms);
}

static void go_to_text(const struct step *s)
{
	struct err err = ERR_INIT;

	if (player_seek_text(s->player, s->intent->text, &err) != 0)
		ui_say(&s->pf->ui, "%s", err.text);
}

static void go_to_part(const struct step *s)
{
	double part = (double)s->intent->until / 1e6;

	player_seek_ms(s->player, (int64_t)((double)s->pf->film.last_ms * part));
}

void player_step_film(
	struct player *player, struct player_film *pf, const struct intent *intent, int64_t mono_ms)
{
	static void (*const steps[FILM_STEP_COUNT])(const struct step *) = {
		[FILM_PAUSE] = toggle,
		[FILM_EVENT_ON] = event_on,
		[FILM_EVENT_BACK] = event_back,
		[FILM_DECISION_ON] = decision_on,
		[FILM_DECISION_BACK] = decision_back,
		[FILM_FAILURE_ON] = failure_on,
		[FILM_SLOWER] = slower,
		[FILM_FASTER] = faster,
		[FILM_GOTO] = go_to_text,
		[FILM_BAR] = go_to_part,
	};
	struct step step = {player, pf, intent, mono_ms};

	steps[intent->seq](&step);
}
