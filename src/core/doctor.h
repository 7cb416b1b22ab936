/* What `exequatur doctor` found: each backend, what it isolates or why it does not work, and which one a run takes. */
#ifndef CORE_DOCTOR_H
#define CORE_DOCTOR_H

#include <stddef.h>

#include "base/str.h"
#include "core/cause.h"
#include "core/config.h"

/* Values point to what the caller keeps. */
struct doctor {
	struct machine machine;
	struct cause_names names;
	const char *workspace, *record;
	const char *record_why; /* why nothing can be written there; NULL: it can */
	struct examined items[BACKEND_ID_COUNT];
	size_t count;
	const struct config *config;
	enum backend_id takes; /* BACKEND_AUTO: a run takes none, why says why */
	struct offer offer;    /* of the one that it takes */
	const char *why;
};

/* Where a backend stands in the choice of a run. */
enum doctor_place {
	DOCTOR_TAKEN,
	DOCTOR_PASSED_OVER, /* it comes before the one that is taken, and does not hold */
	DOCTOR_NOT_REACHED, /* it comes behind it */
	DOCTOR_NOT_LISTED,  /* not in auto_order */
	DOCTOR_NOT_ASKED,   /* another one is named in the configuration */
	DOCTOR_PLACE_COUNT
};
enum doctor_place doctor_place(const struct doctor *doctor, enum backend_id backend);

/* A run would be held: the backend was proved, files and processes are closed in full, network and sockets are closed, and
   the record can be written. */
bool doctor_is_safe(const struct doctor *doctor);

/* Those of the backends and of the machine. */
uint64_t doctor_causes(const struct doctor *doctor);

/* For a person. Appends. */
void doctor_text(const struct doctor *doctor, struct str *out);
/* One line of ASCII, the object of exequatur-doctor(1). Appends. */
void doctor_json(const struct doctor *doctor, struct str *out);

#endif
