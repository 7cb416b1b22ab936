#include "config.h"

#include "sandbox/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/mounts_root.h"

/* From <sys/mount.h>, which cannot be included beside <linux/mount.h>. */
#define REMOUNT_PRIVATE (1ul << 18 | 1ul << 14) /* MS_PRIVATE | MS_REC */
#define DETACH 2                                /* MNT_DETACH */
#define ROOT_MODE 0755

static int open_pinned(const struct plan_mount *mount, enum stage *ret_stage, struct err *err)
{
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
	struct stat st;
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, mount->source, &how, sizeof(how));
	if (fd < 0 || fstat(fd, &st) != 0) {
		*ret_stage = STAGE_PLACES;
		err_set_errno(err, "%s", mount->source);
		fd_close(&fd);
		return -1;
	}
	if (st.st_dev != mount->dev || st.st_ino != mount->ino) {
		*ret_stage = STAGE_PLACES;
		close(fd);
		return err_set(
			err, ERR_REFUSED, "%s is not the directory on the card", mount->source);
	}
	return fd;
}

static int clone_tree(int dirfd, const char *path, bool recursive)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH;
	int fd = (int)syscall(
		SYS_open_tree, dirfd, path, flags | (recursive ? (unsigned)AT_RECURSIVE : 0));
	/* In a user namespace the kernel does not part a directory from what is mounted below it, lest that uncovers
	   what lies under the mount. */
	if (fd < 0 && errno == EINVAL && !recursive)
		fd = (int)syscall(SYS_open_tree, dirfd, path, flags | (unsigned)AT_RECURSIVE);
	return fd;
}

static bool may_be_missing(const struct plan_mount *mount)
{
	return (mount->flags & PLAN_OPTIONAL) &&
	       (errno == ENOENT || errno == ENOTDIR || errno == EACCES);
}

/* A detached copy of the source. -1 with err->code ERR_NONE: missing, and that is fine. */
static int open_source(
	struct root *root, const struct plan_mount *mount, enum stage *ret_stage, struct err *err)
{
	FD_AUTO int from = -1;
	const char *path = mount->source;
	if (mount->flags & PLAN_CHECK) {
		from = open_pinned(mount, ret_stage, err);
		if (from < 0)
			return -1;
		path = "";
	} else if (path_is_equal_or_below(path, "/proc")) {
		/* The host's /proc shows another pid namespace; the one meant is the new root's own. */
		from = root_open(root, path, O_PATH);
		path = "";
		if (from < 0)
			return err_set_errno(err, "%s", mount->source);
	}
	int fd = clone_tree(from >= 0 ? from : AT_FDCWD, path, mount->flags & PLAN_REC);
	if (fd < 0 && !may_be_missing(mount))
		err_set_errno(err, "binding %s", mount->source);
	return fd;
}

static int set_attributes(int fd, const char *path, uint64_t attributes, unsigned flags)
{
	const struct mount_attr attr = {.attr_set = attributes};
	/* Only sets: flags that a user namespace may not clear stay as they are. */
	return (int)syscall(
		SYS_mount_setattr, fd, path, AT_EMPTY_PATH | flags, &attr, sizeof(attr));
}

static uint64_t attributes_of(const struct plan_mount *mount)
{
	uint64_t attributes = MOUNT_ATTR_NOSUID;
	if (mount->kind != PLAN_DEVICE)
		attributes |= MOUNT_ATTR_NODEV;
	if (mount->flags & PLAN_RO)
		attributes |= MOUNT_ATTR_RDONLY;
	if ((mount->flags & PLAN_NOEXEC) || mount->kind == PLAN_DEVICE)
		attributes |= MOUNT_ATTR_NOEXEC;
	return attributes;
}

struct builder {
	const struct plan *plan;
	struct root root;
	enum stage stage; /* of the failure */
};

static int bind(struct builder *b, const struct plan_mount *mount, struct err *err)
{
	struct stat st;
	FD_AUTO int fd = open_source(&b->root, mount, &b->stage, err);
	if (fd < 0)
		return err->code == ERR_NONE ? 0 : -1;
	if (fstat(fd, &st) != 0 ||
		set_attributes(fd, "", attributes_of(mount), (unsigned)AT_RECURSIVE) != 0)
		return err_set_errno(err, "binding %s", mount->source);
	return root_attach(&b->root, mount->target, fd, S_ISDIR(st.st_mode), err);
}

static int tmpfs(struct builder *b, const struct plan_mount *mount, struct err *err)
{
	/* Read-only only at the end: mount points below it have to be made first. */
	struct plan_mount writable = *mount;
	writable.flags &= ~(unsigned)PLAN_RO;
	FD_AUTO int fd = mount_tmpfs(mount->size, mount->mode, attributes_of(&writable), err);
	return fd < 0 ? -1 : root_attach(&b->root, mount->target, fd, true, err);
}

static int special(struct builder *b, const struct plan_mount *mount, struct err *err)
{
	const char *type = mount->kind == PLAN_PROC ? "proc" : "mqueue";
	FD_AUTO int fd = mount_new(type, NULL, 0, attributes_of(mount) | MOUNT_ATTR_NOEXEC, err);
	return fd < 0 ? -1 : root_attach(&b->root, mount->target, fd, true, err);
}

static int link_name(struct builder *b, const struct plan_mount *mount, struct err *err)
{
	return root_symlink(&b->root, mount->source, mount->target, err);
}

static int directory(struct builder *b, const struct plan_mount *mount, struct err *err)
{
	return root_directory(&b->root, mount->target, mount->mode ? mount->mode : ROOT_MODE, err);
}

static int remount_readonly(struct builder *b, const struct plan_mount *mount, struct err *err)
{
	FD_AUTO int fd = root_open(&b->root, mount->target, O_PATH);
	if (fd < 0 || set_attributes(fd, "", MOUNT_ATTR_RDONLY, 0) != 0)
		return err_set_errno(err, "making %s read-only", mount->target);
	return 0;
}

/* A file of ours over a mount point: nothing can be written there. */
static int cover(struct builder *b, const struct plan_mount *mount, int fd, struct err *err)
{
	if (set_attributes(fd, "", attributes_of(mount) | MOUNT_ATTR_RDONLY, 0) != 0)
		return err_set_errno(err, "covering %s", mount->target);
	return root_attach(&b->root, mount->target, fd, false, err);
}

static int empty_file(struct builder *b, const struct plan_mount *mount, struct err *err)
{
	FD_AUTO int fd = root_empty_file(&b->root, err);
	return fd < 0 ? -1 : cover(b, mount, fd, err);
}

static int text_file(struct builder *b, const struct plan_mount *mount, struct err *err)
{
	FD_AUTO int fd = root_text_file(&b->root, mount->source, err);
	int result = fd < 0 ? -1 : cover(b, mount, fd, err);
	root_forget_text_file(&b->root);
	return result;
}

typedef int build_one(struct builder *, const struct plan_mount *, struct err *);

static build_one *const builders[PLAN_MOUNT_KIND_COUNT] = {
	[PLAN_TMPFS] = tmpfs,
	[PLAN_BIND] = bind,
	[PLAN_PROC] = special,
	[PLAN_DEVICE] = bind,
	[PLAN_SYMLINK] = link_name,
	[PLAN_DIR] = directory,
	[PLAN_MQUEUE] = special,
	[PLAN_REMOUNT_RO] = remount_readonly,
	[PLAN_EMPTY_FILE] = empty_file,
	[PLAN_FILE] = text_file,
};

static bool needs_source(enum plan_mount_kind kind)
{
	return kind == PLAN_BIND || kind == PLAN_DEVICE || kind == PLAN_SYMLINK ||
	       kind == PLAN_FILE;
}

/* In a tree that commands may write, what is missing or in the way is their doing, and speaks against no sandbox. */
static bool is_their_doing(const struct builder *b, const char *target, int error_number)
{
	/* EINVAL: a directory is to come over something else, or the other way round. */
	bool about_names = error_number == ENOENT || error_number == ENOTDIR ||
			   error_number == ELOOP || error_number == EINVAL;
	return about_names && root_is_the_hosts(&b->root, target);
}

static int build(struct builder *b, const struct plan_mount *mount, struct err *err)
{
	if (mount->target[0] != '/' || (needs_source(mount->kind) && !mount->source))
		return err_set(err, ERR_INVALID, "%s cannot be built", mount->target);
	if (mount->kind == PLAN_TMPFS && strcmp(mount->target, "/") == 0)
		return 0; /* the root itself, which is there */
	if (builders[mount->kind](b, mount, err)) {
		if (is_their_doing(b, mount->target, err->saved_errno))
			b->stage = STAGE_PLACES;
		return -1;
	}
	/* What lies below a bind belongs to the host: mount points are not made in it. */
	if (mount->kind == PLAN_BIND)
		strv_add(&b->root.binds, mount->target);
	return 0;
}

static int build_from(struct builder *b, size_t first, struct err *err)
{
	for (size_t i = first; i < b->plan->mount_count; i++)
		if (build(b, &b->plan->mounts[i], err))
			return -1;
	return 0;
}

static int build_listed(struct builder *b, size_t first, struct err *err)
{
	const struct plan *plan = b->plan;
	if (build_from(b, first, err))
		return -1;
	for (size_t i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == PLAN_TMPFS && (plan->mounts[i].flags & PLAN_RO) &&
			remount_readonly(b, &plan->mounts[i], err))
			return -1;
	root_forget_empty_file(&b->root);
	return 0;
}

static int build_all(struct builder *b, size_t first, struct err *err)
{
	if (build_listed(b, first, err))
		return -1;
	if (set_attributes(b->root.fd, "", MOUNT_ATTR_RDONLY, 0) != 0)
		return err_set_errno(err, "making / read-only");
	return 0;
}

static int enter_root(int root_fd, struct err *err)
{
	/* pivot_root(2): with both names the same, the old root ends up over the new one and is let go by ".". */
	if (fchdir(root_fd) != 0 || syscall(SYS_pivot_root, ".", ".") != 0)
		return err_set_errno(err, "changing the root");
	if (syscall(SYS_umount2, ".", DETACH) != 0 || chdir("/") != 0)
		return err_set_errno(err, "letting the host's root go");
	return 0;
}

static int begin(struct builder *b, struct err *err)
{
	/* Else what is mounted here could appear on the host, and later mounts of the host here. */
	if (syscall(SYS_mount, NULL, "/", NULL, REMOUNT_PRIVATE, NULL) != 0)
		return err_set_errno(err, "parting from the host's mounts");
	return root_init(&b->root, err);
}

int mounts_begin(
	const struct plan *base, struct mounts_begun *begun, enum stage *ret_stage, struct err *err)
{
	struct builder b = {.plan = base, .stage = STAGE_MOUNTS};
	mode_t before = umask(0);
	int result = begin(&b, err) || build_from(&b, 0, err) ? -1 : 0;
	umask(before);
	*ret_stage = b.stage;
	*begun = (struct mounts_begun){b.root, base->mount_count};
	return result;
}

int mounts_build(
	const struct plan *plan, struct mounts_begun *begun, enum stage *ret_stage, struct err *err)
{
	struct builder b = {.plan = plan, .stage = STAGE_MOUNTS, .root = begun->root};
	mode_t before = umask(0);
	int result = begun->count ? 0 : begin(&b, err);
	if (result == 0) {
		result = build_all(&b, begun->count, err) || enter_root(b.root.fd, err) ? -1 : 0;
		root_release(&b.root);
	}
	*begun = (struct mounts_begun){0};
	umask(before);
	*ret_stage = b.stage;
	return result;
}

int mounts_add(const struct plan *plan, enum stage *ret_stage, struct err *err)
{
	struct builder b = {.plan = plan, .stage = STAGE_MOUNTS};
	if (plan->mount_count == 0)
		return 0;
	int result = root_take(&b.root, err);
	if (result == 0) {
		result = build_listed(&b, 0, err);
		root_release(&b.root);
	}
	*ret_stage = b.stage;
	return result;
}

static int measure(const char *target, struct message_check *ret, struct err *err)
{
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
	struct stat st;
	FD_AUTO int fd = (int)syscall(SYS_openat2, AT_FDCWD, target, &how, sizeof(how));
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "%s", target);
	*ret = (struct message_check){st.st_dev, st.st_ino};
	return 0;
}

int mounts_measure(
	const struct plan *plan, struct message_check *ret, uint32_t *ret_count, struct err *err)
{
	uint32_t count = 0;
	for (size_t i = 0; i < plan->mount_count; i++)
		if ((plan->mounts[i].flags & PLAN_CHECK) &&
			measure(plan->mounts[i].target, &ret[count++], err))
			return -1;
	for (size_t i = 0; i < plan->check_count; i++)
		if ((plan->checks[i].flags & PLAN_CHECK) &&
			measure(plan->checks[i].target, &ret[count++], err))
			return -1;
	*ret_count = count;
	return 0;
}
