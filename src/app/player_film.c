#include "config.h"

#include "app/player_film.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/chain.h"
#include "app/verify.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"

void player_film_init(struct player_film *pf, unsigned cols, unsigned rows)
{
	*pf = (struct player_film){0};
	ui_init(&pf->ui, cols, rows);
	ui_film_begin(&pf->ui, cols, rows);
}

static void drop_then(struct player_film *pf)
{
	if (pf->has_then)
		ui_release(&pf->then);
	pf->has_then = false;
}

void player_film_release(struct player_film *pf)
{
	drop_then(pf);
	ui_release(&pf->ui);
}

/* What was recorded of the screen is read twice: what had been seen of the card goes to both. One that is wrong is as none. */
static void read_then(struct player_film *pf, const struct player *player)
{
	struct ui other;
	struct err err = ERR_INIT;

	drop_then(pf);
	pf->then_event = player->ui_event;
	if (player->ui_event == 0 || ui_from_json(player->model.last_ui, &pf->then, &err) != 0)
		return;
	pf->has_then = true;
	if (ui_from_json(player->model.last_ui, &other, &err) != 0)
		return;
	ui_film_take_seen(&pf->ui, &other);
	ui_release(&other);
}

void player_film_update(
	struct player_film *pf, const struct player *player, const struct player_marks *marks)
{
	struct film *film = &pf->film;
	bool other = pf->then_event != player->ui_event || (player->ui_event > 0 && !pf->has_then);

	if (other)
		read_then(pf, player);
	if (pf->has_then && !pf->ui.film_own)
		ui_film_go(&pf->ui, &player->model, &pf->then);
	ui_film_follow(&pf->ui, &player->model);
	film->paused = player->clock.paused;
	film->at_end = player->at_end && !player->has_next;
	film->follows = player->follows;
	film->seeking = player->seeking;
	film->speed = player->clock.speed;
	film->cuts_waits = player->clock.max_wait_ms > 0;
	film->event = player->event;
	film->events = marks->events > player->event ? marks->events : player->event;
	film->counting = !marks->done;
	film->at_ms = player_clock_at_ms(&player->clock);
	film->last_ms = marks->last_ms > player->last_ms ? marks->last_ms : player->last_ms;
	film->start_wall_ms = player->model.start_wall_ms;
	film->marks = marks->items;
	film->mark_count = marks->count;
	film->broken = player->broken ? player->err.text : NULL;
	film->then = pf->has_then ? &pf->then : NULL;
}

/* "NAME:88: altered: ..." */
static uint64_t altered_line(const char *path, const char *report)
{
	MEM_AUTO char *name = text_escaped(path_basename(path));
	size_t len = strlen(name);

	for (const char *at = report; at != NULL && *at != '\0'; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, name, len) == 0 && at[len] == ':')
			return strtoull(at + len + 1, NULL, 10);
	}
	return 0;
}

static bool has_chain(const char *path)
{
	MEM_AUTO char *dir = path_dirname(path);
	MEM_AUTO char *chain = path_join(dir, CHAIN_NAME);

	return access(chain, F_OK) == 0;
}

enum film_record player_film_record(
	const char *path, int status, const char *report, uint64_t *ret_line)
{
	*ret_line = 0;
	if (status < 0 || !has_chain(path))
		return FILM_UNPROVED;
	if (status == VERIFY_WHOLE)
		return FILM_WHOLE;
	if (status == VERIFY_ALTERED) {
		*ret_line = altered_line(path, report);
		return FILM_ALTERED;
	}
	return strstr(report, "still open") != NULL ? FILM_STILL_OPEN : FILM_ENDS_EARLY;
}
