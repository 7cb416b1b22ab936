#include "config.h"

#include "base/text_class.h"

#include <unictype.h>
#include <unigbrk.h>
#include <unistr.h>
#include <uniwidth.h>

#include "base/mem.h"
#include "base/text.h"

struct range {
	ucs4_t first, last;
};

/* Graphic by their category, and yet nothing is seen where they stand. */
static const struct range blank_shapes[] = {
	{0x2800, 0x2800},   /* braille pattern without a dot */
	{0xFFFC, 0xFFFC},   /* object replacement character */
	{0x16FE4, 0x16FE4}, /* Khitan small script filler */
	{0x1D159, 0x1D159}, /* musical symbol null notehead */
};

/* One column in some width tables, two in others. */
static const struct range unsure_widths[] = {
	{0x3248, 0x324F}, /* circled numbers on black squares */
	{0x4DC0, 0x4DFF}, /* hexagrams */
};

/* Ranges of visible letters with many members, to save the look-ups of properties. Up to the first wide one all have one column. */
#define FIRST_WIDE_LETTER 0x3041u
static const struct range plain_letters[] = {
	{0xC0, 0x2FF},               /* Latin */
	{0x410, 0x44F},              /* Cyrillic */
	{FIRST_WIDE_LETTER, 0x3096}, /* Hiragana */
	{0x30A1, 0x30FA},            /* Katakana */
	{0x4E00, 0x9FFC},            /* Han */
	{0xAC00, 0xD7A3},            /* Hangul */
};

#define IN_RANGES(uc, ranges) in_ranges((uc), (ranges), ARRAY_LEN(ranges))

static bool in_ranges(ucs4_t uc, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (uc >= ranges[i].first && uc <= ranges[i].last)
			return true;
	}
	return false;
}

static bool has_category(ucs4_t uc, uint32_t mask)
{
	return uc_is_general_category_withtable(uc, mask);
}

/* No shape, or a shape that nobody can know: format characters, separators, surrogates, private
   use, unassigned (noncharacters among them), and everything a renderer may leave out. */
static bool is_hidden(ucs4_t uc)
{
	const uint32_t shapeless = UC_CATEGORY_MASK_Cf | UC_CATEGORY_MASK_Cs | UC_CATEGORY_MASK_Co |
				   UC_CATEGORY_MASK_Cn | UC_CATEGORY_MASK_Zs | UC_CATEGORY_MASK_Zl |
				   UC_CATEGORY_MASK_Zp;

	return has_category(uc, shapeless) || uc_is_property_default_ignorable_code_point(uc) ||
	       IN_RANGES(uc, blank_shapes);
}

static bool is_conjoining_jamo(ucs4_t uc)
{
	int property = uc_graphemeclusterbreak_property(uc);

	return property == GBP_V || property == GBP_T;
}

enum text_class text_classify(ucs4_t uc)
{
	if (uc < 0x20 || (uc >= 0x7F && uc < 0xA0))
		return TEXT_CLASS_CONTROL;
	if (uc < 0x7F || IN_RANGES(uc, plain_letters))
		return TEXT_CLASS_GRAPHIC;
	if (uc_is_property_bidi_control(uc))
		return TEXT_CLASS_BIDI;
	if (is_hidden(uc))
		return TEXT_CLASS_HIDDEN;
	if (IN_RANGES(uc, unsure_widths))
		return TEXT_CLASS_UNSURE;
	if (has_category(uc, UC_CATEGORY_MASK_Mn | UC_CATEGORY_MASK_Me) || is_conjoining_jamo(uc))
		return TEXT_CLASS_MARK;
	return uc_width(uc, "UTF-8") > 0 ? TEXT_CLASS_GRAPHIC : TEXT_CLASS_HIDDEN;
}

size_t text_classify_at(const char *bytes, size_t len, ucs4_t *ret_uc, enum text_class *ret_class)
{
	unsigned char first = (unsigned char)bytes[0];

	if (first < 0x80) {
		*ret_uc = first;
		*ret_class = text_classify(first);
		return 1;
	}
	int used = u8_mbtoucr(ret_uc, (const uint8_t *)bytes, len);
	if (used <= 0) {
		*ret_uc = first;
		*ret_class = TEXT_CLASS_INVALID;
		return 1;
	}
	*ret_class = text_classify(*ret_uc);
	return (size_t)used;
}

/* Of two or three bytes. What has a shorter form begins with C0, C1 or E0, and a surrogate is in no range. */
static size_t plain_letter(const unsigned char *bytes, size_t len, ucs4_t *ret_uc)
{
	size_t need = bytes[0] >= 0xE0 ? 3 : 2;

	if (bytes[0] < 0xC3 || bytes[0] == 0xE0 || bytes[0] > 0xED || len < need ||
		(bytes[1] & 0xC0) != 0x80)
		return 0;
	*ret_uc = (bytes[0] & 0x1Fu) << 6 | (bytes[1] & 0x3Fu);
	if (need == 3 && (bytes[2] & 0xC0) != 0x80)
		return 0;
	if (need == 3)
		*ret_uc = (bytes[0] & 0x0Fu) << 12 | (bytes[1] & 0x3Fu) << 6 | (bytes[2] & 0x3Fu);
	return IN_RANGES(*ret_uc, plain_letters) ? need : 0;
}

size_t text_letter(const char *bytes, size_t len, unsigned *ret_columns)
{
	const unsigned char *at = (const unsigned char *)bytes;
	ucs4_t uc = 0, next;
	size_t used = len == 0 ? 0 : plain_letter(at, len, &uc);

	if (used == 0)
		return 0;
	if (used < len && at[used] >= 0x80 && plain_letter(at + used, len - used, &next) == 0)
		return 0;
	*ret_columns = uc < FIRST_WIDE_LETTER ? 1 : 2;
	return used;
}

unsigned text_width(ucs4_t uc)
{
	if (uc >= 0x20 && uc < 0x7F)
		return 1;
	if (text_classify(uc) == TEXT_CLASS_MARK)
		return 0;
	int width = uc_width(uc, "UTF-8");

	return width > 0 ? (unsigned)width : 0;
}

/* UAX 29, GB6 to GB8, the part about vowels and final consonants. */
static bool jamo_joins(ucs4_t before, ucs4_t uc)
{
	int left = uc_graphemeclusterbreak_property(before);

	if (uc_graphemeclusterbreak_property(uc) == GBP_V)
		return left == GBP_L || left == GBP_V || left == GBP_LV;
	return left == GBP_V || left == GBP_T || left == GBP_LV || left == GBP_LVT;
}

bool text_joins(ucs4_t base, ucs4_t before, ucs4_t uc)
{
	if (text_classify(uc) != TEXT_CLASS_MARK)
		return false;
	if (is_conjoining_jamo(uc))
		return jamo_joins(before, uc);
	/* A mark on a blank, a slash or a quote would give a sign of the shell another look. */
	return base >= 0x80 || text_in_word(base);
}

bool text_in_word(ucs4_t uc)
{
	if (uc < 0x80)
		return (uc >= '0' && uc <= '9') || (uc >= 'A' && uc <= 'Z') ||
		       (uc >= 'a' && uc <= 'z');
	return has_category(uc, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_M | UC_CATEGORY_MASK_N);
}

bool text_is_emoji_modifier(ucs4_t uc)
{
	return uc >= 0x1F3FB && uc <= 0x1F3FF;
}
