#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "sandbox/backend.h"
#include "sandbox/protocol.h"

#define NS(ns) (1u << (ns))
#define AUTO BACKEND_AUTO

static const struct select_case {
	const char *what;
	enum backend_id asked;
	int abi, abi_errno;
	unsigned refused;
	unsigned wrappers; /* 1: bwrap is there, 2: firejail */
	bool unsandboxed, network;
	enum backend_id failed; /* a launch failed before; AUTO: none */
	enum backend_id taken;  /* AUTO: none */
	enum reason reason;
	const char *words;  /* of the error, or of the offer's why */
	const char *passed; /* "NAME: why" of one that was passed over */
} cases[] = {
	{"the first of the order", AUTO, 7, 0, 0, 1, false, false, AUTO, BACKEND_LANDLOCK,
		REASON_NONE, "first in the list", NULL},
	{"no Landlock in the kernel", AUTO, 0, ENOSYS, 0, 1, false, false, AUTO, BACKEND_BUBBLEWRAP,
		REASON_NONE, "first in the list that works", "landlock: kernel "},
	{"Landlock switched off", AUTO, 0, EOPNOTSUPP, 0, 1, false, false, AUTO, BACKEND_BUBBLEWRAP,
		REASON_NONE, "that works", "landlock: Landlock is switched off"},
	{"firejail is not there", AUTO, 0, ENOSYS, 0, 1, false, false, AUTO, BACKEND_BUBBLEWRAP,
		REASON_NONE, "that works", "firejail: not installed"},
	{"firejail where there is no Landlock", AUTO, 0, ENOSYS, 0, 3, false, false, AUTO,
		BACKEND_FIREJAIL, REASON_NONE, "that works", "landlock: kernel "},
	{"firejail needs no user namespaces", AUTO, 7, 0, NS(PLAN_NS_USER), 2, false, false, AUTO,
		BACKEND_FIREJAIL, REASON_NONE, "that works",
		"landlock: user namespaces are refused"},
	{"firejail with a granted network", BACKEND_FIREJAIL, 5, 0, 0, 3, false, true, AUTO, AUTO,
		REASON_SANDBOX_UNAVAILABLE, "abstract sockets of the host stay open", NULL},
	{"user namespaces refused", AUTO, 7, 0, NS(PLAN_NS_USER), 1, false, false, AUTO,
		BACKEND_BUBBLEWRAP, REASON_NONE, "that works",
		"landlock: user namespaces are refused"},
	{"mount namespaces refused", BACKEND_LANDLOCK, 7, 0, NS(PLAN_NS_MOUNT), 1, false, false,
		AUTO, AUTO, REASON_SANDBOX_UNAVAILABLE, "landlock: mount namespaces are refused",
		NULL},
	{"process namespaces refused", BACKEND_BUBBLEWRAP, 7, 0, NS(PLAN_NS_PID), 1, false, false,
		AUTO, AUTO, REASON_SANDBOX_UNAVAILABLE, "process namespaces are refused", NULL},
	{"ipc namespaces refused", BACKEND_LANDLOCK, 7, 0, NS(PLAN_NS_IPC), 1, false, false, AUTO,
		AUTO, REASON_SANDBOX_UNAVAILABLE, "ipc namespaces are refused", NULL},
	{"nothing at all", AUTO, 0, ENOSYS, 0, 0, false, false, AUTO, AUTO,
		REASON_NO_SANDBOX_AVAILABLE, "bubblewrap: not installed",
		"docker: docker was not looked for"},
	{"auto never picks none", AUTO, 0, ENOSYS, 0, 0, true, false, AUTO, AUTO,
		REASON_NO_SANDBOX_AVAILABLE, "no sandbox here can hold this run", NULL},
	{"a named one that works", BACKEND_BUBBLEWRAP, 7, 0, 0, 1, false, false, AUTO,
		BACKEND_BUBBLEWRAP, REASON_NONE, "set in the configuration", NULL},
	{"a named one that is absent", BACKEND_BUBBLEWRAP, 7, 0, 0, 0, false, false, AUTO, AUTO,
		REASON_SANDBOX_UNAVAILABLE, "bubblewrap: not installed",
		"bubblewrap: not installed"},
	{"firejail named", BACKEND_FIREJAIL, 7, 0, 0, 1, false, false, AUTO, AUTO,
		REASON_SANDBOX_UNAVAILABLE, "firejail: not installed", NULL},
	{"firejail named, and there", BACKEND_FIREJAIL, 7, 0, 0, 3, false, false, AUTO,
		BACKEND_FIREJAIL, REASON_NONE, "set in the configuration", NULL},
	{"docker named", BACKEND_DOCKER, 7, 0, 0, 1, false, false, AUTO, AUTO,
		REASON_SANDBOX_UNAVAILABLE, "docker was not looked for", NULL},
	{"none without the switch", BACKEND_NONE, 7, 0, 0, 1, false, false, AUTO, AUTO,
		REASON_NO_SANDBOX_AVAILABLE, "EXEQUATUR_ALLOW_UNSANDBOXED=1", NULL},
	{"none with it", BACKEND_NONE, 7, 0, 0, 1, true, false, AUTO, BACKEND_NONE, REASON_NONE,
		"set in the configuration", NULL},
	{"one that failed is passed over", AUTO, 7, 0, 0, 1, false, false, BACKEND_LANDLOCK,
		BACKEND_BUBBLEWRAP, REASON_NONE, "that works", "landlock: it failed before"},
	{"a named one is tried again", BACKEND_LANDLOCK, 7, 0, 0, 1, false, false, BACKEND_LANDLOCK,
		BACKEND_LANDLOCK, REASON_NONE, "set in", NULL},
	{"a granted network without a scope for abstract sockets", AUTO, 5, 0, 0, 1, false, true,
		AUTO, AUTO, REASON_NO_SANDBOX_AVAILABLE, "abstract sockets of the host stay open",
		"bubblewrap: with the network granted"},
	{"a granted network with it", AUTO, 6, 0, 0, 1, false, true, AUTO, BACKEND_LANDLOCK,
		REASON_NONE, "first", NULL},
	{"network namespaces refused", AUTO, 7, 0, NS(PLAN_NS_NET), 1, false, false, AUTO,
		BACKEND_LANDLOCK, REASON_NONE, "first", NULL},
};

static void fill(const struct select_case *it, struct config *config, struct host *host,
	struct confinement *c)
{
	config_init(config);
	config->backend = it->asked;
	*host = (struct host){.bwrap_fd = -1,
		.landlock_abi = it->abi,
		.landlock_errno = it->abi_errno,
		.refused_namespaces = it->refused,
		.allow_unsandboxed = it->unsandboxed};
	host->bwrap_path = (it->wrappers & 1) ? mem_strdup("/usr/bin/bwrap") : NULL;
	snprintf(host->bwrap_why, sizeof(host->bwrap_why), "not installed");
	host->firejail.fd = -1;
	host->firejail.path = (it->wrappers & 2) ? mem_strdup("/usr/bin/firejail") : NULL;
	snprintf(host->firejail.why, sizeof(host->firejail.why), "not installed");
	host->passwd_home = mem_strdup("/root");
	if (it->failed != AUTO)
		host_note_failed(host, it->failed, "it failed before");
	confinement_init(c);
	c->network = it->network;
}

static bool was_passed(const struct passed_list *passed, const char *expected)
{
	for (unsigned i = 0; i < passed->count; i++) {
		MEM_AUTO char *got = mem_printf(
			"%s: %s", backend_id_name(passed->items[i].backend), passed->items[i].why);
		if (strstr(got, expected) == got)
			return true;
	}
	return false;
}

static void the_first_that_holds_is_taken_and_the_others_are_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct select_case *it = &cases[i];
		struct config config;
		struct host host;
		struct confinement c;
		const struct backend *backend = NULL;
		struct offer offer = {0};
		struct passed_list passed;
		enum reason reason = REASON_COUNT;
		struct err err = ERR_INIT;
		fill(it, &config, &host, &c);
		int got = backend_select(
			&config, &host, &c, &backend, &offer, &passed, &reason, &err);
		bool right = reason == it->reason && (got == 0) == (it->taken != AUTO) &&
			     (got == 0 ? backend->id == it->taken && strstr(offer.why, it->words)
				       : strstr(err.text, it->words) != NULL) &&
			     (!it->passed || was_passed(&passed, it->passed));
		if (!right)
			fail_msg("%s: %d, %s, %s", it->what, got, reason_name(reason),
				got ? err.text : offer.why);
		host_release(&host);
		config_release(&config);
		confinement_release(&c);
	}
}

static void offer_of(int abi, unsigned refused, bool network, bool socket, struct offer *ret)
{
	struct host host = {.landlock_abi = abi, .refused_namespaces = refused, .bwrap_fd = -1};
	struct confinement c;
	confinement_init(&c);
	c.network = network;
	if (socket)
		strv_add(&c.sockets, "/srv/shop/run/db.sock");
	assert_int_equal(backend_landlock.offer(&host, &c, ret, NULL), 0);
	confinement_release(&c);
}

static void assert_text(const char *got, const char *wanted)
{
	assert_string_equal(got ? got : "nothing", wanted ? wanted : "nothing");
}

static void an_offer_says_what_holds_in_part(void **state)
{
	struct offer offer;
	(void)state;
	offer_of(7, 0, false, false, &offer);
	assert_int_equal(offer_summary(&offer, false), HOLD_FULL);
	assert_false(offer.network_shared_with_host);
	assert_string_equal(offer.enforcers[LIMIT_TIME], "supervisor");
	offer_of(7, NS(PLAN_NS_NET), false, false, &offer);
	assert_int_equal(offer.facets[FACET_NETWORK], HOLD_PART);
	assert_int_equal(offer_summary(&offer, false), HOLD_PART);
	offer_of(7, NS(PLAN_NS_UTS), false, false, &offer);
	assert_int_equal(offer.facets[FACET_HOSTNAME], HOLD_PART);
	offer_of(7, 0, false, true, &offer);
	assert_int_equal(offer.facets[FACET_SOCKETS], HOLD_PART);
	offer_of(7, 0, true, false, &offer);
	assert_int_equal(offer.facets[FACET_NETWORK], HOLD_NONE);
	assert_true(offer.network_shared_with_host);
	assert_int_equal(offer_summary(&offer, true), HOLD_FULL);
}

/* A granted network is one of its own where pasta can make it; else the machine's, and the card says why. */
static void a_granted_network_is_kept_apart_where_pasta_can(void **state)
{
	static const struct {
		const struct backend *backend;
		const char *path, *lost;
		int tun_errno;
		bool v4, v6;
		unsigned refused;
		const char *why; /* "": by pasta */
	} rows[] = {
		{&backend_landlock, "/usr/bin/passt", "", 0, true, true, 0, ""},
		{&backend_landlock, "/usr/bin/passt", "", 0, false, true, 0, ""},
		{&backend_bubblewrap, "/usr/bin/passt", "", 0, true, false, 0, ""},
		{&backend_landlock, NULL, "", 0, true, true, 0, "pasta: not installed"},
		{&backend_landlock, "/usr/bin/passt", "pasta: it broke", 0, true, true, 0,
			"pasta: it broke"},
		{&backend_landlock, "/usr/bin/passt", "", ENOENT, true, true, 0,
			"pasta needs /dev/net/tun: No such file or directory"},
		{&backend_landlock, "/usr/bin/passt", "", 0, false, false, 0,
			"pasta needs a default route by a gateway, and this machine has none"},
		{&backend_landlock, "/usr/bin/passt", "", 0, true, true, NS(PLAN_NS_NET),
			"network namespaces are refused"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct host host = {.landlock_abi = 5, /* abstract sockets are open without it */
			.refused_namespaces = rows[i].refused,
			.bwrap_path = mem_strdup("/usr/bin/bwrap"),
			.bwrap_fd = 7,
			.pasta = {.path = (char *)rows[i].path, .fd = 8, .why = "not installed"},
			.way_out = {.tun_errno = rows[i].tun_errno,
				.v4 = rows[i].v4,
				.v6 = rows[i].v6}};
		struct confinement c;
		struct offer offer;
		bool apart = rows[i].why[0] == '\0';
		strcpy(host.pasta_lost, rows[i].lost);
		confinement_init(&c);
		c.network = true;
		assert_int_equal(rows[i].backend->offer(&host, &c, &offer, NULL), 0);
		assert_string_equal(offer.network_why, rows[i].why);
		assert_int_equal(offer.pasta, apart);
		assert_int_equal(offer.network_shared_with_host, !apart);
		assert_int_equal(offer.facets[FACET_SOCKETS], apart ? HOLD_FULL : HOLD_NONE);
		assert_int_equal(host_programs(&host, &offer).network_fd, apart ? 8 : -1);
		c.network = false;
		assert_int_equal(rows[i].backend->offer(&host, &c, &offer, NULL), 0);
		assert_false(offer.pasta);
		assert_int_equal(host_programs(&host, &offer).network_fd, -1);
		confinement_release(&c);
		free(host.bwrap_path);
	}
}

/* What the machine and a failed launch say of the limits of the tree, and who holds them then. */
static void the_keeper_of_each_limit_is_named(void **state)
{
	static const struct {
		const char *memory_dir, *cpu_dir;
		bool fork_questions, watched;
		unsigned lost;
		const char *memory, *may_pass, *processes, *cpu;
	} rows[] = {
		{"/m", "/c", true, true, 0, "cgroup", NULL, "supervisor", "cgroup"},
		{"/m", NULL, true, false, 0, "cgroup", NULL, "supervisor", "supervisor"},
		{NULL, NULL, true, true, 0, "sampled", "may pass by 40 MB", "supervisor",
			"supervisor"},
		{NULL, NULL, false, false, 0, NULL, NULL, "watched", "supervisor"},
		{"/m", "/c", true, true, LOST_CGROUP, "sampled", "may pass by 40 MB", "supervisor",
			"supervisor"},
		{"/m", "/c", true, true, LOST_FORK_QUESTIONS, "cgroup", NULL, "watched", "cgroup"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct host host = {.cpus = 2,
			.landlock_abi = 7,
			.bwrap_fd = -1,
			.cgroups = {mem_strdup(rows[i].memory_dir), mem_strdup(rows[i].cpu_dir),
				false},
			.fork_questions = rows[i].fork_questions,
			.lost_limits = rows[i].lost};
		struct confinement c;
		struct offer offer;
		confinement_init(&c);
		c.limits.memory_watched = rows[i].watched;
		assert_int_equal(backend_landlock.offer(&host, &c, &offer, NULL), 0);
		assert_text(offer.enforcers[LIMIT_MEMORY], rows[i].memory);
		assert_text(offer.may_pass[LIMIT_MEMORY], rows[i].may_pass);
		assert_text(offer.enforcers[LIMIT_PROCESSES], rows[i].processes);
		assert_text(offer.enforcers[LIMIT_CPU], rows[i].cpu);
		confinement_release(&c);
		host_release(&host);
	}
}

static void without_a_sandbox_nothing_is_claimed(void **state)
{
	struct host host = {.allow_unsandboxed = true, .bwrap_fd = -1};
	struct confinement c;
	struct offer offer;
	(void)state;
	confinement_init(&c);
	assert_int_equal(backend_none.offer(&host, &c, &offer, NULL), 0);
	for (unsigned i = 0; i < FACET_COUNT; i++)
		assert_int_equal(offer.facets[i], HOLD_NONE);
	assert_int_equal(offer_summary(&offer, false), HOLD_NONE);
	confinement_release(&c);
}

static void every_facet_has_its_words(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FACET_COUNT; i++) {
		assert_non_null(facet_name(i));
		for (unsigned k = 0; k < HOLD_COUNT; k++)
			assert_int_equal(facet_words(i, k)[0] == '!', k != HOLD_FULL);
	}
	assert_string_equal(facet_words(FACET_NETWORK, HOLD_PART), "!network cut once");
	assert_string_equal(facet_words(FACET_FILES, HOLD_FULL), "files closed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_holds_is_taken_and_the_others_are_named),
		cmocka_unit_test(an_offer_says_what_holds_in_part),
		cmocka_unit_test(a_granted_network_is_kept_apart_where_pasta_can),
		cmocka_unit_test(the_keeper_of_each_limit_is_named),
		cmocka_unit_test(without_a_sandbox_nothing_is_claimed),
		cmocka_unit_test(every_facet_has_its_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
