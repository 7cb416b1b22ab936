#include "config.h"

#include "launch_table.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/landlock.h"

static void add_tmpfs(struct plan *plan, const char *target, uint32_t mode)
{
	struct plan_mount *mount = plan_add_mount(plan, PLAN_TMPFS, 0, NULL, target);
	mount->size = 64u << 20;
	mount->mode = mode;
}

static void add_links(struct plan *plan)
{
	static const char *const links[] = {"/bin", "/sbin", "/lib", "/lib64"};
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		char text[64];
		ssize_t n = readlink(links[i], text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = '\0';
		if (n > 0)
			plan_add_mount(plan, PLAN_SYMLINK, 0, text, links[i]);
	}
}

static void add_system(struct plan *plan)
{
	static const char *const files[] = {"/etc/alternatives", "/etc/group", "/etc/ld.so.cache",
		"/etc/nsswitch.conf", "/etc/passwd", "/etc/not-there-at-all"};
	static const char *const devices[] = {
		"/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"};
	plan_add_mount(plan, PLAN_BIND, PLAN_RO | PLAN_REC, "/usr", "/usr");
	add_links(plan);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		plan_add_mount(plan, PLAN_BIND, PLAN_RO | PLAN_OPTIONAL, files[i], files[i]);
	plan_add_mount(plan, PLAN_PROC, 0, NULL, "/proc");
	plan_add_mount(plan, PLAN_BIND, PLAN_RO, "/proc/sys", "/proc/sys");
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		plan_add_mount(plan, PLAN_DEVICE, 0, devices[i], devices[i]);
	plan_add_mount(plan, PLAN_SYMLINK, 0, "/proc/self/fd", "/dev/fd");
	plan_add_mount(plan, PLAN_SYMLINK, 0, "/proc/self/fd/1", "/dev/stdout");
	plan_add_mount(plan, PLAN_SYMLINK, 0, "/proc/self/fd/2", "/dev/stderr");
	add_tmpfs(plan, "/dev/shm", 01777);
	add_tmpfs(plan, "/tmp", 01777);
	add_tmpfs(plan, LAUNCH_HOME, 0755);
	add_tmpfs(plan, LAUNCH_HOME "/.cache", 0700);
	plan_add_mount(plan, PLAN_REMOUNT_RO, 0, NULL, LAUNCH_HOME);
}

static void add_rules(struct plan *plan, const char *work)
{
	static const char *const readable[] = {"/usr", "/etc", "/proc", "/dev", LAUNCH_HOME};
	static const char *const writable[] = {"/tmp", "/dev/shm", LAUNCH_HOME "/.cache"};
	for (size_t i = 0; i < ARRAY_LEN(readable); i++)
		plan_add_rule(plan, PLAN_ACCESS_READ, readable[i]);
	for (size_t i = 0; i < ARRAY_LEN(writable); i++)
		plan_add_rule(plan, PLAN_ACCESS_WRITE, writable[i]);
	plan_add_rule(plan, PLAN_ACCESS_WRITE, work);
	plan_add_rule(plan, PLAN_ACCESS_LIST, "/");
	plan_add_rule(plan, PLAN_ACCESS_DEVICE, "/dev/null");
	plan_add_rule(plan, PLAN_ACCESS_DEVICE, "/dev/zero");
	plan_add_rule(plan, PLAN_ACCESS_DEVICE, "/dev/full");
	plan_add_rule(plan, PLAN_ACCESS_DEVICE, "/dev/urandom");
	plan->landlock = true;
}

#define CONFINED                                                                                   \
	(PLAN_PROOF_FILES | PLAN_PROOF_PIDNS | PLAN_PROOF_NETNS | PLAN_PROOF_IPCNS |               \
		PLAN_PROOF_UTSNS | PLAN_PROOF_USERNS | PLAN_PROOF_CAPS | PLAN_PROOF_SECCOMP |      \
		PLAN_PROOF_NNP | PLAN_PROOF_MOUNTNS | PLAN_PROOF_NO_TTY)

static void confine(struct launch *l)
{
	struct plan *plan = &l->plan;
	plan->filter = PLAN_FILTER_NETNS;
	plan->proofs = CONFINED;
	plan->hostname = mem_strdup("sandbox");
	if (landlock_abi(NULL) > 0) {
		add_rules(plan, l->work);
		plan->proofs |= PLAN_PROOF_LANDLOCK;
	}
}

static void plan_native(struct launch *l)
{
	struct stat st;
	assert_int_equal(stat(l->work, &st), 0);
	l->plan.namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
			     CLONE_NEWIPC | CLONE_NEWUTS;
	add_system(&l->plan);
	struct plan_mount *mount =
		plan_add_mount(&l->plan, PLAN_BIND, PLAN_CHECK | PLAN_REC, l->work, l->work);
	mount->dev = st.st_dev;
	mount->ino = st.st_ino;
	confine(l);
}

static void plan_wrapped(struct launch *l)
{
	static const char *const argv[] = {"/usr/bin/bwrap", "--die-with-parent", "--unshare-user",
		"--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--hostname",
		"sandbox", "--cap-drop", "ALL", "--tmpfs", "/", "--ro-bind", "/usr", "/usr",
		"--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink",
		"usr/lib64", "/lib64", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
		"--ro-bind-try", "/etc/passwd", "/etc/passwd", "--dev", "/dev", "--proc", "/proc",
		"--ro-bind", "/proc/sys", "/proc/sys", "--tmpfs", "/tmp", "--tmpfs", LAUNCH_HOME,
		"--tmpfs", LAUNCH_HOME "/.cache", "--remount-ro", LAUNCH_HOME, "--bind"};
	static const char *const rest[] = {"--remount-ro", "/", "--chdir", "/", "--clearenv",
		"--as-pid-1", "--", "/proc/self/fd/5"};
	struct stat st;
	assert_int_equal(stat(l->work, &st), 0);
	for (size_t i = 0; i < ARRAY_LEN(argv); i++)
		strv_add(&l->plan.wrapper, argv[i]);
	strv_add(&l->plan.wrapper, l->work);
	strv_add(&l->plan.wrapper, l->work);
	for (size_t i = 0; i < ARRAY_LEN(rest); i++)
		strv_add(&l->plan.wrapper, rest[i]);
	plan_add_check(&l->plan, l->work, st.st_dev, st.st_ino);
	confine(l);
	l->wrapper_fd = open(argv[0], O_PATH | O_CLOEXEC);
}

static void plan_prepared(struct launch *l)
{
	plan_native(l);
	l->prepare = l->plan.namespaces;
}

static void plan_waiting(struct launch *l)
{
	plan_wrapped(l);
	launch_wait_with(l, l->plan.wrapper.items[0]);
}

static void plan_bare(struct launch *l)
{
	l->plan.proofs = PLAN_PROOF_NO_TTY;
}

void launch_plan(struct launch *l, enum way way)
{
	static void (*const plans[])(struct launch *) = {[NATIVE] = plan_native,
		[PREPARED] = plan_prepared,
		[WRAPPED] = plan_wrapped,
		[WAITING] = plan_waiting,
		[BARE] = plan_bare};
	plans[way](l);
}
