#include "config.h"

#include "app/audit_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/chain.h"
#include "base/fd.h"
#include "base/json_digest.h"
#include "base/mem.h"

#define CHAIN_STACK_BYTES 65536 /* for one system call, and for what a sanitizer adds */

static void *chain_thread(void *data)
{
	struct audit *audit = data;

	audit->chain_errno = fdatasync(audit->chain_fd) == 0 ? 0 : errno;
	return NULL;
}

void audit_sync_ahead(struct audit *audit)
{
	sigset_t all, before;
	pthread_attr_t attr;

	if (audit->chain_synced || audit->chain_thread_runs)
		return;
	/* A signal is for the thread that waits for it. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, CHAIN_STACK_BYTES);
	audit->chain_thread_runs =
		pthread_create(&audit->chain_thread, &attr, chain_thread, audit) == 0;
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* 0, or the error of the disk. */
static int end_chain_sync(struct audit *audit)
{
	if (!audit->chain_thread_runs)
		return fdatasync(audit->chain_fd) == 0 ? 0 : errno;
	pthread_join(audit->chain_thread, NULL);
	audit->chain_thread_runs = false;
	return audit->chain_errno;
}

static void release(struct audit *audit)
{
	if (audit->chain_thread_runs)
		end_chain_sync(audit);
	for (size_t i = 0; i < audit->dead_count; i++)
		found_file_release(&audit->dead[i]);
	free(audit->dead);
	fd_close(&audit->fd);
	fd_close(&audit->before_fd);
	fd_close(&audit->chain_fd);
	fd_close(&audit->dir_fd);
	free(audit->file);
	free(audit->session);
	free(audit->before);
	free(audit->previous);
	str_release(&audit->line);
	free(audit);
}

static int open_all(struct audit *audit, const char *dir, int64_t wall_ms,
	struct found_list *ret_found, struct err *err)
{
	if (audit_open_directory(dir, &audit->dir_fd, err) != 0 ||
		chain_open(audit->dir_fd, &audit->chain_fd, err) != 0 ||
		audit_begin_file(audit, wall_ms, err) != 0)
		return -1;
	return audit_find_dead(audit, ret_found, err);
}

int audit_open(const char *dir, int64_t wall_ms, struct audit **ret, struct digest *ret_chain,
	struct found_list *ret_found, struct err *err)
{
	struct audit *audit = mem_alloc(sizeof(*audit));
	struct found_list found = {0};

	audit->dir_fd = audit->chain_fd = audit->fd = audit->before_fd = -1;
	if (open_all(audit, dir, wall_ms, &found, err) != 0) {
		found_list_release(&found);
		release(audit);
		return -1;
	}
	*ret_found = found;
	*ret_chain = audit->chain;
	*ret = audit;
	return 0;
}

const char *audit_session(const struct audit *audit)
{
	return audit->session;
}

const struct digest *audit_chain(const struct audit *audit)
{
	return &audit->chain;
}

bool audit_dirty(const struct audit *audit)
{
	return audit->appended != audit->synced;
}

void audit_point(const struct audit *audit, struct audit_point *ret)
{
	*ret = audit->durable;
}

bool audit_failed(const struct audit *audit)
{
	return audit->failed;
}

/* The first line of a file ties it to CHAIN; when that is a gap, only the writer knows to what. */
static void complete_gap(const struct audit *audit, struct event *event)
{
	if (event->fields == NULL)
		event->fields = json_new_object();
	json_set_str(event->fields, "session", audit->session);
	json_set_digest(event->fields, "chain", &audit->chain);
	json_set_str(event->fields, "before", audit->before);
	json_set_digest(event->fields, "before_digest", &audit->before_digest);
}

/* The same of a file that goes on where the one before was full. */
static void complete_continued(const struct audit *audit, struct event *event)
{
	json_set_int(event->fields, "part", audit->part);
	json_set_str(event->fields, "before", audit->previous);
}

/* A torn line may stand in the file now: no line may follow it. */
static int fail(struct audit *audit, struct event *event)
{
	audit->failed = true;
	event->number = 0;
	return -1;
}

static int write_line(struct audit *audit, struct event *event, struct err *err)
{
	struct digest digest;

	event->number = audit->number + 1;
	str_clear(&audit->line);
	event_print(event, &audit->last, &audit->line);
	if (audit->line.len > EVENT_LINE_BYTES) {
		err_set(err, ERR_LIMIT, "an event of %zu bytes, more than a line may have",
			audit->line.len);
		return fail(audit, event);
	}
	digest_bytes(audit->line.data, audit->line.len, &digest);
	str_add_char(&audit->line, '\n');
	if (fd_write_all(audit->fd, audit->line.data, audit->line.len, err) != 0) {
		err_context(err, "writing the record");
		return fail(audit, event);
	}
	audit->last = digest;
	audit->number++;
	audit->bytes += audit->line.len;
	audit->appended++;
	audit->ended = event->type == EVENT_SESSION_END;
	return 0;
}

int audit_append(struct audit *audit, struct event *event, struct err *err)
{
	if (audit->failed) {
		event->number = 0;
		return err_set(err, ERR_UNAVAILABLE, "the record could not be written");
	}
	bool gap = event->type == EVENT_GAP && audit->before != NULL;

	if (gap)
		complete_gap(audit, event);
	else if (event->type == EVENT_CONTINUED)
		complete_continued(audit, event);
	if (write_line(audit, event, err) != 0)
		return -1;
	int status = 0;

	/* The event first: a session that dies between the two leaves the file to be found again,
	   not forgotten. */
	if (gap)
		status = audit_chain_before(audit, err);
	else if (event->type == EVENT_FOUND_OPEN)
		status = audit_chain_found(audit, event, err);
	if (status != 0)
		audit->failed = true;
	return status;
}

int audit_sync(struct audit *audit, struct err *err)
{
	uint64_t appended = audit->appended;
	struct audit_point point = {.events = audit->number, .digest = audit->last};

	if (audit->failed)
		return err_set(err, ERR_UNAVAILABLE, "the record could not be written");
	/* The start line before the file's own lines: a file that CHAIN does not know would look
	   forged after a power loss. */
	if (!audit->chain_synced) {
		errno = end_chain_sync(audit);
		if (errno != 0) {
			audit->failed = true;
			return err_set_errno(err, "syncing %s", CHAIN_NAME);
		}
		audit->chain_synced = true;
	}
	if (audit_hold_name(audit, err) != 0) {
		audit->failed = true;
		return -1;
	}
	/* After a failed fdatasync the kernel may have dropped the pages: trying again would
	   succeed and prove nothing. */
	if (fdatasync(audit->fd) != 0) {
		audit->failed = true;
		return err_set_errno(err, "syncing the record");
	}
	audit->synced = appended;
	snprintf(point.file, sizeof(point.file), "%s", audit->file);
	audit->durable = point;
	return 0;
}

/* The torn line that the failed write left behind the last whole one. */
static void read_torn(struct audit *audit)
{
	struct stat st;
	uint64_t size = fstat(audit->before_fd, &st) == 0 ? (uint64_t)st.st_size : 0;

	audit->before_torn = size > audit->bytes && size - audit->bytes <= EVENT_LINE_BYTES;
	if (!audit->before_torn)
		return;
	size_t len = (size_t)(size - audit->bytes);
	MEM_AUTO char *bytes = mem_array(len, 1);

	audit->before_torn =
		pread(audit->before_fd, bytes, len, (off_t)audit->bytes) == (ssize_t)len;
	if (audit->before_torn)
		digest_bytes(bytes, len, &audit->before_torn_digest);
}

/* The file that broke, for the gap to tell. A try that broke before its own gap was written has
   nothing to tell: the gap still speaks of the file before it. */
static void keep_before(struct audit *audit, char *file, int fd)
{
	if (audit->before != NULL && audit->number == 0) {
		fd_close(&fd);
		free(file);
		return;
	}
	free(audit->before);
	fd_close(&audit->before_fd);
	audit->before = file;
	audit->before_fd = fd;
	audit->before_digest = audit->last;
	audit->before_events = audit->number;
	read_torn(audit);
}

int audit_recover(struct audit *audit, int64_t wall_ms, struct err *err)
{
	int broken_fd = audit->fd;
	char *broken_file = audit->file;
	char *broken_session = audit->session;

	if (!audit->failed)
		return 0;
	/* What it says is of a line before the new one. */
	if (audit->chain_thread_runs)
		end_chain_sync(audit);
	if (audit_begin_file(audit, wall_ms, err) != 0)
		return -1;
	keep_before(audit, broken_file, broken_fd);
	free(broken_session);
	audit->last = (struct digest){{0}};
	audit->number = audit->bytes = 0;
	audit->ended = false;
	audit->appended = audit->synced = 0;
	audit->next_at = audit->most_bytes;
	audit->chain_synced = false;
	audit->failed = false;
	return 0;
}

static int append_end(struct audit *audit, struct err *err)
{
	struct chain_line line = {.kind = CHAIN_END,
		.file = audit->file,
		.digest = audit->last,
		.events = audit->number};
	struct digest digest;

	/* The end line says what the file holds: it must not reach the disk before it. */
	if (audit_dirty(audit) && audit_sync(audit, err) != 0)
		return -1;
	if (chain_lock(audit->chain_fd, true, err) != 0)
		return -1;
	int status = chain_append(audit->chain_fd, &line, &digest, err);

	chain_unlock(audit->chain_fd);
	strv_release(&line.open);
	return status;
}

int audit_close(struct audit *audit, struct err *err)
{
	int status = 0;

	/* Without session_end, or with a torn line, CHAIN gets no end line: the file is found open
	   by the next session. */
	if (!audit->failed && audit->ended)
		status = append_end(audit, err);
	release(audit);
	return status;
}
