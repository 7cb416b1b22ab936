#include "config.h"

#include "app/pieces.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/record_name.h"
#include "app/verify_internal.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/packed.h"

struct piece {
	char *name;
	uint64_t bytes; /* of the last one it may have grown since */
};

struct pieces {
	int dir_fd;
	char *session; /* NULL: one file alone */
	unsigned first;
	struct piece *items;
	size_t count, cap;
	size_t at;       /* the one that is read */
	uint64_t before; /* bytes of those before it */
	int fd;
	struct unpack *unpack; /* NULL: it is not compressed */
	int last_fd;
};

static uint64_t plain_bytes(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

/* Opens items[index] to be read from its start. */
static int stand_in(struct pieces *p, size_t index, struct err *err)
{
	struct unpack *unpack = NULL;
	FD_AUTO int fd = verify_open_record(p->dir_fd, p->items[index].name, err);

	if (fd < 0 || (packed_begins(fd) && unpack_open(fd, &unpack, err) != 0))
		return -1;
	unpack_close(p->unpack);
	fd_close(&p->fd);
	p->unpack = unpack;
	p->fd = fd;
	fd = -1;
	p->at = index;
	p->before = 0;
	for (size_t i = 0; i < index; i++)
		p->before += p->items[i].bytes;
	return 0;
}

/* Takes it as the newest. */
static int add(struct pieces *p, const char *name, struct err *err)
{
	struct unpack *unpack = NULL;
	int fd = verify_open_record(p->dir_fd, name, err);

	if (fd < 0)
		return -1;
	if (packed_begins(fd) && unpack_open(fd, &unpack, err) != 0) {
		fd_close(&fd);
		return -1;
	}
	mem_grow(&p->items, &p->cap, p->count, sizeof(*p->items));
	p->items[p->count++] = (struct piece){.name = mem_strdup(name),
		.bytes = unpack != NULL ? unpack_bytes(unpack) : plain_bytes(fd)};
	unpack_close(unpack);
	fd_close(&p->last_fd);
	p->last_fd = fd;
	return 0;
}

/* Those that began since; true: there were some. What the one before got until then is known now. */
static bool grow(struct pieces *p)
{
	size_t before = p->count;
	struct err none = ERR_INIT;

	while (p->session != NULL) {
		MEM_AUTO char *name = record_name_of(p->session, p->first + (unsigned)p->count);
		int was = dup(p->last_fd);
		int status = add(p, name, &none);

		if (status == 0 && was >= 0 && !packed_begins(was))
			p->items[p->count - 2].bytes = plain_bytes(was);
		fd_close(&was);
		if (status != 0)
			break;
	}
	return p->count > before;
}

int pieces_open(int dir_fd, const char *name, struct pieces **ret, struct err *err)
{
	struct pieces *p = mem_alloc(sizeof(*p));

	p->dir_fd = dir_fd;
	p->fd = p->last_fd = -1;
	p->first = record_name_part(name);
	p->session = p->first > 0 ? record_name_session(name) : NULL;
	if (add(p, name, err) != 0 || stand_in(p, 0, err) != 0) {
		pieces_close(p);
		return -1;
	}
	grow(p);
	*ret = p;
	return 0;
}

void pieces_close(struct pieces *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->count; i++)
		free(p->items[i].name);
	free(p->items);
	unpack_close(p->unpack);
	fd_close(&p->fd);
	fd_close(&p->last_fd);
	free(p->session);
	free(p);
}

static int read_here(struct pieces *p, char *bytes, size_t len, size_t *ret_len, struct err *err)
{
	ssize_t n;

	if (p->unpack != NULL)
		return unpack_read(p->unpack, bytes, len, ret_len, err);
	do {
		n = read(p->fd, bytes, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set_errno(err, "reading the record");
	*ret_len = (size_t)n;
	return 0;
}

int pieces_read(struct pieces *p, char *bytes, size_t len, size_t *ret_len, struct err *err)
{
	for (;;) {
		/* Asked first: whatever was written before the next file began is read before it. */
		bool closed = p->at + 1 < p->count;

		if (read_here(p, bytes, len, ret_len, err) != 0)
			return -1;
		if (*ret_len > 0)
			return 0;
		if (!closed && !grow(p))
			return 0;
		if (closed && stand_in(p, p->at + 1, err) != 0)
			return -1;
	}
}

/* Bytes of a compressed file can only be counted. */
static int skip(struct pieces *p, uint64_t bytes, struct err *err)
{
	char block[16384];
	size_t n = 1;

	while (bytes > 0 && n > 0) {
		size_t want = bytes < sizeof(block) ? (size_t)bytes : sizeof(block);

		if (unpack_read(p->unpack, block, want, &n, err) != 0)
			return -1;
		bytes -= n;
	}
	return 0;
}

int pieces_seek(struct pieces *p, uint64_t offset, struct err *err)
{
	size_t index = 0;

	while (index + 1 < p->count && offset >= p->items[index].bytes)
		offset -= p->items[index++].bytes;
	if ((index != p->at || p->unpack != NULL) && stand_in(p, index, err) != 0)
		return -1;
	if (p->unpack != NULL)
		return skip(p, offset, err);
	if (lseek(p->fd, (off_t)offset, SEEK_SET) < 0)
		return err_set_errno(err, "seeking in %s", p->items[index].name);
	return 0;
}

uint64_t pieces_bytes(struct pieces *p)
{
	uint64_t bytes = 0;

	grow(p);
	if (!packed_begins(p->last_fd))
		p->items[p->count - 1].bytes = plain_bytes(p->last_fd);
	for (size_t i = 0; i < p->count; i++)
		bytes += p->items[i].bytes;
	return bytes;
}

int pieces_last_fd(const struct pieces *p)
{
	return p->last_fd;
}

int pieces_list(int dir_fd, struct strv *ret, struct err *err)
{
	STRV_AUTO struct strv names = STRV_INIT;
	MEM_AUTO char *last = NULL;

	if (verify_list_records(dir_fd, &names, err) != 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		char *session = record_name_session(names.items[i]);

		if (session == NULL || last == NULL || strcmp(session, last) != 0)
			strv_add(ret, names.items[i]);
		free(last);
		last = session;
	}
	return 0;
}
