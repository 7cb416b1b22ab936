#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "tui/fit.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

/* The prompt of `t`, from the row behind its rule on: numbers first, they are never cut. */

#define NUMBER_COLUMN 12u
#define HINT_COLUMN 19u

static void put_number(const struct screen *s, unsigned row, const char *label, const char *text,
	bool has_cursor, const char *hint)
{
	unsigned col = NUMBER_COLUMN;

	draw_text(s, 1, row, STYLE_RULE, label);
	col += draw_text(s, col, row, STYLE_KEY, text);
	draw_text(s, HINT_COLUMN, row, STYLE_QUIET, hint);
	if (!has_cursor)
		return;
	s->frame->cursor_shown = true;
	s->frame->cursor_row = (int)row;
	s->frame->cursor_col = (int)col;
	draw_text(s, col, row, STYLE_KEY, "_");
}

static const char *directory_of(const struct card *card)
{
	for (size_t i = 0; i < card->facts.count; i++) {
		const struct fact *fact = &card->facts.items[i];

		if (strcmp(fact->label, "directory") == 0 && fact->count > 0 &&
			fact->lines[0].count > 0)
			return fact->lines[0].spans[0].text;
	}
	return "-";
}

void grant_command_words(
	const struct screen *s, const char *command, unsigned columns, struct str *out)
{
	const struct job job = {.command = (char *)command};

	words_command(&job, columns, s->ui->ascii, out);
}

static void put_command(const struct screen *s, unsigned row, const char *command)
{
	STR_AUTO struct str text = STR_INIT;

	grant_command_words(s, command, s->frame->cols - NUMBER_COLUMN - 2, &text);
	draw_text(s, 1, row, STYLE_RULE, _("covers"));
	draw_text(s, NUMBER_COLUMN, row, STYLE_PLAIN, str_c(&text));
}

void grant_covers_words(
	enum card_network network, unsigned time_s, enum backend_id backend, struct str *out)
{
	static const char *const networks[CARD_NETWORK_COUNT] = {
		[CARD_NETWORK_OFF] = N_("off"),
		[CARD_NETWORK_ON] = N_("!ON"),
		[CARD_NETWORK_ON_HOST] = N_("!!ON"),
		[CARD_NETWORK_NONE] = "-",
	};

	fit_pad(_(networks[network]), 10, out);
	str_printf(out, _("time limit %u s   sandbox %s"), time_s, backend_id_name(backend));
}

const char *grant_lamp(const struct screen *s, const char **ret_head, struct str *out)
{
	STR_AUTO struct str text = STR_INIT;
	unsigned minutes, times;

	*ret_head = _("approve off");
	if (screen_has_unseen(s)) {
		str_add(out, _("the card changed: Esc, then read it again"));
		return "[ ]";
	}
	if (!ui_grant_numbers(s->ui, &minutes, &times)) {
		str_printf(out, _("minutes are 1 to %u, times 1 to %u"), GRANT_MINUTES_MAX,
			GRANT_TIMES_MAX);
		return "[ ]";
	}
	*ret_head = _("approve waits");
	if (!ui_rested(s->ui, s->now_ms)) {
		say_keyed(s, _("only y says yes: let the keys rest a moment"), ACTION_YES, out);
		return "[.]";
	}
	*ret_head = _("approve ready");
	str_printf(&text, _("y runs it now, and %u more within %u min"), times, minutes);
	say_keyed(s, str_c(&text), ACTION_YES, out);
	return s->lamp_yes;
}

void draw_grant_prompt(const struct screen *s, unsigned row, unsigned count)
{
	const struct card *card = s->job->card;
	STR_AUTO struct str covers = STR_INIT;
	STR_AUTO struct str from = STR_INIT;
	char minutes[4], times[4], hint[64];
	unsigned field, at = row + (count >= GRANT_PROMPT_ROWS ? 3 : 2);

	ui_grant_texts(s->ui, minutes, times, &field);
	snprintf(hint, sizeof(hint), _("1 to %u, from your y on"), GRANT_MINUTES_MAX);
	say_keyed(s, hint, ACTION_YES, &from);
	put_number(s, row, _("minutes"), minutes, field == 0, str_c(&from));
	snprintf(hint, sizeof(hint), _("1 to %u more, this one is not counted"), GRANT_TIMES_MAX);
	put_number(s, row + 1, _("times"), times, field == 1, hint);
	if (card == NULL)
		return;
	if (at < row + count)
		put_command(s, at, card->command);
	if (at + 1 < row + count)
		draw_grant_fact(s, at + 1, _("directory"), directory_of(card));
	grant_covers_words(card->network, card->time_s, card->backend, &covers);
	if (at + 2 < row + count)
		draw_grant_fact(s, at + 2, _("network"), str_c(&covers));
	if (at + 3 < row + count)
		draw_grant_fact(s, at + 3, _("sender"),
			_("this one alone; one byte or one fact that differs asks again"));
}
