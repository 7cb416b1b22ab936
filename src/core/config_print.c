#include "config.h"

#include <string.h>
#include <unistr.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/config_path.h"
#include "core/config_value.h"

#define ROW_BYTES 4096u

/* Bytes of a home directory or an option that are not UTF-8 cannot stand in TOML: they show as U+FFFD. */
static void print_escapes(const char *bytes, size_t len, struct str *out)
{
	while (len) {
		ucs4_t code;
		int used = u8_mbtoucr(&code, (const uint8_t *)bytes, len);

		if (used < 1) {
			used = 1;
			code = 0xfffd;
		}
		if (code == '\n' || code == '\t')
			str_printf(out, "\\%c", code == '\n' ? 'n' : 't');
		else
			str_printf(out, code > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)code);
		bytes += used;
		len -= (size_t)used;
	}
}

/* One character of a string: what the safe-text rule shows as it is stays, anything else becomes an escape, so
   that a path cannot act on the terminal of the person who looks. */
static void print_piece(const char *text, const struct text_piece *piece, struct str *out)
{
	const char *bytes = text + piece->start;

	if (piece->len == 1 && (*bytes == '"' || *bytes == '\\'))
		str_printf(out, "\\%c", *bytes);
	else if (piece->kind == TEXT_PLAIN && piece->len > 0 &&
		 !strncmp(piece->shown, bytes, piece->len))
		str_add_bytes(out, bytes, piece->len);
	else
		print_escapes(bytes, piece->len, out);
}

void config_print_string(const char *text, struct str *out)
{
	struct text_iter *it = text_begin(text, strlen(text), TEXT_OUTPUT);
	struct text_piece piece;

	str_add_char(out, '"');
	while (text_next(it, &piece))
		print_piece(text, &piece, out);
	str_add_char(out, '"');
	text_end(it);
}

static void join_texts(const struct strv *v, const char *between, struct str *out)
{
	for (size_t i = 0; i < v->count; i++) {
		if (i)
			str_add(out, between);
		config_print_string(v->items[i], out);
	}
}

/* In one row, unless it would be too long to be read back. */
static void print_texts(const struct strv *v, struct str *out)
{
	size_t start = out->len;

	str_add_char(out, '[');
	join_texts(v, ", ", out);
	if (out->len - start > ROW_BYTES) {
		str_truncate(out, start);
		str_add(out, "[\n\t");
		join_texts(v, ",\n\t", out);
		str_add_char(out, '\n');
	}
	str_add_char(out, ']');
}

struct shown {
	const struct config *config;
	const struct config_key *key;
	const void *field;
};

static void print_bool(const struct shown *s, struct str *out)
{
	str_add(out, *(const bool *)s->field ? "true" : "false");
}

static void print_toggle(const struct shown *s, struct str *out)
{
	if (*(const enum config_toggle *)s->field != TOGGLE_ABSENT)
		str_add(out,
			*(const enum config_toggle *)s->field == TOGGLE_TRUE ? "true" : "false");
}

static void print_number(const struct shown *s, struct str *out)
{
	str_printf(out, "%u", *(const unsigned *)s->field);
}

static void print_backend(const struct shown *s, struct str *out)
{
	config_print_string(backend_id_name(*(const enum backend_id *)s->field), out);
}

static void print_backends(const struct shown *s, struct str *out)
{
	struct strv names STRV_AUTO = STRV_INIT;

	for (unsigned i = 0; i < s->config->auto_order_count; i++)
		strv_add(&names, backend_id_name(s->config->auto_order[i]));
	print_texts(&names, out);
}

static void print_verdict(const struct shown *s, struct str *out)
{
	if (s->field != &s->config->policy_shell || s->config->policy_shell_set)
		config_print_string(verdict_name(*(const enum verdict *)s->field), out);
}

static void print_text(const struct shown *s, struct str *out)
{
	if (*(char *const *)s->field)
		config_print_string(*(char *const *)s->field, out);
}

static void print_vector(const struct shown *s, struct str *out)
{
	print_texts(s->field, out);
}

static void print_size(const struct shown *s, struct str *out)
{
	str_add_char(out, '"');
	config_size_print(*(const uint64_t *)s->field, out);
	str_add_char(out, '"');
}

static void print_cpus(const struct shown *s, struct str *out)
{
	str_add_char(out, '"');
	config_milli_print((uint64_t)(*(const double *)s->field * 1000.0 + 0.5), out);
	str_add_char(out, '"');
}

static void print_only(const struct shown *s, struct str *out)
{
	str_printf(out, strcmp(s->key->initial, "true") ? "\"%s\"" : "%s", s->key->initial);
}

static void (*const printers[CONFIG_TYPE_COUNT])(const struct shown *s, struct str *out) = {
	[CONFIG_TOGGLE] = print_toggle,
	[CONFIG_BOOL] = print_bool,
	[CONFIG_NUMBER] = print_number,
	[CONFIG_BACKEND] = print_backend,
	[CONFIG_BACKENDS] = print_backends,
	[CONFIG_VERDICT] = print_verdict,
	[CONFIG_TEXT] = print_text,
	[CONFIG_WORD] = print_text,
	[CONFIG_TEXTS] = print_vector,
	[CONFIG_PATH] = print_text,
	[CONFIG_PATH_NEAR] = print_text,
	[CONFIG_PATHS] = print_vector,
	[CONFIG_SIZE] = print_size,
	[CONFIG_CPUS] = print_cpus,
	[CONFIG_ONLY] = print_only,
};

void config_value_print(const struct config *config, const struct config_key *key, struct str *out)
{
	const struct shown s = {config, key, (const char *)config + key->field};

	if (printers[key->type] && !key->alias_section)
		printers[key->type](&s, out);
}
