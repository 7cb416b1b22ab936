/* A value as it stands in a file, and how it becomes a field of struct config. */
#ifndef CORE_CONFIG_VALUE_H
#define CORE_CONFIG_VALUE_H

#include "base/err.h"
#include "base/str.h"
#include "base/strv.h"
#include "core/config.h"
#include "core/config_keys.h"

enum config_value_kind {
	CONFIG_VALUE_STRING,
	CONFIG_VALUE_WHOLE,   /* digits in text, perhaps with a sign */
	CONFIG_VALUE_NUMBER,  /* any other number */
	CONFIG_VALUE_BOOLEAN, /* "true" or "false" in text */
	CONFIG_VALUE_ARRAY,
	CONFIG_VALUE_KIND_COUNT
};

struct config_value {
	enum config_value_kind kind;
	struct str text;
	struct strv items;
};

/* What paths in a file are relative to. Both may be NULL. */
struct config_places {
	const char *dir;  /* of the file */
	const char *home; /* for "~" */
};

void config_value_release(struct config_value *value);
/* Sets the field of the key (not an alias, not CONFIG_BINDINGS). ERR_INVALID with a sentence that begins with the
   key's name and says what is wanted. */
int config_value_set(struct config *config, const struct config_key *key,
	const struct config_value *value, const struct config_places *places, struct err *err);
/* Sets the default; a key that is absent by default is cleared. */
void config_value_initial(struct config *config, const struct config_key *key);
/* Appends the field as TOML; nothing for an absent one. */
void config_value_print(const struct config *config, const struct config_key *key, struct str *out);
/* Frees what the field owns. */
void config_value_clear(struct config *config, const struct config_key *key);
/* Appends text as a basic string; visible whatever it holds, and read back as the same bytes. */
void config_print_string(const char *text, struct str *out);

/* Whether `word` is one of those in `words`, which stand apart by a blank. */
bool config_word_in(const char *word, const char *words);

/* After reading and overrides: enabled = false alone makes the backend none. */
void config_settle(struct config *config);

/* One binding of [exequatur.keys]: the action and the key exist, and the key may carry it (config_bindings.c). */
int config_binding_add(struct config *config, const char *action, const struct config_value *value,
	unsigned line, struct err *err);
/* Two actions on one key in one view, all bindings and defaults taken together. *ret_line is the line of a culprit. */
int config_bindings_check(const struct config *config, unsigned *ret_line, struct err *err);
/* The names of all actions, by index; NULL behind the last. */
const char *config_binding_action(size_t index);
/* The keys that it has when nothing is bound, apart by blanks. */
const char *config_binding_keys(size_t index);

#endif
