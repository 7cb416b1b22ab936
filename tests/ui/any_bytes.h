/* Bytes as a hostile agent would choose them: the same ones for the same seed. */
#ifndef TESTS_UI_ANY_BYTES_H
#define TESTS_UI_ANY_BYTES_H

#include <stdbool.h>

#include "base/str.h"

#define ANY_PIECES 24

void any_seed(unsigned with);
unsigned any_pick(unsigned of);
/* Words, controls, invisible and odd characters; with is_broken bytes that are no UTF-8 too. Appends. */
void any_text(struct str *out, unsigned pieces, bool is_broken);
/* A request line, as an agent writes it; one in eight is spoilt, so that it may be refused. Appends. */
void any_line(struct str *line);

#endif
