/* The one rule by which foreign text becomes visible text (console.md; screens.md section 2,
   Escapes). Reversible: text_unescape(shown) gives back exactly the bytes. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum text_kind {
	TEXT_PLAIN,   /* shown as it is: a character with its marks, `columns` wide */
	TEXT_ESCAPE,  /* a character that is not itself: <ESC> <U+202E> <xFF> <U+003C> */
	TEXT_FOLD,    /* a count that stands for many: <40 SP> <60 EMPTY LINES> */
	TEXT_NEWLINE, /* LF; shown is empty, columns 0 */
};

#define TEXT_SHOWN_BYTES 64

struct text_piece {
	enum text_kind kind;
	size_t start;                 /* offset of the source bytes */
	size_t len;                   /* number of source bytes */
	unsigned columns;             /* width of `shown` on a terminal */
	char shown[TEXT_SHOWN_BYTES]; /* UTF-8, NUL-terminated; never a control, never invisible */
};

enum text_flags {
	/* The locale is not UTF-8: every code point above 7E is an escape. */
	TEXT_ASCII_ONLY = 1 << 0,
	/* LF is TEXT_NEWLINE and runs of empty lines fold; without it LF is <LF>. */
	TEXT_LINES = 1 << 1,
	/* Command output: no folding of blanks or empty lines, mixed scripts left alone. */
	TEXT_OUTPUT = 1 << 2,
};

/* Pieces follow one another without gaps. N empty lines are a fold of N-1 LF, then a
   TEXT_NEWLINE: the fold is one row, and the line behind it has the number of the fold's line plus
   N. */
struct text_iter; /* opaque */
/* bytes must outlive it. Each piece takes constant time on average. */
struct text_iter *text_begin(const char *bytes, size_t len, unsigned flags);
bool text_next(struct text_iter *it, struct text_piece *ret);
void text_end(struct text_iter *it);

/* The whole text through the rule; newlines stay LF with TEXT_LINES. Appends. */
void text_escape(const char *bytes, size_t len, unsigned flags, struct str *out);
/* One field, flags 0; the caller frees. */
char *text_escaped(const char *text);
/* No fold counts more: a longer run is several folds, so that a short text cannot unfold to a
   huge one. */
#define TEXT_FOLD_MAX 999999
#define TEXT_UNESCAPED_MAX (64u << 20)
/* The reverse of text_escape. ERR_INVALID when something has the shape of a form and is not one
   that the rule writes; ERR_LIMIT over TEXT_UNESCAPED_MAX bytes. All other bytes stand for
   themselves. Appends. */
int text_unescape(const char *shown, size_t len, struct str *out, struct err *err);
/* TEXT_ASCII_ONLY where the locale is not UTF-8: such a terminal takes a byte of a longer character for a control. */
unsigned text_locale_flags(void);
/* Of the letter at bytes[0..len): its length, when it is one of the many that are shown as they are (of Latin with marks, Cyrillic,
   Chinese, Japanese, Korean) and nothing follows that could be drawn onto it; else 0, and only text_next() knows. Without TEXT_ASCII_ONLY. */
size_t text_letter(const char *bytes, size_t len, unsigned *ret_columns);
/* Width of text that already passed the rule. */
unsigned text_columns(const char *shown);

bool text_is_utf8(const char *bytes, size_t len);
/* Appends bytes with every invalid byte replaced by U+FFFD (a maximal subpart each; NUL kept). */
void text_to_utf8(const char *bytes, size_t len, struct str *out);
/* Length of the longest prefix of at most max bytes that ends at a whole character (invalid
   bytes are whole). */
size_t text_cut(const char *bytes, size_t len, size_t max);
/* Copies what fits, cut at a whole character. */
void text_fit(const char *text, char *buf, size_t size);
/* Length without the beginning of a character that more bytes could still complete. */
size_t text_whole(const char *bytes, size_t len);

/* Appends foreign text between quotation marks, with a backslash before each of its own: it cannot end the quotation. */
void text_quote(const char *text, struct str *out);
/* The same without the marks around it, where they are drawn as words of our own. */
void text_quoted(const char *text, struct str *out);
/* Appends a foreign name for a place between our own words: as it is when it is made of what names are made of, else quoted, so
   that no name goes on as our words would. */
void text_name(const char *name, struct str *out);

/* What the rule finds by itself in a command, in order of position. */
enum text_finding_kind {
	TEXT_FINDS_ORDER,       /* bidi controls: "turns the reading order around" */
	TEXT_FINDS_HIDDEN,      /* zero-width, other invisible: "hides a character in a word" */
	TEXT_FINDS_CONTROL,     /* C0 (not LF, not TAB), C1, DEL: "controls a terminal" */
	TEXT_FINDS_INVALID,     /* bytes that are not UTF-8 */
	TEXT_FINDS_MIXED,       /* a word of mixed scripts */
	TEXT_FINDS_EMPTY_LINES, /* three or more, text behind them: "hides text far below" */
	TEXT_FINDS_BLANKS,      /* more than 24, text behind them: "hides text far to the right" */
	TEXT_FINDING_COUNT
};
struct text_finding {
	enum text_finding_kind kind;
	size_t start, len;           /* the characters themselves (MIXED: the first letter) */
	size_t word_start, word_len; /* the word, run or control sequence around them, to quote */
	unsigned line;               /* from 1, counting LF */
	unsigned amount;     /* empty lines or blanks; else how many characters in the word */
	char scripts[2][32]; /* for MIXED: the rarer, the other ("Cyrillic", "Latin") */
};
struct text_findings {
	struct text_finding *items;
	size_t count;
	size_t cap;
};
/* *ret is empty at the start. Several characters of one kind in one word are one finding, and so
   are all that come after the first 16 of a kind on a line. */
void text_find(const char *bytes, size_t len, struct text_findings *ret);
void text_findings_release(struct text_findings *f);

#endif
