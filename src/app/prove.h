/* Proves a backend by a launch that never gets its go byte: everything but the command happens. Blocking, at most 10 s. */
#ifndef APP_PROVE_H
#define APP_PROVE_H

#include "app/session.h"

struct proof {
	bool held;
	enum backend_id backend;
	struct offer offer;
	char why[200];    /* when it did not hold */
	enum stage stage; /* and where */
	int error_number;
	unsigned refused_namespaces; /* learned from it */
	unsigned lost_limits;
};

/* One backend as it is configured here, with the network cut. 0 when it was tried; -1 when it is not even offered (err says why). */
int prove_backend(
	struct session *session, const struct backend *backend, struct proof *ret, struct err *err);
/* The same with the network granted, after a look at it. */
int prove_network(
	struct session *session, const struct backend *backend, struct proof *ret, struct err *err);
/* Keeps in session->host what a failed proof tells of the machine. true: that was new, so the same backend may hold in another
   way. */
bool prove_learn(struct session *session, const struct proof *proof);
/* What the console does at start: proves the backend that would be taken; under auto, goes on with the next after a failure. What it
   learns stays in session->host. 0 and the proof of the one that holds; -1 none holds. */
int prove_selected(struct session *session, struct proof *ret, struct err *err);

#endif
