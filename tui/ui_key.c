#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>
#include <stdio.h>
#include <unictype.h>
#include <unistr.h>

#include "base/text.h"
#include "tui/ui_internal.h"

/* A key meets the view it was pressed on. */

static unsigned place(enum view view)
{
	static const unsigned places[VIEW_COUNT] = {
		[VIEW_QUEUE] = ON_QUEUE,
		[VIEW_CARD] = ON_CARD,
		[VIEW_OUTPUT] = ON_OUTPUT,
		[VIEW_HELP] = ON_HELP,
		[VIEW_STOPPED] = ON_STOPPED,
		[VIEW_HISTORY] = ON_HISTORY,
		[VIEW_GRANTS] = ON_GRANTS,
		[VIEW_MARKED] = ON_MARKED,
		[VIEW_AGENTS] = ON_AGENTS,
	};

	return places[view];
}

int ui_move(struct press *p, enum action action)
{
	if (p->ui->view == VIEW_HISTORY)
		return ui_history_move(p, action);
	if (p->ui->view == VIEW_GRANTS)
		return ui_grants_move(p, action);
	if (p->ui->view == VIEW_AGENTS)
		return ui_agents_move(p, action);
	return p->ui->view == VIEW_QUEUE ? ui_select(p, action) : ui_scroll(p, action);
}

static int redraw(struct press *p, enum action action)
{
	(void)action;
	ui_disturb(p->ui, p->now_ms);
	*p->ret = (struct intent){.kind = INTENT_REDRAW};
	return 1;
}

static int (*const handlers[ACTION_COUNT])(struct press *, enum action) = {
	[ACTION_DOWN] = ui_move,
	[ACTION_UP] = ui_move,
	[ACTION_PART_NEXT] = ui_move,
	[ACTION_PART_BACK] = ui_move,
	[ACTION_FIRST] = ui_move,
	[ACTION_LAST] = ui_move,
	[ACTION_OPEN] = ui_go,
	[ACTION_BACK] = ui_go,
	[ACTION_NEXT_WAITING] = ui_go,
	[ACTION_PREV_WAITING] = ui_go,
	[ACTION_VIEW_QUEUE] = ui_go,
	[ACTION_VIEW_CARD] = ui_go,
	[ACTION_VIEW_OUTPUT] = ui_go,
	[ACTION_PANE_NEXT] = ui_go,
	[ACTION_PANE_BACK] = ui_go,
	[ACTION_VIEW_HISTORY] = ui_go,
	[ACTION_FIND] = ui_find,
	[ACTION_MATCH_NEXT] = ui_match,
	[ACTION_MATCH_BACK] = ui_match,
	[ACTION_APPROVE] = ui_approve,
	[ACTION_REJECT] = ui_reject,
	[ACTION_EDIT] = ui_edit,
	[ACTION_AGAIN] = ui_again,
	[ACTION_REVOKE] = ui_revoke,
	[ACTION_VIEW_GRANTS] = ui_go,
	[ACTION_VIEW_AGENTS] = ui_go,
	[ACTION_REFUSE_SENDER] = ui_refuse_sender,
	[ACTION_DETAILS] = ui_go,
	[ACTION_SAVE] = ui_save,
	[ACTION_UNFOLD] = ui_unfold,
	[ACTION_PAN_LEFT] = ui_pan,
	[ACTION_PAN_RIGHT] = ui_pan,
	[ACTION_MARK] = ui_mark,
	[ACTION_STOP] = ui_stop,
	[ACTION_EXTEND] = ui_extend,
	[ACTION_STOP_ALL] = ui_stop_all,
	[ACTION_INTAKE_OPEN] = ui_open_intake,
	[ACTION_LOCK] = ui_lock,
	[ACTION_HELP] = ui_go,
	[ACTION_QUIT] = ui_quit,
	[ACTION_CANCEL] = ui_quit,
	[ACTION_REDRAW] = redraw,
};

static const char *key_name(const struct key *key, char buf[TEXT_SHOWN_BYTES])
{
	static const char *const names[KEY_CODE_COUNT] = {
		[KEY_CODE_ENTER] = "Enter",
		[KEY_CODE_TAB] = "Tab",
		[KEY_CODE_BACKTAB] = "Shift-Tab",
		[KEY_CODE_BACKSPACE] = "Backspace",
		[KEY_CODE_DELETE] = "Delete",
		[KEY_CODE_LEFT] = "Left",
		[KEY_CODE_RIGHT] = "Right",
		[KEY_CODE_ESC] = "Esc",
		[KEY_CODE_UP] = "Up",
		[KEY_CODE_DOWN] = "Down",
		[KEY_CODE_HOME] = "Home",
		[KEY_CODE_END] = "End",
		[KEY_CODE_PGUP] = "PgUp",
		[KEY_CODE_PGDN] = "PgDn",
		[KEY_CODE_PASTE] = "a paste",
	};
	uint8_t bytes[6];
	int len = u8_uctomb(bytes, key->ch, sizeof(bytes));
	struct str shown STR_AUTO = STR_INIT;

	if (key->code == KEY_CODE_CHAR && key->ch == ' ') {
		snprintf(buf, TEXT_SHOWN_BYTES, "Space");
	} else if (key->code == KEY_CODE_CTRL) {
		snprintf(buf, TEXT_SHOWN_BYTES, "Ctrl-%c",
			key->ch >= 'a' && key->ch <= 'z' ? (char)(key->ch - 0x20) : (char)key->ch);
	} else if (key->code == KEY_CODE_CHAR && len > 0) {
		text_escape((const char *)bytes, (size_t)len, 0, &shown);
		snprintf(buf, TEXT_SHOWN_BYTES, "%s", str_c(&shown));
	} else {
		snprintf(buf, TEXT_SHOWN_BYTES, "%s",
			names[key->code] == NULL ? "it" : names[key->code]);
	}
	return buf;
}

/* A key that did nothing says so, with the reason. */
static void no_key(struct press *p)
{
	char buf[TEXT_SHOWN_BYTES];
	const char *name = key_name(p->key, buf);
	const char *help = ui_key_of(p->ui, ACTION_HELP);
	enum action elsewhere = keymap_action(&p->ui->keymap, p->key, ON_ALL | ON_QUESTION);

	if (elsewhere == ACTION_APPROVE || elsewhere == ACTION_REJECT)
		ui_refuse(p->ui, p->model, name, p->gate == GATE_READY ? GATE_OTHER_VIEW : p->gate);
	else if (elsewhere == ACTION_YES)
		ui_say(p->ui, "%s did nothing: there is no question", name);
	else if (elsewhere != ACTION_NONE)
		ui_say(p->ui, "%s did nothing here. %s shows the keys.", name, help);
	else if (p->key->code == KEY_CODE_CHAR && p->key->ch >= 0x80)
		ui_say(p->ui, "No key here: %s. Switch the keyboard to Latin letters.", name);
	else
		ui_say(p->ui, "No key here: %s. %s shows the keys.", name, help);
}

/* Below the least size nothing can be read, so nothing but leaving is possible. */
static bool works_small(enum action action)
{
	return action == ACTION_QUIT || action == ACTION_CANCEL || action == ACTION_REDRAW;
}

enum action ui_action(const struct press *p, const struct key *key)
{
	unsigned stopped = p->model->stop.on ? ON_STOPPED : 0;

	return keymap_action(&p->ui->keymap, key, place(p->ui->view) | stopped);
}

static int command_key(struct press *p)
{
	enum action action = ui_action(p, p->key);
	int due;

	if (p->ui->film && ui_film_key(p, action, &due))
		return due;
	if (p->model->lock.on && !p->ui->film)
		return ui_locked_key(p);
	if (action == ACTION_NONE) {
		no_key(p);
		return 0;
	}
	if (ui_too_small(p->ui) && !works_small(action))
		return 0;
	return handlers[action](p, action);
}

/* What comes from the terminal and is no key of a person: it restarts the rest, decides nothing and changes no message. */
static bool not_typed(enum key_code code)
{
	return code == KEY_CODE_NONE || code == KEY_CODE_PARTIAL || code == KEY_CODE_UNKNOWN ||
	       code >= KEY_CODE_COUNT;
}

/* For the record: what was pressed, and of a line that is typed only that something was. */
static void remember_key(struct press *p)
{
	char buf[TEXT_SHOWN_BYTES];
	bool text = prompt_is_text(p->ui->prompt.kind) && p->key->code == KEY_CODE_CHAR;

	if (prompt_is_secret(p->ui->prompt.kind))
		p->ui->last_key[0] = '\0';
	else
		text_fit(text ? "text" : key_name(p->key, buf), p->ui->last_key,
			sizeof(p->ui->last_key));
}

static int typed_key(struct press *p)
{
	p->ui->message[0] = '\0';
	remember_key(p);
	p->ui->key_at_ms = p->now_ms;
	if (p->key->code == KEY_CODE_PASTE && prompt_is_secret(p->ui->prompt.kind)) {
		/* Its length is nobody's business. */
		ui_say(p->ui, "pasted text ignored: a passphrase is typed");
		return 0;
	}
	if (p->key->code == KEY_CODE_PASTE) {
		ui_say(p->ui, "pasted text ignored: %" PRIu32 " character%s", p->key->ch,
			p->key->ch == 1 ? "" : "s");
		return 0;
	}
	if (p->ui->prompt.kind == PROMPT_NONE)
		return ui_action(p, p->key) == ACTION_REDRAW ? redraw(p, ACTION_REDRAW)
							     : command_key(p);
	/* There it is Ctrl-L whatever it is bound to: that may be a letter of the text. */
	if (p->key->code == KEY_CODE_CTRL && p->key->ch == 'l')
		return redraw(p, ACTION_REDRAW);
	return ui_prompt_key(p);
}

int ui_key(struct ui *ui, const struct model *model, const struct key *key, int64_t now_ms,
	struct intent *ret)
{
	struct press press = {.ui = ui, .model = model, .key = key, .now_ms = now_ms, .ret = ret};

	ui_settle(ui, model, now_ms);
	press.gate = ui_gate(ui, model, now_ms);
	press.still = ui_rested(ui, now_ms) && !key->after_sequence;
	press.rested = press.still && ui->rest_drawn;
	ui_arrival(ui, now_ms);
	if (not_typed(key->code))
		return 0;
	if (key->code == KEY_CODE_FOCUS_IN || key->code == KEY_CODE_FOCUS_OUT) {
		ui->focus = key->code == KEY_CODE_FOCUS_IN ? FOCUS_HERE : FOCUS_AWAY;
		return redraw(&press, ACTION_REDRAW);
	}
	ui_touch(ui, now_ms);
	int due = ui_is_mouse(key->code) ? ui_mouse(&press) : typed_key(&press);
	ui_choose_output(ui, model);
	if (!press.in_range)
		ui_clamp(ui, model);
	return due;
}
