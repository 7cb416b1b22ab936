#include "config.h"

#include "base/mem.h"
#include "sandbox/backend_common.h"
#include "sandbox/protocol.h"

#define MIB (1024ull * 1024)

static const struct cgroup_site *site_of(const struct host *host)
{
	static const struct cgroup_site none;
	return (host->lost_limits & LOST_CGROUP) ? &none : &host->cgroups;
}

bool common_forks_are_asked(const struct host *host)
{
	return host->fork_questions && !(host->lost_limits & LOST_FORK_QUESTIONS);
}

void common_offer_limits(const struct host *host, const struct confinement *c, struct offer *ret)
{
	const struct cgroup_site *site = site_of(host);
	if (site->memory_dir) {
		ret->enforcers[LIMIT_MEMORY] = "cgroup";
	} else if (c->limits.memory_watched) {
		ret->enforcers[LIMIT_MEMORY] = "sampled";
		ret->may_pass[LIMIT_MEMORY] = "may pass by 40 MB";
	}
	ret->enforcers[LIMIT_PROCESSES] = common_forks_are_asked(host) ? "supervisor" : "watched";
	ret->may_pass[LIMIT_PROCESSES] = common_forks_are_asked(host) ? NULL : "may pass for 20 ms";
	ret->enforcers[LIMIT_CPU] = site->cpu_dir ? "cgroup" : "supervisor";
}

static void let_go(struct offer *offer, enum limit_id id)
{
	offer->enforcers[id] = NULL;
	offer->may_pass[id] = NULL;
}

void common_offer_unseen(const struct host *host, bool own_proc, struct offer *ret)
{
	const struct cgroup_site *site = site_of(host);
	if (!host->processes_hidden)
		return;
	if (!site->cpu_dir)
		let_go(ret, LIMIT_CPU);
	if (own_proc)
		return;
	if (!site->memory_dir)
		let_go(ret, LIMIT_MEMORY);
	let_go(ret, LIMIT_PROCESSES);
}

void common_plan_limits(const struct host *host, const struct confinement *c, struct plan *plan)
{
	const struct cgroup_site *site = site_of(host);
	plan->max_processes = c->limits.processes;
	plan->counting = common_forks_are_asked(host) ? PLAN_COUNT_ASKED : PLAN_COUNT_WATCHED;
	if (site->memory_dir || c->limits.memory_watched)
		plan->memory_bytes = c->limits.memory_mb * MIB;
	plan->cpu_percent = c->limits.cpu_percent * (host->cpus ? host->cpus : 1);
	plan->cgroup_memory = mem_strdup(site->memory_dir);
	plan->cgroup_cpu = mem_strdup(site->cpu_dir);
	plan->cgroup_v2 = site->v2;
}
