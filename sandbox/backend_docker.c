#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sandbox/backend_common.h"
#include "sandbox/backend_mounts.h"
#include "sandbox/docker_argv.h"
#include "sandbox/docker_host.h"
#include "sandbox/docker_way.h"

#define MIB (1ull << 20)
#define ENFORCER "engine"

/* The image decides what is at the root, so that is read whole; nothing of the host is in it but what the plan shows. */
static void add_rules(const struct confinement *c, struct plan *plan)
{
	static const char *const writable[] = {"/tmp", "/var/tmp", "/run", "/dev/shm"};
	static const char *const devices[] = {
		"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
	static const char *const home_dirs[] = {".cache", ".npm"};
	plan_add_rule(plan, PLAN_ACCESS_READ, "/");
	for (size_t i = 0; i < ARRAY_LEN(devices); i++)
		plan_add_rule(plan, PLAN_ACCESS_DEVICE, devices[i]);
	for (size_t i = 0; i < ARRAY_LEN(writable); i++)
		plan_add_rule(plan, PLAN_ACCESS_WRITE, writable[i]);
	for (size_t i = 0; plan->home && i < ARRAY_LEN(home_dirs); i++) {
		MEM_AUTO char *path = mem_printf("%s/%s", plan->home, home_dirs[i]);
		plan_add_rule(plan, PLAN_ACCESS_WRITE, path);
	}
	for (size_t i = 0; i < c->writable.count; i++)
		plan_add_rule(plan, PLAN_ACCESS_WRITE, c->writable.items[i].path);
	plan->landlock = true;
	plan->proofs |= PLAN_PROOF_LANDLOCK;
}

/* An engine of this user's kind renames nobody, so there is no user namespace. */
static unsigned namespaces_of(const struct confinement *c)
{
	unsigned namespaces = NS_ALL & ~NS_BIT(PLAN_NS_USER);
	return c->network ? namespaces & ~NS_BIT(PLAN_NS_NET) : namespaces;
}

static void offer_limits(const struct docker_host *d, const struct docker_facts *facts,
	const struct confinement *c, struct offer *ret)
{
	struct docker_limits limits = docker_limits(d, c, ret->cpus);
	ret->enforcers[LIMIT_MEMORY] = facts->memory ? ENFORCER : NULL;
	/* The engine counts threads: its number is a ceiling. The launcher counts processes, as the first one inside. */
	ret->enforcers[LIMIT_PROCESSES] = "watched";
	ret->may_pass[LIMIT_PROCESSES] = "may pass for 20 ms";
	ret->enforcers[LIMIT_CPU] = facts->cpu ? ENFORCER : NULL;
	ret->memory_mb = (unsigned)(limits.memory_bytes / MIB);
	ret->cpu_percent = (unsigned)(limits.cpus * 100 / ret->cpus + 0.001);
}

static int offer(
	const struct host *host, const struct confinement *c, struct offer *ret, struct err *err)
{
	struct docker_host *d = host->docker;
	struct docker_facts facts;
	struct offer made = {0};
	if (d == NULL)
		return err_set(err, ERR_UNAVAILABLE, "docker was not looked for");
	if (docker_engine_facts(d, &facts, err) || docker_engine_image(d, made.image, err))
		return -1;
	if (c->network && docker_engine_network(d, err))
		return -1;
	if (docker_argv_check(c, err))
		return -1;
	common_offer(BACKEND_DOCKER, c, ret);
	ret->network_shared_with_host = false;
	/* its own network namespace in any case: abstract sockets of the host are in another one */
	common_isolation(host, c, namespaces_of(c) | NS_BIT(PLAN_NS_NET), ret);
	ret->namespaces = 0;
	ret->guards_lost = !docker_holds_guards(c);
	ret->cpus = host->cpus;
	memcpy(ret->image, made.image, sizeof(ret->image));
	snprintf(ret->image_name, sizeof(ret->image_name), "%s", d->image);
	offer_limits(d, &facts, c, ret);
	return 0;
}

static int plan(const struct host *host, const struct confinement *c, const struct offer *offered,
	struct plan *ret, struct err *err)
{
	const struct docker_host *d = host->docker;
	common_plan(host, c, "docker", ret);
	common_proofs(c, namespaces_of(c), ret);
	ret->proofs |= PLAN_PROOF_OWN_NET;
	if (host->landlock_abi > 0)
		add_rules(c, ret);
	ret->max_processes = c->limits.processes;
	ret->counting = PLAN_COUNT_WATCHED;
	ret->engine = mem_strdup(d->socket);
	ret->container = c->run_name ? mem_printf("exequatur-%s", c->run_name)
				     : mem_printf("exequatur-trial-%d", (int)getpid());
	docker_argv(d, c, offered, ret);
	if (ret->check_count <= PLAN_CHECKS_MAX)
		return 0;
	plan_release(ret);
	return err_set(err, ERR_LIMIT, "more than %d places would have to be bound; list fewer",
		PLAN_CHECKS_MAX);
}

const struct backend backend_docker = {.id = BACKEND_DOCKER, .offer = offer, .plan = plan};
