/* Any bytes as a command: the colours tile the text, words lie inside of it, and the notes point into it. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/card.h"
#include "core/shell.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_spans(const struct shell *shell, size_t len)
{
	size_t at = 0;

	for (size_t i = 0; i < shell->span_count; i++) {
		must(shell->spans[i].start == at && shell->spans[i].end > at);
		at = shell->spans[i].end;
	}
	must(at == len);
	must(shell->unsure == SHELL_NONE || shell->unsure <= len);
}

static void check_words(const struct shell *shell, size_t len)
{
	for (size_t i = 0; i < shell->command_count; i++) {
		const struct shell_command *command = &shell->commands[i];
		size_t at = command->first;

		must(command->start <= command->end && command->end <= len);
		must(command->piped_from == SHELL_NONE || command->piped_from < i);
		for (; at != SHELL_NONE; at = shell->words[at].next) {
			const struct shell_word *word = &shell->words[at];

			must(word->start <= word->end && word->end <= len);
			must(word->body_start <= word->body_end && word->body_end <= len);
			must(word->command == i);
			must(word->value != NULL);
			must(word->next == SHELL_NONE || word->next > at);
		}
	}
}

static void check_notes(const char *command, size_t len)
{
	struct unusual_list list = {0};

	unusual_find(command, len, NULL, &list);
	for (size_t i = 0; i < list.count; i++) {
		must(list.items[i].start <= len && list.items[i].len <= len - list.items[i].start);
		must(list.items[i].line >= 1);
		must((list.items[i].severity == SEVERITY_DANGER) == (list.items[i].word != NULL));
	}
	must(list.count <= 256);
	unusual_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct shell shell = {0}, colours = {0};

	shell_read((const char *)bytes, len, true, &shell);
	check_spans(&shell, len);
	check_words(&shell, len);
	shell_read((const char *)bytes, len, false, &colours);
	must(colours.span_count == shell.span_count && colours.unsure == shell.unsure);
	check_spans(&colours, len);
	shell_release(&colours);
	shell_release(&shell);
	if (memchr(bytes, '\0', len) == NULL) {
		MEM_AUTO char *command = mem_strndup((const char *)bytes, len);

		check_notes(command, len);
	}
	return 0;
}
