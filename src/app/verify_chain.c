#include "config.h"

#include "app/verify_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/verify_seals.h"
#include "base/fd.h"
#include "base/mem.h"

/* 100,000 sessions fill 60 MB. */
#define CHAIN_BYTES_MAX (1u << 30)

struct reader {
	struct verify_chain *chain;
	struct strv open; /* as the lines so far make it */
	struct digest last;
	size_t line;
	const char *why; /* the line is altered */
	size_t pruned; /* the entry behind the one that was pruned last: they go in order of their age */
	/* The line before this one is a torn one that does not count. */
	bool after_fragment;
	struct digest fragment;
};

static int compare_entries(const void *a, const void *b)
{
	const struct verify_entry *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

struct verify_entry *verify_chain_entry(const struct verify_chain *chain, const char *file)
{
	size_t low = 0, high = chain->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(chain->items[middle].file, file) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == chain->count || strcmp(chain->items[low].file, file) != 0)
		return NULL;
	return &chain->items[low];
}

void verify_chain_release(struct verify_chain *chain)
{
	for (size_t i = 0; i < chain->count; i++) {
		free(chain->items[i].file);
		free(chain->items[i].pruned_at);
		free(chain->items[i].pruned_why);
	}
	free(chain->items);
	*chain = (struct verify_chain){0};
}

/* While CHAIN is read its entries stand in order of their start; the open ones are the last but
   few. */
static struct verify_entry *open_entry(const struct reader *r, const char *file)
{
	if (!strv_has(&r->open, file))
		return NULL;
	for (size_t i = r->chain->count; i > 0; i--) {
		if (strcmp(r->chain->items[i - 1].file, file) == 0)
			return &r->chain->items[i - 1];
	}
	return NULL;
}

static void forget_open(struct strv *open, const char *file)
{
	size_t kept = 0;

	for (size_t i = 0; i < open->count; i++) {
		if (strcmp(open->items[i], file) == 0)
			free(open->items[i]);
		else
			open->items[kept++] = open->items[i];
	}
	open->count = kept;
	open->items[kept] = NULL;
}

static const char *take_start(struct reader *r, const struct chain_line *line)
{
	struct verify_chain *chain = r->chain;

	if (strv_has(&r->open, line->file))
		return "it starts a file that is open";
	mem_grow(&chain->items, &chain->cap, chain->count, sizeof(*chain->items));
	chain->items[chain->count++] =
		(struct verify_entry){.file = mem_strdup(line->file), .line = r->line};
	strv_add(&r->open, line->file);
	return NULL;
}

static void close_entry(struct reader *r, struct verify_entry *entry, const struct chain_line *line)
{
	static const struct digest none;

	entry->close_line = r->line;
	entry->digest = line->digest;
	entry->events = line->events;
	/* Whoever found it had nothing to count from. */
	if (line->kind == CHAIN_FOUND && line->events == 0 && digest_equal(&line->digest, &none)) {
		entry->digest = entry->base;
		entry->events = entry->base_events;
	}
	forget_open(&r->open, entry->file);
}

static const char *take_close(struct reader *r, const struct chain_line *line)
{
	struct verify_entry *entry = open_entry(r, line->file);

	if (entry == NULL)
		return "it closes a file that is not open";
	entry->ended = line->kind == CHAIN_END;
	entry->found = line->kind == CHAIN_FOUND;
	entry->missing = line->missing;
	entry->torn = line->torn;
	entry->torn_digest = line->torn_digest;
	close_entry(r, entry, line);
	return NULL;
}

static const char *take_next(struct reader *r, const struct chain_line *line)
{
	struct verify_entry *before = open_entry(r, line->before);

	if (before == NULL)
		return "it goes on from a file that is not open";
	before->ended = true;
	close_entry(r, before, line);
	const char *why = take_start(r, line);

	if (why == NULL) {
		struct verify_entry *entry = &r->chain->items[r->chain->count - 1];

		entry->base_events = line->events;
		entry->base = line->digest;
	}
	return why;
}

static struct verify_entry *entry_to_prune(struct reader *r, const char *file)
{
	struct verify_chain *chain = r->chain;

	for (size_t i = 0; i < chain->count; i++) {
		size_t at = (r->pruned + i) % chain->count;

		if (strcmp(chain->items[at].file, file) != 0)
			continue;
		r->pruned = at + 1;
		return &chain->items[at];
	}
	return NULL;
}

/* It says of the file what the line that closed it said. */
static const char *take_pruned(struct reader *r, const struct chain_line *line)
{
	struct verify_entry *entry = entry_to_prune(r, line->file);

	if (entry == NULL || strv_has(&r->open, line->file) || entry->pruned_at != NULL)
		return "it removes a file that was not closed";
	if (entry->missing || !digest_equal(&entry->digest, &line->digest) ||
		entry->events != line->events)
		return "it does not say of the removed file what was said when that was closed";
	entry->pruned_at = mem_strdup(line->wall);
	entry->pruned_why = mem_strdup(line->why);
	entry->pruned_calls = line->calls;
	return NULL;
}

static const char *take_kind(struct reader *r, const struct chain_line *line)
{
	static const char *(*const takers[CHAIN_KIND_COUNT])(
		struct reader *, const struct chain_line *) = {
		[CHAIN_START] = take_start,
		[CHAIN_END] = take_close,
		[CHAIN_FOUND] = take_close,
		[CHAIN_NEXT] = take_next,
		[CHAIN_PRUNED] = take_pruned,
	};

	return takers[line->kind](r, line);
}

static bool same_open(const struct strv *a, const struct strv *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	}
	return true;
}

static const char *take_parsed(struct reader *r, const struct chain_line *line)
{
	if (!digest_equal(&line->prev, &r->last))
		return "it does not continue the line before: one of them was changed, taken out "
		       "or moved";
	if (line->fragment != r->after_fragment ||
		(line->fragment && !digest_equal(&line->fragment_digest, &r->fragment)))
		return "what stands before it is not the torn line that was there";
	const char *why = take_kind(r, line);

	if (why == NULL && !same_open(&line->open, &r->open))
		why = "its list of open files is wrong";
	return why;
}

/* The digest of a start line is what the file's first line carries. */
static void take_line(struct reader *r, const char *text, size_t len)
{
	struct chain_line line;
	struct err err = ERR_INIT;
	size_t before = r->chain->count;

	r->line++;
	if (chain_parse(text, len, &line, &err) != 0) {
		/* Only a torn line, and one alone, may be unreadable: the next one vouches for it.
		   */
		if (r->after_fragment)
			r->why = "it is no line of CHAIN";
		r->after_fragment = true;
		digest_bytes(text, len, &r->fragment);
		return;
	}
	r->why = take_parsed(r, &line);
	chain_line_release(&line);
	r->after_fragment = false;
	digest_bytes(text, len, &r->last);
	if (r->chain->seals != NULL && r->why == NULL)
		verify_seals_chain_line(r->chain->seals, &r->last, r->line);
	verify_anchors_line(r->chain->anchors, &r->last, CHAIN_NAME, r->line);
	if (r->chain->count > before)
		r->chain->items[before].start = r->last;
}

/* Whether the next line says that this one was torn: then even a readable one does not count. */
static bool is_voided(const char *text, size_t len, const char *next, size_t next_len)
{
	struct chain_line line;
	struct err err = ERR_INIT;
	struct digest digest;

	if (chain_parse(next, next_len, &line, &err) != 0)
		return false;
	digest_bytes(text, len, &digest);
	bool voided = line.fragment && digest_equal(&line.fragment_digest, &digest);

	chain_line_release(&line);
	return voided;
}

static size_t line_length(const char *text, size_t len)
{
	const char *newline = memchr(text, '\n', len);

	return newline == NULL ? len : (size_t)(newline - text);
}

static void take_all(struct reader *r, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && r->why == NULL) {
		size_t line = line_length(text + at, len - at);

		if (at + line == len)
			return; /* a torn end, of a crash: nothing follows from it */
		size_t next = at + line + 1;

		if (is_voided(text + at, line, text + next, line_length(text + next, len - next))) {
			r->line++;
			r->after_fragment = true;
			digest_bytes(text + at, line, &r->fragment);
		} else {
			take_line(r, text + at, line);
		}
		at = next;
	}
	if (r->why == NULL && r->after_fragment)
		r->why = "it is no line of CHAIN";
}

static int list(int dir_fd, struct strv *ret_names, struct err *err)
{
	return ret_names == NULL ? 0 : verify_list_records(dir_fd, ret_names, err);
}

static int open_chain(int dir_fd, int *ret_fd, struct err *err)
{
	FD_AUTO int fd = openat(
		dir_fd, CHAIN_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ELOOP)
		return err_set(err, ERR_INVALID, "%s is a symlink", CHAIN_NAME);
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "opening %s", CHAIN_NAME);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "%s is not a plain file", CHAIN_NAME);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* Under a shared lock: whoever starts a file writes its line under the exclusive one. */
static int read_chain(
	int dir_fd, struct str *text, struct strv *ret_names, bool *ret_there, struct err *err)
{
	FD_AUTO int fd = -1;

	if (open_chain(dir_fd, &fd, err) != 0)
		return -1;
	*ret_there = fd >= 0;
	if (!*ret_there)
		return list(dir_fd, ret_names, err);
	if (chain_lock(fd, false, err) != 0)
		return -1;
	int status = fd_read_all(fd, CHAIN_BYTES_MAX, text, err);

	if (status == 0)
		status = list(dir_fd, ret_names, err);
	chain_unlock(fd);
	return status;
}

static void find_doubles(struct reader *r)
{
	struct verify_chain *chain = r->chain;

	qsort(chain->items, chain->count, sizeof(*chain->items), compare_entries);
	for (size_t i = 1; i < chain->count && r->why == NULL; i++) {
		if (strcmp(chain->items[i - 1].file, chain->items[i].file) != 0)
			continue;
		r->why = "it starts a file for the second time";
		r->line = chain->items[i].line;
	}
}

int verify_chain_read(int dir_fd, struct verify_chain *ret, struct strv *ret_names, struct str *out,
	struct err *err)
{
	STR_AUTO struct str text = STR_INIT;
	struct reader r = {.chain = ret};

	*ret = (struct verify_chain){.seals = ret->seals, .anchors = ret->anchors};
	int status = read_chain(dir_fd, &text, ret_names, &ret->there, err);

	if (status != 0 && err->code == ERR_INVALID) {
		err_clear(err);
		ret->there = true;
		str_printf(out, "%s: altered: it is not a plain file\n", CHAIN_NAME);
		return list(dir_fd, ret_names, err) == 0 ? VERIFY_ALTERED : -1;
	}
	if (status != 0)
		return -1;
	if (!ret->there) {
		str_printf(out, "%s: altered: it is not there\n", CHAIN_NAME);
		return VERIFY_ALTERED;
	}
	take_all(&r, str_c(&text), text.len);
	if (ret->count > 0)
		find_doubles(&r);
	strv_release(&r.open);
	if (ret->seals != NULL)
		verify_seals_attach(ret->seals, ret);
	if (r.why == NULL)
		return ret->seals != NULL ? (int)verify_seals_chain_end(ret->seals, out)
					  : (int)VERIFY_WHOLE;
	str_printf(out, "%s:%zu: altered: %s\n", CHAIN_NAME, r.line, r.why);
	return VERIFY_ALTERED;
}
