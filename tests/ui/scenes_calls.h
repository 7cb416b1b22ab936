/* Calls of the scenes. */
#ifndef TESTS_UI_SCENES_CALLS_H
#define TESTS_UI_SCENES_CALLS_H

#include "fixture.h"

extern const struct call_spec call_tests;    /* 13: runs */
extern const struct call_spec call_workflow; /* 14: 39 lines, one note */
extern const struct call_spec call_npm;      /* 15: network */
extern const struct call_spec call_diff;     /* 16: everyday */
extern const struct call_spec call_fetch;    /* 18: network, runs what it fetches */
extern const struct call_spec call_git;      /* 19: a word */
extern const struct call_spec call_hidden;   /* 20: hidden characters */
extern const struct call_spec call_blank;    /* 21: empty lines */
extern const struct call_spec call_import;   /* 23: ends at its memory limit */
struct call_spec call_long(
	char **ret_command); /* 22: one line of 4,000 characters; owns *ret_command */

#endif
