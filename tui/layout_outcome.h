/* What came of a call, as facts below its command. Private to layout*.c. */
#ifndef TUI_LAYOUT_OUTCOME_H
#define TUI_LAYOUT_OUTCOME_H

#include <stdbool.h>

#include "core/card.h"
#include "core/model.h"

/* Ended, rejected or lost. ret is empty before the call and owned by the caller. */
void outcome_facts(const struct job *job, bool ascii, struct facts *ret);
/* Refused before a person could decide. */
void refusal_facts(const struct job *job, struct facts *ret);
/* Adds that most of it is in the record alone, when it is so. */
void forgotten_facts(const struct job *job, struct facts *facts);

#endif
