#include "config.h"

#include "core/config_scan.h"

#include <string.h>

#include "base/mem.h"

/* Locale-free classes: a name is ASCII whatever the person's language. */
#define NAME_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
static const char number_bytes[] = "0123456789+-._eExobaABcCdDfFTZ:";

static char peek(const struct config_reader *reader)
{
	return reader->at < reader->end ? *reader->at : '\0';
}

static int fail_here(struct config_reader *reader, const char *sentence)
{
	return config_reader_fail(reader, reader->line, "%s", sentence);
}

static void skip_blanks(struct config_reader *reader)
{
	while (peek(reader) == ' ' || peek(reader) == '\t')
		reader->at++;
}

static size_t span(const struct config_reader *reader, const char *set)
{
	const char *at = reader->at;

	while (at < reader->end && *at && strchr(set, *at))
		at++;
	return (size_t)(at - reader->at);
}

/* Blanks, a comment and the newline. Returns whether nothing else was there. */
static bool skip_line_end(struct config_reader *reader)
{
	skip_blanks(reader);
	if (peek(reader) == '#') {
		const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));

		reader->at = end ? end : reader->end;
	}
	if (peek(reader) == '\r')
		reader->at++;
	if (reader->at == reader->end)
		return true;
	if (*reader->at != '\n')
		return false;
	reader->at++;
	reader->line++;
	return true;
}

static char *take(struct config_reader *reader, size_t len)
{
	char *text = mem_strndup(reader->at, len);

	reader->at += len;
	return text;
}

static int end_header(struct config_reader *reader, bool is_array)
{
	skip_blanks(reader);
	for (int i = 0; i <= is_array; i++) {
		if (peek(reader) != ']')
			return fail_here(reader, "a section is [name.name], of letters, digits, _ "
						 "and -, without quotes");
		reader->at++;
	}
	return 0;
}

static bool is_dotted_name(const char *name)
{
	size_t len = strlen(name);

	return len && name[0] != '.' && name[len - 1] != '.' && !strstr(name, "..");
}

static int scan_header_name(struct config_reader *reader, char **ret)
{
	skip_blanks(reader);
	*ret = take(reader, span(reader, NAME_BYTES "."));
	if (strlen(*ret) > CONFIG_NAME_BYTES)
		return config_reader_fail(reader, reader->line,
			"the name of the section has more than %u bytes", CONFIG_NAME_BYTES);
	return 0;
}

static int scan_header(struct config_reader *reader)
{
	char *name MEM_AUTO = NULL;
	unsigned line = reader->line;

	reader->at++;
	bool is_array = peek(reader) == '[';
	if (is_array)
		reader->at++;
	if (scan_header_name(reader, &name) || end_header(reader, is_array))
		return -1;
	if (!is_dotted_name(name))
		return fail_here(reader, "the section has no name, or a name with an empty part");
	if (reader->on_section(reader->user, name, line, is_array, reader->err))
		return -1;
	if (!skip_line_end(reader))
		return config_reader_fail(
			reader, line, "text after [%s]; a key stands on a line of its own", name);
	config_queue_header(reader, name, line);
	return 0;
}

static int scan_element(struct config_reader *reader, const char *key)
{
	struct str text STR_AUTO = STR_INIT;
	unsigned line = reader->line;

	if (peek(reader) != '"' && peek(reader) != '\'')
		return fail_here(reader,
			peek(reader)
				? "an array holds strings alone, in quotes, with commas between"
				: "the array has no closing ]");
	if (config_scan_string(reader, &text))
		return -1;
	config_queue_value(reader, key, 'e', str_c(&text), text.len, line);
	return 0;
}

static void skip_lines(struct config_reader *reader)
{
	while (reader->at < reader->end && skip_line_end(reader))
		;
}

static int scan_array(struct config_reader *reader, const char *key)
{
	unsigned count = 0;

	config_queue_value(reader, key, '[', "", 0, reader->line);
	reader->at++;
	for (skip_lines(reader); peek(reader) != ']'; skip_lines(reader)) {
		if (count++ == CONFIG_ARRAY_ITEMS)
			return config_reader_fail(reader, reader->line,
				"the array has more than %u elements", CONFIG_ARRAY_ITEMS);
		if (scan_element(reader, key))
			return -1;
		skip_lines(reader);
		if (peek(reader) == ',')
			reader->at++;
		else if (peek(reader) != ']')
			return fail_here(reader, peek(reader)
							 ? "a comma or ] is missing in the array"
							 : "the array has no closing ]");
	}
	reader->at++;
	config_queue_value(reader, key, ']', "", 0, reader->line);
	return 0;
}

static int scan_text_value(struct config_reader *reader, const char *key)
{
	struct str text STR_AUTO = STR_INIT;
	unsigned line = reader->line;

	if (config_scan_string(reader, &text))
		return -1;
	config_queue_value(reader, key, 's', str_c(&text), text.len, line);
	return 0;
}

static bool is_whole(const char *text)
{
	text += *text == '-' || *text == '+';
	return *text && strspn(text, "0123456789") == strlen(text) &&
	       (*text != '0' || text[1] == '\0');
}

static int scan_word_value(struct config_reader *reader, const char *key)
{
	size_t word = span(reader, NAME_BYTES);
	bool is_true = word == 4 && !memcmp(reader->at, "true", 4);

	if (is_true || (word == 5 && !memcmp(reader->at, "false", 5))) {
		config_queue_value(reader, key, 'b', reader->at, word, reader->line);
		reader->at += word;
		return 0;
	}
	if (!strchr("+-0123456789", peek(reader)))
		return config_reader_fail(reader, reader->line,
			"the value of %s must be a string in quotes, a number, true, false or an "
			"array",
			key);
	char *number MEM_AUTO = take(reader, span(reader, number_bytes));

	config_queue_value(
		reader, key, is_whole(number) ? 'i' : 'n', number, strlen(number), reader->line);
	return 0;
}

static int scan_value(struct config_reader *reader, const char *key)
{
	switch (peek(reader)) {
	case '\0':
	case '\r':
	case '\n':
	case '#':
		return config_reader_fail(reader, reader->line, "%s has no value", key);
	case '"':
	case '\'':
		return scan_text_value(reader, key);
	case '[':
		return scan_array(reader, key);
	case '{':
		return config_reader_fail(reader, reader->line,
			"inline tables are not read; write a section of its own for %s", key);
	default:
		return scan_word_value(reader, key);
	}
}

static int scan_key_name(struct config_reader *reader, char **ret)
{
	if (peek(reader) == '"' || peek(reader) == '\'')
		return fail_here(reader, "a key stands without quotes");
	*ret = take(reader, span(reader, NAME_BYTES));
	if (strlen(*ret) > CONFIG_NAME_BYTES)
		return config_reader_fail(reader, reader->line,
			"the name of the key has more than %u bytes", CONFIG_NAME_BYTES);
	skip_blanks(reader);
	if (peek(reader) == '.')
		return config_reader_fail(reader, reader->line,
			"dotted keys are not read; write what is before the last dot of %s... as "
			"[section]",
			*ret);
	if (!**ret || peek(reader) != '=')
		return fail_here(reader, "this is not KEY = VALUE");
	reader->at++;
	skip_blanks(reader);
	return 0;
}

static int scan_pair(struct config_reader *reader)
{
	char *key MEM_AUTO = NULL;

	if (scan_key_name(reader, &key) ||
		reader->on_key(reader->user, key, reader->line, reader->err) ||
		scan_value(reader, key))
		return -1;
	unsigned line = reader->line;

	if (!skip_line_end(reader))
		return config_reader_fail(reader, line, "text after the value of %s", key);
	return 0;
}

void config_scan_statement(struct config_reader *reader)
{
	skip_blanks(reader);
	if (skip_line_end(reader))
		return;
	if (peek(reader) == '[' ? scan_header(reader) : scan_pair(reader))
		reader->failed = true;
}
