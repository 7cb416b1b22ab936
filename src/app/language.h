/* The language of the screen: where its catalogues are. */
#ifndef APP_LANGUAGE_H
#define APP_LANGUAGE_H

#include <stdbool.h>

/* ascii: the screen shows ASCII alone, and stays English. setlocale() was called. */
void language_begin(bool ascii);

#endif
