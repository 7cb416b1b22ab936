#include "config.h"

#include "base/log.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/text.h"

void log_warn(const char *fmt, ...)
{
	STR_AUTO struct str line = STR_INIT;
	va_list args;

	va_start(args, fmt);
	MEM_AUTO char *message = mem_vprintf(fmt, args);
	va_end(args);
	str_add(&line, "exequatur: ");
	text_escape(message, strlen(message), text_locale_flags(), &line);
	str_add_char(&line, '\n');
	/* Where standard error is closed there is nobody left to tell. */
	fd_write_all(STDERR_FILENO, line.data, line.len, NULL);
}
