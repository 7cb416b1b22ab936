/* Made-up machines and trials of backends. */
#ifndef TESTS_UNIT_CAUSE_MACHINE_H
#define TESTS_UNIT_CAUSE_MACHINE_H

#include "core/cause.h"

/* One where nothing is in the way, an ordinary user, and accept_partial. */
struct machine healthy_machine(void);
/* A healthy one, then these statements about `m`. */
#define MACHINE(...)                                                                               \
	({                                                                                         \
		struct machine made_ = healthy_machine(), *m __attribute__((unused)) = &made_;     \
		__VA_ARGS__;                                                                       \
		made_;                                                                             \
	})

struct examined failed(enum backend_id backend, enum failing failing, int error_number);
struct examined said(enum backend_id backend, enum failing failing, const char *why);
struct examined told(enum backend_id backend, enum cause cause);
/* One that isolates all and holds every limit exactly. */
struct examined holding(enum backend_id backend);
/* Landlock without namespaces, which that trial did not get. */
struct examined working_flat(struct examined failed);
/* But for this facet, or this limit. */
struct examined lacking(enum backend_id backend, enum facet facet);
struct examined not_limiting(enum backend_id backend, enum limit_id id);

#endif
