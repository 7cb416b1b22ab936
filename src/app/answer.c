#include "config.h"

#include "app/answer.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"

#define OUTPUT ",\"output\":\""
#define NUL_ESCAPE "\\u0000"
#define NUL_ESCAPE_BYTES 6u
#define ANSWER_DEPTH 4

/* Behind the quote at `at`: where the string ends, or NULL. */
static const char *string_end(const char *at, const char *end)
{
	while (at < end && *at != '"')
		at += *at == '\\' ? 2 : 1;
	return at < end ? at : NULL;
}

static int add_piece(const char *from, const char *to, struct str *out, struct err *err)
{
	struct str quoted STR_AUTO = STR_INIT;
	struct json *v JSON_AUTO = NULL;
	str_add_char(&quoted, '"');
	str_add_bytes(&quoted, from, (size_t)(to - from));
	str_add_char(&quoted, '"');
	if (json_parse(quoted.data, quoted.len, 1, &v, err) != 0)
		return -1;
	str_add(out, json_str(v));
	return 0;
}

/* An output may hold NUL, which no other text of ours does, and which the strict reader refuses: it is read piece by piece. */
static int read_output(const char *at, const char *end, struct str *out, struct err *err)
{
	const char *piece = at;
	while (at < end) {
		if ((size_t)(end - at) >= NUL_ESCAPE_BYTES &&
			memcmp(at, NUL_ESCAPE, NUL_ESCAPE_BYTES) == 0) {
			if (add_piece(piece, at, out, err) != 0)
				return -1;
			str_add_char(out, '\0');
			at += NUL_ESCAPE_BYTES;
			piece = at;
		} else {
			at += *at == '\\' ? 2 : 1;
		}
	}
	return add_piece(piece, end, out, err);
}

static int bad(struct err *err)
{
	return err_set(err, ERR_INVALID, "the console gave no answer that can be read");
}

/* The line without the text of the output. */
static int split(
	const char *line, size_t len, struct str *rest, struct str *output, struct err *err)
{
	/* Inside of a string its quotes would have backslashes. */
	const char *at = memmem(line, len, OUTPUT, strlen(OUTPUT)), *end = line + len;
	if (at == NULL)
		return bad(err);
	at += strlen(OUTPUT);
	const char *quote = string_end(at, end);
	if (quote == NULL || read_output(at, quote, output, err) != 0)
		return bad(err);
	str_add_bytes(rest, line, (size_t)(at - line));
	str_add_bytes(rest, quote, (size_t)(end - quote));
	return 0;
}

static int read_reason(const struct json *v, struct result *ret)
{
	const char *reason = json_get_str(v, "reason"), *error = json_get_str(v, "error");
	if (reason == NULL)
		return json_get_bool(v, "success", false) ? 0 : -1;
	if (error == NULL || reason_from_name(reason, &ret->reason) != 0)
		return -1;
	const char *colon = strstr(error, ": ");
	ret->sentence = mem_strdup(colon != NULL ? colon + 2 : error);
	return 0;
}

int answer_parse(const char *line, size_t len, struct result *ret, struct err *err)
{
	struct str rest STR_AUTO = STR_INIT;
	struct json *v JSON_AUTO = NULL;
	result_init(ret);
	if (split(line, len, &rest, &ret->output, err) != 0)
		return -1;
	if (json_parse(rest.data, rest.len, ANSWER_DEPTH, &v, err) != 0 || read_reason(v, ret) != 0)
		return bad(err);
	ret->exit_code = (int)json_get_int(v, "exit_code", -1);
	ret->signal = (int)json_get_int(v, "signal", 0);
	return 0;
}
