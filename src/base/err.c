#include "config.h"

#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where a text of `len` bytes that was cut to fit may end: not inside a UTF-8 character. */
static size_t whole_length(const char *text, size_t len)
{
	size_t lead = len;

	while (lead > 0 && len - lead < 4 && ((unsigned char)text[lead - 1] & 0xC0) == 0x80)
		lead--;
	if (lead == 0 || (unsigned char)text[lead - 1] < 0xC0)
		return len;
	unsigned char first = (unsigned char)text[lead - 1];
	size_t want = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;

	return len - (lead - 1) < want ? lead - 1 : len;
}

static void set_text(struct err *err, const char *text, size_t full_len)
{
	size_t len = full_len;

	if (len >= sizeof(err->text))
		len = whole_length(text, sizeof(err->text) - 1);
	memmove(err->text, text, len);
	err->text[len] = '\0';
}

static void set_formatted(struct err *err, const char *fmt, va_list args)
{
	char text[ERR_TEXT_BYTES];
	int len = vsnprintf(text, sizeof(text), fmt, args);

	set_text(err, text, len < 0 ? 0 : (size_t)len);
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list args;

	if (err == NULL)
		return -1;
	err->code = code;
	err->saved_errno = 0;
	va_start(args, fmt);
	set_formatted(err, fmt, args);
	va_end(args);
	return -1;
}

int err_set_errno(struct err *err, const char *fmt, ...)
{
	int number = errno;
	char joined[2 * ERR_TEXT_BYTES];
	va_list args;

	if (err == NULL)
		return -1;
	va_start(args, fmt);
	set_formatted(err, fmt, args);
	va_end(args);
	int len = snprintf(joined, sizeof(joined), "%s: %s", err->text, strerror(number));
	set_text(err, joined, (size_t)len);
	err->code = number == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM;
	err->saved_errno = number;
	return -1;
}

int err_context(struct err *err, const char *fmt, ...)
{
	struct err context = ERR_INIT;
	char joined[2 * ERR_TEXT_BYTES + 4];
	va_list args;

	if (err == NULL)
		return -1;
	va_start(args, fmt);
	set_formatted(&context, fmt, args);
	va_end(args);
	int len = snprintf(joined, sizeof(joined), "%s: %s", context.text, err->text);
	set_text(err, joined, (size_t)len);
	return -1;
}

void err_clear(struct err *err)
{
	err->code = ERR_NONE;
	err->saved_errno = 0;
	err->text[0] = '\0';
}
