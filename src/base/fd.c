#include "config.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define READ_BYTES 16384

#define LOCK_WAIT_NS 2000000
#define LOCK_TRIES 2500 /* 5 s */

void fd_close(int *fd)
{
	int number = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = number;
}

int fd_write_all(int fd, const void *bytes, size_t len, struct err *err)
{
	const char *at = bytes;

	while (len > 0) {
		ssize_t done = write(fd, at, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_set_errno(err, "writing");
		at += done;
		len -= (size_t)done;
	}
	return 0;
}

int fd_read_all(int fd, size_t max, struct str *out, struct err *err)
{
	char chunk[READ_BYTES];
	size_t room = max;

	for (;;) {
		ssize_t got = read(fd, chunk, sizeof(chunk));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(err, "reading");
		if (got == 0)
			return 0;
		if ((size_t)got > room)
			return err_set(err, ERR_LIMIT, "more than %zu bytes", max);
		room -= (size_t)got;
		str_add_bytes(out, chunk, (size_t)got);
	}
}

int fd_set_nonblock(int fd, struct err *err)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return err_set_errno(err, "setting a descriptor to non-blocking");
	return 0;
}

int fd_set_cloexec(int fd, bool on, struct err *err)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags < 0)
		return err_set_errno(err, "reading the flags of a descriptor");
	flags = on ? flags | FD_CLOEXEC : flags & ~FD_CLOEXEC;
	if (fcntl(fd, F_SETFD, flags) < 0)
		return err_set_errno(err, "setting the flags of a descriptor");
	return 0;
}

int fd_sealed_memfd(const char *name, const void *bytes, size_t len, int *ret_fd, struct err *err)
{
	/* A reader maps or reads what was written here and nothing else: also F_SEAL_SEAL, so that
	   the set of seals itself is final. */
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	FD_AUTO int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return err_set_errno(err, "memfd_create %s", name);
	if (fd_write_all(fd, bytes, len, err) < 0)
		return err_context(err, "memfd %s", name);
	if (lseek(fd, 0, SEEK_SET) < 0 || fcntl(fd, F_ADD_SEALS, seals) < 0)
		return err_set_errno(err, "sealing memfd %s", name);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int fd_read_file(const char *path, size_t max, struct str *out, struct err *err)
{
	struct stat st;
	/* O_NONBLOCK: opening a FIFO that somebody put there must not hang. */
	FD_AUTO int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return err_set_errno(err, "opening %s", path);
	if (fstat(fd, &st) < 0)
		return err_set_errno(err, "looking at %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_REFUSED, "%s is not a regular file", path);
	if (fd_read_all(fd, max, out, err) < 0)
		return err_context(err, "%s", path);
	return 0;
}

int fd_lock(int fd, bool exclusive, const char *name, struct err *err)
{
	const struct timespec wait = {.tv_nsec = LOCK_WAIT_NS};

	for (unsigned i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_set_errno(err, "locking %s", name);
		nanosleep(&wait, NULL);
	}
	return err_set(err, ERR_UNAVAILABLE, "%s stays locked by another process", name);
}
