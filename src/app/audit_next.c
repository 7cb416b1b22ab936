#include "config.h"

#include "app/audit_internal.h"

#include <stdlib.h>
#include <unistd.h>

#include "app/chain.h"
#include "app/record_name.h"
#include "base/fd.h"
#include "base/mem.h"

/* So much later it is tried again, when the next file could not be begun. */
#define AGAIN_BYTES (1u << 20)

void audit_limit(struct audit *audit, uint64_t bytes)
{
	audit->most_bytes = audit->next_at = bytes;
}

bool audit_wants_next(const struct audit *audit)
{
	return audit->next_at > 0 && audit->bytes > audit->next_at && !audit_dirty(audit) &&
	       !audit->failed && !audit->ended;
}

/* One line of CHAIN closes the one file and starts the other: no crash can come between the two. What it says of the closed one was
   synced before. */
static int begin(struct audit *audit, struct chain_line *line, int *ret_fd, struct err *err)
{
	struct digest digest;

	if (chain_lock(audit->chain_fd, true, err) != 0)
		return -1;
	int fd = audit_create(audit->dir_fd, line->file, err);
	int status = fd < 0 ? -1 : chain_append(audit->chain_fd, line, &digest, err);

	if (fd >= 0 && status != 0)
		unlinkat(audit->dir_fd, line->file, 0);
	chain_unlock(audit->chain_fd);
	if (status != 0) {
		fd_close(&fd);
		return -1;
	}
	audit->chain = digest;
	*ret_fd = fd;
	return 0;
}

int audit_next(struct audit *audit, struct err *err)
{
	struct chain_line line = {.kind = CHAIN_NEXT,
		.file = record_name_of(audit->session, audit->part + 1),
		.before = mem_strdup(audit->file),
		.digest = audit->last,
		.events = audit->number};
	int fd = -1, status = begin(audit, &line, &fd, err);

	if (status == 0) {
		fd_close(&audit->fd);
		audit->fd = fd;
		audit->part++;
		free(audit->previous);
		audit->previous = audit->file;
		audit->file = STEAL(line.file);
		audit->bytes = 0;
		audit->next_at = audit->most_bytes;
		audit->chain_synced = false;
	} else {
		audit->next_at = audit->bytes + AGAIN_BYTES;
	}
	chain_line_release(&line);
	return status;
}
