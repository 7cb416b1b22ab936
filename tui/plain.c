#include "config.h"

#include "tui/plain.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/layout.h"
#include "tui/layout_plain.h"
#include "tui/plain_internal.h"
#include "tui/view_words.h"

#define NUMBER_DIGITS 15u
#define ECHO_COLUMNS 40u
#define LEAST_COLUMNS 40u

static void help(struct plain_turn *t);

/* One table for what is understood and for what help says of it. */
static const struct verb {
	const char *name;
	void (*act)(struct plain_turn *t);
	bool numbered; /* the number of a call that there is */
	const char *help;
} verbs[] = {
	{"list", plain_list, false, N_("list: what waits, oldest first, and what runs")},
	{"show", plain_show, true, N_("show N, or N alone: the whole card of call N")},
	{"more", plain_more, false, N_("more: the next part of what was printed last")},
	{"details", plain_details, true, N_("details N: what else belongs to its card")},
	{"approve", plain_approve, true,
		N_("approve N DIGEST [WORD]: runs it, when its card was printed to the end")},
	{"reject", plain_reject, true, N_("reject N [REASON]: the agent gets the reason")},
	{"output", plain_output, true, N_("output N: what it wrote")},
	{"stop", plain_stop, false, N_("stop N, stop all: asks; yes is yes")},
	{"extend", plain_extend, true, N_("extend N: more time for what runs")},
	{"open", plain_open_intake, false, N_("open intake: after stop all")},
	{"later", NULL, false, N_("later: leaves the card where it is")},
	{"help", help, false, N_("help: this")},
	{"quit", plain_quit, false, N_("quit: asks when something waits or runs")},
};

static void help(struct plain_turn *t)
{
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		str_printf(t->out, "%s\n", verbs[i].help);
}

void plain_init(struct plain *p, unsigned cols, bool ascii)
{
	*p = (struct plain){.cols = cols < LEAST_COLUMNS ? LEAST_COLUMNS : cols,
		.ascii = ascii,
		.written_ms = -PLAIN_REST_MS,
		.line_ms = -PLAIN_REST_MS};
}

void plain_release(struct plain *p)
{
	free(p->told);
	*p = (struct plain){0};
}

bool plain_written(struct plain *p, int64_t now_ms)
{
	bool drop = p->drop;

	if (drop)
		p->card.at_ms = p->written_ms = now_ms;
	p->drop = false;
	return drop;
}

static const struct verb *find_verb(const char *line, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		if (strlen(verbs[i].name) == len && strncmp(verbs[i].name, line, len) == 0)
			return &verbs[i];
	}
	return NULL;
}

/* Moves t->at behind a number and the blanks behind it. */
static void take_number(struct plain_turn *t)
{
	size_t len = strspn(t->at, "0123456789");

	if (len == 0 || len > NUMBER_DIGITS || (t->at[len] != ' ' && t->at[len] != '\0'))
		return;
	t->seq = strtoull(t->at, NULL, 10);
	t->at += len + strspn(t->at + len, " ");
}

static void say_unknown(struct plain_turn *t, const char *line)
{
	size_t from = t->out->len;

	str_add(t->out, _("Nothing done. Not understood: "));
	words_field(line, ECHO_COLUMNS, t->p->ascii, t->out);
	plain_cut_sign(t->out, from);
	str_add(t->out, _(". Type: help\n"));
}

static void say_number(struct plain_turn *t, const char *name)
{
	uint64_t oldest = model_next_waiting(t->model, 0, false);

	if (t->seq != 0)
		str_printf(t->out, _("Nothing done. There is no call %" PRIu64 ".\n"), t->seq);
	else
		str_printf(t->out, _("Nothing decided. Say the number: %s %" PRIu64 "\n"), name,
			oldest != 0 ? oldest : 1);
}

static void obey(struct plain_turn *t, const char *line)
{
	size_t len = strcspn(line, " ");
	bool number = len > 0 && strspn(line, "0123456789") == len;
	const struct verb *verb = number ? find_verb("show", 4) : find_verb(line, len);

	if (line[0] == '\0')
		return;
	t->at = number ? line : line + len + strspn(line + len, " ");
	take_number(t);
	if (verb == NULL)
		say_unknown(t, line);
	else if (verb->numbered && model_job(t->model, t->seq) == NULL)
		say_number(t, verb->name);
	else if (verb->act != NULL)
		verb->act(t);
}

/* Arrow keys, pastes with brackets, answers of a terminal: none is a line that a person typed. */
static bool is_typed(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (iscntrl((unsigned char)line[i]) && (unsigned char)line[i] < 0x80 &&
			line[i] != '\t')
			return false;
	}
	return text_is_utf8(line, len);
}

void plain_line(struct plain *p, const struct model *model, int64_t now_ms, const char *line,
	size_t len, bool alone, struct str *out, struct intent *ret)
{
	struct plain_turn t = {
		.p = p, .model = model, .now_ms = now_ms, .alone = alone, .out = out, .ret = ret};
	STR_AUTO struct str text = STR_INIT;

	t.rested = now_ms - p->written_ms >= PLAIN_REST_MS && now_ms - p->line_ms >= PLAIN_REST_MS;
	p->line_ms = now_ms;
	while (len > 0 && line[len - 1] == ' ')
		len--;
	for (; len > 0 && line[0] == ' '; len--)
		line++;
	str_add_bytes(&text, line, len);
	if (!is_typed(line, len)) {
		p->ask = PLAIN_ASK_NOTHING;
		str_add(out, _("Nothing done. The line holds a character that is no text.\n"));
	} else if (p->ask != PLAIN_ASK_NOTHING) {
		plain_answer(&t, str_c(&text));
	} else {
		obey(&t, str_c(&text));
	}
}

static void push_row(struct json *rows, size_t start, size_t end, int64_t ms)
{
	struct json *item = json_new_array();

	json_push(item, json_new_int((int64_t)start));
	json_push(item, json_new_int((int64_t)end));
	json_push(item, json_new_int(ms));
	json_push(rows, item);
}

/* A printed line cannot be taken off a terminal: it stood at least since the last part was written. */
struct json *plain_seen_json(
	const struct plain *p, const struct model *model, uint64_t seq, int64_t now_ms)
{
	const struct job *job = model_job(model, seq);
	struct json *object = json_new_object(), *list = json_new_array();
	struct rows rows = {0};
	bool same = plain_is_its_card(&p->card, job);

	if (job != NULL && job->card != NULL)
		layout_plain_card(job, same ? p->card.cols : p->cols, p->ascii, &rows);
	for (size_t i = 0; same && i < p->card.next && i < rows.count; i++) {
		if (rows.items[i].start < rows.items[i].end)
			push_row(list, rows.items[i].start, rows.items[i].end,
				now_ms - p->card.at_ms);
	}
	json_set(object, "rows", list);
	json_set_int(object, "total", (int64_t)rows.total);
	json_set_int(object, "lines", (int64_t)rows.count);
	json_set_int(object, "lines_seen", same ? (int64_t)p->card.next : 0);
	rows_release(&rows);
	return object;
}
