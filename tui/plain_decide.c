#include "config.h"

#include "base/words.h"
#include "tui/plain.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "tui/layout_plain.h"
#include "tui/plain_internal.h"
#include "tui/prompt.h"
#include "tui/view_words.h"

/* Everything that cannot be taken back. */

static bool counts(struct plain_turn *t)
{
	if (!t->alone)
		str_add(t->out,
			_("Nothing decided. More lines came with this one: type it alone.\n"));
	else if (!t->rested)
		str_add(t->out, _("Nothing decided. This line came too soon behind the one before: "
				  "type it again.\n"));
	return t->alone && t->rested;
}

static const struct job *waiting_job(struct plain_turn *t, uint64_t seq)
{
	const struct job *job = model_job(t->model, seq);

	if (job != NULL && job->state == JOB_WAITING && job->card != NULL)
		return job;
	str_printf(t->out,
		_("Nothing decided. Call %" PRIu64 " does not wait any more: it is %s.\n"), seq,
		job != NULL ? _(job_state_name(job->state)) : _("unknown"));
	return NULL;
}

/* The card that was printed last, to its end, is still the card of this call. */
static bool was_printed(struct plain_turn *t, const struct job *job)
{
	const struct plain_card *card = &t->p->card;
	uint64_t seq = job->seq;

	if (card->seq != seq) {
		str_printf(t->out,
			_("Not yet. Call %" PRIu64
			  " is not the card that was printed last. Type: show %" PRIu64 "\n"),
			seq, seq);
		return false;
	}
	if (!digest_equal(&card->digest, &job->card->digest)) {
		str_add(t->out, _("Nothing decided. "));
		plain_say_changed(seq, t->out);
		return false;
	}
	if (card->next < card->count) {
		str_add(t->out, _("Not yet. "));
		words_number(card->count - card->next, "line", t->out);
		str_printf(t->out, _(" of card %" PRIu64 " were not printed. Type: more\n"), seq);
		return false;
	}
	return true;
}

static bool has_code(struct plain_turn *t, const struct card *card)
{
	char code[PLAIN_CODE_BYTES];
	size_t len = strcspn(t->at, " ");

	plain_code(card, code);
	if (len == strlen(code) && strncasecmp(t->at, code, len) == 0) {
		t->at += len + strspn(t->at + len, " ");
		return true;
	}
	str_printf(t->out,
		len == 0 ? _("Nothing decided. Say the digest, too: the last line of card %" PRIu64
			     " says how.\n")
			 : _("Nothing decided. That is not the digest of card %" PRIu64 ".\n"),
		card->seq);
	return false;
}

static bool has_words(struct plain_turn *t, const struct card *card)
{
	STR_AUTO struct str words = STR_INIT;

	if (card_words_match(card, t->at[0] == '\0' ? NULL : t->at))
		return true;
	card_words(card, &words);
	if (words.len > 0)
		str_printf(t->out, _("Nothing decided. Behind the digest it asks for: %s\n"),
			str_c(&words));
	else
		str_add(t->out, _("Nothing decided. Behind the digest stands nothing.\n"));
	return false;
}

void plain_approve(struct plain_turn *t)
{
	const struct job *job = waiting_job(t, t->seq);

	if (job == NULL)
		return;
	if (t->model->record_failed != NULL) {
		str_add(t->out, _("Nothing decided. The record cannot be written.\n"));
		return;
	}
	if (!was_printed(t, job) || !has_code(t, job->card) || !has_words(t, job->card) ||
		!counts(t))
		return;
	t->ret->kind = INTENT_APPROVE;
	t->ret->seq = job->seq;
	t->ret->digest = t->p->card.digest;
	t->ret->text = t->at[0] == '\0' ? NULL : mem_strdup(t->at);
}

static void ask(struct plain_turn *t, enum plain_ask kind, uint64_t seq)
{
	t->p->ask = kind;
	t->p->ask_seq = seq;
	t->p->drop = true;
}

/* A no needs no whole card, and holds for the card that is there now. */
static void reject(struct plain_turn *t, const struct job *job, const char *reason)
{
	if (strlen(reason) > PROMPT_BYTES_MAX) {
		str_printf(t->out, _("Nothing decided. A reason has at most %u bytes.\n"),
			(unsigned)PROMPT_BYTES_MAX);
		return;
	}
	if (!counts(t))
		return;
	t->ret->kind = INTENT_REJECT;
	t->ret->seq = job->seq;
	t->ret->digest = job->card->digest;
	t->ret->text = mem_strdup(reason);
}

void plain_reject(struct plain_turn *t)
{
	const struct job *job = waiting_job(t, t->seq);

	if (job == NULL)
		return;
	if (t->at[0] != '\0') {
		reject(t, job, t->at);
		return;
	}
	str_add(t->out, _("Reason for the agent, one line; an empty line goes back.\n"));
	t->p->ask_digest = job->card->digest;
	ask(t, PLAIN_ASK_REASON, job->seq);
}

static bool runs(const struct job *job)
{
	return job->state == JOB_STARTING || job->state == JOB_RUNNING;
}

void plain_stop(struct plain_turn *t)
{
	const struct job *job = model_job(t->model, t->seq);

	if (t->seq == 0 && strcmp(t->at, "all") == 0) {
		str_printf(t->out,
			_("Stop all: reject %u, end %u, and refuse what comes? Type yes; anything "
			  "else goes back.\n"),
			t->model->waiting, t->model->running);
		ask(t, PLAIN_ASK_STOP_ALL, 0);
	} else if (t->seq == 0) {
		str_add(t->out, _("Nothing stopped. Say the number, or: stop all\n"));
	} else if (job == NULL || !runs(job)) {
		str_printf(t->out, _("Nothing stopped. Call %" PRIu64 " does not run.\n"), t->seq);
	} else {
		str_printf(t->out, _("Stop call %" PRIu64 "? Type yes; anything else goes back.\n"),
			t->seq);
		ask(t, PLAIN_ASK_STOP, t->seq);
	}
}

void plain_extend(struct plain_turn *t)
{
	if (!counts(t))
		return;
	t->ret->kind = INTENT_EXTEND;
	t->ret->seq = t->seq;
}

void plain_open_intake(struct plain_turn *t)
{
	if (strcmp(t->at, "intake") != 0)
		str_add(t->out, _("Nothing done. Type: open intake\n"));
	else if (counts(t))
		t->ret->kind = INTENT_OPEN_INTAKE;
}

void plain_quit(struct plain_turn *t)
{
	const struct model *model = t->model;

	if (model->waiting == 0 && model->running == 0) {
		t->ret->kind = counts(t) ? INTENT_QUIT : INTENT_NONE;
		return;
	}
	str_printf(t->out,
		_("Quit: reject %u (console_closed), end %u? Type yes; anything else goes back.\n"),
		model->waiting, model->running);
	ask(t, PLAIN_ASK_QUIT, 0);
}

static void answer_reason(struct plain_turn *t, const char *line)
{
	uint64_t seq = t->p->ask_seq;
	const struct job *job = line[0] == '\0' ? NULL : waiting_job(t, seq);

	if (line[0] == '\0') {
		str_add(t->out, _("Nothing decided.\n"));
	} else if (job != NULL && !digest_equal(&t->p->ask_digest, &job->card->digest)) {
		str_add(t->out, _("Nothing decided. "));
		plain_say_changed(seq, t->out);
	} else if (job != NULL) {
		reject(t, job, line);
	}
}

void plain_answer(struct plain_turn *t, const char *line)
{
	static const enum intent_kind kinds[] = {
		[PLAIN_ASK_STOP] = INTENT_STOP,
		[PLAIN_ASK_STOP_ALL] = INTENT_STOP_ALL,
		[PLAIN_ASK_QUIT] = INTENT_QUIT,
	};
	enum plain_ask kind = t->p->ask;

	t->p->ask = PLAIN_ASK_NOTHING;
	if (kind == PLAIN_ASK_REASON) {
		answer_reason(t, line);
	} else if (strcmp(line, "yes") != 0) {
		str_add(t->out, _("Nothing done.\n"));
	} else if (counts(t)) {
		t->ret->kind = kinds[kind];
		t->ret->seq = t->p->ask_seq;
	}
}
