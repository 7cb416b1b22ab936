/* The parts that card_build() puts together, one for each group of rows. Private to card*.c. */
#ifndef CORE_CARD_INTERNAL_H
#define CORE_CARD_INTERNAL_H

#include "core/card.h"

/* Each appends its rows to card->facts and fills the card's own fields about them. */
void card_add_unusual(struct card *card, const struct card_inputs *in);
void card_add_network(struct card *card, const struct card_inputs *in);
void card_add_places(struct card *card, const struct card_inputs *in);
void card_add_sandbox(struct card *card, const struct card_inputs *in);
void card_add_limits(struct card *card, const struct card_inputs *in);
void card_add_environment(struct card *card, const struct card_inputs *in);
void card_add_origin(struct card *card, const struct card_inputs *in);
void card_add_details(struct card *card, const struct card_inputs *in);

/* Over everything that was put in before. */
void card_make_digest(struct card *card, const struct card_inputs *in);

/* Our words; "!..." becomes a risk, "!!..." a danger. */
void line_words(struct line *line, const char *words);
/* Foreign texts with separator between. */
void line_foreign_list(struct line *line, const struct strv *texts, const char *separator);
/* A line of our words and these texts; NULL, and no line, where there are none. */
struct line *fact_foreign_list(struct fact *fact, const char *words, const struct strv *texts);
/* path behind root, without a slash at its start; path itself when it is not below. Points into
   path. */
const char *path_inside(const char *path, const char *root);

/* Parts of card_to_json() and card_from_json(). The head: all members but facts, details and digest, which reading wants too. */
struct json *card_head_to_json(const struct card *card);
struct json *card_line_to_json(const struct line *line);
struct json *card_fact_to_json(const struct fact *fact);
struct json *card_text_to_json(const char *text);
int card_read_head(const struct json *v, struct card *card, struct err *err);
int card_read_line(const struct json *v, struct line *line, struct err *err);
int card_read_fact(const struct json *v, struct facts *facts, struct err *err);
int card_read_text(const struct json *v, char **ret, struct err *err);
#define CARD_COMMAND_LEAST_BYTES 32 /* a shorter one is repeated in a line */

#endif
