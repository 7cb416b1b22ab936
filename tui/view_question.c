#include "config.h"

#include <inttypes.h>

#include "base/text.h"
#include "base/words.h"
#include "tui/view_gate.h"
#include "tui/view_parts.h"

static void question_words(const struct screen *s, struct str *out)
{
	const struct job *job = model_job(s->model, s->ui->prompt.seq);
	const struct model *model = s->model;

	if (s->ui->prompt.kind == PROMPT_STOP) {
		str_printf(out, _("stop #%" PRIu64 ": SIGTERM, "), s->ui->prompt.seq);
		if (job != NULL && job->card != NULL)
			str_printf(out, _("after %u s SIGKILL?"), job->card->grace_s);
		else
			str_add(out, _("then SIGKILL?"));
		return;
	}
	if (s->ui->prompt.kind == PROMPT_STOP_ALL) {
		question_stop_all(model, out);
		return;
	}
	if (s->ui->prompt.kind == PROMPT_REVOKE) {
		str_printf(out, _("revoke grant %" PRIu64 ": such calls wait again?"),
			s->ui->prompt.seq);
		return;
	}
	str_add(out, _("quit"));
	if (model->waiting > 0)
		str_printf(out, _(": reject %u (console_closed)"), model->waiting);
	if (model->running > 0)
		str_printf(out, _("%s end %u"), model->waiting > 0 ? "," : ":", model->running);
	str_add_char(out, '?');
}

/* A question has a lamp of its own, and only y says yes. */
void draw_question(const struct screen *s)
{
	STR_AUTO struct str text = STR_INIT;
	STR_AUTO struct str ways = STR_INIT;
	bool rested = ui_rested(s->ui, s->now_ms);
	const char *lamp = rested ? s->lamp_yes : "[.]";
	unsigned line = screen_gate_row(s), gap, col = 2 + text_columns(lamp);

	question_words(s, &text);
	/* As wide with the key in force, or a little narrower. */
	for (gap = 4;
		gap > 1 && col + text_columns(str_c(&text)) + text_columns(_("y: yesEsc: no")) +
					   text_columns(s->lamp_yes) - 3 + 2 * gap >
				   s->frame->cols;
		gap--)
		;
	str_printf(&ways, _("%*sy: yes%*sEsc: no"), (int)gap, "", (int)gap, "");
	say_keyed(s, str_c(&ways), ACTION_YES, &text);
	draw_text(s, 1, line, rested ? STYLE_KEY : STYLE_PLAIN, lamp);
	draw_text(s, col, line, STYLE_NOTE, str_c(&text));
}
