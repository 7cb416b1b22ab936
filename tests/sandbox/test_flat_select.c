#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/backend.h"

/* When landlock without namespaces is chosen: machines as data. */

#define NS(ns) (1u << (ns))
#define REFUSED_ALL NS(PLAN_NS_USER)

static const struct choice {
	const char *what;
	enum backend_id asked;
	int abi;
	unsigned refused;
	const char *unusable;
	bool firejail;
	bool partial, network, unasked, nested, hidden;
	enum backend_id taken; /* BACKEND_AUTO: none */
	bool flat;
	const char *words;
} choices[] = {
	{.what = "not accepted",
		.abi = 7,
		.refused = REFUSED_ALL,
		.words = "user namespaces are refused"},
	{.what = "accepted and not needed",
		.abi = 7,
		.partial = true,
		.taken = BACKEND_LANDLOCK,
		.words = "first"},
	{.what = "accepted and needed",
		.abi = 7,
		.refused = REFUSED_ALL,
		.partial = true,
		.taken = BACKEND_LANDLOCK,
		.flat = true,
		.words = "nothing in the list holds in full"},
	{.what = "behind what holds in full",
		.abi = 7,
		.refused = REFUSED_ALL,
		.firejail = true,
		.partial = true,
		.taken = BACKEND_FIREJAIL,
		.words = "first in the list that works"},
	{.what = "named",
		.asked = BACKEND_LANDLOCK,
		.abi = 7,
		.refused = REFUSED_ALL,
		.firejail = true,
		.partial = true,
		.taken = BACKEND_LANDLOCK,
		.flat = true,
		.words = "set in the configuration"},
	{.what = "no process namespaces",
		.abi = 6,
		.refused = NS(PLAN_NS_PID),
		.partial = true,
		.taken = BACKEND_LANDLOCK,
		.flat = true,
		.words = "nothing in the list"},
	{.what = "no network namespaces alone",
		.abi = 6,
		.refused = NS(PLAN_NS_NET),
		.partial = true,
		.taken = BACKEND_LANDLOCK,
		.words = "first"},
	{.what = "namespaces of no use",
		.asked = BACKEND_LANDLOCK,
		.abi = 1,
		.unusable = "of no use",
		.partial = true,
		.taken = BACKEND_LANDLOCK,
		.flat = true,
		.words = "set in"},
	{.what = "an old Landlock that nobody can help",
		.abi = 5,
		.refused = REFUSED_ALL,
		.partial = true,
		.unasked = true,
		.words = "processes outside could be signalled"},
	{.what = "a tree that could hide",
		.abi = 7,
		.refused = REFUSED_ALL,
		.partial = true,
		.hidden = true,
		.words = "could hide and outlive it (hidepid= of /proc)"},
	{.what = "a new one needs no help",
		.abi = 6,
		.refused = REFUSED_ALL,
		.partial = true,
		.unasked = true,
		.taken = BACKEND_LANDLOCK,
		.flat = true,
		.words = "nothing in the list"},
	{.what = "no Landlock", .refused = REFUSED_ALL, .partial = true, .words = "landlock: "},
	{.what = "a network",
		.abi = 7,
		.refused = REFUSED_ALL,
		.partial = true,
		.network = true,
		.words = "every socket of the host would be in reach"},
	{.what = "a read-only place inside",
		.abi = 7,
		.refused = REFUSED_ALL,
		.partial = true,
		.nested = true,
		.words = "lies inside a writable place"},
};

static void fill(
	const struct choice *it, struct config *config, struct host *host, struct confinement *c)
{
	config_init(config);
	config->backend = it->asked;
	*host = (struct host){.bwrap_fd = -1,
		.landlock_abi = it->abi,
		.landlock_errno = it->abi ? 0 : ENOSYS,
		.refused_namespaces = it->refused,
		.accept_partial = it->partial,
		.fork_questions = !it->unasked,
		.processes_hidden = it->hidden,
		.firejail = {.fd = -1}};
	host->firejail.path = it->firejail ? mem_strdup("/usr/bin/firejail") : NULL;
	host->passwd_home = mem_strdup("/root");
	confinement_init(c);
	c->network = it->network;
	if (it->unusable)
		strcpy(host->unusable_namespaces, it->unusable);
	places_add(&c->writable, "/srv/shop", 1, 2, true);
	if (it->nested)
		places_add(&c->readonly, "/srv/shop/vendor", 1, 3, true);
}

static bool is_right(const struct choice *it, int got, const struct backend *backend,
	const struct offer *offer, const struct err *err)
{
	if ((got == 0) != (it->taken != BACKEND_AUTO))
		return false;
	if (got != 0)
		return strstr(err->text, it->words) != NULL;
	return backend->id == it->taken && offer->flat == it->flat && strstr(offer->why, it->words);
}

static void without_namespaces_it_is_the_last_choice_and_an_accepted_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
		struct config config;
		struct host host;
		struct confinement c;
		const struct backend *backend = NULL;
		struct offer offer = {0};
		struct passed_list passed;
		enum reason reason;
		struct err err = ERR_INIT;
		fill(&choices[i], &config, &host, &c);
		int got = backend_select(
			&config, &host, &c, &backend, &offer, &passed, &reason, &err);
		if (!is_right(&choices[i], got, backend, &offer, &err))
			fail_msg("%s: %d, %s", choices[i].what, got, got ? err.text : offer.why);
		if (got == 0 && offer.flat) {
			assert_int_equal(offer_summary(&offer, false), HOLD_PART);
			assert_true(offer.guards_lost && offer.open[0] && offer.private_dir[0]);
		}
		host_release(&host);
		config_release(&config);
		confinement_release(&c);
	}
}

static void only_what_namespaces_need_says_that_they_are_of_no_use(void **state)
{
	static const struct {
		enum backend_id backend;
		bool flat, accepted;
		enum stage stage;
		int error;
		bool learned;
	} rows[] = {
		{BACKEND_LANDLOCK, false, true, STAGE_ID_MAPS, EACCES, true},
		{BACKEND_LANDLOCK, false, true, STAGE_MOUNTS, EPERM, true},
		{BACKEND_LANDLOCK, false, true, STAGE_NETWORK, EPERM, true},
		{BACKEND_LANDLOCK, false, true, STAGE_NAMESPACES, ENOSPC, true},
		{BACKEND_LANDLOCK, false, true, STAGE_NAMESPACES, EAGAIN, false},
		{BACKEND_LANDLOCK, false, true, STAGE_MOUNTS, EACCES, false},
		{BACKEND_LANDLOCK, false, true, STAGE_MOUNTS, ENOENT, false},
		{BACKEND_LANDLOCK, false, true, STAGE_VERIFY, EPERM, false},
		{BACKEND_LANDLOCK, false, true, STAGE_PLACES, EPERM, false},
		{BACKEND_LANDLOCK, false, false, STAGE_MOUNTS, EPERM, false},
		{BACKEND_LANDLOCK, true, true, STAGE_MOUNTS, EPERM, false},
		{BACKEND_BUBBLEWRAP, false, true, STAGE_MOUNTS, EPERM, false},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct host host = {.accept_partial = rows[i].accepted};
		const struct offer offer = {.backend = rows[i].backend, .flat = rows[i].flat};
		bool learned = host_learn_unusable(
			&host, &offer, rows[i].stage, rows[i].error, "mounting proc");
		if (learned != rows[i].learned || learned != (host.unusable_namespaces[0] != '\0'))
			fail_msg("row %zu", i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_namespaces_it_is_the_last_choice_and_an_accepted_one),
		cmocka_unit_test(only_what_namespaces_need_says_that_they_are_of_no_use),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
