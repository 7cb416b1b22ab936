/* The situations of the golden frames. */
#ifndef TESTS_UI_SCENES_H
#define TESTS_UI_SCENES_H

#include <stdbool.h>
#include <stddef.h>

#include "fixture.h"

struct scene {
	const char *name; /* tests/golden/ui/NAME.txt */
	unsigned cols, rows;
	void (*set)(struct fixture *f); /* up to the last thing before the frame is drawn */
	bool ascii, styles;
};
extern const struct scene scenes[];
extern const size_t scene_count;
/* Those at other sizes. */
extern const struct scene sized_scenes[];
extern const size_t sized_scene_count;

/* Sets the scene up and draws its frame. */
void scene_open(const struct scene *scene, struct fixture *f);

#endif
