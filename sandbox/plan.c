#include "config.h"

#include "sandbox/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

void plan_init(struct plan *plan)
{
	*plan = (struct plan){0};
}

bool plan_is_firejail(const struct plan *plan)
{
	return plan->wrapper.count > 0 && plan->profile;
}

bool plan_is_flat(const struct plan *plan)
{
	return plan->private_dir != NULL;
}

static void mounts_release(struct plan_mount *mounts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(mounts[i].source);
		free(mounts[i].target);
	}
	free(mounts);
}

void plan_release(struct plan *plan)
{
	mounts_release(plan->mounts, plan->mount_count);
	mounts_release(plan->checks, plan->check_count);
	for (size_t i = 0; i < plan->rule_count; i++)
		free(plan->rules[i].path);
	free(plan->rules);
	strv_release(&plan->wrapper);
	strv_release(&plan->env);
	strv_release(&plan->pasta);
	free(plan->backend);
	free(plan->profile);
	free(plan->hostname);
	free(plan->home);
	free(plan->cwd);
	free(plan->command);
	free(plan->shell);
	free(plan->cgroup_memory);
	free(plan->cgroup_cpu);
	free(plan->engine);
	free(plan->container);
	strv_release(&plan->closer);
	strv_release(&plan->closed);
	free(plan->private_dir);
	plan_init(plan);
}

bool plan_has_groups_to_join(const struct plan *plan)
{
	return !plan->engine && !plan->cgroup_v2 && (plan->cgroup_memory || plan->cgroup_cpu);
}

struct plan_mount *plan_add_mount(struct plan *plan, enum plan_mount_kind kind, unsigned flags,
	const char *source, const char *target)
{
	mem_grow(&plan->mounts, &plan->mount_cap, plan->mount_count, sizeof(*plan->mounts));
	struct plan_mount *mount = &plan->mounts[plan->mount_count++];
	*mount = (struct plan_mount){.kind = kind,
		.flags = flags,
		.source = mem_strdup(source),
		.target = mem_strdup(target)};
	return mount;
}

struct plan_mount *plan_add_check(struct plan *plan, const char *target, uint64_t dev, uint64_t ino)
{
	mem_grow(&plan->checks, &plan->check_cap, plan->check_count, sizeof(*plan->checks));
	struct plan_mount *check = &plan->checks[plan->check_count++];
	*check = (struct plan_mount){.kind = PLAN_BIND,
		.flags = PLAN_CHECK,
		.target = mem_strdup(target),
		.dev = dev,
		.ino = ino};
	return check;
}

void plan_add_rule(struct plan *plan, enum plan_access access, const char *path)
{
	mem_grow(&plan->rules, &plan->rule_cap, plan->rule_count, sizeof(*plan->rules));
	plan->rules[plan->rule_count++] =
		(struct plan_rule){.access = access, .path = mem_strdup(path)};
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_mount(const struct plan_mount *a, const struct plan_mount *b)
{
	return a->kind == b->kind && a->flags == b->flags && a->size == b->size &&
	       a->mode == b->mode && a->dev == b->dev && a->ino == b->ino &&
	       same_text(a->source, b->source) && same_text(a->target, b->target);
}

bool plan_leads_to(const struct plan *plan, const char *path)
{
	for (size_t i = 0; i < plan->mount_count; i++)
		if (path_is_equal_or_below(plan->mounts[i].target, path))
			return true;
	for (size_t i = 0; i < plan->check_count; i++)
		if (path_is_equal_or_below(plan->checks[i].target, path))
			return true;
	return false;
}

bool plan_mounts_begin_with(const struct plan *plan, const struct plan *base)
{
	size_t same = 0;
	while (same < base->mount_count && same < plan->mount_count &&
		same_mount(&plan->mounts[same], &base->mounts[same]))
		same++;
	return same == base->mount_count;
}
