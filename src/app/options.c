#include "config.h"

#include "app/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "app/cmd.h"
#include "base/log.h"
#include "base/mem.h"

enum {
	OPTION_HEADLESS = 256,
	OPTION_PLAIN,
	OPTION_NETWORK,
	OPTION_TIMEOUT,
	OPTION_DIR,
	OPTION_JSON
};

static const struct option_row {
	unsigned set;
	struct option option;
} rows[] = {
	{OPTIONS_COMMON, {"config", required_argument, NULL, 'c'}},
	{OPTIONS_COMMON, {"workspace", required_argument, NULL, 'C'}},
	{OPTIONS_COMMON, {"backend", required_argument, NULL, 'b'}},
	{OPTIONS_CONSOLE, {"headless", no_argument, NULL, OPTION_HEADLESS}},
	{OPTIONS_CONSOLE, {"plain", no_argument, NULL, OPTION_PLAIN}},
	{OPTIONS_SOCKET, {"listen", optional_argument, NULL, 'l'}},
	{OPTIONS_CALL, {"network", no_argument, NULL, OPTION_NETWORK}},
	{OPTIONS_CALL, {"timeout", required_argument, NULL, OPTION_TIMEOUT}},
	{OPTIONS_CALL, {"dir", required_argument, NULL, OPTION_DIR}},
	{OPTIONS_DOCTOR, {"json", no_argument, NULL, OPTION_JSON}},
};

static int parse_seconds(const char *text, int64_t *ret)
{
	char *end = NULL;
	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || value < 1) {
		log_warn("--timeout takes whole seconds, at least 1, not \"%s\"", text);
		return EXIT_USAGE;
	}
	*ret = value;
	return 0;
}

static int apply(int opt, struct options *ret)
{
	switch (opt) {
	case 'c':
		ret->config = optarg;
		return 0;
	case 'C':
		ret->workspace = optarg;
		return 0;
	case 'b':
		ret->backend = optarg;
		return 0;
	case 'l':
		ret->listen = true;
		ret->socket = optarg;
		return 0;
	case OPTION_HEADLESS:
		ret->headless = true;
		return 0;
	case OPTION_PLAIN:
		ret->plain = true;
		return 0;
	case OPTION_NETWORK:
		ret->network = true;
		return 0;
	case OPTION_TIMEOUT:
		return parse_seconds(optarg, &ret->timeout_s);
	case OPTION_DIR:
		ret->dir = optarg;
		return 0;
	case OPTION_JSON:
		ret->json = true;
		return 0;
	default:
		log_warn("see exequatur --help");
		return EXIT_USAGE;
	}
}

int options_parse(int argc, char **argv, unsigned sets, struct options *ret)
{
	struct option table[ARRAY_LEN(rows) + 1];
	size_t count = 0;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if ((rows[i].set & sets) != 0)
			table[count++] = rows[i].option;
	memset(&table[count], 0, sizeof(table[count]));

	*ret = (struct options){0};
	optind = 1;
	const char *letters = (sets & OPTIONS_SOCKET) != 0 ? "+c:C:b:l::" : "+c:C:b:";
	for (;;) {
		int opt = getopt_long(argc, argv, letters, table, NULL);
		if (opt == -1)
			break;
		int status = apply(opt, ret);
		if (status != 0)
			return status;
	}
	ret->first = optind;
	return 0;
}
