#include "config.h"

#include "sandbox/backend_common.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "sandbox/backend_mounts.h"
#include "sandbox/namespaces.h"
#include "sandbox/pasta.h"

#define ABI_NET 4   /* TCP bind and connect */
#define ABI_SCOPE 6 /* abstract sockets and signals */

static const unsigned proofs[PLAN_NS_COUNT] = {
	[PLAN_NS_USER] = PLAN_PROOF_USERNS,
	[PLAN_NS_MOUNT] = PLAN_PROOF_MOUNTNS | PLAN_PROOF_FILES,
	[PLAN_NS_PID] = PLAN_PROOF_PIDNS,
	[PLAN_NS_NET] = PLAN_PROOF_NETNS,
	[PLAN_NS_IPC] = PLAN_PROOF_IPCNS,
	[PLAN_NS_UTS] = PLAN_PROOF_UTSNS,
};

void common_plan(
	const struct host *host, const struct confinement *c, const char *backend, struct plan *ret)
{
	plan_init(ret);
	ret->backend = mem_strdup(backend);
	strv_copy(&ret->env, &c->env.kept);
	memcpy(ret->host_ns, host->own_ns, sizeof(ret->host_ns));
	ret->cwd = mem_strdup(c->cwd);
	ret->cwd_make = c->cwd_made;
	ret->command = mem_strdup(c->command);
	ret->shell = mem_strdup("/bin/sh");
	ret->uid = c->uid;
	ret->gid = c->gid;
	ret->wall_ms = (uint64_t)c->limits.wall_s * 1000;
	ret->grace_ms = (uint64_t)c->limits.grace_s * 1000;
	ret->drain_ms = DRAIN_MS;
	ret->cpu_s = c->limits.cpu_s;
	ret->open_files = c->limits.open_files;
	ret->file_bytes = c->limits.file_bytes;
}

void common_offer(enum backend_id backend, const struct confinement *c, struct offer *ret)
{
	*ret = (struct offer){.backend = backend};
	ret->network_shared_with_host = c->network;
	ret->enforcers[LIMIT_TIME] = "supervisor";
	ret->enforcers[LIMIT_OUTPUT] = "console";
	ret->enforcers[LIMIT_FILES] = "rlimit";
	ret->enforcers[LIMIT_FILE_SIZE] = "rlimit";
	ret->enforcers[LIMIT_CPU_TIME] = "rlimit";
}

int common_check_refused(unsigned refused, struct err *err)
{
	static const struct {
		enum plan_ns ns;
		const char *words;
	} needed[] = {{PLAN_NS_USER, "user namespaces are refused"},
		{PLAN_NS_MOUNT, "mount namespaces are refused"},
		{PLAN_NS_PID, "process namespaces are refused"},
		{PLAN_NS_IPC,
			"ipc namespaces are refused, so System V memory of others would be open"}};
	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (refused & NS_BIT(needed[i].ns))
			return err_set(err, ERR_UNAVAILABLE, "%s", needed[i].words);
	return 0;
}

void common_network(
	const struct host *host, const struct confinement *c, unsigned refused, struct offer *ret)
{
	struct err err = ERR_INIT;
	if (!c->network)
		return;
	if (refused & NS_BIT(PLAN_NS_NET))
		err_set(&err, ERR_UNAVAILABLE, "network namespaces are refused");
	else
		pasta_offer(host, &err);
	ret->pasta = err.code == ERR_NONE;
	ret->network_shared_with_host = !ret->pasta;
	text_fit(err.text, ret->network_why, sizeof(ret->network_why));
}

unsigned common_namespaces(unsigned refused, const struct confinement *c, bool pasta)
{
	static const unsigned may_miss = NS_BIT(PLAN_NS_NET) | NS_BIT(PLAN_NS_UTS);
	unsigned namespaces = NS_ALL & ~(refused & may_miss);
	if (c->network && !pasta)
		namespaces &= ~NS_BIT(PLAN_NS_NET);
	return namespaces;
}

unsigned common_clone_flags(unsigned namespaces)
{
	unsigned flags = 0;
	for (unsigned i = 0; i < PLAN_NS_COUNT; i++)
		if (namespaces & NS_BIT(i))
			flags |= namespace_flag((enum plan_ns)i);
	return flags;
}

static enum hold sockets_hold(
	const struct host *host, const struct confinement *c, unsigned namespaces)
{
	/* abstract sockets belong to the network namespace; without sockets at all (no namespace, no network) none is reached */
	bool abstract_closed = (namespaces & NS_BIT(PLAN_NS_NET)) || !c->network ||
			       host->landlock_abi >= ABI_SCOPE;
	if (!abstract_closed)
		return HOLD_NONE;
	return c->sockets.count > 0 ? HOLD_PART : HOLD_FULL;
}

static enum hold network_hold(const struct confinement *c, unsigned namespaces)
{
	if (c->network)
		return HOLD_NONE;
	return (namespaces & NS_BIT(PLAN_NS_NET)) ? HOLD_FULL : HOLD_PART;
}

void common_isolation(const struct host *host, const struct confinement *c, unsigned namespaces,
	struct offer *ret)
{
	ret->facets[FACET_FILES] = HOLD_FULL;
	ret->facets[FACET_PROCESSES] = HOLD_FULL;
	ret->facets[FACET_END] = HOLD_FULL;
	ret->facets[FACET_NETWORK] = network_hold(c, namespaces);
	ret->facets[FACET_SOCKETS] = sockets_hold(host, c, namespaces);
	ret->facets[FACET_MEMORY] = HOLD_FULL;
	ret->facets[FACET_HOSTNAME] = (namespaces & NS_BIT(PLAN_NS_UTS)) ? HOLD_FULL : HOLD_PART;
	ret->namespaces |= common_clone_flags(namespaces);
}

static enum plan_filter filter_for(const struct confinement *c, unsigned namespaces)
{
	if (c->network)
		return PLAN_FILTER_NETWORK;
	return (namespaces & NS_BIT(PLAN_NS_NET)) ? PLAN_FILTER_NETNS : PLAN_FILTER_NO_SOCKETS;
}

void common_proofs(const struct confinement *c, unsigned namespaces, struct plan *plan)
{
	plan->filter = filter_for(c, namespaces);
	plan->proofs = PLAN_PROOF_CAPS | PLAN_PROOF_SECCOMP | PLAN_PROOF_NNP | PLAN_PROOF_NO_TTY;
	for (unsigned i = 0; i < PLAN_NS_COUNT; i++)
		if (namespaces & NS_BIT(i))
			plan->proofs |= proofs[i];
	if (c->network && (plan->proofs & PLAN_PROOF_NETNS))
		plan->proofs ^= PLAN_PROOF_NETNS | PLAN_PROOF_OWN_NET | PLAN_PROOF_PASTA;
	if (namespaces & NS_BIT(PLAN_NS_UTS))
		plan->hostname = mem_strdup("sandbox");
	/* what the launcher proves to be empty; a home inside /usr shows what /usr holds */
	if (backend_has_own_home(c))
		plan->home = mem_strdup(c->env.home);
}

void common_confine(const struct host *host, const struct confinement *c, unsigned namespaces,
	struct plan *plan)
{
	common_proofs(c, namespaces, plan);
	if (host->landlock_abi == 0)
		return;
	backend_rules(host, c, plan);
	plan->proofs |= PLAN_PROOF_LANDLOCK;
	/* loopback servers inside an own namespace work; without one there is no TCP at all */
	if (plan->filter == PLAN_FILTER_NO_SOCKETS && host->landlock_abi >= ABI_NET)
		plan->landlock_net = 1;
}
