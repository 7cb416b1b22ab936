#include "config.h"

#include "sandbox/mounts_root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

#define ROOT_MODE 0755
#define POINT_MODE 0555 /* of a directory that only carries a mount */
#define EMPTY_FILE ".empty"
#define TEXT_FILE ".text"
/* The one place that a wrapper surely made private and writable. */
#define EMPTY_FILE_TAKEN "tmp/.empty"
#define TEXT_FILE_TAKEN "tmp/.text"

int mount_new(const char *type, const struct mount_option *options, unsigned count,
	uint64_t attributes, struct err *err)
{
	FD_AUTO int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	int result = fs < 0 ? -1 : 0;
	for (unsigned i = 0; i < count && result == 0; i++)
		result = (int)syscall(
			SYS_fsconfig, fs, FSCONFIG_SET_STRING, options[i].key, options[i].value, 0);
	if (result == 0)
		result = (int)syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
	if (result == 0)
		result = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, (unsigned)attributes);
	return result < 0 ? err_set_errno(err, "mounting %s", type) : result;
}

int mount_tmpfs(uint64_t bytes, unsigned mode, uint64_t attributes, struct err *err)
{
	char mode_text[16], size_text[24];
	snprintf(mode_text, sizeof(mode_text), "%o", mode ? mode : ROOT_MODE);
	snprintf(size_text, sizeof(size_text), "%llu", (unsigned long long)bytes);
	const struct mount_option options[] = {{"mode", mode_text}, {"size", size_text}};
	return mount_new("tmpfs", options, bytes ? 2 : 1, attributes, err);
}

static int move_mount_to(int mount_fd, int dir_fd, const char *name, unsigned flags)
{
	return (int)syscall(
		SYS_move_mount, mount_fd, "", dir_fd, name, MOVE_MOUNT_F_EMPTY_PATH | flags);
}

int root_init(struct root *ret, struct err *err)
{
	FD_AUTO int fd = mount_tmpfs(0, ROOT_MODE, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, err);
	if (fd < 0)
		return -1;
	if (move_mount_to(fd, AT_FDCWD, "/", 0) != 0)
		return err_set_errno(err, "attaching a new root");
	*ret = (struct root){
		.fd = fd, .parent_fd = -1, .empty_file = EMPTY_FILE, .text_file = TEXT_FILE};
	fd = -1;
	return 0;
}

int root_take(struct root *ret, struct err *err)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set_errno(err, "/");
	*ret = (struct root){.fd = fd,
		.parent_fd = -1,
		.empty_file = EMPTY_FILE_TAKEN,
		.text_file = TEXT_FILE_TAKEN};
	strv_add(&ret->binds, "/");
	return 0;
}

void root_release(struct root *root)
{
	fd_close(&root->fd);
	fd_close(&root->parent_fd);
	free(root->parent);
	root->parent = NULL;
	strv_release(&root->binds);
}

int root_open(const struct root *root, const char *path, int flags)
{
	/* A symlink (in a work directory that another command may write) would lead to the host's root, which is still
	   ours, and the mount would miss its place. */
	const struct open_how how = {.flags = (unsigned)flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS};
	return (int)syscall(SYS_openat2, root->fd, path, &how, sizeof(how));
}

bool root_is_the_hosts(const struct root *root, const char *path)
{
	for (size_t i = 0; i < root->binds.count; i++)
		if (path_is_equal_or_below(path, root->binds.items[i]))
			return true;
	return false;
}

static int open_directory(struct root *root, const char *path, struct err *err);

/* The directory that holds target, made when it is not there; remembered, since neighbours come together. */
static int open_parent(struct root *root, const char *target, struct err *err)
{
	MEM_AUTO char *dir = path_dirname(target);
	if (root->parent && strcmp(root->parent, dir) == 0)
		return root->parent_fd;
	int fd = open_directory(root, dir, err);
	if (fd < 0)
		return -1;
	fd_close(&root->parent_fd);
	free(root->parent);
	root->parent_fd = fd;
	root->parent = STEAL(dir);
	return fd;
}

static int make_below(int parent_fd, const char *target, mode_t mode, struct err *err)
{
	const char *name = path_basename(target);
	int result = S_ISREG(mode) ? mknodat(parent_fd, name, mode, 0)
				   : mkdirat(parent_fd, name, mode & 07777);
	if (result != 0 && errno != EEXIST)
		return err_set_errno(err, "making %s", target);
	return 0;
}

static int open_directory(struct root *root, const char *path, struct err *err)
{
	int fd = root_open(root, path, O_PATH | O_DIRECTORY);
	if (fd >= 0 || errno != ENOENT || root_is_the_hosts(root, path))
		return fd >= 0 ? fd : err_set_errno(err, "%s", path);
	int parent_fd = open_parent(root, path, err);
	if (parent_fd < 0 || make_below(parent_fd, path, S_IFDIR | ROOT_MODE, err))
		return -1;
	fd = root_open(root, path, O_PATH | O_DIRECTORY);
	return fd >= 0 ? fd : err_set_errno(err, "%s", path);
}

int root_attach(struct root *root, const char *target, int mount_fd, bool is_dir, struct err *err)
{
	int parent_fd = open_parent(root, target, err);
	if (parent_fd < 0)
		return -1;
	mode_t mode = is_dir ? S_IFDIR | POINT_MODE : S_IFREG | 0444;
	if (!root_is_the_hosts(root, target) && make_below(parent_fd, target, mode, err))
		return -1;
	/* The last component is not followed either: MOVE_MOUNT_T_SYMLINKS is not given. */
	if (move_mount_to(mount_fd, parent_fd, path_basename(target), 0) != 0)
		return err_set_errno(err, "mounting on %s", target);
	/* What was remembered may lie under the new mount. */
	if (path_is_equal_or_below(root->parent, target)) {
		fd_close(&root->parent_fd);
		free(STEAL(root->parent));
	}
	return 0;
}

int root_symlink(struct root *root, const char *text, const char *target, struct err *err)
{
	int parent_fd = open_parent(root, target, err);
	if (parent_fd < 0)
		return -1;
	if (root_is_the_hosts(root, target) ||
		symlinkat(text, parent_fd, path_basename(target)) != 0)
		return err_set_errno(err, "linking %s", target);
	return 0;
}

int root_directory(struct root *root, const char *target, unsigned mode, struct err *err)
{
	int parent_fd = open_parent(root, target, err);
	if (parent_fd < 0)
		return -1;
	if (root_is_the_hosts(root, target))
		return err_set(err, ERR_REFUSED, "%s would be made on the host", target);
	return make_below(parent_fd, target, S_IFDIR | mode, err);
}

static int clone_file(const struct root *root, const char *name, struct err *err)
{
	int fd = (int)syscall(SYS_open_tree, root->fd, name,
		OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (unsigned)AT_SYMLINK_NOFOLLOW);
	return fd >= 0 ? fd : err_set_errno(err, "binding a file");
}

int root_empty_file(struct root *root, struct err *err)
{
	FD_AUTO int file = openat(
		root->fd, root->empty_file, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444);
	if (file < 0)
		return err_set_errno(err, "making an empty file");
	return clone_file(root, root->empty_file, err);
}

int root_text_file(struct root *root, const char *text, struct err *err)
{
	FD_AUTO int file = openat(root->fd, root->text_file,
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
	if (file < 0)
		return err_set_errno(err, "making a file");
	if (fd_write_all(file, text, strlen(text), err))
		return -1;
	return clone_file(root, root->text_file, err);
}

void root_forget_empty_file(struct root *root)
{
	/* Only now: the kernel attaches no mount whose file has lost its name already. */
	unlinkat(root->fd, root->empty_file, 0);
}

void root_forget_text_file(struct root *root)
{
	unlinkat(root->fd, root->text_file, 0);
}
