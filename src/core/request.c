#include "config.h"

#include "core/request.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"

#define QUOTED_NAME_BYTES                                                                          \
	64 /* of a name quoted in a sentence: an agent cannot fill a row with it */
#define INTEGER_LIMIT ((int64_t)1 << 53)

typedef int (*member_parser)(const struct json *v, struct request *request, struct err *err);

struct member {
	const char *name;
	member_parser parse;
};

void request_init(struct request *request)
{
	memset(request, 0, sizeof(*request));
}

void request_release(struct request *request)
{
	free(request->id.text);
	free(request->tool);
	free(request->command);
	free(request->working_dir);
	free(request->agent);
	free(request->reason);
	strv_release(&request->ignored);
	request_init(request);
}

void request_copy(struct request *to, const struct request *from)
{
	request_release(to);
	*to = *from;
	to->id.text = mem_strdup(from->id.text);
	to->tool = mem_strdup(from->tool);
	to->command = mem_strdup(from->command);
	to->working_dir = mem_strdup(from->working_dir);
	to->agent = mem_strdup(from->agent);
	to->reason = mem_strdup(from->reason);
	memset(&to->ignored, 0, sizeof(to->ignored));
	strv_copy(&to->ignored, &from->ignored);
}

bool request_id_equal(const struct request_id *a, const struct request_id *b)
{
	if (a->kind != b->kind || a->kind == REQUEST_ID_NONE)
		return false;
	if (a->kind == REQUEST_ID_INTEGER)
		return a->number == b->number;
	return !strcmp(a->text, b->text);
}

static int wrong_type(struct err *err, const char *name, const char *wanted, const struct json *v)
{
	return err_set(err, ERR_INVALID, "\"%s\" must be %s, not %s", name, wanted,
		json_type_name(json_type(v)));
}

static int take_string(const struct json *v, const char *name, char **ret, struct err *err)
{
	const char *text = json_str(v);

	if (!text)
		return wrong_type(err, name, "a string", v);
	free(*ret);
	*ret = mem_strdup(text);
	return 0;
}

static int parse_string_id(const char *text, struct request_id *ret, struct err *err)
{
	if (strlen(text) > REQUEST_ID_BYTES)
		return err_set(err, ERR_INVALID,
			"\"id\" has %zu bytes; send a shorter one, at most %u", strlen(text),
			REQUEST_ID_BYTES);
	ret->kind = REQUEST_ID_STRING;
	ret->text = mem_strdup(text);
	return 0;
}

static int parse_id(const struct json *v, struct request *request, struct err *err)
{
	const char *text = json_str(v);

	if (text)
		return parse_string_id(text, &request->id, err);
	if (json_type(v) != JSON_NUMBER)
		return wrong_type(err, "id", "a string or a whole number", v);
	if (json_int(v, &request->id.number)) {
		request->id.number = 0;
		return err_set(
			err, ERR_INVALID, "\"id\" must be a whole number within 2^53, or a string");
	}
	request->id.kind = REQUEST_ID_INTEGER;
	return 0;
}

static int parse_agent(const struct json *v, struct request *request, struct err *err)
{
	return take_string(v, "agent", &request->agent, err);
}

static int parse_reason(const struct json *v, struct request *request, struct err *err)
{
	return take_string(v, "reason", &request->reason, err);
}

static int parse_command(const struct json *v, struct request *request, struct err *err)
{
	if (!json_str(v))
		return err_set(err, ERR_INVALID,
			"\"command\" must be a string, not %s; send the whole command line as one "
			"string",
			json_type_name(json_type(v)));
	size_t len = strlen(json_str(v));

	if (!len)
		return err_set(err, ERR_INVALID, "\"command\" is empty; send what is to be run");
	if (len > REQUEST_COMMAND_BYTES)
		return err_set(err, ERR_INVALID,
			"\"command\" has %zu bytes, and at most %u can be started; write it to a "
			"file first and run the file",
			len, REQUEST_COMMAND_BYTES);
	return take_string(v, "command", &request->command, err);
}

/* Whether a number beyond 2^53 is whole and positive, by its digits: such a timeout is cut to the ceiling
   like any other large one, where "12345678901234567.5" is refused like any other fraction. */
static bool is_huge_whole(const struct json *v)
{
	struct str text STR_AUTO = STR_INIT;

	json_print(v, true, &text);
	const char *at = str_c(&text);
	if (*at == '-')
		return false;
	at += strspn(at, "0123456789");
	size_t decimals = 0;
	if (*at == '.') {
		const char *fraction = at + 1;

		at = fraction + strspn(fraction, "0123456789");
		decimals = (size_t)(at - fraction);
		while (decimals && fraction[decimals - 1] == '0')
			decimals--;
	}
	long exponent = *at ? strtol(at + 1, NULL, 10) : 0;
	return exponent >= 0 && (size_t)exponent >= decimals;
}

static int parse_timeout(const struct json *v, struct request *request, struct err *err)
{
	int64_t seconds;

	if (json_type(v) != JSON_NUMBER)
		return wrong_type(err, "timeout", "a number of whole seconds", v);
	if (json_int(v, &seconds))
		seconds = is_huge_whole(v) ? INTEGER_LIMIT : -1;
	if (seconds < 1)
		return err_set(err, ERR_INVALID,
			"\"timeout\" must be whole seconds, at least 1; leave it out for the "
			"longest time allowed");
	request->timeout_set = true;
	request->timeout_s = seconds;
	return 0;
}

static int parse_working_dir(const struct json *v, struct request *request, struct err *err)
{
	if (take_string(v, "working_dir", &request->working_dir, err))
		return -1;
	if (!*request->working_dir)
		return err_set(err, ERR_INVALID,
			"\"working_dir\" is empty; leave it out for the workspace");
	if (strlen(request->working_dir) >= PATH_MAX)
		return err_set(err, ERR_INVALID,
			"\"working_dir\" is longer than a path can be (%d bytes)", PATH_MAX - 1);
	return 0;
}

static int parse_network(const struct json *v, struct request *request, struct err *err)
{
	if (json_type(v) != JSON_BOOL)
		return wrong_type(err, "network", "true or false", v);
	request->network = json_bool(v);
	return 0;
}

static const struct member argument_members[] = {
	{"command", parse_command},
	{"timeout", parse_timeout},
	{"working_dir", parse_working_dir},
	{"network", parse_network},
	{NULL, NULL},
};

static const struct member line_members[] = {
	{"id", NULL},
	{"name", NULL},
	{"tool", NULL},
	{"arguments", NULL},
	{"agent", parse_agent},
	{"reason", parse_reason},
	{NULL, NULL},
};

static const struct member *find_member(const struct member *table, const char *name)
{
	for (; table->name; table++) {
		if (!strcmp(table->name, name))
			return table;
	}
	return NULL;
}

/* Names without effect are kept for the card. Values are not: what looks like an approval is worth
   no more than the fact that it was tried. */
static int parse_members(const struct json *object, const struct member *table,
	struct request *request, struct err *err)
{
	for (const struct json *v = json_first(object); v; v = json_next(v)) {
		const struct member *member = find_member(table, json_key(v));

		if (!member) {
			strv_add(&request->ignored, json_key(v));
			continue;
		}
		if (member->parse && member->parse(v, request, err))
			return -1;
	}
	return 0;
}

static int string_member(
	const struct json *root, const char *name, const char **ret, struct err *err)
{
	const struct json *v = json_get(root, name);

	*ret = json_str(v);
	return v && !*ret ? wrong_type(err, name, "a string", v) : 0;
}

static int parse_tool(
	const struct json *root, struct request *request, enum reason *ret_reason, struct err *err)
{
	const char *name, *tool;

	if (string_member(root, "name", &name, err) || string_member(root, "tool", &tool, err))
		return -1;
	if (!name && !tool)
		return err_set(err, ERR_INVALID,
			"\"name\" is missing; it names the tool, which is \"shell\"");
	if (name && tool && strcmp(name, tool))
		return err_set(err, ERR_INVALID, "\"name\" and \"tool\" differ; send one of them");
	if (!name)
		name = tool;
	if (strcmp(name, "shell")) {
		*ret_reason = REASON_UNKNOWN_TOOL;
		size_t len = text_cut(name, strlen(name), QUOTED_NAME_BYTES);

		return err_set(err, ERR_NOT_FOUND, "there is no tool \"%.*s%s\" here; only shell",
			(int)len, name, name[len] ? "..." : "");
	}
	request->tool = mem_strdup(name);
	return 0;
}

static int parse_argument_object(
	const struct json *arguments, struct request *request, struct err *err)
{
	if (parse_members(arguments, argument_members, request, err))
		return -1;
	if (!request->command)
		return err_set(err, ERR_INVALID,
			"\"command\" is missing in \"arguments\"; send what is to be run");
	return 0;
}

/* Some clients send the arguments as a string that holds the object: read one level deep, as strictly. */
static int parse_argument_string(const char *text, struct request *request, struct err *err)
{
	struct json *inner JSON_AUTO = NULL;

	if (json_parse(text, strlen(text), JSON_DEPTH_MAX - 1, &inner, err))
		return err_context(err, "the string in \"arguments\"");
	if (json_type(inner) != JSON_OBJECT)
		return err_set(err, ERR_INVALID,
			"the string in \"arguments\" must hold an object, not %s",
			json_type_name(json_type(inner)));
	return parse_argument_object(inner, request, err);
}

static int parse_arguments(const struct json *root, struct request *request, struct err *err)
{
	const struct json *v = json_get(root, "arguments");

	if (!v)
		return err_set(
			err, ERR_INVALID, "\"arguments\" is missing; send {\"command\": \"...\"}");
	if (json_type(v) == JSON_STRING)
		return parse_argument_string(json_str(v), request, err);
	if (json_type(v) != JSON_OBJECT)
		return wrong_type(err, "arguments", "an object", v);
	return parse_argument_object(v, request, err);
}

/* The id comes first, so that every later refusal can be told apart by the agent that sent it. */
static int parse_root(
	const struct json *root, struct request *request, enum reason *ret_reason, struct err *err)
{
	if (json_type(root) != JSON_OBJECT)
		return err_set(err, ERR_INVALID, "a call is one object, not %s",
			json_type_name(json_type(root)));
	const struct json *id = json_get(root, "id");

	if (id && parse_id(id, request, err))
		return -1;
	if (parse_tool(root, request, ret_reason, err) ||
		parse_members(root, line_members, request, err))
		return -1;
	return parse_arguments(root, request, err);
}

int request_parse(const char *line, size_t len, struct request *request, enum reason *ret_reason,
	struct err *err)
{
	struct json *root JSON_AUTO = NULL;
	enum reason reason = REASON_INVALID_REQUEST;

	*ret_reason = reason;
	if (len > REQUEST_LINE_BYTES)
		return err_set(err, ERR_LIMIT,
			"the line has more than %u bytes; write a long command to a file first",
			REQUEST_LINE_BYTES);
	if (json_parse(line, len, JSON_DEPTH_MAX, &root, err))
		return err_context(err, "not one JSON object");
	if (parse_root(root, request, &reason, err)) {
		*ret_reason = reason;
		return -1;
	}
	*ret_reason = REASON_NONE;
	return 0;
}
