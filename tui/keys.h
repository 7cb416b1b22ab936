/* Bytes of a terminal become keys; sequences are swallowed to their end (console.md), bytes after ESC are never keys. */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum key_code {
	KEY_CODE_NONE,
	KEY_CODE_CHAR, /* one code point, in ch */
	KEY_CODE_ENTER,
	KEY_CODE_TAB,
	KEY_CODE_BACKTAB,
	KEY_CODE_ESC,
	KEY_CODE_BACKSPACE,
	KEY_CODE_DELETE,
	KEY_CODE_UP,
	KEY_CODE_DOWN,
	KEY_CODE_LEFT,
	KEY_CODE_RIGHT,
	KEY_CODE_HOME,
	KEY_CODE_END,
	KEY_CODE_PGUP,
	KEY_CODE_PGDN,
	KEY_CODE_CTRL,  /* ch: the letter */
	KEY_CODE_PASTE, /* bracketed; ch: number of characters */
	KEY_CODE_FOCUS_IN,
	KEY_CODE_FOCUS_OUT,
	KEY_CODE_CLICK, /* the first button went down at col, row */
	KEY_CODE_WHEEL_UP,
	KEY_CODE_WHEEL_DOWN,
	KEY_CODE_UNKNOWN, /* a whole sequence that means nothing here (late replies, other buttons) */
	KEY_CODE_PARTIAL, /* bytes came that are no whole key yet: nothing is alone any more; at most one a feed */
	KEY_CODE_COUNT
};
struct key {
	enum key_code code;
	uint32_t ch;
	unsigned col, row;   /* of the mouse, from 0 on */
	bool after_sequence; /* came less than KEY_BEHIND_MS behind a sequence: never decides */
};

#define KEY_ESC_MS                                                                                 \
	500 /* a lone ESC is the key Esc, a sequence is given up, after so long without a further byte */
#define KEY_PASTE_MS 2000 /* and a paste whose end mark was lost */
#define KEY_BEHIND_MS 400

struct key_parser; /* opaque */
struct key_parser *key_parser_new(void);
void key_parser_free(struct key_parser *parser);
void key_parser_feed(struct key_parser *parser, const void *bytes, size_t len, int64_t now_ms);
bool key_parser_next(struct key_parser *parser, int64_t now_ms, struct key *ret);
int64_t key_parser_deadline(
	const struct key_parser *parser); /* when to call again without input; -1: none */

#endif
