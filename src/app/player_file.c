#include "config.h"

#include "app/player_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/lines.h"
#include "app/pieces.h"
#include "app/record_name.h"
#include "app/verify_internal.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"

/* Places that are remembered, one every `stride` lines: full, every second one is forgotten, so that a file of any size has them. */
#define PLACES_MAX 1024u
#define STRIDE_FIRST 64u

struct player_file {
	char *path;
	int dir_fd;
	struct pieces *pieces;
	struct lines lines;
	uint64_t base;         /* lines of the session's files that are not there any more */
	uint64_t line, offset; /* of what was read */
	struct digest last;    /* of line last_line */
	uint64_t last_line;
	bool continues;
	uint64_t *places; /* places[i]: offset behind line (i + 1) * stride */
	size_t place_count;
	uint64_t stride;
};

/* Of a file that is no record by its name the suffix alone is taken off. */
static bool ends_so(const char *file, const char *name)
{
	MEM_AUTO char *session = record_name_session(file);
	size_t len = session != NULL ? strlen(session) : strlen(file) - strlen(RECORD_SUFFIX),
	       tail = strlen(name);

	if (len == tail)
		return strncmp(file, name, len) == 0;
	return len > tail && file[len - tail - 1] == '-' &&
	       strncmp(file + len - tail, name, tail) == 0;
}

static bool has_suffix(const char *name)
{
	MEM_AUTO char *plain = record_name_plain(name);
	size_t len = strlen(plain), n = strlen(RECORD_SUFFIX);

	return len > n && strcmp(plain + len - n, RECORD_SUFFIX) == 0;
}

static bool is_there(const char *path)
{
	MEM_AUTO char *packed = mem_printf("%s%s", path, RECORD_PACKED);
	struct stat st;

	return lstat(path, &st) == 0 || lstat(packed, &st) == 0;
}

static int find_session(const char *name, const char *dir, char **ret, struct err *err)
{
	STRV_AUTO struct strv names = STRV_INIT;
	const char *found = NULL;
	FD_AUTO int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, "opening the record's directory %s", dir);
	if (pieces_list(fd, &names, err) != 0)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		if (!ends_so(names.items[i], name))
			continue;
		if (found != NULL)
			return err_set(err, ERR_INVALID,
				"several sessions end in that: %s and %s among them", found,
				names.items[i]);
		found = names.items[i];
	}
	MEM_AUTO char *shown = text_escaped(name);

	if (found == NULL)
		return err_set(err, ERR_NOT_FOUND, "there is no session %s in %s", shown, dir);
	*ret = path_join(dir, found);
	return 0;
}

int player_file_find(const char *name, const char *dir, char **ret_path, struct err *err)
{
	if (strchr(name, '/') == NULL && has_suffix(name) && dir != NULL) {
		MEM_AUTO char *there = path_join(dir, name);

		if (is_there(there)) {
			*ret_path = STEAL(there);
			return 0;
		}
	}
	if (strchr(name, '/') != NULL || has_suffix(name) || dir == NULL || is_there(name)) {
		*ret_path = mem_strdup(name);
		return 0;
	}
	return find_session(name, dir, ret_path, err);
}

/* Its first line has the number 1, unless it goes on from a file that was pruned. */
static int look_for_base(struct player_file *file, struct err *err)
{
	struct lines lines;
	struct line_head head;
	struct err own = ERR_INIT;
	const char *line;
	size_t len;

	lines_init_pieces(&lines, file->pieces);
	if (lines_next(&lines, &line, &len, &own) == 1 && line_head(line, len, &head) == 0 &&
		head.number > 0)
		file->base = head.number - 1;
	lines_release(&lines);
	return pieces_seek(file->pieces, 0, err);
}

int player_file_open(const char *path, struct player_file **ret, struct err *err)
{
	MEM_AUTO char *dir = path_dirname(path);
	MEM_AUTO char *shown = text_escaped(path);
	MEM_AUTO char *name = record_name_plain(path_basename(path));
	FD_AUTO int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pieces *pieces = NULL;

	if (dir_fd < 0)
		return err_set_errno(err, "opening %s", shown);
	if (pieces_open(dir_fd, name, &pieces, err) != 0)
		return -1;
	struct player_file *file = mem_alloc(sizeof(*file));

	file->path = record_name_plain(path);
	file->dir_fd = dir_fd;
	dir_fd = -1;
	file->pieces = pieces;
	file->stride = STRIDE_FIRST;
	file->places = mem_array(PLACES_MAX, sizeof(*file->places));
	lines_init_pieces(&file->lines, pieces);
	if (record_name_part(name) > 1 && look_for_base(file, err) != 0) {
		player_file_close(file);
		return -1;
	}
	*ret = file;
	return 0;
}

void player_file_close(struct player_file *file)
{
	if (file == NULL)
		return;
	lines_release(&file->lines);
	pieces_close(file->pieces);
	fd_close(&file->dir_fd);
	free(file->places);
	free(file->path);
	free(file);
}

static void remember(struct player_file *file)
{
	if (file->line % file->stride != 0 || file->line / file->stride != file->place_count + 1)
		return;
	if (file->place_count == PLACES_MAX) {
		file->place_count /= 2;
		file->stride *= 2;
		for (size_t i = 0; i < file->place_count; i++)
			file->places[i] = file->places[2 * i + 1];
		if (file->line % file->stride != 0)
			return;
	}
	file->places[file->place_count++] = file->offset;
}

/* At the first line and behind a seek the line before is not known, and nothing is said. */
static void follow(
	struct player_file *file, const char *line, size_t len, const struct digest *prev)
{
	file->continues = file->last_line == 0 || file->last_line != file->line - 1 ||
			  digest_equal(prev, &file->last);
	digest_bytes(line, len, &file->last);
	file->last_line = file->line;
}

/* 1: a line, and the place moved behind it. */
static int next_line(
	struct player_file *file, const char **ret_line, size_t *ret_len, struct err *err)
{
	/* It may have grown since its end was reached. */
	file->lines.at_end = false;
	int status = lines_next(&file->lines, ret_line, ret_len, err);

	if (status != 1)
		return status;
	file->line++;
	file->offset += *ret_len + 1;
	remember(file);
	return 1;
}

static int at_line(const struct player_file *file, uint64_t line, struct err *err)
{
	MEM_AUTO char *shown = text_escaped(player_file_name(file));

	return err_context(err, "%s:%" PRIu64, shown, line);
}

int player_file_next(struct player_file *file, struct event *ret, struct err *err)
{
	const char *line;
	size_t len;
	struct digest prev;
	struct err own = ERR_INIT;
	int status = next_line(file, &line, &len, &own);

	if (status == 0)
		return 0;
	uint64_t number = file->base + (status == 1 ? file->line : file->line + 1);

	if (status == 1 &&
		(event_parse(line, len, ret, &prev, &own) == 0 || own.code == ERR_NOT_FOUND)) {
		follow(file, line, len, &prev);
		return 1;
	}
	if (err != NULL)
		*err = own;
	return at_line(file, number, err);
}

bool player_file_continues(const struct player_file *file)
{
	return file->continues;
}

uint64_t player_file_line(const struct player_file *file)
{
	return file->line > 0 ? file->base + file->line : 0;
}

static int stand_at(struct player_file *file, uint64_t line, uint64_t offset, struct err *err)
{
	if (pieces_seek(file->pieces, offset, err) != 0)
		return err_context(err, "seeking in %s", file->path);
	lines_release(&file->lines);
	lines_init_pieces(&file->lines, file->pieces);
	file->line = line;
	file->offset = offset;
	return 0;
}

int player_file_seek(struct player_file *file, uint64_t number, struct err *err)
{
	uint64_t before = number > file->base ? number - file->base - 1 : 0,
		 place = before / file->stride;
	const char *line;
	size_t len;
	int status = 1;

	if (place > file->place_count)
		place = file->place_count;
	/* What lies between here and there is read on, if no place is nearer. */
	bool nearer = place * file->stride > file->line;

	if (file->line > before || nearer) {
		if (stand_at(file, place * file->stride, place > 0 ? file->places[place - 1] : 0,
			    err) != 0)
			return -1;
	}
	while (status == 1 && file->line < before)
		status = next_line(file, &line, &len, err);
	return status < 0 ? at_line(file, file->base + file->line + 1, err) : 0;
}

uint64_t player_file_offset(const struct player_file *file)
{
	return file->offset;
}

uint64_t player_file_size(const struct player_file *file)
{
	return pieces_bytes(file->pieces);
}

bool player_file_is_open(const struct player_file *file)
{
	int fd = pieces_last_fd(file->pieces);
	bool held = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

	/* Nobody who starts now may take the shared lock of a reader for a writer's. */
	if (!held)
		flock(fd, LOCK_UN);
	return held;
}

bool player_file_is_torn(const struct player_file *file)
{
	const char *rest;

	return lines_rest(&file->lines, &rest) > 0 && !player_file_is_open(file);
}

const char *player_file_name(const struct player_file *file)
{
	return path_basename(file->path);
}

const char *player_file_path(const struct player_file *file)
{
	return file->path;
}
