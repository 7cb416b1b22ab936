/* Any line of an agent: what is taken is a whole call within every limit, what is refused is named; and the answer to
   either is one line of strict JSON with the same id. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"
#include "core/request.h"
#include "core/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void must_be_text(const char *text)
{
	must(text == NULL || text_is_utf8(text, strlen(text)));
}

static void check_taken(const struct request *request)
{
	must(strcmp(request->tool, "shell") == 0);
	must(request->command[0] != '\0' && strlen(request->command) <= REQUEST_COMMAND_BYTES);
	must(!request->timeout_set || request->timeout_s >= 1);
	must(request->working_dir == NULL || request->working_dir[0] != '\0');
	must_be_text(request->command);
	must_be_text(request->working_dir);
	must_be_text(request->agent);
	must_be_text(request->reason);
	for (size_t i = 0; i < request->ignored.count; i++)
		must_be_text(request->ignored.items[i]);
}

static void check_copy(const struct request *request)
{
	struct request copy;

	request_init(&copy);
	request_copy(&copy, request);
	must(copy.ignored.count == request->ignored.count);
	must(request_id_equal(&copy.id, &request->id) == (copy.id.kind != REQUEST_ID_NONE));
	request_release(&copy);
}

static void check_answer(const struct request *request, enum reason reason, const char *sentence)
{
	STR_AUTO struct str line = STR_INIT;
	JSON_AUTO struct json *v = NULL;
	struct result result;
	struct err err = ERR_INIT;
	int64_t number = 0;

	result_init(&result);
	result.reason = reason;
	result.sentence = mem_strdup(sentence);
	result_print(&result, &request->id, 1, &line);
	result_release(&result);
	must(json_parse(line.data, line.len, JSON_DEPTH_MAX, &v, &err) == 0);
	const struct json *id = json_get(v, "id");
	if (request->id.kind == REQUEST_ID_STRING)
		must(strcmp(json_str(id), request->id.text) == 0);
	else if (request->id.kind == REQUEST_ID_INTEGER)
		must(json_int(id, &number) == 0 && number == request->id.number);
	else
		must(json_type(id) == JSON_NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct request request;
	struct err err = ERR_INIT;
	enum reason reason = REASON_COUNT;

	request_init(&request);
	if (request_parse((const char *)bytes, len, &request, &reason, &err) == 0) {
		must(reason == REASON_NONE);
		check_taken(&request);
	} else {
		must(reason == REASON_INVALID_REQUEST || reason == REASON_UNKNOWN_TOOL);
		must(err.code != ERR_NONE && err.text[0] != '\0');
	}
	check_copy(&request);
	check_answer(&request, reason, err.text);
	request_release(&request);
	return 0;
}
