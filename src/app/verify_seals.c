#include "config.h"

#include "app/verify_seals.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "app/seal_keys.h"
#include "app/seal_line.h"
#include "base/fd.h"
#include "base/mem.h"

/* A million seals fill 600 MB. */
#define SEALS_BYTES_MAX (1u << 30)

struct reader {
	struct verify_seals *seals;
	const struct digest *key; /* of the next line; NULL: any */
	struct digest next, last;
	const char *why;
};

void verify_seals_release(struct verify_seals *seals)
{
	for (size_t i = 0; i < seals->count; i++)
		free(seals->points[i].file);
	free(seals->points);
	free(seals->chain);
	*seals = (struct verify_seals){0};
}

static void keep(struct verify_seals *seals, struct seal_line *line)
{
	mem_grow(&seals->chain, &seals->chain_cap, seals->chain_count, sizeof(*seals->chain));
	seals->chain[seals->chain_count++] = line->chain;
	memcpy(seals->wall, line->wall, sizeof(seals->wall));
	if (seals->epochs == 0)
		seals->key = line->key;
	seals->epochs = line->epoch;
	if (line->file == NULL)
		return;
	mem_grow(&seals->points, &seals->cap, seals->count, sizeof(*seals->points));
	seals->points[seals->count++] = (struct verify_point){.file = STEAL(line->file),
		.line = line->events,
		.digest = line->digest,
		.epoch = line->epoch};
}

static const char *judge(
	const struct reader *r, const struct seal_line *line, const char *text, size_t len)
{
	if (line->epoch != r->seals->epochs + 1)
		return "another epoch belongs here: seals were taken out, put in or moved";
	if (!digest_equal(&line->prev, &r->last))
		return "it does not continue the line before";
	if (r->key != NULL && !digest_equal(&line->key, r->key))
		return line->epoch == 1
			       ? "it was not made by the key that you gave"
			       : "it was not made by the key that the seal before it promised";
	return seal_line_holds(line, text, len) ? NULL : "its signature does not hold";
}

static void take_line(struct reader *r, const char *text, size_t len)
{
	struct seal_line line;
	struct err err = ERR_INIT;

	if (seal_line_parse(text, len, &line, &err) != 0) {
		r->why = "it is no line of SEALS";
		return;
	}
	r->why = judge(r, &line, text, len);
	if (r->why == NULL) {
		keep(r->seals, &line);
		r->next = line.next;
		r->key = &r->next;
		digest_bytes(text, len, &r->last);
	}
	seal_line_release(&line);
}

/* Returns how many bytes follow the last whole line. */
static size_t take_all(struct reader *r, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && r->why == NULL) {
		const char *newline = memchr(text + at, '\n', len - at);

		if (newline == NULL)
			return len - at;
		take_line(r, text + at, (size_t)(newline - text) - at);
		at = (size_t)(newline - text) + 1;
	}
	return 0;
}

static int compare_points(const void *a, const void *b)
{
	const struct verify_point *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	if (order == 0)
		order = (x->line > y->line) - (x->line < y->line);
	return order != 0 ? order : (x->epoch > y->epoch) - (x->epoch < y->epoch);
}

static int open_seals(int dir_fd, int *ret_fd, struct err *err)
{
	FD_AUTO int fd = openat(
		dir_fd, SEALS_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ELOOP)
		return err_set(err, ERR_INVALID, "%s is a symlink", SEALS_NAME);
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "opening %s", SEALS_NAME);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "%s is not a plain file", SEALS_NAME);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* Where the key is still beside the record it says what SEALS must end with: a copy without it proves as much, but for this. */
static bool key_fits(int dir_fd, uint64_t epochs)
{
	uint64_t there[2] = {0, 0};
	struct err err = ERR_INIT;

	if (seal_keys_epochs(dir_fd, there, &err) != 0 || (there[0] == 0 && there[1] == 0))
		return true;
	return there[0] == epochs + 1 || there[1] == epochs + 1;
}

static enum verify_status say_altered(uint64_t line, const char *why, struct str *out)
{
	str_printf(out, "%s:%" PRIu64 ": altered: %s\n", SEALS_NAME, line, why);
	return VERIFY_ALTERED;
}

static enum verify_status prove(
	int dir_fd, struct reader *r, const struct str *text, struct str *out)
{
	size_t rest = take_all(r, str_c(text), text->len);
	uint64_t next = r->seals->epochs + 1;

	if (r->seals->count > 1)
		qsort(r->seals->points, r->seals->count, sizeof(*r->seals->points), compare_points);
	if (r->why != NULL)
		return say_altered(next, r->why, out);
	if (!key_fits(dir_fd, next - 1))
		return say_altered(next,
			"the key beside it is of another epoch: seals were taken off, or an older "
			"key or file was put back",
			out);
	if (rest == 0)
		return VERIFY_WHOLE;
	str_printf(out, "%s:%" PRIu64 ": ends early, in a torn line\n", SEALS_NAME, next);
	return VERIFY_ENDS_EARLY;
}

int verify_seals_read(int dir_fd, const struct digest *key, struct verify_seals *ret,
	struct str *out, struct err *err)
{
	STR_AUTO struct str text = STR_INIT;
	FD_AUTO int fd = -1;
	struct reader r = {.seals = ret, .key = key};

	*ret = (struct verify_seals){0};
	if (open_seals(dir_fd, &fd, err) != 0) {
		if (err->code != ERR_INVALID)
			return -1;
		err_clear(err);
		return (int)say_altered(1, "it is not a plain file", out);
	}
	if (fd < 0)
		return key == NULL ? (int)VERIFY_WHOLE
				   : (int)say_altered(1, "there are no seals", out);
	/* While it is locked no seal is made: it and the key fit. */
	if (fd_lock(fd, false, SEALS_NAME, err) != 0 ||
		fd_read_all(fd, SEALS_BYTES_MAX, &text, err) != 0)
		return -1;
	ret->there = true;
	if (key != NULL && text.len == 0)
		return (int)say_altered(1, "there are no seals", out);
	return (int)prove(dir_fd, &r, &text, out);
}

static bool is_zero(const struct digest *digest)
{
	static const struct digest zero;

	return digest_equal(digest, &zero);
}

void verify_seals_chain_line(struct verify_seals *seals, const struct digest *digest, size_t line)
{
	/* A seal of an empty CHAIN asks for nothing. */
	while (seals->chain_seen < seals->chain_count && is_zero(&seals->chain[seals->chain_seen]))
		seals->chain_seen++;
	while (seals->chain_seen < seals->chain_count &&
		digest_equal(&seals->chain[seals->chain_seen], digest)) {
		seals->chain_seen++;
		seals->chain_line = line;
	}
}

enum verify_status verify_seals_chain_end(const struct verify_seals *seals, struct str *out)
{
	size_t seen = seals->chain_seen;

	while (seen < seals->chain_count && is_zero(&seals->chain[seen]))
		seen++;
	if (seen == seals->chain_count)
		return VERIFY_WHOLE;
	str_printf(out,
		"%s:%zu: altered: from here to the line that epoch %zu sealed it was written anew "
		"or "
		"taken off\n",
		CHAIN_NAME, seals->chain_line + 1, seen + 1);
	return VERIFY_ALTERED;
}

static size_t first_point(const struct verify_seals *seals, const char *file)
{
	size_t low = 0, high = seals->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(seals->points[middle].file, file) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void attach(const struct verify_seals *seals, struct verify_entry *entry)
{
	size_t at = first_point(seals, entry->file);

	entry->points = &seals->points[at];
	entry->point_count = 0;
	while (at + entry->point_count < seals->count &&
		strcmp(entry->points[entry->point_count].file, entry->file) == 0)
		entry->point_count++;
	entry->sealed = entry->point_count > 0 ? entry->points[entry->point_count - 1].line : 0;
	/* Its end is in what was sealed of CHAIN. */
	if (entry->close_line > 0 && entry->close_line <= seals->chain_line)
		entry->sealed = entry->events;
}

void verify_seals_attach(const struct verify_seals *seals, struct verify_chain *chain)
{
	for (size_t i = 0; seals->count + seals->chain_count > 0 && i < chain->count; i++)
		attach(seals, &chain->items[i]);
}

void verify_seals_say(
	const struct verify_seals *seals, bool compared, uint64_t unsealed, struct str *out)
{
	char hex[DIGEST_HEX_BYTES];

	if (seals->epochs == 0)
		return;
	digest_hex(&seals->key, hex);
	str_printf(out, "seals: epochs 1 to %" PRIu64 ", %s %s%s\n", seals->epochs,
		compared ? "proved by the key" : "begun by the key", hex,
		compared ? "" : ", which --key compares with the one that you kept");
	str_printf(out, "since the last seal, at %s, %" PRIu64 " %s not sealed\n", seals->wall,
		unsealed, unsealed == 1 ? "event is" : "events are");
}
