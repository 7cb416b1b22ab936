/* Dead sessions: files that CHAIN says are open and whose writer is gone. */
#ifndef APP_FOUND_H
#define APP_FOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "app/audit.h"

/* What a dead session's file holds, beyond what its finder tells the model. */
struct found_file {
	struct found_open told;
	bool missing;
	uint64_t events; /* the number of the last whole line; 0: none */
	struct digest torn_digest;
	/* Held until it was told: two sessions that start together do not both find it. -1:
	   missing. */
	int lock_fd;
};

enum found_status { FOUND_LIVE, FOUND_DEAD };

/* Looks at one file by name: takes its lock, reads it in bounded memory and follows its calls.
   Never writes to it. FOUND_LIVE when somebody holds the lock. A file that cannot be read as a
   record is FOUND_DEAD and damaged. */
enum found_status found_look(int dir_fd, const char *name, struct found_file *ret);
void found_file_release(struct found_file *file);

#endif
