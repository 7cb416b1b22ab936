/* The forms that the safe-text rule writes: <ESC> <U+202E> <xFF> <40 SP> <60 EMPTY LINES>.
   Private to text*.c. */
#ifndef BASE_TEXT_FORM_H
#define BASE_TEXT_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More of them are folded, and are a finding: a person would not count them, and text may hide behind. */
#define TEXT_BLANKS_SHOWN_MAX 24
#define TEXT_EMPTY_LINES_SHOWN_MAX 2

enum text_form_kind {
	TEXT_FORM_NAME,   /* <ESC>: a C0 control or DEL */
	TEXT_FORM_CODE,   /* <U+202E> */
	TEXT_FORM_BYTE,   /* <xFF> */
	TEXT_FORM_BLANKS, /* <40 SP> */
	TEXT_FORM_LINES,  /* <60 EMPTY LINES> */
	TEXT_FORM_STATES, /* <31 CR>: written by the output view, stands for what it left out */
};

struct text_form {
	enum text_form_kind kind;
	size_t len;     /* with the angle brackets */
	uint32_t value; /* code, byte or count; a count too large is UINT32_MAX */
	bool padded;    /* digits that a canonical form does not have */
};

/* Whether bytes[0..len) begin with something of the shape of a form, one that the rule writes or
   not. */
bool text_form_read(const char *bytes, size_t len, struct text_form *ret);
/* "ESC" for 0x1B; NULL when uc is not a C0 control or DEL. */
const char *text_control_name(uint32_t uc);

#endif
