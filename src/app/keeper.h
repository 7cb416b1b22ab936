/* Keeps the rules of retention while a session goes on: in a thread of its own, as compressing and proving take their time. */
#ifndef APP_KEEPER_H
#define APP_KEEPER_H

#include <stdbool.h>

#include "app/retain.h"

struct keeper; /* opaque: one run */

/* NULL: no thread could be started. */
struct keeper *keeper_start(const char *dir, const struct retain_rules *rules, int64_t wall_ms);
bool keeper_is_done(const struct keeper *keeper);
/* Waits for it, frees it; as retain_run(). */
int keeper_end(struct keeper *keeper, struct retain_report *ret, struct err *err);

#endif
