/* A group of tests as the caller, and, when that is root, once more as nobody. */
#ifndef TESTS_LAUNCH_USERS_H
#define TESTS_LAUNCH_USERS_H

#include <stddef.h>

struct CMUnitTest;

int run_as_both_users(const struct CMUnitTest *tests, size_t count);

#endif
