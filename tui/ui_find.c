#include "config.h"

#include "tui/ui.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tui/ui_internal.h"

/* What `/` seeks: in a text a find, in a list a filter. Each view keeps its own; a view without a row here has neither. */

static const struct finder {
	size_t offset; /* of the text in struct ui, UI_FIND_BYTES long */
	/* Whether the text can be sought; says so when it cannot. */
	bool (*accept)(struct press *p, const char *text);
	/* It was set, or emptied. */
	void (*changed)(struct press *p);
	/* To the next or previous match; not called with nothing to match. */
	void (*match)(struct press *p, bool back);
	/* "n did nothing: nothing is sought, / seeks" */
	const char *nothing, *seeks;
} finders[VIEW_COUNT] = {
	[VIEW_CARD] = {offsetof(struct ui, find), ui_find_any, ui_card_found, ui_card_match,
		"nothing is sought", "seeks"},
	[VIEW_OUTPUT] = {offsetof(struct ui, find), ui_find_any, ui_output_changed, ui_output_match,
		"nothing is sought", "seeks"},
	[VIEW_QUEUE] = {offsetof(struct ui, find_queue), ui_queue_accept, ui_queue_found,
		ui_queue_match, "nothing is sought", "seeks"},
	[VIEW_GRANTS] = {offsetof(struct ui, find_grants), ui_find_any, ui_grants_found,
		ui_grants_match, "nothing is sought", "seeks"},
	[VIEW_AGENTS] = {offsetof(struct ui, find_agents), ui_find_any, ui_agents_found,
		ui_agents_match, "nothing is sought", "seeks"},
	[VIEW_HELP] = {offsetof(struct ui, find_help), ui_find_any, ui_help_found, ui_help_match,
		"nothing is sought", "seeks"},
	[VIEW_HISTORY] = {offsetof(struct ui, filter), ui_history_accept, ui_history_changed,
		ui_history_match, "no filter is set", "sets one"},
};

static char *sought(struct ui *ui)
{
	return (char *)ui + finders[ui->view].offset;
}

static bool can_find(const struct ui *ui)
{
	return finders[ui->view].match != NULL;
}

int ui_find(struct press *p, enum action action)
{
	struct ui *ui = p->ui;

	if (!can_find(ui)) {
		ui_say(ui, "%s did nothing: there is nothing to find here", ui_key_of(ui, action));
		return 0;
	}
	prompt_open(&ui->prompt, PROMPT_FIND, 0, p->now_ms);
	prompt_set(&ui->prompt, sought(ui));
	return 0;
}

static void say_nothing_sought(struct ui *ui, enum action action)
{
	ui_say(ui, "%s did nothing: %s, %s %s", ui_key_of(ui, action), finders[ui->view].nothing,
		ui_key_of(ui, ACTION_FIND), finders[ui->view].seeks);
}

int ui_match(struct press *p, enum action action)
{
	struct ui *ui = p->ui;
	bool back = action == ACTION_MATCH_BACK;

	if (!can_find(ui))
		ui_say(ui, "%s did nothing: there is nothing to find here", ui_key_of(ui, action));
	else if (sought(ui)[0] == '\0')
		say_nothing_sought(ui, action);
	else
		finders[ui->view].match(p, back);
	return 0;
}

/* Blanks alone are nothing: they would match what nobody meant. */
int ui_send_find(struct press *p)
{
	struct ui *ui = p->ui;
	const char *text = prompt_blank(&ui->prompt) ? "" : str_c(&ui->prompt.text);

	if (!can_find(ui)) {
		prompt_close(&ui->prompt); /* another view came under it */
		return 0;
	}
	if (strlen(text) >= UI_FIND_BYTES) {
		ui_say(ui, "Enter did nothing: at most %d bytes", UI_FIND_BYTES - 1);
		return 0;
	}
	if (!finders[ui->view].accept(p, text))
		return 0;
	snprintf(sought(ui), UI_FIND_BYTES, "%s", text);
	prompt_close(&ui->prompt);
	finders[ui->view].changed(p);
	return 0;
}
