#include "config.h"

#include "scenes_set.h"

#include "tui/ui.h"

/* The queue of the pictures, with two calls marked; then their cards as one. */
void set_marked_queue(struct fixture *f)
{
	set_queue(f);
	fixture_press(f, "mjm");
}

void set_marked(struct fixture *f)
{
	set_marked_queue(f);
	fixture_press(f, "<Enter>");
}

/* All of it read. */
void set_marked_ready(struct fixture *f)
{
	set_marked(f);
	for (int i = 0; i < 12; i++) {
		fixture_press(f, "<Space>");
		fixture_later(f, 250);
		fixture_draw(f);
	}
	fixture_later(f, 500);
	fixture_draw(f);
}

void set_marked_reject(struct fixture *f)
{
	set_marked(f);
	fixture_press(f, "rNot today.");
}

/* One of them went while they were read. */
void set_marked_gone(struct fixture *f)
{
	set_marked_ready(f);
	fixture_event(f, EVENT_WITHDRAWN, 15, f->now_ms, fields_str("why", "by the agent"));
	ui_follow(&f->ui, &f->model, f->now_ms);
	fixture_draw(f);
}
