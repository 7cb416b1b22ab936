#include "config.h"

#include "scenes_set.h"

/* What `/` seeks in the lists, and on the help page. */

void set_find_queue_prompt(struct fixture *f)
{
	set_history(f);
	fixture_press(f, "1/bot");
}

void set_find_queue(struct fixture *f)
{
	set_find_queue_prompt(f);
	fixture_press(f, "<Enter>");
	fixture_char(f, 'n');
}

void set_find_queue_none(struct fixture *f)
{
	set_find_queue_prompt(f);
	fixture_press(f, " nothing-has-this");
	fixture_code(f, KEY_CODE_ENTER);
}

void set_find_help(struct fixture *f)
{
	set_help_queue(f);
	fixture_press(f, "/view");
	fixture_code(f, KEY_CODE_ENTER);
}

void set_find_agents(struct fixture *f)
{
	set_agents(f);
	fixture_press(f, "/scrap");
	fixture_code(f, KEY_CODE_ENTER);
}

void set_find_grants(struct fixture *f)
{
	set_grants(f);
	fixture_press(f, "/test");
	fixture_code(f, KEY_CODE_ENTER);
}
