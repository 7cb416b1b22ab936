#include "config.h"

#include "core/config.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/config_origin.h"
#include "core/config_value.h"

static char *origin_text(const struct config *config, size_t index)
{
	const struct config_origin *origin = &config->origins[index];

	if (origin->option)
		return mem_strdup(origin->option);
	if (!origin->line)
		return mem_strdup("default");
	return mem_printf("%s:%u", config->path, origin->line);
}

char *config_origin(const struct config *config, const char *key)
{
	int index = config_key_find_dotted(key);

	return index < 0 ? NULL : origin_text(config, (size_t)config_key_resolve(index));
}

/* An origin is a comment behind a value: a path in it may not end the line or act on a terminal. */
static void print_comment(const char *origin, const char *no_effect, struct str *out)
{
	str_add(out, "    # ");
	text_escape(origin, strlen(origin), 0, out);
	if (no_effect)
		str_printf(out, "; no effect yet: %s", no_effect);
	str_add_char(out, '\n');
}

static void print_bindings(const struct config *config, struct str *out)
{
	for (size_t i = 0; i < config->keys.count; i++) {
		char *origin MEM_AUTO = mem_printf("%s:%u", config->path, config->key_lines[i]);
		const char *binding = config->keys.items[i];
		const char *equals = strchr(binding, '=');

		char *action MEM_AUTO = mem_strndup(binding, (size_t)(equals - binding));

		str_printf(out, "%s = ", action);
		config_print_string(equals + 1, out);
		print_comment(origin, NULL, out);
	}
}

/* What has no value is a comment, so that every key is seen and the text still loads back. */
static void print_absent(const struct config_key *key, const char *origin, struct str *out)
{
	if (key->alias_section)
		str_printf(out, "# %s: another name of [%s] %s\n", key->name, key->alias_section,
			key->alias_name);
	else {
		str_printf(out, "# %s is not set: %s",
			key->type == CONFIG_BINDINGS ? "ACTION" : key->name, key->words);
		print_comment(origin, key->no_effect, out);
	}
}

static void print_key(const struct config *config, size_t index, struct str *out)
{
	const struct config_key *key = &config_keys[index];
	struct str value STR_AUTO = STR_INIT;
	char *origin MEM_AUTO = origin_text(config, index);

	if (key->type == CONFIG_BINDINGS && config->keys.count) {
		print_bindings(config, out);
		return;
	}
	config_value_print(config, key, &value);
	if (!value.len) {
		print_absent(key, origin, out);
		return;
	}
	str_printf(out, "%s = %s", key->name, str_c(&value));
	print_comment(origin, key->no_effect, out);
}

void config_print(const struct config *config, struct str *out)
{
	const char *section = "";

	for (size_t i = 0; i < config_key_count; i++) {
		if (strcmp(section, config_keys[i].section)) {
			str_printf(out, "%s[%s]\n", *section ? "\n" : "", config_keys[i].section);
			section = config_keys[i].section;
		}
		print_key(config, i, out);
	}
}

void config_canonical(const struct config *config, struct str *out)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];

		if (key->alias_section)
			continue;
		str_printf(out, "%s.%s=", key->section, key->name);
		config_value_print(config, key, out);
		for (size_t j = 0; key->type == CONFIG_BINDINGS && j < config->keys.count; j++)
			str_printf(out, "%s ", config->keys.items[j]);
		str_add_char(out, '\n');
	}
}
