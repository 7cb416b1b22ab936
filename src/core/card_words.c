#include "config.h"

#include "core/card.h"

#include <string.h>

static bool word_is_new(const struct unusual_list *list, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (list->items[i].severity == SEVERITY_DANGER && list->items[i].word != NULL &&
			strcmp(list->items[i].word, list->items[index].word) == 0)
			return false;
	}
	return true;
}

void card_words(const struct card *card, struct str *out)
{
	const struct unusual_list *list = &card->unusual;
	const char *between = "";

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].severity != SEVERITY_DANGER || list->items[i].word == NULL ||
			!word_is_new(list, i))
			continue;
		str_add(out, between);
		str_add(out, list->items[i].word);
		between = " ";
	}
}

/* One blank between words, none around them: what a person may type a little differently. */
static void squeeze(const char *text, struct str *out)
{
	for (const char *at = text; *at != '\0';) {
		size_t blanks = strspn(at, " ");
		size_t word = strcspn(at + blanks, " ");

		if (word > 0 && out->len > 0)
			str_add_char(out, ' ');
		str_add_bytes(out, at + blanks, word);
		at += blanks + word;
	}
}

bool card_words_match(const struct card *card, const char *typed)
{
	struct str want STR_AUTO = STR_INIT;
	struct str have STR_AUTO = STR_INIT;

	card_words(card, &want);
	squeeze(typed != NULL ? typed : "", &have);
	return strcmp(str_c(&want), str_c(&have)) == 0;
}
