#include "config.h"

#include "app/cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "app/session.h"
#include "base/log.h"

static void print(const struct config *config)
{
	struct str text STR_AUTO = STR_INIT;

	config_print(config, &text);
	cmd_print(str_c(&text));
}

int cmd_config(int argc, char **argv)
{
	struct options options;
	struct config config;
	struct err err = ERR_INIT;
	int status = options_parse(argc, argv, OPTIONS_COMMON, &options);

	if (status != 0)
		return status;
	if (options.first < argc) {
		log_warn("config takes no argument \"%s\"", argv[options.first]);
		return EXIT_USAGE;
	}
	if (session_load_config(&options, environ, &config, &err) == 0) {
		print(&config);
	} else {
		log_warn("%s", err.text);
		status = EXIT_USAGE;
	}
	config_release(&config);
	if (status == 0 && fflush(stdout) != 0) {
		log_warn("the configuration could not be printed");
		return EXIT_RUNTIME;
	}
	return status;
}
