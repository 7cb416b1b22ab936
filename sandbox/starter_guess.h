/* What a `run` will most likely be started by. A wrong guess costs time and nothing else: the console decides. */
#ifndef SANDBOX_STARTER_GUESS_H
#define SANDBOX_STARTER_GUESS_H

enum guess {
	GUESS_OTHER,
	GUESS_NATIVE, /* a launcher in namespaces of its own */
	GUESS_BUBBLEWRAP,
};

/* argv: the arguments of exequatur, `run` among them. */
enum guess guess_start(char *const *argv, char *const *envp);
/* The same by the text of a configuration, which has one `backend = "NAME"`, or none. */
enum guess guess_by_text(const char *text);

#endif
