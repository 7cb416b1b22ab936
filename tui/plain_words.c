#include "config.h"

#include "base/words.h"
#include "tui/plain.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "tui/layout.h"
#include "tui/plain_internal.h"
#include "tui/view_words.h"

#define NAME_COLUMNS 40u
#define CUT "\xE2\x80\xA6"

void plain_seconds(int64_t ms, struct str *out)
{
	int64_t seconds = ms > 0 ? ms / 1000 : 0, minutes = seconds / 60;

	if (seconds < 120)
		words_number((uint64_t)seconds, "second", out);
	else
		words_number((uint64_t)minutes, "minute", out);
}

/* A cut in the agent's own text may become one of ours: nothing is decided by a list. */
void plain_cut_sign(struct str *out, size_t from)
{
	STR_AUTO struct str text = STR_INIT;
	const char *at = str_c(out) + from, *cut;

	while ((cut = strstr(at, CUT)) != NULL) {
		str_add_bytes(&text, at, (size_t)(cut - at));
		str_add_char(&text, '~');
		at = cut + strlen(CUT);
	}
	str_add(&text, at);
	str_truncate(out, from);
	str_add(out, str_c(&text));
}

void plain_from(const struct plain *p, const struct job *job, struct str *out)
{
	size_t from = out->len;
	STR_AUTO struct str name = STR_INIT;

	if (job->agent == NULL) {
		str_add(out, _("an agent without a name"));
		return;
	}
	/* What stands behind it in the sentence is ours, and a line has no styles. */
	text_quoted(job->agent, &name);
	str_add_char(out, '"');
	words_field(str_c(&name), NAME_COLUMNS, p->ascii, out);
	str_add_char(out, '"');
	plain_cut_sign(out, from);
}

void plain_left(const struct job *job, int64_t now_ms, struct str *out)
{
	if (job->deadline_at_ms < 0)
		str_add(out, _("no deadline"));
	else
		plain_seconds(job->deadline_at_ms - now_ms, out);
	str_add(out, job->deadline_at_ms < 0 ? "" : _(" left"));
}

void plain_waiting(const struct model *model, struct str *out)
{
	if (model->waiting == 0)
		str_add(out, _("Nothing waits.\n"));
	else
		str_printf(out, _("%u waiting.\n"), model->waiting);
}

bool plain_is_its_card(const struct plain_card *card, const struct job *job)
{
	return job != NULL && job->card != NULL && card->seq == job->seq &&
	       digest_equal(&card->digest, &job->card->digest);
}

void plain_say_changed(uint64_t seq, struct str *out)
{
	str_printf(
		out, _("The card of call %" PRIu64 " changed. Type: show %" PRIu64 "\n"), seq, seq);
}

void plain_rows(const struct rows *rows, size_t from, size_t to, const char *head, struct str *out)
{
	for (size_t i = from; i < to && i < rows->count; i++) {
		const struct row *row = &rows->items[i];

		str_add(out, head);
		for (size_t s = 0; s < row->count; s++)
			str_add(out, row->segments[s].text);
		str_add_char(out, '\n');
	}
}

void plain_hello(const struct model *model, struct str *out)
{
	str_add(out, _("Exequatur, plain mode."));
	str_printf(out, _(" Session %s."), model->session_short);
	if (model->workspace != NULL) {
		str_add(out, _(" Workspace "));
		words_field(model->workspace, 200, text_locale_flags() != 0, out);
		str_add_char(out, '.');
	}
	if (model->backend_title != NULL)
		str_printf(out, _(" Sandbox %s."), model->backend_title);
	if (model->no_sandbox)
		str_add(out, _(" Danger: no sandbox."));
	str_add(out, model->record_failed == NULL ? _(" Record ok. ") : _(" Danger: no record. "));
	plain_waiting(model, out);
	str_add(out, _("Type help for what can be typed.\n"));
}
