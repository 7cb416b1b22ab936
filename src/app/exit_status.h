/* The exit status of a process that stands for one call: `run` and `submit` (protocol.md section 3). */
#ifndef APP_EXIT_STATUS_H
#define APP_EXIT_STATUS_H

#include "core/result.h"

enum { EXIT_TIMEOUT = 124, EXIT_NOT_RUN = 125, EXIT_OPERATOR = 130 };

int exit_status_of(const struct result *result); /* reason, exit_code and signal are looked at */

#endif
