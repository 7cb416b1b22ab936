#include "config.h"

#include "app/call_args.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"

static bool needs_quotes(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
	return *word == '\0' || strspn(word, plain) != strlen(word);
}

static void add_quoted(struct str *out, const char *word)
{
	if (!needs_quotes(word)) {
		str_add(out, word);
		return;
	}
	str_add_char(out, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			str_add(out, "'\\''");
		else
			str_add_char(out, *word);
	}
	str_add_char(out, '\'');
}

static int check(const struct str *command, struct err *err)
{
	if (command->len == 0)
		return err_set(err, ERR_INVALID, "an empty command; see exequatur --help");
	if (command->len > REQUEST_COMMAND_BYTES)
		return err_set(err, ERR_INVALID, "the command has %zu bytes, more than %u",
			command->len, REQUEST_COMMAND_BYTES);
	if (!text_is_utf8(command->data, command->len))
		return err_set(err, ERR_INVALID, "the command is not UTF-8");
	return 0;
}

int call_args_request(
	const struct options *options, int argc, char **argv, struct request *ret, struct err *err)
{
	struct str command STR_AUTO = STR_INIT;
	request_init(ret);
	if (options->first >= argc)
		return err_set(
			err, ERR_INVALID, "which command? For example: exequatur run 'make test'");
	if (options->first == argc - 1)
		str_add(&command, argv[options->first]);
	for (int i = options->first; options->first < argc - 1 && i < argc; i++) {
		if (i > options->first)
			str_add_char(&command, ' ');
		add_quoted(&command, argv[i]);
	}
	if (check(&command, err) != 0)
		return -1;
	ret->tool = mem_strdup("shell");
	ret->command = str_steal(&command);
	ret->network = options->network;
	ret->timeout_set = options->timeout_s > 0;
	ret->timeout_s = options->timeout_s;
	ret->working_dir = mem_strdup(options->dir);
	return 0;
}
