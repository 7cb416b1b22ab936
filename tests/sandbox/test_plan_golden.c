#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/backend.h"

/* A machine and a call as data: the plans are compared with tests/golden/plan-*.txt; GOLDEN=update rewrites them. */

#define REFUSED(ns) (1u << (ns))

static const struct golden_case {
	const char *name;
	const struct backend *backend;
	bool network;
	int landlock_abi; /* 0: 7; -1: none */
	unsigned refused;
	const char *home, *cwd;     /* NULL: /home/mira, /srv/shop */
	const char *extra_writable; /* besides /srv/shop */
	bool guards, cwd_made, root;
	bool flat;             /* accepted, and the only way */
	bool cgroups, watched; /* the machine lets us make control groups; no fork can ask */
	bool pasta, forward; /* it is there; the machine's resolver listens on the loopback alone */
} cases[] = {
	{.name = "landlock", .backend = &backend_landlock, .guards = true},
	{.name = "landlock-network",
		.backend = &backend_landlock,
		.network = true,
		.cgroups = true},
	{.name = "landlock-pasta",
		.backend = &backend_landlock,
		.network = true,
		.pasta = true,
		.forward = true},
	{.name = "landlock-part",
		.backend = &backend_landlock,
		.landlock_abi = 4,
		.refused = REFUSED(PLAN_NS_NET) | REFUSED(PLAN_NS_UTS)},
	{.name = "landlock-below-home",
		.backend = &backend_landlock,
		.extra_writable = "/home/mira/work",
		.cwd = "/home/mira/work/new",
		.cwd_made = true},
	{.name = "landlock-own-cache",
		.backend = &backend_landlock,
		.extra_writable = "/home/mira/.cache",
		.watched = true},
	{.name = "landlock-tmp",
		.backend = &backend_landlock,
		.home = "/tmp",
		.extra_writable = "/tmp/x/ws",
		.cwd = "/tmp/x/ws"},
	{.name = "bubblewrap", .backend = &backend_bubblewrap, .guards = true},
	{.name = "bubblewrap-root", .backend = &backend_bubblewrap, .guards = true, .root = true},
	{.name = "bubblewrap-network",
		.backend = &backend_bubblewrap,
		.network = true,
		.refused = REFUSED(PLAN_NS_USER)},
	{.name = "bubblewrap-pasta",
		.backend = &backend_bubblewrap,
		.network = true,
		.pasta = true,
		.forward = true},
	{.name = "bubblewrap-no-landlock",
		.backend = &backend_bubblewrap,
		.landlock_abi = -1,
		.home = "/usr/games"},
	{.name = "landlock-flat",
		.backend = &backend_landlock,
		.refused = REFUSED(PLAN_NS_USER),
		.flat = true,
		.cwd = "/srv/shop/new",
		.cwd_made = true},
	{.name = "landlock-flat-old",
		.backend = &backend_landlock,
		.landlock_abi = 2,
		.refused = REFUSED(PLAN_NS_USER),
		.flat = true},
	{.name = "none", .backend = &backend_none, .guards = true},
};

static void fill_host(struct host *host, const struct golden_case *it)
{
	int abi = it->landlock_abi ? it->landlock_abi : 7;
	abi = abi < 0 ? 0 : abi;
	*host = (struct host){.cpus = 2,
		.landlock_abi = abi,
		.landlock_errno = abi ? 0 : ENOSYS,
		.refused_namespaces = it->refused,
		.bwrap_path = mem_strdup("/usr/bin/bwrap"),
		.bwrap_fd = -1,
		.firejail.fd = -1,
		.pasta = {.path = it->pasta ? mem_strdup("/usr/bin/passt.avx2") : NULL, .fd = -1},
		.way_out = {.v4 = true,
			.resolver = it->forward ? "192.0.0.53" : NULL,
			.resolv_conf = it->forward ? mem_strdup("nameserver 192.0.0.53\n") : NULL},
		.cgroups = {.memory_dir = it->cgroups ? mem_strdup("/sys/fs/cgroup/app") : NULL,
			.cpu_dir = it->cgroups ? mem_strdup("/sys/fs/cgroup/app") : NULL,
			.v2 = it->cgroups},
		.fork_questions = !it->watched,
		.accept_partial = it->flat,
		.allow_unsandboxed = true};
	base_set_add(&host->base_set, "/usr", "/usr", NULL, true, false);
	base_set_add(&host->base_set, "/bin", NULL, "usr/bin", true, false);
	base_set_add(&host->base_set, "/lib", "/lib", NULL, true, false);
	base_set_add(&host->base_set, "/etc/ld.so.cache", "/etc/ld.so.cache", NULL, false, false);
	base_set_add(
		&host->base_set, "/etc/localtime", NULL, "/usr/share/zoneinfo/UTC", false, false);
	base_set_add(&host->base_set, "/etc/resolv.conf", "/run/systemd/resolve/resolv.conf", NULL,
		false, true);
}

static void add_guards(struct confinement *c)
{
	static const struct guard guards[] = {
		{GUARD_SELF, {"/srv/shop/.git", 1, 200, true}},
		{GUARD_READONLY, {"/srv/shop/.git/config", 1, 201, false}},
		{GUARD_MADE, {"/srv/shop/.git/hooks", 0, 0, true}},
		{GUARD_MADE, {"/srv/shop/.git/config.worktree", 0, 0, false}},
	};
	for (size_t i = 0; i < ARRAY_LEN(guards); i++)
		guard_add(c, guards[i].kind, &guards[i].place);
}

static void fill_call(struct confinement *c, const struct golden_case *it)
{
	struct config config;
	confinement_init(c);
	config_init(&config);
	limits_for(&config, NULL, 2, &c->limits);
	config_release(&config);
	c->workspace = mem_strdup("/srv/shop");
	places_add(&c->writable, "/srv/shop", 1, 100, true);
	if (it->extra_writable)
		places_add(&c->writable, it->extra_writable, 1, 101, true);
	places_add(&c->readonly, "/opt/tools", 1, 300, true);
	if (!it->flat)
		places_add(&c->readonly, "/srv/shop/vendor", 1, 301, true);
	places_add(&c->readonly, "/home/mira/.cargo/bin", 1, 302, true);
	if (it->guards)
		add_guards(c);
	strv_add(&c->env.kept, "PATH=/usr/bin:/bin");
	c->env.home = mem_strdup(it->home ? it->home : "/home/mira");
	strv_printf(&c->env.kept, "HOME=%s", c->env.home);
	c->cwd = mem_strdup(it->cwd ? it->cwd : "/srv/shop");
	c->cwd_made = it->cwd_made;
	c->network = it->network;
	c->command = mem_strdup("make -j2 test\nid \x1b]0;x\a");
	c->uid = it->root ? 0 : 1000;
	c->gid = c->uid;
}

static char *golden_path(const char *name)
{
	const char *source = getenv("srcdir");
	return mem_printf("%s/tests/golden/plan-%s.txt", source ? source : ".", name);
}

static void compare_or_update(const char *name, const struct str *got)
{
	MEM_AUTO char *path = golden_path(name);
	const char *mode = getenv("GOLDEN");
	if (mode && strcmp(mode, "update") == 0) {
		FD_AUTO int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		assert_true(fd >= 0);
		assert_int_equal(fd_write_all(fd, got->data, got->len, NULL), 0);
		return;
	}
	STR_AUTO struct str expected = STR_INIT;
	struct err err = ERR_INIT;
	if (fd_read_file(path, 1 << 20, &expected, &err) < 0)
		fail_msg("%s", err.text);
	if (strcmp(str_c(&expected), str_c(got)) != 0) {
		print_error("--- %s is not what the plan says now:\n%s", path, str_c(got));
		fail();
	}
}

static void every_plan_is_the_one_that_was_reviewed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct host host;
		struct confinement c;
		struct offer offer;
		struct plan plan;
		struct err err = ERR_INIT;
		STR_AUTO struct str text = STR_INIT;
		fill_host(&host, &cases[i]);
		fill_call(&c, &cases[i]);
		if (cases[i].backend->offer(&host, &c, &offer, &err) < 0)
			fail_msg("%s: %s", cases[i].name, err.text);
		if (offer.flat) {
			/* whether /tmp lies on a disk is this machine's business */
			strcpy(offer.private_dir, "/tmp/exequatur-run-1");
			backend_adapt(&offer, &c);
		}
		if (cases[i].backend->plan(&host, &c, &offer, &plan, &err) < 0)
			fail_msg("%s: %s", cases[i].name, err.text);
		plan_print(&plan, &text);
		compare_or_update(cases[i].name, &text);
		plan_release(&plan);
		confinement_release(&c);
		host_release(&host);
	}
}

static void a_parent_is_always_mounted_before_its_child(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct host host;
		struct confinement c;
		struct offer offer;
		struct plan plan;
		fill_host(&host, &cases[i]);
		fill_call(&c, &cases[i]);
		assert_int_equal(cases[i].backend->offer(&host, &c, &offer, NULL), 0);
		assert_int_equal(cases[i].backend->plan(&host, &c, &offer, &plan, NULL), 0);
		for (size_t a = 0; a < plan.mount_count; a++) {
			for (size_t b = a + 1; b < plan.mount_count; b++) {
				const struct plan_mount *first = &plan.mounts[a],
							*then = &plan.mounts[b];
				if (then->kind == PLAN_REMOUNT_RO)
					continue;
				size_t len = strlen(then->target);
				bool hides =
					strncmp(first->target, then->target, len) == 0 &&
					(first->target[len] == '/' || first->target[len] == '\0');
				if (hides)
					fail_msg("%s: %s after %s", cases[i].name, then->target,
						first->target);
			}
		}
		plan_release(&plan);
		confinement_release(&c);
		host_release(&host);
	}
}

static void too_many_places_are_refused_before_anything_starts(void **state)
{
	(void)state;
	struct host host;
	struct confinement c;
	struct offer offer;
	struct plan plan;
	struct err err = ERR_INIT;
	fill_host(&host, &cases[0]);
	fill_call(&c, &cases[0]);
	for (unsigned i = 0; i < PLAN_CHECKS_MAX; i++) {
		MEM_AUTO char *path = mem_printf("/srv/many/%u", i);
		places_add(&c.writable, path, 1, 1000 + i, true);
	}
	assert_int_equal(backend_landlock.offer(&host, &c, &offer, &err), 0);
	assert_int_equal(backend_landlock.plan(&host, &c, &offer, &plan, &err), -1);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(backend_bubblewrap.offer(&host, &c, &offer, &err), 0);
	assert_int_equal(backend_bubblewrap.plan(&host, &c, &offer, &plan, &err), -1);
	confinement_release(&c);
	host_release(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_plan_is_the_one_that_was_reviewed),
		cmocka_unit_test(a_parent_is_always_mounted_before_its_child),
		cmocka_unit_test(too_many_places_are_refused_before_anything_starts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
