#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/words.h"
#include "tui/queue.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

/* Who floods: named on the screen by what the kernel says of it, with its figures. */

#define SIGN_COLUMN 1u
#define WORDS_COLUMN 9u
#define NARROW_COLUMN 2u
#define NARROW_BELOW 76u

void sender_words(const struct model *model, const struct sender *sender, struct str *out)
{
	const struct peer *peer = model_peer(model, sender->number);

	if (sender->label != NULL)
		str_add(out, sender->label);
	else if (peer != NULL && peer->program != NULL)
		str_add(out, peer->program);
	else if (peer != NULL && peer->kind != PEER_SOCKET)
		str_add(out, peer_kind_name(peer->kind));
	else
		str_printf(out, _("agent %u"), sender->number);
}

void sender_rate_words(const struct sender *sender, struct str *out)
{
	uint64_t ms = (uint64_t)(sender->last_at_ms - sender->burst_at_ms);
	uint64_t each_s = sender->burst_calls * 1000 / (ms < 1000 ? 1000 : ms);

	if (each_s > 0) {
		words_count(each_s, out);
		str_add(out, _(" a second"));
		return;
	}
	words_count(sender->burst_calls * 60000 / (ms < 60000 ? 60000 : ms), out);
	str_add(out, _(" a minute"));
}

static void who(const struct screen *s, const struct sender *sender, bool narrow, struct str *out)
{
	const struct peer *peer = model_peer(s->model, sender->number);
	STR_AUTO struct str name = STR_INIT;

	sender_words(s->model, sender, &name);
	text_quote(str_c(&name), out);
	if (peer != NULL && peer->pid >= 0)
		str_printf(out, ", pid %" PRId64, peer->pid);
	if (peer != NULL && peer->uid >= 0 && !narrow)
		str_printf(out, " uid %" PRId64, peer->uid);
}

static void sent(const struct sender *sender, bool narrow, struct str *out)
{
	int64_t ms = sender->last_at_ms - sender->burst_at_ms;

	str_add(out, narrow ? "" : _(", sent "));
	words_number(sender->burst_calls, "call", out);
	str_add(out, _(" in "));
	words_waited(ms < 1000 ? 1000 : ms, out);
	str_add(out, ": ");
	sender_rate_words(sender, out);
	str_add(out, narrow ? "" : ".");
}

static void share(const struct sender *sender, bool narrow, struct str *out)
{
	words_count(sender->waiting.count, out);
	str_add(out, narrow ? _(" wait, ") : _(" of them wait, its share. "));
	words_count(sender->crowd_full, out);
	str_add(out, narrow ? _(" were refused") : _(" were refused: queue_full."));
}

/* narrow: as much of it as fits beside a card, or on a small screen. */
static void flood_words(const struct screen *s, const struct sender *sender, unsigned line,
	bool narrow, struct str *out)
{
	if (line == 0)
		who(s, sender, narrow, out);
	if (line == (narrow ? 1 : 0))
		sent(sender, narrow, out);
	if (line == (narrow ? 2 : 1))
		share(sender, narrow, out);
	if (line == 2 && !narrow)
		str_add(out, _("Senders take turns: the others lose nothing."));
}

void draw_flood(const struct screen *s, unsigned row, const struct sender *sender, unsigned line)
{
	STR_AUTO struct str text = STR_INIT;

	bool narrow = s->frame->cols < NARROW_BELOW;
	unsigned col = narrow && line > 0 ? NARROW_COLUMN : WORDS_COLUMN;

	flood_words(s, sender, line, narrow, &text);
	if (line == 0)
		draw_text(s, SIGN_COLUMN, row, STYLE_NOTE, _("!flood"));
	draw_field(s, col, row, s->frame->cols - 2 - col, STYLE_PLAIN, str_c(&text));
}

/* "!flood: scraper" behind the head of the list; of several their number. */
void draw_flood_head(const struct screen *s, unsigned row, unsigned col)
{
	const struct sender *first = NULL;
	STR_AUTO struct str name = STR_INIT;
	unsigned count = 0, end = s->frame->cols - 2;

	for (size_t i = 0; i < s->model->sender_count; i++) {
		if (!sender_floods(s->model->senders[i]))
			continue;
		first = count++ == 0 ? s->model->senders[i] : first;
	}
	if (first == NULL || col + 20 > end)
		return;
	if (count > 1)
		str_printf(&name, _("%u agents"), count);
	else
		sender_words(s->model, first, &name);
	frame_fill(s->frame, col, row, 3, STYLE_RULE, " ");
	col += 3;
	col += draw_text(s, col, row, STYLE_NOTE, _("!flood: "));
	col += draw_field(
		s, col, row, end - col - 1, count > 1 ? STYLE_NOTE : STYLE_AGENT, str_c(&name));
	frame_put(s->frame, col, row, 1, STYLE_RULE, " ");
}
