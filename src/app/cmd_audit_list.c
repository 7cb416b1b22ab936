#include "config.h"

#include "app/cmd_audit.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/cmd.h"
#include "app/past_call.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

struct list {
	const char *config;
	bool json, sessions;
	struct past_filter filter;
	unsigned columns;
	/* Of the record that is read: */
	struct past_rows rows;
	const char *session;
};

static int usage(void)
{
	fputs("usage: exequatur audit list [--json] [--sessions] [--since TIME] [--until TIME]\n"
	      "           [--agent TEXT] [--state STATE] [--backend NAME] [--text TEXT]\n"
	      "           [--exit NUMBER|ok|failed|REASON] [-c FILE] [SESSION|FILE...]\n",
		stderr);
	return EXIT_USAGE;
}

unsigned audit_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 160;
}

static void set_wall(struct json *v, const char *key, int64_t wall_ms)
{
	char buf[32];

	clock_format_utc(wall_ms, buf);
	json_set_str(v, key, wall_ms != 0 ? buf : NULL);
}

struct json *audit_session_json(const struct past_end *end, const struct model *model)
{
	struct json *v = json_new_object();
	MEM_AUTO char *session = text_escaped(end->session);

	json_set_str(v, "type", "session");
	json_set_str(v, "session", session);
	set_wall(v, "started", end->start_wall_ms);
	set_wall(v, "last", end->last_wall_ms);
	json_set_str(v, "ending", past_ending_name(end->ending));
	json_set_bool(v, "torn", end->torn);
	json_set_str(v, "broken", end->broken);
	json_set_int(v, "events", (int64_t)end->events);
	json_set_int(v, "calls", (int64_t)end->calls);
	json_set_str(v, "version", model->version);
	json_set_str(v, "host", model->host);
	json_set_str(v, "user", model->user);
	json_set_str(v, "workspace", model->workspace);
	json_set_str(v, "backend", model->backend_title);
	json_set_bool(v, "no_sandbox", model->no_sandbox);
	return v;
}

void audit_session_row(const struct past_end *end, const struct model *model, struct str *out)
{
	audit_foreign(end->session, out);
	str_printf(out, "  %s%s  %" PRIu64 " %s  ",
		end->broken != NULL ? "broken" : past_ending_name(end->ending),
		end->torn ? ", torn" : "", end->calls, end->calls == 1 ? "call" : "calls");
	audit_foreign(model->workspace == NULL ? "-" : model->workspace, out);
	str_add_char(out, '\n');
}

void audit_say_broken(const struct past_end *end)
{
	if (end->broken != NULL)
		log_warn("%s; nothing behind it was read", end->broken);
}

static int take_call(void *data, const struct job *job, const struct model *model, struct err *err)
{
	struct list *list = data;
	STR_AUTO struct str row = STR_INIT;

	(void)model;
	(void)err;
	if (!past_filter_takes(&list->filter, job))
		return 0;
	if (list->json) {
		JSON_AUTO struct json *v = past_call_json(job, list->session);

		json_print(v, true, &row);
		str_add_char(&row, '\n');
	} else {
		str_add(&row, "  ");
		past_call_row(job, list->columns - 2, &row);
	}
	past_rows_add(&list->rows, job->seq, str_steal(&row));
	return 0;
}

static void print_record(struct list *list, const struct past_end *end, const struct model *model)
{
	STR_AUTO struct str head = STR_INIT;

	if (list->filter.any && list->rows.count == 0)
		return;
	if (list->json) {
		JSON_AUTO struct json *v = audit_session_json(end, model);

		json_print(v, true, &head);
		str_add_char(&head, '\n');
	} else {
		audit_session_row(end, model, &head);
	}
	fputs(str_c(&head), stdout);
	past_rows_sort(&list->rows);
	for (size_t i = 0; i < list->rows.count && !list->sessions; i++)
		fputs(list->rows.items[i].text, stdout);
}

/* An exit status. */
static int list_record(struct list *list, const char *path)
{
	const struct past_visitor visitor = {.data = list, .call = take_call};
	struct model model;
	struct past_end end;
	struct err err = ERR_INIT;
	MEM_AUTO char *session = past_session(path);

	list->session = session;
	int status = past_read(path, &visitor, &model, &end, &err);

	if (status == 0)
		print_record(list, &end, &model);
	else
		log_warn("%s", err.text);
	audit_say_broken(&end);
	if (status != 0 || end.broken != NULL)
		status = EXIT_ALTERED;
	past_rows_release(&list->rows);
	past_end_release(&end);
	model_release(&model);
	return status;
}

static int parse(struct list *list, int argc, char **argv)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"json", no_argument, NULL, 'j'},
		{"sessions", no_argument, NULL, 's'},
		{"since", required_argument, NULL, 'f'},
		{"until", required_argument, NULL, 'f'},
		{"agent", required_argument, NULL, 'f'},
		{"state", required_argument, NULL, 'f'},
		{"backend", required_argument, NULL, 'f'},
		{"text", required_argument, NULL, 'f'},
		{"exit", required_argument, NULL, 'f'},
		{NULL, 0, NULL, 0},
	};
	struct err err = ERR_INIT;
	int64_t now_ms = clock_wall_ms();
	int opt, index = 0;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "c:", options, &index)) != -1) {
		if (opt == 'c')
			list->config = optarg;
		else if (opt == 'j')
			list->json = true;
		else if (opt == 's')
			list->sessions = true;
		else if (opt != 'f')
			return usage();
		else if (past_filter_set(
				 &list->filter, options[index].name, optarg, now_ms, &err) != 0) {
			log_warn("%s", err.text);
			return EXIT_USAGE;
		}
	}
	return 0;
}

static int paths_of(const struct list *list, char **names, struct strv *ret, struct err *err)
{
	if (*names == NULL)
		return past_list(list->config, ret, err);
	for (; *names != NULL; names++) {
		char *path = NULL;
		uint64_t seq = 0;

		if (past_find(list->config, *names, &path, &seq, err) != 0)
			return -1;
		strv_take(ret, path);
		if (seq != 0)
			return err_set(err, ERR_INVALID,
				"a list takes sessions; `audit show` takes a call");
	}
	return 0;
}

int cmd_audit_list(int argc, char **argv)
{
	struct list list = {.columns = audit_columns()};
	STRV_AUTO struct strv paths = STRV_INIT;
	struct err err = ERR_INIT;

	past_filter_init(&list.filter);
	int status = parse(&list, argc, argv);

	if (status != 0)
		return status;
	if (paths_of(&list, argv + optind, &paths, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < paths.count; i++) {
		int one = list_record(&list, paths.items[i]);

		status = one > status ? one : status;
	}
	return fflush(stdout) != 0 ? EXIT_RUNTIME : status;
}
