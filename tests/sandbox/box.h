/* A command from configured paths to its end, through the real backends, supervisor and launcher. */
#ifndef TESTS_SANDBOX_BOX_H
#define TESTS_SANDBOX_BOX_H

#include "launch.h"
#include "sandbox/backend.h"
#include "scratch.h"

struct box {
	const struct backend *backend;
	struct scratch *s;
	struct confined x;
	struct host host;
	struct offer offer;
	struct launch launch;
};

/* A scratch directory; home is relative to it when it does not start with a slash. In firejail an absolute one is that of the
   user who runs this. */
void box_begin(struct box *box, const struct backend *backend, const char *home);
/* The workspace, relative to the scratch directory; it is made. May be called again. */
void box_workspace(struct box *box, const char *name);
/* Puts another directory in the place of the workspace "ws". */
void box_swap_workspace(struct box *box);
/* Confines and plans, into box->launch, which the caller releases. */
void box_plan(struct box *box, const char *working_dir, const char *command);
/* Confines, plans, runs; the output is compared. The exit status must be 0. */
void box_expect(struct box *box, const char *working_dir, const char *command, const char *output);
/* Plans, and lets `between` change the world before the launch, which must fail at this stage. */
void box_expect_failure(struct box *box, void (*between)(struct box *box), enum stage stage);
void box_end(struct box *box);

#endif
