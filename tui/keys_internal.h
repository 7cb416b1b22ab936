/* The state of the key parser. Private to keys*.c. */
#ifndef TUI_KEYS_INTERNAL_H
#define TUI_KEYS_INTERNAL_H

#include "tui/keys.h"

enum keys_state {
	KEYS_GROUND,
	KEYS_UTF8,       /* inside a character */
	KEYS_ESC,        /* behind ESC */
	KEYS_ESC_UTF8,   /* behind ESC, inside a character (Alt and a letter) */
	KEYS_ESC_MIDDLE, /* ESC and intermediate bytes */
	KEYS_CSI,
	KEYS_CSI_LINUX, /* ESC [ [: one more byte (function keys of the kernel's console) */
	KEYS_MOUSE,     /* ESC [ M: three raw bytes */
	KEYS_SS3,
	KEYS_STRING,     /* OSC DCS APC PM SOS */
	KEYS_STRING_ESC, /* and ESC inside: the first half of its end? */
	KEYS_PASTE,
	KEYS_STATE_COUNT
};

#define KEYS_PARAMS_BYTES 16 /* longer ones mean nothing here, they are only swallowed */

struct key_parser {
	enum keys_state state;
	int64_t now_ms;    /* of the byte at hand */
	int64_t fed_at_ms; /* of the last byte */
	bool any_sequence;
	int64_t sequence_at_ms; /* end of the last sequence */
	char params[KEYS_PARAMS_BYTES];
	size_t params_len;   /* more than KEYS_PARAMS_BYTES: too long */
	bool is_osc;         /* of KEYS_STRING: BEL ends it too */
	uint8_t least, most; /* what the next byte of a character may be */
	unsigned need;       /* bytes still to come: of a character, of a mouse report */
	uint32_t ch;
	unsigned matched; /* bytes of the paste's end mark */
	uint32_t pasted;  /* characters */
	struct key *queue;
	size_t count, cap, taken;
};

void keys_emit(struct key_parser *p, enum key_code code, uint32_t ch);
void keys_sequence_done(struct key_parser *p, enum key_code code, uint32_t ch);
void keys_step(struct key_parser *p, uint8_t byte);
/* keys_utf8.c: starts a character with a byte >= 0x80; false when no character starts with it. */
bool keys_utf8_begin(struct key_parser *p, uint8_t byte);
/* One more byte; false when it does not belong to the character. At its end need is 0 and ch whole. */
bool keys_utf8_more(struct key_parser *p, uint8_t byte);
/* keys_string.c */
void keys_step_string(struct key_parser *p, uint8_t byte);
void keys_step_string_esc(struct key_parser *p, uint8_t byte);
void keys_step_paste(struct key_parser *p, uint8_t byte);
void keys_begin_paste(struct key_parser *p);
uint32_t keys_paste_count(const struct key_parser *p);
/* keys_mouse.c: ends the sequence if it is a report of the mouse. */
bool keys_mouse(struct key_parser *p, uint8_t final);
/* keys_step.c: a byte behind ESC. */
void keys_step_esc(struct key_parser *p, uint8_t byte);

#endif
