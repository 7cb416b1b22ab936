#include "config.h"

#include "app/past.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/player_file.h"
#include "app/record_name.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"

const char *past_ending_name(enum past_ending ending)
{
	static const char *const names[PAST_ENDING_COUNT] = {"ended", "open", "cut"};

	return names[ending];
}

char *past_session(const char *path)
{
	char *session = record_name_session(path_basename(path));

	return session != NULL ? session : mem_strdup(path_basename(path));
}

void past_end_release(struct past_end *end)
{
	free(end->session);
	free(end->broken);
	*end = (struct past_end){0};
}

struct tour {
	struct player_file *file;
	const struct past_visitor *visitor;
	struct model *model;
	struct past_end *end;
	uint64_t first;
};

static void break_here(struct tour *t, const char *why)
{
	MEM_AUTO char *shown = text_escaped(player_file_name(t->file));

	t->end->broken = mem_printf("%s:%" PRIu64 ": %s", shown, player_file_line(t->file), why);
}

static int tell_call(struct tour *t, const struct job *job, struct err *err)
{
	t->end->calls++;
	if (t->visitor->call == NULL)
		return 0;
	return t->visitor->call(t->visitor->data, job, t->model, err);
}

static int tell(struct tour *t, const struct event *event, struct err *err)
{
	int status = 0;

	if (t->visitor->event != NULL)
		status = t->visitor->event(t->visitor->data, event, t->model, err);
	if (status != 0 || event->type != EVENT_ANSWERED)
		return status;
	const struct job *job = model_job(t->model, event->seq);

	return job == NULL ? 0 : tell_call(t, job, err);
}

/* 1: read no further. */
static int take(struct tour *t, const struct event *event, struct err *err)
{
	struct err own = ERR_INIT;

	if (!player_file_continues(t->file)) {
		break_here(t, "it does not continue the line before: one of them was changed, "
			      "taken out or moved");
		return 1;
	}
	if (t->end->events == 0)
		t->first = event->number;
	/* A file that continues another one counts on. */
	if (event->number != t->first + t->end->events) {
		break_here(t, "another line belongs here: lines were taken out, put in or moved");
		return 1;
	}
	if (model_apply(t->model, event, &own) != 0) {
		break_here(t, own.text);
		return 1;
	}
	if (t->end->events++ == 0)
		t->end->start_wall_ms = event->wall_ms;
	t->end->last_wall_ms = event->wall_ms;
	return tell(t, event, err);
}

static int read_events(struct tour *t, struct err *err)
{
	int status = 0;

	while (status == 0) {
		struct event event = {0};
		struct err own = ERR_INIT;
		int got = player_file_next(t->file, &event, &own);

		if (got < 0 && own.code == ERR_SYSTEM) {
			*err = own;
			return -1;
		}
		if (got < 0)
			t->end->broken = mem_strdup(own.text);
		if (got != 1)
			return 0;
		status = take(t, &event, err);
		event_release(&event);
	}
	return status;
}

/* Calls that no answer ended, and so were not told yet. */
static int tell_rest(struct tour *t, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < t->model->count && status == 0; i++) {
		if (!t->model->jobs[i]->answered)
			status = tell_call(t, t->model->jobs[i], err);
	}
	return status;
}

static enum past_ending ending_of(const struct tour *t)
{
	if (t->model->ended)
		return PAST_ENDED;
	return player_file_is_open(t->file) ? PAST_OPEN : PAST_CUT;
}

int past_read(const char *path, const struct past_visitor *visitor, struct model *model,
	struct past_end *ret_end, struct err *err)
{
	struct tour t = {.visitor = visitor, .model = model, .end = ret_end};

	*ret_end = (struct past_end){0};
	model_init(model);
	if (player_file_open(path, &t.file, err) != 0)
		return -1;
	ret_end->session = past_session(path);
	int status = read_events(&t, err);

	/* A visitor that has enough wants no calls either. */
	if (status == 0 || (status == 1 && ret_end->broken != NULL))
		status = tell_rest(&t, err);
	ret_end->ending = ending_of(&t);
	ret_end->torn = ret_end->broken == NULL && player_file_is_torn(t.file);
	player_file_close(t.file);
	return status < 0 ? -1 : 0;
}
