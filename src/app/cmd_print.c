#include "config.h"

#include "app/cmd.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void cmd_print(const char *text)
{
	struct str shown STR_AUTO = STR_INIT;

	setlocale(LC_CTYPE, "");
	unsigned flags = text_locale_flags();

	if (flags == 0)
		str_add(&shown, text);
	else
		text_escape(text, strlen(text), flags | TEXT_LINES | TEXT_OUTPUT, &shown);
	fputs(str_c(&shown), stdout);
}

void cmd_printf(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	char *text MEM_AUTO = mem_vprintf(fmt, args);
	va_end(args);
	cmd_print(text);
}
