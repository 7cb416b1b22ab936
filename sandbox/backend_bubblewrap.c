#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "sandbox/backend_common.h"
#include "sandbox/backend_mounts.h"
#include "sandbox/pasta.h"
#include "sandbox/protocol.h"

/* A host that refused the native launch its user namespace may still let bwrap have one (AppArmor has a profile for it),
   so only what was refused inside a user namespace is believed of bwrap as well. */
static unsigned refused_for_bwrap(const struct host *host)
{
	return (host->refused_namespaces & NS_BIT(PLAN_NS_USER)) ? 0 : host->refused_namespaces;
}

static int offer(
	const struct host *host, const struct confinement *c, struct offer *ret, struct err *err)
{
	if (host->bwrap_path == NULL)
		return err_set(err, ERR_UNAVAILABLE, "%s", host->bwrap_why);
	if (common_check_refused(refused_for_bwrap(host), err) < 0)
		return -1;
	common_offer(BACKEND_BUBBLEWRAP, c, ret);
	common_offer_limits(host, c, ret);
	common_network(host, c, refused_for_bwrap(host), ret);
	common_isolation(host, c, common_namespaces(refused_for_bwrap(host), c, ret->pasta), ret);
	return 0;
}

static void add(struct strv *argv, const char *a, const char *b, const char *c)
{
	const char *const words[] = {a, b, c};
	for (size_t i = 0; i < ARRAY_LEN(words) && words[i]; i++)
		strv_add(argv, words[i]);
}

static void add_namespaces(struct strv *argv, unsigned namespaces)
{
	static const struct {
		enum plan_ns ns;
		const char *option;
	} options[] = {{PLAN_NS_USER, "--unshare-user"}, {PLAN_NS_PID, "--unshare-pid"},
		{PLAN_NS_NET, "--unshare-net"}, {PLAN_NS_IPC, "--unshare-ipc"},
		{PLAN_NS_UTS, "--unshare-uts"}};
	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		if (namespaces & NS_BIT(options[i].ns))
			strv_add(argv, options[i].option);
	strv_add(argv, "--unshare-cgroup-try");
}

static void add_tmpfs(struct strv *argv, const struct plan_mount *m)
{
	add(argv, "--perms", NULL, NULL);
	strv_printf(argv, "%04o", m->mode);
	add(argv, "--size", NULL, NULL);
	strv_printf(argv, "%llu", (unsigned long long)m->size);
	add(argv, "--tmpfs", m->target, NULL);
	if (m->flags & PLAN_RO)
		add(argv, "--remount-ro", m->target, NULL);
}

static void add_bind(struct strv *argv, const struct plan_mount *m)
{
	static const char *const options[2][2] = {
		{"--bind", "--bind-try"}, {"--ro-bind", "--ro-bind-try"}};
	bool ro = m->flags & PLAN_RO, optional = m->flags & PLAN_OPTIONAL;
	add(argv, options[ro][optional], m->source, m->target);
}

static void add_mount(struct strv *argv, const struct plan_mount *m)
{
	switch (m->kind) {
	case PLAN_TMPFS:
		add_tmpfs(argv, m);
		break;
	case PLAN_BIND:
		add_bind(argv, m);
		break;
	case PLAN_PROC:
		add(argv, "--proc", m->target, NULL);
		break;
	case PLAN_DEVICE:
		add(argv, "--dev-bind", m->source, m->target);
		break;
	case PLAN_SYMLINK:
		add(argv, "--symlink", m->source, m->target);
		break;
	case PLAN_DIR:
		add(argv, "--dir", m->target, NULL);
		break;
	case PLAN_MQUEUE:
		add(argv, "--mqueue", m->target, NULL);
		break;
	case PLAN_REMOUNT_RO:
		add(argv, "--remount-ro", m->target, NULL);
		break;
	case PLAN_EMPTY_FILE:
		break; /* only inside writable directories: the launcher's */
	case PLAN_FILE:
		/* The launcher's too, over what the machine has there. */
		add(argv, "--ro-bind-try", m->target, m->target);
		break;
	case PLAN_MOUNT_KIND_COUNT:
		break;
	}
}

/* A name that commands of the same work directory can change at any moment. bwrap would follow a symlink there and make
   mount points behind it on the host: these are the launcher's, which opens without following and compares first. */
static bool is_inside_writable(const struct plan *view, const struct plan_mount *m)
{
	for (size_t i = 0; i < view->mount_count; i++) {
		const struct plan_mount *other = &view->mounts[i];
		if (other->kind == PLAN_BIND &&
			(other->flags & (PLAN_CHECK | PLAN_RO)) == PLAN_CHECK &&
			strcmp(other->target, m->target) != 0 &&
			path_is_equal_or_below(m->target, other->target))
			return true;
	}
	return false;
}

static void add_for_launcher(struct plan *plan, const struct plan_mount *m)
{
	struct plan_mount *mount = plan_add_mount(plan, m->kind, m->flags, m->source, m->target);
	mount->size = m->size;
	mount->mode = m->mode;
	mount->dev = m->dev;
	mount->ino = m->ino;
}

/* Devices stay writable under bwrap: its --remount-ro takes their use away with it. That matters to a root console alone,
   whose command owns them and could change their mode on the host. */
static void seal_devices(struct plan *plan, const struct plan *view)
{
	for (size_t i = 0; i < view->mount_count; i++)
		if (view->mounts[i].kind == PLAN_DEVICE)
			plan_add_mount(plan, PLAN_REMOUNT_RO, 0, NULL, view->mounts[i].target);
}

/* The mounts of `view` as options; what is pinned there is compared inside by the launcher. */
static void add_view(struct plan *plan, const struct plan *view)
{
	for (size_t i = 0; i < view->mount_count; i++) {
		const struct plan_mount *m = &view->mounts[i];
		if (is_inside_writable(view, m)) {
			add_for_launcher(plan, m);
			continue;
		}
		add_mount(&plan->wrapper, m);
		if (m->kind == PLAN_FILE)
			add_for_launcher(plan, m);
		if (m->flags & PLAN_CHECK)
			plan_add_check(plan, m->target, m->dev, m->ino);
	}
}

/* What the launcher needs for its own mounts and for the network; it drops all of it before it waits for the go byte, the
   bounding set included. */
static void keep_capabilities(const struct plan *plan, struct strv *argv)
{
	if (plan->mount_count > 0)
		add(argv, "--cap-add", "CAP_SYS_ADMIN", NULL);
	if (plan->pasta.count > 0)
		add(argv, "--cap-add", "CAP_NET_ADMIN", NULL);
	if (plan->mount_count > 0 || plan->pasta.count > 0)
		add(argv, "--cap-add", "CAP_SETPCAP", NULL);
}

static void build_argv(
	const struct host *host, unsigned namespaces, const struct plan *view, struct plan *ret)
{
	struct strv *argv = &ret->wrapper;
	strv_add(argv, host->bwrap_path);
	strv_add(argv, "--die-with-parent");
	add_namespaces(argv, namespaces);
	if (ret->hostname)
		add(argv, "--hostname", ret->hostname, NULL);
	add(argv, "--cap-drop", "ALL", NULL);
	add_view(ret, view);
	if (ret->uid == 0)
		seal_devices(ret, view);
	keep_capabilities(ret, argv);
	/* the launcher as PID 1: bwrap's own init would hide how the command ended */
	add(argv, "--chdir", "/", "--clearenv");
	add(argv, "--as-pid-1", "--", NULL);
	strv_printf(argv, "/proc/self/fd/%d", LAUNCHER_FD_SELF);
}

static int plan(const struct host *host, const struct confinement *c, const struct offer *offered,
	struct plan *ret, struct err *err)
{
	struct plan view CLEANUP(plan_release);
	unsigned namespaces = common_namespaces(refused_for_bwrap(host), c, offered->pasta);
	plan_init(&view);
	if (offered->pasta)
		pasta_plan(host, &view);
	if (backend_mounts(host, c, &view, err) < 0)
		return -1;
	common_plan(host, c, "bubblewrap", ret);
	common_plan_limits(host, c, ret);
	common_confine(host, c, namespaces, ret);
	strv_copy(&ret->pasta, &view.pasta);
	build_argv(host, namespaces, &view, ret);
	return 0;
}

const struct backend backend_bubblewrap = {.id = BACKEND_BUBBLEWRAP, .offer = offer, .plan = plan};
