/* What programs that we start for the person have in common: where they may lie, and which variables they get. */
#ifndef APP_PERSON_H
#define APP_PERSON_H

#include <stdbool.h>
#include <stddef.h>

#include "app/session.h"
#include "base/strv.h"

/* Every place that a command may write, as it was written and as it was resolved. */
void person_writable_places(const struct session *session, struct strv *ret);
bool person_may_be_written(const char *path, const struct strv *writable);
/* These variables of the caller, those of the language, and of PATH the entries where no command could put a program. */
void person_environment(
	const struct session *session, const char *const *names, size_t count, struct strv *ret);

#endif
