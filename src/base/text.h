/* The one rule by which foreign text becomes visible text (console.md; screens.md section 2, Escapes).
   Reversible: text_unescape(shown) gives back exactly the bytes. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum text_kind {
	TEXT_PLAIN,   /* shown as it is: one grapheme, `columns` wide */
	TEXT_ESCAPE,  /* an invisible or control character made visible: <ESC> <U+202E> <xFF> <U+003C> */
	TEXT_FOLD,    /* a count that stands for many: <40 SP> <60 EMPTY LINES> */
	TEXT_NEWLINE, /* LF; shown is empty, columns 0 */
};

#define TEXT_SHOWN_BYTES 64

struct text_piece {
	enum text_kind kind;
	size_t start;		      /* offset of the source bytes */
	size_t len;		      /* number of source bytes */
	unsigned columns;	      /* width of `shown` on a terminal */
	char shown[TEXT_SHOWN_BYTES]; /* UTF-8, NUL-terminated; never a control, never invisible */
};

enum text_flags {
	TEXT_ASCII_ONLY = 1 << 0, /* locale not UTF-8: every code point above 7E is an escape */
	TEXT_LINES = 1 << 1,	  /* LF is TEXT_NEWLINE and runs of empty lines fold; without it LF is <LF> */
	TEXT_OUTPUT = 1 << 2,	  /* command output: no folding of blanks or empty lines, mixed scripts left alone */
};

struct text_iter; /* opaque */
struct text_iter *text_begin(const char *bytes, size_t len, unsigned flags); /* bytes must outlive it */
bool text_next(struct text_iter *it, struct text_piece *ret);
void text_end(struct text_iter *it);

/* The whole text through the rule; newlines stay LF with TEXT_LINES. Appends. */
void text_escape(const char *bytes, size_t len, unsigned flags, struct str *out);
char *text_escaped(const char *text); /* one field, flags 0; the caller frees */
/* The reverse of text_escape. ERR_INVALID when a form is not ours. Appends. */
int text_unescape(const char *shown, size_t len, struct str *out, struct err *err);
unsigned text_columns(const char *shown); /* width of text that already passed the rule */
bool text_is_utf8(const char *bytes, size_t len);
/* Appends bytes with every invalid byte replaced by U+FFFD (a maximal subpart each; NUL kept). */
void text_to_utf8(const char *bytes, size_t len, struct str *out);
/* Length of the longest prefix of at most max bytes that ends at a whole character (invalid bytes are whole). */
size_t text_cut(const char *bytes, size_t len, size_t max);

/* What the rule finds by itself in a command, in order of position. */
enum text_finding_kind {
	TEXT_FINDS_ORDER,	 /* bidi controls: "turns the reading order around" */
	TEXT_FINDS_HIDDEN,	 /* zero-width and other invisible: "hides a character in a word" */
	TEXT_FINDS_CONTROL,	 /* C0 (not LF, not TAB), C1, DEL: "controls a terminal" */
	TEXT_FINDS_INVALID,	 /* bytes that are not UTF-8 */
	TEXT_FINDS_MIXED,	 /* a word of mixed scripts */
	TEXT_FINDS_EMPTY_LINES, /* three or more: "hides text far below" */
	TEXT_FINDS_BLANKS,	 /* more than 24 blanks in a row with text behind them: "hides text far to the right" */
	TEXT_FINDING_COUNT
};
struct text_finding {
	enum text_finding_kind kind;
	size_t start, len;   /* the characters themselves */
	size_t word_start, word_len; /* the word or run around them, to quote */
	unsigned line;	     /* from 1, counting LF */
	unsigned amount;     /* empty lines or blanks */
	char scripts[2][32]; /* for MIXED: the rarer, the other ("Cyrillic", "Latin") */
};
struct text_findings {
	struct text_finding *items;
	size_t count;
	size_t cap;
};
void text_find(const char *bytes, size_t len, struct text_findings *ret);
void text_findings_release(struct text_findings *f);

#endif
