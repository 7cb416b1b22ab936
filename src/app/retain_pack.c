#include "config.h"

#include "app/retain_internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/record_name.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/packed.h"

/* The compressed file under a name that no reader looks at: on the disk, with the age of the other one, and read back. */
static int make(const struct retain *r, int from_fd, const struct verify_entry *entry,
	const char *part, struct err *err)
{
	struct stat st;
	FD_AUTO int fd =
		openat(r->dir_fd, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	/* Whatever the umask leaves open or takes away. */
	if (fd < 0 || fchmod(fd, 0600) != 0 || fstat(from_fd, &st) != 0)
		return err_set_errno(err, "making %s", part);
	if (pack_file(from_fd, fd, err) != 0)
		return -1;
	const struct timespec times[2] = {st.st_atim, st.st_mtim};

	if (futimens(fd, times) != 0 || fsync(fd) != 0)
		return err_set_errno(err, "writing %s", part);
	/* Memory or a disk that errs must not cost the only copy. */
	if (!retain_proves(fd, entry, NULL))
		return err_set(err, ERR_SYSTEM, "%s does not hold what was compressed", part);
	return 0;
}

int retain_pack(struct retain *r, const struct verify_entry *entry, struct err *err)
{
	const char *name = entry->file;
	MEM_AUTO char *packed = mem_printf("%s%s", name, RECORD_PACKED);
	MEM_AUTO char *part = mem_printf(".%s%s", packed, RETAIN_PART);
	FD_AUTO int fd = retain_take(r, name);

	/* What was altered stays as it was found. */
	if (fd < 0 || packed_begins(fd) || !retain_proves(fd, entry, NULL))
		return 0;
	if (make(r, fd, entry, part, err) != 0) {
		retain_unlink(r, part, NULL);
		return -1;
	}
	if (renameat(r->dir_fd, part, r->dir_fd, packed) != 0) {
		err_set_errno(err, "naming %s", packed);
		retain_unlink(r, part, NULL);
		return -1;
	}
	/* The new name first, and durable: whenever the power fails, one of the two is there. */
	if (retain_sync_names(r, err) != 0 || retain_unlink(r, name, err) != 0)
		return -1;
	r->report->packed++;
	return retain_sync_names(r, err);
}

/* Both are there: the compressed one was durable when it got its name. */
static int finish(struct retain *r, const char *name, struct err *err)
{
	MEM_AUTO char *packed = mem_printf("%s%s", name, RECORD_PACKED);
	const struct verify_entry *entry = verify_chain_entry(&r->chain, name);
	struct err none = ERR_INIT;
	FD_AUTO int fd = retain_take(r, name);
	FD_AUTO int packed_fd = verify_open_record(r->dir_fd, packed, &none);

	if (fd < 0 || packed_fd < 0 || entry == NULL || !retain_proves(packed_fd, entry, NULL) ||
		!retain_proves(fd, entry, NULL))
		return 0;
	if (retain_unlink(r, name, err) != 0 || retain_sync_names(r, err) != 0)
		return -1;
	retain_tell_finished(r, name, "compression finished");
	return 0;
}

/* ".NAME.zst.part" of a file whose compression has no end. */
static char *file_of_part(const char *part)
{
	size_t len = strlen(part), tail = strlen(RECORD_PACKED RETAIN_PART);

	if (part[0] != '.' || len < tail + 2 ||
		strcmp(part + len - tail, RECORD_PACKED RETAIN_PART) != 0)
		return NULL;
	return mem_strndup(part + 1, len - 1 - tail);
}

static int undo(struct retain *r, const char *part, struct err *err)
{
	MEM_AUTO char *name = file_of_part(part);

	if (retain_unlink(r, part, err) != 0)
		return -1;
	retain_tell_finished(r, name, "compression undone");
	return 0;
}

int retain_look(struct retain *r, struct err *err)
{
	int fd = openat(r->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *found;

	if (dir == NULL) {
		err_set_errno(err, "listing the record");
		fd_close(&fd);
		return -1;
	}
	while ((found = readdir(dir)) != NULL) {
		MEM_AUTO char *part = file_of_part(found->d_name);
		MEM_AUTO char *plain = record_name_plain(found->d_name);

		if (part != NULL && record_name_part(part) > 0)
			strv_add(&r->parts, found->d_name);
		else if (strcmp(plain, found->d_name) != 0 && record_name_part(plain) > 0 &&
			 faccessat(r->dir_fd, plain, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			strv_add(&r->doubles, plain);
	}
	closedir(dir);
	return 0;
}

int retain_finish_packing(struct retain *r, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < r->parts.count && status == 0; i++)
		status = undo(r, r->parts.items[i], err);
	for (size_t i = 0; i < r->doubles.count && status == 0; i++)
		status = finish(r, r->doubles.items[i], err);
	return status;
}
