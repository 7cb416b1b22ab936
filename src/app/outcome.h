/* From the supervisor's last word to the result: one name, one sentence (screens.md section 10). */
#ifndef APP_OUTCOME_H
#define APP_OUTCOME_H

#include "app/broker.h"

void outcome_fill(struct call *call); /* reason, sentence, exit code, signal, duration, notes */
unsigned outcome_notes(const struct call *call); /* NOTE_BIT of what is known by now */
void outcome_reset(struct call *call); /* before another launch: child, messages, output */

#endif
