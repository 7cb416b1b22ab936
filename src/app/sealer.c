#include "config.h"

#include "app/sealer.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"

static void *make_seal(void *data)
{
	struct sealer *sealer = data;
	const struct seals_point point = {.file = sealer->point.file,
		.events = sealer->point.events,
		.digest = sealer->point.digest};

	sealer->status =
		seals_add(sealer->dir_fd, &point, sealer->wall_ms, &sealer->told, &sealer->err);
	uv_async_send(&sealer->ended);
	return NULL;
}

static void join(struct sealer *sealer)
{
	if (sealer->runs)
		pthread_join(sealer->thread, NULL);
	sealer->runs = false;
}

static void tell(struct sealer *sealer)
{
	struct str words STR_AUTO = STR_INIT;

	if (sealer->told.len > 0)
		sealer->trouble(sealer->ctx, str_c(&sealer->told));
	str_clear(&sealer->told);
	if (sealer->status == 0)
		return;
	str_printf(&words, "the record could not be sealed: %s", sealer->err.text);
	sealer->status = 0;
	sealer->trouble(sealer->ctx, str_c(&words));
}

static void on_ended(uv_async_t *async)
{
	struct sealer *sealer = async->data;

	/* A stop has joined it, and told already. */
	if (!sealer->runs)
		return;
	join(sealer);
	tell(sealer);
}

int sealer_open(struct sealer *sealer, const char *dir, uint64_t *ret_epoch, struct str *told,
	struct err *err)
{
	*sealer = (struct sealer){
		.dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
	if (sealer->dir_fd < 0)
		return err_set_errno(err, "opening %s", dir);
	sealer->on = seals_check(sealer->dir_fd, ret_epoch, told, err) == 0;
	if (sealer->on)
		return 0;
	fd_close(&sealer->dir_fd);
	return err_context(err, "sign_events is set, and nothing can be sealed");
}

void sealer_begin(struct sealer *sealer, uv_loop_t *loop, void *ctx,
	void (*trouble)(void *ctx, const char *why))
{
	if (!sealer->on)
		return;
	sealer->ctx = ctx;
	sealer->trouble = trouble;
	sealer->ended.data = sealer;
	uv_async_init(loop, &sealer->ended, on_ended);
	uv_unref((uv_handle_t *)&sealer->ended);
}

static void start(struct sealer *sealer)
{
	sigset_t all, before;

	/* A signal is for the thread that waits for it. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	sealer->runs = pthread_create(&sealer->thread, NULL, make_seal, sealer) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void sealer_look(struct sealer *sealer, const struct audit *audit, unsigned every)
{
	struct audit_point now;

	if (!sealer->on || sealer->runs)
		return;
	audit_point(audit, &now);
	bool same_file = strcmp(now.file, sealer->tried.file) == 0;
	bool first = sealer->tried.file[0] == '\0';

	if ((same_file || first) && now.events < sealer->tried.events + every)
		return;
	/* One that fails is tried again when as many events have come, not at every one. */
	sealer->tried = sealer->point = now;
	sealer->wall_ms = clock_wall_ms();
	start(sealer);
}

void sealer_stop(struct sealer *sealer)
{
	if (!sealer->on || sealer->trouble == NULL)
		return;
	join(sealer);
	tell(sealer);
	sealer->trouble = NULL;
	uv_close((uv_handle_t *)&sealer->ended, NULL);
}

int sealer_close(struct sealer *sealer, int64_t wall_ms, struct str *told, struct err *err)
{
	const struct seals_point chain_alone = {0};
	int status = 0;

	if (!sealer->on)
		return 0;
	status = seals_add(sealer->dir_fd, &chain_alone, wall_ms, told, err);
	fd_close(&sealer->dir_fd);
	str_release(&sealer->told);
	sealer->on = false;
	return status;
}
