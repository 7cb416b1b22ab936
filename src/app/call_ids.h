/* The ids of the calls that have no answer yet, by peer: an arrival is held against those of the same place in a table that
   grows with them, and not against each call that waits. */
#ifndef APP_CALL_IDS_H
#define APP_CALL_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "core/request.h"

/* Lies in what has the id, and is taken out before that goes. */
struct call_id {
	struct call_id *next;
	unsigned peer;
	const struct request_id *id; /* NULL: not among them */
};
struct call_ids {
	struct call_id **places;
	size_t size, count;
	uint8_t key[DIGEST_KEY_BYTES];
	size_t steps; /* ids that were looked at, for a test that they stay few */
};

bool call_ids_has(struct call_ids *ids, unsigned peer, const struct request_id *id);
/* id: of a call that is not among them yet; it lives as long as the entry is in. None at all is never found again. */
void call_ids_add(
	struct call_ids *ids, struct call_id *entry, unsigned peer, const struct request_id *id);
void call_ids_remove(struct call_ids *ids, struct call_id *entry); /* also one that is not in */
void call_ids_release(struct call_ids *ids);

#endif
