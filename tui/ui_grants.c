#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/ui_internal.h"

/* `t` and its prompt, view 5 and its keys. The prompt's text is "MINUTES TIMES"; its cursor stands at the end of the number that
   the digits go to, and its history is 0 while that number is still as it was proposed: the first digit takes its place. */

#define DIGITS_MAX 3

struct numbers {
	char text[2][DIGITS_MAX + 1];
	unsigned field;
};

static void take(char field[DIGITS_MAX + 1], const char *text, size_t len)
{
	size_t kept = 0;

	for (size_t i = 0; i < len && kept < DIGITS_MAX; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			field[kept++] = text[i];
	}
	field[kept] = '\0';
}

static void read_numbers(const struct prompt *prompt, struct numbers *ret)
{
	const char *text = str_c(&prompt->text);
	size_t first = strcspn(text, " ");

	take(ret->text[0], text, first);
	take(ret->text[1], text + first, strlen(text + first));
	ret->field = prompt->cursor > first;
}

static void write_numbers(struct prompt *prompt, const struct numbers *n)
{
	char *text MEM_AUTO = mem_printf("%s %s", n->text[0], n->text[1]);

	prompt_set(prompt, text);
	prompt->cursor = n->field == 0 ? strlen(n->text[0]) : strlen(text);
}

void ui_grant_texts(const struct ui *ui, char minutes[4], char times[4], unsigned *ret_field)
{
	struct numbers n;

	read_numbers(&ui->prompt, &n);
	memcpy(minutes, n.text[0], sizeof(n.text[0]));
	memcpy(times, n.text[1], sizeof(n.text[1]));
	*ret_field = n.field;
}

bool ui_grant_numbers(const struct ui *ui, unsigned *ret_minutes, unsigned *ret_times)
{
	struct numbers n;

	read_numbers(&ui->prompt, &n);
	*ret_minutes = (unsigned)strtoul(n.text[0], NULL, 10);
	*ret_times = (unsigned)strtoul(n.text[1], NULL, 10);
	return grant_numbers_fit(*ret_minutes, *ret_times);
}

bool ui_can_grant(const struct job *job)
{
	return job != NULL && job->state == JOB_WAITING && job->card != NULL &&
	       grant_possible(job->card);
}

/* Armed as `a` is: what is said yes to twice was read whole once. */
int ui_again(struct press *p, enum action action)
{
	struct ui *ui = p->ui;
	const struct job *job = ui_open_job(ui, p->model);
	enum gate gate = p->gate == GATE_READY && !p->rested ? GATE_REST : p->gate;

	(void)action;
	if (job != NULL && job->state == JOB_WAITING && !ui_can_grant(job)) {
		ui_say(ui, "%s did nothing: such a card is read each time",
			ui_key_of(ui, ACTION_AGAIN));
		return 0;
	}
	if (gate != GATE_READY) {
		ui_refuse(ui, p->model, ui_key_of(ui, ACTION_AGAIN), gate);
		return 0;
	}
	const struct numbers first = {.field = 0};
	struct numbers n = first;
	snprintf(n.text[0], sizeof(n.text[0]), "%u", GRANT_MINUTES_FIRST);
	snprintf(n.text[1], sizeof(n.text[1]), "%u", GRANT_TIMES_FIRST);
	prompt_open(&ui->prompt, PROMPT_GRANT, job->seq, p->now_ms);
	ui->grant_card = job->card->digest;
	write_numbers(&ui->prompt, &n);
	return 0;
}

static void put_digit(struct prompt *prompt, struct numbers *n, char digit)
{
	char *field = n->text[n->field];
	size_t len = prompt->history == 0 ? 0 : strlen(field);

	if (len == DIGITS_MAX)
		return;
	field[len] = digit;
	field[len + 1] = '\0';
	prompt->history = 1;
}

static void drop_digit(struct prompt *prompt, struct numbers *n)
{
	char *field = n->text[n->field];
	size_t len = strlen(field);

	if (len > 0)
		field[len - 1] = '\0';
	prompt->history = 1;
}

static bool goes_over(enum key_code code)
{
	return code == KEY_CODE_TAB || code == KEY_CODE_BACKTAB || code == KEY_CODE_UP ||
	       code == KEY_CODE_DOWN;
}

static void edit_numbers(struct press *p)
{
	struct prompt *prompt = &p->ui->prompt;
	struct numbers n;

	read_numbers(prompt, &n);
	if (p->key->code == KEY_CODE_CHAR && p->key->ch >= '0' && p->key->ch <= '9') {
		put_digit(prompt, &n, (char)p->key->ch);
	} else if (p->key->code == KEY_CODE_BACKSPACE) {
		drop_digit(prompt, &n);
	} else if (goes_over(p->key->code)) {
		n.field = 1 - n.field;
		prompt->history = 0;
	} else {
		ui_say(p->ui, "digits change the number, Tab goes to the other; only y says yes");
	}
	write_numbers(prompt, &n);
}

static int give(struct press *p)
{
	struct ui *ui = p->ui;
	enum gate gate = ui_gate_hard(ui, p->model);
	unsigned minutes, times;

	if (gate != GATE_READY) {
		ui_refuse(ui, p->model, ui_key_of(ui, ACTION_YES), gate);
		if (gate == GATE_DECIDED || gate == GATE_NOTHING)
			prompt_close(&ui->prompt);
		return 0;
	}
	/* The lamp says so; a y that did not count changes nothing on the screen. */
	if (!ui_grant_numbers(ui, &minutes, &times) || !p->rested)
		return 0;
	ui_wait_alone(p, INTENT_GRANT, ui->prompt.seq, ACTION_YES);
	ui->pending.minutes = minutes;
	ui->pending.times = times;
	ui_say(ui, "approving #%" PRIu64 ", and again", ui->prompt.seq);
	return 0;
}

int ui_grant_key(struct press *p)
{
	if (keymap_action(&p->ui->keymap, p->key, ON_QUESTION) == ACTION_YES)
		return give(p);
	edit_numbers(p);
	return 0;
}

/* View 5. */

const struct grant *ui_grant(const struct ui *ui, const struct model *model)
{
	return grants_get(&model->grants, ui->grant_number);
}

static size_t index_of(const struct grants *grants, uint64_t number)
{
	size_t i = 0;

	while (i < grants->count && grants->items[i].number != number)
		i++;
	return i;
}

/* The first that holds, else the newest. */
static uint64_t first_number(const struct press *p)
{
	const struct grants *grants = &p->model->grants;

	for (size_t i = 0; i < grants->count; i++) {
		if (grant_state(&grants->items[i], p->now_ms) == GRANT_HOLDS)
			return grants->items[i].number;
	}
	return grants->count > 0 ? grants->items[grants->count - 1].number : 0;
}

void ui_open_grants(struct press *p)
{
	p->ui->view = VIEW_GRANTS;
	if (ui_grant(p->ui, p->model) == NULL)
		p->ui->grant_number = first_number(p);
}

int ui_grants_move(struct press *p, enum action action)
{
	const struct grants *grants = &p->model->grants;
	size_t at = index_of(grants, p->ui->grant_number);
	bool back = action == ACTION_UP || action == ACTION_PART_BACK;

	if (grants->count == 0) {
		ui_say(p->ui, "there is no grant");
		return 0;
	}
	if (at == grants->count || action == ACTION_FIRST)
		at = 0;
	else if (action == ACTION_LAST)
		at = grants->count - 1;
	else if (back)
		at -= at > 0;
	else
		at += at + 1 < grants->count;
	p->ui->grant_number = grants->items[at].number;
	return 0;
}

bool ui_grant_holds(const struct model *model, uint64_t number, int64_t now_ms)
{
	const struct grant *grant = grants_get(&model->grants, number);

	return grant != NULL && grant_state(grant, now_ms) == GRANT_HOLDS;
}

int ui_revoke(struct press *p, enum action action)
{
	uint64_t number = p->ui->grant_number;

	(void)action;
	if (ui_grant_holds(p->model, number, p->now_ms))
		prompt_open(&p->ui->prompt, PROMPT_REVOKE, number, p->now_ms);
	else
		ui_say(p->ui, "%s did nothing: %s", ui_key_of(p->ui, ACTION_REVOKE),
			p->model->grants.count == 0 ? "there is no grant" : "it holds no more");
	return 0;
}

/* Whether what the prompt is about is as it was when it was opened. */
static bool is_the_same(const struct ui *ui, const struct model *model, int64_t now_ms)
{
	const struct job *job = model_job(model, ui->prompt.seq);

	if (ui->prompt.kind == PROMPT_REVOKE)
		return ui_grant_holds(model, ui->prompt.seq, now_ms);
	return ui->prompt.kind != PROMPT_GRANT ||
	       (ui_can_grant(job) && digest_equal(&ui->grant_card, &job->card->digest));
}

void ui_follow_grants(struct ui *ui, const struct model *model, int64_t now_ms)
{
	bool revoke = ui->prompt.kind == PROMPT_REVOKE;

	if (is_the_same(ui, model, now_ms))
		return;
	ui_pending_off(ui);
	ui_say(ui, "%s %" PRIu64 " %s, nothing decided", revoke ? "grant" : "call", ui->prompt.seq,
		revoke ? "holds no more" : "changed");
	prompt_close(&ui->prompt);
	ui_touch(ui, now_ms);
}
