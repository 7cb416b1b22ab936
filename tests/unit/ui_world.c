#include "config.h"

#include "tests/unit/ui_world.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/intent.h"

static const char *const intent_names[INTENT_COUNT] = {
	[INTENT_APPROVE] = "approve",
	[INTENT_REJECT] = "reject",
	[INTENT_EDIT] = "edit",
	[INTENT_EDITOR] = "editor",
	[INTENT_GRANT] = "grant",
	[INTENT_REVOKE] = "revoke",
	[INTENT_STOP] = "stop",
	[INTENT_EXTEND] = "extend",
	[INTENT_SAVE] = "save",
	[INTENT_QUIT] = "quit",
	[INTENT_STOP_ALL] = "stop-all",
	[INTENT_OPEN_INTAKE] = "open-intake",
	[INTENT_LOCK] = "lock",
	[INTENT_UNLOCK] = "unlock",
	[INTENT_REJECT_ALL] = "reject-all",
	[INTENT_REFUSE_SENDER] = "refuse-sender",
	[INTENT_TAKE_SENDER] = "take-sender",
	[INTENT_APPROVE_MARKED] = "approve-marked",
	[INTENT_REJECT_MARKED] = "reject-marked",
	[INTENT_REDRAW] = "redraw",
};

void world_init(struct world *world, unsigned cols, unsigned rows)
{
	*world = (struct world){.keys = key_parser_new()};
	ui_init(&world->ui, cols, rows);
	model_init(&world->model);
	world->model.approval_timeout_ms = 300000;
	world->model.max_running = 4;
}

void world_release(struct world *world)
{
	ui_release(&world->ui);
	model_release(&world->model);
	key_parser_free(world->keys);
	str_release(&world->log);
}

static void count_states(struct model *model)
{
	model->waiting = 0;
	model->running = 0;
	model->done = 0;
	model_relist(model);
	for (size_t i = 0; i < model->count; i++) {
		enum job_state state = model->jobs[i]->state;

		model->waiting += state == JOB_WAITING;
		model->running += state >= JOB_APPROVED && state <= JOB_STOPPING;
		model->done += state >= JOB_ENDED;
	}
}

static void new_digest(struct card *card)
{
	static uint64_t number;

	number++;
	digest_bytes(&number, sizeof(number), &card->digest);
}

struct job *world_call(struct world *world, const char *command, unsigned facts)
{
	struct model *model = &world->model;
	struct job *job = mem_alloc(sizeof(*job));

	job->seq = model->count + 1;
	job->state = JOB_WAITING;
	job->command = mem_strdup(command);
	job->agent = mem_strdup("build-bot");
	job->received_at_ms = world->now_ms;
	job->deadline_at_ms = world->now_ms + model->approval_timeout_ms;
	job->decided_at_ms = job->started_at_ms = job->stopping_at_ms = job->ended_at_ms = -1;
	job->exit_code = -1;
	job->card = mem_alloc(sizeof(*job->card));
	card_init(job->card);
	job->card->seq = job->seq;
	job->card->command = mem_strdup(command);
	for (unsigned i = 0; i < facts; i++)
		line_add(
			fact_line(facts_add(&job->card->facts, "fact")), SPAN_OURS, "number %u", i);
	new_digest(job->card);
	mem_grow(&model->jobs, &model->cap, model->count, sizeof(struct job *));
	model->jobs[model->count++] = job;
	count_states(model);
	return job;
}

void world_danger(struct job *job, const char *word)
{
	struct unusual_list *list = &job->card->unusual;

	mem_grow(&list->items, &list->cap, list->count, sizeof(*list->items));
	list->items[list->count++] = (struct unusual){.severity = SEVERITY_DANGER,
		.line = 1,
		.len = 1,
		.what = mem_strdup("hides a character in a word"),
		.summary = mem_strdup("hides characters"),
		.word = word};
}

void world_change(struct world *world, uint64_t seq)
{
	new_digest(model_job(&world->model, seq)->card);
	world_follow(world);
}

void world_state(struct world *world, uint64_t seq, enum job_state state)
{
	struct job *job = model_job(&world->model, seq);

	job->state = state;
	if (state == JOB_RUNNING)
		job->started_at_ms = world->now_ms;
	if (state >= JOB_ENDED)
		job->ended_at_ms = world->now_ms;
	count_states(&world->model);
	world_follow(world);
}

void world_draw(struct world *world)
{
	ui_drawing(&world->ui, world->now_ms);
	ui_drawn(&world->ui, &world->model, world->now_ms);
}

void world_follow(struct world *world)
{
	ui_follow(&world->ui, &world->model, world->now_ms);
	world_draw(world);
}

static void note(struct world *world, struct intent *intent)
{
	if (intent->kind != INTENT_REDRAW) {
		str_printf(&world->log, "%s%s", world->log.len > 0 ? ", " : "",
			intent_names[intent->kind]);
		if (intent->seq != 0)
			str_printf(&world->log, " %" PRIu64, intent->seq);
		if (intent->minutes > 0)
			str_printf(&world->log, " %ux%u", intent->minutes, intent->times);
		if (intent->text != NULL)
			str_printf(&world->log, " \"%s\"", intent->text);
		str_printf(&world->log, "@%" PRId64, world->now_ms);
		world->decided = intent->digest;
	}
	intent_release(intent);
}

static void take_keys(struct world *world)
{
	struct key key;

	while (key_parser_next(world->keys, world->now_ms, &key)) {
		struct intent intent = {.kind = INTENT_NONE};

		if (ui_key(&world->ui, &world->model, &key, world->now_ms, &intent) == 1)
			note(world, &intent);
		world_draw(world);
	}
}

static void wake(struct world *world)
{
	struct intent intent = {.kind = INTENT_NONE};

	take_keys(world);
	if (ui_tick(&world->ui, &world->model, world->now_ms, &intent) == 1)
		note(world, &intent);
	world_draw(world);
}

void world_run(struct world *world, int64_t until_ms)
{
	for (;;) {
		int64_t next = ui_next_tick(&world->ui, &world->model, world->now_ms);
		int64_t deadline = key_parser_deadline(world->keys);

		/* Asked to be woken at once, again and again: a loop that never sleeps. */
		assert_true(next < 0 || next > world->now_ms);
		if (next < 0 || (deadline >= 0 && deadline < next))
			next = deadline;
		if (next < 0 || next > until_ms)
			break;
		world->now_ms = next;
		world->ticks++;
		wake(world);
	}
	world->now_ms = until_ms;
}

void world_type(struct world *world, int64_t at_ms, const char *bytes, size_t len)
{
	world_run(world, at_ms);
	key_parser_feed(world->keys, bytes, len, at_ms);
	take_keys(world);
}

void world_keys(struct world *world, int64_t at_ms, const char *bytes)
{
	world_type(world, at_ms, bytes, strlen(bytes));
}

enum gate world_gate(const struct world *world)
{
	return ui_gate(&world->ui, &world->model, world->now_ms);
}

size_t world_unseen(const struct world *world)
{
	size_t total, unseen;

	ui_seen_rows(&world->ui, &world->model, &total, &unseen);
	return unseen;
}

size_t world_total(const struct world *world)
{
	size_t total, unseen;

	ui_seen_rows(&world->ui, &world->model, &total, &unseen);
	return total;
}
