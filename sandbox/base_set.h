/* The read-only set that makes a command work: /usr with its links, the loader, the needed part of /etc. */
#ifndef SANDBOX_BASE_SET_H
#define SANDBOX_BASE_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strv.h"

struct base_entry {
	char *target; /* path inside */
	char *source; /* what is bound there, without symlinks; NULL: `link` is made instead */
	char *link;   /* the text of a symlink */
	bool is_dir;
	bool network_only; /* not needed without a network */
};
struct base_set {
	struct base_entry *items;
	size_t count, cap;
};

/* Looks at this machine. Dangling links (an /etc/resolv.conf into an absent /run/systemd) are left out. */
void base_set_collect(struct base_set *ret);
void base_set_release(struct base_set *set);
void base_set_add(struct base_set *set, const char *target, const char *source, const char *link,
	bool is_dir, bool network_only);

/* A resolved path that is visible inside without being listed: read-only places below are merged away. */
bool base_set_holds(const char *resolved);
/* The directories of PATH that count as visible. Appends. */
void base_set_visible(struct strv *ret);

#endif
