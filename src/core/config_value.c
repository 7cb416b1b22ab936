#include "config.h"

#include "core/config_value.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/config_path.h"

struct target {
	void *field;
	struct config *config;
	const struct config_key *key;
	const struct config_value *value;
	const struct config_places *places;
};

static const char *const kind_words[CONFIG_VALUE_KIND_COUNT] = {
	[CONFIG_VALUE_STRING] = "a string",
	[CONFIG_VALUE_WHOLE] = "a whole number",
	[CONFIG_VALUE_NUMBER] = "a number of another form",
	[CONFIG_VALUE_BOOLEAN] = "true or false",
	[CONFIG_VALUE_ARRAY] = "an array",
};

void config_value_release(struct config_value *value)
{
	str_release(&value->text);
	strv_release(&value->items);
}

static int want(const struct target *t, enum config_value_kind kind, struct err *err)
{
	if (t->value->kind == kind)
		return 0;
	return err_set(err, ERR_INVALID, "%s must be %s, not %s", t->key->name, kind_words[kind],
		kind_words[t->value->kind]);
}

static const char *text_of(const struct target *t)
{
	return str_c(&t->value->text);
}

static int set_bool(const struct target *t, struct err *err)
{
	if (want(t, CONFIG_VALUE_BOOLEAN, err))
		return -1;
	*(bool *)t->field = !strcmp(text_of(t), "true");
	return 0;
}

static int set_toggle(const struct target *t, struct err *err)
{
	if (want(t, CONFIG_VALUE_BOOLEAN, err))
		return -1;
	*(enum config_toggle *)t->field = strcmp(text_of(t), "true") ? TOGGLE_FALSE : TOGGLE_TRUE;
	return 0;
}

static int set_number(const struct target *t, struct err *err)
{
	if (want(t, CONFIG_VALUE_WHOLE, err))
		return -1;
	errno = 0;
	long long number = strtoll(text_of(t), NULL, 10);

	if (errno || number < (long long)t->key->min || number > (long long)t->key->max)
		return err_set(err, ERR_INVALID, "%s must be from %llu to %llu, not %s",
			t->key->name, (unsigned long long)t->key->min,
			(unsigned long long)t->key->max, text_of(t));
	*(unsigned *)t->field = (unsigned)number;
	return 0;
}

static int set_backend(const struct target *t, struct err *err)
{
	if (want(t, CONFIG_VALUE_STRING, err))
		return -1;
	if (backend_id_from_name(text_of(t), t->field))
		return err_set(err, ERR_INVALID,
			"%s must be auto, landlock, firejail, bubblewrap, docker or none, not "
			"\"%s\"",
			t->key->name, text_of(t));
	return 0;
}

static int add_backend(struct config *config, const char *name, unsigned *count, struct err *err)
{
	enum backend_id id;

	if (backend_id_from_name(name, &id) || id == BACKEND_AUTO || id == BACKEND_NONE)
		return err_set(err, ERR_INVALID,
			"auto_order takes landlock, firejail, bubblewrap and docker, not \"%s\"",
			name);
	for (unsigned i = 0; i < *count; i++) {
		if (config->auto_order[i] == id)
			return err_set(err, ERR_INVALID, "auto_order has \"%s\" twice", name);
	}
	config->auto_order[(*count)++] = id;
	return 0;
}

/* At most four differ, so the array cannot run over. */
static int set_backends(const struct target *t, struct err *err)
{
	unsigned count = 0;

	if (want(t, CONFIG_VALUE_ARRAY, err))
		return -1;
	for (size_t i = 0; i < t->value->items.count; i++) {
		if (add_backend(t->config, t->value->items.items[i], &count, err))
			return -1;
	}
	if (!count)
		return err_set(err, ERR_INVALID, "auto_order is empty; name at least one backend");
	t->config->auto_order_count = count;
	return 0;
}

static int set_verdict(const struct target *t, struct err *err)
{
	if (want(t, CONFIG_VALUE_STRING, err))
		return -1;
	for (int i = 0; i < VERDICT_COUNT; i++) {
		if (!strcmp(text_of(t), verdict_name((enum verdict)i))) {
			*(enum verdict *)t->field = (enum verdict)i;
			if (t->field == &t->config->policy_shell)
				t->config->policy_shell_set = true;
			return 0;
		}
	}
	return err_set(err, ERR_INVALID, "%s must be allow, deny or supervised, not \"%s\"",
		t->key->name, text_of(t));
}

static int set_text(const struct target *t, struct err *err)
{
	if (want(t, CONFIG_VALUE_STRING, err))
		return -1;
	if (!*text_of(t))
		return err_set(err, ERR_INVALID, "%s is empty", t->key->name);
	free(*(char **)t->field);
	*(char **)t->field = mem_strdup(text_of(t));
	return 0;
}

bool config_word_in(const char *word, const char *words)
{
	size_t len = strlen(word);

	for (; *words; words += strspn(words, " ")) {
		size_t next = strcspn(words, " ");

		if (next == len && !memcmp(word, words, len))
			return true;
		words += next;
	}
	return false;
}

static int set_word(const struct target *t, struct err *err)
{
	if (want(t, CONFIG_VALUE_STRING, err))
		return -1;
	if (!config_word_in(text_of(t), t->key->words))
		return err_set(err, ERR_INVALID, "%s must be one of: %s; not \"%s\"", t->key->name,
			t->key->words, text_of(t));
	return set_text(t, err);
}

static int set_texts(const struct target *t, struct err *err)
{
	if (want(t, CONFIG_VALUE_ARRAY, err))
		return -1;
	strv_release(t->field);
	strv_copy(t->field, &t->value->items);
	return 0;
}

static int set_path_in(const struct target *t, const char *dir, struct err *err)
{
	char *path;

	if (want(t, CONFIG_VALUE_STRING, err))
		return -1;
	if (config_path_resolve(text_of(t), dir, t->places->home, &path, err))
		return err_context(err, "%s", t->key->name);
	free(*(char **)t->field);
	*(char **)t->field = path;
	return 0;
}

static int set_path(const struct target *t, struct err *err)
{
	return set_path_in(t, NULL, err);
}

static int set_path_near(const struct target *t, struct err *err)
{
	return set_path_in(t, t->places->dir, err);
}

static int set_paths(const struct target *t, struct err *err)
{
	struct strv paths STRV_AUTO = STRV_INIT;

	if (want(t, CONFIG_VALUE_ARRAY, err))
		return -1;
	for (size_t i = 0; i < t->value->items.count; i++) {
		char *path;

		if (config_path_resolve(
			    t->value->items.items[i], NULL, t->places->home, &path, err))
			return err_context(err, "%s", t->key->name);
		strv_take(&paths, path);
	}
	strv_release(t->field);
	strv_copy(t->field, &paths);
	return 0;
}

static int set_size(const struct target *t, struct err *err)
{
	uint64_t bytes;

	if (t->value->kind != CONFIG_VALUE_WHOLE && want(t, CONFIG_VALUE_STRING, err))
		return -1;
	if (config_size_from_text(text_of(t), &bytes) || bytes < t->key->min || bytes > t->key->max)
		return err_set(err, ERR_INVALID,
			"%s must be a size such as \"256m\" or \"1g\", from %llum to %llum, not "
			"\"%s\"",
			t->key->name, (unsigned long long)(t->key->min >> 20),
			(unsigned long long)(t->key->max >> 20), text_of(t));
	*(uint64_t *)t->field = bytes;
	return 0;
}

static int set_cpus(const struct target *t, struct err *err)
{
	uint64_t milli;
	bool bare = t->value->kind == CONFIG_VALUE_WHOLE || t->value->kind == CONFIG_VALUE_NUMBER;

	if (!bare && want(t, CONFIG_VALUE_STRING, err))
		return -1;
	if (config_milli_from_text(text_of(t), &milli) || milli < t->key->min ||
		milli > t->key->max)
		return err_set(err, ERR_INVALID,
			"%s must be a number of CPUs such as \"1.5\", from 0.01 to 1024, not "
			"\"%s\"",
			t->key->name, text_of(t));
	*(double *)t->field = (double)milli / 1000.0;
	return 0;
}

static int set_only(const struct target *t, struct err *err)
{
	bool is_bool = !strcmp(t->key->initial, "true");

	if (want(t, is_bool ? CONFIG_VALUE_BOOLEAN : CONFIG_VALUE_STRING, err))
		return -1;
	if (strcmp(text_of(t), t->key->initial))
		return err_set(err, ERR_REFUSED, "%s.%s = %s is refused: %s", t->key->section,
			t->key->name, text_of(t), t->key->words);
	return 0;
}

static int (*const setters[CONFIG_TYPE_COUNT])(const struct target *t, struct err *err) = {
	[CONFIG_TOGGLE] = set_toggle,
	[CONFIG_BOOL] = set_bool,
	[CONFIG_NUMBER] = set_number,
	[CONFIG_BACKEND] = set_backend,
	[CONFIG_BACKENDS] = set_backends,
	[CONFIG_VERDICT] = set_verdict,
	[CONFIG_TEXT] = set_text,
	[CONFIG_WORD] = set_word,
	[CONFIG_TEXTS] = set_texts,
	[CONFIG_PATH] = set_path,
	[CONFIG_PATH_NEAR] = set_path_near,
	[CONFIG_PATHS] = set_paths,
	[CONFIG_SIZE] = set_size,
	[CONFIG_CPUS] = set_cpus,
	[CONFIG_ONLY] = set_only,
};

static void *field_of(struct config *config, const struct config_key *key)
{
	return (char *)config + key->field;
}

int config_value_set(struct config *config, const struct config_key *key,
	const struct config_value *value, const struct config_places *places, struct err *err)
{
	struct target t = {field_of(config, key), config, key, value, places};

	return setters[key->type](&t, err);
}

static const enum config_value_kind initial_kinds[CONFIG_TYPE_COUNT] = {
	[CONFIG_TOGGLE] = CONFIG_VALUE_BOOLEAN,
	[CONFIG_BOOL] = CONFIG_VALUE_BOOLEAN,
	[CONFIG_NUMBER] = CONFIG_VALUE_WHOLE,
	[CONFIG_BACKENDS] = CONFIG_VALUE_ARRAY,
	[CONFIG_TEXTS] = CONFIG_VALUE_ARRAY,
	[CONFIG_PATHS] = CONFIG_VALUE_ARRAY,
};

static void split_words(const char *words, struct strv *ret)
{
	for (; *words; words += strspn(words, " ")) {
		size_t len = strcspn(words, " ");

		strv_take(ret, mem_strndup(words, len));
		words += len;
	}
}

void config_value_initial(struct config *config, const struct config_key *key)
{
	const struct config_places nowhere = {NULL, NULL};
	struct config_value value = {.kind = initial_kinds[key->type]};
	struct err err = ERR_INIT;

	if (!key->initial || key->type == CONFIG_ONLY)
		return;
	if (value.kind == CONFIG_VALUE_ARRAY)
		split_words(key->initial, &value.items);
	str_add(&value.text, key->initial);
	int refused = config_value_set(config, key, &value, &nowhere, &err);

	assert(!refused);
	(void)refused;
	config_value_release(&value);
}

void config_value_clear(struct config *config, const struct config_key *key)
{
	static const bool is_text[CONFIG_TYPE_COUNT] = {
		[CONFIG_TEXT] = true,
		[CONFIG_WORD] = true,
		[CONFIG_PATH] = true,
		[CONFIG_PATH_NEAR] = true,
	};
	static const bool is_vector[CONFIG_TYPE_COUNT] = {
		[CONFIG_TEXTS] = true,
		[CONFIG_PATHS] = true,
		[CONFIG_BINDINGS] = true,
	};
	void *field = field_of(config, key);

	if (key->alias_section)
		return;
	if (is_text[key->type])
		free(STEAL(*(char **)field));
	if (is_vector[key->type])
		strv_release(field);
}
