#include "config.h"

#include "app/cmd_audit.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/cmd.h"
#include "app/export.h"
#include "app/record_name.h"
#include "app/verify_internal.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"

struct wish {
	const char *config, *output, *format;
	bool mask;
	int version; /* of asciicast */
};

static const struct export_format *const formats[] = {
	&export_asciicast, &export_asciicast2, &export_json, &export_csv, &export_html};

static int usage(void)
{
	fputs("usage: exequatur audit export --format asciicast|asciicast2|json|csv|html [--mask]\n"
	      "           [-o FILE|-] [-c FILE] SESSION|FILE|CALL\n"
	      "       asciicast is version 3, or with --version 2 what asciicast2 is\n",
		stderr);
	return EXIT_USAGE;
}

static int parse(int argc, char **argv, struct wish *wish)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"format", required_argument, NULL, 'f'},
		{"mask", no_argument, NULL, 'm'},
		{"output", required_argument, NULL, 'o'},
		{"version", required_argument, NULL, 'v'},
		{NULL, 0, NULL, 0},
	};
	int opt;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "c:f:o:", options, NULL)) != -1) {
		if (opt == 'c')
			wish->config = optarg;
		else if (opt == 'f')
			wish->format = optarg;
		else if (opt == 'm')
			wish->mask = true;
		else if (opt == 'o')
			wish->output = optarg;
		else if (opt == 'v' && (strcmp(optarg, "2") == 0 || strcmp(optarg, "3") == 0))
			wish->version = optarg[0] - '0';
		else
			return usage();
	}
	return optind == argc - 1 ? 0 : usage();
}

static const struct export_format *format_of(const struct wish *wish)
{
	const struct export_format *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(formats) && wish->format != NULL; i++) {
		if (strcmp(formats[i]->name, wish->format) == 0)
			found = formats[i];
	}
	if (wish->version == 0)
		return found;
	/* A version is one of asciicast alone. */
	if (found != &export_asciicast)
		return NULL;
	return wish->version == 2 ? &export_asciicast2 : found;
}

static const char *word_of(int status)
{
	static const char *const words[] = {[VERIFY_WHOLE] = "whole",
		[VERIFY_ALTERED] = "altered",
		[VERIFY_ENDS_EARLY] = "ends early"};

	return status >= 0 && (size_t)status < ARRAY_LEN(words) && words[status] != NULL
		       ? words[status]
		       : "not proved";
}

/* An exit status. What could not be written whole is not left under the name that was asked for. */
static int write_export(struct export *e, const char *path, const char *output, struct err *err)
{
	struct past_end end = {0};

	if (export_create(output, &e->fd, err) != 0)
		return EXIT_USAGE;
	int status = export_run(e, path, &end, err);

	if (e->fd != STDOUT_FILENO) {
		if (status == 0 && fsync(e->fd) != 0)
			status = err_set_errno(err, "writing %s", output);
		if (status != 0)
			unlink(output);
		fd_close(&e->fd);
	}
	audit_say_broken(&end);
	bool broken = end.broken != NULL;

	past_end_release(&end);
	if (status != 0)
		return err->code == ERR_NOT_FOUND ? EXIT_USAGE : EXIT_RUNTIME;
	return broken ? EXIT_ALTERED : 0;
}

/* All files of the session, from this one on. */
static int prove(const char *path, struct str *report, struct err *err)
{
	MEM_AUTO char *session = record_name_session(path_basename(path));
	MEM_AUTO char *dir = path_dirname(path);
	int status = verify_path(path, report, err);

	for (unsigned part = record_name_part(path_basename(path)) + 1;
		session != NULL && status >= 0; part++) {
		MEM_AUTO char *name = record_name_of(session, part);
		MEM_AUTO char *next = path_join(dir, name);
		MEM_AUTO char *packed = mem_printf("%s%s", next, RECORD_PACKED);

		if (access(next, F_OK) != 0 && access(packed, F_OK) != 0)
			return status;
		int one = verify_path(next, report, err);

		status = one < 0 ? one
				 : (int)verify_worse(
					   (enum verify_status)status, (enum verify_status)one);
	}
	return status;
}

int cmd_audit_export(int argc, char **argv)
{
	struct wish wish = {.output = "-"};
	struct export e = {0};
	struct err err = ERR_INIT, none = ERR_INIT;
	STR_AUTO struct str report = STR_INIT;
	MEM_AUTO char *path = NULL;
	int status = parse(argc, argv, &wish);

	if (status != 0)
		return status;
	e.format = format_of(&wish);
	if (e.format == NULL)
		return usage();
	if (past_find(wish.config, argv[optind], &path, &e.seq, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	MEM_AUTO char *session = past_session(path);
	int proved = prove(path, &report, &none);

	e.session = session;
	e.mask.on = wish.mask;
	e.record_word = word_of(proved);
	e.record_text = str_c(&report);
	status = write_export(&e, path, wish.output, &err);
	if (err.code != ERR_NONE)
		log_warn("%s", err.text);
	if (proved > 0)
		log_warn("the record is not whole: %s", str_c(&report));
	return status == 0 && proved > 0 ? proved : status;
}
