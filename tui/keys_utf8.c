#include "config.h"

#include "tui/keys_internal.h"

#include "base/mem.h"

/* Table 3-7 of the Unicode standard: well-formed UTF-8. The range of the second byte keeps out overlong forms, surrogates and
   what is above U+10FFFF; without it C1 controls and ESC could be typed in a longer spelling. */
static const struct lead {
	uint8_t first, last;
	unsigned more;
	uint8_t least, most; /* of the second byte */
} leads[] = {
	{0xC2, 0xDF, 1, 0x80, 0xBF},
	{0xE0, 0xE0, 2, 0xA0, 0xBF},
	{0xE1, 0xEC, 2, 0x80, 0xBF},
	{0xED, 0xED, 2, 0x80, 0x9F},
	{0xEE, 0xEF, 2, 0x80, 0xBF},
	{0xF0, 0xF0, 3, 0x90, 0xBF},
	{0xF1, 0xF3, 3, 0x80, 0xBF},
	{0xF4, 0xF4, 3, 0x80, 0x8F},
};

bool keys_utf8_begin(struct key_parser *p, uint8_t byte)
{
	for (size_t i = 0; i < ARRAY_LEN(leads); i++) {
		if (byte < leads[i].first || byte > leads[i].last)
			continue;
		p->need = leads[i].more;
		p->least = leads[i].least;
		p->most = leads[i].most;
		p->ch = byte & (0x3Fu >> leads[i].more);
		return true;
	}
	return false;
}

bool keys_utf8_more(struct key_parser *p, uint8_t byte)
{
	if (byte < p->least || byte > p->most)
		return false;
	p->ch = p->ch << 6 | (byte & 0x3Fu);
	p->need--;
	p->least = 0x80;
	p->most = 0xBF;
	return true;
}
