#include "config.h"

#include "sandbox/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"

static const struct backend *const backends[] = {
	&backend_landlock, &backend_firejail, &backend_bubblewrap, &backend_docker, &backend_none};

/* What no command may run without; the network counts unless it was granted. */
static const struct required {
	enum facet facet;
	const char *open;
} required[] = {
	{FACET_FILES, "files outside would be reachable"},
	{FACET_PROCESSES, "processes outside could be signalled"},
	{FACET_SOCKETS,
		"with the network granted, abstract sockets of the host stay open (Landlock "
		"ABI 6, Linux 6.12, is the first that closes them)"},
	{FACET_NETWORK, "the network would stay open"},
};

const struct backend *backend_by_id(enum backend_id id)
{
	for (size_t i = 0; i < ARRAY_LEN(backends); i++)
		if (backends[i]->id == id)
			return backends[i];
	return NULL;
}

static int holds_enough(const struct offer *offer, bool network, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(required); i++) {
		if (required[i].facet == FACET_NETWORK && network)
			continue;
		if (offer->facets[required[i].facet] == HOLD_NONE)
			return err_set(err, ERR_UNAVAILABLE, "%s", required[i].open);
	}
	return 0;
}

static int ask(const struct host *host, const struct confinement *c, enum backend_id id,
	struct offer *ret, struct err *err)
{
	const struct backend *backend = backend_by_id(id);
	if (backend == NULL)
		return err_set(err, ERR_UNAVAILABLE, "there is no such backend");
	if (backend->offer(host, c, ret, err) < 0)
		return -1;
	return id == BACKEND_NONE ? 0 : holds_enough(ret, c->network, err);
}

static const char *failed_before(const struct host *host, enum backend_id id)
{
	for (unsigned i = 0; i < host->failed.count; i++)
		if (host->failed.items[i].backend == id)
			return host->failed.items[i].why;
	return NULL;
}

static int select_named(const struct config *config, const struct host *host,
	const struct confinement *c, struct offer *ret_offer, struct passed_list *ret_passed,
	enum reason *ret_reason, struct err *err)
{
	struct err why = ERR_INIT;
	enum backend_id id = config->backend;
	if (ask(host, c, id, ret_offer, &why) == 0) {
		MEM_AUTO char *origin = config_origin(config, "security.sandbox.backend");
		bool option = origin && strncmp(origin, "option", 6) == 0;
		snprintf(ret_offer->why, sizeof(ret_offer->why), "set %s",
			option ? "on the command line" : "in the configuration");
		return 0;
	}
	passed_add(ret_passed, id, why.text);
	*ret_reason = id == BACKEND_NONE ? REASON_NO_SANDBOX_AVAILABLE : REASON_SANDBOX_UNAVAILABLE;
	if (id == BACKEND_NONE)
		return err_set(err, why.code, "%s", why.text);
	/* "firejail is not built in yet" names it already */
	size_t len = strlen(backend_id_name(id));
	bool named = strncmp(why.text, backend_id_name(id), len) == 0;
	return err_set(err, why.code, "%s%s%s", named ? "" : backend_id_name(id), named ? "" : ": ",
		why.text);
}

static int none_found(const struct passed_list *passed, enum reason *ret_reason, struct err *err)
{
	STR_AUTO struct str tried = STR_INIT;
	for (unsigned i = 0; i < passed->count; i++)
		str_printf(&tried, "%s%s: %s", i ? "; " : "",
			backend_id_name(passed->items[i].backend), passed->items[i].why);
	*ret_reason = REASON_NO_SANDBOX_AVAILABLE;
	return err_set(err, ERR_UNAVAILABLE,
		"no sandbox here can hold this run; nothing was started; exequatur doctor (%s)",
		tried.len ? str_c(&tried) : "auto_order is empty");
}

/* 0: this one is taken. One that holds in part waits in partial until the list is at its end. */
static int try_one(const struct host *host, const struct confinement *c, enum backend_id id,
	struct offer *ret, struct offer *partial, struct passed_list *passed)
{
	struct err why = ERR_INIT;
	struct offer offer;
	const char *failed = failed_before(host, id);
	if (failed == NULL && ask(host, c, id, &offer, &why) == 0) {
		*(offer.flat ? partial : ret) = offer;
		if (!offer.flat)
			return 0;
		err_set(&why, ERR_UNAVAILABLE, "%s", offer.why);
	}
	passed_add(passed, id, failed ? failed : why.text);
	return -1;
}

static int select_auto(const struct config *config, const struct host *host,
	const struct confinement *c, struct offer *ret_offer, struct passed_list *ret_passed,
	enum reason *ret_reason, struct err *err)
{
	struct offer partial = {.backend = BACKEND_AUTO};
	for (unsigned i = 0; i < config->auto_order_count; i++) {
		enum backend_id id = config->auto_order[i];
		if (id == BACKEND_NONE || id == BACKEND_AUTO)
			continue; /* auto never picks none */
		bool first = ret_passed->count == 0;
		if (try_one(host, c, id, ret_offer, &partial, ret_passed) < 0)
			continue;
		snprintf(ret_offer->why, sizeof(ret_offer->why),
			first ? "first in the list" : "first in the list that works");
		return 0;
	}
	if (partial.backend == BACKEND_AUTO)
		return none_found(ret_passed, ret_reason, err);
	*ret_offer = partial;
	snprintf(ret_offer->why, sizeof(ret_offer->why), "nothing in the list holds in full");
	return 0;
}

int backend_select(const struct config *config, const struct host *host,
	const struct confinement *c, const struct backend **ret, struct offer *ret_offer,
	struct passed_list *ret_passed, enum reason *ret_reason, struct err *err)
{
	int failed;
	*ret_passed = (struct passed_list){0};
	*ret_reason = REASON_NONE;
	if (config->backend == BACKEND_AUTO)
		failed = select_auto(config, host, c, ret_offer, ret_passed, ret_reason, err);
	else
		failed = select_named(config, host, c, ret_offer, ret_passed, ret_reason, err);
	if (failed)
		return -1;
	*ret = backend_by_id(ret_offer->backend);
	return 0;
}

void backend_adapt(const struct offer *offer, struct confinement *c)
{
	if (offer->guards_lost)
		guards_drop(c);
	if (offer->private_dir[0] != '\0')
		environment_private(&c->env, offer->private_dir);
}
