#include "config.h"

#include "app/console.h"

/* Who looks elsewhere is called once: by the bell, by a notice where one is configured, by the title. Nothing blinks. */

static void call(struct console *console, int64_t now_ms)
{
	char words[ATTENTION_WORDS];

	attention_words(&console->broker->model, now_ms, words);
	term_bell(console->term);
	term_notice(console->term, console->notice, words);
	notifier_call(&console->notifier, words);
}

void console_attend(struct console *console, bool title_lost)
{
	const struct model *model = &console->broker->model;
	int64_t now_ms = broker_at_ms(console->broker);
	const char *title = attention_title(&console->attention, model, title_lost, now_ms);

	if (title != NULL)
		term_title(console->term, title);
	if (attention_look(&console->attention, model, console->ui.focus, console->key_ms, now_ms))
		call(console, now_ms);
}

void console_told(struct console *console, const char *why)
{
	if (console->ui.message[0] == '\0') /* one that answers a key stays */
		ui_say(&console->ui, "%s", why);
	console_changed(console);
}

static void on_trouble(void *ctx, const char *why)
{
	console_told(ctx, why);
}

void console_attend_begin(struct console *console)
{
	struct broker *broker = console->broker;

	console->key_ms = -ATTENTION_REST_MS; /* nobody has pressed one yet */
	console->notice = term_notice_form(broker->session->config.notify);
	attention_init(&console->attention);
	notifier_begin(&console->notifier, broker->loop, broker->session, console, on_trouble);
}

void console_attend_key(struct console *console, const struct key *key)
{
	static const bool by_terminal[KEY_CODE_COUNT] = {
		[KEY_CODE_NONE] = true,
		[KEY_CODE_FOCUS_IN] = true,
		[KEY_CODE_FOCUS_OUT] = true,
		[KEY_CODE_UNKNOWN] = true, /* a late answer */
		[KEY_CODE_PARTIAL] = true,
	};

	if (!by_terminal[key->code])
		console->key_ms = broker_at_ms(console->broker);
}
