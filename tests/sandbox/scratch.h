/* A directory of a test's own, removed at its end; and places and processes for the tests of this floor. */
#ifndef TESTS_SANDBOX_SCRATCH_H
#define TESTS_SANDBOX_SCRATCH_H

#include <stdbool.h>

#include "sandbox/places.h"

struct scratch {
	char *dir; /* without symlinks */
};

struct scratch *scratch_begin(void); /* fails the test when it cannot */
void scratch_end(struct scratch *s);

/* All paths are relative to the directory; results are fresh strings. */
char *scratch_path(const struct scratch *s, const char *name);
char *scratch_make_dir(const struct scratch *s, const char *name); /* with its parents */
char *scratch_write(const struct scratch *s, const char *name, const char *text);
char *scratch_link(const struct scratch *s, const char *name, const char *target);
char *scratch_socket(const struct scratch *s, const char *name);
char *scratch_repository(
	const struct scratch *s, const char *name); /* name/.git, as `git init` leaves it */
bool scratch_exists(const struct scratch *s, const char *name);

/* Runs `body` in a child and returns its exit status; -1 when it did not exit. */
int in_child(int (*body)(void *), void *data);
/* Runs `body` in a child as uid and gid 65534 and returns its exit status; -1 when it did not exit. For root only. */
int as_nobody(int (*body)(void *), void *data);

/* A confinement of `workspace` alone, as places_resolve and places_confine give it. */
struct confined {
	struct config config;
	struct own_places own;
	struct confinement base, c;
	struct pins base_pins, pins;
	struct request request;
	enum reason reason;
	struct err err;
};
void confined_begin(struct confined *x, const char *home);
int confined_resolve(struct confined *x, const char *workspace);
int confined_confine(struct confined *x, const char *working_dir); /* may be called again */
void confined_end(struct confined *x);

/* A directory and a confinement without a home for one test, by cmocka's setup and teardown: gone also when it fails. */
struct ground {
	struct scratch *s;
	struct confined x;
};
int ground_begin(void **state);
int ground_end(void **state);
void ground_confine(struct ground *g, const char *workspace); /* made when it is not there */
#define on_ground(test) cmocka_unit_test_setup_teardown(test, ground_begin, ground_end)

#endif
