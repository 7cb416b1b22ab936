#include "config.h"

#include "core/shell_internal.h"

#include <ctype.h>
#include <string.h>

/* Quotes, expansions, and the text inside of them. */

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool is_program(const struct shell_frame *list)
{
	return list->at_command && list->op_end == 0;
}

/* Quotes that only cut a word: empty ones between its letters, single letters; in the name of a program any. */
static void count_cut(struct shell_scan *s, size_t inside, size_t behind)
{
	struct shell_frame *list = shell_list(s);
	size_t start = list->word != SHELL_NONE ? s->out->words[list->word].start : s->at;
	bool before = s->at > start && is_name(s->bytes[s->at - 1]);
	bool after = behind < s->limit && is_name(s->bytes[behind]);

	if (!before && !after)
		return;
	if (inside == 0)
		list->cuts += before && after ? 2 : 0;
	else if (is_program(list))
		list->cuts += 2;
	else if (inside == 1)
		list->cuts += is_name(s->bytes[s->at + 1]);
}

/* The word is this one string, unless more of it comes: then has_bare. */
static void take_whole(struct shell_scan *s, size_t inner)
{
	struct shell_frame *list = shell_list(s);

	if (list->word == SHELL_NONE)
		return;
	struct shell_word *word = &s->out->words[list->word];

	if (word->start == s->at) {
		word->inner = inner;
		word->flags |= SHELL_WHOLE;
	} else {
		list->has_bare = true;
	}
	word->flags |= SHELL_QUOTED;
}

void shell_single(struct shell_scan *s)
{
	const char *start = s->bytes + s->at + 1;
	const char *end = memchr(start, '\'', s->limit - s->at - 1);

	if (end == NULL) {
		shell_fail(s, s->at);
		return;
	}
	size_t len = (size_t)(end - start);

	shell_word_open(s);
	take_whole(s, s->at + 1);
	count_cut(s, len, s->at + len + 2);
	shell_word_add(s, start, len);
	shell_list(s)->last_expanded = false;
	shell_paint(s, len + 2, SHELL_STRING);
}

static void open_double(struct shell_scan *s)
{
	if (shell_push(s, SHELL_DOUBLE, '\0'))
		shell_paint(s, 1, SHELL_STRING);
}

void shell_double(struct shell_scan *s)
{
	size_t inside = shell_peek(s, 1) == '"' ? 0 : shell_peek(s, 2) == '"' ? 1 : 2;

	shell_word_open(s);
	take_whole(s, s->at + 1);
	count_cut(s, inside, s->at + inside + 2);
	shell_list(s)->last_expanded = false;
	open_double(s);
}

static int digit_of(char c, int base)
{
	int value = isdigit((unsigned char)c)   ? c - '0'
		    : isalpha((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
						: 99;

	return value < base ? value : -1;
}

/* The number behind a backslash of $'..': its digits, at most so many. */
static size_t read_code(const char *at, const char *end, int base, size_t most, unsigned *ret)
{
	size_t n = 0;

	for (*ret = 0; n < most && at + n < end && digit_of(at[n], base) >= 0; n++)
		*ret = *ret * (unsigned)base + (unsigned)digit_of(at[n], base);
	return n;
}

static size_t decode_number(const char *at, const char *end, unsigned *ret)
{
	if (*at == 'x')
		return 1 + read_code(at + 1, end, 16, 2, ret);
	if (*at == 'u' || *at == 'U')
		return 1 + read_code(at + 1, end, 16, *at == 'u' ? 4 : 8, ret);
	return read_code(at, end, 8, 3, ret);
}

/* One escape of $'..', behind its backslash. Returns its length. */
static size_t decode(struct shell_scan *s, const char *at, const char *end, unsigned *letters)
{
	static const char names[] = "abefnrtv", values[] = "\a\b\033\f\n\r\t\v";
	const char *name = strchr(names, *at);
	unsigned code = 0;
	size_t n = decode_number(at, end, &code);

	if (n == 0 || (n == 1 && !isdigit((unsigned char)*at))) {
		shell_word_add(s, name != NULL && *at != '\0' ? &values[name - names] : at, 1);
		return 1;
	}
	char c = code > 0 && code < 0x7F ? (char)code : '?';

	*letters += is_name(c) || c == '/' || c == '-';
	shell_word_add(s, &c, 1);
	return n;
}

void shell_coded(struct shell_scan *s)
{
	size_t at = s->at + 2;
	unsigned letters = 0;

	shell_word_open(s);
	take_whole(s, at);
	while (at < s->limit && s->bytes[at] != '\'') {
		if (s->bytes[at] == '\\' && at + 1 < s->limit) {
			at += 1 + decode(s, s->bytes + at + 1, s->bytes + s->limit, &letters);
			shell_list(s)->has_bare = true; /* its bytes are not its value */
		} else {
			shell_word_add(s, s->bytes + at++, 1);
		}
	}
	if (at >= s->limit) {
		shell_fail(s, s->at);
		return;
	}
	if (letters >= 2)
		shell_word_flag(s, SHELL_CODED);
	shell_paint(s, at + 1 - s->at, SHELL_STRING);
}

/* A backslash outside of quotes. */
void shell_escape(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);
	char c = shell_peek(s, 1);

	if (c == '\n') { /* the line goes on */
		list->has_bare = true;
		shell_paint(s, 2, SHELL_PLAIN);
		return;
	}
	size_t start = list->word == SHELL_NONE ? s->at : s->out->words[list->word].start;

	shell_word_open(s);
	/* A first backslash only passes an alias by. */
	if (isalpha((unsigned char)c) && s->at > start && is_program(list))
		list->cuts += 2;
	list->has_bare = true;
	list->last_expanded = false;
	shell_word_flag(s, SHELL_QUOTED);
	if (s->at + 1 < s->limit)
		shell_word_add(s, &c, 1);
	shell_paint(s, s->at + 1 < s->limit ? 2 : 1,
		list->at_command && list->op_end == 0 ? SHELL_PROGRAM : SHELL_PLAIN);
}

static void note_expansion(struct shell_scan *s, unsigned flags)
{
	struct shell_frame *list = shell_list(s);

	if (list->last_expanded && shell_top(s)->mode == SHELL_LIST)
		flags |= SHELL_MANY;
	list->last_expanded = true;
	list->has_bare |= shell_top(s)->mode == SHELL_LIST;
	shell_word_flag(s, flags | SHELL_EXPANDS);
}

static void enter_list(struct shell_scan *s, size_t n, char close)
{
	size_t parent =
		shell_top(s)->mode == SHELL_BODY ? shell_top(s)->parent : shell_list(s)->word;

	note_expansion(s, SHELL_SUBSTITUTES);
	shell_word_add(s, "$()", 3);
	if (!shell_push(s, SHELL_LIST, close))
		return;
	shell_top(s)->parent = parent;
	shell_paint(s, n, SHELL_JOIN);
}

static void enter_text(struct shell_scan *s, enum shell_mode mode, size_t n)
{
	note_expansion(s, 0);
	shell_word_add(s, s->bytes + s->at, n);
	if (!shell_push(s, mode, '\0'))
		return;
	shell_top(s)->parens = mode == SHELL_ARITH ? 2 : 1;
	shell_paint(s, n, SHELL_EXPAND);
}

static void simple_variable(struct shell_scan *s)
{
	size_t n = 1;

	if (strchr("@*#?$!-0123456789", shell_peek(s, 1)) != NULL && shell_peek(s, 1) != '\0')
		n = 2;
	else
		while (is_name(shell_peek(s, n)))
			n++;
	if (n > 1)
		note_expansion(s, 0);
	shell_word_add(s, s->bytes + s->at, n);
	shell_paint(s, n, n > 1 ? SHELL_EXPAND : SHELL_PLAIN);
}

void shell_dollar(struct shell_scan *s)
{
	char next = shell_peek(s, 1);
	bool in_body = shell_top(s)->mode == SHELL_BODY;

	if (next == '\\' && shell_peek(s, 2) == '\n') { /* what is behind it still belongs to it */
		shell_fail(s, s->at);
		return;
	}
	if (!in_body)
		shell_word_open(s);
	if (next == '(' && shell_peek(s, 2) == '(')
		enter_text(s, SHELL_ARITH, 3);
	else if (next == '(')
		enter_list(s, 2, ')');
	else if (next == '{')
		enter_text(s, SHELL_BRACE, 2);
	else if (next == '\'' && shell_top(s)->mode == SHELL_LIST)
		shell_coded(s);
	else if (!in_body || is_name(next))
		simple_variable(s);
	else
		shell_paint(s, 1, SHELL_STRING);
}

void shell_backtick(struct shell_scan *s)
{
	if (shell_top(s)->mode != SHELL_BODY)
		shell_word_open(s);
	enter_list(s, 1, '`');
}

static void close_text(struct shell_scan *s, enum shell_part part)
{
	if (shell_top(s)->mode == SHELL_BRACE)
		shell_word_add(s, "}", 1);
	shell_pop(s);
	shell_paint(s, 1, part);
}

/* ) of arithmetic: what opened as $(( ends as )), else it was a command that is not read. */
static void close_paren(struct shell_scan *s)
{
	struct shell_frame *top = shell_top(s);

	if (--top->parens == 1 && shell_peek(s, 1) != ')') {
		shell_fail(s, top->opened);
		return;
	}
	if (top->parens > 0)
		shell_paint(s, 1, SHELL_EXPAND);
	else
		close_text(s, SHELL_EXPAND);
}

static bool text_closes(struct shell_scan *s, char c)
{
	struct shell_frame *top = shell_top(s);

	if (top->mode == SHELL_DOUBLE && c == '"')
		close_text(s, SHELL_STRING);
	else if (top->mode == SHELL_BRACE && c == '}' && top->close == '\0')
		close_text(s, SHELL_EXPAND);
	else if (top->mode == SHELL_BRACE && c == ')' && top->close == ')')
		close_text(s, SHELL_EXPAND);
	else if (top->mode == SHELL_ARITH && c == ')')
		close_paren(s);
	else
		return false;
	return true;
}

/* Inside of ${ } a part of a variable is taken. */
static void brace_byte(struct shell_scan *s, char c)
{
	if (c == ':' && (isdigit((unsigned char)shell_peek(s, 1)) || shell_peek(s, 1) == ' '))
		shell_word_flag(s, SHELL_MANY);
}

static void plain_text(struct shell_scan *s, enum shell_part part)
{
	size_t n = 1;

	while (s->at + n < s->limit && strchr("\"'\\$`(){}:", s->bytes[s->at + n]) == NULL)
		n++;
	shell_word_add(s, s->bytes + s->at, n);
	shell_paint(s, n, part);
}

static void text_backslash(struct shell_scan *s, enum shell_part part)
{
	char c = shell_peek(s, 1);
	bool escapes = c != '\0' && strchr("$`\"\\", c) != NULL;

	if (escapes)
		shell_word_add(s, &c, 1);
	else if (c != '\n')
		shell_word_add(s, s->bytes + s->at, s->at + 1 < s->limit ? 2 : 1);
	if (escapes || c == '\n')
		shell_list(s)->has_bare = true;
	shell_paint(s, s->at + 1 < s->limit ? 2 : 1, part);
}

/* A quote inside of ${ } that stands in no string itself. */
static bool opens_single(struct shell_scan *s, char c)
{
	return c == '\'' && shell_top(s)->mode == SHELL_BRACE &&
	       s->frames[s->depth - 2].mode == SHELL_LIST;
}

static bool opens_double(struct shell_scan *s, char c)
{
	return c == '"' && shell_top(s)->mode != SHELL_BODY;
}

void shell_step_text(struct shell_scan *s)
{
	struct shell_frame *top = shell_top(s);
	bool is_text = top->mode == SHELL_DOUBLE || top->mode == SHELL_BODY;
	enum shell_part part = is_text ? SHELL_STRING : SHELL_EXPAND;
	char c = shell_peek(s, 0);

	if (text_closes(s, c))
		return;
	if (top->mode == SHELL_BRACE)
		brace_byte(s, c);
	if (c == '\\') {
		text_backslash(s, part);
	} else if (c == '$') {
		shell_dollar(s);
	} else if (c == '`') {
		shell_backtick(s);
	} else if (opens_double(s, c)) {
		open_double(s);
	} else if (opens_single(s, c)) {
		shell_single(s);
	} else {
		top->parens += top->mode == SHELL_ARITH && c == '(';
		plain_text(s, part);
	}
}
