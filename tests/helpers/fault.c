/* Preloaded into the console: one call that touches the record fails, does half of it, or is the last thing that the process does.
   Counted are calls of a process about what lies below FAULT_DIR; FAULT_LOG gets a line for each. FAULT_AT: the how manieth.
   FAULT_DO: an error's name; short: half is written; torn: half is written, and the process killed; kill, after: the process
   is killed before or behind the call; back: from there on the time of day is an hour less. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int calls;

static const struct {
	const char *name;
	int number;
} errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EDQUOT", EDQUOT}, {"EROFS", EROFS}};

static bool is_below(const char *path)
{
	const char *dir = getenv("FAULT_DIR");

	return dir != NULL && path != NULL && strncmp(path, dir, strlen(dir)) == 0;
}

static bool place_of(int fd, char path[4096])
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, path, 4095);

	path[len > 0 ? len : 0] = '\0';
	return len > 0 && is_below(path);
}

/* Where a path leads that may start at a directory. */
static bool is_below_at(int dir_fd, const char *path)
{
	char place[4096];

	return path[0] == '/' ? is_below(path) : dir_fd != AT_FDCWD && place_of(dir_fd, place);
}

static void note(int number, const char *what)
{
	const char *log = getenv("FAULT_LOG");
	char line[128];
	int len = snprintf(line, sizeof(line), "%d %s\n", number, what);
	long fd = log == NULL ? -1
			      : syscall(SYS_openat, AT_FDCWD, log,
					O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	syscall(SYS_write, fd, line, len);
	syscall(SYS_close, fd);
}

static void die(void)
{
	syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

/* What is to happen to this call; NULL: nothing. */
static const char *fault_of(const char *what)
{
	const char *at = getenv("FAULT_AT"), *fault = getenv("FAULT_DO");
	int number = atomic_fetch_add(&calls, 1) + 1;

	note(number, what);
	if (at == NULL || fault == NULL || atoi(at) != number)
		return NULL;
	if (strcmp(fault, "kill") == 0)
		die();
	return fault;
}

/* 0, or the error that the call is to have. */
static int error_of(const char *fault)
{
	for (size_t i = 0; fault != NULL && i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (strcmp(errors[i].name, fault) == 0)
			return errors[i].number;
	}
	return 0;
}

static void behind(const char *fault)
{
	if (fault != NULL && (strcmp(fault, "after") == 0 || strcmp(fault, "torn") == 0))
		die();
}

ssize_t write(int fd, const void *bytes, size_t len)
{
	char path[4096];
	const char *fault = place_of(fd, path) ? fault_of("write") : NULL;

	if (error_of(fault) != 0) {
		errno = error_of(fault);
		return -1;
	}
	if (fault != NULL && (strcmp(fault, "short") == 0 || strcmp(fault, "torn") == 0))
		len = len > 1 ? len / 2 : len;
	ssize_t done = syscall(SYS_write, fd, bytes, len);

	behind(fault);
	return done;
}

static int sync_of(long number, const char *what, int fd)
{
	char path[4096];
	const char *fault = place_of(fd, path) ? fault_of(what) : NULL;

	if (error_of(fault) != 0) {
		errno = error_of(fault);
		return -1;
	}
	int done = (int)syscall(number, fd);

	behind(fault);
	return done;
}

int fdatasync(int fd)
{
	return sync_of(SYS_fdatasync, "fdatasync", fd);
}

int fsync(int fd)
{
	return sync_of(SYS_fsync, "fsync", fd);
}

static int open_at(int dir_fd, const char *path, int flags, mode_t mode)
{
	const char *fault = is_below_at(dir_fd, path) ? fault_of("open") : NULL;

	if (error_of(fault) != 0) {
		errno = error_of(fault);
		return -1;
	}
	int fd = (int)syscall(SYS_openat, dir_fd, path, flags, mode);

	behind(fault);
	return fd;
}

int openat(int dir_fd, const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;

	va_end(args);
	return open_at(dir_fd, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;

	va_start(args, flags);
	mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;

	va_end(args);
	return open_at(AT_FDCWD, path, flags, mode);
}

static int move(int from_fd, const char *from, int to_fd, const char *to)
{
	const char *fault = is_below_at(to_fd, to) ? fault_of("rename") : NULL;

	if (error_of(fault) != 0) {
		errno = error_of(fault);
		return -1;
	}
	int done = (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, 0);

	behind(fault);
	return done;
}

int renameat(int from_fd, const char *from, int to_fd, const char *to)
{
	return move(from_fd, from, to_fd, to);
}

int rename(const char *from, const char *to)
{
	return move(AT_FDCWD, from, AT_FDCWD, to);
}

/* What a hardened build calls when there is no mode. */
int __open_2(const char *path, int flags);
int __openat_2(int dir_fd, const char *path, int flags);
int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

int __openat_2(int dir_fd, const char *path, int flags)
{
	return open_at(dir_fd, path, flags, 0);
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	const char *at = getenv("FAULT_AT"), *fault = getenv("FAULT_DO");
	int status = (int)syscall(SYS_clock_gettime, clock, ret);

	if (clock == CLOCK_REALTIME && at != NULL && fault != NULL && strcmp(fault, "back") == 0 &&
		atomic_load(&calls) >= atoi(at))
		ret->tv_sec -= 3600;
	return status;
}
