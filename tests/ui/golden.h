/* Pictures of frames in tests/golden/ui; GOLDEN=update rewrites them. */
#ifndef TESTS_UI_GOLDEN_H
#define TESTS_UI_GOLDEN_H

#include "base/str.h"

/* Fails where the frame is not as in tests/golden/ui/NAME.txt. */
void golden_check(const char *name, const struct str *have);

#endif
