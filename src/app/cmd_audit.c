#include "config.h"

#include "app/cmd_audit.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "app/cmd.h"
#include "base/mem.h"
#include "base/text.h"

static int usage(void)
{
	fputs("usage: exequatur audit list [OPTIONS] [SESSION|FILE...]\n"
	      "       exequatur audit show [OPTIONS] CALL|SESSION\n"
	      "       exequatur audit export --format FORMAT [OPTIONS] SESSION|FILE|CALL\n"
	      "       exequatur audit prune RULES [--dry-run]\n"
	      "       exequatur audit verify [--key FILE|HEX] [--anchor FILE|HEX]... FILE|DIR\n"
	      "       exequatur audit init-seals [--config FILE]\n",
		stderr);
	return EXIT_USAGE;
}

void audit_foreign(const char *text, struct str *out)
{
	text_escape(text, strlen(text), text_locale_flags(), out);
}

void audit_foreign_lines(const char *bytes, size_t len, unsigned flags, struct str *out)
{
	STR_AUTO struct str shown = STR_INIT;

	text_escape(bytes, len, flags | text_locale_flags(), &shown);
	const char *at = str_c(&shown);

	while (*at != '\0') {
		size_t line = strcspn(at, "\n");

		str_add(out, "  | ");
		str_add_bytes(out, at, line);
		str_add_char(out, '\n');
		at += line + (at[line] == '\n');
	}
}

int cmd_audit(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
		{"list", cmd_audit_list},
		{"show", cmd_audit_show},
		{"export", cmd_audit_export},
		{"verify", cmd_audit_verify},
		{"prune", cmd_audit_prune},
		{"init-seals", cmd_audit_init_seals},
	};

	setlocale(LC_CTYPE, "");
	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(commands); i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	return usage();
}
