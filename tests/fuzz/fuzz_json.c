/* Any bytes through the strict reader: what it takes prints to text that it takes again and
   prints alike. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Prints v, reads that back and prints it once more in the other way; returns the first print in
   *ret. */
static void print_and_read(const struct json *v, bool ascii, struct str *ret)
{
	JSON_AUTO struct json *again = NULL;
	STR_AUTO struct str second = STR_INIT;
	struct err err = ERR_INIT;

	json_print(v, ascii, ret);
	must(json_parse(ret->data, ret->len, JSON_DEPTH_MAX, &again, &err) == 0);
	json_print(again, ascii, &second);
	must(second.len == ret->len && memcmp(second.data, ret->data, ret->len) == 0);
}

static void check_value(const struct json *v)
{
	STR_AUTO struct str plain = STR_INIT;
	STR_AUTO struct str ascii = STR_INIT;
	int64_t whole;

	print_and_read(v, false, &plain);
	print_and_read(v, true, &ascii);
	must(text_is_utf8(plain.data, plain.len));
	for (size_t i = 0; i < ascii.len; i++)
		must(ascii.data[i] >= 0x20 && ascii.data[i] < 0x7F);
	if (json_int(v, &whole) == 0)
		must(whole >= -(INT64_C(1) << 53) && whole <= INT64_C(1) << 53);
	must(json_get(v, "a") == NULL || json_type(v) == JSON_OBJECT);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	JSON_AUTO struct json *v = NULL;
	struct err err = ERR_INIT;

	if (json_parse((const char *)bytes, len, JSON_DEPTH_MAX, &v, &err) == 0) {
		must(text_is_utf8((const char *)bytes, len));
		check_value(v);
	} else {
		must(v == NULL && err.code == ERR_INVALID && err.text[0] != '\0');
	}
	return 0;
}
