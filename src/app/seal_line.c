#include "config.h"

#include "app/seal_line.h"

#include <inttypes.h>
#include <string.h>

#include "app/chain.h"
#include "base/json_digest.h"
#include "base/mem.h"

#define DEPTH 2
#define MEMBER ",\"seal\":\""
#define TAIL_BYTES (sizeof(MEMBER) - 1 + SEAL_HEX_BYTES - 1 + sizeof("\"}") - 1)
/* A signature of something else, made by the same key in another program, can be none of ours. */
#define DOMAIN "exequatur seal 1\n"

void seal_line_release(struct seal_line *line)
{
	mem_free_ptr(&line->file);
	line->file = NULL;
}

static void print_body(const struct seal_line *line, struct str *out)
{
	JSON_AUTO struct json *v = json_new_object();

	json_set_digest(v, "prev", &line->prev);
	json_set_int(v, "v", SEAL_VERSION);
	json_set_int(v, "epoch", (int64_t)line->epoch);
	json_set_str(v, "wall", line->wall);
	if (line->file != NULL) {
		json_set_str(v, "file", line->file);
		json_set_int(v, "events", (int64_t)line->events);
		json_set_digest(v, "digest", &line->digest);
	}
	json_set_digest(v, "chain", &line->chain);
	json_set_digest(v, "key", &line->key);
	json_set_digest(v, "next", &line->next);
	json_print(v, true, out);
	str_truncate(out, out->len - 1); /* its brace comes behind the seal */
}

static void print_seal(const struct seal_line *line, struct str *out)
{
	char hex[SEAL_HEX_BYTES];

	seal_hex(line->seal, hex);
	str_printf(out, MEMBER "%s\"}", hex);
}

void seal_line_sign(struct seal_line *line, const struct seal_key *key, struct str *out)
{
	STR_AUTO struct str signed_bytes = STR_INIT;
	size_t start = sizeof(DOMAIN) - 1;

	seal_key_public(key, &line->key);
	str_add(&signed_bytes, DOMAIN);
	print_body(line, &signed_bytes);
	seal_sign(key, signed_bytes.data, signed_bytes.len, line->seal);
	str_add_bytes(out, signed_bytes.data + start, signed_bytes.len - start);
	print_seal(line, out);
}

bool seal_line_holds(const struct seal_line *line, const char *text, size_t len)
{
	STR_AUTO struct str signed_bytes = STR_INIT;

	if (len <= TAIL_BYTES)
		return false;
	str_add(&signed_bytes, DOMAIN);
	str_add_bytes(&signed_bytes, text, len - TAIL_BYTES);
	return seal_holds(&line->key, signed_bytes.data, signed_bytes.len, line->seal);
}

static int bad(struct err *err)
{
	return err_set(err, ERR_INVALID, "not a line as %s has them", SEALS_NAME);
}

static int read_digest(const struct json *v, const char *name, struct digest *ret)
{
	const char *hex = json_get_str(v, name);

	return hex == NULL ? -1 : digest_from_hex(hex, ret);
}

static int read_file(const struct json *v, struct seal_line *ret)
{
	const char *file = json_get_str(v, "file");
	int64_t events = json_get_int(v, "events", -1);

	if (file == NULL)
		return 0;
	if (!chain_file_name_is_valid(file) || events < 1 ||
		read_digest(v, "digest", &ret->digest) != 0)
		return -1;
	ret->file = mem_strdup(file);
	ret->events = (uint64_t)events;
	return 0;
}

static int read_line(const struct json *v, struct seal_line *ret)
{
	const char *seal = json_get_str(v, "seal"), *wall = json_get_str(v, "wall");
	int64_t epoch = json_get_int(v, "epoch", 0);

	if (seal == NULL || wall == NULL || strlen(wall) >= sizeof(ret->wall) || epoch < 1)
		return -1;
	ret->epoch = (uint64_t)epoch;
	memcpy(ret->wall, wall, strlen(wall) + 1);
	if (seal_from_hex(seal, ret->seal) != 0 || read_digest(v, "prev", &ret->prev) != 0 ||
		read_digest(v, "chain", &ret->chain) != 0 ||
		read_digest(v, "key", &ret->key) != 0 || read_digest(v, "next", &ret->next) != 0)
		return -1;
	return read_file(v, ret);
}

int seal_line_parse(const char *text, size_t len, struct seal_line *ret, struct err *err)
{
	JSON_AUTO struct json *v = NULL;
	STR_AUTO struct str again = STR_INIT;
	struct seal_line line = {0};

	if (len > SEAL_LINE_BYTES)
		return bad(err);
	if (json_parse(text, len, DEPTH, &v, err) != 0)
		return -1;
	int status = read_line(v, &line);

	/* Every byte can be computed again: no blank, order or member more goes unnoticed. */
	if (status == 0) {
		print_body(&line, &again);
		print_seal(&line, &again);
		status = again.len == len && memcmp(again.data, text, len) == 0 ? 0 : -1;
	}
	if (status != 0) {
		seal_line_release(&line);
		return bad(err);
	}
	*ret = line;
	return 0;
}
