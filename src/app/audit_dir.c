#include "config.h"

#include "app/audit_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

#define DIRECTORY_MODE 0700
#define UNDER_STATE_HOME "exequatur/audit"

/* Every directory of the path that is missing, for its owner alone whatever the umask leaves open
   or takes away. */
static int make_directories(const char *path, struct err *err)
{
	/* Mostly all of it is there. What is no directory is refused when it is opened. */
	if (access(path, F_OK) == 0)
		return 0;
	MEM_AUTO char *part = mem_strdup(path);

	for (char *at = part + 1;; at++) {
		char kept = *at;

		if (kept != '/' && kept != '\0')
			continue;
		*at = '\0';
		if (mkdir(part, DIRECTORY_MODE) == 0) {
			if (chmod(part, DIRECTORY_MODE) != 0)
				return err_set_errno(err, "closing %s to others", part);
		} else if (errno != EEXIST) {
			return err_set_errno(err, "making %s", part);
		}
		*at = kept;
		if (kept == '\0')
			return 0;
	}
}

int audit_open_directory(const char *dir, int *ret_fd, struct err *err)
{
	FD_AUTO int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return err_set(err, ERR_REFUSED,
			"the record's directory %s is no directory, or a symlink", dir);
	if (fd < 0)
		return err_set_errno(err, "opening the record's directory %s", dir);
	if (fstat(fd, &st) != 0)
		return err_set_errno(err, "looking at %s", dir);
	/* Somebody who may write here could take a file away between two of its lines. */
	if (st.st_uid != geteuid())
		return err_set(
			err, ERR_REFUSED, "the record's directory %s belongs to another user", dir);
	if ((st.st_mode & 077) != 0)
		return err_set(err, ERR_REFUSED,
			"the record's directory %s is open to others: chmod 700 %s", dir, dir);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

static char *default_directory(const char *xdg_state_home, const char *home)
{
	/* The XDG base directory specification: a relative value is to be ignored. */
	if (xdg_state_home != NULL && xdg_state_home[0] == '/')
		return path_join(xdg_state_home, UNDER_STATE_HOME);
	if (home != NULL && home[0] == '/')
		return mem_printf("%s/.local/state/%s", home, UNDER_STATE_HOME);
	return NULL;
}

int audit_directory_path(const char *log_path, const char *xdg_state_home, const char *home,
	char **ret, struct err *err)
{
	MEM_AUTO char *wanted = log_path != NULL && log_path[0] == '/'
					? mem_strdup(log_path)
					: default_directory(xdg_state_home, home);

	if (wanted == NULL)
		return err_set(err, ERR_UNAVAILABLE,
			"no place for the record: neither log_path nor HOME is set");
	MEM_AUTO char *dir = path_normalize(wanted);

	if (strcmp(dir, "/") == 0)
		return err_set(err, ERR_REFUSED, "the record's directory cannot be /");
	*ret = STEAL(dir);
	return 0;
}

int audit_directory(const char *log_path, const char *xdg_state_home, const char *home, char **ret,
	struct err *err)
{
	MEM_AUTO char *dir = NULL;
	FD_AUTO int fd = -1;

	if (audit_directory_path(log_path, xdg_state_home, home, &dir, err) != 0 ||
		make_directories(dir, err) != 0 || audit_open_directory(dir, &fd, err) != 0)
		return -1;
	*ret = STEAL(dir);
	return 0;
}
