/* Any bytes through the safe-text rule: what is shown has no control, reads back to the bytes,
   and findings lie inside the text. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/text.h"

#define ALL_FLAGS (TEXT_ASCII_ONLY | TEXT_LINES | TEXT_OUTPUT)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_shown(const struct str *shown, unsigned flags)
{
	must(text_is_utf8(str_c(shown), shown->len));
	for (size_t i = 0; i < shown->len; i++) {
		unsigned char c = (unsigned char)shown->data[i];

		must(c != 0x7F);
		must(c >= 0x20 || (c == '\n' && (flags & TEXT_LINES)));
		must(c < 0x80 || !(flags & TEXT_ASCII_ONLY));
	}
}

static void check_reverse(const char *bytes, size_t len, unsigned flags)
{
	STR_AUTO struct str shown = STR_INIT;
	STR_AUTO struct str back = STR_INIT;

	text_escape(bytes, len, flags, &shown);
	check_shown(&shown, flags);
	must(text_unescape(str_c(&shown), shown.len, &back, NULL) == 0);
	must(back.len == len && memcmp(str_c(&back), bytes, len) == 0);
}

static void check_pieces(const char *bytes, size_t len, unsigned flags)
{
	struct text_iter *it = text_begin(bytes, len, flags);
	struct text_piece piece;
	size_t at = 0;

	while (text_next(it, &piece)) {
		must(piece.start == at && piece.len > 0);
		must(piece.columns == text_columns(piece.shown));
		at += piece.len;
	}
	must(at == len);
	text_end(it);
}

static void check_findings(const char *bytes, size_t len)
{
	struct text_findings found = {0};

	text_find(bytes, len, &found);
	for (size_t i = 0; i < found.count; i++) {
		const struct text_finding *f = &found.items[i];

		must(f->len > 0 && f->word_start <= f->start);
		must(f->start + f->len <= f->word_start + f->word_len);
		must(f->word_start + f->word_len <= len);
		must(i == 0 || found.items[i - 1].start <= f->start);
	}
	text_findings_release(&found);
}

static void check_utf8(const char *bytes, size_t len)
{
	STR_AUTO struct str valid = STR_INIT;
	STR_AUTO struct str back = STR_INIT;

	text_to_utf8(bytes, len, &valid);
	must(text_is_utf8(str_c(&valid), valid.len));
	must(text_whole(bytes, len) <= len);
	for (size_t max = 0; max <= len && max < 16; max++) {
		size_t cut = text_cut(bytes, len, max);

		must(cut <= max && max - cut < 4);
	}
	/* The bytes themselves as shown text: refused or read, never a crash. */
	text_unescape(bytes, len, &back, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes;

	for (unsigned flags = 0; flags <= ALL_FLAGS; flags++) {
		check_reverse(text, len, flags);
		check_pieces(text, len, flags);
	}
	check_findings(text, len);
	check_utf8(text, len);
	return 0;
}
