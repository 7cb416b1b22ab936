#include "config.h"

#include "app/cmd.h"

#include <unistd.h>

#include "app/prove.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

static const char *const limit_words[LIMIT_ID_COUNT] = {[LIMIT_TIME] = "time",
	[LIMIT_MEMORY] = "memory",
	[LIMIT_PROCESSES] = "processes",
	[LIMIT_CPU] = "CPU share",
	[LIMIT_OUTPUT] = "output",
	[LIMIT_FILES] = "open files",
	[LIMIT_FILE_SIZE] = "file size",
	[LIMIT_CPU_TIME] = "CPU time of a process"};

static void print_offer(const struct offer *offer)
{
	cmd_printf("            isolates ");
	for (enum facet f = 0; f < FACET_COUNT; f++)
		cmd_printf("%s%s", f > 0 ? ", " : " ", facet_words(f, offer->facets[f]));
	cmd_printf("\n            limits   ");
	for (enum limit_id i = 0; i < LIMIT_ID_COUNT; i++) {
		const char *keeper = offer->enforcers[i], *may_pass = offer->may_pass[i];
		cmd_printf("%s%s%s %s%s%s", i > 0 ? ", " : " ",
			keeper == NULL || may_pass != NULL ? "!" : "", limit_words[i],
			keeper == NULL ? "not held" : keeper, may_pass != NULL ? " and " : "",
			may_pass != NULL ? may_pass : "");
	}
	cmd_printf("\n");
}

static void print_no(enum backend_id id, const char *why)
{
	char *shown MEM_AUTO = text_escaped(why);
	cmd_printf(" %-10s no   %s\n", backend_id_name(id), shown);
}

/* true: it works here. */
static bool examine(struct session *s, enum backend_id id)
{
	const struct backend *backend = backend_by_id(id);
	struct proof proof;
	struct err err = ERR_INIT;
	if (prove_backend(s, backend, &proof, &err) != 0) {
		print_no(id, err.text);
		return false;
	}
	if (proof.refused_namespaces != 0 && !proof.held) {
		s->host.refused_namespaces |= proof.refused_namespaces;
		if (prove_backend(s, backend, &proof, &err) != 0) {
			print_no(id, err.text);
			return false;
		}
	}
	if (proof.held)
		cmd_printf(" %-10s yes  proved by a launch that stopped before its command\n",
			backend_id_name(id));
	else
		print_no(id, proof.why);
	if (proof.held)
		print_offer(&proof.offer);
	return proof.held;
}

static void print_host(const struct session *s)
{
	char *user MEM_AUTO = text_escaped(s->user);
	char *workspace MEM_AUTO = text_escaped(s->base.workspace);
	char *record MEM_AUTO = text_escaped(s->record_dir);
	cmd_printf("user        %s%s\n", user,
		getuid() == 0 ? " (root: an ordinary user is safer)" : "");
	cmd_printf("workspace   %s\n", workspace);
	cmd_printf("record      %s\n", record);
	if (s->host.in_container)
		cmd_printf(
			"container   this runs inside one: a second layer may not be possible; say "
			"which you rely on\n");
	if (s->host.switch_why[0] != '\0')
		cmd_printf("switch      %s is set and refused: %s\n", ALLOW_UNSANDBOXED_VARIABLE,
			s->host.switch_why);
	cmd_printf("not guarded against: a process of the same user outside the sandbox, root, the "
		   "kernel\n\n");
}

static int verdict(struct session *s)
{
	struct proof proof;
	struct err err = ERR_INIT;
	if (prove_selected(s, &proof, &err) != 0) {
		char *why MEM_AUTO = text_escaped(err.text);
		cmd_printf("\nNo run would be safe: %s\n", why);
		cmd_printf(
			"what now    install bubblewrap (apt-get install bubblewrap), or let user "
			"namespaces be made:\n"
			"            sysctl user.max_user_namespaces (not 0), "
			"kernel.unprivileged_userns_clone=1,\n"
			"            kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu\n");
		return EXIT_RUNTIME;
	}
	bool none = proof.backend == BACKEND_NONE;
	cmd_printf("\n%s: a run takes %s%s\n", backend_id_name(s->config.backend),
		backend_id_name(proof.backend), none ? ", which isolates nothing" : "");
	return none ? EXIT_RUNTIME : 0;
}

int cmd_doctor(int argc, char **argv)
{
	static const enum backend_id order[] = {
		BACKEND_LANDLOCK, BACKEND_BUBBLEWRAP, BACKEND_FIREJAIL, BACKEND_DOCKER};
	struct session session;
	struct options options;
	struct err err = ERR_INIT;
	int status = options_parse(argc, argv, OPTIONS_COMMON, &options);
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
		print_host(&session);
		for (size_t i = 0; i < ARRAY_LEN(order); i++)
			examine(&session, order[i]);
		status = verdict(&session);
	}
	session_close(&session);
	return status;
}
