#include "config.h"

#include "app/seals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/chain.h"
#include "app/seal_keys.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"

/* The order of a seal, and why:
   1. the record's lines are on the disk before they are sealed: a seal over lines that a power loss took would look like a cut tail;
   2. the next key is on the disk before SEALS names it: without it the chain could never go on;
   3. the seal is on the disk before its key is zeroed: without both, the epoch could neither be proved nor sealed again;
   4. the key is zeroed, and that is on the disk before anything else is sealed.
   A crash between 2 and 3 leaves the keys of two epochs and no seal: the same seal is made again, with the same next key. One between
   3 and 4 leaves a key that is used up: it is zeroed by whoever looks next. */

#define NO_SEALS                                                                                   \
	"this record has no seals yet: run \"exequatur audit init-seals\" once, and keep the key " \
	"that it prints elsewhere"

struct seals {
	int fd;
	uint64_t size, whole; /* bytes; of its whole lines */
	uint64_t epoch;       /* of the last whole line; 0: there is none */
	struct digest last;   /* of that line */
	struct digest next;   /* the key that it promises */
	struct seal_keys keys;
};

static void seals_close(struct seals *s)
{
	seal_keys_close(&s->keys);
	fd_close(&s->fd);
}

static int open_seals(int dir_fd, bool create, int *ret_fd, struct err *err)
{
	FD_AUTO int fd = openat(dir_fd, SEALS_NAME,
		O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
			(create ? O_CREAT : 0),
		0600);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_NOT_FOUND, NO_SEALS);
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "opening %s", SEALS_NAME);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return err_set(err, ERR_REFUSED, "%s is not a file of this user", SEALS_NAME);
	if ((st.st_mode & 0777) != 0600 && fchmod(fd, 0600) != 0)
		return err_set_errno(err, "closing %s to others", SEALS_NAME);
	if (fd_lock(fd, true, SEALS_NAME, err) != 0)
		return -1;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static int take_last(struct seals *s, const char *text, size_t len, struct err *err)
{
	struct seal_line line;

	if (seal_line_parse(text, len, &line, err) != 0)
		return err_context(err, "%s is altered", SEALS_NAME);
	digest_bytes(text, len, &s->last);
	s->epoch = line.epoch;
	s->next = line.next;
	seal_line_release(&line);
	return 0;
}

static int read_tail(struct seals *s, struct err *err)
{
	char bytes[4 * SEAL_LINE_BYTES];
	struct stat st;

	if (fstat(s->fd, &st) != 0)
		return err_set_errno(err, "looking at %s", SEALS_NAME);
	s->size = (uint64_t)st.st_size;
	size_t len = s->size < sizeof(bytes) ? (size_t)s->size : sizeof(bytes);

	if (pread(s->fd, bytes, len, (off_t)(s->size - len)) != (ssize_t)len)
		return err_set_errno(err, "reading %s", SEALS_NAME);
	const char *newline = memrchr(bytes, '\n', len);

	if (newline == NULL && len < s->size)
		return err_set(
			err, ERR_INVALID, "%s is altered: a line of it is too long", SEALS_NAME);
	if (newline == NULL)
		return 0;
	const char *before = memrchr(bytes, '\n', (size_t)(newline - bytes));
	const char *line = before == NULL ? bytes : before + 1;

	s->whole = s->size - len + (size_t)(newline - bytes) + 1;
	return take_last(s, line, (size_t)(newline - line), err);
}

/* Else whatever would be sealed could not be proved, or an older copy of the directory was put back. */
static int check_key(const struct seals *s, struct err *err)
{
	const struct seal_key *key = seal_keys_of(&s->keys, s->epoch + 1);
	struct digest public_key;

	if (key == NULL)
		return err_set(err, ERR_REFUSED,
			"%s does not hold the key of epoch %" PRIu64
			", which %s expects: one of the two was removed, changed or put back",
			SEAL_KEYS_NAME, s->epoch + 1, SEALS_NAME);
	seal_key_public(key, &public_key);
	if (s->epoch > 0 && !digest_equal(&public_key, &s->next))
		return err_set(err, ERR_REFUSED, "the key in %s is not the one that %s expects",
			SEAL_KEYS_NAME, SEALS_NAME);
	return 0;
}

static void tell(struct str *told, const char *before, uint64_t epoch, const char *after)
{
	str_printf(told, "%s%s %" PRIu64 " %s", told->len > 0 ? "; " : "", before, epoch, after);
}

static int mend(struct seals *s, struct str *told, struct err *err)
{
	if (s->size > s->whole) {
		/* It was never a seal: the key that was to make it is there and makes it again. */
		if (ftruncate(s->fd, (off_t)s->whole) != 0)
			return err_set_errno(err, "taking a torn line from %s", SEALS_NAME);
		s->size = s->whole;
		tell(told, "a crash tore the seal of epoch", s->epoch + 1,
			"before it was whole; nothing is lost, it is made again");
	} else if (seal_keys_of(&s->keys, s->epoch + 2) != NULL) {
		tell(told, "a crash came before the seal of epoch", s->epoch + 1,
			"was recorded; nothing is lost, it is made again");
	}
	if (s->epoch == 0 || seal_keys_of(&s->keys, s->epoch) == NULL)
		return 0;
	tell(told, "a crash came before the key of epoch", s->epoch,
		"was zeroed; it is zeroed now");
	/* Its seal may be in memory alone. */
	if (fdatasync(s->fd) != 0)
		return err_set_errno(err, "syncing %s", SEALS_NAME);
	return seal_keys_erase(&s->keys, s->epoch, err);
}

static int seals_open(int dir_fd, struct seals *s, struct str *told, struct err *err)
{
	*s = (struct seals){.fd = -1, .keys.fd = -1};
	if (open_seals(dir_fd, false, &s->fd, err) == 0 && read_tail(s, err) == 0 &&
		seal_keys_open(dir_fd, false, &s->keys, err) == 0 && check_key(s, err) == 0 &&
		mend(s, told, err) == 0)
		return 0;
	seals_close(s);
	return -1;
}

int seals_check(int dir_fd, uint64_t *ret_epoch, struct str *told, struct err *err)
{
	struct seals s;

	if (seals_open(dir_fd, &s, told, err) != 0)
		return -1;
	*ret_epoch = s.epoch + 1;
	seals_close(&s);
	return 0;
}

/* CHAIN's last line, on the disk. By a descriptor of our own: a lock belongs to it, and a session that holds CHAIN's by another one
   keeps it. */
static int read_chain(int dir_fd, struct digest *ret, struct err *err)
{
	FD_AUTO int fd = -1;
	CLEANUP(chain_tail_release) struct chain_tail tail = {0};

	if (chain_open(dir_fd, &fd, err) != 0 || chain_lock(fd, false, err) != 0)
		return -1;
	int status = chain_read_tail(fd, &tail, err);

	chain_unlock(fd);
	if (status == 0 && fdatasync(fd) != 0)
		return err_set_errno(err, "syncing %s", CHAIN_NAME);
	*ret = tail.digest;
	return status;
}

int seals_chain_digest(const char *dir, struct digest *ret, struct err *err)
{
	FD_AUTO int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return dir_fd < 0 ? err_set_errno(err, "opening %s", dir) : read_chain(dir_fd, ret, err);
}

static int append(struct seals *s, const struct str *text, struct err *err)
{
	if (fd_write_all(s->fd, text->data, text->len, err) == 0) {
		if (fdatasync(s->fd) == 0)
			return 0;
		err_set_errno(err, "syncing %s", SEALS_NAME);
	}
	/* Whether it is on the disk nobody knows: it is taken back, and its key is kept. */
	if (ftruncate(s->fd, (off_t)s->whole) != 0)
		err_context(err, "%s, and its torn line cannot be taken back", SEALS_NAME);
	return -1;
}

static int seal(struct seals *s, struct seal_line *line, struct err *err)
{
	STR_AUTO struct str text = STR_INIT;
	const struct seal_key *next;

	if (seal_keys_make(&s->keys, line->epoch + 1, err) != 0)
		return -1;
	next = seal_keys_of(&s->keys, line->epoch + 1);
	seal_key_public(next, &line->next);
	seal_line_sign(line, seal_keys_of(&s->keys, line->epoch), &text);
	str_add_char(&text, '\n');
	if (append(s, &text, err) != 0)
		return -1;
	return seal_keys_erase(&s->keys, line->epoch, err);
}

int seals_add(int dir_fd, const struct seals_point *point, int64_t wall_ms, struct str *told,
	struct err *err)
{
	struct seals s;

	if (seals_open(dir_fd, &s, told, err) != 0)
		return -1;
	struct seal_line line = {.prev = s.last,
		.epoch = s.epoch + 1,
		.file = mem_strdup(point->events > 0 ? point->file : NULL),
		.events = point->events,
		.digest = point->digest};

	clock_format_utc(wall_ms, line.wall);
	int status = read_chain(dir_fd, &line.chain, err);

	if (status == 0)
		status = seal(&s, &line, err);
	seal_line_release(&line);
	seals_close(&s);
	return status;
}

/* What SEALS begins with, for whoever asks for it a second time. */
static int refuse_again(const struct seals *s, struct err *err)
{
	char bytes[2 * SEAL_LINE_BYTES], hex[DIGEST_HEX_BYTES];
	ssize_t n = pread(s->fd, bytes, sizeof(bytes), 0);
	const char *newline = n > 0 ? memchr(bytes, '\n', (size_t)n) : NULL;
	struct seal_line line;

	if (newline == NULL || seal_line_parse(bytes, (size_t)(newline - bytes), &line, err) != 0)
		return err_set(err, ERR_REFUSED, "%s is there already, and altered", SEALS_NAME);
	digest_hex(&line.key, hex);
	seal_line_release(&line);
	return err_set(err, ERR_REFUSED,
		"there are seals already, up to epoch %" PRIu64
		"; their first line names the key %s",
		s->epoch, hex);
}

static int begin(int dir_fd, struct seals *s, struct digest *ret_key, struct err *err)
{
	if (open_seals(dir_fd, true, &s->fd, err) != 0 || read_tail(s, err) != 0)
		return -1;
	if (s->epoch > 0)
		return refuse_again(s, err);
	/* A key that an earlier try left has sealed nothing. */
	if (seal_keys_open(dir_fd, true, &s->keys, err) != 0 ||
		seal_keys_erase(&s->keys, 2, err) != 0 || seal_keys_make(&s->keys, 1, err) != 0)
		return -1;
	seal_key_public(seal_keys_of(&s->keys, 1), ret_key);
	return fsync(dir_fd) == 0 ? 0 : err_set_errno(err, "syncing the record's directory");
}

int seals_init(int dir_fd, int64_t wall_ms, struct digest *ret_key, struct err *err)
{
	struct seals s = {.fd = -1, .keys.fd = -1};
	STR_AUTO struct str told = STR_INIT;
	const struct seals_point nothing = {0};
	int status = begin(dir_fd, &s, ret_key, err);

	seals_close(&s);
	return status == 0 ? seals_add(dir_fd, &nothing, wall_ms, &told, err) : -1;
}
