#include "config.h"

#include "app/console.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/broker_fields.h"
#include "app/save.h"
#include "app/console_edit.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/password.h"
#include "base/text.h"
#include "tui/view.h"

static int64_t now_ms(const struct console *console)
{
	return broker_at_ms(console->broker);
}

static enum theme theme_of(const char *name)
{
	const char *no_color = getenv("NO_COLOR");

	if (strcmp(name, "mono") == 0 || (no_color != NULL && no_color[0] != '\0'))
		return THEME_MONO;
	if (strcmp(name, "light") == 0)
		return THEME_LIGHT;
	return strcmp(name, "auto") == 0 ? term_theme_auto(getenv("COLORFGBG")) : THEME_DARK;
}

int console_open(struct console *console, const struct config *config, struct err *err)
{
	unsigned cols = 0;
	unsigned rows = 0;
	enum depth depth = DEPTH_MONO;
	*console = (struct console){.all = true};
	enum theme theme = theme_of(config->theme);
	term_use_mouse(config->mouse);
	if (term_open(theme, &depth, &console->term, err) != 0)
		return -1;
	term_size(console->term, &cols, &rows);
	ui_init(&console->ui, cols, rows);
	console->ui.theme = theme;
	console->ui.depth = depth;
	console->ui.output_colours = config->output_colours;
	console->ui.mono = theme == THEME_MONO || depth == DEPTH_MONO;
	console->ui.ascii = strcmp(config->signs, "ascii") == 0 || text_locale_flags() != 0;
	console->ui.lock_after_ms = (int64_t)config->lock_after * 60000;
	console->keys = key_parser_new();
	frame_init(&console->frame, cols, rows);
	console->open = true;
	return 0;
}

struct json *console_view(const struct console *console)
{
	return ui_to_json(&console->ui);
}

/* What the reviewer has on the screen goes into the record on each change, at most ten times a second. */
static void record_view(struct console *console)
{
	int64_t now = now_ms(console);
	struct str text STR_AUTO = STR_INIT;
	console->view_due = now - console->view_event_ms < CONSOLE_VIEW_EVENT_MS;
	if (console->view_due || console->broker->phase == BROKER_DONE)
		return;
	struct json *ui = ui_to_json(&console->ui);
	json_print(ui, true, &text);
	if (console->last_view != NULL && strcmp(console->last_view, str_c(&text)) == 0) {
		json_free(ui);
		return;
	}
	free(console->last_view);
	console->last_view = str_steal(&text);
	console->view_event_ms = now;
	struct json *f = json_new_object();
	json_set(f, "ui", ui);
	broker_emit(console->broker, EVENT_VIEW, 0, f);
}

static void draw(struct console *console)
{
	struct err err = ERR_INIT;
	if (console->frame.cols != console->ui.cols || console->frame.rows != console->ui.rows) {
		frame_release(&console->frame);
		frame_init(&console->frame, console->ui.cols, console->ui.rows);
		console->all = true;
	}
	console->dirty = false;
	console->drawn_ms = now_ms(console);
	ui_drawing(&console->ui, console->drawn_ms);
	view_draw(&console->broker->model, &console->ui, console->drawn_ms, &console->frame);
	if (term_put(console->term, &console->frame, console->all, &err) != 0) {
		console->on_hangup(console->ctx);
		return;
	}
	bool again = console->all;
	console->all = false;
	ui_drawn(&console->ui, &console->broker->model, now_ms(console));
	console_attend(console, again);
	record_view(console);
}

static void on_timer(uv_timer_t *timer);

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void arm(struct console *console)
{
	int64_t now = now_ms(console);
	int64_t due = ui_next_tick(&console->ui, &console->broker->model, now);
	due = sooner(due, key_parser_deadline(console->keys));
	due = sooner(due, attention_due(&console->attention, &console->broker->model, now));
	/* The last change of several is recorded too, though nothing else may ever happen. */
	if (console->view_due)
		due = sooner(due, console->view_event_ms + CONSOLE_VIEW_EVENT_MS);
	if (console->dirty)
		due = sooner(due, console->drawn_ms + CONSOLE_FRAME_MS);
	uv_update_time(console->broker->loop);
	if (due < 0)
		uv_timer_stop(&console->timer);
	else
		uv_timer_start(&console->timer, on_timer, due > now ? (uint64_t)(due - now) : 0, 0);
}

static bool decides(const struct intent *intent)
{
	return intent->kind == INTENT_APPROVE || intent->kind == INTENT_REJECT ||
	       intent->kind == INTENT_GRANT;
}

/* What was seen of each marked card; how the screen was, once. */
static struct json *seen_of_marked(const struct console *console, const struct intent *intent)
{
	struct json *all = json_new_object();
	for (unsigned i = 0; i < intent->card_count; i++) {
		struct json *one = ui_seen_json_of(
			&console->ui, &console->broker->model, intent->cards[i].seq);
		char seq[24];
		snprintf(seq, sizeof(seq), "%" PRIu64, intent->cards[i].seq);
		if (i == 0)
			json_set(one, "ui", ui_to_json(&console->ui));
		json_set(all, seq, one);
	}
	return all;
}

static void carry_out(struct console *console, struct intent *intent)
{
	struct json *seen = NULL;
	if (intent->kind == INTENT_REDRAW) {
		console->all = true;
	} else if (intent->kind == INTENT_SAVE) {
		char *text MEM_AUTO = NULL;
		save_output(model_job(&console->broker->model, intent->seq), intent->text, &text);
		ui_say(&console->ui, "%s", text);
	} else if (intent->kind == INTENT_EDITOR) {
		console_edit(console, intent);
	} else if (intent->kind != INTENT_NONE) {
		if (decides(intent)) {
			seen = ui_seen_json(&console->ui, &console->broker->model);
			json_set(seen, "ui", ui_to_json(&console->ui));
		}
		if (intent->card_count > 0)
			seen = seen_of_marked(console, intent);
		char *text MEM_AUTO = NULL;
		broker_intent(console->broker, intent, seen, &text);
		if (text != NULL)
			ui_say(&console->ui, "%s", text);
	}
	intent_release(intent);
}

static void tick(struct console *console)
{
	struct intent intent = {0};
	if (ui_tick(&console->ui, &console->broker->model, now_ms(console), &intent) == 1)
		carry_out(console, &intent);
}

static void feed_keys(struct console *console)
{
	struct key key;
	while (console->editing == NULL && key_parser_next(console->keys, now_ms(console), &key)) {
		struct intent intent = {0};
		console_attend_key(console, &key);
		if (ui_key(&console->ui, &console->broker->model, &key, now_ms(console), &intent) ==
			1)
			carry_out(console, &intent);
	}
}

static void new_size(struct console *console)
{
	unsigned cols = 0;
	unsigned rows = 0;
	term_size(console->term, &cols, &rows);
	ui_resize(&console->ui, cols, rows, now_ms(console));
	ui_follow(&console->ui, &console->broker->model, now_ms(console));
	console->all = true;
}

/* The time that passed while we were stopped is nobody's time to read, and keys typed then are meant for the shell. */
static void take_resume(struct console *console)
{
	if (!term_take_resumed(console->term))
		return;
	term_drop_input(console->term);
	new_size(console);
	ui_disturb(&console->ui, now_ms(console));
	/* What happened to the window meanwhile was told to another program. */
	console->ui.focus = FOCUS_UNKNOWN;
}

/* Everything that a person typed comes before the clock: a key that lies unread behind `a` must cancel it. */
static bool take_input(struct console *console)
{
	char buffer[4096];
	take_resume(console);
	for (;;) {
		int n = term_read(console->term, buffer, sizeof(buffer));
		if (n < 0)
			return false;
		if (n == 0)
			break;
		key_parser_feed(console->keys, buffer, (size_t)n, now_ms(console));
		password_wipe(buffer, (size_t)n);
		feed_keys(console);
		if (console->editing != NULL)
			return true;
	}
	feed_keys(console);
	return true;
}

static void turn(struct console *console)
{
	if (!console->open || console->editing != NULL)
		return;
	if (!take_input(console)) {
		uv_poll_stop(&console->tty);
		console->on_hangup(console->ctx);
		return;
	}
	if (console->editing != NULL)
		return;
	tick(console);
	draw(console);
	arm(console);
}

static void on_timer(uv_timer_t *timer)
{
	turn(timer->data);
}

static void on_tty(uv_poll_t *poll, int status, int events)
{
	(void)status; /* an error or a hang-up shows in term_read() */
	(void)events;
	turn(poll->data);
}

static void on_winch(uv_signal_t *signal, int number)
{
	struct console *console = signal->data;
	(void)number;
	if (!console->open || console->editing != NULL)
		return;
	new_size(console);
	turn(console);
}

void console_changed(struct console *console)
{
	if (!console->open || console->broker == NULL)
		return;
	ui_follow(&console->ui, &console->broker->model, now_ms(console));
	attention_changed(&console->attention);
	console->dirty = true;
	if (console->editing == NULL)
		arm(console);
}

/* Rows that stand behind an editor are not read. */
void console_pause(struct console *console)
{
	ui_disturb(&console->ui, now_ms(console));
	uv_poll_stop(&console->tty);
	uv_timer_stop(&console->timer);
}

void console_resume(struct console *console)
{
	/* Keys behind the one that opened the editor were typed for it. */
	key_parser_free(console->keys);
	console->keys = key_parser_new();
	/* The person was at the keys in the editor, until now. */
	console->ui.key_at_ms = console->key_ms = now_ms(console);
	console->ui.focus = FOCUS_UNKNOWN;
	uv_poll_start(&console->tty, UV_READABLE | UV_DISCONNECT, on_tty);
	turn(console);
}

void console_start(
	struct console *console, struct broker *broker, void *ctx, void (*on_hangup)(void *ctx))
{
	console->broker = broker;
	console->ctx = ctx;
	console->on_hangup = on_hangup;
	console->drawn_ms = console->view_event_ms = -CONSOLE_FRAME_MS;
	console_attend_begin(console);
	console->tty.data = console->timer.data = console->winch.data = console;
	uv_poll_init(broker->loop, &console->tty, term_fd(console->term));
	uv_timer_init(broker->loop, &console->timer);
	uv_signal_init(broker->loop, &console->winch);
	uv_poll_start(&console->tty, UV_READABLE | UV_DISCONNECT, on_tty);
	uv_signal_start(&console->winch, on_winch, SIGWINCH);
	ui_follow(&console->ui, &broker->model, now_ms(console));
	draw(console);
	arm(console);
}

void console_close(struct console *console)
{
	if (!console->open)
		return;
	console_edit_end(console);
	notifier_end(&console->notifier);
	console->open = false;
	if (console->broker != NULL) {
		uv_close((uv_handle_t *)&console->tty, NULL);
		uv_close((uv_handle_t *)&console->timer, NULL);
		uv_close((uv_handle_t *)&console->winch, NULL);
	}
	term_close(console->term);
	frame_release(&console->frame);
	key_parser_free(console->keys);
	ui_release(&console->ui);
	free(console->last_view);
}
