/* What this machine allows, read from its files; see core/machine.h. */
#ifndef SANDBOX_MACHINE_READ_H
#define SANDBOX_MACHINE_READ_H

#include "core/machine.h"
#include "sandbox/backend.h"

/* Reads /proc, /sys and /tmp below `root` ("": the machine itself; else a directory with made-up ones). What is not there
   is not known; nothing fails. */
void machine_read(const char *root, struct machine *ret);
/* Adds what host_probe() has found by trying. */
void machine_of_host(const struct host *host, struct machine *ret);
/* Adds who may use the engine, from the group of its socket and `root`/etc/group; has_it: this process is in that group. */
void machine_of_engine(
	const char *root, unsigned gid, bool has_it, const char *user, struct machine *ret);

#endif
