/* Plain mode in the loop: typed lines in, lines out. As the screen, it reads a const model and hands intents to the broker. */
#ifndef APP_PLAIN_CONSOLE_H
#define APP_PLAIN_CONSOLE_H

#include <uv.h>

#include "app/broker.h"
#include "base/linebuf.h"
#include "tui/plain.h"
#include "tui/plain_tty.h"

struct plain_console {
	struct broker *broker;
	struct term_tty tty;
	struct plain plain;
	struct linebuf typed;
	uv_poll_t poll;
	uv_timer_t timer;
	uv_signal_t winch;
	bool open, gone; /* gone: the terminal */
	bool prompted;   /* the last row holds our prompt and nothing else of ours */
	void *ctx;
	void (*on_hangup)(void *ctx);
};

/* As console_open() and its fellows. ERR_UNAVAILABLE: no person can decide here. */
int plain_console_open(struct plain_console *pc, const struct config *config, struct err *err);
void plain_console_start(
	struct plain_console *pc, struct broker *broker, void *ctx, void (*on_hangup)(void *ctx));
void plain_console_changed(struct plain_console *pc);
void plain_console_close(
	struct plain_console *pc); /* says what is left to say; safe on every path */

#endif
