#include "config.h"

#include "core/shell_internal.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"

/* Words and the commands they make. */

static size_t command_open(struct shell_scan *s, struct shell_frame *list)
{
	struct shell *out = s->out;

	if (list->command != SHELL_NONE)
		return list->command;
	mem_grow(&out->commands, &out->command_cap, out->command_count, sizeof(*out->commands));
	out->commands[out->command_count] = (struct shell_command){
		.first = SHELL_NONE,
		.last = SHELL_NONE,
		.program = SHELL_NONE,
		.start = s->at,
		.end = s->at,
		.piped_from = list->pipe_from,
		.piped_with = SHELL_NONE,
		.parent = list->parent,
	};
	list->command = out->command_count++;
	return list->command;
}

void shell_word_open(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);
	struct shell *out = s->out;

	if (list->word != SHELL_NONE)
		return;
	mem_grow(&out->words, &out->word_cap, out->word_count, sizeof(*out->words));
	out->words[out->word_count] = (struct shell_word){
		.start = s->at,
		.end = s->at,
		.command = command_open(s, list),
		.next = SHELL_NONE,
	};
	list->word = out->word_count++;
	list->closed_before = list->closed_group;
	if (list->op_end == 0)
		list->closed_group = SHELL_NONE;
	list->word_span = out->span_count;
	list->cuts = 0;
	list->has_bare = list->last_expanded = false;
	list->name_so_far = true;
	str_clear(&list->value);
}

void shell_word_add(struct shell_scan *s, const char *bytes, size_t len)
{
	struct shell_frame *list = shell_list(s);

	/* Text between a here-document's lines belongs to no word. */
	if (s->values && list->word != SHELL_NONE)
		str_add_bytes(&list->value, bytes, len);
}

void shell_word_flag(struct shell_scan *s, unsigned flags)
{
	struct shell_frame *list = shell_list(s);

	if (list->word != SHELL_NONE)
		s->out->words[list->word].flags |= flags;
}

static void append(struct shell *out, size_t index)
{
	struct shell_word *word = &out->words[index];
	struct shell_command *command = &out->commands[word->command];

	if (command->first == SHELL_NONE)
		command->first = index;
	else
		out->words[command->last].next = index;
	command->last = index;
	if (word->end > command->end)
		command->end = word->end;
}

/* A word whose colour was chosen before it was known what it is. */
static void repaint(struct shell_scan *s, const struct shell_frame *list, enum shell_part part)
{
	for (size_t i = list->word_span; i < s->out->span_count; i++) {
		if (s->out->spans[i].part == SHELL_PROGRAM)
			s->out->spans[i].part = part;
	}
}

/* A backslash before a newline joins the lines, also inside of a keyword. */
static size_t behind_joins(const struct shell_scan *s, size_t at, size_t end)
{
	while (end - at >= 2 && s->bytes[at] == '\\' && s->bytes[at + 1] == '\n')
		at += 2;
	return at;
}

static bool reads(const struct shell_scan *s, const struct shell_word *word, const char *text)
{
	size_t at = word->start;

	for (; *text != '\0'; text++) {
		if (at == word->end || s->bytes[at] != *text)
			return false;
		at = behind_joins(s, at + 1, word->end);
	}
	return at == word->end;
}

bool shell_word_reads_one(const struct shell_scan *s, const struct shell_word *word,
	const char *const texts[], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (reads(s, word, texts[i]))
			return true;
	}
	return false;
}

/* Words that leave the place of a command open behind them; -p is of time. */
static bool is_keyword(const struct shell_scan *s, const struct shell_word *word)
{
	static const char *const keywords[] = {"!", "{", "}", "if", "then", "elif", "else", "fi",
		"do", "done", "while", "until", "time", "-p", "coproc", "esac"};

	return shell_word_reads_one(s, word, keywords, ARRAY_LEN(keywords));
}

static bool starts_words(const struct shell_scan *s, const struct shell_word *word)
{
	static const char *const keywords[] = {"for", "select", "case", "function"};

	return shell_word_reads_one(s, word, keywords, ARRAY_LEN(keywords));
}

/* Behind the name and the [index] that a word begins with; its start when it begins with none. */
static size_t behind_name(const struct shell_scan *s, const struct shell_word *word)
{
	size_t at = word->start;

	if (isdigit((unsigned char)s->bytes[at]))
		return at;
	while (at < word->end && (isalnum((unsigned char)s->bytes[at]) || s->bytes[at] == '_'))
		at = behind_joins(s, at + 1, word->end);
	if (at > word->start && at < word->end && s->bytes[at] == '[') {
		while (at < word->end && s->bytes[at] != ']')
			at++;
		at = behind_joins(s, at + (at < word->end), word->end);
	}
	return at;
}

static bool is_assignment(const struct shell_scan *s, const struct shell_word *word)
{
	size_t at = behind_name(s, word);

	if (at == word->start)
		return false;
	if (at < word->end && s->bytes[at] == '+')
		at = behind_joins(s, at + 1, word->end);
	return at < word->end && s->bytes[at] == '=';
}

static void close_keyword(struct shell_scan *s, struct shell_frame *list, struct shell_word *word)
{
	bool words = starts_words(s, word);

	word->role = SHELL_OTHER;
	repaint(s, list, SHELL_JOIN);
	shell_group_follow(s, list, word);
	if (words)
		list->at_command = false;
	if (reads(s, word, "case"))
		list->case_state = SHELL_CASE_WORD;
	if (reads(s, word, "function"))
		list->is_function = true;
	list->behind_coproc = reads(s, word, "coproc");
	list->loop_words = reads(s, word, "for") || reads(s, word, "select");
	if (reads(s, word, "esac") && list->cases > 0)
		list->cases--;
	/* The command begins behind it. */
	if (!words)
		list->command = SHELL_NONE;
}

static void close_program(struct shell_scan *s, struct shell_frame *list, struct shell_word *word)
{
	if (!(word->flags & (SHELL_QUOTED | SHELL_EXPANDS)) &&
		(is_keyword(s, word) || starts_words(s, word))) {
		close_keyword(s, list, word);
		return;
	}
	if (is_assignment(s, word)) {
		word->role = SHELL_ASSIGNMENT;
		repaint(s, list, SHELL_PLAIN);
		return;
	}
	word->role = SHELL_IS_PROGRAM;
	s->out->commands[word->command].program = list->word;
	list->at_command = false;
	list->has_coproc_name = list->behind_coproc;
	list->behind_coproc = false;
	list->has_program_last = true;
	list->in_test = reads(s, word, "[[");
}

static void close_argument(struct shell_scan *s, struct shell_frame *list, struct shell_word *word)
{
	word->role = SHELL_ARGUMENT;
	if (shell_group_of_coproc(s, list, word))
		return;
	if (list->in_test && reads(s, word, "]]"))
		list->in_test = false;
	if (list->case_state == SHELL_CASE_WORD && reads(s, word, "in")) {
		word->role = SHELL_OTHER;
		list->case_state = SHELL_CASE_PATTERN;
		list->cases++;
	}
	/* for x do */
	bool does = list->loop_words == 2 && reads(s, word, "do");

	list->loop_words += list->loop_words > 0;
	if (list->is_function || does) {
		word->role = SHELL_OTHER;
		list->has_function_name = list->is_function; /* function f () */
		list->is_function = false;
		list->at_command = true;
		list->command = SHELL_NONE;
	}
}

static void close_target(struct shell_scan *s, struct shell_frame *list, struct shell_word *word)
{
	size_t from = list->op_start, n = list->op_end - from;

	word->role = SHELL_TARGET;
	word->op_start = from;
	if (n > 1 && s->bytes[from] == '&') {
		from++;
		n--;
	}
	memcpy(word->op, s->bytes + from, n < 3 ? n : 3);
	list->op_end = 0;
	if (strncmp(word->op, "<<", 2) != 0 || word->op[2] == '<')
		return;
	word->role = SHELL_HERE;
	if (word->flags & SHELL_QUOTED)
		word->flags |= SHELL_LITERAL_QUOTES;
	if (s->pending_count == SHELL_HERE_MAX)
		shell_fail(s, word->op_start);
	else
		s->pending[s->pending_count++] = list->word;
}

static void close_case_words(
	struct shell_scan *s, struct shell_frame *list, struct shell_word *word)
{
	word->role = SHELL_OTHER;
	if (!reads(s, word, "esac"))
		return;
	shell_group_close(list);
	list->case_state = SHELL_CASE_NONE;
	list->at_command = false;
	if (list->cases > 0)
		list->cases--;
}

/* A word cut twice, or once where it matters, is written so that it is not read. */
static void note_pieces(struct shell_frame *list, struct shell_word *word)
{
	if (list->cuts >= 2 && word->end - word->start < 200)
		word->flags |= SHELL_PIECES;
	if (!(word->flags & SHELL_WHOLE) || list->has_bare)
		word->flags &= ~(unsigned)SHELL_WHOLE;
}

/* For colours alone a word is forgotten at once, or the memory of a long command would cost more than its reading. */
static void finish_word(struct shell_scan *s, struct shell_frame *list)
{
	struct shell *out = s->out;

	if (s->values)
		append(out, list->word);
	else if (out->words[list->word].role != SHELL_HERE && list->word + 1 == out->word_count)
		out->word_count--;
	list->word = SHELL_NONE;
}

void shell_word_close(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);

	if (list->word == SHELL_NONE)
		return;
	struct shell_word *word = &s->out->words[list->word];

	word->end = s->at;
	list->has_program_last = list->has_function_name = false;
	note_pieces(list, word);
	if (s->values)
		word->value = mem_strndup(str_c(&list->value), list->value.len);
	if (list->op_end > 0)
		close_target(s, list, word);
	else if (list->case_state == SHELL_CASE_PATTERN)
		close_case_words(s, list, word);
	else if (list->is_array)
		word->role = SHELL_OTHER;
	else if (list->at_command)
		close_program(s, list, word);
	else
		close_argument(s, list, word);
	finish_word(s, list);
}

void shell_command_end(struct shell_scan *s)
{
	struct shell_frame *list = shell_list(s);

	if (list->op_end > 0) /* no word came */
		shell_fail(s, list->op_start);
	if (list->command != SHELL_NONE)
		list->last_command = list->command;
	if (!s->values && list->command != SHELL_NONE && list->command + 1 == s->out->command_count)
		s->out->command_count--;
	list->command = SHELL_NONE;
	list->at_command = !list->is_array;
	list->in_test = list->is_function = false;
	list->loop_words = 0;
	if (list->case_state == SHELL_CASE_WORD)
		list->case_state = SHELL_CASE_NONE;
}

void shell_redirect(struct shell_scan *s, size_t n)
{
	struct shell_frame *list = shell_list(s);

	if (list->op_end > 0) {
		shell_fail(s, list->op_start);
		return;
	}
	command_open(s, list);
	list->op_start = s->at;
	list->op_end = s->at + n;
	shell_paint(s, n, SHELL_JOIN);
}
