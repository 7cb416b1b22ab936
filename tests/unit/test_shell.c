#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "core/shell.h"

/* The colour of each byte: P program, j join, s string, e expand, . plain. */
static void colours(const char *command, bool values, struct str *out)
{
	CLEANUP(shell_release) struct shell shell = {0};

	shell_read(command, strlen(command), values, &shell);
	for (size_t i = 0; i < shell.span_count; i++) {
		for (size_t at = shell.spans[i].start; at < shell.spans[i].end; at++)
			str_add_char(out, ".Pjse"[shell.spans[i].part]);
	}
	assert_int_equal(out->len, strlen(command));
}

static void print_words(const struct shell *shell, size_t command, struct str *out)
{
	size_t at = shell->commands[command].first, before = out->len;

	for (; at != SHELL_NONE; at = shell->words[at].next) {
		const struct shell_word *word = &shell->words[at];

		if (word->role != SHELL_OTHER)
			str_printf(out, "%s%s ", word->op, word->value);
	}
	if (out->len > before)
		str_add(out, shell->commands[command].background ? "&; " : "; ");
}

/* Commands with their words; what reads from a pipe stands behind the name of what it reads. */
static void words(const char *command, struct str *out)
{
	CLEANUP(shell_release) struct shell shell = {0};

	shell_read(command, strlen(command), true, &shell);
	for (size_t i = 0; i < shell.command_count; i++) {
		size_t from = shell.commands[i].piped_from;

		if (from != SHELL_NONE)
			str_printf(out, "%s| ", shell.words[shell.commands[from].first].value);
		print_words(&shell, i, out);
	}
	if (shell.unsure != SHELL_NONE)
		str_printf(out, "unsure %zu", shell.unsure);
}

static void bytes_have_the_colour_of_what_they_are(void **state)
{
	static const struct {
		const char *command, *colours;
	} cases[] = {
		{"", ""},
		{"ls -la", "PP...."},
		{"a;b&&c|d &", "PjPjjPjP.j"},
		{"A=1 b", "....P"},
		{"echo 'x y' \"a $b\"", "PPPP.sssss.sssees"},
		{"a >b 2>&1", "P.j..jjj."},
		{"a $(b c)", "P.jjP..j"},
		{"a `b`", "P.jPj"},
		{"ls *.c ~/x ${y}", "PP.e...e...eeee"},
		{"# no 'quote\nls", "............PP"},
		{"if a; then b; fi", "jj.Pj.jjjj.Pj.jj"},
		{"cat <<E\n$x y\nE\nls", "PPP.jj..eessss.PP"},
		{"cat <<'E'\n$x\nE", "PPP.jjsss.ssss"},
		{"case a in b) c;; esac", "jjjj.......j.Pjj....."},
		{"f() { a; }", "Pjj.j.Pj.j"},
		{"diff <(a) <(b)", "PPPP.jjPj.jjPj"},
		{"[[ a < b && c ]]", "PP...j...jj....."},
		{"echo $((1 + 2))", "PPPP.eeeeeeeeee"},
		{"a 'b", "P.ss"},
		{"\xc3\xa9 \xff", "PP.."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str out = STR_INIT, fast = STR_INIT;

		colours(cases[i].command, true, &out);
		colours(cases[i].command, false, &fast);
		assert_string_equal(str_c(&out), str_c(&fast));
		assert_string_equal(str_c(&out), cases[i].colours);
	}
}

static void words_are_as_the_shell_makes_them(void **state)
{
	static const struct {
		const char *command, *words;
	} cases[] = {
		{"a b", "a b ; "},
		{"r''m \"-r\"f \\x $'\\x41\\n'", "rm -rf x A\n ; "},
		{"a | b | c; d", "a ; a| b ; b| c ; d ; "},
		{"(a; b) | c", "a ; b ; b| c ; "},
		{"a | (b; c)", "a ; a| b ; a| c ; "},
		{"a |\n b", "a ; a| b ; "},
		{"a > x 2>> y <z &>w &", "a >x >>y <z >w &; "},
		{"x=1 y=$(a) b", "x=1 y=$() b ; a ; "},
		{"a \"$(b \"c d\" | e)\" f", "a $() f ; b c d ; b| e ; "},
		{"while read l; do a; done < f", "read l ; a ; <f ; "},
		{"for i in 1 2; do a $i; done", "i in 1 2 ; a $i ; "},
		{"case $x in\n a|b) c;;\n *) d ;;\nesac; e", "$x ; c ; d ; e ; "},
		{"a <<E | b\nx\nE\nc", "a <<E ; a| b ; c ; "},
		{"a <<E\n$(b)\nE\nc", "a <<E ; b ; c ; "},
		{"a <<-'E F'\n\tx\n\tE F\nc", "a <<-E F ; c ; "},
		{"a \\\n b", "a b ; "},
		{"x=(1 2\n3) b", "x= b ; "},
		{"a <<E\nx\\\nE\nE\nb", "a <<E ; b ; "},
		{"a <<E <<F\n$(b <<G\nG\n)\nE\nF\nc", "a <<E <<F ; b <<G ; c ; "},
		{"a `b #c` d", "a $() d ; b ; "},
		{"a <<E\nx", "a <<E ; unsure 2"},
		{"a 'b", "a ; unsure 2"},
		{"a $(b", "a ; unsure 2"},
		{"a )", "a ; unsure 2"},
		{"$((a) | b)", "unsure 0"},
		{"a \"$\\\n(b)\"", "a ; unsure 3"},
		{"if x; then\\\n a; f\\\ni; b", "x ; a ; b ; "},
		{"for x do a; done; time -p b", "x ; a ; b ; "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		STR_AUTO struct str out = STR_INIT;

		words(cases[i].command, &out);
		assert_string_equal(str_c(&out), cases[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_have_the_colour_of_what_they_are),
		cmocka_unit_test(words_are_as_the_shell_makes_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
