/* The subcommands; each gets argv behind its name and returns the exit status of the process. */
#ifndef APP_CMD_H
#define APP_CMD_H

int cmd_console(int argc, char **argv); /* the console, and --headless */
int cmd_run(int argc, char **argv);
int cmd_submit(int argc, char **argv); /* one request to a console that listens */
int cmd_plan(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_audit(int argc, char **argv); /* audit verify FILE|DIR */

/* To standard output. Foreign text in it has been through the rule; where the locale is not UTF-8 the rest is escaped too: such a
   terminal would take a byte of a longer character for a control. */
void cmd_print(const char *text);
void cmd_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

enum { EXIT_RUNTIME = 1, EXIT_USAGE = 2 };

#endif
