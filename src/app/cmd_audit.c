#include "config.h"

#include "app/cmd.h"

#include <stdio.h>
#include <string.h>

#include "app/verify.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"

static int usage(void)
{
	fputs("usage: exequatur audit verify FILE|DIR\n", stderr);
	return EXIT_USAGE;
}

static int verify(int argc, char **argv)
{
	STR_AUTO struct str report = STR_INIT;
	struct err err = ERR_INIT;

	if (argc > 1 && strcmp(argv[1], "--") == 0) {
		argc--;
		argv++;
	} else if (argc > 1 && argv[1][0] == '-') {
		return usage();
	}
	if (argc != 2)
		return usage();
	int status = verify_path(argv[1], &report, &err);

	cmd_print(str_c(&report));
	if (fflush(stdout) != 0)
		return EXIT_RUNTIME;
	if (status < 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	return status;
}

int cmd_audit(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
		{"verify", verify},
	};

	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(commands); i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	return usage();
}
