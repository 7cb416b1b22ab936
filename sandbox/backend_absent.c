#include "config.h"

#include "sandbox/backend.h"

/* Known by name, so that a configuration loads and auto can say why it passed them over. */

static int absent(const char *name, struct err *err)
{
	return err_set(err, ERR_UNAVAILABLE, "%s is not built in yet", name);
}

static int docker_offer(
	const struct host *host, const struct confinement *c, struct offer *ret, struct err *err)
{
	(void)host;
	(void)c;
	(void)ret;
	return absent("docker", err);
}

static int plan(const struct host *host, const struct confinement *c, const struct offer *offered,
	struct plan *ret, struct err *err)
{
	(void)host;
	(void)c;
	(void)ret;
	return absent(backend_id_name(offered->backend), err);
}

const struct backend backend_docker = {.id = BACKEND_DOCKER, .offer = docker_offer, .plan = plan};
