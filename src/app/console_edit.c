#include "config.h"

#include "app/console_edit.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "app/editor.h"
#include "base/mem.h"

struct console_editing {
	struct console *console;
	struct editor editor;
	uv_poll_t ended;
	uv_signal_t stopped;
	unsigned closing; /* handles that are still open */
	uint64_t seq;
	struct digest digest;
	char *path;
};

static void on_closed(uv_handle_t *handle)
{
	struct console_editing *editing = handle->data;

	if (--editing->closing > 0)
		return;
	free(editing->path);
	free(editing);
}

static void forget(struct console *console)
{
	struct console_editing *editing = STEAL(console->editing);

	editing->closing = 2;
	uv_close((uv_handle_t *)&editing->ended, on_closed);
	uv_close((uv_handle_t *)&editing->stopped, on_closed);
}

/* What the person left, as the same call's new card. */
static void apply(struct console *console, const struct console_editing *editing, struct str *text)
{
	struct intent intent = {
		.kind = INTENT_EDIT, .seq = editing->seq, .digest = editing->digest};
	char *why MEM_AUTO = NULL;

	if (memchr(str_c(text), '\0', text->len) != NULL) {
		ui_say(&console->ui, "not edited: it holds a NUL byte");
		return;
	}
	intent.text = mem_strdup(str_c(text));
	if (broker_edit(console->broker, &intent, editing->path, &why))
		console->ui.card_top = 0;
	if (why != NULL)
		ui_say(&console->ui, "%s", why);
	intent_release(&intent);
}

static void on_ended(uv_poll_t *poll, int status, int events)
{
	struct console_editing *editing = poll->data;
	struct console *console = editing->console;
	struct str text STR_AUTO = STR_INIT;
	struct err err = ERR_INIT;

	(void)status;
	(void)events;
	uv_poll_stop(&editing->ended);
	int bad = editor_finish(&editing->editor, &text, &err);
	forget(console);
	term_resume(console->term);
	if (bad != 0)
		ui_say(&console->ui, "not edited: %s", err.text);
	else
		apply(console, editing, &text);
	console_resume(console);
}

static void on_stopped(uv_signal_t *signal, int number)
{
	const struct console_editing *editing = signal->data;

	(void)number;
	person_program_wake(editing->editor.pid, editing->editor.pidfd);
}

static void watch(struct console *console, struct console_editing *editing)
{
	uv_loop_t *loop = console->broker->loop;

	editing->ended.data = editing->stopped.data = editing;
	uv_poll_init(loop, &editing->ended, editing->editor.pidfd);
	uv_poll_start(&editing->ended, UV_READABLE, on_ended);
	uv_signal_init(loop, &editing->stopped);
	uv_signal_start(&editing->stopped, on_stopped, SIGCHLD);
	console->editing = editing;
}

static int start(struct console *console, struct console_editing *editing, struct err *err)
{
	term_pause(console->term);
	if (editor_start(&editing->editor, console->broker->session, err) == 0)
		return 0;
	term_resume(console->term);
	return -1;
}

void console_edit(struct console *console, const struct intent *intent)
{
	struct console_editing *editing = mem_alloc(sizeof(*editing));
	struct err err = ERR_INIT;

	editing->console = console;
	editing->seq = intent->seq;
	editing->digest = intent->digest;
	int bad = editor_prepare(
		&editing->editor, console->broker->session, intent->seq, intent->text, &err);
	if (bad == 0) {
		editing->path = mem_strdup(editing->editor.program.path);
		console_pause(console);
		bad = start(console, editing, &err);
		if (bad == 0)
			watch(console, editing);
		else
			console_resume(console);
	}
	if (bad == 0)
		return;
	ui_say(&console->ui, "not edited: %s", err.text);
	free(editing->path);
	free(editing);
}

void console_edit_end(struct console *console)
{
	if (console->editing == NULL)
		return;
	editor_abandon(&console->editing->editor);
	forget(console);
}
