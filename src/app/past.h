/* What is past: one record, read through the model to its end or to its break, and told to a visitor. What `audit list`, `show` and
   `export` know of a session comes from here. */
#ifndef APP_PAST_H
#define APP_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/strv.h"
#include "core/model.h"

enum past_ending {
	PAST_ENDED, /* its last line is session_end */
	PAST_OPEN,  /* still being written */
	PAST_CUT,   /* its session died */
	PAST_ENDING_COUNT
};
const char *past_ending_name(enum past_ending ending); /* "ended" "open" "cut" */

struct past_visitor {
	void *data;
	/* Behind model_apply(). NULL: not wanted. Both return 0, 1 to read no further, or -1 with err. */
	int (*event)(
		void *data, const struct event *event, const struct model *model, struct err *err);
	/* Once a call: when it was answered, or at the end of what is there. */
	int (*call)(void *data, const struct job *job, const struct model *model, struct err *err);
};

struct past_end {
	char *session; /* by the file's name, whatever the events say */
	enum past_ending ending;
	bool torn;
	char *broken; /* "FILE:LINE: why" of the first line that cannot follow; nothing behind it was read. NULL: none */
	uint64_t events, calls;
	int64_t start_wall_ms, last_wall_ms; /* 0: none */
};
void past_end_release(struct past_end *end);

/* model is initialised by the call and belongs to the caller, also after an error; it stands where reading stopped. ret_end is
   filled as far as it got. 0; -1: the file cannot be read, or a visitor failed. A break is no error: see ret_end->broken. */
int past_read(const char *path, const struct past_visitor *visitor, struct model *model,
	struct past_end *ret_end, struct err *err);

/* The id of the session whose file this is, by its name alone; of another name all of it. Caller frees. */
char *past_session(const char *path);
/* The directory of the record as the configuration says, made by nobody here. Caller frees *ret. */
int past_directory(const char *config_file, char **ret, struct err *err);
/* What stands behind SESSION#CALL, #CALL or CALL; the last two mean the newest session. Caller frees *ret_path. *ret_seq is 0 when
   no call is named. Errors: ERR_INVALID, ERR_NOT_FOUND, each with a sentence. */
int past_find(const char *config_file, const char *name, char **ret_path, uint64_t *ret_seq,
	struct err *err);
/* The first file of each session, oldest first, as paths; what only looks like a record is among them. */
int past_list(const char *config_file, struct strv *ret_paths, struct err *err);

#endif
