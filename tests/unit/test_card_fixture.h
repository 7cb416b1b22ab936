/* A card of the shop of screens.md, for tests: the inputs may be changed before the card is built.
   */
#ifndef TESTS_TEST_CARD_FIXTURE_H
#define TESTS_TEST_CARD_FIXTURE_H

#include "core/card.h"

struct card_fixture {
	struct request request;
	struct ruling ruling;
	struct confinement confinement;
	struct offer offer;
	struct passed_list passed;
	struct digest helpers;
	struct card_inputs in;
};

/* Call 16 of session 20261130T140200Z-4121-9c3e: `git diff --stat HEAD~3`, every limit held. */
void fixture_init(struct card_fixture *f);
void fixture_release(struct card_fixture *f);
void fixture_command(struct card_fixture *f, const char *command);
void fixture_guard(struct card_fixture *f, enum guard_kind kind, const char *path);
/* One line a line: label, blanks up to column 11, the spans. */
void fixture_print(const struct facts *facts, struct str *out);
/* The lines of one fact. */
void fixture_print_fact(const struct facts *facts, const char *label, struct str *out);
/* The fields of an event "card" with the card of call `seq`. The caller owns them. */
struct json *fixture_card_event(uint64_t seq);

#endif
