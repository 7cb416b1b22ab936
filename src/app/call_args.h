/* A request that a person types: the options and words of `run` and `plan`. */
#ifndef APP_CALL_ARGS_H
#define APP_CALL_ARGS_H

#include "app/options.h"
#include "base/err.h"
#include "core/request.h"

/* One word is a shell command; several are quoted one by one and joined. ret is initialised by the call. ERR_INVALID: no command, not
   UTF-8, too long. */
int call_args_request(
	const struct options *options, int argc, char **argv, struct request *ret, struct err *err);

#endif
