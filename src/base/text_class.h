/* What a code point is to the safe-text rule. Private to text*.c. */
#ifndef BASE_TEXT_CLASS_H
#define BASE_TEXT_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <unitypes.h>

enum text_class {
	TEXT_CLASS_GRAPHIC, /* visible, one or two columns */
	TEXT_CLASS_MARK,    /* visible, no column of its own: joins the character before it */
	TEXT_CLASS_CONTROL, /* C0, DEL, C1 */
	TEXT_CLASS_BIDI,    /* changes the reading order */
	TEXT_CLASS_HIDDEN,  /* invisible, a blank that is not U+0020, or without a known shape */
	TEXT_CLASS_UNSURE,  /* visible, but terminals do not agree on its width */
	TEXT_CLASS_INVALID, /* no code point: a byte that is not UTF-8 */
};

/* The character at bytes[0..len), len > 0. Returns its length; an invalid byte is 1 long,
   *ret_uc its value and *ret_class TEXT_CLASS_INVALID. U+0020 is graphic. */
size_t text_classify_at(const char *bytes, size_t len, ucs4_t *ret_uc, enum text_class *ret_class);
enum text_class text_classify(ucs4_t uc);
/* Columns of a graphic character or mark. */
unsigned text_width(ucs4_t uc);
/* Whether `uc` is a mark that is drawn onto `base`, a graphic character; `before` is the last
   mark on it already, or the base. */
bool text_joins(ucs4_t base, ucs4_t before, ucs4_t uc);
/* Whether a graphic character or mark belongs to a word: a letter, mark or number. */
bool text_in_word(ucs4_t uc);
/* An emoji modifier: where it follows an emoji, some terminals draw one sign and some two. */
bool text_is_emoji_modifier(ucs4_t uc);

#endif
