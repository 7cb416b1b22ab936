#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "golden.h"
#include "scenes.h"

/* Each scene as a picture. */

static void scene_is_as_in_its_picture(void **state)
{
	const struct scene *scene = *state;
	STR_AUTO struct str have = STR_INIT;
	struct fixture f;

	scene_open(scene, &f);
	frame_print(&f.frame, scene->styles, &have);
	fixture_close(&f);
	golden_check(scene->name, &have);
}

int main(void)
{
	size_t count = scene_count + sized_scene_count;
	struct CMUnitTest *tests = mem_array(count, sizeof(*tests));
	int failed;

	for (size_t i = 0; i < count; i++) {
		const struct scene *scene =
			i < scene_count ? &scenes[i] : &sized_scenes[i - scene_count];

		tests[i] = (struct CMUnitTest){.name = scene->name,
			.test_func = scene_is_as_in_its_picture,
			.initial_state = (void *)(uintptr_t)scene};
	}
	failed = _cmocka_run_group_tests("frames", tests, count, NULL, NULL);
	free(tests);
	return failed;
}
