#include "config.h"

#include "app/audit_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* A program that rotates logs may rename the file that is being written. The lines go on into it, but who reads the record looks for it
   under its own name: that is put back, beside whatever other name it has now. */

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* In one step, so that there is no moment without a file of that name; an empty one that took the place goes. */
static int put_back(const struct audit *audit)
{
	MEM_AUTO char *self = mem_printf("/proc/self/fd/%d", audit->fd);
	MEM_AUTO char *beside = mem_printf(".%s.name", audit->file);

	unlinkat(audit->dir_fd, beside, 0);
	if (linkat(AT_FDCWD, self, audit->dir_fd, beside, AT_SYMLINK_FOLLOW) != 0 ||
		renameat(audit->dir_fd, beside, audit->dir_fd, audit->file) != 0)
		return -1;
	return fsync(audit->dir_fd);
}

int audit_hold_name(struct audit *audit, struct err *err)
{
	struct stat own, named;

	if (fstat(audit->fd, &own) != 0)
		return err_set_errno(err, "looking at %s", audit->file);
	int status = fstatat(audit->dir_fd, audit->file, &named, AT_SYMLINK_NOFOLLOW);

	if (status == 0 && is_same(&own, &named))
		return 0;
	/* What has something in it is not ours to remove. */
	if (status == 0 &&
		(!S_ISREG(named.st_mode) || named.st_size > 0 || named.st_uid != geteuid()))
		return err_set(err, ERR_REFUSED, "another file took the name of %s", audit->file);
	if (put_back(audit) != 0)
		return err_set_errno(err, "%s was taken away and cannot be put back", audit->file);
	return 0;
}
