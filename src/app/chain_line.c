#include "config.h"

#include "app/chain.h"

#include <stdlib.h>
#include <string.h>

#include "app/record_name.h"
#include "base/json_digest.h"
#include "base/mem.h"

#define DEPTH 3

static const char *const kinds[CHAIN_KIND_COUNT] = {
	[CHAIN_START] = "start",
	[CHAIN_END] = "end",
	[CHAIN_FOUND] = "found",
	[CHAIN_NEXT] = "next",
	[CHAIN_PRUNED] = "pruned",
};

void chain_line_release(struct chain_line *line)
{
	char **const texts[] = {&line->file, &line->before, &line->wall, &line->why};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		free(*texts[i]);
		*texts[i] = NULL;
	}
	strv_release(&line->open);
}

void chain_print(const struct chain_line *line, struct str *out)
{
	JSON_AUTO struct json *v = json_new_object();
	struct json *open = json_new_array();

	json_set_digest(v, "prev", &line->prev);
	json_set_int(v, "v", CHAIN_VERSION);
	json_set_str(v, "chain", kinds[line->kind]);
	json_set_str(v, "file", line->file);
	if (line->kind == CHAIN_NEXT)
		json_set_str(v, "before", line->before);
	if (line->kind != CHAIN_START && !line->missing) {
		json_set_digest(v, "digest", &line->digest);
		json_set_int(v, "events", (int64_t)line->events);
	}
	if (line->kind == CHAIN_PRUNED) {
		json_set_int(v, "calls", (int64_t)line->calls);
		json_set_str(v, "wall", line->wall);
		json_set_str(v, "why", line->why);
	}
	if (line->torn)
		json_set_digest(v, "torn", &line->torn_digest);
	if (line->fragment)
		json_set_digest(v, "fragment", &line->fragment_digest);
	for (size_t i = 0; i < line->open.count; i++)
		json_push(open, json_new_str(line->open.items[i]));
	json_set(v, "open", open);
	json_print(v, true, out);
}

bool chain_file_name_is_valid(const char *name)
{
	return record_name_part(name) > 0;
}

static int bad(struct err *err)
{
	return err_set(err, ERR_INVALID, "not a line as CHAIN has them");
}

/* Absent: 0 and *ret_there false. */
static int read_digest(
	const struct json *v, const char *key, struct digest *ret, bool *ret_there, struct err *err)
{
	const char *hex = json_get_str(v, key);

	*ret_there = hex != NULL;
	return hex == NULL || digest_from_hex(hex, ret) == 0 ? 0 : bad(err);
}

static int read_open(const struct json *v, struct strv *ret, struct err *err)
{
	const struct json *name = json_first(json_get(v, "open"));

	for (; name != NULL; name = json_next(name)) {
		if (json_str(name) == NULL || !chain_file_name_is_valid(json_str(name)))
			return bad(err);
		strv_add(ret, json_str(name));
	}
	return 0;
}

static int read_kind(const char *name, enum chain_kind *ret)
{
	for (int i = 0; name != NULL && i < CHAIN_KIND_COUNT; i++) {
		if (strcmp(kinds[i], name) == 0) {
			*ret = (enum chain_kind)i;
			return 0;
		}
	}
	return -1;
}

/* What only some kinds have. */
static int read_more(const struct json *v, struct chain_line *ret, struct err *err)
{
	const char *before = json_get_str(v, "before"), *wall = json_get_str(v, "wall"),
		   *why = json_get_str(v, "why");
	int64_t calls = json_get_int(v, "calls", 0);

	if (ret->kind == CHAIN_NEXT && (before == NULL || !record_name_follows(before, ret->file)))
		return bad(err);
	if (ret->kind == CHAIN_PRUNED && (calls < 0 || wall == NULL || why == NULL))
		return bad(err);
	ret->before = mem_strdup(before);
	ret->wall = mem_strdup(wall);
	ret->why = mem_strdup(why);
	ret->calls = (uint64_t)calls;
	return 0;
}

static int read_line(const struct json *v, struct chain_line *ret, struct err *err)
{
	const char *file = json_get_str(v, "file");
	int64_t events = json_get_int(v, "events", 0);
	bool there;

	if (read_kind(json_get_str(v, "chain"), &ret->kind) != 0 || file == NULL ||
		!chain_file_name_is_valid(file) || events < 0)
		return bad(err);
	ret->file = mem_strdup(file);
	ret->events = (uint64_t)events;
	if (read_digest(v, "prev", &ret->prev, &there, err) != 0 ||
		read_digest(v, "torn", &ret->torn_digest, &ret->torn, err) != 0 ||
		read_digest(v, "fragment", &ret->fragment_digest, &ret->fragment, err) != 0 ||
		read_digest(v, "digest", &ret->digest, &there, err) != 0 ||
		read_more(v, ret, err) != 0)
		return -1;
	ret->missing = ret->kind == CHAIN_FOUND && !there;
	return read_open(v, &ret->open, err);
}

int chain_parse(const char *text, size_t len, struct chain_line *ret, struct err *err)
{
	JSON_AUTO struct json *v = NULL;
	STR_AUTO struct str again = STR_INIT;
	struct chain_line line = {0};

	if (len > CHAIN_LINE_BYTES)
		return bad(err);
	if (json_parse(text, len, DEPTH, &v, err) != 0)
		return -1;
	if (read_line(v, &line, err) != 0) {
		chain_line_release(&line);
		return -1;
	}
	/* Every byte of CHAIN is one that can be computed again: no blank, order or member more
	   goes unnoticed. */
	chain_print(&line, &again);
	if (again.len != len || memcmp(again.data, text, len) != 0) {
		chain_line_release(&line);
		return bad(err);
	}
	*ret = line;
	return 0;
}
