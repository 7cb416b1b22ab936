/* The notes while they are made. Private to unusual*.c. */
#ifndef CORE_UNUSUAL_INTERNAL_H
#define CORE_UNUSUAL_INTERNAL_H

#include "base/strv.h"
#include "core/card.h"
#include "core/shell.h"

enum note_kind {
	NOTE_ROOT,
	NOTE_SETUID,
	NOTE_DELETES_OUTSIDE,
	NOTE_DELETES_HISTORY,
	NOTE_DELETES_WORKSPACE,
	NOTE_PUSHES_OVER,
	NOTE_WRITES_OUTSIDE,
	NOTE_REMOTE,
	NOTE_DECODED,
	NOTE_STARTUP,
	NOTE_HOOK,
	NOTE_CI,
	NOTE_SCRIPT,
	NOTE_CREDENTIAL,
	NOTE_OUTLIVES,
	NOTE_BUILT,
	NOTE_CODED,
	NOTE_PIECES,
	NOTE_BLANK,
	NOTE_LONG,
	NOTE_BEHIND_LONG,
	NOTE_FILE,
	NOTE_UNREAD,
	NOTE_TOO_MANY,
	NOTE_KIND_COUNT
};

/* What a text comes from: the network, an encoding. */
enum taint { TAINT_REMOTE, TAINT_DECODED, TAINT_COUNT };
struct taints {
	bool is[TAINT_COUNT];
	size_t start[TAINT_COUNT]; /* where the pipeline that it comes through begins */
};

/* One command, be it behind sudo or env: its words from the program on. */
struct simple {
	size_t command; /* index */
	const struct shell_word **words;
	size_t count;
	const char *name; /* of the program, without its directory */
};

struct reading {
	const struct confinement *place; /* NULL: unknown */
	struct unusual_list *list;
	size_t more_count, dangers, notes; /* beyond the limit; found */
	size_t more_at;
	bool more_danger;
	/* The text that is read now: the command, or a text inside of it. */
	const char *bytes;
	size_t base; /* of its first byte in the command */
	bool pinned; /* its bytes are not those of the command: all notes are about pin */
	size_t pin_start, pin_end;
	const struct shell *shell;
	struct taints *of_commands, *of_words;
	unsigned depth, taint_depth;
	bool too_many;                    /* said already */
	struct str cwd;                   /* "" when it is not known */
	struct strv files[TAINT_COUNT];   /* that were made of such text */
	struct strv tainted[TAINT_COUNT]; /* variables that hold such text */
	struct strv names, values;        /* variables with a literal value */
};

/* Text of the reading, start..end; words NULL: these bytes. words is taken (freed). */
void note_add(struct reading *r, enum note_kind kind, size_t start, size_t end, char *words);
void note_simple(struct reading *r, enum note_kind kind, const struct simple *simple);
void note_word(struct reading *r, enum note_kind kind, const struct shell_word *word);
/* There are more of something than are followed: said once, about these bytes. */
void note_too_many(struct reading *r, const struct shell_word *word);
void note_place(struct unusual *note, const char *command, size_t len);
void note_sort(struct unusual_list *list);
void note_more(struct reading *r, const char *command, size_t len);

void read_text(struct reading *r, const char *bytes, size_t len);
/* The text of one word as a script. */
void read_word(struct reading *r, const struct shell_word *word);
void unusual_read_shell(const char *command, size_t len, const struct confinement *place,
	struct unusual_list *list);

/* Tables: NULL-terminated. */
bool is_starter(const char *name); /* sudo, env: starts the command behind its options */
bool name_in(const char *name, const char *const names[]);
bool simple_has(const struct simple *simple, const char *argument);
bool simple_has_letter(const struct simple *simple, char letter);
/* The first word that is no option, from `from` on; options of `with_value` take the next word. count: none. */
size_t simple_operand(const struct simple *simple, size_t from, const char *with_value);

struct check_row {
	const char *name;
	void (*check)(struct reading *, const struct simple *);
};
/* The rows of the name of the command. */
void check_by_name(
	struct reading *r, const struct simple *simple, const struct check_row *rows, size_t count);
void check_rights(struct reading *r, const struct simple *simple);
void check_files(struct reading *r, const struct simple *simple);
void check_redirections(struct reading *r, size_t command);
void check_run(struct reading *r, const struct simple *simple);
void check_words(struct reading *r, size_t command, const char *program);
/* true: an env that splits a string into a command, which has been read. */
bool check_split(struct reading *r, const struct simple *simple);
void check_long(struct reading *r, const char *bytes, size_t len);
void find_taints(struct reading *r);
/* What is handed on by variables. True when there was something new. */
bool take_variables(struct reading *r);
bool taints_any(const struct taints *taints);
const char *plain_path(const char *value); /* without ./ */
void keep_files(struct reading *r, const struct simple *simple);

/* Absolute, without . and ..; NULL when it is not known where the word points. The caller frees. */
char *word_path(const struct reading *r, const char *value);
bool may_write(const struct reading *r, const char *path);
bool is_shell(const char *name);
bool is_interpreter(const char *name);
bool decodes(const char *text);
bool decodes_and_runs(const char *text);
bool fetches(const char *text);
/* Tables: NULL-terminated. */
bool holds_any(const char *text, const char *const parts[]);
/* A part of the path, read as a pattern with * ? [ ] { , }, may be the name (".git/"). */
bool pattern_names(const char *path, const char *name);
/* pattern "x/" is all below; else the end of the path. */
bool is_place(const char *path, const char *pattern);

#endif
