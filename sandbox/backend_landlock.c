#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "base/text.h"
#include "sandbox/backend_common.h"
#include "sandbox/backend_flat.h"
#include "sandbox/backend_mounts.h"
#include "sandbox/pasta.h"

static int no_landlock(const struct host *host, struct err *err)
{
	struct utsname name;
	if (host->landlock_errno == EOPNOTSUPP)
		return err_set(err, ERR_UNAVAILABLE,
			"Landlock is switched off in this kernel (lsm= on its command line)");
	if (host->landlock_errno != ENOSYS)
		return err_set(err, ERR_UNAVAILABLE, "Landlock does not answer: %s",
			strerror(host->landlock_errno));
	const char *release = uname(&name) == 0 ? name.release : "of this machine";
	unsigned major, minor;
	bool could = sscanf(release, "%u.%u", &major, &minor) == 2 &&
		     (major > 5 || (major == 5 && minor >= 13));
	return err_set(err, ERR_UNAVAILABLE,
		could ? "kernel %s was built without, or a filter of system calls refuses it"
		      : "kernel %s has none, 5.13 is the first with it",
		release);
}

static int check_namespaces(const struct host *host, struct err *err)
{
	if (common_check_refused(host->refused_namespaces, err) < 0)
		return -1;
	if (host->unusable_namespaces[0] != '\0')
		return err_set(err, ERR_UNAVAILABLE, "%s", host->unusable_namespaces);
	return 0;
}

static int offer_flat(const struct host *host, const struct confinement *c, const struct err *why,
	struct offer *ret, struct err *err)
{
	struct err flat = ERR_INIT;
	if (flat_offer(host, c, ret, &flat) < 0)
		return err_set(
			err, ERR_UNAVAILABLE, "%s; without namespaces %s", why->text, flat.text);
	text_fit(why->text, ret->why, sizeof(ret->why));
	return 0;
}

static int offer(
	const struct host *host, const struct confinement *c, struct offer *ret, struct err *err)
{
	struct err why = ERR_INIT;
	if (host->landlock_abi <= 0)
		return no_landlock(host, err);
	if (check_namespaces(host, &why) < 0)
		return host->accept_partial ? offer_flat(host, c, &why, ret, err)
					    : err_set(err, why.code, "%s", why.text);
	common_offer(BACKEND_LANDLOCK, c, ret);
	common_offer_limits(host, c, ret);
	common_network(host, c, host->refused_namespaces, ret);
	common_isolation(host, c, common_namespaces(host->refused_namespaces, c, ret->pasta), ret);
	return 0;
}

static int plan(const struct host *host, const struct confinement *c, const struct offer *offered,
	struct plan *ret, struct err *err)
{
	if (offered->flat)
		return flat_plan(host, c, offered, ret, err);
	unsigned namespaces = common_namespaces(host->refused_namespaces, c, offered->pasta);
	common_plan(host, c, "landlock", ret);
	common_plan_limits(host, c, ret);
	ret->namespaces = offered->namespaces;
	common_confine(host, c, namespaces, ret);
	if (offered->pasta)
		pasta_plan(host, ret);
	if (backend_mounts(host, c, ret, err) == 0)
		return 0;
	plan_release(ret);
	return -1;
}

unsigned backend_expected_namespaces(const struct config *config, bool network)
{
	bool ours = config->backend == BACKEND_LANDLOCK ||
		    (config->backend == BACKEND_AUTO && config->auto_order_count > 0 &&
			    config->auto_order[0] == BACKEND_LANDLOCK);
	struct confinement c = {.network = network};
	return ours ? common_clone_flags(common_namespaces(0, &c, true)) : 0;
}

void backend_expected_base(const struct host *host, const char *home, struct str *out)
{
	struct plan base;
	plan_init(&base);
	base.backend = mem_strdup("landlock");
	base.cwd = mem_strdup("/");
	base.command = mem_strdup("");
	base.shell = mem_strdup("");
	backend_base_mounts(host, backend_home_may_be_own(home) ? home : NULL, &base);
	plan_encode(&base, out);
	plan_release(&base);
}

const struct backend backend_landlock = {.id = BACKEND_LANDLOCK, .offer = offer, .plan = plan};
