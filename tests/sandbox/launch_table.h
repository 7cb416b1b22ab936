/* A test for each way of running a launcher: its state is the way. */
#ifndef TESTS_LAUNCH_TABLE_H
#define TESTS_LAUNCH_TABLE_H

#include "launch.h"

extern const enum way way_native, way_prepared, way_wrapped, way_bare;

#define WAY_TEST(function, way)                                                                    \
	{                                                                                          \
#function " (" #way ")", function, NULL, NULL, (void *)(uintptr_t)&way_##way       \
	}
#define CONFINED_WAYS(function)                                                                    \
	WAY_TEST(function, native), WAY_TEST(function, prepared), WAY_TEST(function, wrapped)
#define ALL_WAYS(function) CONFINED_WAYS(function), WAY_TEST(function, bare)

/* Skips the test when its way cannot be tried here. */
#define WAY(state)                                                                                 \
	({                                                                                         \
		enum way way_ = **(const enum way *const *)(const void *)(state);                  \
		if (!can_run(way_))                                                                \
			skip();                                                                    \
		way_;                                                                              \
	})

#endif
