/* Exports of a record: one file that other programs take (exequatur(1), LOOKING BACK). */
#ifndef APP_EXPORT_H
#define APP_EXPORT_H

#include "app/mask.h"
#include "app/past.h"
#include "app/past_call.h"
#include "app/script.h"
#include "base/err.h"
#include "base/str.h"

struct export;

/* A format: any of the functions may be NULL. */
struct export_format {
	const char *name;
	bool plays; /* it is told as a script */
	void (*begin)(struct export *e);
	void (*event)(struct export *e, const struct event *event, const struct model *model);
	void (*call)(struct export *e, const struct job *job);
	void (*end)(struct export *e, const struct past_end *end, const struct model *model);
};
extern const struct export_format export_asciicast, export_asciicast2, export_json, export_csv,
	export_html;

struct export
{
	const struct export_format *format;
	const char *session;
	uint64_t seq;            /* one call alone; 0: all */
	const char *record_word; /* what verify says: "whole" "altered" "ends early" */
	const char *record_text; /* its report */
	struct mask mask;
	int fd;
	struct str buf;
	struct err err; /* the first write that failed; then nothing more is written */
	/* Of the formats: */
	struct script script;
	struct past_rows rows;
	bool begun;      /* something was told */
	uint64_t told;   /* so many items of a list */
	int64_t base_ms; /* the first time that was told */
	int64_t last_ms;
	int64_t start_wall_ms;
	int exit_status; /* -1: not known */
};

/* To the file. */
void export_add(struct export *e, const char *text);
void export_printf(struct export *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* JSON that also stands between tags of a page: `<` is \u003c. */
void export_page_json(struct export *e, const char *json);
void export_flush(struct export *e);

/* Creates the file, 0600 whatever the umask; what has the name already, a link too, is an error. "-": standard output. */
int export_create(const char *path, int *ret_fd, struct err *err);
/* Reads the record and writes the export. 0, or -1 with err: the record cannot be read, or the file cannot be written. */
int export_run(struct export *e, const char *path, struct past_end *ret_end, struct err *err);

#endif
