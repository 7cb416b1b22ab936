/* A desk for tests of the broker: one call on it waits for a person. */
#ifndef TESTS_UNIT_BROKER_DESK_H
#define TESTS_UNIT_BROKER_DESK_H

#include <stddef.h>
#include <sys/resource.h>

#include "app/broker.h"
#include "tests/unit/test_audit_fixture.h"

/* A broker with a real record and one call that waits for a person. No place is free, so that a yes starts nothing. */
struct desk {
	struct record *record;
	uv_loop_t loop;
	struct session session;
	struct broker broker;
	struct call *call;
};

/* state: of record_setup(). */
void desk_open(struct desk *d, void **state);
void desk_close(struct desk *d);
/* A call with its card; words: what its dangers ask for. */
void ask(struct desk *d, const char *const *words, size_t count);
void ask_as(struct desk *d, unsigned peer); /* one without dangers, of this peer */
/* How many times the record has the text. */
unsigned recorded(const struct desk *d, const char *text);
/* A write beyond the limit fails like one to a full disk. RLIM_INFINITY: none does. */
void limit_files(rlim_t bytes);
void assert_undecided(struct desk *d, const struct intent *intent, const char *why);
void assert_decided(struct desk *d, const struct intent *intent);
struct intent yes(const struct desk *d, const char *typed);

#endif
