#include "config.h"

#include "app/cmd.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void cmd_print(const char *text)
{
	struct str shown STR_AUTO = STR_INIT;

	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
		str_add(&shown, text);
	else
		text_escape(text, strlen(text), TEXT_ASCII_ONLY | TEXT_LINES | TEXT_OUTPUT, &shown);
	fputs(str_c(&shown), stdout);
}

void cmd_printf(const char *fmt, ...)
{
	va_list args;
	char *text MEM_AUTO = NULL;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		abort();
	va_end(args);
	cmd_print(text);
}
