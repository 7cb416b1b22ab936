/* Paths, sizes and numbers of CPUs as they are written in a configuration. */
#ifndef CORE_CONFIG_PATH_H
#define CORE_CONFIG_PATH_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Makes an absolute, normalised path. "~" and "~/x" need home; a relative path needs dir (NULL: refused). "..", the home of
   another user and paths longer than the system takes are refused. *ret is the caller's. Errors: ERR_INVALID. */
int config_path_resolve(
	const char *text, const char *dir, const char *home, char **ret, struct err *err);
/* "256m", "1g", "64k", "1048576". 0, or -1 for anything else. */
int config_size_from_text(const char *text, uint64_t *ret_bytes);
void config_size_print(uint64_t bytes, struct str *out); /* the largest unit that divides it */
/* "1", "1.5", "0.125": at most three decimals; a point in every locale. 0, or -1 for anything else. */
int config_milli_from_text(const char *text, uint64_t *ret_milli);
void config_milli_print(uint64_t milli, struct str *out); /* at least one decimal */

#endif
