/* Reads a command as a POSIX shell with bash's common extensions would, as far as words: for the colours of the card and
   for its notes. It changes nothing, keeps nothing of the text it does not need, takes time linear in the text, and
   nests to a bounded depth without calling itself. Where it is not sure it stops: the rest is one string. */
#ifndef CORE_SHELL_H
#define CORE_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#define SHELL_NONE ((size_t)-1)

enum shell_part {
	SHELL_PLAIN,
	SHELL_PROGRAM, /* first word of a simple command */
	SHELL_JOIN,    /* ; & | redirections $( and keywords */
	SHELL_STRING,  /* quoted text, the text of a here-document */
	SHELL_EXPAND,  /* $x * ~ */
};
struct shell_span { /* spans follow one another without gaps */
	size_t start, end;
	enum shell_part part;
};

enum shell_flags {
	SHELL_QUOTED = 1 << 0,
	SHELL_EXPANDS = 1 << 1,
	SHELL_SUBSTITUTES = 1 << 2, /* holds $( ) or ` ` */
	SHELL_PROCESS = 1 << 3,     /* is <( ) */
	SHELL_GLOB = 1 << 4,        /* an unquoted * ? */
	SHELL_WHOLE = 1 << 5,  /* one quoted string, whose bytes are the value, from `inner` on */
	SHELL_CODED = 1 << 6,  /* $'..' whose codes spell letters */
	SHELL_PIECES = 1 << 7, /* quotes or backslashes that only cut a word in pieces */
	SHELL_MANY = 1 << 8,   /* two expansions side by side, or a part of a variable */
	SHELL_LITERAL_QUOTES = 1 << 9, /* a here-document whose delimiter is quoted */
};
enum shell_role {
	SHELL_ARGUMENT,
	SHELL_IS_PROGRAM,
	SHELL_ASSIGNMENT,
	SHELL_TARGET, /* of a redirection */
	SHELL_HERE,   /* delimiter of a here-document */
	SHELL_OTHER,  /* keyword, pattern, name of a function */
};
struct shell_word {
	size_t start, end, inner;
	unsigned flags;
	enum shell_role role;
	char op[4];                  /* of TARGET and HERE: ">" ">>" "<" "<<<" "<<-"; "&>" is ">" */
	size_t op_start;             /* where it stands */
	size_t body_start, body_end; /* of HERE */
	size_t command;
	size_t next; /* word of the same command */
	char *value; /* without quotes; $( ) reads "$()" */
};
struct shell_command {
	size_t first, last; /* words */
	size_t program;     /* word, or SHELL_NONE */
	size_t start, end;  /* bytes, redirections and a closing & included */
	size_t piped_from;  /* command whose output it reads */
	size_t piped_with; /* the last command of { } ( ) and the like that its output leaves with */
	size_t parent;     /* word that takes its output */
	bool background;
};
struct shell {
	struct shell_span *spans;
	size_t span_count, span_cap;
	struct shell_word *words;
	size_t word_count, word_cap;
	struct shell_command *commands;
	size_t command_count, command_cap;
	size_t unsure; /* the byte from which on it is not read, or SHELL_NONE */
};
/* *ret is empty at the start. values: words keep their values; without, commands and words are of no use, and it is faster. */
void shell_read(const char *bytes, size_t len, bool values, struct shell *ret);
void shell_release(struct shell *shell);
/* The next word of the role behind `word` in its command, or its first when word is SHELL_NONE; SHELL_NONE. */
size_t shell_next(const struct shell *shell, size_t command, size_t word, enum shell_role role);

#endif
