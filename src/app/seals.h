/* SEALS: a chain of signatures beside a record. The key of an epoch signs what stands in the record and the public key of the
   next epoch; then it is zeroed, so that whoever takes the machine later cannot rewrite what was sealed before (record.md;
   exequatur-audit(5)). Every call locks SEALS, as sessions share it. */
#ifndef APP_SEALS_H
#define APP_SEALS_H

#include <stdint.h>

#include "app/seal_line.h"
#include "base/str.h"

/* Lines of a session's file that are on the disk already. */
struct seals_point {
	const char *file; /* NULL: none, CHAIN alone is sealed */
	uint64_t events;
	struct digest digest; /* of the last of those */
};

/* Makes SEALS and the first key, seals the record as it stands, gives the public key that proves all seals. ERR_REFUSED when there
   are seals already; the text names their key. */
int seals_init(int dir_fd, int64_t wall_ms, struct digest *ret_key, struct err *err);
/* Whether the next seal can be made: finishes what a crash left half done and says so in *told (appended). ret_epoch: the one that
   the next seal ends. ERR_NOT_FOUND: there are none; ERR_REFUSED: the key is not the one that SEALS expects. */
int seals_check(int dir_fd, uint64_t *ret_epoch, struct str *told, struct err *err);
/* Of CHAIN's last line. */
int seals_chain_digest(const char *dir, struct digest *ret, struct err *err);
/* Ends an epoch: seals the point, and CHAIN as it is now. After a failure the next call can succeed, and the record holds without
   it. */
int seals_add(int dir_fd, const struct seals_point *point, int64_t wall_ms, struct str *told,
	struct err *err);

#endif
