/* Whether a `run` will most likely have a native launcher. A wrong guess costs time and nothing else: the console decides. */
#ifndef SANDBOX_STARTER_GUESS_H
#define SANDBOX_STARTER_GUESS_H

#include <stdbool.h>

/* argv: the arguments of exequatur, `run` among them. */
bool guess_native(char *const *argv, char *const *envp);
/* The same by the text of a configuration, which has one `backend = "NAME"`, or none. */
bool guess_native_by_text(const char *text);

#endif
