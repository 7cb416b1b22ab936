#include "config.h"

#include "base/log.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"

void log_warn(const char *fmt, ...)
{
	STR_AUTO struct str line = STR_INIT;
	MEM_AUTO char *message = NULL;
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&message, fmt, args) < 0)
		abort();
	va_end(args);
	str_add(&line, "exequatur: ");
	text_escape(message, strlen(message), utf8 ? 0 : TEXT_ASCII_ONLY, &line);
	str_add_char(&line, '\n');
	/* Where standard error is closed there is nobody left to tell. */
	fd_write_all(STDERR_FILENO, line.data, line.len, NULL);
}
