#include "config.h"

#include "app/cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "app/examine.h"
#include "base/log.h"

static int print(const struct doctor *doctor, bool json)
{
	struct str text STR_AUTO = STR_INIT;
	if (json) {
		/* ASCII already: the rule for foreign text would write some of it anew. */
		doctor_json(doctor, &text);
		fputs(str_c(&text), stdout);
	} else {
		doctor_text(doctor, &text);
		cmd_print(str_c(&text));
	}
	if (fflush(stdout) != 0) {
		log_warn("what was found could not be printed");
		return EXIT_RUNTIME;
	}
	return doctor_is_safe(doctor) ? 0 : EXIT_RUNTIME;
}

int cmd_doctor(int argc, char **argv)
{
	struct session session;
	struct options options;
	struct doctor doctor;
	struct err err = ERR_INIT;
	int status = options_parse(argc, argv, OPTIONS_COMMON | OPTIONS_DOCTOR, &options);
	if (status != 0)
		return status;
	if (options.first < argc) {
		log_warn("doctor takes no argument \"%s\"", argv[options.first]);
		return EXIT_USAGE;
	}
	if (session_open(&options, environ, &session, &err) != 0) {
		log_warn("%s", err.text);
		status = EXIT_USAGE;
	} else {
		examine_all(&session, &doctor);
		status = print(&doctor, options.json);
		examine_release(&doctor);
	}
	session_close(&session);
	return status;
}
