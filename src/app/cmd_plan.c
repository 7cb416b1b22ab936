#include "config.h"

#include "app/cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "app/call_args.h"
#include "app/session.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

static int print_plan(struct session *s, const struct request *request, struct err *err)
{
	struct confinement c;
	struct pins pins = {0};
	struct offer offer;
	struct passed_list passed = {0};
	struct plan plan;
	struct str text STR_AUTO = STR_INIT;
	const struct backend *backend = NULL;
	enum reason reason = REASON_NONE;
	confinement_init(&c);
	int status = places_confine(
		&s->base, &s->config, request, s->envp, s->host.cpus, &c, &pins, &reason, err);
	c.run_name = mem_strdup("plan");
	if (request->network)
		host_look_at_network(&s->host);
	if (status == 0)
		status = backend_select(
			&s->config, &s->host, &c, &backend, &offer, &passed, &reason, err);
	if (status == 0)
		backend_adapt(&offer, &c);
	if (status == 0)
		status = backend->plan(&s->host, &c, &offer, &plan, err);
	if (status == 0) {
		plan_print(&plan, &text);
		plan_release(&plan);
		cmd_print(str_c(&text));
	} else if (reason != REASON_NONE) {
		err_context(err, "%s", reason_name(reason));
	}
	pins_release(&pins);
	confinement_release(&c);
	return status;
}

int cmd_plan(int argc, char **argv)
{
	struct session session;
	struct options options;
	struct request request;
	struct err err = ERR_INIT;
	int status = options_parse(argc, argv, OPTIONS_COMMON | OPTIONS_CALL, &options);
	if (status != 0)
		return status;
	if (call_args_request(&options, argc, argv, &request, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	if (session_open(&options, environ, &session, &err) != 0)
		status = EXIT_USAGE;
	else if (print_plan(&session, &request, &err) != 0)
		status = EXIT_RUNTIME;
	if (status != 0)
		log_warn("%s", err.text);
	session_close(&session);
	request_release(&request);
	return status;
}
