#include "config.h"

#include "tests/unit/ui_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void script_open_card(struct world *world)
{
	world_init(world, 80, 24);
	world_call(world, "git diff --stat HEAD~3", 6);
	world_follow(world);
	assert_int_equal(world->ui.view, VIEW_CARD);
	assert_int_equal(world->ui.card_seq, 1);
}

static void resize(struct world *world, unsigned cols)
{
	ui_resize(&world->ui, cols, 24, world->now_ms);
	world_follow(world);
}

static void set_state(struct world *world, enum job_state state)
{
	world_state(world, 1, state);
}

static void act_narrow(struct world *world)
{
	resize(world, 70);
}

static void act_small(struct world *world)
{
	resize(world, UI_MIN_COLS - 1);
}

static void act_large(struct world *world)
{
	resize(world, 80);
}

static void act_wide(struct world *world)
{
	ui_resize(&world->ui, 120, 36, world->now_ms);
	world_follow(world);
}

static void act_change(struct world *world)
{
	world_change(world, 1);
}

static void act_danger(struct world *world)
{
	world_danger(world->model.jobs[0], "hidden");
}

static void act_two_dangers(struct world *world)
{
	act_danger(world);
	world_danger(world->model.jobs[0], "remote");
	act_danger(world);
}

static void act_withdraw(struct world *world)
{
	set_state(world, JOB_WITHDRAWN);
}

static void act_expire(struct world *world)
{
	set_state(world, JOB_EXPIRED);
}

static void act_run(struct world *world)
{
	set_state(world, JOB_RUNNING);
}

static void act_end(struct world *world)
{
	set_state(world, JOB_ENDED);
}

static void act_arrive(struct world *world)
{
	world_call(world, "ls", 3);
	world_follow(world);
}

static void act_break_record(struct world *world)
{
	model_set_record_failed(&world->model, "disk full");
	world_follow(world);
}

static void act_disturb(struct world *world)
{
	ui_disturb(&world->ui, world->now_ms);
	world_draw(world);
}

void script_act(struct world *world, enum deed deed)
{
	static void (*const deeds[])(struct world *) = {
		[NARROW] = act_narrow,
		[SMALL] = act_small,
		[LARGE] = act_large,
		[WIDE] = act_wide,
		[CHANGE] = act_change,
		[DANGER] = act_danger,
		[TWO_DANGERS] = act_two_dangers,
		[WITHDRAW] = act_withdraw,
		[EXPIRE] = act_expire,
		[RUN] = act_run,
		[END] = act_end,
		[ARRIVE] = act_arrive,
		[BREAK_RECORD] = act_break_record,
		[DISTURB] = act_disturb,
	};

	if (deeds[deed] != NULL)
		deeds[deed](world);
}

static void type(struct world *world, const char *bytes, bool in_pieces)
{
	size_t len = bytes == NULL ? 0 : strlen(bytes);
	size_t step = in_pieces ? 1 : len;

	for (size_t i = 0; i < len; i += step)
		world_type(world, world->now_ms, bytes + i, step);
}

static void check(const struct script *script, const struct world *world)
{
	if (strcmp(str_c(&world->log), script->intents) != 0)
		fail_msg("%s: \"%s\", not \"%s\" (%s)", script->name, str_c(&world->log),
			script->intents, world->ui.message);
	if (script->message != NULL && strcmp(world->ui.message, script->message) != 0)
		fail_msg("%s: says \"%s\", not \"%s\"", script->name, world->ui.message,
			script->message);
	/* A yes is for the card that was on the screen, and that is the one that is there. */
	if (strncmp(script->intents, "approve", 7) == 0)
		assert_true(digest_equal(&world->decided, &world->model.jobs[0]->card->digest));
}

static void script_run(const struct script *script, bool in_pieces)
{
	struct world world;

	script_open_card(&world);
	for (size_t i = 0; i < STEPS_MAX; i++) {
		const struct step *step = &script->steps[i];

		if (step->bytes == NULL && step->deed == NOTHING && step->at_ms == 0)
			break;
		world_run(&world, step->at_ms);
		type(&world, step->bytes, in_pieces);
		script_act(&world, step->deed);
	}
	world_run(&world, world.now_ms + 2000);
	check(script, &world);
	world_release(&world);
}

void scripts_run(const struct script *scripts, size_t count, bool in_pieces)
{
	for (size_t i = 0; i < count; i++)
		script_run(&scripts[i], in_pieces);
}
