#include "config.h"

#include "sandbox/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"

/* The header of older systems ends at ABI 3, so the constants of the ABI are ours. */
#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_MAKE_CHAR (1ull << 6)
#define FS_MAKE_BLOCK (1ull << 11)
#define FS_ABI_1 ((1ull << 13) - 1)
#define FS_REFER (1ull << 13)     /* ABI 2 */
#define FS_TRUNCATE (1ull << 14)  /* ABI 3 */
#define FS_IOCTL_DEV (1ull << 15) /* ABI 5 */
#define FS_FILE_RIGHTS (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define NET_TCP 3ull      /* ABI 4: bind and connect */
#define SCOPE_SIGNAL 2ull /* ABI 6 */
#define SCOPE_ALL 3ull    /* ABI 6: abstract Unix sockets, signals */
#define CREATE_VERSION 1u
#define RULE_PATH_BENEATH 1

struct ruleset {
	uint64_t fs, net, scoped;
};

/* As the kernel wants it: without padding. */
struct path_rule {
	uint64_t access;
	int32_t fd;
} __attribute__((packed));

int landlock_abi(int *ret_errno)
{
	int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
	if (ret_errno)
		*ret_errno = abi < 0 ? errno : 0;
	return abi < 0 ? 0 : abi;
}

static uint64_t handled_rights(int abi)
{
	uint64_t fs = FS_ABI_1;
	if (abi >= 2)
		fs |= FS_REFER;
	if (abi >= 3)
		fs |= FS_TRUNCATE;
	if (abi >= 5)
		fs |= FS_IOCTL_DEV;
	return fs;
}

static uint64_t rights_of(enum plan_access access)
{
	switch (access) {
	case PLAN_ACCESS_READ:
		return FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;
	case PLAN_ACCESS_WRITE:
		/* Device nodes are nothing that a command has to make; verify.c builds on their refusal. */
		return (FS_ABI_1 | FS_REFER | FS_TRUNCATE) & ~(FS_MAKE_CHAR | FS_MAKE_BLOCK);
	case PLAN_ACCESS_DEVICE:
		return FS_READ_FILE | FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV;
	case PLAN_ACCESS_LIST:
		return FS_READ_DIR;
	}
	return 0;
}

static const struct plan_mount *pinned(const struct plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->check_count; i++)
		if ((plan->checks[i].flags & PLAN_CHECK) &&
			strcmp(plan->checks[i].target, path) == 0)
			return &plan->checks[i];
	return NULL;
}

/* The very descriptor that the rule is made for: a directory that was put there since it was compared gets none. */
static int compare(
	const struct plan *plan, const char *path, const struct stat *st, struct err *err)
{
	const struct plan_mount *check = pinned(plan, path);
	if (check && (check->dev != st->st_dev || check->ino != st->st_ino))
		return err_set(err, ERR_REFUSED, "%s", path);
	return 0;
}

static int add_rule(int ruleset, uint64_t handled, const struct plan *plan,
	const struct plan_rule *rule, struct err *err)
{
	/* Not open(): musl's sets close-on-exec once more, by a call of its own. */
	FD_AUTO int fd = openat(AT_FDCWD, rule->path, O_PATH | O_CLOEXEC);
	struct stat st;
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(err, "%s", rule->path);
	if (compare(plan, rule->path, &st, err))
		return -1;
	struct path_rule path = {.access = rights_of(rule->access) & handled, .fd = fd};
	/* The kernel refuses a directory's rights on a file. */
	if (!S_ISDIR(st.st_mode))
		path.access &= FS_FILE_RIGHTS;
	if (path.access &&
		syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &path, 0) != 0)
		return err_set_errno(err, "a rule for %s", rule->path);
	return 0;
}

static size_t ruleset_bytes(int abi)
{
	if (abi >= 6)
		return sizeof(struct ruleset);
	return abi >= 4 ? 16 : 8;
}

int landlock_signal_scope(void)
{
	const struct ruleset attr = {.scoped = SCOPE_SIGNAL};
	if (landlock_abi(NULL) < 6)
		return -1;
	return (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
}

/* The card was drawn for an ABI: less would not hold what it says, more is not used. */
static int abi_for(const struct plan *plan, struct err *err)
{
	int why;
	int abi = landlock_abi(&why);
	if (abi == 0) {
		errno = why;
		return err_set_errno(err, "Landlock is not there");
	}
	if (abi < (int)plan->landlock_abi)
		return err_set(err, ERR_UNAVAILABLE, "Landlock has ABI %d here, not %u", abi,
			plan->landlock_abi);
	return plan->landlock_abi ? (int)plan->landlock_abi : abi;
}

int landlock_restrict(const struct plan *plan, bool cut_is_held, struct err *err)
{
	int abi = abi_for(plan, err);
	if (abi < 0)
		return -1;
	/* Below ABI 3, truncate() empties files that may not be written. */
	if (abi < 3 && !cut_is_held)
		return err_set(err, ERR_UNAVAILABLE, "Landlock ABI %d is too old", abi);
	const struct ruleset attr = {.fs = handled_rights(abi),
		.net = abi >= 4 && plan->landlock_net ? NET_TCP : 0,
		.scoped = abi >= 6 ? SCOPE_ALL : 0};
	FD_AUTO int ruleset =
		(int)syscall(SYS_landlock_create_ruleset, &attr, ruleset_bytes(abi), 0);
	if (ruleset < 0)
		return err_set_errno(err, "making a Landlock ruleset");
	for (size_t i = 0; i < plan->rule_count; i++)
		if (add_rule(ruleset, attr.fs, plan, &plan->rules[i], err))
			return -1;
	if (syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
		return err_set_errno(err, "restricting with Landlock");
	return 0;
}
