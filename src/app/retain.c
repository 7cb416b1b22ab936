#include "config.h"

#include "app/retain_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/audit_internal.h"
#include "app/lines.h"
#include "app/record_name.h"
#include "app/seals.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "core/event.h"

/* Stands in the directory from before a tombstone until its file is gone. */
#define MARK ".prune" RETAIN_PART
#define DAY_MS (24 * 3600 * INT64_C(1000))

void retain_report_release(struct retain_report *report)
{
	str_release(&report->words);
	strv_release(&report->finished);
	strv_release(&report->how);
}

int retain_take(const struct retain *r, const char *name)
{
	struct err none = ERR_INIT;
	struct stat st;
	int fd = verify_open_record(r->dir_fd, name, &none);

	if (fd < 0 || fstat(fd, &st) != 0 || st.st_uid != geteuid() ||
		flock(fd, LOCK_EX | LOCK_NB) != 0)
		fd_close(&fd);
	return fd;
}

/* What is torn at the end of a dead session is not of its chain; CHAIN has the digest of it. */
static bool same_rest(const struct lines *lines, const struct verify_entry *entry)
{
	struct digest torn;
	const char *bytes;
	size_t rest = lines_rest(lines, &bytes);

	if (rest == 0 || !entry->torn)
		return rest == 0 && !entry->torn;
	digest_bytes(bytes, rest, &torn);
	return digest_equal(&torn, &entry->torn_digest);
}

/* Line by line from where CHAIN says that the file begins; false: one of them does not follow. */
static bool follow(struct lines *lines, struct digest *last, uint64_t *number, uint64_t *calls)
{
	struct line_head head;
	struct err none = ERR_INIT;
	const char *line;
	size_t len;
	int status;

	while ((status = lines_next(lines, &line, &len, &none)) == 1) {
		if (line_head(line, len, &head) != 0 || head.number != ++*number ||
			!digest_equal(&head.prev, last))
			return false;
		digest_bytes(line, len, last);
		*calls += line_has_type(line, len, event_type_name(EVENT_RECEIVED));
	}
	return status == 0;
}

bool retain_proves(int fd, const struct verify_entry *entry, uint64_t *ret_calls)
{
	struct lines lines;
	struct digest last = entry->base;
	uint64_t number = entry->base_events, calls = 0;

	if (lseek(fd, 0, SEEK_SET) != 0)
		return false;
	lines_init(&lines, fd);
	bool whole = follow(&lines, &last, &number, &calls) && number == entry->events &&
		     digest_equal(&last, &entry->digest) && same_rest(&lines, entry);

	lines_release(&lines);
	if (ret_calls != NULL)
		*ret_calls = calls;
	return whole;
}

int retain_unlink(const struct retain *r, const char *name, struct err *err)
{
	if (unlinkat(r->dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	return err_set_errno(err, "removing %s", name);
}

int retain_sync_names(const struct retain *r, struct err *err)
{
	return fsync(r->dir_fd) == 0 ? 0 : err_set_errno(err, "syncing the record's directory");
}

void retain_tell_finished(struct retain *r, const char *file, const char *how)
{
	strv_add(&r->report->finished, file);
	strv_add(&r->report->how, how);
	str_printf(&r->report->words, "%s: %s\n", file, how);
}

static int remove_file(struct retain *r, const char *name, struct err *err)
{
	MEM_AUTO char *packed = mem_printf("%s%s", name, RECORD_PACKED);

	if (retain_unlink(r, name, err) != 0 || retain_unlink(r, packed, err) != 0)
		return -1;
	return retain_sync_names(r, err);
}

static int append_tombstone(struct retain *r, struct chain_line *line, struct err *err)
{
	struct digest digest;

	if (chain_lock(r->chain_fd, true, err) != 0)
		return -1;
	int status = chain_append(r->chain_fd, line, &digest, err);

	chain_unlock(r->chain_fd);
	if (status == 0 && fdatasync(r->chain_fd) != 0)
		status = err_set_errno(err, "syncing %s", CHAIN_NAME);
	return status;
}

static int leave_mark(struct retain *r, struct err *err)
{
	FD_AUTO int fd = openat(r->dir_fd, MARK, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd >= 0 ? retain_sync_names(r, err) : err_set_errno(err, "making %s", MARK);
}

/* The tombstone is durable before the file goes: what is gone without one was taken away by somebody else. */
static int bury(struct retain *r, const struct verify_entry *entry, uint64_t calls, const char *why,
	struct err *err)
{
	char wall[32];

	clock_format_utc(r->wall_ms, wall);
	struct chain_line line = {.kind = CHAIN_PRUNED,
		.file = mem_strdup(entry->file),
		.digest = entry->digest,
		.events = entry->events,
		.calls = calls,
		.wall = mem_strdup(wall),
		.why = mem_strdup(why)};
	int status = leave_mark(r, err);

	if (status == 0)
		status = append_tombstone(r, &line, err);
	if (status == 0)
		status = remove_file(r, entry->file, err);
	if (status == 0)
		status = retain_unlink(r, MARK, err);
	chain_line_release(&line);
	return status;
}

static void say(struct retain *r, const char *file, const char *what, const char *why)
{
	str_printf(&r->report->words, "%s: %s%s%s\n", file, what, why[0] != '\0' ? ": " : "", why);
}

/* 1: it went, or would go. */
static int prune(
	struct retain *r, const struct verify_entry *entry, const char *why, struct err *err)
{
	uint64_t calls = 0;
	FD_AUTO int fd = retain_take(r, entry->file);

	if (fd < 0) {
		say(r, entry->file, "kept", "it is of another user, or somebody uses it");
		return 0;
	}
	if (r->rules->sealed && entry->sealed < entry->events) {
		say(r, entry->file, "kept", "it is not sealed yet");
		return 0;
	}
	/* Removing what was altered would remove the trace of it. */
	if (!retain_proves(fd, entry, &calls)) {
		say(r, entry->file, "kept", "it is not what CHAIN says of it; see audit verify");
		return 0;
	}
	say(r, entry->file, r->rules->dry_run ? "would be pruned" : "pruned", why);
	if (!r->rules->dry_run && bury(r, entry, calls, why, err) != 0)
		return -1;
	r->report->pruned++;
	return 1;
}

struct closed {
	const struct verify_entry *entry;
	uint64_t bytes;
	int64_t written_ms;
};

/* Those that may go, oldest first. */
static struct closed *list_closed(const struct retain *r, size_t *ret_count)
{
	struct closed *closed = mem_array(r->names.count + 1, sizeof(*closed));
	size_t count = 0;

	for (size_t i = 0; i < r->names.count; i++) {
		const struct verify_entry *entry = verify_chain_entry(&r->chain, r->names.items[i]);
		struct err none = ERR_INIT;
		struct stat st;
		bool may = entry != NULL && (entry->ended || entry->found) && !entry->missing &&
			   entry->pruned_at == NULL;
		FD_AUTO int fd = may ? verify_open_record(r->dir_fd, entry->file, &none) : -1;

		if (fd < 0 || fstat(fd, &st) != 0)
			continue;
		closed[count++] = (struct closed){.entry = entry,
			.bytes = (uint64_t)st.st_size,
			.written_ms = (int64_t)st.st_mtim.tv_sec * 1000};
	}
	*ret_count = count;
	return closed;
}

/* NULL: it stays. Caller frees. */
static char *reason_to_go(
	const struct retain *r, const struct closed *file, size_t count, uint64_t bytes)
{
	const struct retain_rules *rules = r->rules;

	if (rules->keep > 0 && count > rules->keep)
		return mem_printf("more than %u files", rules->keep);
	if (rules->most_bytes > 0 && bytes > rules->most_bytes)
		return mem_printf("more than %" PRIu64 " bytes", rules->most_bytes);
	if (rules->older_than_ms > 0 && r->wall_ms - file->written_ms > rules->older_than_ms)
		return mem_printf("older than %" PRId64 " days", rules->older_than_ms / DAY_MS);
	return NULL;
}

static int prune_all(struct retain *r, struct err *err)
{
	size_t count = 0;
	MEM_AUTO struct closed *closed = list_closed(r, &count);
	uint64_t bytes = 0;
	size_t left = count;
	int status = 0;

	for (size_t i = 0; i < count; i++)
		bytes += closed[i].bytes;
	for (size_t i = 0; i < count && status >= 0; i++) {
		MEM_AUTO char *why = reason_to_go(r, &closed[i], left, bytes);

		status = why == NULL ? 0 : prune(r, closed[i].entry, why, err);
		left -= status == 1 ? 1 : 0;
		bytes -= status == 1 ? closed[i].bytes : 0;
	}
	return status < 0 ? -1 : 0;
}

static int pack_all(struct retain *r, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < r->names.count && status == 0; i++) {
		const struct verify_entry *entry = verify_chain_entry(&r->chain, r->names.items[i]);

		/* The file of a session that died is evidence, and stays as it was found. */
		if (entry != NULL && entry->ended && entry->pruned_at == NULL)
			status = retain_pack(r, entry, err);
	}
	return status;
}

static bool is_marked(const struct retain *r)
{
	return faccessat(r->dir_fd, MARK, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A tombstone whose file is still there: only where a mark says that a removal did not come to its end. */
static int finish_removal(struct retain *r, struct err *err)
{
	int status = 0;

	if (!is_marked(r))
		return 0;
	for (size_t i = 0; i < r->names.count && status == 0; i++) {
		const struct verify_entry *entry = verify_chain_entry(&r->chain, r->names.items[i]);
		FD_AUTO int fd = entry == NULL || entry->pruned_at == NULL
					 ? -1
					 : retain_take(r, entry->file);

		if (fd < 0 || !retain_proves(fd, entry, NULL))
			continue;
		status = remove_file(r, entry->file, err);
		if (status == 0)
			retain_tell_finished(r, entry->file, "removal finished");
	}
	return status == 0 ? retain_unlink(r, MARK, err) : -1;
}

/* CHAIN, and where there are seals what they say of it. */
static int read_record(struct retain *r, struct err *err)
{
	struct str *words = &r->report->words;
	int seals = 0;

	if (r->rules->sealed) {
		r->chain.seals = &r->seals;
		seals = verify_seals_read(r->dir_fd, NULL, &r->seals, words, err);
	}
	int chain = seals < 0 ? -1 : verify_chain_read(r->dir_fd, &r->chain, &r->names, words, err);

	if (chain < 0)
		return -1;
	if (seals != VERIFY_WHOLE || chain != VERIFY_WHOLE)
		return err_set(err, ERR_REFUSED, "%s was altered: nothing is removed",
			chain != VERIFY_WHOLE ? CHAIN_NAME : SEALS_NAME);
	return 0;
}

/* Whoever takes the machine later cannot write a tombstone for what he removes. */
static int seal_tombstones(struct retain *r, struct err *err)
{
	static const struct seals_point chain_alone;

	if (!r->rules->sealed || r->rules->dry_run || r->report->pruned == 0)
		return 0;
	return seals_add(r->dir_fd, &chain_alone, r->wall_ms, &r->report->words, err);
}

static int keep_rules(struct retain *r, struct err *err)
{
	const struct retain_rules *rules = r->rules;

	if (retain_look(r, err) != 0 || read_record(r, err) != 0)
		return -1;
	if (!rules->dry_run && (finish_removal(r, err) != 0 || retain_finish_packing(r, err) != 0))
		return -1;
	if (prune_all(r, err) != 0 || seal_tombstones(r, err) != 0)
		return -1;
	return rules->compress && !rules->dry_run ? pack_all(r, err) : 0;
}

static void release(struct retain *r)
{
	verify_chain_release(&r->chain);
	verify_seals_release(&r->seals);
	strv_release(&r->names);
	strv_release(&r->parts);
	strv_release(&r->doubles);
	fd_close(&r->chain_fd);
	fd_close(&r->dir_fd);
}

bool retain_is_needed(const char *dir, const struct retain_rules *rules)
{
	struct retain r = {.dir_fd = -1, .chain_fd = -1};
	struct err none = ERR_INIT;
	bool needed = rules->keep > 0 || rules->most_bytes > 0 || rules->older_than_ms > 0 ||
		      rules->compress;

	if (!needed && audit_open_directory(dir, &r.dir_fd, &none) == 0 &&
		retain_look(&r, &none) == 0)
		needed = r.parts.count > 0 || r.doubles.count > 0 || is_marked(&r);
	release(&r);
	return needed;
}

int retain_run(const char *dir, const struct retain_rules *rules, int64_t wall_ms,
	struct retain_report *ret, struct err *err)
{
	struct retain r = {
		.dir_fd = -1, .chain_fd = -1, .rules = rules, .wall_ms = wall_ms, .report = ret};

	*ret = (struct retain_report){0};
	if (audit_open_directory(dir, &r.dir_fd, err) != 0)
		return -1;
	int status = 0;

	/* The directory's own lock is taken by nobody else. */
	if (flock(r.dir_fd, LOCK_EX | LOCK_NB) != 0)
		str_add(&ret->words, "another process is at this already\n");
	else if (faccessat(r.dir_fd, CHAIN_NAME, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		status = chain_open(r.dir_fd, &r.chain_fd, err) == 0 ? keep_rules(&r, err) : -1;
	release(&r);
	return status;
}
