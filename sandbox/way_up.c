#include "config.h"

#include "sandbox/way_up.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/path.h"

bool node_equal(const struct node *a, const struct node *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

int way_look(int fd, struct place_up *ret)
{
	struct statx stx;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_MNT_ID, &stx) != 0)
		return -1;
	*ret = (struct place_up){
		.node = {makedev(stx.stx_dev_major, stx.stx_dev_minor), stx.stx_ino},
		.mount = (stx.stx_mask & STATX_MNT_ID) ? stx.stx_mnt_id : 0,
		.is_dir = S_ISDIR(stx.stx_mode)};
	return 0;
}

int way_step(int *fd, struct place_up *at)
{
	int up = openat(*fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct place_up above;
	if (up < 0 || way_look(up, &above) < 0) {
		fd_close(&up);
		return -1;
	}
	close(*fd);
	*fd = up;
	bool root = node_equal(&above.node, &at->node);
	*at = above;
	return root ? 0 : 1;
}

int way_open_nearest(const char *path, char **ret_opened, bool *ret_exists)
{
	char *at = path_normalize(path);
	int fd;
	*ret_exists = true;
	while ((fd = open(at, O_PATH | O_CLOEXEC)) < 0 && strcmp(at, "/") != 0) {
		char *up = path_dirname(at);
		free(at);
		at = up;
		*ret_exists = false;
	}
	*ret_opened = at;
	return fd;
}
