/* Paths as text. Nothing here touches a file. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

/* All results are fresh strings that the caller frees. */
char *path_join(const char *dir, const char *name); /* an absolute name wins */
char *path_normalize(const char *path); /* removes //, . and trailing /; folds x/.. textually */
char *path_dirname(const char *path);
const char *path_basename(const char *path); /* points into path */
bool path_is_equal_or_below(
	const char *path, const char *root);                /* both normalised; "/" contains all */
bool path_climbs(const char *path);                         /* has a component ".." */
char *path_expand_home(const char *path, const char *home); /* "~" and "~/x"; else a copy */

#endif
