#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/config.h"

#define OURS "[exequatur]\n"

static int load(struct config *config, const char *text, struct err *err)
{
	config_init(config);
	if (config_parse(config, text, strlen(text), "c.toml", "/etc/exq", "/home/mira", err) != 0)
		return -1;
	return config_check(config, err);
}

static void nobody_is_told_unless_it_is_asked_for(void **state)
{
	struct config c;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(load(&c, "", &err), 0);
	assert_string_equal(c.notify, "off");
	assert_int_equal(c.notify_command.count, 0);
	config_release(&c);
	assert_int_equal(
		load(&c, OURS "notify = \"osc777\"\nnotify_command = [\"/bin/n\", \"a b\"]\n",
			&err),
		0);
	assert_string_equal(c.notify, "osc777");
	assert_int_equal(c.notify_command.count, 2);
	assert_string_equal(c.notify_command.items[1], "a b");
	config_release(&c);
}

static void what_cannot_be_a_notice_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{OURS "notify = \"bell\"\n",
			"c.toml:2: notify must be one of: off osc9 osc777; not \"bell\""},
		{OURS "notify_command = \"/bin/n\"\n",
			"c.toml:2: notify_command must be an array, not a string"},
		{OURS "notify_command = [\"notify-send\", \"/bin/n\"]\n",
			"c.toml:2: notify_command: the program must be an absolute path, not "
			"\"notify-send\""},
		{OURS "notify_command = [\"\"]\n",
			"c.toml:2: notify_command: the program must be an absolute path, not \"\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config c;
		struct err err = ERR_INIT;

		assert_int_equal(load(&c, cases[i].text, &err), -1);
		assert_string_equal(err.text, cases[i].sentence);
		config_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_told_unless_it_is_asked_for),
		cmocka_unit_test(what_cannot_be_a_notice_is_refused_with_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
