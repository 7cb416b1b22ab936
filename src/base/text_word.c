#include "config.h"

#include "base/text_word.h"

#include <string.h>

#include "base/mem.h"
#include "base/text_class.h"

#define MIXTURE_SCRIPTS 4

static const char *const honest_mixtures[][MIXTURE_SCRIPTS] = {
	{"Latin", "Han", "Hiragana", "Katakana"},
	{"Latin", "Han", "Bopomofo"},
	{"Latin", "Han", "Hangul"},
};

/* Of two sets that keep equally many letters the better has Latin, else the one that begins
   first. */
struct choice {
	size_t letters;
	bool latin;
	bool kept[TEXT_WORD_SCRIPTS];
};

static bool is_script(const uc_script_t *script, const char *name)
{
	return script != NULL && strcmp(script->name, name) == 0;
}

/* Marks that take the script of their base, digits and signs that all scripts share. */
static bool has_no_script(const uc_script_t *script)
{
	return script == NULL || is_script(script, "Common") || is_script(script, "Inherited");
}

static struct text_word_script *find_script(struct text_word *word, const uc_script_t *script)
{
	for (size_t i = 0; i < word->count; i++) {
		if (word->scripts[i].script == script)
			return &word->scripts[i];
	}
	return NULL;
}

static void count_letter(struct text_word *word, ucs4_t uc)
{
	const uc_script_t *script = uc_script(uc);
	struct text_word_script *seen = find_script(word, script);

	if (seen != NULL) {
		seen->letters++;
		return;
	}
	if (has_no_script(script))
		return;
	/* No honest word has this many scripts: letters of one more are never kept. */
	if (word->count == TEXT_WORD_SCRIPTS) {
		word->mixed = true;
		return;
	}
	word->scripts[word->count++] = (struct text_word_script){.script = script, .letters = 1};
}

/* Skips ASCII, which is most of all text, without looking up a property. */
static size_t skip_ascii(const char *bytes, size_t len, size_t at, size_t *letters)
{
	for (; at < len; at++) {
		unsigned char c = (unsigned char)bytes[at];

		if (c >= 0x80 || !text_in_word(c))
			break;
		if (c > '9')
			(*letters)++;
	}
	return at;
}

static void read_letters(const char *bytes, size_t len, size_t at, struct text_word *word)
{
	size_t latin = 0;

	for (;;) {
		enum text_class class;
		ucs4_t uc;

		at = skip_ascii(bytes, len, at, &latin);
		if (at == len || (unsigned char)bytes[at] < 0x80)
			break;
		size_t used = text_classify_at(bytes + at, len - at, &uc, &class);
		if (class > TEXT_CLASS_MARK || !text_in_word(uc))
			break;
		count_letter(word, uc);
		at += used;
	}
	word->end = at;
	word->scripts[0].letters += latin;
}

static void choose_better(struct choice *best, const struct choice *other)
{
	if (other->letters > best->letters ||
		(other->letters == best->letters && other->latin && !best->latin))
		*best = *other;
}

static bool in_mixture(const uc_script_t *script, const char *const mixture[MIXTURE_SCRIPTS])
{
	for (size_t i = 0; i < MIXTURE_SCRIPTS && mixture[i] != NULL; i++) {
		if (is_script(script, mixture[i]))
			return true;
	}
	return false;
}

static void keep(struct choice *choice, const struct text_word *word, size_t i)
{
	choice->kept[i] = true;
	choice->letters += word->scripts[i].letters;
	choice->latin |= i == 0 && word->scripts[i].letters > 0;
}

/* Keeps the set of scripts that may stand together and has the most letters; the rest is the
   rarer script. */
static void choose_kept(struct text_word *word)
{
	struct choice best = {0};

	for (size_t i = 0; i < word->count; i++) {
		struct choice single = {0};

		keep(&single, word, i);
		choose_better(&best, &single);
	}
	for (size_t m = 0; m < ARRAY_LEN(honest_mixtures); m++) {
		struct choice mixture = {0};

		for (size_t i = 0; i < word->count; i++) {
			if (in_mixture(word->scripts[i].script, honest_mixtures[m]))
				keep(&mixture, word, i);
		}
		choose_better(&best, &mixture);
	}
	for (size_t i = 0; i < word->count; i++) {
		word->scripts[i].kept = best.kept[i];
		word->mixed |= !best.kept[i] && word->scripts[i].letters > 0;
	}
}

void text_word_read(const char *bytes, size_t len, size_t start, struct text_word *ret)
{
	/* Latin has the first place from the start: it is counted apart and must not find the
	   table full. */
	ret->scripts[0] = (struct text_word_script){.script = uc_script('A')};
	ret->count = 1;
	ret->mixed = false;
	read_letters(bytes, len, start, ret);
	if (ret->count > (ret->scripts[0].letters > 0 ? 1 : 2))
		choose_kept(ret);
}

bool text_word_escapes(const struct text_word *word, ucs4_t uc)
{
	if (!word->mixed)
		return false;
	const uc_script_t *script = uc_script(uc);
	for (size_t i = 0; i < word->count; i++) {
		if (word->scripts[i].script == script)
			return !word->scripts[i].kept;
	}
	return !has_no_script(script);
}
