/* The one table of configuration keys: it drives reading, defaults, printing, origins, suggestions for misspelt names and
   the report of keys without effect. */
#ifndef CORE_CONFIG_KEYS_H
#define CORE_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum config_type {
	CONFIG_TOGGLE, /* true, false or absent */
	CONFIG_BOOL,
	CONFIG_NUMBER,   /* unsigned, min to max */
	CONFIG_BACKEND,  /* one name of a backend */
	CONFIG_BACKENDS, /* auto_order */
	CONFIG_VERDICT,
	CONFIG_TEXT,      /* a string that is not empty */
	CONFIG_WORD,      /* one of `words` */
	CONFIG_TEXTS,     /* an array of strings */
	CONFIG_PATH,      /* absolute or below "~" */
	CONFIG_PATH_NEAR, /* the same, or relative to the directory of the file */
	CONFIG_PATHS,
	CONFIG_SIZE,     /* bytes: "256m", or a bare number */
	CONFIG_CPUS,     /* "1.5", or a bare number */
	CONFIG_ONLY,     /* accepts its default alone; `words` says why */
	CONFIG_BINDINGS, /* every name of its section is an action */
	CONFIG_TYPE_COUNT
};

struct config_key {
	const char *section;
	const char *name; /* "*": the whole section */
	enum config_type type;
	size_t field;        /* offset into struct config */
	const char *initial; /* the default; elements apart by a blank; NULL: absent */
	uint64_t min, max;
	const char *
		words; /* choices apart by a blank; what absent means; why nothing else is accepted */
	const char *no_effect; /* why it does nothing yet; NULL: it has its effect */
	const char *alias_section, *alias_name; /* the key that this is another name of */
};

extern const struct config_key config_keys[];
extern const size_t config_key_count;

/* The index of a key, or -1. An action of [exequatur.keys] is found as "*". */
int config_key_find(const char *section, const char *name);
/* The index of "section.name", or -1. */
int config_key_find_dotted(const char *dotted);
/* What an alias stands for; else the index itself. */
int config_key_resolve(int index);
/* Whether the section exists. */
bool config_section_exists(const char *section);
/* The sentence about a name that is not there: what PRX's documents make of it, or the nearest valid name. */
void config_unknown_section(const char *section, struct str *out);
void config_unknown_key(const char *section, const char *name, struct str *out);
/* Whether the documents of PRX have keys below this section; *ret_use is what to use instead. */
bool config_prx_section(const char *section, const char **ret_use);
/* The same for one key. */
bool config_prx_key(const char *section, const char *name, const char **ret_use);
/* Edit distance: inserted, lost, changed and swapped letters. */
unsigned config_distance(const char *a, const char *b);

#endif
