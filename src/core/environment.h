/* The nine names that may reach a command, and what was cut (sandbox.md section 1). */
#ifndef CORE_ENVIRONMENT_H
#define CORE_ENVIRONMENT_H

#include <stdbool.h>

#include "base/strv.h"

enum env_group {
	ENV_GROUP_SECRETS, /* keys and tokens */
	ENV_GROUP_LINKER,  /* dynamic linker */
	ENV_GROUP_HOOKS,   /* interpreter hooks */
	ENV_GROUP_DATABASE,
	ENV_GROUP_OTHER,
	ENV_GROUP_COUNT
};
const char *env_group_words(enum env_group group); /* "keys and tokens" */

struct environment {
	struct strv kept;                 /* NAME=VALUE, in the fixed order of the nine names */
	struct strv cut[ENV_GROUP_COUNT]; /* names only, sorted; never a value */
	struct strv path_lost;   /* "./bin (relative)", "/srv/shop/bin (may write)", "(empty)" */
	struct strv path_hidden; /* PATH directories not visible inside (they stay in PATH) */
	char *home;              /* HOME inside: absolute, "/tmp" when unset, relative or "/" */
	char *home_note;         /* why HOME became /tmp; NULL when kept */
	bool tmpdir_changed;
	char *private_dir; /* HOME and TMPDIR lie in it, see environment_private(); NULL */
};

/* The value of a name in an envp (may be NULL); NULL when it is not there. */
const char *environment_value(char *const *envp, const char *name);
void environment_init(struct environment *env);
void environment_release(struct environment *env);
/* writable: normalised absolute paths of every writable place. visible: read-only places visible inside ("/usr", ...).
   A PATH that ends up empty becomes /usr/local/bin:/usr/bin:/bin. Values pass byte for byte. */
void environment_scrub(char *const *envp, const struct strv *writable, const struct strv *visible,
	struct environment *ret);
/* Where nothing can be put over HOME and /tmp: both are directories below this one instead, made for the run. */
void environment_private(struct environment *env, const char *dir);
unsigned environment_cut_count(const struct environment *env);

#endif
