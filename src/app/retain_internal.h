/* The inside of retain*.c. */
#ifndef APP_RETAIN_INTERNAL_H
#define APP_RETAIN_INTERNAL_H

#include "app/retain.h"
#include "app/verify_internal.h"
#include "app/verify_seals.h"

#define RETAIN_PART ".part" /* ends the name of what is being made; also of the mark of a removal */

struct retain {
	int dir_fd, chain_fd;
	const struct retain_rules *rules;
	int64_t wall_ms;
	struct verify_chain chain;
	struct verify_seals seals;
	struct strv names; /* of all files, as CHAIN calls them */
	/* What a crash left: files half compressed, and those that are there in both forms. */
	struct strv parts, doubles;
	struct retain_report *report;
};

/* For reading, ours, and locked by nobody else as long as it is open; -1: it stays as it is. */
int retain_take(const struct retain *r, const char *name);
/* The open file, compressed or not, is what CHAIN says of it to the last line. ret_calls (may be NULL): received in it. */
bool retain_proves(int fd, const struct verify_entry *entry, uint64_t *ret_calls);
/* unlinkat(), of a name that need not be there. */
int retain_unlink(const struct retain *r, const char *name, struct err *err);
/* Makes the names of the directory durable. */
int retain_sync_names(const struct retain *r, struct err *err);
void retain_tell_finished(struct retain *r, const char *file, const char *how);

/* Compresses one closed file that is not yet: the new one is whole and durable before the old one goes. */
int retain_pack(struct retain *r, const struct verify_entry *entry, struct err *err);
/* Fills parts and doubles. */
int retain_look(struct retain *r, struct err *err);
/* Ends what they name. */
int retain_finish_packing(struct retain *r, struct err *err);

#endif
