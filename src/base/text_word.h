/* Words whose letters come from scripts that no honest word mixes. Private to text*.c. */
#ifndef BASE_TEXT_WORD_H
#define BASE_TEXT_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <unictype.h>

#define TEXT_WORD_SCRIPTS 16

struct text_word {
	size_t end; /* offset behind the word */
	bool mixed; /* the rest counts only then */
	struct text_word_script {
		const uc_script_t *script;
		size_t letters;
		bool kept;            /* shown as it is; the letters of the others are escaped */
	} scripts[TEXT_WORD_SCRIPTS]; /* [0] is Latin, also without a letter */
	size_t count;
};

/* The word that starts at bytes[start]: letters, marks and numbers up to the first other
   character. Honest mixtures are those of Unicode Technical Standard 39, section 5.2, "Highly
   Restrictive". */
void text_word_read(const char *bytes, size_t len, size_t start, struct text_word *ret);
/* Whether uc, a character of a mixed word, belongs to a script that is not kept. */
bool text_word_escapes(const struct text_word *word, ucs4_t uc);

#endif
