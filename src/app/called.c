#include "config.h"

#include "app/called.h"

#include <string.h>

#include "base/mem.h"
#include "sandbox/starter.h"

static const char *program, *early;

int called_as(int argc, char **argv)
{
	if (argc > 0 && argv[0][0] == '/')
		program = argv[0];
	if (argc < 2 || strncmp(argv[1], STARTER_EARLY, strlen(STARTER_EARLY)) != 0)
		return 1;
	early = argv[1];
	return 2;
}

const char *called_program(void)
{
	return program;
}

int called_take_early(const struct helpers *helpers, struct child *ret, bool *ret_native)
{
	const char *argument = STEAL(early);
	return argument == NULL ? -1 : starter_take(argument, helpers, ret, ret_native);
}

void called_end(void)
{
	struct child none = CHILD_INIT;
	bool native;
	called_take_early(NULL, &none, &native);
}
