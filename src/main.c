#include "config.h"

#include <stdio.h>
#include <string.h>

#include "app/called.h"
#include "app/cmd.h"
#include "base/mem.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{"run", cmd_run, "run one command in the sandbox now, asked for at this terminal"},
	{"submit", cmd_submit,
		"ask a console that listens for one command, and wait for its answer"},
	{"plan", cmd_plan, "print the launch plan of a command; run nothing"},
	{"doctor", cmd_doctor, "which backends work here, proved by running them, and the way out"},
	{"config", cmd_config, "every configuration value and where it came from"},
	{"replay", cmd_replay,
		"replay SESSION|FILE: a recorded session in the same screens, as it was"},
	{"audit", cmd_audit,
		"audit list, show, export: look back; audit verify FILE|DIR: prove a record"},
};

static const char usage[] =
	"Exequatur: a terminal approval console and a sandboxed executor for commands of AI "
	"agents.\n"
	"\n"
	"  agent | exequatur [OPTIONS]         requests on stdin, answers on stdout, the screen on "
	"the terminal\n"
	"  exequatur --headless [OPTIONS]      no person: policy alone decides\n"
	"  exequatur --listen[=SOCKET]         agents connect to a socket; one queue for all\n"
	"  agent | exequatur --plain           questions and answers as lines: screen readers, "
	"dumb terminals\n";

static const char options_help[] =
	"\n"
	"  -c, --config FILE      the configuration (default: "
	"$XDG_CONFIG_HOME/exequatur/config.toml)\n"
	"  -C, --workspace DIR    the writable directory (default: the current one)\n"
	"  -b, --backend NAME     auto, landlock, firejail, bubblewrap, docker, none\n"
	"  -l, --listen[=SOCKET]  agents connect to a socket (default: "
	"$XDG_RUNTIME_DIR/exequatur/console.sock)\n"
	"  -V, --version   -h, --help\n"
	"  run, plan, submit:  --network  --timeout SECONDS  --dir DIR      doctor:  --json\n"
	"\n"
	"A request is one JSON object a line:\n"
	"  {\"name\":\"shell\",\"arguments\":{\"command\":\"ls -la\"}}\n"
	"See exequatur(1).\n";

static int print_help(void)
{
	fputs(usage, stdout);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		printf("  exequatur %-25s %s\n", commands[i].name, commands[i].help);
	fputs(options_help, stdout);
	return 0;
}

static int print_version(void)
{
	printf("exequatur %s\n", PACKAGE_VERSION);
	return 0;
}

static int run_command(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : "";
	if (strcmp(first, "-h") == 0 || strcmp(first, "--help") == 0 || strcmp(first, "help") == 0)
		return print_help();
	if (strcmp(first, "-V") == 0 || strcmp(first, "--version") == 0)
		return print_version();
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strcmp(first, commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	return cmd_console(argc, argv);
}

int main(int argc, char **argv)
{
	int more = called_as(argc, argv) - 1;
	int status = run_command(argc - more, argv + more);
	called_end();
	return status;
}
