#include "config.h"

#include "sandbox/memory_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

#define BLOCK_BYTES 512 /* of st_blocks; stat(2) */

/* Columns of /proc/sysvipc/shm that hold bytes; proc(5). */
enum { COLUMN_RSS = 14, COLUMN_SWAP = 15 };

uint64_t memory_of_tmpfs(int dir_fd)
{
	struct statfs st;
	if (fstatfs(dir_fd, &st) != 0 || st.f_blocks < st.f_bfree)
		return 0;
	return (uint64_t)(st.f_blocks - st.f_bfree) * (uint64_t)st.f_bsize;
}

static uint64_t sum_of_line(char *line)
{
	uint64_t sum = 0;
	char *rest = line;
	for (int column = 0; column <= COLUMN_SWAP; column++) {
		const char *word = strtok_r(NULL, " ", &rest);
		if (word && column >= COLUMN_RSS)
			sum += strtoull(word, NULL, 10);
	}
	return sum;
}

uint64_t memory_of_segments(int shm_fd)
{
	char line[512];
	uint64_t sum = 0;
	int copy = shm_fd < 0 ? -1 : fcntl(shm_fd, F_DUPFD_CLOEXEC, 3);
	FILE *file = copy < 0 ? NULL : fdopen(copy, "r");
	if (!file)
		return 0;
	rewind(file);
	/* The first line is a heading: its words are no numbers. */
	while (fgets(line, sizeof(line), file))
		sum += sum_of_line(line);
	fclose(file);
	return sum;
}

/* All anonymous files of memory lie on one device of the kernel's own. */
static uint64_t find_device(void)
{
	struct stat st;
	FD_AUTO int fd = memfd_create("", MFD_CLOEXEC);
	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_dev : 0;
}

struct inodes {
	uint64_t *items;
	size_t count, cap;
};

static bool is_new(struct inodes *seen, uint64_t ino)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->items[i] == ino)
			return false;
	mem_grow(&seen->items, &seen->cap, seen->count, sizeof(*seen->items));
	seen->items[seen->count++] = ino;
	return true;
}

static uint64_t sum_of_process(
	const struct census *census, pid_t pid, uint64_t dev, struct inodes *seen)
{
	char path[40];
	uint64_t sum = 0;
	struct stat st;
	snprintf(path, sizeof(path), "%s%d/fd", census->proc_fd < 0 ? "/proc/" : "", (int)pid);
	int fd = openat(census->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		return 0;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.' && fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 &&
			st.st_dev == dev && is_new(seen, st.st_ino))
			sum += (uint64_t)st.st_blocks * BLOCK_BYTES;
	closedir(dir);
	return sum;
}

uint64_t memory_of_memfds(const struct census *census, uint64_t *dev)
{
	struct inodes seen = {0};
	uint64_t sum = 0;
	if (*dev == 0)
		*dev = find_device();
	for (size_t i = 0; *dev && i < census->count; i++)
		sum += sum_of_process(census, census->items[i].pid, *dev, &seen);
	free(seen.items);
	return sum;
}

uint64_t memory_shared_of_system(void)
{
	struct sysinfo info;
	return sysinfo(&info) == 0 ? (uint64_t)info.sharedram * info.mem_unit : 0;
}
