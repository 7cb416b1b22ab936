#include "config.h"

#include "sandbox/places_pin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

void pins_release(struct pins *pins)
{
	for (size_t i = 0; i < pins->count; i++)
		fd_close(&pins->fds[i]);
	free(pins->fds);
	memset(pins, 0, sizeof(*pins));
}

void pins_take(struct pins *pins, int fd)
{
	mem_grow(&pins->fds, &pins->cap, pins->count, sizeof(*pins->fds));
	pins->fds[pins->count++] = fd;
}

static int open_resolved(int dir_fd, const char *name, int flags, uint64_t resolve)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC), .resolve = resolve};
	return (int)syscall(SYS_openat2, dir_fd, name, &how, sizeof(how));
}

int place_open(const char *path)
{
	return open_resolved(AT_FDCWD, path, O_PATH, RESOLVE_NO_SYMLINKS);
}

int place_open_below(int dir_fd, const char *name, int flags)
{
	return open_resolved(dir_fd, name, flags, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
}

int place_pin(const struct place *place, struct pins *pins, struct err *err)
{
	FD_AUTO int fd = place_open(place->path);
	if (fd < 0)
		return err_set_errno(err, "%s", place->path);
	struct stat st;
	if (fstat(fd, &st) < 0)
		return err_set_errno(err, "%s", place->path);
	if (st.st_dev != place->dev || st.st_ino != place->ino)
		return err_set(
			err, ERR_REFUSED, "%s is not the one that was there before", place->path);
	if (pins) {
		pins_take(pins, fd);
		fd = -1;
	}
	return 0;
}
