#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/config.h"
#include "core/config_reader.h"

struct refusal {
	const char *text;
	const char *sentence;
};

#define SANDBOX "[security.sandbox]\n"
#define ARGS "[security.sandbox]\nfirejail_args = "
#define NO_VALUE                                                                                   \
	"2: the value of backend must be a string in quotes, a number, true, false or an array"

static const struct refusal syntax[] = {
	/* Never in silence what inih would take for something else. */
	{"[security.sandbox] backend = \"none\"\n",
		"1: text after [security.sandbox]; a key stands on a line of its own"},
	{"[security.sandbox] backend = none\n",
		"1: text after [security.sandbox]; a key stands on a line of its own"},
	{SANDBOX "backend = none\n", NO_VALUE},
	{SANDBOX "backend = none ; comment\n", NO_VALUE},
	{SANDBOX "backend: \"none\"\n", "2: this is not KEY = VALUE"},
	{SANDBOX "backend\n", "2: this is not KEY = VALUE"},
	{SANDBOX "= \"none\"\n", "2: this is not KEY = VALUE"},
	{SANDBOX "; backend = \"none\"\n", "2: this is not KEY = VALUE"},
	{SANDBOX "backend = \n", "2: backend has no value"},
	{SANDBOX "backend = # none\n", "2: backend has no value"},
	{SANDBOX "backend =", "2: backend has no value"},
	{SANDBOX "backend =\n \"none\"\n", "2: backend has no value"},
	{SANDBOX "backend = \"none\" \"auto\"\n", "2: text after the value of backend"},
	{SANDBOX "backend = \"none\" ; x\n", "2: text after the value of backend"},
	{SANDBOX "enabled = true false\n", "2: text after the value of enabled"},
	{SANDBOX "enabled = trueish\n",
		"2: the value of enabled must be a string in quotes, a number, true, false or an "
		"array"},
	{SANDBOX "[exequatur]\nmax_running = 1 2\n", "3: text after the value of max_running"},
	/* Forms of TOML that are not read. */
	{SANDBOX "\"backend\" = \"none\"\n", "2: a key stands without quotes"},
	{SANDBOX "'backend' = \"none\"\n", "2: a key stands without quotes"},
	{"[security]\nsandbox.backend = \"none\"\n",
		"2: dotted keys are not read; write what is before the last dot of sandbox... as "
		"[section]"},
	{"[security]\nsandbox = { backend = \"none\" }\n",
		"2: sandbox is a section of its own; write [security.sandbox]"},
	{SANDBOX "backend = { x = 1 }\n",
		"2: inline tables are not read; write a section of its own for backend"},
	{"[[security.sandbox]]\n", "1: arrays of tables such as [[security.sandbox]] are not read"},
	{"[\"security\".sandbox]\n",
		"1: a section is [name.name], of letters, digits, _ and -, without quotes"},
	{"[security.sandbox\n",
		"1: a section is [name.name], of letters, digits, _ and -, without quotes"},
	{"[security sandbox]\n",
		"1: a section is [name.name], of letters, digits, _ and -, without quotes"},
	{"[]\n", "1: the section has no name, or a name with an empty part"},
	{"[.]\n", "1: the section has no name, or a name with an empty part"},
	{"[security..sandbox]\n", "1: the section has no name, or a name with an empty part"},
	{"[security.sandbox.]\n", "1: the section has no name, or a name with an empty part"},
	{SANDBOX "backend = \"\"\"none\"\"\"\n",
		"2: strings over several lines are not read; use \\n inside \"...\""},
	{SANDBOX "backend = '''none'''\n",
		"2: strings over several lines are not read; use \\n inside \"...\""},
	/* Strings. */
	{SANDBOX "backend = \"none\n", "2: the string has no closing \""},
	{SANDBOX "backend = 'none\"\n", "2: the string has no closing '"},
	{SANDBOX "backend = \"none\\\"\n", "2: the string has no closing \""},
	{SANDBOX "backend = \"", "2: the string has no closing \""},
	{SANDBOX "backend = \"\\x41\"\n",
		"2: unknown escape; there are \\\" \\\\ \\t \\n \\uXXXX, and 'single quotes' take "
		"every character as it is"},
	{SANDBOX "backend = \"\\", "2: unknown escape; there are \\\" \\\\ \\t \\n \\uXXXX, and "
				   "'single quotes' take every character as it is"},
	{SANDBOX "backend = \"\\u00\"\n", "2: \\u wants 4 hexadecimal digits"},
	{SANDBOX "backend = \"\\u", "2: \\u wants 4 hexadecimal digits"},
	{SANDBOX "backend = \"\\U0001F60\"\n", "2: \\U wants 8 hexadecimal digits"},
	{SANDBOX "backend = \"\\u0000\"\n", "2: U+0000 is no character that a string can hold"},
	{SANDBOX "backend = \"\\ud800\"\n", "2: U+D800 is no character that a string can hold"},
	{SANDBOX "backend = \"\\U00110000\"\n",
		"2: U+110000 is no character that a string can hold"},
	/* Arrays. */
	{ARGS "[\n\"a\"\n", "4: the array has no closing ]"},
	{ARGS "[", "2: the array has no closing ]"},
	{ARGS "[\"a\" \"b\"]\n", "2: a comma or ] is missing in the array"},
	{ARGS "[\"a\",,\"b\"]\n",
		"2: an array holds strings alone, in quotes, with commas between"},
	{ARGS "[,]\n", "2: an array holds strings alone, in quotes, with commas between"},
	{ARGS "[\n\"a\",\n1]\n", "4: an array holds strings alone, in quotes, with commas between"},
	{ARGS "[[\"a\"]]\n", "2: an array holds strings alone, in quotes, with commas between"},
	{ARGS "[\"a\"] [\"b\"]\n", "2: text after the value of firejail_args"},
	{ARGS "[\n\"a\"\n] # c\n]\n", "5: this is not KEY = VALUE"},
	/* Bytes. */
	{SANDBOX "backend = \"no\rne\"\n", "2: control character 0x0d; in a string write \\u000d"},
	{SANDBOX "# \033[2J\n", "2: control character 0x1b; in a string write \\u001b"},
	{SANDBOX "\n# \x7f\n", "3: control character 0x7f; in a string write \\u007f"},
	{SANDBOX "# \xff\n", "2: the line is not valid UTF-8"},
	{SANDBOX "# \xed\xa0\x80\n", "2: the line is not valid UTF-8"},
	{SANDBOX "backend = \"\xc0\xae\"\n", "2: the line is not valid UTF-8"},
	{SANDBOX "\xef\xbb\xbf"
		 "backend = \"none\"\n",
		"2: this is not KEY = VALUE"},
	{SANDBOX "b\xd0\xb0"
		 "ckend = \"none\"\n",
		"2: this is not KEY = VALUE"},
	/* A name that inih would cut. */
	{SANDBOX "backend00000000000000000000000000000000000000000000 = \"none\"\n",
		"2: the name of the key has more than 48 bytes"},
	{"[security.sandbox0000000000000000000000000000000000]\n",
		"1: the name of the section has more than 48 bytes"},
};

static int parse(struct config *config, const char *text, size_t len, struct err *err)
{
	config_init(config);
	return config_parse(config, text, len, "c.toml", NULL, NULL, err);
}

static void what_is_not_of_the_subset_is_refused_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(syntax); i++) {
		char *wanted MEM_AUTO = mem_printf("c.toml:%s", syntax[i].sentence);
		struct config config;
		struct err err = ERR_INIT;

		if (!parse(&config, syntax[i].text, strlen(syntax[i].text), &err))
			fail_msg("accepted:\n%s", syntax[i].text);
		if (strncmp(err.text, wanted, strlen(wanted)))
			fail_msg("%s\n  says   %s\n  wanted %s", syntax[i].text, err.text, wanted);
		config_release(&config);
	}
}

static void all_of_the_subset_is_read(void **state)
{
	static const char *const cases[] = {
		"[security.sandbox]\nbackend = \"none\"\n",
		"[security.sandbox]\nbackend = \"none\"",
		"[security.sandbox]\r\nbackend = \"none\"\r\n",
		"\xef\xbb\xbf[security.sandbox]\nbackend = \"none\"\n",
		"[ security.sandbox ] # comment\n\t backend\t=\t'none' # comment\n\n\n",
		"[security.sandbox]#\nbackend='none'#",
		"# [exequatur\n#\xd0\xb6\n[security.sandbox]\nbackend = \"n\\u006fne\"",
		"[security.sandbox]\nfirejail_args = [\n]\nbackend = \"none\"\n",
		"[security.sandbox]\nfirejail_args = [ # one\r\n  'a', # two ]\r\n\r\n  \"b\" # "
		"three\n"
		"  , \n]\n backend = \"none\"\n",
		"[exequatur]\nmax_running = +5\n[security.sandbox]\nbackend = \"none\"\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config config;
		struct err err = ERR_INIT;

		if (parse(&config, cases[i], strlen(cases[i]), &err))
			fail_msg("%s\n%s", cases[i], err.text);
		assert_int_equal(config.backend, BACKEND_NONE);
		config_release(&config);
	}
}

static void an_empty_file_is_all_defaults(void **state)
{
	static const char *const cases[] = {"", "\n", "# nothing\n", " \t", "\xef\xbb\xbf"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config config;
		struct err err = ERR_INIT;

		assert_int_equal(parse(&config, cases[i], strlen(cases[i]), &err), 0);
		assert_int_equal(config.backend, BACKEND_AUTO);
		config_release(&config);
	}
}

static void a_nul_is_refused(void **state)
{
	static const char text[] = "[security.sandbox]\nbackend = \"auto\"\n#\0\n";
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(parse(&config, text, sizeof(text) - 1, &err), -1);
	assert_string_equal(
		err.text, "c.toml:3: control character 0x00; in a string write \\u0000");
	config_release(&config);
}

/* "# xxx...x", then the given end, in a file with one more line before it. */
static int parse_long_line(size_t bytes, const char *end, struct err *err)
{
	struct str text STR_AUTO = STR_INIT;
	struct config config;

	str_add(&text, "[security.sandbox]\n#");
	for (size_t i = 1; i < bytes; i++)
		str_add_char(&text, 'x');
	str_add(&text, end);
	int status = parse(&config, text.data, text.len, err);
	config_release(&config);
	return status;
}

static void an_over_long_line_is_refused(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(parse_long_line(CONFIG_LINE_BYTES, "\n", &err), 0);
	assert_int_equal(parse_long_line(CONFIG_LINE_BYTES, "\r\n", &err), 0);
	assert_int_equal(parse_long_line(CONFIG_LINE_BYTES, "", &err), 0);
	assert_int_equal(parse_long_line(CONFIG_LINE_BYTES + 1, "", &err), -1);
	assert_int_equal(parse_long_line(CONFIG_LINE_BYTES + 1, "\nbackend = 1\n", &err), -1);
	assert_string_equal(err.text, "c.toml:2: the line has more than 65536 bytes");
}

static void an_over_long_array_is_refused(void **state)
{
	struct str text STR_AUTO = STR_INIT;
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	str_add(&text, "[security.sandbox]\nfirejail_args = [\n");
	for (unsigned i = 0; i < CONFIG_ARRAY_ITEMS; i++)
		str_add(&text, "\"a\",\n");
	size_t whole = text.len;
	str_add(&text, "]\n");
	assert_int_equal(parse(&config, text.data, text.len, &err), 0);
	assert_int_equal(config.firejail_args.count, CONFIG_ARRAY_ITEMS);
	config_release(&config);
	str_truncate(&text, whole);
	str_add(&text, "\"a\"]\n");
	assert_int_equal(parse(&config, text.data, text.len, &err), -1);
	assert_string_equal(err.text, "c.toml:1027: the array has more than 1024 elements");
	config_release(&config);
}

static void an_over_long_file_is_refused(void **state)
{
	char *text MEM_AUTO = mem_alloc(CONFIG_FILE_BYTES + 1);
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	memset(text, '\n', CONFIG_FILE_BYTES + 1);
	assert_int_equal(parse(&config, text, CONFIG_FILE_BYTES, &err), 0);
	config_release(&config);
	assert_int_equal(parse(&config, text, CONFIG_FILE_BYTES + 1, &err), -1);
	config_release(&config);
}

static void strings_keep_every_byte(void **state)
{
	static const struct {
		const char *written, *meant;
	} cases[] = {
		{"\"a ; b # c\"", "a ; b # c"},
		{"' ; '", " ; "},
		{"\"  two  \"", "  two  "},
		{"\"\\\"\\\\\\t\\n\"", "\"\\\t\n"},
		{"'\\u0041\"'", "\\u0041\""},
		{"\"'\"", "'"},
		{"\"\\u0416\\u00e9\\U0001F600\"", "\xd0\x96\xc3\xa9\xf0\x9f\x98\x80"},
		{"\"\xd0\x96\xc2\x85\xc2\xa0\"", "\xd0\x96\xc2\x85\xc2\xa0"},
		{"\"\\u001b\\u007f\"", "\033\177"},
		{"\"[x] = y : z\"", "[x] = y : z"},
		{"\"\t\"", "\t"},
		{"\"\"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *text MEM_AUTO = mem_printf(ARGS "[%s]\n", cases[i].written);
		struct config config;
		struct err err = ERR_INIT;

		if (parse(&config, text, strlen(text), &err))
			fail_msg("%s", err.text);
		assert_int_equal(config.firejail_args.count, 1);
		assert_string_equal(config.firejail_args.items[0], cases[i].meant);
		config_release(&config);
	}
}

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

/* Whatever the length and the characters, the pieces that go through inih become the same string again. */
static void strings_of_every_length_come_through_in_pieces(void **state)
{
	static const char set[] = "ab ;#=[]:\\'-/\t.";
	unsigned seed = 7;

	(void)state;
	for (size_t len = 0; len < 600; len++) {
		struct str wanted STR_AUTO = STR_INIT;
		struct str text STR_AUTO = STR_INIT;
		struct config config;
		struct err err = ERR_INIT;

		str_add(&text, ARGS "[\"");
		for (size_t i = 0; i < len; i++) {
			char c = set[next_random(&seed) % (sizeof(set) - 1)];

			str_add_char(&wanted, c);
			str_printf(&text, c == '\\' ? "\\%c" : "%c", c);
		}
		str_add(&text, "\"]");
		if (parse(&config, text.data, text.len, &err))
			fail_msg("%s", err.text);
		assert_string_equal(config.firejail_args.items[0], str_c(&wanted));
		config_release(&config);
	}
}

static void a_string_has_at_most_4096_bytes(void **state)
{
	struct str text STR_AUTO = STR_INIT;
	struct config config;
	struct err err = ERR_INIT;

	(void)state;
	str_add(&text, "[security.sandbox.docker]\nimage = \"");
	for (unsigned i = 0; i < CONFIG_STRING_BYTES / 2; i++)
		str_add(&text, "\xd0\x96");
	size_t whole = text.len;
	str_add(&text, "\"\n");
	assert_int_equal(parse(&config, text.data, text.len, &err), 0);
	assert_int_equal(strlen(config.docker_image), CONFIG_STRING_BYTES);
	config_release(&config);
	str_truncate(&text, whole);
	str_add(&text, "x\"\n");
	assert_int_equal(parse(&config, text.data, text.len, &err), -1);
	assert_string_equal(err.text, "c.toml:2: the string has more than 4096 bytes");
	config_release(&config);
}

static void a_piece_is_decoded_byte_by_byte(void **state)
{
	struct str out STR_AUTO = STR_INIT;

	(void)state;
	config_piece_decode("a\\u003b\\u0020\\u00d0\\u0096b", &out);
	assert_string_equal(str_c(&out), "a; \xd0\x96"
					 "b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_of_the_subset_is_refused_with_its_line),
		cmocka_unit_test(all_of_the_subset_is_read),
		cmocka_unit_test(an_empty_file_is_all_defaults),
		cmocka_unit_test(a_nul_is_refused),
		cmocka_unit_test(an_over_long_line_is_refused),
		cmocka_unit_test(an_over_long_array_is_refused),
		cmocka_unit_test(an_over_long_file_is_refused),
		cmocka_unit_test(strings_keep_every_byte),
		cmocka_unit_test(strings_of_every_length_come_through_in_pieces),
		cmocka_unit_test(a_string_has_at_most_4096_bytes),
		cmocka_unit_test(a_piece_is_decoded_byte_by_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
