/* The reader at work. Private to shell*.c. */
#ifndef CORE_SHELL_INTERNAL_H
#define CORE_SHELL_INTERNAL_H

#include "base/str.h"
#include "core/shell.h"

/* Deeper text is not read: a command of a million "$(" must cost no memory. */
#define SHELL_DEPTH_MAX 40
#define SHELL_HERE_MAX 16

enum shell_mode { SHELL_LIST, SHELL_DOUBLE, SHELL_BRACE, SHELL_ARITH, SHELL_BODY };
enum shell_case { SHELL_CASE_NONE, SHELL_CASE_WORD, SHELL_CASE_PATTERN };

#define SHELL_GROUPS_MAX 16 /* those deeper count as the innermost of these */

struct shell_group {      /* { } if for while case, until its end */
	size_t first;     /* command */
	size_t pipe_base; /* of what is around it */
};
struct shell_frame {
	enum shell_mode mode;
	char close;             /* of LIST ')' '`' or 0 */
	bool is_array;          /* a=( ), newlines are blanks */
	bool at_command;        /* the next word is a program, an assignment or a keyword */
	bool in_test;           /* between [[ and ]] */
	bool is_function;       /* behind "function" */
	bool has_function_name; /* the last word was the name behind "function": () may follow */
	bool behind_coproc,
		has_coproc_name; /* coproc; the program so far is its NAME, if { follows */
	bool has_program_last;   /* the last word was a program: name() may follow */
	enum shell_case case_state;
	unsigned cases, parens;
	unsigned loop_words; /* of for and select, with these; 0: behind no such */
	size_t opened;       /* the byte */
	size_t list;         /* nearest frame that is a LIST, itself perhaps */
	size_t command, last_command, pipe_from, parent;
	size_t pipe_base; /* what all commands of a ( ) behind a | read */
	struct shell_group groups[SHELL_GROUPS_MAX];
	unsigned group_count;
	size_t first_command; /* of a ( ) */
	size_t closed_before; /* closed_group as it was before this word */
	size_t closed_group; /* first command of the group that ended here: a pipe reads all of it */
	size_t word;         /* that is open, or SHELL_NONE */
	size_t word_span;
	size_t op_start, op_end; /* a redirection that waits for its word; op_end 0: none */
	size_t limit, base;      /* of BODY: those outside */
	size_t pending;          /* of LIST: how many waited when it was opened */
	bool last_expanded;      /* the byte before ended an expansion */
	unsigned cuts; /* single quoted letters, empty quotes, escaped letters of the word */
	bool has_bare, name_so_far;
	struct str value;
};
struct shell_scan {
	struct shell *out;
	const char *bytes;
	size_t len, at;
	size_t limit; /* the end of the innermost here-document body, or len */
	bool values, failed;
	struct shell_frame frames[SHELL_DEPTH_MAX];
	size_t depth;
	size_t pending[SHELL_HERE_MAX]; /* words whose bodies begin behind the next newline */
	size_t pending_count;
	size_t base; /* those before it wait for the end of a body that is being read */
};

struct shell_frame *shell_top(struct shell_scan *s);
struct shell_frame *shell_list(struct shell_scan *s);      /* nearest LIST */
char shell_peek(const struct shell_scan *s, size_t ahead); /* '\0' behind the end */
/* The newline, or where the text ends. */
size_t shell_line_end(const struct shell_scan *s, size_t at);
/* Gives the next n bytes a colour and goes on behind them. */
void shell_paint(struct shell_scan *s, size_t n, enum shell_part part);
void shell_fail(struct shell_scan *s, size_t at);
bool shell_push(struct shell_scan *s, enum shell_mode mode, char close);
void shell_pop(struct shell_scan *s);

/* Words. */
void shell_word_open(struct shell_scan *s);
void shell_word_close(struct shell_scan *s);
void shell_word_add(struct shell_scan *s, const char *bytes, size_t len);
void shell_word_flag(struct shell_scan *s, unsigned flags);
void shell_command_end(struct shell_scan *s);
/* The n bytes ahead are a redirection, whose word follows. */
void shell_redirect(struct shell_scan *s, size_t n);

bool shell_word_reads_one(const struct shell_scan *s, const struct shell_word *word,
	const char *const texts[], size_t count);

/* A keyword that begins or ends a group. */
void shell_group_follow(
	struct shell_scan *s, struct shell_frame *list, const struct shell_word *word);
void shell_group_close(struct shell_frame *list);
/* The { of `coproc NAME {`: true when the word is one. */
bool shell_group_of_coproc(struct shell_scan *s, struct shell_frame *list, struct shell_word *word);

/* What begins at a quote, a backslash, a dollar or a backtick. */
void shell_single(struct shell_scan *s);
void shell_double(struct shell_scan *s);
void shell_coded(struct shell_scan *s);
void shell_escape(struct shell_scan *s);
void shell_dollar(struct shell_scan *s);
void shell_backtick(struct shell_scan *s);
/* One step inside of these. */
void shell_step_list(struct shell_scan *s);
void shell_step_text(struct shell_scan *s);

/* Behind a newline: the bodies that wait. */
void shell_bodies(struct shell_scan *s);
void shell_body_end(struct shell_scan *s);

#endif
