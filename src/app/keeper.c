#include "config.h"

#include "app/keeper.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/mem.h"

struct keeper {
	pthread_t thread;
	char *dir;
	struct retain_rules rules;
	int64_t wall_ms;
	struct retain_report report;
	struct err err;
	int status;
	_Atomic bool done;
};

static void *run(void *data)
{
	struct keeper *keeper = data;

	keeper->status = retain_run(
		keeper->dir, &keeper->rules, keeper->wall_ms, &keeper->report, &keeper->err);
	keeper->done = true;
	return NULL;
}

struct keeper *keeper_start(const char *dir, const struct retain_rules *rules, int64_t wall_ms)
{
	struct keeper *keeper = mem_alloc(sizeof(*keeper));
	sigset_t all, before;

	keeper->dir = mem_strdup(dir);
	keeper->rules = *rules;
	keeper->wall_ms = wall_ms;
	/* A signal is for the thread that waits for it. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&keeper->thread, NULL, run, keeper);

	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed == 0)
		return keeper;
	free(keeper->dir);
	free(keeper);
	return NULL;
}

bool keeper_is_done(const struct keeper *keeper)
{
	return keeper->done;
}

int keeper_end(struct keeper *keeper, struct retain_report *ret, struct err *err)
{
	pthread_join(keeper->thread, NULL);
	int status = keeper->status;

	*ret = keeper->report;
	if (status != 0 && err != NULL)
		*err = keeper->err;
	free(keeper->dir);
	free(keeper);
	return status;
}
