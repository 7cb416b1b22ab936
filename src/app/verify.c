#include "config.h"

#include "app/verify_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/seal_line.h"
#include "app/verify_seals.h"
#include "app/record_name.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"

struct totals {
	enum verify_status status;
	uint64_t files, events, unsealed;
};

enum verify_status verify_worse(enum verify_status a, enum verify_status b)
{
	static const int weight[] = {
		[VERIFY_WHOLE] = 0, [VERIFY_ENDS_EARLY] = 1, [VERIFY_ALTERED] = 2};

	return weight[a] >= weight[b] ? a : b;
}

static int open_directory(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 ? fd : err_set_errno(err, "opening %s", path);
}

/* Without .zst; NULL: it does not look like a record. */
static char *plain_name(const char *name)
{
	MEM_AUTO char *plain = record_name_plain(name);
	size_t len = strlen(plain), suffix = strlen(RECORD_SUFFIX);
	bool looks = len > suffix && strcmp(plain + len - suffix, RECORD_SUFFIX) == 0;

	return looks ? STEAL(plain) : NULL;
}

static int compare_names(const void *a, const void *b)
{
	return record_name_compare(*(char *const *)a, *(char *const *)b);
}

/* In order, and each once: a file can be there compressed and not. */
static void order(struct strv *names, struct strv *ret)
{
	if (names->count > 0)
		qsort(names->items, names->count, sizeof(*names->items), compare_names);
	for (size_t i = 0; i < names->count; i++) {
		if (i == 0 || strcmp(names->items[i - 1], names->items[i]) != 0)
			strv_add(ret, names->items[i]);
	}
}

int verify_list_records(int dir_fd, struct strv *ret, struct err *err)
{
	STRV_AUTO struct strv names = STRV_INIT;
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (dir == NULL) {
		err_set_errno(err, "listing the record");
		fd_close(&fd);
		return -1;
	}
	while ((entry = readdir(dir)) != NULL) {
		char *name = plain_name(entry->d_name);

		if (name != NULL)
			strv_take(&names, name);
	}
	closedir(dir);
	order(&names, ret);
	return 0;
}

static int check_record(int dir_fd, const char *name, struct verify_chain *chain,
	struct totals *totals, struct str *out, struct err *err)
{
	struct verify_entry *entry = verify_chain_entry(chain, name);
	uint64_t events = 0;
	int status = verify_file(dir_fd, name, entry, chain->anchors, out, &events, err);

	if (status < 0)
		return -1;
	if (entry != NULL)
		entry->checked = true;
	totals->files++;
	totals->events += events;
	uint64_t sealed = entry != NULL && entry->sealed > entry->base_events
				  ? entry->sealed - entry->base_events
				  : 0;
	totals->unsealed += events > sealed ? events - sealed : 0;
	totals->status = verify_worse(totals->status, (enum verify_status)status);
	return 0;
}

/* Its tombstone is in CHAIN, where nothing can be put or changed unnoticed: no word of it but these is left. */
static void say_pruned(const struct verify_entry *entry, struct str *out)
{
	MEM_AUTO char *at = text_escaped(entry->pruned_at);
	MEM_AUTO char *why = text_escaped(entry->pruned_why);
	uint64_t events = entry->events - entry->base_events;

	str_printf(out, "%s: pruned at %s, %s: %" PRIu64 " %s, %" PRIu64 " %s\n", entry->file, at,
		why, events, events == 1 ? "event" : "events", entry->pruned_calls,
		entry->pruned_calls == 1 ? "call" : "calls");
}

static void check_missing(const struct verify_chain *chain, struct totals *totals, struct str *out)
{
	for (size_t i = 0; i < chain->count; i++) {
		const struct verify_entry *entry = &chain->items[i];

		if (entry->checked)
			continue;
		if (entry->pruned_at != NULL) {
			say_pruned(entry, out);
			continue;
		}
		str_printf(out, "%s:1: altered: the file is not there; CHAIN line %zu started it\n",
			entry->file, entry->line);
		totals->status = VERIFY_ALTERED;
	}
}

static void say_total(const struct totals *totals, struct str *out)
{
	static const char *const words[] = {
		[VERIFY_WHOLE] = "the chain holds",
		[VERIFY_ALTERED] = "altered",
		[VERIFY_ENDS_EARLY] = "the chain holds, but a file ends early",
	};

	str_printf(out, "%s: %" PRIu64 " %s, %" PRIu64 " events\n", words[totals->status],
		totals->files, totals->files == 1 ? "file" : "files", totals->events);
}

static int check_directory(int dir_fd, const char *path, struct verify_chain *chain,
	struct totals *totals, struct str *out, struct err *err)
{
	STRV_AUTO struct strv names = STRV_INIT;
	int status = verify_chain_read(dir_fd, chain, &names, out, err);

	if (status < 0)
		return -1;
	if (!chain->there && names.count == 0)
		return err_set(err, ERR_NOT_FOUND, "no record in %s", path);
	totals->status = verify_worse(totals->status, (enum verify_status)status);
	for (size_t i = 0; i < names.count; i++) {
		if (check_record(dir_fd, names.items[i], chain, totals, out, err) != 0)
			return -1;
	}
	check_missing(chain, totals, out);
	return 0;
}

static int check_one(int dir_fd, const char *file, struct verify_chain *chain,
	struct totals *totals, struct str *out, struct err *err)
{
	MEM_AUTO char *name = record_name_plain(file);
	int status = verify_chain_read(dir_fd, chain, NULL, out, err);

	if (status < 0)
		return -1;
	totals->status = verify_worse(totals->status, (enum verify_status)status);
	return check_record(dir_fd, name, chain, totals, out, err);
}

static int check(int dir_fd, const char *path, bool directory, struct verify_chain *chain,
	struct totals *totals, struct str *out, struct err *err)
{
	if (directory || strcmp(path_basename(path), CHAIN_NAME) == 0 ||
		strcmp(path_basename(path), SEALS_NAME) == 0)
		return check_directory(dir_fd, path, chain, totals, out, err);
	return check_one(dir_fd, path_basename(path), chain, totals, out, err);
}

static int check_kept(int dir_fd, const char *path, bool directory, const struct verify_kept *kept,
	struct verify_chain *chain, struct str *out, struct err *err)
{
	struct totals totals = {0};
	int status = verify_seals_read(dir_fd, kept->key, chain->seals, out, err);

	if (status < 0)
		return -1;
	totals.status = (enum verify_status)status;
	if (check(dir_fd, path, directory, chain, &totals, out, err) != 0)
		return -1;
	totals.status = verify_worse(totals.status, verify_anchors_say(chain->anchors, out));
	verify_seals_say(chain->seals, kept->key != NULL, totals.unsealed, out);
	say_total(&totals, out);
	return (int)totals.status;
}

int verify_path_kept(
	const char *path, const struct verify_kept *kept, struct str *out, struct err *err)
{
	MEM_AUTO char *packed = mem_printf("%s%s", path, RECORD_PACKED);
	struct stat st;

	if (stat(path, &st) != 0 && stat(packed, &st) != 0)
		return err_set_errno(err, "%s", path);
	bool directory = S_ISDIR(st.st_mode);
	MEM_AUTO char *dir = directory ? mem_strdup(path) : path_dirname(path);
	FD_AUTO int dir_fd = open_directory(dir, err);

	if (dir_fd < 0)
		return -1;
	struct verify_seals seals = {0};
	struct verify_chain chain = {
		.seals = &seals, .anchors = verify_anchors_new(kept->anchors, kept->anchor_count)};
	int status = check_kept(dir_fd, path, directory, kept, &chain, out, err);

	verify_anchors_free(chain.anchors);
	verify_chain_release(&chain);
	verify_seals_release(&seals);
	return status;
}

int verify_path(const char *path, struct str *out, struct err *err)
{
	const struct verify_kept nothing = {0};

	return verify_path_kept(path, &nothing, out, err);
}
