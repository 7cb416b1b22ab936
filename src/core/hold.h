/* How much of a facet holds, and the limits, as the record spells them. */
#ifndef CORE_HOLD_H
#define CORE_HOLD_H

#include "core/offer.h"

const char *hold_name(enum hold hold);                /* "open" "part" "holds" */
int hold_from_name(const char *name, enum hold *ret); /* 0 or -1; NULL is no name */
const char *limit_name(enum limit_id id);             /* "file_size" */

#endif
