/* Common tokens and keys in text, masked: every byte of a secret becomes `*`, so that the length, the lines and every offset
   into the text stay what they were. For the record (`redact = true`) and for exports, never for what is executed or shown
   live. What it knows is a table of kinds; a secret of no kind stays. */
#ifndef CORE_REDACT_H
#define CORE_REDACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/strv.h"

#define REDACT_CHAR '*'

enum redact_kind {
	REDACT_AUTHORIZATION, /* the header's value behind its scheme; cookies */
	REDACT_AWS,           /* AKIA... ASIA... */
	REDACT_GITHUB,        /* ghp_... github_pat_... */
	REDACT_GITLAB,        /* glpat-... */
	REDACT_SLACK,         /* xoxb-... */
	REDACT_API_KEY,       /* sk-... AIza... npm_... and the like */
	REDACT_JWT,           /* eyJ... */
	REDACT_PRIVATE_KEY,   /* the lines between BEGIN and END of a PEM private key */
	REDACT_NAMED, /* VALUE of a name that says secret: API_KEY=VALUE, "password": "VALUE", --token VALUE */
	REDACT_URL,      /* the password of scheme://user:password@host */
	REDACT_REPEATED, /* again what redact_learn() has seen */
	REDACT_KIND_COUNT
};
const char *redact_kind_name(enum redact_kind kind); /* "authorization" "named": in the record */

/* What was masked so far; zeroed at the start. */
struct redact_found {
	unsigned count[REDACT_KIND_COUNT];
};
bool redact_found_any(const struct redact_found *found);

/* Masks a whole text in place. known: values of redact_learn(); NULL: none. */
void redact_text(char *text, size_t len, const struct strv *known, struct redact_found *found);
/* Appends the secrets of a text to known, those long enough to be told from other words, each once and at most
   REDACT_KNOWN_MAX, so that they are masked where they stand alone too. */
#define REDACT_KNOWN_MAX 64
void redact_learn(const char *text, size_t len, struct strv *known);

/* Text that comes in pieces, split anywhere: the pieces that are given out, put together, are redact_text() of the pieces that
   were put in, put together. What could be the beginning of a secret is held until more is known: a word, at most
   REDACT_HELD_MAX bytes. */
#define REDACT_HELD_MAX 1024
enum redact_until {
	REDACT_UNTIL_NOW, /* in no secret */
	REDACT_UNTIL_CLASS,
	REDACT_UNTIL_WORD,
	REDACT_UNTIL_QUOTE,
	REDACT_UNTIL_ESCAPED_QUOTE,
	REDACT_UNTIL_LINE,
	REDACT_UNTIL_DASHES,
	REDACT_UNTIL_COUNT
};
struct redact_stream {
	const struct strv *known;
	struct str held;
	char before;             /* the last byte given out; NUL at the start */
	bool option;             /* it is the last of the dashes that a word begins with */
	enum redact_until until; /* in a secret: what ends it */
	const char *body;        /* REDACT_UNTIL_CLASS: its punctuation */
	char quote;              /* the quote that ends it */
	bool skip;               /* the next byte stands behind a backslash */
};
/* known is not owned and may grow meanwhile; NULL: none. */
void redact_stream_init(struct redact_stream *stream, const struct strv *known);
void redact_stream_release(struct redact_stream *stream);
/* Both append what is given out. redact_stream_end: nothing more comes; the stream may begin anew. */
void redact_stream_add(struct redact_stream *stream, const char *bytes, size_t len, struct str *out,
	struct redact_found *found);
void redact_stream_end(struct redact_stream *stream, struct str *out, struct redact_found *found);

#endif
