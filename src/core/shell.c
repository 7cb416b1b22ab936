#include "config.h"

#include "core/shell.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/shell_internal.h"

struct shell_frame *shell_top(struct shell_scan *s)
{
	return &s->frames[s->depth - 1];
}

struct shell_frame *shell_list(struct shell_scan *s)
{
	return &s->frames[shell_top(s)->list];
}

char shell_peek(const struct shell_scan *s, size_t ahead)
{
	return ahead < s->limit - s->at ? s->bytes[s->at + ahead] : '\0';
}

void shell_paint(struct shell_scan *s, size_t n, enum shell_part part)
{
	struct shell *out = s->out;
	struct shell_span *last = out->span_count > 0 ? &out->spans[out->span_count - 1] : NULL;
	struct shell_frame *list = s->depth > 0 ? shell_list(s) : NULL;

	if (n > s->len - s->at)
		n = s->len - s->at;
	/* The colour of a word may still change when it is complete, so it begins a span of its own. */
	bool fresh = list != NULL && list->word != SHELL_NONE && list->word_span == out->span_count;

	if (last != NULL && last->part == part && !fresh) {
		last->end += n;
	} else if (n > 0) {
		mem_grow(&out->spans, &out->span_cap, out->span_count, sizeof(*out->spans));
		out->spans[out->span_count++] = (struct shell_span){s->at, s->at + n, part};
	}
	s->at += n;
}

void shell_fail(struct shell_scan *s, size_t at)
{
	if (!s->failed)
		s->out->unsure = at;
	s->failed = true;
}

bool shell_push(struct shell_scan *s, enum shell_mode mode, char close)
{
	if (s->depth == SHELL_DEPTH_MAX) {
		shell_fail(s, s->at);
		return false;
	}
	struct shell_frame *frame = &s->frames[s->depth];

	*frame = (struct shell_frame){
		.mode = mode,
		.close = close,
		.opened = s->at,
		.pending = s->pending_count,
		.at_command = true,
		.command = SHELL_NONE,
		.last_command = SHELL_NONE,
		.pipe_from = SHELL_NONE,
		.pipe_base = SHELL_NONE,
		.closed_group = SHELL_NONE,
		.parent = SHELL_NONE,
		.word = SHELL_NONE,
	};
	frame->list = mode == SHELL_LIST || s->depth == 0 ? s->depth : shell_top(s)->list;
	s->depth++;
	return true;
}

void shell_pop(struct shell_scan *s)
{
	str_release(&shell_top(s)->value);
	s->depth--;
}

static void step(struct shell_scan *s)
{
	if (s->at >= s->limit)
		shell_body_end(s);
	else if (shell_top(s)->mode == SHELL_LIST)
		shell_step_list(s);
	else
		shell_step_text(s);
}

static void finish(struct shell_scan *s)
{
	if (!s->failed && (s->depth > 1 || s->pending_count > 0))
		shell_fail(s, s->depth > 1 ? shell_top(s)->opened
					   : s->out->words[s->pending[0]].op_start);
	while (s->depth > 1)
		shell_pop(s);
	if (!s->failed) {
		shell_word_close(s);
		shell_command_end(s);
	}
	s->limit = s->len;
	shell_paint(s, s->len - s->at, SHELL_STRING);
	if (shell_top(s)->cases > 0)
		shell_fail(s, shell_top(s)->opened);
	shell_pop(s);
}

void shell_read(const char *bytes, size_t len, bool values, struct shell *ret)
{
	struct shell_scan *s = mem_alloc(sizeof(*s));

	s->out = ret;
	s->bytes = bytes;
	s->len = s->limit = len;
	s->values = values;
	ret->unsure = SHELL_NONE;
	shell_push(s, SHELL_LIST, '\0');
	while (!s->failed && (s->at < s->len || s->limit < s->len))
		step(s);
	finish(s);
	free(s);
}

void shell_release(struct shell *shell)
{
	for (size_t i = 0; i < shell->word_count; i++)
		free(shell->words[i].value);
	free(shell->words);
	free(shell->commands);
	free(shell->spans);
	memset(shell, 0, sizeof(*shell));
}

size_t shell_next(const struct shell *shell, size_t command, size_t word, enum shell_role role)
{
	size_t at = word == SHELL_NONE ? shell->commands[command].first : shell->words[word].next;

	while (at != SHELL_NONE && shell->words[at].role != role)
		at = shell->words[at].next;
	return at;
}
