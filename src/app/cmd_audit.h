/* The parts of `exequatur audit`. Each gets argv behind its name and returns an exit status. Private to cmd_audit*.c. */
#ifndef APP_CMD_AUDIT_H
#define APP_CMD_AUDIT_H

#include "app/past.h"
#include "base/json.h"
#include "base/str.h"

enum { EXIT_ALTERED = 1, EXIT_ENDS_EARLY = 3 };

int cmd_audit_list(int argc, char **argv);
int cmd_audit_show(int argc, char **argv);
int cmd_audit_export(int argc, char **argv);
int cmd_audit_verify(int argc, char **argv);
int cmd_audit_prune(int argc, char **argv);
int cmd_audit_init_seals(int argc, char **argv);

/* A session as JSON and as a row, as `list` and `show` and the exports have it. model: where reading stopped. */
struct json *audit_session_json(const struct past_end *end, const struct model *model);
void audit_session_row(const struct past_end *end, const struct model *model, struct str *out);
/* One field of foreign text, as this terminal may get it. Appends. */
void audit_foreign(const char *text, struct str *out);
/* Several lines, each behind "  | ". lines: TEXT_LINES or with TEXT_OUTPUT. Appends. */
void audit_foreign_lines(const char *bytes, size_t len, unsigned flags, struct str *out);
/* Says a break on standard error. */
void audit_say_broken(const struct past_end *end);
/* Columns of the terminal, or a wide default. */
unsigned audit_columns(void);

#endif
