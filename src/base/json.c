#include "config.h"

#include "base/json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_internal.h"
#include "base/json_scan.h"
#include "base/mem.h"

#define WHOLE_MAX (INT64_C(1) << 53)

/* A struct json is a cJSON. A number whose value may not be exact keeps its spelling in
   valuestring, which cJSON leaves alone, copies and frees. */
static const cJSON *in(const struct json *v)
{
	return (const cJSON *)v;
}

static cJSON *in_mut(struct json *v)
{
	return (cJSON *)v;
}

static struct json *made(cJSON *item)
{
	if (item == NULL)
		abort();
	return (struct json *)item;
}

/* Hands each kept spelling to its number; both come in the order of the text. */
static void attach_spellings(cJSON *item, const char *bytes, const struct json_spellings *list,
	size_t *number, size_t *next)
{
	if (cJSON_IsNumber(item)) {
		size_t index = (*number)++;

		if (*next < list->count && list->items[*next].index == index) {
			const struct json_spelling *kept = &list->items[(*next)++];

			item->valuestring = mem_strndup(bytes + kept->start, kept->len);
		}
		return;
	}
	for (cJSON *child = item->child; child != NULL; child = child->next)
		attach_spellings(child, bytes, list, number, next);
}

int json_parse(const char *bytes, size_t len, size_t max_depth, struct json **ret, struct err *err)
{
	struct json_spellings list = {0};
	size_t number = 0, next = 0;
	cJSON *item = NULL;
	int status = json_scan(bytes, len, max_depth, &list, err);

	if (status == 0) {
		item = cJSON_ParseWithLength(bytes, len);
		if (item == NULL)
			status = err_set(err, ERR_INVALID, "a value that the reader refuses");
	}
	if (status == 0) {
		if (list.count > 0)
			attach_spellings(item, bytes, &list, &number, &next);
		*ret = made(item);
	}
	free(list.items);
	return status;
}

void json_free(struct json *v)
{
	cJSON_Delete(in_mut(v));
}

void json_free_ptr(struct json **v)
{
	json_free(*v);
	*v = NULL;
}

enum json_type json_type(const struct json *v)
{
	static const struct {
		int bit;
		enum json_type type;
	} types[] = {
		{cJSON_False, JSON_BOOL},
		{cJSON_True, JSON_BOOL},
		{cJSON_Number, JSON_NUMBER},
		{cJSON_String, JSON_STRING},
		{cJSON_Raw, JSON_STRING},
		{cJSON_Array, JSON_ARRAY},
		{cJSON_Object, JSON_OBJECT},
	};

	for (size_t i = 0; v != NULL && i < ARRAY_LEN(types); i++) {
		if (in(v)->type & types[i].bit)
			return types[i].type;
	}
	return JSON_NULL;
}

const char *json_type_name(enum json_type type)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",
		[JSON_BOOL] = "true or false",
		[JSON_NUMBER] = "a number",
		[JSON_STRING] = "a string",
		[JSON_ARRAY] = "a list",
		[JSON_OBJECT] = "an object",
	};

	return names[type];
}

const char *json_number_spelling(const struct json *v)
{
	return cJSON_IsNumber(in(v)) ? in(v)->valuestring : NULL;
}

const char *json_raw_text(const struct json *v)
{
	return cJSON_IsRaw(in(v)) ? in(v)->valuestring : NULL;
}

const struct json *json_get(const struct json *object, const char *key)
{
	if (!cJSON_IsObject(in(object)))
		return NULL;
	return (const struct json *)cJSON_GetObjectItemCaseSensitive(in(object), key);
}

const char *json_get_str(const struct json *object, const char *key)
{
	return json_str(json_get(object, key));
}

int64_t json_get_int(const struct json *object, const char *key, int64_t fallback)
{
	int64_t value = fallback;

	json_int(json_get(object, key), &value);
	return value;
}

bool json_get_bool(const struct json *object, const char *key, bool fallback)
{
	const struct json *v = json_get(object, key);

	return v != NULL && json_type(v) == JSON_BOOL ? json_bool(v) : fallback;
}

const char *json_str(const struct json *v)
{
	return cJSON_IsString(in(v)) ? in(v)->valuestring : NULL;
}

int json_int(const struct json *v, int64_t *ret)
{
	if (!cJSON_IsNumber(in(v)))
		return -1;
	if (in(v)->valuestring != NULL)
		return json_number_exact(in(v)->valuestring, ret);
	*ret = (int64_t)in(v)->valuedouble;
	return 0;
}

bool json_bool(const struct json *v)
{
	return cJSON_IsTrue(in(v));
}

size_t json_count(const struct json *v)
{
	size_t count = 0;

	for (const struct json *child = json_first(v); child != NULL; child = json_next(child))
		count++;
	return count;
}

const struct json *json_first(const struct json *v)
{
	return v == NULL ? NULL : (const struct json *)in(v)->child;
}

const struct json *json_next(const struct json *v)
{
	return (const struct json *)in(v)->next;
}

const char *json_key(const struct json *v)
{
	return in(v)->string;
}

struct json *json_new_object(void)
{
	return made(cJSON_CreateObject());
}

struct json *json_new_array(void)
{
	return made(cJSON_CreateArray());
}

struct json *json_new_str(const char *text)
{
	return text == NULL ? json_new_null() : made(cJSON_CreateString(text));
}

struct json *json_new_bytes(const char *bytes, size_t len)
{
	bool raw = len > 0 && memchr(bytes, '\0', len) != NULL;
	cJSON *item = raw ? cJSON_CreateRaw("") : cJSON_CreateString("");
	struct str text = STR_INIT;

	if (item == NULL)
		abort();
	/* cJSON would copy it once more, and an output is long. */
	free(item->valuestring);
	if (raw)
		json_print_string(bytes, len, false, &text);
	item->valuestring = raw ? str_steal(&text) : mem_strndup(len > 0 ? bytes : "", len);
	return made(item);
}

struct json *json_new_int(int64_t value)
{
	cJSON *item = cJSON_CreateNumber((double)value);

	if (item != NULL && (value > WHOLE_MAX || value < -WHOLE_MAX))
		item->valuestring = mem_printf("%" PRId64, value);
	return made(item);
}

struct json *json_new_bool(bool value)
{
	return made(cJSON_CreateBool(value));
}

struct json *json_new_null(void)
{
	return made(cJSON_CreateNull());
}

struct json *json_copy(const struct json *v)
{
	return v == NULL ? NULL : made(cJSON_Duplicate(in(v), true));
}

void json_set(struct json *object, const char *key, struct json *value)
{
	if (!cJSON_AddItemToObject(in_mut(object), key, in_mut(value)))
		abort();
}

void json_push(struct json *array, struct json *value)
{
	if (!cJSON_AddItemToArray(in_mut(array), in_mut(value)))
		abort();
}

void json_set_str(struct json *object, const char *key, const char *text)
{
	json_set(object, key, json_new_str(text));
}

void json_set_int(struct json *object, const char *key, int64_t value)
{
	json_set(object, key, json_new_int(value));
}

void json_set_bool(struct json *object, const char *key, bool value)
{
	json_set(object, key, json_new_bool(value));
}

struct json *json_take(struct json *object, const char *key)
{
	return (struct json *)cJSON_DetachItemFromObjectCaseSensitive(in_mut(object), key);
}
