#include "config.h"

#include "app/socket_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "core/environment.h"

#define OTHERS 077
#define WRITABLE_BY_OTHERS 022
#define DEPTH_MAX 64 /* of directories above */
#define WAY_OUT "name a directory that is yours alone: --listen=DIRECTORY/console.sock"

static char *default_place(char **envp)
{
	const char *runtime = environment_value(envp, "XDG_RUNTIME_DIR");
	if (runtime == NULL || runtime[0] != '/')
		return NULL;
	return path_join(runtime, "exequatur/console.sock");
}

int socket_place(const char *asked, char **envp, char **ret, struct err *err)
{
	char cwd[PATH_MAX];
	char *place MEM_AUTO = NULL;
	if (asked == NULL)
		place = default_place(envp);
	else if (getcwd(cwd, sizeof(cwd)) != NULL)
		place = path_join(cwd, asked);
	if (place == NULL)
		return err_set(err, ERR_UNAVAILABLE,
			"no safe directory for the socket: XDG_RUNTIME_DIR is not set; " WAY_OUT);
	*ret = path_normalize(place);
	return 0;
}

/* Whoever may write a directory above could put another one in the place of ours. */
static int check_above(int dir_fd, const char *dir, struct err *err)
{
	FD_AUTO int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 3);
	struct stat st, above;
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "looking at %s", dir);
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (up < 0 || fstat(up, &above) != 0)
			return err_set_errno(err, "looking above %s", dir);
		fd_close(&fd);
		fd = up;
		if (above.st_dev == st.st_dev && above.st_ino == st.st_ino)
			return 0;
		st = above;
		bool theirs = st.st_uid != 0 && st.st_uid != geteuid();
		bool open = (st.st_mode & WRITABLE_BY_OTHERS) != 0 && (st.st_mode & S_ISVTX) == 0;
		if (theirs || open)
			return err_set(err, ERR_REFUSED,
				"no safe directory for the socket: somebody else may rename "
				"%s; " WAY_OUT,
				dir);
	}
	return err_set(err, ERR_REFUSED, "%s lies too deep", dir);
}

/* What every command can see, if only to read: that stops no connect(). The other places are checked as those of a call are. */
static int check_unseen(int dir_fd, const char *dir, struct err *err)
{
	static const char *const seen[] = {"/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64"};
	char link[64], real[PATH_MAX];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir_fd);
	ssize_t n = readlink(link, real, sizeof(real) - 1);
	if (n < 0)
		return err_set_errno(err, "looking at %s", dir);
	real[n] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(seen); i++)
		if (path_is_equal_or_below(real, seen[i]))
			return err_set(err, ERR_REFUSED,
				"no safe directory for the socket: commands can see %s; " WAY_OUT,
				dir);
	return 0;
}

static int open_private(const char *dir, int *ret_fd, struct err *err)
{
	FD_AUTO int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return err_set(err, ERR_REFUSED,
			"no safe directory for the socket: %s is no directory, or a "
			"symlink; " WAY_OUT,
			dir);
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "the directory of the socket, %s", dir);
	if (st.st_uid != geteuid() || (st.st_mode & OTHERS) != 0)
		return err_set(err, ERR_REFUSED,
			"no safe directory for the socket: %s %s; " WAY_OUT, dir,
			st.st_uid != geteuid() ? "belongs to another user"
					       : "is open to others (chmod 700 closes it)");
	if (check_unseen(fd, dir, err) != 0 || check_above(fd, dir, err) != 0)
		return -1;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* The default one only, in a directory that is safe itself. */
static int make_default(const char *path, char **envp, struct err *err)
{
	char *usual MEM_AUTO = default_place(envp);
	char *usual_clean MEM_AUTO = usual != NULL ? path_normalize(usual) : NULL;
	if (usual_clean == NULL || strcmp(usual_clean, path) != 0)
		return 0;
	FD_AUTO int above = -1;
	if (open_private(environment_value(envp, "XDG_RUNTIME_DIR"), &above, err) != 0)
		return -1;
	if (mkdirat(above, "exequatur", 0700) == 0 && fchmodat(above, "exequatur", 0700, 0) != 0)
		return err_set_errno(err, "closing the directory of the socket to others");
	return 0; /* what is there instead is judged next */
}

int socket_place_open(const char *path, char **envp, int *ret_dir_fd, struct err *err)
{
	char *dir MEM_AUTO = path_dirname(path);
	if (make_default(path, envp, err) != 0)
		return -1;
	return open_private(dir, ret_dir_fd, err);
}

int socket_place_address(int dir_fd, const char *path, struct sockaddr_un *ret, struct err *err)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	int n = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", dir_fd,
		path_basename(path));
	if (n < 0 || (size_t)n >= sizeof(ret->sun_path))
		return err_set(err, ERR_INVALID, "the name of the socket is too long: %s",
			path_basename(path));
	return 0;
}
