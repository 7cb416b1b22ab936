#include "config.h"

#include "app/plain_console.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/text.h"

#define NOTICE_MS 100u
#define TYPED_BYTES_MAX 4096u /* a terminal gives no longer line */
#define PROMPT "> "

static int64_t now_ms(const struct plain_console *pc)
{
	return broker_at_ms(pc->broker);
}

static void take_size(struct plain_console *pc)
{
	unsigned cols = 80, rows = 24;
	term_tty_size(pc->tty.out_fd, &cols, &rows);
	pc->plain.cols = cols < 40 ? 40 : cols;
}

int plain_console_open(struct plain_console *pc, const struct config *config, struct err *err)
{
	*pc = (struct plain_console){0};
	if (plain_tty_open(&pc->tty, err) != 0)
		return -1;
	bool ascii = strcmp(config->signs, "ascii") == 0 || text_locale_flags() != 0;
	plain_init(&pc->plain, 80, ascii);
	linebuf_init(&pc->typed, TYPED_BYTES_MAX);
	take_size(pc);
	pc->open = true;
	return 0;
}

static void hang_up(struct plain_console *pc)
{
	if (pc->gone)
		return;
	pc->gone = true;
	uv_poll_stop(&pc->poll);
	pc->on_hangup(pc->ctx);
}

static void forget_typed(struct plain_console *pc)
{
	plain_tty_drop(&pc->tty);
	linebuf_release(&pc->typed);
	linebuf_init(&pc->typed, TYPED_BYTES_MAX);
}

/* Writes what there is to say and a prompt. true: lines that came before answer nothing, and were thrown away. */
static bool say(struct plain_console *pc, const struct str *out)
{
	struct str text STR_AUTO = STR_INIT;
	if (pc->gone || (out->len == 0 && pc->prompted))
		return false;
	if (pc->prompted)
		str_add_char(&text, '\n');
	str_add_bytes(&text, str_c(out), out->len);
	str_add(&text, PROMPT);
	if (fd_write_all(pc->tty.out_fd, text.data, text.len, NULL) != 0) {
		hang_up(pc);
		return false;
	}
	pc->prompted = true;
	bool drop = plain_written(&pc->plain, now_ms(pc));
	if (drop)
		forget_typed(pc);
	return drop;
}

static bool decides(const struct intent *intent)
{
	return intent->kind == INTENT_APPROVE || intent->kind == INTENT_REJECT;
}

static void carry_out(struct plain_console *pc, const struct intent *intent, struct str *out)
{
	const struct model *model = &pc->broker->model;
	struct json *seen = NULL;
	char *text = NULL;
	if (decides(intent))
		seen = plain_seen_json(&pc->plain, model, intent->seq, now_ms(pc));
	broker_intent(pc->broker, intent, seen, &text);
	plain_done(&pc->plain, model, intent, text, out);
	free(text);
}

/* true: what came behind this line was thrown away. */
static bool take_line(struct plain_console *pc, const char *line, size_t len, bool alone)
{
	struct str out STR_AUTO = STR_INIT;
	struct intent intent = {0};
	pc->prompted = false;
	plain_line(&pc->plain, &pc->broker->model, now_ms(pc), line, len, alone, &out, &intent);
	if (intent.kind != INTENT_NONE)
		carry_out(pc, &intent, &out);
	intent_release(&intent);
	return say(pc, &out);
}

static void take_lines(struct plain_console *pc, size_t count)
{
	enum linebuf_status status = LINEBUF_NONE;
	const char *line = NULL;
	size_t len = 0;
	do {
		status = linebuf_next(&pc->typed, false, &line, &len);
		if (status == LINEBUF_LINE && take_line(pc, line, len, count == 1))
			return;
	} while (status != LINEBUF_NONE);
}

static size_t newlines(const char *bytes, size_t len)
{
	size_t count = 0;
	for (size_t i = 0; i < len; i++)
		count += bytes[i] == '\n';
	return count;
}

/* All that lies there is read before any of it counts: only so is it known which line came alone. */
static void take_input(struct plain_console *pc)
{
	char buffer[TYPED_BYTES_MAX];
	size_t count = 0, n = 0;
	enum plain_tty_read got = PLAIN_TTY_NOTHING;
	if (plain_tty_resumed()) {
		forget_typed(pc);
		pc->prompted = false;
	}
	while ((got = plain_tty_read(&pc->tty, buffer, sizeof(buffer), &n)) == PLAIN_TTY_BYTES) {
		count += newlines(buffer, n);
		linebuf_feed(&pc->typed, buffer, n);
	}
	take_lines(pc, count);
	if (got == PLAIN_TTY_GONE)
		hang_up(pc);
	else if (got == PLAIN_TTY_END)
		take_line(pc, "quit", 4, count == 0);
}

static void notices(struct plain_console *pc)
{
	struct str out STR_AUTO = STR_INIT;
	plain_follow(&pc->plain, &pc->broker->model, now_ms(pc), &out);
	say(pc, &out);
}

static void turn(struct plain_console *pc)
{
	if (!pc->open || pc->gone)
		return;
	take_input(pc);
	notices(pc);
}

static void on_timer(uv_timer_t *timer)
{
	turn(timer->data);
}

static void on_tty(uv_poll_t *poll, int status, int events)
{
	(void)status; /* an error or a hang-up shows when it is read */
	(void)events;
	turn(poll->data);
}

static void on_winch(uv_signal_t *signal, int number)
{
	struct plain_console *pc = signal->data;
	(void)number;
	take_size(pc);
	turn(pc);
}

void plain_console_changed(struct plain_console *pc)
{
	if (!pc->open || pc->broker == NULL || uv_is_active((uv_handle_t *)&pc->timer))
		return;
	uv_update_time(pc->broker->loop);
	uv_timer_start(&pc->timer, on_timer, NOTICE_MS, 0);
}

void plain_console_start(
	struct plain_console *pc, struct broker *broker, void *ctx, void (*on_hangup)(void *ctx))
{
	struct str out STR_AUTO = STR_INIT;
	pc->broker = broker;
	pc->ctx = ctx;
	pc->on_hangup = on_hangup;
	pc->poll.data = pc->timer.data = pc->winch.data = pc;
	uv_poll_init(broker->loop, &pc->poll, pc->tty.in_fd);
	uv_timer_init(broker->loop, &pc->timer);
	uv_signal_init(broker->loop, &pc->winch);
	uv_poll_start(&pc->poll, UV_READABLE | UV_DISCONNECT, on_tty);
	uv_signal_start(&pc->winch, on_winch, SIGWINCH);
	plain_hello(&broker->model, &out);
	say(pc, &out);
}

/* The last notices, and no prompt: the next line is the shell's. */
static void say_farewell(struct plain_console *pc)
{
	struct str out STR_AUTO = STR_INIT;
	if (pc->gone || pc->broker == NULL)
		return;
	if (pc->prompted)
		str_add_char(&out, '\n');
	pc->plain.ask = PLAIN_ASK_NOTHING;
	plain_follow(&pc->plain, &pc->broker->model, now_ms(pc), &out);
	str_add(&out, "Exequatur ends.\n");
	fd_write_all(pc->tty.out_fd, out.data, out.len, NULL);
}

void plain_console_close(struct plain_console *pc)
{
	if (!pc->open)
		return;
	pc->open = false;
	say_farewell(pc);
	if (pc->broker != NULL) {
		uv_close((uv_handle_t *)&pc->poll, NULL);
		uv_close((uv_handle_t *)&pc->timer, NULL);
		uv_close((uv_handle_t *)&pc->winch, NULL);
	}
	plain_tty_close(&pc->tty);
	plain_release(&pc->plain);
	linebuf_release(&pc->typed);
}
