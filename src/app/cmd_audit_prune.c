#include "config.h"

#include "app/cmd_audit.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/audit.h"
#include "app/cmd.h"
#include "app/retain.h"
#include "app/session.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#define NUMBER_DIGITS_MAX 9

struct unit {
	char letter;
	uint64_t factor;
};

static int usage(void)
{
	fputs("usage: exequatur audit prune [--older-than AGE] [--max-size SIZE] [--keep NUMBER]\n"
	      "           [--dry-run] [-c FILE]\n"
	      "An AGE is a number with d, h or w; a SIZE a number with k, m or g.\n",
		stderr);
	return EXIT_USAGE;
}

/* A number above 0 and one of the units; units NULL: a number alone. */
static int parse(const char *text, const struct unit *units, uint64_t *ret)
{
	size_t len = strspn(text, "0123456789");
	uint64_t number = len > 0 && len <= NUMBER_DIGITS_MAX ? strtoull(text, NULL, 10) : 0;

	if (number == 0)
		return -1;
	if (units == NULL) {
		*ret = number;
		return text[len] == '\0' ? 0 : -1;
	}
	for (; units->letter != '\0'; units++) {
		if (text[len] != units->letter || text[len + 1] != '\0')
			continue;
		*ret = number * units->factor;
		return 0;
	}
	return -1;
}

static int take_option(int option, const char *value, struct retain_rules *rules)
{
	static const struct unit ages[] = {
		{'h', 3600000}, {'d', 24 * 3600000ull}, {'w', 7 * 24 * 3600000ull}, {'\0', 0}};
	static const struct unit sizes[] = {{'k', 1024}, {'m', 1 << 20}, {'g', 1 << 30}, {'\0', 0}};
	uint64_t number = 0;

	if (option == 'n') {
		rules->dry_run = true;
		return 0;
	}
	if (parse(value, option == 'o' ? ages : option == 's' ? sizes : NULL, &number) != 0)
		return -1;
	if (option == 'o')
		rules->older_than_ms = (int64_t)number;
	else if (option == 's')
		rules->most_bytes = number;
	else
		rules->keep = (unsigned)number;
	return 0;
}

/* 0, or an exit status. */
static int read_options(int argc, char **argv, struct options *options, struct retain_rules *rules)
{
	static const struct option known[] = {{"older-than", required_argument, NULL, 'o'},
		{"max-size", required_argument, NULL, 's'}, {"keep", required_argument, NULL, 'k'},
		{"dry-run", no_argument, NULL, 'n'}, {"config", required_argument, NULL, 'c'},
		{NULL, 0, NULL, 0}};
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "+c:", known, NULL)) != -1) {
		if (option == 'c')
			options->config = optarg;
		else if (option == '?' || take_option(option, optarg, rules) != 0)
			return usage();
	}
	bool any = rules->older_than_ms > 0 || rules->most_bytes > 0 || rules->keep > 0;

	return any && optind == argc ? 0 : usage();
}

static int record_of(const struct options *options, char **ret, bool *ret_sealed, struct err *err)
{
	struct config config;
	int status = session_load_config(options, environ, &config, err);

	if (status == 0)
		status = audit_directory_path(
			config.log_path, getenv("XDG_STATE_HOME"), getenv("HOME"), ret, err);
	*ret_sealed = config.sign_events;
	config_release(&config);
	return status;
}

int cmd_audit_prune(int argc, char **argv)
{
	struct options options = {0};
	struct retain_rules rules = {0};
	struct retain_report report;
	struct err err = ERR_INIT;
	MEM_AUTO char *dir = NULL;
	int status = read_options(argc, argv, &options, &rules);

	if (status != 0)
		return status;
	if (record_of(&options, &dir, &rules.sealed, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	status = retain_run(dir, &rules, clock_wall_ms(), &report, &err);
	cmd_print(str_c(&report.words));
	if (status == 0)
		cmd_printf("%u %s %s\n", report.pruned, report.pruned == 1 ? "file" : "files",
			rules.dry_run ? "would be pruned" : "pruned");
	retain_report_release(&report);
	if (status != 0)
		log_warn("%s", err.text);
	return status == 0 && fflush(stdout) == 0 ? 0 : EXIT_RUNTIME;
}
