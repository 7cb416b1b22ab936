/* A record that is played, for tests of its screen: the day of the queue, 14:32:18 in it, and what is to come. */
#ifndef TESTS_UI_FILM_SCENE_H
#define TESTS_UI_FILM_SCENE_H

#include "fixture.h"
#include "tui/film.h"

struct film_scene {
	struct fixture f; /* its ui is the reviewer's */
	struct ui ui;
	struct film film;
	struct frame frame;
};
/* Paused in the middle of the output of 13, while the reviewer has the card of 14 open. */
void film_scene_open(struct film_scene *s, unsigned cols, unsigned rows);
void film_scene_close(struct film_scene *s);
void film_scene_draw(struct film_scene *s);
/* A key of a person; what it asks for, which the caller releases. */
struct intent film_scene_key(struct film_scene *s, const struct key *key);
struct intent film_scene_char(struct film_scene *s, char ch);

#endif
