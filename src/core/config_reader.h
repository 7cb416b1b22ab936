/* A reader of the TOML subset of protocol.md section 4, in front of inih: it hands inih short lines that none of its
   rules can bend (facts: a 200-byte buffer, " ;" inside strings, continuation lines, text after a header).

   A line fed is "[section]" or "KEY=T:PIECE" with T one of
     s  a string, or its last piece      e  an element of an array, or its last piece
     +  a piece that another one follows i  a whole number    n  another number    b  true or false
     [  an array begins                  ]  it ends
   In PIECE every byte that is not plain ASCII stands as \u00XX (the byte, not a code point). */
#ifndef CORE_CONFIG_READER_H
#define CORE_CONFIG_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define CONFIG_FILE_BYTES (1u << 20)
#define CONFIG_LINE_BYTES 65536u  /* any string in any spelling fits; without its newline */
#define CONFIG_STRING_BYTES 4096u /* a path fits */
#define CONFIG_NAME_BYTES 48u     /* of a key or a section: inih cuts longer ones in silence */
#define CONFIG_ARRAY_ITEMS 1024u

struct config_line {
	char *text;
	unsigned line; /* of the file */
};

struct config_reader {
	const char *at, *end;
	const char *file;  /* for messages; not owned */
	unsigned line;     /* where `at` is, from 1 */
	unsigned fed_line; /* of the line last handed to inih */
	struct config_line *queue;
	size_t count, cap, next;
	struct err *err;
	bool failed;
	/* Called at a header ("name", or "name" of an array of tables with is_array). Returns 0, or -1 with err set. */
	int (*on_section)(
		void *user, const char *name, unsigned line, bool is_array, struct err *err);
	/* Called before the value of a key is looked at. The same. */
	int (*on_key)(void *user, const char *name, unsigned line, struct err *err);
	void *user;
};

/* Whole-file rules: UTF-8, no control characters, no over-long line. A byte order mark and CR LF are accepted.
   text must outlive the reader. Errors: ERR_INVALID with "FILE:LINE: ...". */
int config_reader_init(struct config_reader *reader, const char *text, size_t len, const char *file,
	struct err *err);
void config_reader_release(struct config_reader *reader);
/* The ini_reader callback; `stream` is the reader. NULL at the end and after a fault (failed is set). */
char *config_reader_feed(char *buf, int size, void *stream);
/* err_set with "FILE:LINE: " in front and marks the reader as failed; returns -1. */
int config_reader_fail(struct config_reader *reader, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Undoes the escapes of a piece. Appends. */
void config_piece_decode(const char *piece, struct str *out);

#endif
