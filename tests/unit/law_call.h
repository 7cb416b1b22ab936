/* What agents, commands and the kernel do in a session of law.h: nothing is started, but all of it is said. */
#ifndef TESTS_UNIT_LAW_CALL_H
#define TESTS_UNIT_LAW_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/law.h"

/* A call with its card. word: what a danger of it asks for; NULL: none. agent may be NULL. */
uint64_t law_call(
	struct law *law, unsigned peer, const char *agent, const char *command, const char *word);
/* Its command is another, of a person; or with the same command it gets another card. */
void law_recard(struct law *law, uint64_t seq, const char *command);
/* The next thing that happens to a command: it starts, puts out, is measured, ends, is answered. dice: any number. */
void law_run(struct law *law, uint64_t seq, unsigned dice);
/* true: an intent about what would run, carried out here. */
bool law_call_intent(struct law *law, const struct intent *intent);

#endif
