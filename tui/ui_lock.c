#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>
#include <string.h>
#include <unistr.h>

#include "base/mem.h"
#include "base/password.h"
#include "tui/ui_internal.h"

/* The lock. What is typed of a passphrase lies in two arrays that never move, and is wiped as soon as it was looked at. */

static void wipe(struct ui *ui, struct secret *secret)
{
	password_wipe(secret, sizeof(*secret));
	if (secret == &ui->typed)
		ui->secret_typed = false;
}

void ui_secret_off(struct ui *ui)
{
	wipe(ui, &ui->typed);
	wipe(ui, &ui->first);
	if (prompt_is_secret(ui->prompt.kind))
		prompt_close(&ui->prompt);
}

static void ask(struct ui *ui, enum prompt_kind kind, int64_t now_ms)
{
	wipe(ui, &ui->typed);
	prompt_open(&ui->prompt, kind, 0, now_ms);
}

int ui_lock(struct press *p, enum action action)
{
	(void)action;
	if (!p->model->lock.set) {
		ask(p->ui, PROMPT_NEW_PASS, p->now_ms);
		return 0;
	}
	*p->ret = (struct intent){.kind = INTENT_LOCK};
	return 1;
}

/* Nothing that could be part of a passphrase is repeated on the screen. */
static void say_locked(struct ui *ui)
{
	ui_say(ui, "that key did nothing: press %s, then type the passphrase",
		ui_key_of(ui, ACTION_OPEN));
}

static int open_field(struct press *p, enum action action)
{
	(void)action;
	ask(p->ui, p->model->lock.set ? PROMPT_PASS : PROMPT_NEW_PASS, p->now_ms);
	return 0;
}

int ui_locked_key(struct press *p)
{
	static int (*const works[ACTION_COUNT])(struct press *, enum action) = {
		[ACTION_OPEN] = open_field,
		[ACTION_STOP_ALL] = ui_stop_all,
		[ACTION_HELP] = ui_go,
	};
	static int (*const works_on_help[ACTION_COUNT])(struct press *, enum action) = {
		[ACTION_BACK] = ui_go,
		[ACTION_DOWN] = ui_scroll,
		[ACTION_UP] = ui_scroll,
		[ACTION_PART_NEXT] = ui_scroll,
		[ACTION_PART_BACK] = ui_scroll,
		[ACTION_FIRST] = ui_scroll,
		[ACTION_LAST] = ui_scroll,
	};
	enum action action = keymap_action(&p->ui->keymap, p->key, ON_ALL);

	if (ui_too_small(p->ui))
		return 0;
	if (works[action] != NULL)
		return works[action](p, action);
	if (p->ui->view == VIEW_HELP && works_on_help[action] != NULL)
		return works_on_help[action](p, action);
	say_locked(p->ui);
	return 0;
}

static void type_character(struct ui *ui, uint32_t ch)
{
	struct secret *typed = &ui->typed;
	uint8_t bytes[6];
	int len = u8_uctomb(bytes, ch, sizeof(bytes));

	if (len <= 0 || typed->len + (size_t)len > sizeof(typed->bytes)) {
		ui_say(ui, "a passphrase has at most %zu bytes", sizeof(typed->bytes));
		return;
	}
	memcpy(typed->bytes + typed->len, bytes, (size_t)len);
	typed->len += (size_t)len;
	password_wipe(bytes, sizeof(bytes));
}

static void erase_character(struct secret *typed)
{
	while (typed->len > 0 && ((unsigned char)typed->bytes[typed->len - 1] & 0xC0) == 0x80)
		typed->bytes[--typed->len] = '\0';
	if (typed->len > 0)
		typed->bytes[--typed->len] = '\0';
}

/* Hands it over, with the call that carries it out. */
static int send(struct press *p, enum intent_kind kind)
{
	struct secret *typed = &p->ui->typed;

	*p->ret = (struct intent){.kind = kind, .text = mem_strndup(typed->bytes, typed->len)};
	wipe(p->ui, typed);
	return 1;
}

static int enter_new(struct press *p)
{
	p->ui->first = p->ui->typed;
	ask(p->ui, PROMPT_NEW_PASS_AGAIN, p->now_ms);
	return 0;
}

static int enter_again(struct press *p)
{
	struct ui *ui = p->ui;
	bool same = password_equal(ui->typed.bytes, ui->typed.len, ui->first.bytes, ui->first.len);

	wipe(ui, &ui->first);
	if (!same) {
		ask(ui, PROMPT_NEW_PASS, p->now_ms);
		ui_say(ui, "the two differ: type the new passphrase again, twice");
		return 0;
	}
	int due = send(p, p->model->lock.on ? INTENT_UNLOCK : INTENT_LOCK);
	ui_secret_off(ui);
	return due;
}

static int enter_pass(struct press *p)
{
	int64_t left = p->model->lock.wait_until_ms - p->now_ms;

	if (left <= 0)
		return send(p, INTENT_UNLOCK);
	wipe(p->ui, &p->ui->typed);
	ui_say(p->ui, "Enter did nothing: wait %" PRId64 " s", (left + 999) / 1000);
	return 0;
}

static int enter(struct press *p)
{
	if (p->ui->typed.len == 0) {
		ui_say(p->ui, "Enter did nothing: there is no passphrase yet");
		return 0;
	}
	if (p->ui->prompt.kind == PROMPT_PASS)
		return enter_pass(p);
	return p->ui->prompt.kind == PROMPT_NEW_PASS ? enter_new(p) : enter_again(p);
}

int ui_secret_key(struct press *p)
{
	struct ui *ui = p->ui;
	enum key_code code = p->key->code;

	if (code == KEY_CODE_ENTER)
		return enter(p);
	if (code == KEY_CODE_CHAR)
		type_character(ui, p->key->ch);
	else if (code == KEY_CODE_BACKSPACE)
		erase_character(&ui->typed);
	ui->secret_typed = ui->typed.len > 0;
	return 0;
}

void ui_follow_lock(struct ui *ui, const struct model *model, int64_t now_ms)
{
	bool on = model->lock.on;

	if (on == ui->was_locked)
		return;
	ui->was_locked = on;
	ui_pending_off(ui);
	if (prompt_is_secret(ui->prompt.kind))
		ui_secret_off(ui);
	else if (ui->prompt.kind != PROMPT_STOP_ALL)
		prompt_close(&ui->prompt);
	ui->message[0] = '\0';
	if (on && ui->view == VIEW_HELP)
		ui->view = ui->back;
	/* At the start: nothing can be done before there is a passphrase. */
	if (on && !model->lock.set)
		ask(ui, PROMPT_NEW_PASS, now_ms);
	/* Nobody read what was hidden, and no key of the lock counts for a card. */
	ui_seen_leave(ui);
	ui_touch(ui, now_ms);
}

int64_t ui_lock_due(const struct ui *ui, const struct model *model)
{
	if (ui->lock_after_ms <= 0 || model->lock.on || !model->lock.set)
		return -1;
	return ui->key_at_ms + ui->lock_after_ms;
}

bool ui_lock_tick(struct ui *ui, const struct model *model, int64_t now_ms, struct intent *ret)
{
	int64_t due = ui_lock_due(ui, model);

	if (due < 0 || now_ms < due)
		return false;
	/* If nothing comes of it, the time begins anew: no loop that never sleeps. */
	ui->key_at_ms = now_ms;
	*ret = (struct intent){.kind = INTENT_LOCK, .seq = 1};
	return true;
}
