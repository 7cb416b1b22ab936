/* The system call profile that a container is made with: an allow-list, under the launcher's own filter. */
#ifndef SANDBOX_ENGINE_PROFILE_H
#define SANDBOX_ENGINE_PROFILE_H

#include "base/str.h"

/* Appends it as JSON, in the engine's format. */
void engine_profile(struct str *out);

#endif
