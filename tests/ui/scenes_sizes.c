#include "config.h"

#include "scenes.h"

#include "base/mem.h"
#include "scenes_set.h"

/* The frames of the screens, each also at the smallest size, at the first wide one, and at two large ones. They stand apart from the
   others, whose tests try each at every size anyway. */

#define WIDE_ONES(name, set)                                                                       \
	{name "-110x30", 110, 30, set, false, false},                                              \
		{name "-200x50", 200, 50, set, false, false},                                      \
	{                                                                                          \
		name "-300x100", 300, 100, set, false, false                                       \
	}
#define ALL_OF(name, set) {name "-60x16", 60, 16, set, false, false}, WIDE_ONES(name, set)

const struct scene sized_scenes[] = {
	WIDE_ONES("queue", set_queue),
	ALL_OF("card-everyday", set_everyday),
	WIDE_ONES("card-off", set_card_off),
	ALL_OF("card-ready", set_card_ready),
	WIDE_ONES("output", set_output),
	{"history-110x30", 110, 30, set_history, false, false},
	{"history-300x100", 300, 100, set_history, false, false},
	WIDE_ONES("help", set_help),
	ALL_OF("reject-prompt", set_reject),
	ALL_OF("edit-diff", set_edit_diff),
	ALL_OF("typed-word", set_word),
	ALL_OF("no-sandbox", set_no_sandbox),
	WIDE_ONES("panic", set_panic),
	WIDE_ONES("locked", set_locked),
	ALL_OF("card-hidden", set_hidden),
	ALL_OF("card-blank", set_blank),
	ALL_OF("card-oneliner", set_long),
	ALL_OF("card-finished", set_finished),
};
const size_t sized_scene_count = ARRAY_LEN(sized_scenes);
