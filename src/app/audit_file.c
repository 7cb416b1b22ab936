#include "config.h"

#include "app/audit_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/chain.h"
#include "app/record_name.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

#define NAME_TRIES 64
/* Each costs reading a file; the rest is found by the sessions after this one. */
#define DEAD_MAX 64

static char *new_session(int64_t wall_ms)
{
	unsigned char random[2];
	char when[32];

	clock_format_compact(wall_ms, when);
	digest_random(random, sizeof(random));
	return mem_printf("%s-%d-%02x%02x", when, (int)getpid(), random[0], random[1]);
}

/* The mode of open() is only ever lessened by the umask; here it becomes exactly this. */
static int set_mode(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0600)
		return 0;
	return fchmod(fd, 0600);
}

int audit_create(int dir_fd, const char *file, struct err *err)
{
	FD_AUTO int fd = openat(
		dir_fd, file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0) {
		int why = errno;

		err_set_errno(err, "making %s", file);
		errno = why;
		return -1;
	}
	if (set_mode(fd) != 0 || flock(fd, LOCK_EX) != 0) {
		int why = errno;

		err_set_errno(err, "locking %s", file);
		unlinkat(dir_fd, file, 0);
		errno = why;
		return -1;
	}
	int ret = fd;

	fd = -1;
	return ret;
}

/* The file under a name that nobody has. */
static int create_file(
	int dir_fd, int64_t wall_ms, char **ret_session, int *ret_fd, struct err *err)
{
	for (unsigned i = 0; i < NAME_TRIES; i++) {
		MEM_AUTO char *session = new_session(wall_ms);
		MEM_AUTO char *file = record_name_of(session, 1);
		int fd = audit_create(dir_fd, file, err);

		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd < 0)
			return -1;
		err_clear(err);
		*ret_session = STEAL(session);
		*ret_fd = fd;
		return 0;
	}
	return err_set(err, ERR_SYSTEM, "no free name for a session file");
}

int audit_begin_file(struct audit *audit, int64_t wall_ms, struct err *err)
{
	MEM_AUTO char *session = NULL;
	FD_AUTO int fd = -1;
	struct digest digest;

	/* All under the lock of CHAIN: whoever looks at the directory under it finds both or
	   neither. */
	if (chain_lock(audit->chain_fd, true, err) != 0)
		return -1;
	int status = create_file(audit->dir_fd, wall_ms, &session, &fd, err);

	if (status == 0) {
		struct chain_line line = {.kind = CHAIN_START, .file = record_name_of(session, 1)};

		status = chain_append(audit->chain_fd, &line, &digest, err);
		if (status != 0)
			unlinkat(audit->dir_fd, line.file, 0);
		chain_line_release(&line);
	}
	chain_unlock(audit->chain_fd);
	if (status != 0)
		return -1;
	audit->fd = fd;
	fd = -1;
	audit->session = STEAL(session);
	audit->file = record_name_of(audit->session, 1);
	audit->part = 1;
	audit->chain = digest;
	return 0;
}

static int read_open(struct audit *audit, struct strv *ret, struct err *err)
{
	struct chain_tail tail;

	if (chain_lock(audit->chain_fd, false, err) != 0)
		return -1;
	int status = chain_read_tail(audit->chain_fd, &tail, err);

	chain_unlock(audit->chain_fd);
	if (status != 0)
		return -1;
	strv_copy(ret, &tail.open);
	chain_tail_release(&tail);
	return 0;
}

static void keep_dead(struct audit *audit, struct found_file *file, struct found_list *ret)
{
	const struct found_open *told = &file->told;
	struct found_open copy = *told;

	copy.file = mem_strdup(told->file);
	copy.calls = mem_array(told->call_count + 1, sizeof(*copy.calls));
	memcpy(copy.calls, told->calls, told->call_count * sizeof(*copy.calls));
	ret->items = mem_resize(ret->items, ret->count + 1, sizeof(*ret->items));
	ret->items[ret->count++] = copy;
	audit->dead = mem_resize(audit->dead, audit->dead_count + 1, sizeof(*audit->dead));
	audit->dead[audit->dead_count++] = *file;
}

static bool is_open(const struct audit *audit, const char *file)
{
	struct chain_tail tail;
	struct err err = ERR_INIT;

	if (chain_read_tail(audit->chain_fd, &tail, &err) != 0)
		return true;
	bool open = strv_has(&tail.open, file);

	chain_tail_release(&tail);
	return open;
}

/* Its writer may have ended it between our look at CHAIN and our lock: then the end line stood
   before the lock was free. */
static bool is_still_open(const struct audit *audit, const char *file)
{
	struct err err = ERR_INIT;

	if (chain_lock(audit->chain_fd, false, &err) != 0)
		return false;
	bool open = is_open(audit, file);

	chain_unlock(audit->chain_fd);
	return open;
}

int audit_find_dead(struct audit *audit, struct found_list *ret, struct err *err)
{
	STRV_AUTO struct strv open = STRV_INIT;

	if (read_open(audit, &open, err) != 0)
		return -1;
	for (size_t i = 0; i < open.count && audit->dead_count < DEAD_MAX; i++) {
		struct found_file file;

		/* Our own lock would look free to us: flock belongs to the open file, and this is
		   another one. */
		if (strcmp(open.items[i], audit->file) == 0)
			continue;
		if (found_look(audit->dir_fd, open.items[i], &file) == FOUND_LIVE)
			continue;
		if (is_still_open(audit, open.items[i]))
			keep_dead(audit, &file, ret);
		else
			found_file_release(&file);
	}
	return 0;
}

static int append_found(struct audit *audit, struct chain_line *line, struct err *err)
{
	struct digest digest;
	int status = 0;

	if (chain_lock(audit->chain_fd, true, err) != 0)
		return -1;
	/* Another session may have found and told it between our look and its lock. */
	if (is_open(audit, line->file))
		status = chain_append(audit->chain_fd, line, &digest, err);
	chain_unlock(audit->chain_fd);
	return status;
}

int audit_chain_found(struct audit *audit, const struct event *event, struct err *err)
{
	const char *name = json_get_str(event->fields, "file");

	for (size_t i = 0; name != NULL && i < audit->dead_count; i++) {
		struct found_file *file = &audit->dead[i];

		if (strcmp(file->told.file, name) != 0)
			continue;
		struct chain_line line = {.kind = CHAIN_FOUND,
			.file = mem_strdup(name),
			.missing = file->missing,
			.digest = file->told.digest,
			.events = file->events,
			.torn = file->told.torn,
			.torn_digest = file->torn_digest};
		int status = append_found(audit, &line, err);

		chain_line_release(&line);
		fd_close(&file->lock_fd);
		return status;
	}
	return 0;
}

int audit_chain_before(struct audit *audit, struct err *err)
{
	struct chain_line line = {.kind = CHAIN_FOUND,
		.file = STEAL(audit->before),
		.digest = audit->before_digest,
		.events = audit->before_events,
		.torn = audit->before_torn,
		.torn_digest = audit->before_torn_digest};
	int status = append_found(audit, &line, err);

	chain_line_release(&line);
	fd_close(&audit->before_fd);
	return status;
}
