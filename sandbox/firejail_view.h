/* What a command sees below firejail: the file system of the host with everything else emptied or closed. */
#ifndef SANDBOX_FIREJAIL_VIEW_H
#define SANDBOX_FIREJAIL_VIEW_H

#include "sandbox/backend.h"

enum top_kind {
	TOP_SHOWN,   /* part of the base set, or a place itself */
	TOP_EMPTIED, /* an empty tmpfs in which only what leads to a place is shown */
	TOP_CLOSED,  /* an unreadable directory or file is put over it */
};

/* One entry of the root directory. */
struct top {
	char *path;
	enum top_kind kind;
};

struct firejail_view {
	struct top *tops;
	size_t top_count, top_cap;
	char *home; /* of the password database, made empty; NULL: not there, or shown anyway */
	bool shows_var_tmp;   /* something below it is shown, or all of it */
	bool private_var_tmp; /* and writable; beside what is shown there, root alone could write */
};

/* Looks at the root directory as it is now. ERR_UNAVAILABLE in words: a name that firejail does not take, a place whose
   owner alone may have it made writable, a HOME where it makes nothing private. */
int firejail_view_make(const struct host *host, const struct confinement *c,
	struct firejail_view *ret, struct err *err);
void firejail_view_release(struct firejail_view *view);
/* The place lies strictly below an entry of the root that is emptied. */
bool firejail_view_empties(const struct firejail_view *view, const char *path);

/* The view as a profile, in the order in which firejail acts on its lines. Appends. */
void firejail_view_profile(const struct firejail_view *view, const struct host *host,
	const struct confinement *c, struct str *profile);
/* The same as what the launcher has to find: mounts and checks of the plan. */
void firejail_view_expect(const struct firejail_view *view, const struct host *host,
	const struct confinement *c, struct plan *plan);

#endif
