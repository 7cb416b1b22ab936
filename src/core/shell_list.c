#include "config.h"

#include "core/shell_internal.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

/* One step of a list of commands. */

static void comment(struct shell_scan *s)
{
	size_t end = shell_line_end(s, s->at);

	/* In backticks the comment ends with them. */
	if (shell_top(s)->close == '`') {
		const char *tick = memchr(s->bytes + s->at, '`', end - s->at);

		end = tick == NULL ? end : (size_t)(tick - s->bytes);
	}
	shell_paint(s, end - s->at, SHELL_PLAIN);
}

static void newline(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);

	shell_word_close(s);
	if (!list->is_array && !list->in_test && list->case_state == SHELL_CASE_NONE) {
		/* Behind a | the command may come in the next line. */
		if (list->command != SHELL_NONE || !list->at_command)
			list->pipe_from = list->pipe_base;
		shell_command_end(s);
	}
	shell_paint(s, 1, SHELL_PLAIN);
	shell_bodies(s);
}

static size_t separator_length(const struct shell_scan *s)
{
	static const char *const separators[] = {
		";;&", ";;", ";&", "&&", "||", "|&", ";", "&", "|"};
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(separators) &&
		(strlen(separators[i]) > s->limit - s->at ||
			memcmp(s->bytes + s->at, separators[i], strlen(separators[i])) != 0))
		i++;
	return strlen(separators[i]);
}

/* All that { } or ( ) puts out goes where the output of its last command goes. */
static void hand_on_group(struct shell_scan *s, struct shell_frame *list)
{
	size_t last = list->last_command;

	for (size_t i = list->closed_group; i < last && last < s->out->command_count; i++) {
		if (s->out->commands[i].piped_with == SHELL_NONE)
			s->out->commands[i].piped_with = last;
	}
	list->closed_group = SHELL_NONE;
}

/* A complete command, and what reads from it. */
static void end_command(struct shell_scan *s, size_t n)
{
	struct shell_frame *list = shell_list(s);
	char c = shell_peek(s, 0);
	bool pipe = c == '|' && (n == 1 || shell_peek(s, 1) == '&');

	if (c == '&' && n == 1 && list->command != SHELL_NONE) {
		s->out->commands[list->command].background = true;
		s->out->commands[list->command].end = s->at + 1;
	}
	shell_command_end(s);
	if (pipe)
		hand_on_group(s, list);
	list->pipe_from = pipe ? list->last_command : list->pipe_base;
	if (c == ';' && n > 1 && list->cases > 0)
		list->case_state = SHELL_CASE_PATTERN;
}

/* ; & | and their doubles. */
static void separator(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);
	size_t n = separator_length(s);

	shell_word_close(s);
	if (list->case_state == SHELL_CASE_PATTERN) /* a|b) */
		n = 1;
	else if (!list->in_test)
		end_command(s, n);
	shell_paint(s, n, SHELL_JOIN);
}

static void close_list(struct shell_scan *s)
{
	struct shell_frame *top = shell_top(s);
	size_t last, parent = top->parent;
	bool subshell = top->close == ')' && parent == SHELL_NONE;

	shell_command_end(s);
	if (s->pending_count > top->pending || top->cases > 0) {
		shell_fail(s, top->opened);
		return;
	}
	last = top->last_command;
	bool is_array = top->is_array;
	size_t first = top->first_command;

	shell_pop(s);
	shell_paint(s, 1, SHELL_JOIN);
	if (!subshell || is_array)
		return;
	shell_top(s)->last_command = last;
	shell_top(s)->closed_group = first;
	shell_top(s)->at_command = false;
}

static void close_paren(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);

	shell_word_close(s);
	if (list->in_test) {
		shell_paint(s, 1, SHELL_JOIN);
	} else if (list->case_state == SHELL_CASE_PATTERN) {
		shell_paint(s, 1, SHELL_JOIN);
		list->case_state = SHELL_CASE_NONE;
		list->command = SHELL_NONE;
		list->at_command = true;
	} else if (list->close == ')') {
		close_list(s);
	} else {
		shell_fail(s, s->at);
	}
}

/* name() as the beginning of a function. */
static bool is_function(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);

	if (shell_peek(s, 1) != ')')
		return false;
	if (list->has_function_name) {
		list->has_function_name = false;
		shell_paint(s, 2, SHELL_JOIN);
		return true;
	}
	if (list->command == SHELL_NONE)
		return false;
	struct shell_command *command = &s->out->commands[list->command];

	if (command->program == SHELL_NONE || !list->has_program_last)
		return false;
	if (s->values)
		s->out->words[command->program].role = SHELL_OTHER;
	command->program = SHELL_NONE;
	list->command = SHELL_NONE;
	list->at_command = true;
	shell_paint(s, 2, SHELL_JOIN);
	return true;
}

static void enter_subshell(struct shell_scan *s)
{
	size_t from = shell_list(s)->pipe_from;

	if (!shell_push(s, SHELL_LIST, ')'))
		return;
	shell_top(s)->pipe_from = shell_top(s)->pipe_base = from;
	shell_top(s)->first_command = s->out->command_count;
	shell_paint(s, 1, SHELL_JOIN);
}

/* A ( inside a word: a=( ) is a list of words, ?( ) a pattern. */
static void paren_in_word(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);
	char before = s->bytes[s->at - 1];

	if (before == '=' && list->at_command) {
		size_t parent = list->word;

		if (!shell_push(s, SHELL_LIST, ')'))
			return;
		shell_top(s)->is_array = true;
		shell_top(s)->at_command = false;
		shell_top(s)->parent = parent;
		shell_paint(s, 1, SHELL_JOIN);
	} else if (strchr("?*+@!", before) != NULL) {
		shell_word_flag(s, SHELL_GLOB);
		if (shell_push(s, SHELL_BRACE, ')'))
			shell_paint(s, 1, SHELL_EXPAND);
	} else {
		shell_word_close(s);
		if (!is_function(s))
			shell_fail(s, s->at);
	}
}

static void open_paren(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);

	if (list->in_test || list->case_state == SHELL_CASE_PATTERN) {
		shell_word_close(s);
		shell_paint(s, 1, SHELL_JOIN);
	} else if (list->word != SHELL_NONE) {
		paren_in_word(s);
	} else if (shell_peek(s, 1) == '(') {
		shell_word_open(s);
		shell_word_add(s, "((", 2);
		if (!shell_push(s, SHELL_ARITH, '\0'))
			return;
		shell_top(s)->parens = 2;
		shell_paint(s, 2, SHELL_JOIN);
	} else if (list->at_command && !list->has_function_name) {
		enter_subshell(s);
	} else if (!is_function(s)) {
		shell_fail(s, s->at);
	}
}

/* 2> and the like: the digits belong to the redirection. */
static void drop_digits(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);

	if (list->word == SHELL_NONE)
		return;
	struct shell_word *word = &s->out->words[list->word];

	for (size_t i = word->start; i < s->at; i++) {
		if (!isdigit((unsigned char)s->bytes[i])) {
			shell_word_close(s);
			return;
		}
	}
	for (size_t i = list->word_span; i < s->out->span_count; i++)
		s->out->spans[i].part = SHELL_JOIN;
	list->word = SHELL_NONE;
	list->closed_group = list->closed_before; /* it was no word behind the group */
	s->out->word_count--;
}

static size_t operator_length(const struct shell_scan *s)
{
	static const char *const operators[] = {
		"&>>", "<<<", "<<-", "&>", "<<", ">>", "<>", ">|", ">&", "<&", "<", ">"};

	for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
		size_t n = strlen(operators[i]);

		if (n <= s->limit - s->at && memcmp(s->bytes + s->at, operators[i], n) == 0)
			return n;
	}
	return 0;
}

static void angle(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);

	if (shell_peek(s, 1) == '(' && !list->in_test) { /* a process */
		shell_word_open(s);
		shell_word_flag(s, SHELL_PROCESS | SHELL_EXPANDS);
		size_t parent = list->word;

		if (!shell_push(s, SHELL_LIST, ')'))
			return;
		shell_top(s)->parent = parent;
		shell_paint(s, 2, SHELL_JOIN);
		return;
	}
	drop_digits(s);
	if (list->in_test || list->case_state == SHELL_CASE_PATTERN)
		shell_paint(s, 1, SHELL_JOIN);
	else
		shell_redirect(s, operator_length(s));
}

static bool ends_bare(char c)
{
	return strchr(" \t\n;&|<>()'\"\\$`*?~=!+@", c) != NULL; /* NUL too */
}

static void bare(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);
	char c = shell_peek(s, 0);
	bool first = list->word == SHELL_NONE;
	size_t n = 1;

	shell_word_open(s);
	list->has_bare = true;
	list->last_expanded = false;
	enum shell_part part =
		list->at_command && list->op_end == 0 && list->case_state != SHELL_CASE_PATTERN
			? SHELL_PROGRAM
			: SHELL_PLAIN;

	if (c == '*' || c == '?')
		shell_word_flag(s, SHELL_GLOB);
	if (c == '*' || c == '?' || (c == '~' && first)) {
		part = SHELL_EXPAND;
	} else {
		while (s->at + n < s->limit && !ends_bare(s->bytes[s->at + n]))
			n++;
	}
	shell_word_add(s, s->bytes + s->at, n);
	shell_paint(s, n, part);
}

static void blank(struct shell_scan *s)
{
	size_t n = 1;

	shell_word_close(s);
	while (shell_peek(s, n) == ' ' || shell_peek(s, n) == '\t')
		n++;
	shell_paint(s, n, SHELL_PLAIN);
}

static void backtick(struct shell_scan *s)
{
	if (shell_top(s)->close != '`') {
		shell_backtick(s);
		return;
	}
	shell_word_close(s);
	close_list(s);
}

static void escape(struct shell_scan *s)
{
	/* Backticks inside of backticks are written \` and are not read. */
	if (shell_top(s)->close == '`' && strchr("`\\$", shell_peek(s, 1)) != NULL)
		shell_fail(s, s->at);
	else
		shell_escape(s);
}

static void ampersand(struct shell_scan *s)
{
	if (shell_peek(s, 1) == '>' && !shell_list(s)->in_test) {
		shell_word_close(s);
		shell_redirect(s, operator_length(s));
	} else {
		separator(s);
	}
}

static void hash(struct shell_scan *s)
{
	if (shell_list(s)->word == SHELL_NONE)
		comment(s);
	else
		bare(s);
}

static void dollar(struct shell_scan *s)
{
	if (shell_peek(s, 1) == '"')
		shell_paint(s, 1, SHELL_STRING);
	else
		shell_dollar(s);
}

void shell_step_list(struct shell_scan *s)
{
	static void (*const steps[128])(struct shell_scan *) = {
		['\n'] = newline,
		[' '] = blank,
		['\t'] = blank,
		['"'] = shell_double,
		['\''] = shell_single,
		['\\'] = escape,
		['$'] = dollar,
		['`'] = backtick,
		['#'] = hash,
		[';'] = separator,
		['|'] = separator,
		['&'] = ampersand,
		['<'] = angle,
		['>'] = angle,
		['('] = open_paren,
		[')'] = close_paren,
	};
	unsigned char c = (unsigned char)shell_peek(s, 0);

	if (c < 128 && steps[c] != NULL)
		steps[c](s);
	else
		bare(s);
}
