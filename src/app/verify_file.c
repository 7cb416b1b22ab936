#include "config.h"

#include "app/verify_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/lines.h"
#include "app/record_name.h"
#include "app/verify_seals.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/event.h"

/* The chain of one file while it is read. A line whose `prev` does not fit may have been changed
   itself, or the one before it was: the line behind it tells which, so the verdict waits for that.
   */
struct follow {
	const struct verify_entry *entry;
	uint64_t base;      /* lines of the session's files before this one */
	uint64_t count;     /* of the last whole line read, counted from there */
	struct digest last; /* of the last one */
	bool suspect;       /* the last one does not continue the one before */
	bool end_seen;      /* the last one is session_end */
	uint64_t bad_line;  /* 0: none */
	const char *why;
	struct verify_anchors *anchors;
	const char *name;
	size_t point;         /* of entry->points, the next one */
	uint64_t sealed_line; /* up to here what was sealed is there */
	uint64_t broken;      /* the line that was sealed otherwise; 0: none */
};

static void blame(struct follow *f, uint64_t line, const char *why)
{
	if (f->bad_line != 0)
		return;
	f->bad_line = line;
	f->why = why;
}

static const char changed[] = "this line is not what was written";

static void resolve(struct follow *f, bool last_is_intact)
{
	if (f->suspect)
		blame(f, last_is_intact && f->count > f->base + 1 ? f->count - 1 : f->count,
			changed);
	f->suspect = false;
}

/* A first line is bound to CHAIN by the digest of its own start line there. */
static bool is_bound(const struct follow *f, const char *line, size_t len)
{
	struct event event = {0};
	struct digest prev, chain;
	struct err err = ERR_INIT;

	if (f->entry == NULL)
		return true; /* said elsewhere */
	int status = event_parse(line, len, &event, &prev, &err);
	const char *hex = json_get_str(event.fields, "chain");
	bool bound = status == 0 && hex != NULL && digest_from_hex(hex, &chain) == 0 &&
		     digest_equal(&chain, &f->entry->start);

	event_release(&event);
	return bound;
}

/* What was sealed of the line that was read last. */
static void check_points(struct follow *f)
{
	const struct verify_entry *entry = f->entry;

	for (; entry != NULL && f->point < entry->point_count &&
		entry->points[f->point].line == f->count;
		f->point++) {
		if (f->broken == 0 && !digest_equal(&entry->points[f->point].digest, &f->last))
			f->broken = f->count;
		if (f->broken == 0)
			f->sealed_line = f->count;
	}
}

/* The chain alone names a changed line exactly; one that was written anew with all that follows is only known to lie between two
   seals. */
static void check_sealed(struct follow *f)
{
	static const char anew[] = "a line from here on is not what was sealed: the chain was "
				   "written anew";
	bool more = f->entry != NULL && f->point < f->entry->point_count;

	if (f->broken != 0 && (f->bad_line == 0 || f->bad_line > f->broken)) {
		f->bad_line = f->sealed_line + 1;
		f->why = anew;
	} else if (f->bad_line == 0 && more) {
		blame(f, f->count + 1,
			"the file ends before this line, which was sealed: its tail was taken off");
	}
}

static void take_line(struct follow *f, const char *line, size_t len)
{
	struct line_head head;
	bool whole = line_head(line, len, &head) == 0;
	bool continues = whole && digest_equal(&head.prev, &f->last);

	resolve(f, continues);
	if (f->bad_line != 0)
		return;
	f->count++;
	if (!whole)
		blame(f, f->count, "this is no line of a record");
	else if (head.number != f->count)
		blame(f, f->count,
			"another line belongs here: lines were taken out, put in or moved");
	else if (f->count == f->base + 1 && (!continues || !is_bound(f, line, len)))
		blame(f, f->count, "this is not the first line that CHAIN expects");
	f->suspect = !continues;
	f->end_seen = line_has_type(line, len, event_type_name(EVENT_SESSION_END));
	digest_bytes(line, len, &f->last);
	verify_anchors_line(f->anchors, &f->last, f->name, f->count - f->base);
	check_points(f);
}

/* Whether line `number` of this file is an event by itself. */
static bool is_event(int fd, uint64_t number)
{
	struct lines lines;
	struct event event = {0};
	struct digest prev;
	struct err err = ERR_INIT;
	const char *line;
	size_t len;
	uint64_t at = 0;
	bool good = false;

	if (lseek(fd, 0, SEEK_SET) !=
		0) /* lines_init() knows a compressed one by its first bytes */
		return true;
	lines_init(&lines, fd);
	while (at < number && lines_next(&lines, &line, &len, &err) == 1)
		at++;
	if (at == number)
		good = event_parse(line, len, &event, &prev, &err) == 0 ||
		       err.code == ERR_NOT_FOUND;
	event_release(&event);
	lines_release(&lines);
	return good;
}

/* A newline that was changed, or made, joins or splits lines: what is wrong begins a line before
   the place where counting fails. */
static void look_back(struct follow *f, int fd)
{
	if (f->bad_line < f->base + 2 || f->why == changed ||
		is_event(fd, f->bad_line - 1 - f->base))
		return;
	f->bad_line--;
	f->why = changed;
}

static int read_lines(
	struct follow *f, int fd, size_t *ret_rest, struct digest *ret_torn, struct err *err)
{
	struct lines lines;
	struct err own = ERR_INIT;
	const char *line;
	size_t len;
	int status;

	lines_init(&lines, fd);
	while ((status = lines_next(&lines, &line, &len, &own)) == 1 && f->bad_line == 0)
		take_line(f, line, len);
	*ret_rest = status == 0 ? lines_rest(&lines, &line) : 0;
	if (*ret_rest > 0)
		digest_bytes(line, *ret_rest, ret_torn);
	lines_release(&lines);
	if (status < 0 && (own.code == ERR_LIMIT || own.code == ERR_INVALID)) {
		blame(f, f->count + 1,
			own.code == ERR_LIMIT ? "a line longer than any that is written"
					      : "the compressed file is damaged");
		status = 0;
	}
	if (status < 0)
		*err = own;
	return status < 0 ? -1 : 0;
}

static bool same_tail(const struct verify_entry *entry, size_t rest, const struct digest *torn)
{
	if (rest == 0 || !entry->torn)
		return rest == 0 && !entry->torn;
	return digest_equal(torn, &entry->torn_digest);
}

/* Against the number and the digest that CHAIN has for the file. */
static void check_end(struct follow *f, size_t rest, const struct digest *torn)
{
	const struct verify_entry *entry = f->entry;
	bool known = entry != NULL && (entry->ended || entry->found) && !entry->missing;
	bool equal = known && f->count == entry->events && digest_equal(&f->last, &entry->digest);

	resolve(f, equal);
	if (!known || f->bad_line != 0)
		return;
	if (f->count < entry->events)
		blame(f, f->count + 1,
			"the file ends before this line, which CHAIN knows: its tail was taken "
			"off");
	else if (f->count > entry->events)
		blame(f, entry->events + 1, "this line was added after the end that CHAIN knows");
	else if (!equal)
		blame(f, f->count, changed);
	else if (!same_tail(entry, rest, torn))
		blame(f, f->count + 1,
			"what follows the last whole line is not what was found there");
}

/* Only asked about files that seem unfinished. The lock is given back at once, with the descriptor.
   */
static bool is_live(int fd)
{
	return flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

static const char *early_words(const struct follow *f, int fd, size_t rest)
{
	if (is_live(fd))
		return "still open";
	if (rest > 0)
		return "ends early, in a torn line";
	if (f->count == f->base)
		return "ends early: nothing was written";
	return f->end_seen ? "ends early: CHAIN has no end line for it"
			   : "ends early: its session did not end";
}

static enum verify_status say(
	const struct follow *f, const char *name, int fd, size_t rest, struct str *out)
{
	uint64_t count = f->count - f->base;
	const char *plural = count == 1 ? "event" : "events";

	if (f->bad_line != 0) {
		str_printf(
			out, "%s:%" PRIu64 ": altered: %s\n", name, f->bad_line - f->base, f->why);
		return VERIFY_ALTERED;
	}
	if (f->entry == NULL && count > 0) {
		str_printf(out, "%s:1: altered: CHAIN does not know this file\n", name);
		return VERIFY_ALTERED;
	}
	if (f->entry != NULL && f->entry->ended) {
		str_printf(out, "%s: whole, %" PRIu64 " %s%s\n", name, count, plural,
			f->entry->pruned_at != NULL ? "; CHAIN says that it was pruned" : "");
		return VERIFY_WHOLE;
	}
	if (f->entry != NULL && f->entry->missing) {
		str_printf(out, "%s:1: altered: CHAIN says that it was gone already\n", name);
		return VERIFY_ALTERED;
	}
	str_printf(out, "%s:%" PRIu64 ": %s, after %" PRIu64 " %s\n", name,
		count + (rest > 0 ? 1 : 0), early_words(f, fd, rest), count, plural);
	return VERIFY_ENDS_EARLY;
}

static int open_plain(int dir_fd, const char *name, struct err *err)
{
	struct stat st;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return err_set_errno(err, "looking at %s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "%s is not a plain file", name);
	FD_AUTO int fd =
		openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "opening %s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "%s is not a plain file", name);
	int ret = fd;

	fd = -1;
	return ret;
}

int verify_open_record(int dir_fd, const char *name, struct err *err)
{
	struct err none = ERR_INIT;
	int fd = open_plain(dir_fd, name, err);

	if (fd >= 0 || (err != NULL && err->code != ERR_NOT_FOUND))
		return fd;
	MEM_AUTO char *packed = mem_printf("%s%s", name, RECORD_PACKED);

	fd = open_plain(dir_fd, packed, &none);
	/* What cannot be found has the name that was asked for. */
	if (fd >= 0)
		err_clear(err);
	else if (err != NULL && none.code != ERR_NOT_FOUND)
		*err = none;
	return fd;
}

int verify_file(int dir_fd, const char *name, const struct verify_entry *entry,
	struct verify_anchors *anchors, struct str *out, uint64_t *ret_events, struct err *err)
{
	struct follow f = {.entry = entry, .anchors = anchors, .name = name};

	if (entry != NULL) {
		f.base = f.count = f.sealed_line = entry->base_events;
		f.last = entry->base;
	}
	FD_AUTO int fd = verify_open_record(dir_fd, name, err);
	MEM_AUTO char *shown = text_escaped(name);
	struct digest torn;
	size_t rest;

	if (fd < 0 && err->code == ERR_INVALID && chain_file_name_is_valid(name)) {
		err_clear(err);
		str_printf(out, "%s:1: altered: it is not a plain file\n", shown);
		return VERIFY_ALTERED;
	}
	if (fd < 0 || read_lines(&f, fd, &rest, &torn, err) != 0)
		return -1;
	check_end(&f, rest, &torn);
	look_back(&f, fd);
	check_sealed(&f);
	*ret_events = f.count - f.base;
	return (int)say(&f, shown, fd, rest, out);
}
