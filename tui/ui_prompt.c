#include "config.h"

#include "tui/ui.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/ui_internal.h"

/* Keys while a line is typed or a question is open: all of them are text or an answer, none is a command. */

#define REASONS_MAX 32

void ui_remember_reason(struct ui *ui, const char *reason)
{
	size_t kept = 0;

	for (size_t i = 0; i < ui->reason_count; i++) {
		bool drop = strcmp(ui->reasons[i], reason) == 0 ||
			    (i == 0 && ui->reason_count == REASONS_MAX);

		if (drop)
			free(ui->reasons[i]);
		else
			ui->reasons[kept++] = ui->reasons[i];
	}
	ui->reason_count = kept;
	mem_grow(&ui->reasons, &ui->reason_cap, ui->reason_count, sizeof(*ui->reasons));
	ui->reasons[ui->reason_count++] = mem_strdup(reason);
}

/* Which earlier reason is in the field; 0 gives back what was typed. */
static void show_reason(struct ui *ui, size_t history)
{
	struct prompt *prompt = &ui->prompt;

	if (history > ui->reason_count || history == prompt->history)
		return;
	if (prompt->history == 0) {
		str_clear(&prompt->draft);
		str_add(&prompt->draft, str_c(&prompt->text));
	}
	prompt->history = history;
	prompt_set(prompt,
		history == 0 ? str_c(&prompt->draft) : ui->reasons[ui->reason_count - history]);
}

static int history_key(struct press *p)
{
	size_t at = p->ui->prompt.history;

	if (p->key->code == KEY_CODE_UP)
		show_reason(p->ui, at + 1);
	else if (at > 0)
		show_reason(p->ui, at - 1);
	return 0;
}

static int edit_key(struct press *p)
{
	switch (prompt_key(&p->ui->prompt, p->key)) {
	case PROMPT_REFUSED:
		ui_say(p->ui, "a character that cannot be seen was left out");
		break;
	case PROMPT_FULL:
		ui_say(p->ui, "the line is full: %d bytes", PROMPT_BYTES_MAX);
		break;
	case PROMPT_EDITED:
	case PROMPT_UNUSED:
		break;
	}
	return 0;
}

static int text_key(struct press *p)
{
	static int (*const senders[PROMPT_KIND_COUNT])(struct press *) = {
		[PROMPT_REASON] = ui_send_reason,
		[PROMPT_WORD] = ui_send_word,
		[PROMPT_OPEN_INTAKE] = ui_send_open,
		[PROMPT_EDIT] = ui_send_edit,
		[PROMPT_FIND] = ui_send_find,
		[PROMPT_SAVE] = ui_send_save,
		[PROMPT_GOTO] = ui_send_goto,
		[PROMPT_REASON_ALL] = ui_send_reason_all,
	};
	struct ui *ui = p->ui;
	bool reason = ui->prompt.kind == PROMPT_REASON || ui->prompt.kind == PROMPT_REASON_ALL;

	/* Nobody reads what is typed there, and Enter would send it. */
	if (ui_too_small(ui))
		return 0;
	if (p->key->code == KEY_CODE_ENTER)
		return senders[ui->prompt.kind](p);
	if (ui->prompt.kind == PROMPT_EDIT && p->key->code == KEY_CODE_CTRL && p->key->ch == 'e')
		return ui_edit_elsewhere(p);
	if (reason && (p->key->code == KEY_CODE_UP || p->key->code == KEY_CODE_DOWN))
		return history_key(p);
	return edit_key(p);
}

int ui_prompt_key(struct press *p)
{
	enum action action = keymap_action(&p->ui->keymap, p->key, ON_QUESTION);

	/* Whatever is bound to another key: that may be a letter of the text. */
	if (p->key->code == KEY_CODE_ESC || (p->key->code == KEY_CODE_CTRL && p->key->ch == 'c')) {
		ui_secret_off(p->ui);
		prompt_close(&p->ui->prompt);
		return 0;
	}
	if (prompt_is_secret(p->ui->prompt.kind))
		return ui_secret_key(p);
	if (prompt_is_text(p->ui->prompt.kind))
		return text_key(p);
	if (p->ui->prompt.kind == PROMPT_GRANT)
		return ui_grant_key(p);
	return action == ACTION_YES ? ui_yes(p, action) : 0;
}
