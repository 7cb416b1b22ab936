/* An answer read back: what `submit` gets from the console. */
#ifndef APP_ANSWER_H
#define APP_ANSWER_H

#include <stddef.h>

#include "base/err.h"
#include "core/result.h"

/* Reads a line that result_print() wrote, without its newline, into *ret: output, reason, sentence, exit_code, signal. The
   caller releases it. ERR_INVALID for anything else. */
int answer_parse(const char *line, size_t len, struct result *ret, struct err *err);

#endif
