#include "config.h"

#include "app/chain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#define BLOCK_BYTES 4096

int chain_open(int dir_fd, int *ret_fd, struct err *err)
{
	FD_AUTO int fd = openat(dir_fd, CHAIN_NAME,
		O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
	struct stat st;

	if (fd < 0)
		return err_set_errno(err, "opening %s", CHAIN_NAME);
	if (fstat(fd, &st) != 0)
		return err_set_errno(err, "looking at %s", CHAIN_NAME);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return err_set(err, ERR_REFUSED, "%s is not a file of this user", CHAIN_NAME);
	if ((st.st_mode & 0777) != 0600 && fchmod(fd, 0600) != 0)
		return err_set_errno(err, "closing %s to others", CHAIN_NAME);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int chain_lock(int fd, bool exclusive, struct err *err)
{
	return fd_lock(fd, exclusive, CHAIN_NAME, err);
}

void chain_unlock(int fd)
{
	flock(fd, LOCK_UN);
}

void chain_tail_release(struct chain_tail *tail)
{
	strv_release(&tail->open);
}

static int read_at(int fd, uint64_t offset, char *bytes, size_t len, struct err *err)
{
	while (len > 0) {
		ssize_t n = pread(fd, bytes, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0 ? err_set(err, ERR_SYSTEM, "%s became shorter", CHAIN_NAME)
				      : err_set_errno(err, "reading %s", CHAIN_NAME);
		bytes += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* The last bytes: grows until they hold the whole last line and what is behind it. */
static int read_end(int fd, uint64_t size, struct str *ret, struct err *err)
{
	size_t want = BLOCK_BYTES;

	for (;; want *= 4) {
		size_t len = size < want ? (size_t)size : want;
		MEM_AUTO char *bytes = mem_array(len + 1, 1);

		if (read_at(fd, size - len, bytes, len, err) != 0)
			return -1;
		const char *newline = memrchr(bytes, '\n', len);
		const char *before =
			newline == NULL ? NULL : memrchr(bytes, '\n', (size_t)(newline - bytes));

		if (before == NULL && len < size && want <= 2 * CHAIN_LINE_BYTES)
			continue;
		str_add_bytes(ret, bytes, len);
		return 0;
	}
}

static void read_last_line(const char *line, size_t len, struct chain_tail *tail)
{
	struct chain_line parsed;
	struct err err = ERR_INIT;

	digest_bytes(line, len, &tail->digest);
	tail->damaged = chain_parse(line, len, &parsed, &err) != 0;
	if (tail->damaged)
		return;
	tail->open = parsed.open;
	parsed.open = (struct strv)STRV_INIT;
	chain_line_release(&parsed);
}

int chain_read_tail(int fd, struct chain_tail *ret, struct err *err)
{
	STR_AUTO struct str end = STR_INIT;
	struct chain_tail tail = {0};
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_set_errno(err, "looking at %s", CHAIN_NAME);
	tail.size = (uint64_t)st.st_size;
	if (tail.size > 0 && read_end(fd, tail.size, &end, err) != 0)
		return -1;
	const char *bytes = str_c(&end);
	const char *newline = memrchr(bytes, '\n', end.len);
	size_t whole = newline == NULL ? 0 : (size_t)(newline - bytes) + 1;

	tail.fragment = whole < end.len;
	if (tail.fragment)
		digest_bytes(bytes + whole, end.len - whole, &tail.fragment_digest);
	if (newline != NULL) {
		const char *before = memrchr(bytes, '\n', whole - 1);
		const char *line = before == NULL ? bytes : before + 1;

		read_last_line(line, (size_t)(newline - line), &tail);
	}
	*ret = tail;
	return 0;
}

static void open_after(struct chain_line *line, const struct strv *before)
{
	strv_release(&line->open);
	for (size_t i = 0; i < before->count; i++) {
		const char *name = before->items[i];

		if (strcmp(name, line->file) != 0 &&
			(line->kind != CHAIN_NEXT || strcmp(name, line->before) != 0))
			strv_add(&line->open, name);
	}
	if (line->kind == CHAIN_START || line->kind == CHAIN_NEXT)
		strv_add(&line->open, line->file);
}

int chain_append(int fd, struct chain_line *line, struct digest *ret_digest, struct err *err)
{
	STR_AUTO struct str text = STR_INIT;
	CLEANUP(chain_tail_release) struct chain_tail tail = {0};

	if (chain_read_tail(fd, &tail, err) != 0)
		return -1;
	line->prev = tail.digest;
	line->fragment = tail.fragment;
	line->fragment_digest = tail.fragment_digest;
	open_after(line, &tail.open);
	/* A torn line stays what it is and where it is: it gets its newline, and the next line says
	   that it does not count. */
	if (tail.fragment)
		str_add_char(&text, '\n');
	size_t start = text.len;

	chain_print(line, &text);
	digest_bytes(text.data + start, text.len - start, ret_digest);
	str_add_char(&text, '\n');
	if (fd_write_all(fd, text.data, text.len, err) == 0)
		return 0;
	/* What this call left half written a moment ago, under the lock, is no evidence of
	   anything. */
	if (ftruncate(fd, (off_t)tail.size) != 0)
		return err_context(err, "%s, and its torn line cannot be taken back", CHAIN_NAME);
	return err_context(err, "%s", CHAIN_NAME);
}
