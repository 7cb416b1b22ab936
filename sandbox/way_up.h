/* From an open directory up to the root, by descriptor: names may be links, `..` of a descriptor is not. */
#ifndef SANDBOX_WAY_UP_H
#define SANDBOX_WAY_UP_H

#include <stdbool.h>
#include <stdint.h>

struct node {
	uint64_t dev, ino;
};

bool node_equal(const struct node *a, const struct node *b);

/* A place on the way. */
struct place_up {
	struct node node;
	uint64_t mount; /* 0: not known, so nothing is concluded from having been there */
	bool is_dir;
};

/* -1: errno. */
int way_look(int fd, struct place_up *ret);
/* To the next directory up: *fd becomes its descriptor. 1; 0 at the root; -1: errno. */
int way_step(int *fd, struct place_up *at);
/* Opens the path, or the nearest directory above it that is there: O_PATH. -1: errno. *ret_opened (caller frees) is its path
   also then. */
int way_open_nearest(const char *path, char **ret_opened, bool *ret_exists);

#endif
