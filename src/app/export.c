#include "config.h"

#include "app/export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/exit_status.h"
#include "base/fd.h"
#include "base/mem.h"

#define FLUSH_BYTES (64u << 10)

void export_flush(struct export *e)
{
	if (e->err.code == ERR_NONE && e->buf.len > 0)
		fd_write_all(e->fd, e->buf.data, e->buf.len, &e->err);
	str_clear(&e->buf);
}

void export_add(struct export *e, const char *text)
{
	str_add(&e->buf, text);
	if (e->buf.len >= FLUSH_BYTES)
		export_flush(e);
}

void export_printf(struct export *e, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	MEM_AUTO char *text = mem_vprintf(fmt, args);
	va_end(args);
	export_add(e, text);
}

void export_page_json(struct export *e, const char *json)
{
	for (const char *at = json; *at != '\0';) {
		size_t len = strcspn(at, "<>&");

		str_add_bytes(&e->buf, at, len);
		at += len;
		if (*at != '\0')
			str_printf(&e->buf, "\\u%04x", (unsigned)*at++);
	}
	export_add(e, "");
}

int export_create(const char *path, int *ret_fd, struct err *err)
{
	if (strcmp(path, "-") == 0) {
		*ret_fd = STDOUT_FILENO;
		return 0;
	}
	/* Somebody who may write to the directory must not choose by a link what is overwritten, nor read along. */
	FD_AUTO int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set_errno(err, "creating %s", path);
	if (fchmod(fd, 0600) != 0)
		return err_set_errno(err, "closing %s to others", path);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static bool is_told(const struct export *e, uint64_t seq)
{
	return e->seq == 0 || e->seq == seq;
}

static int take_event(
	void *data, const struct event *event, const struct model *model, struct err *err)
{
	struct export *e = data;

	if (!is_told(e, event->seq))
		return 0;
	if (!e->begun) {
		e->begun = true;
		e->base_ms = e->last_ms = event->at_ms;
		e->start_wall_ms = event->wall_ms;
		if (e->format->begin != NULL)
			e->format->begin(e);
	}
	if (e->format->event != NULL)
		e->format->event(e, event, model);
	if (e->format->plays)
		script_event(&e->script, event, model);
	if (e->err.code == ERR_NONE)
		return 0;
	*err = e->err;
	return -1;
}

/* As `run` would have ended. */
static int status_of(const struct job *job)
{
	const struct result result = {
		.reason = job->reason, .exit_code = job->exit_code, .signal = job->signal};

	return job->state == JOB_ENDED ? exit_status_of(&result) : EXIT_NOT_RUN;
}

static int take_call(void *data, const struct job *job, const struct model *model, struct err *err)
{
	struct export *e = data;

	(void)model;
	if (!is_told(e, job->seq))
		return 0;
	if (e->seq != 0 && job_is_over(job->state))
		e->exit_status = status_of(job);
	if (e->format->call != NULL)
		e->format->call(e, job);
	if (e->err.code != ERR_NONE) {
		*err = e->err;
		return -1;
	}
	return e->seq != 0 ? 1 : 0;
}

static void finish(struct export *e, const struct past_end *end, const struct model *model)
{
	if (e->seq == 0 && end->ending == PAST_ENDED)
		e->exit_status = 0;
	if (!e->begun && e->format->begin != NULL)
		e->format->begin(e);
	if (e->format->end != NULL)
		e->format->end(e, end, model);
	export_flush(e);
}

int export_run(struct export *e, const char *path, struct past_end *ret_end, struct err *err)
{
	const struct past_visitor visitor = {.data = e, .event = take_event, .call = take_call};
	struct model model;

	e->exit_status = -1;
	e->script.mask = &e->mask;
	e->script.data = e;
	int status = past_read(path, &visitor, &model, ret_end, err);

	if (status == 0 && !e->begun && e->seq != 0)
		status = err_set(err, ERR_NOT_FOUND, "there is no call #%" PRIu64 " in %s", e->seq,
			ret_end->session);
	if (status == 0)
		finish(e, ret_end, &model);
	if (status == 0 && e->err.code != ERR_NONE) {
		*err = e->err;
		status = -1;
	}
	model_release(&model);
	past_rows_release(&e->rows);
	str_release(&e->buf);
	mask_release(&e->mask);
	return status;
}
