#include "config.h"

#include "sandbox/docker_argv.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "sandbox/docker_way.h"
#include "sandbox/protocol.h"

#define MIB (1ull << 20)
#define EMPTY_BYTES 4096u
#define HOME_BYTES (1u << 20) /* holds mount points alone */
/* Threads count here as processes do, and so do the launcher and the first shell: this is no more than a ceiling, for what
   is counted exactly elsewhere or not at all. */
#define TASKS_LEAST 128u
#define TASKS_A_PROCESS 16u

struct docker_limits docker_limits(
	const struct docker_host *d, const struct confinement *c, unsigned cpus)
{
	struct docker_limits limits = {.memory_bytes = c->limits.memory_mb * MIB,
		.cpus = cpus * (double)c->limits.cpu_percent / 100};
	if (d->memory_bytes && d->memory_bytes < limits.memory_bytes)
		limits.memory_bytes = d->memory_bytes;
	if (d->cpus > 0 && d->cpus < limits.cpus)
		limits.cpus = d->cpus;
	return limits;
}

int docker_argv_check(const struct confinement *c, struct err *err)
{
	if (c->env.home && strchr(c->env.home, ':'))
		return err_set(err, ERR_UNAVAILABLE,
			"HOME is %s, and docker takes no colon in the name of a private directory",
			c->env.home);
	for (size_t i = 0; i < c->readonly.count; i++) {
		const char *path = c->readonly.items[i].path;
		const struct place *writable = places_holding(&c->writable, path);
		if (writable && !docker_way_is_ours(path))
			return err_set(err, ERR_UNAVAILABLE,
				"%s is in readonly_paths and lies inside %s, where somebody else "
				"may write: docker cannot hold that",
				path, writable->path);
	}
	return 0;
}

static void add(struct strv *argv, const char *option, const char *value)
{
	strv_add(argv, option);
	strv_add(argv, value);
}

/* A field of a comma-separated list, as the client's reader of those takes it (RFC 4180). */
static void add_field(struct str *list, const char *key, const char *value)
{
	str_printf(list, ",\"%s=", key);
	for (; *value; value++) {
		if (*value == '"')
			str_add_char(list, '"');
		str_add_char(list, *value);
	}
	str_add_char(list, '"');
}

/* --mount, never -v: that would make a directory on the host where none is. What is read-only is bound without what is
   mounted below it: older engines leave that writable. */
static void add_bind(struct strv *argv, const char *source, const char *target, bool readonly)
{
	STR_AUTO struct str list = STR_INIT;
	str_add(&list, "type=bind");
	add_field(&list, "src", source);
	add_field(&list, "dst", target);
	if (readonly)
		str_add(&list, ",readonly,bind-nonrecursive=true");
	add(argv, "--mount", str_c(&list));
}

static void add_place(struct plan *plan, const struct place *place, bool readonly)
{
	add_bind(&plan->wrapper, place->path, place->path, readonly);
	plan_add_check(plan, place->path, place->dev, place->ino)->flags |=
		readonly ? (unsigned)PLAN_RO : 0;
}

static void add_tmpfs(const struct plan *plan, struct strv *argv, const char *target,
	const char *mode, uint64_t bytes)
{
	strv_add(argv, "--tmpfs");
	strv_printf(argv, "%s:%s,exec,nosuid,nodev,size=%llu,mode=%s,uid=%u,gid=%u", target,
		strcmp(mode, "555") == 0 ? "ro" : "rw", (unsigned long long)bytes, mode, plan->uid,
		plan->gid);
}

static void add_private(struct plan *plan, const struct confinement *c)
{
	static const struct {
		const char *path, *mode;
	} dirs[] = {{"/var/tmp", "1777"}, {"/run", "755"}};
	static const char *const home_dirs[] = {".cache", ".npm"};
	struct strv *argv = &plan->wrapper;
	uint64_t small = c->limits.small_tmpfs_bytes;
	/* over the machine's, which says much of it and is not there in any other backend */
	add_tmpfs(plan, argv, "/sys", "555", EMPTY_BYTES);
	add_tmpfs(plan, argv, "/tmp", "1777", c->limits.tmp_bytes);
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		add_tmpfs(plan, argv, dirs[i].path, dirs[i].mode, small);
	strv_add(argv, "--shm-size");
	strv_printf(argv, "%llu", (unsigned long long)small);
	if (plan->home == NULL)
		return;
	add_tmpfs(plan, argv, plan->home, "555", HOME_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(home_dirs); i++) {
		MEM_AUTO char *path = mem_printf("%s/%s", plan->home, home_dirs[i]);
		add_tmpfs(plan, argv, path, "700", small);
	}
}

/* Something empty of our own over the mount point of an absent hooks or config. Its name is not bound on itself: it was free
   until now, and what lies there would be shown inside. */
static void add_made(const struct docker_host *d, struct plan *plan, const struct place *place)
{
	STR_AUTO struct str list = STR_INIT;
	struct plan_mount *check;
	if (place->is_dir) {
		str_add(&list, "type=tmpfs");
		add_field(&list, "dst", place->path);
		str_printf(&list, ",tmpfs-size=%u,tmpfs-mode=555,readonly", EMPTY_BYTES);
		add(&plan->wrapper, "--mount", str_c(&list));
		check = plan_add_check(plan, place->path, 0, 0);
		check->kind = PLAN_TMPFS;
	} else {
		add_bind(&plan->wrapper, d->empty_file, place->path, true);
		check = plan_add_check(plan, place->path, 0, 0);
		check->kind = PLAN_EMPTY_FILE;
	}
	check->flags = PLAN_RO;
}

/* The engine makes these mounts with all its rights, in a tree that commands may write. The supervisor lets it only while no
   other command is at work there, and looks at each before (supervisor_places.c). */
static void add_guards(const struct docker_host *d, struct plan *plan, const struct confinement *c)
{
	for (size_t i = 0; i < c->guard_count; i++) {
		const struct guard *guard = &c->guards[i];
		if (guard->kind == GUARD_MADE)
			add_made(d, plan, &guard->place);
		else
			add_place(plan, &guard->place, guard->kind == GUARD_READONLY);
	}
}

/* A trial mounts nothing where a command may be at work: it would have to wait for its end. */
static bool is_for_later(const struct confinement *c, const struct place *place)
{
	return c->run_name == NULL && places_holding(&c->writable, place->path);
}

static void add_places(const struct docker_host *d, struct plan *plan, const struct confinement *c)
{
	const struct place launcher = {
		.path = d->launcher_path, .dev = d->launcher_dev, .ino = d->launcher_ino};
	add_bind(&plan->wrapper, launcher.path, DOCKER_LAUNCHER, true);
	plan_add_check(plan, DOCKER_LAUNCHER, launcher.dev, launcher.ino)->flags |= PLAN_RO;
	for (size_t i = 0; i < c->readonly_base.count; i++)
		add_place(plan, &c->readonly_base.items[i], true);
	for (size_t i = 0; i < c->readonly.count; i++)
		if (!is_for_later(c, &c->readonly.items[i]))
			add_place(plan, &c->readonly.items[i], true);
	for (size_t i = 0; i < c->writable.count; i++)
		add_place(plan, &c->writable.items[i], false);
	if (c->run_name)
		add_guards(d, plan, c);
}

static void add_limits(const struct docker_host *d, const struct confinement *c,
	const struct offer *offered, struct strv *argv)
{
	struct docker_limits limits = docker_limits(d, c, offered->cpus);
	unsigned tasks = c->limits.processes * TASKS_A_PROCESS;
	strv_printf(argv, "--memory=%llu", (unsigned long long)limits.memory_bytes);
	/* the same: none of it may be swap */
	strv_printf(argv, "--memory-swap=%llu", (unsigned long long)limits.memory_bytes);
	strv_printf(argv, "--cpus=%.2f", limits.cpus);
	strv_printf(argv, "--pids-limit=%u", tasks > TASKS_LEAST ? tasks : TASKS_LEAST);
	strv_printf(argv, "--ulimit=nofile=%u:%u", c->limits.open_files, c->limits.open_files);
	/* not 0, which a pipe in core_pattern does not mind: the kernel would start a handler of the host */
	strv_add(argv, "--ulimit=core=1:1");
}

static void add_labels(const struct docker_host *d, struct strv *argv)
{
	struct strv labels STRV_AUTO = STRV_INIT;
	docker_labels(d, &labels);
	for (size_t i = 0; i < labels.count; i++)
		add(argv, "--label", labels.items[i]);
}

/* The same for every container. A default of the engine (an init of its own, a health check, a log) would be one more process
   inside, or a copy of the output outside. */
static void add_fixed(struct strv *argv)
{
	static const char *const fixed[] = {"--interactive", "--pull=never", "--read-only",
		"--cap-drop=ALL", "--security-opt=no-new-privileges", "--ipc=private",
		"--cgroupns=private", "--init=false", "--no-healthcheck", "--log-driver=none",
		"--workdir=/", ("--entrypoint=" DOCKER_LAUNCHER)};
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		strv_add(argv, fixed[i]);
	strv_printf(argv, "--security-opt=seccomp=/proc/self/fd/%d", ENGINE_FD_PROFILE);
}

static void begin(const struct docker_host *d, const char *container, struct strv *argv)
{
	strv_add(argv, d->client.path);
	/* Neither the person's own settings (proxies with passwords, another engine) nor any other. */
	add(argv, "--config", "/nonexistent");
	strv_add(argv, "--host");
	strv_printf(argv, "unix://%s", d->socket);
	strv_add(argv, "create");
	add(argv, "--name", container);
	add_labels(d, argv);
	add_fixed(argv);
}

/* One more container, of our launcher alone, in the network of the first: it has the one capability by which addresses are
   closed there, and ends before the command begins. The first never has any. */
static void add_closer(const struct docker_host *d, const struct offer *offered, struct plan *plan)
{
	static const char *const fixed[] = {
		"--user=0:0", "--cap-add=NET_ADMIN", "--memory=64m", "--pids-limit=16"};
	struct strv *argv = &plan->closer;
	MEM_AUTO char *name = mem_printf("%s" DOCKER_CLOSER, plan->container);
	begin(d, name, argv);
	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		strv_add(argv, fixed[i]);
	strv_printf(argv, "--network=container:%s", plan->container);
	add_bind(argv, d->launcher_path, DOCKER_LAUNCHER, true);
	strv_add(argv, offered->image);
	strv_add(argv, LAUNCHER_CLOSE);
	strv_copy(argv, &d->closed);
	strv_copy(&plan->closed, &d->closed);
	plan->proofs |= PLAN_PROOF_CLOSED;
}

void docker_argv(const struct docker_host *d, const struct confinement *c,
	const struct offer *offered, struct plan *plan)
{
	struct strv *argv = &plan->wrapper;
	begin(d, plan->container, argv);
	strv_add(argv, "--hostname=sandbox");
	strv_printf(argv, "--user=%u:%u", plan->uid, plan->gid);
	strv_printf(argv, "--network=%s", c->network ? d->network : "none");
	/* The engine takes the IPv6 address of the loopback away where a network has none. */
	if (access("/proc/sys/net/ipv6/conf/lo", F_OK) == 0)
		strv_add(argv, "--sysctl=net.ipv6.conf.lo.disable_ipv6=0");
	add_limits(d, c, offered, argv);
	add_private(plan, c);
	add_places(d, plan, c);
	/* behind ours: of an option that is given twice the client takes the last */
	strv_copy(argv, &d->args);
	strv_add(argv, offered->image);
	strv_add(argv, "--stream");
	if (c->network)
		add_closer(d, offered, plan);
}
