/* Any bytes as a configuration: what is taken prints to text that is taken again and means the same, what is refused
   is told with file and line. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/text.h"
#include "core/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static int parse(struct config *config, const char *text, size_t len, struct err *err)
{
	config_init(config);
	return config_parse(config, text, len, "c.toml", "/etc/exequatur", "/home/mira", err);
}

static void check_taken(const struct config *config)
{
	STR_AUTO struct str printed = STR_INIT;
	STR_AUTO struct str first = STR_INIT;
	STR_AUTO struct str second = STR_INIT;
	struct config again;
	struct err err = ERR_INIT;

	config_print(config, &printed);
	must(text_is_utf8(printed.data, printed.len));
	must(parse(&again, printed.data, printed.len, &err) == 0);
	config_canonical(config, &first);
	config_canonical(&again, &second);
	must(strcmp(first.data, second.data) == 0);
	must(config_check(config, &err) == config_check(&again, &err));
	config_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct config config;
	struct err err = ERR_INIT;

	if (parse(&config, (const char *)bytes, len, &err) == 0)
		check_taken(&config);
	else
		must(strncmp(err.text, "c.toml:", 7) == 0);
	config_release(&config);
	return 0;
}
