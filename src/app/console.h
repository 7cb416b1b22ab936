/* The screen in the loop: keys in, frames out. It reads a const model and hands intents to the broker. */
#ifndef APP_CONSOLE_H
#define APP_CONSOLE_H

#include <uv.h>

#include "app/broker.h"
#include "app/notifier.h"
#include "core/attention.h"
#include "tui/term.h"
#include "tui/ui.h"

#define CONSOLE_FRAME_MS 100 /* at most 10 frames a second for what arrives; a key draws at once */
#define CONSOLE_VIEW_EVENT_MS 100

struct console_editing;

struct console {
	struct broker *broker;
	struct term *term;
	struct ui ui;
	struct key_parser *keys;
	struct frame frame;
	uv_poll_t tty;
	uv_timer_t timer;
	uv_signal_t winch;
	bool open, dirty, all; /* all: every cell is written again */
	int64_t drawn_ms, view_event_ms;
	bool view_due; /* the screen changed so soon behind its last event that another is to come */
	int64_t key_ms; /* of the last key of a person */
	struct attention attention;
	struct notifier notifier;
	enum term_notice notice;
	char *last_view;                 /* of the last view event, as text */
	struct console_editing *editing; /* an editor has the terminal; NULL */
	void *ctx;
	void (*on_hangup)(void *ctx); /* the terminal went away */
};

/* Opens the terminal alone, before there is a broker. ERR_UNAVAILABLE: no person can decide here. */
int console_open(struct console *console, const struct config *config, struct err *err);
void console_start(
	struct console *console, struct broker *broker, void *ctx, void (*on_hangup)(void *ctx));
void console_changed(struct console *console); /* the model changed */
/* Another program gets the terminal; it came back. For console_edit.c. */
void console_pause(struct console *console);
void console_resume(struct console *console);
void console_told(struct console *console, const char *why); /* a message that no key asked for */
struct json *console_view(const struct console *console); /* for session_end; the caller owns it */
/* Between the files of the console: behind each frame; the bell, the title, the notices. title_lost: it was another's meanwhile. */
void console_attend_begin(struct console *console);
void console_attend(struct console *console, bool title_lost);
void console_attend_key(struct console *console, const struct key *key);
void console_close(struct console *console); /* restores the terminal; safe on every path */

#endif
