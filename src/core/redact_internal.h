/* How a secret is found and where it ends. Private to redact*.c. */
#ifndef CORE_REDACT_INTERNAL_H
#define CORE_REDACT_INTERNAL_H

#include "core/redact.h"

/* What stands from one byte on: at most REDACT_HELD_MAX bytes, so that the same is found however the text is split. */
struct redact_window {
	const char *text;
	size_t len;
	bool more;   /* the text goes on behind it, and what follows may still change the answer */
	char before; /* as in redact_stream */
	bool option;
	const struct strv *known;
};

enum redact_answer {
	REDACT_NONE,  /* no secret begins here */
	REDACT_HERE,  /* *ret says where */
	REDACT_UNSURE /* the window ends too early */
};
struct redact_match {
	enum redact_kind kind;
	size_t keep;             /* bytes in front of the secret */
	size_t mask;             /* bytes of it, when that is known; else 0, and: */
	enum redact_until until; /* what ends it */
	const char *body;
	char quote;
};

/* len is not 0. */
enum redact_answer redact_find(const struct redact_window *w, struct redact_match *ret);
/* One that has a name before it; redact_find() asks it where a name may begin. */
enum redact_answer redact_find_named(const struct redact_window *w, struct redact_match *ret);
/* What ends the window ends the answer. */
enum redact_answer redact_at_end(const struct redact_window *w);
bool redact_is_body(char c, const char *punctuation); /* a letter, a digit, or one of these */
bool redact_is_blank(char c);                         /* a space or a tab */
/* Bytes of the secret that the stream is in, at the start of the text; *ret_over: it ends behind them. Not over and less than
   len: the rest has to be seen with what follows. */
size_t redact_rest(
	struct redact_stream *stream, const char *text, size_t len, bool more, bool *ret_over);

#endif
