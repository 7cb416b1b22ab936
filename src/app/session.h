/* All that is fixed for the life of one process: configuration, places, host, helper programs, the caller's environment. */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include <stdbool.h>

#include "app/options.h"
#include "base/digest.h"
#include "base/err.h"
#include "core/config.h"
#include "core/confine.h"
#include "sandbox/backend.h"
#include "sandbox/places.h"
#include "sandbox/spawn.h"

struct session {
	char **envp; /* as it was at start; not owned */
	char *home;
	char *user;
	char *record_dir;
	struct config config;
	struct own_places own;
	struct confinement base; /* resolved places, nothing of a call */
	struct pins pins;
	struct host host;
	struct helpers helpers;
	struct digest helpers_digest;
	struct child
		early; /* a supervisor that waits for the plan of the one call, or has ended; pid -1: none */
	bool prepared;   /* a launcher waits below it */
	char *workspace; /* as it was asked for, absolute */
	bool complete;   /* see session_complete */
};

/* Reads and checks all of it; for one call maybe only what its plan needs. Errors are usage or configuration (exit 2). */
int session_open(const struct options *options, char **envp, struct session *ret, struct err *err);
/* The rest, where the plan of the one call was to be made sooner: the other backends' programs, the record's directory, and
   whether the places may be had at all. Nothing may be let go before it. Else nothing is left to do. */
int session_complete(struct session *session, struct err *err);
void session_close(struct session *session);
/* Configuration alone (for `config`). */
int session_load_config(
	const struct options *options, char **envp, struct config *ret, struct err *err);

#endif
