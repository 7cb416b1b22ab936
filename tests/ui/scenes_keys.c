#include "config.h"

#include "scenes_set.h"

#include "base/mem.h"

/* Frames of a person who moved keys. The scene is made with the keys of the table, then they are moved. */
static void move_keys(struct fixture *f)
{
	static const char *const bindings[] = {"approve=f", "reject=d", "part-next=Ctrl-F",
		"details=i", "back=Backspace", "open=p", "waiting-next=]", "waiting-back=[",
		"find=s", "match-next=.", "match-back=,", "stop=z", "yes=w", "quit=Q", "help=H",
		"stop-all=%", "view-output=7", "view-grants=8", "down=Down", "up=Up", "lock=Z"};

	for (size_t i = 0; i < ARRAY_LEN(bindings); i++)
		strv_add(&f->model.keys, bindings[i]);
	ui_follow(&f->ui, &f->model, f->now_ms);
}

void set_keys_card(struct fixture *f)
{
	set_card_ready(f);
	move_keys(f);
}

void set_keys_off(struct fixture *f)
{
	set_card_off(f);
	move_keys(f);
}

void set_keys_queue(struct fixture *f)
{
	set_queue(f);
	move_keys(f);
}

void set_keys_help(struct fixture *f)
{
	set_help(f);
	move_keys(f);
}

void set_keys_question(struct fixture *f)
{
	set_stop(f);
	move_keys(f);
}
