#include "config.h"

#include "core/shell_internal.h"

#include "base/mem.h"

/* { } if for while case: what is piped into them all of them may read, and a pipe behind them reads all that they put out. */

static void open_group(struct shell_frame *list, size_t command)
{
	if (list->group_count++ >= SHELL_GROUPS_MAX)
		return;
	list->groups[list->group_count - 1] =
		(struct shell_group){.first = command, .pipe_base = list->pipe_base};
	list->pipe_base = list->pipe_from;
}

void shell_group_close(struct shell_frame *list)
{
	if (list->group_count == 0)
		return;
	if (list->group_count > SHELL_GROUPS_MAX) {
		list->closed_group = list->groups[SHELL_GROUPS_MAX - 1].first;
	} else {
		list->closed_group = list->groups[list->group_count - 1].first;
		list->pipe_base = list->groups[list->group_count - 1].pipe_base;
	}
	list->group_count--;
}

void shell_group_follow(
	struct shell_scan *s, struct shell_frame *list, const struct shell_word *word)
{
	static const char *const opens[] = {"{", "if", "for", "select", "while", "until", "case"};
	static const char *const closes[] = {"}", "fi", "done", "esac"};

	if (shell_word_reads_one(s, word, opens, ARRAY_LEN(opens)))
		open_group(list, word->command);
	else if (shell_word_reads_one(s, word, closes, ARRAY_LEN(closes)))
		shell_group_close(list);
}

bool shell_group_of_coproc(struct shell_scan *s, struct shell_frame *list, struct shell_word *word)
{
	struct shell_command *command = &s->out->commands[word->command];
	bool ends = list->has_coproc_name &&
		    shell_word_reads_one(s, word, (const char *const[]){"{"}, 1);

	list->has_coproc_name = false;
	if (!ends)
		return false;
	if (s->values)
		s->out->words[command->program].role = SHELL_OTHER;
	command->program = SHELL_NONE;
	word->role = SHELL_OTHER;
	open_group(list, word->command);
	list->command = SHELL_NONE;
	list->at_command = true;
	return true;
}
