#include "config.h"

#include "tui/layout_shell.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int compare(const void *left, const void *right)
{
	const struct tint_body *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void take_bodies(struct tint *tint, const char *command, size_t len)
{
	for (size_t i = 0; i < tint->shell.word_count; i++) {
		const struct shell_word *word = &tint->shell.words[i];
		const char *lf;

		if (word->role != SHELL_HERE || word->body_start == 0)
			continue;
		lf = memchr(command + word->body_end, '\n', len - word->body_end);
		mem_grow(&tint->bodies, &tint->body_cap, tint->body_count, sizeof(*tint->bodies));
		tint->bodies[tint->body_count++] = (struct tint_body){
			word->body_start, lf == NULL ? len + 1 : (size_t)(lf - command) + 1};
	}
	if (tint->body_count > 1)
		qsort(tint->bodies, tint->body_count, sizeof(*tint->bodies), compare);
}

void tint_init(struct tint *tint, const char *command, size_t len)
{
	memset(tint, 0, sizeof(*tint));
	shell_read(command, len, false, &tint->shell);
	if (tint->shell.unsure == SHELL_NONE)
		take_bodies(tint, command, len);
}

void tint_release(struct tint *tint)
{
	shell_release(&tint->shell);
	free(tint->bodies);
}

/* A part of a command may be asked for behind a later one. */
static void seek_span(struct tint *tint, size_t at)
{
	const struct shell *shell = &tint->shell;
	size_t low = 0, high = shell->span_count;

	if (tint->span_at < shell->span_count && shell->spans[tint->span_at].start <= at)
		return;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (shell->spans[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	tint->span_at = low;
}

enum style tint_style(struct tint *tint, size_t at, size_t *ret_end)
{
	static const enum style styles[] = {
		[SHELL_PLAIN] = STYLE_PLAIN,
		[SHELL_PROGRAM] = STYLE_PROGRAM,
		[SHELL_JOIN] = STYLE_JOIN,
		[SHELL_STRING] = STYLE_STRING,
		[SHELL_EXPAND] = STYLE_EXPAND,
	};
	const struct shell *shell = &tint->shell;

	seek_span(tint, at);
	while (tint->span_at < shell->span_count && shell->spans[tint->span_at].end <= at)
		tint->span_at++;
	if (tint->span_at == shell->span_count) {
		*ret_end = (size_t)-1;
		return STYLE_PLAIN;
	}
	*ret_end = shell->spans[tint->span_at].end;
	return styles[shell->spans[tint->span_at].part];
}

bool tint_is_body(struct tint *tint, size_t at)
{
	if (tint->body_at > 0 && tint->bodies[tint->body_at - 1].end > at)
		tint->body_at = 0;
	while (tint->body_at < tint->body_count && tint->bodies[tint->body_at].end <= at)
		tint->body_at++;
	return tint->body_at < tint->body_count && tint->bodies[tint->body_at].start <= at;
}
