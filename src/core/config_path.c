#include "config.h"

#include "core/config_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"

#define DIGITS "0123456789"
#define DIGITS_MAX 12u /* far from the end of 64 bits, also with a unit behind */

static int check_path(const char *text, const char *dir, const char *home, struct err *err)
{
	if (!*text)
		return err_set(err, ERR_INVALID, "a path is empty");
	/* Folded as text, "link/.." would name another place than the kernel goes to. */
	if (path_climbs(text))
		return err_set(err, ERR_INVALID, "\"%s\" has \"..\"; write where it leads", text);
	if (*text == '~' && text[1] && text[1] != '/')
		return err_set(err, ERR_INVALID,
			"\"%s\": only ~ and ~/ stand for a home directory; write it in full", text);
	if (*text == '~' && (!home || *home != '/'))
		return err_set(
			err, ERR_INVALID, "\"%s\": HOME is not set, so ~ means nothing", text);
	if (*text != '~' && *text != '/' && !dir)
		return err_set(err, ERR_INVALID,
			"\"%s\" is relative; it must begin with / or with ~/", text);
	return 0;
}

int config_path_resolve(
	const char *text, const char *dir, const char *home, char **ret, struct err *err)
{
	if (check_path(text, dir, home, err))
		return -1;
	char *expanded MEM_AUTO =
		*text == '~' ? path_expand_home(text, home) : path_join(dir ? dir : "", text);
	char *path = path_normalize(expanded);

	if (strlen(path) >= PATH_MAX) {
		free(path);
		return err_set(err, ERR_INVALID, "a path is longer than %d bytes", PATH_MAX - 1);
	}
	*ret = path;
	return 0;
}

static int unit_shift(const char *unit)
{
	static const char units[] = "kmg";

	if (!*unit)
		return 0;
	const char *found = strchr(units, *unit);
	return found && !unit[1] ? 10 * (int)(found - units + 1) : -1;
}

int config_size_from_text(const char *text, uint64_t *ret_bytes)
{
	size_t digits = strspn(text, DIGITS);
	int shift = unit_shift(text + digits);

	if (!digits || digits > DIGITS_MAX || shift < 0)
		return -1;
	uint64_t number = strtoull(text, NULL, 10);

	if (number > UINT64_MAX >> shift)
		return -1;
	*ret_bytes = number << shift;
	return 0;
}

void config_size_print(uint64_t bytes, struct str *out)
{
	static const char units[] = "kmg";
	int unit = -1;

	while (bytes && unit < 2 && bytes % 1024 == 0) {
		bytes /= 1024;
		unit++;
	}
	str_printf(out, "%llu", (unsigned long long)bytes);
	if (unit >= 0)
		str_add_char(out, units[unit]);
}

int config_milli_from_text(const char *text, uint64_t *ret_milli)
{
	size_t whole = strspn(text, DIGITS);
	const char *fraction = text[whole] == '.' ? text + whole + 1 : "0";
	size_t decimals = strspn(fraction, DIGITS);
	uint64_t milli = 0;

	if (!whole || whole > DIGITS_MAX || !decimals || decimals > 3 || fraction[decimals] ||
		(text[whole] && text[whole] != '.'))
		return -1;
	for (size_t i = 0; i < 3; i++)
		milli = milli * 10 + (i < decimals ? (uint64_t)(fraction[i] - '0') : 0);
	*ret_milli = strtoull(text, NULL, 10) * 1000 + milli;
	return 0;
}

void config_milli_print(uint64_t milli, struct str *out)
{
	str_printf(out, "%llu.%03llu", (unsigned long long)(milli / 1000),
		(unsigned long long)(milli % 1000));
	while (out->data[out->len - 1] == '0' && out->data[out->len - 2] != '.')
		str_truncate(out, out->len - 1);
}
