#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"
#include "tui/film.h"
#include "tui/fit.h"
#include "tui/panes.h"
#include "tui/view_parts.h"
#include "tui/view_words.h"

#define WIDE_COLS 110u
#define WORKSPACE_LEAST 10u

static const struct {
	const char *words;
	enum action key; /* that it names */
} view_names[VIEW_COUNT] = {
	[VIEW_QUEUE] = {N_("1 queue"), ACTION_VIEW_QUEUE},
	[VIEW_CARD] = {N_("2 card"), ACTION_VIEW_CARD},
	[VIEW_OUTPUT] = {N_("3 output"), ACTION_VIEW_OUTPUT},
	[VIEW_HELP] = {N_("? keys"), ACTION_HELP},
	[VIEW_STOPPED] = {N_("stopped"), ACTION_NONE},
	[VIEW_HISTORY] = {N_("4 history"), ACTION_VIEW_HISTORY},
	[VIEW_GRANTS] = {N_("5 grants"), ACTION_VIEW_GRANTS},
	[VIEW_MARKED] = {N_("marked"), ACTION_NONE},
	[VIEW_AGENTS] = {N_("6 agents"), ACTION_VIEW_AGENTS},
};

/* The name of the view has eight columns, whatever its language. */
static void named_counts(const char *name, const char *waiting, const char *running,
	const char *done, struct str *out)
{
	str_add(out, " ");
	fit_pad(name, 9, out);
	str_printf(out, _("%4s waiting%3s running%7s done"), waiting, running, done);
}

static unsigned draw_left(const struct screen *s)
{
	STR_AUTO struct str waiting = STR_INIT;
	STR_AUTO struct str running = STR_INIT;
	STR_AUTO struct str done = STR_INIT;
	STR_AUTO struct str left = STR_INIT;
	STR_AUTO struct str name = STR_INIT;

	words_count(s->model->waiting, &waiting);
	words_count(s->model->running, &running);
	words_count(s->model->done, &done);
	bool locked = screen_is_locked(s->ui, s->model);

	if (s->ui->film)
		str_add(&name, _("replay"));
	else if (locked)
		str_add(&name, s->model->lock.on ? _("locked") : _("lock"));
	else
		say_keyed(s, _(view_names[s->ui->view].words), view_names[s->ui->view].key, &name);
	if (!locked && !s->ui->film && panes_shown(s->ui))
		str_printf(&left, _(" Exequatur%6s waiting%4s running%8s done"), str_c(&waiting),
			str_c(&running), str_c(&done));
	else
		named_counts(str_c(&name), str_c(&waiting), str_c(&running), str_c(&done), &left);
	return draw_text(s, 0, TITLE_ROW, STYLE_TITLE, str_c(&left));
}

/* Parts at the right of the title, in the order of the screen; drawn from the right, the last one that does not fit and all
   that matter less are left out. */
struct part {
	enum style style;
	char text[200];
	unsigned columns;
	unsigned worth; /* the least worth goes first */
};
struct parts {
	struct part items[8];
	unsigned count, gap;
};

static void add(struct parts *parts, unsigned worth, enum style style, const char *text)
{
	struct part *part = &parts->items[parts->count];

	if (text == NULL || text[0] == '\0')
		return;
	snprintf(part->text, sizeof(part->text), "%s", text);
	part->style = style;
	part->columns = text_columns(part->text);
	part->worth = worth;
	parts->count++;
}

static unsigned total(const struct parts *parts)
{
	unsigned columns = 0;

	for (unsigned i = 0; i < parts->count; i++)
		columns += parts->items[i].columns + (i > 0 ? parts->gap : 0);
	return columns;
}

static void drop_least(struct parts *parts)
{
	unsigned least = 0;

	for (unsigned i = 1; i < parts->count; i++) {
		if (parts->items[i].worth < parts->items[least].worth)
			least = i;
	}
	parts->count--;
	memmove(&parts->items[least], &parts->items[least + 1],
		(parts->count - least) * sizeof(parts->items[0]));
}

/* The end of a path tells more than its start. */
static void tail_field(const char *path, unsigned columns, bool ascii, struct str *out)
{
	size_t len = strlen(path), most = (size_t)columns * CELL_BYTES;
	unsigned used;

	for (const char *at = path + (len > most ? len - most : 0);; at++) {
		if (at > path && ((unsigned char)*at & 0xC0) == 0x80)
			continue;
		str_clear(out);
		str_add(out, at > path ? "…" : "");
		text_escape(at, strlen(at), ascii ? TEXT_ASCII_ONLY : 0, out);
		used = text_columns(str_c(out));
		if (used <= columns || *at == '\0')
			return;
	}
}

static void add_workspace(const struct screen *s, struct parts *parts, unsigned room)
{
	STR_AUTO struct str shown = STR_INIT;

	/* A locked screen names no place. */
	if (s->model->workspace == NULL || s->model->lock.on)
		return;
	tail_field(s->model->workspace, room > WORKSPACE_LEAST ? room : WORKSPACE_LEAST,
		s->ui->ascii, &shown);
	add(parts, 2, STYLE_TITLE, str_c(&shown));
}

static void add_dangers(const struct screen *s, struct parts *parts)
{
	const struct model *model = s->model;

	if (model->record_failed != NULL)
		add(parts, 9, STYLE_DANGER, _("!RECORD FAILED"));
	if (model->stop.on)
		add(parts, 8, STYLE_DANGER, _("!ALL STOPPED"));
	if (model->no_sandbox || model->unsandboxed)
		add(parts, 7, STYLE_DANGER, _("!NO SANDBOX"));
	else if (!model->stop.on)
		add(parts, model->record_failed != NULL ? 1 : 5, STYLE_TITLE, model->backend_title);
}

static void add_session(const struct screen *s, struct parts *parts, bool wide)
{
	STR_AUTO struct str session = STR_INIT;

	str_printf(&session, "%s%s", wide ? _("session ") : "", s->model->session_short);
	if (s->model->session_short[0] != '\0')
		add(parts, 3, STYLE_TITLE, str_c(&session));
}

static void make_parts(const struct screen *s, unsigned room, struct parts *ret)
{
	bool wide = s->frame->cols >= WIDE_COLS;
	struct parts rest;

	*ret = (struct parts){.gap = wide ? 3 : 2};
	rest = *ret;
	add_dangers(s, &rest);
	if (wide && s->model->record_failed == NULL)
		add(&rest, 1, STYLE_TITLE, _("record ok"));
	add_session(s, &rest, wide);
	unsigned taken = total(&rest) + ret->gap;
	add_dangers(s, ret);
	add_workspace(s, ret, room > taken ? room - taken : 0);
	if (wide && s->model->record_failed == NULL)
		add(ret, 1, STYLE_TITLE, _("record ok"));
	add_session(s, ret, wide);
	while (ret->count > 1 && total(ret) > room)
		drop_least(ret);
}

static void put_parts(const struct screen *s, const struct parts *parts, unsigned left)
{
	struct frame *frame = s->frame;
	unsigned col = frame->cols > total(parts) ? frame->cols - total(parts) : left + 1;

	if (col <= left)
		col = left + 1;
	for (unsigned i = 0; i < parts->count; i++) {
		const struct part *part = &parts->items[i];

		frame_put(frame, col, TITLE_ROW, part->columns, part->style, part->text);
		col += part->columns + parts->gap;
	}
}

void draw_title(const struct screen *s)
{
	struct frame *frame = s->frame;
	struct parts parts;
	unsigned left;

	frame_tint(frame, 0, TITLE_ROW, frame->cols, STYLE_TITLE);
	left = draw_left(s);
	/* That one danger may stand one column nearer to the counts. */
	make_parts(s, frame->cols - left - (s->model->stop.on ? 1 : 2), &parts);
	put_parts(s, &parts, left);
}

static void record_words(const struct film *film, struct str *out)
{
	static const char *const words[] = {
		[FILM_CHECKING] = N_("checking"),
		[FILM_WHOLE] = N_("record whole"),
		[FILM_ALTERED] = N_("altered at line "),
		[FILM_ENDS_EARLY] = N_("record ends early"),
		[FILM_STILL_OPEN] = N_("record still open"),
		[FILM_UNPROVED] = N_("record not proved"),
	};

	str_add(out, _(words[film->record]));
	if (film->record == FILM_ALTERED)
		str_printf(out, "%" PRIu64, film->record_line);
}

static void film_parts(const struct screen *s, const struct film *film, struct parts *ret)
{
	STR_AUTO struct str who = STR_INIT;
	STR_AUTO struct str record = STR_INIT;
	char day[16];

	*ret = (struct parts){.gap = 2};
	if (s->model->stop.on)
		add(ret, 8, STYLE_DANGER, _("!ALL STOPPED"));
	if (s->model->no_sandbox || s->model->unsandboxed)
		add(ret, 7, STYLE_DANGER, _("!NO SANDBOX"));
	clock_format_day(film->start_wall_ms, day);
	add(ret, 3, STYLE_TITLE, day);
	add_session(s, ret, false);
	if (s->model->user != NULL && s->model->host != NULL) {
		words_field(s->model->user, 16, s->ui->ascii, &who);
		str_add(&who, _(" at "));
		words_field(s->model->host, 16, s->ui->ascii, &who);
		add(ret, 1, STYLE_TITLE, str_c(&who));
	}
	record_words(film, &record);
	add(ret, 9, film->record == FILM_ALTERED ? STYLE_DANGER : STYLE_TITLE, str_c(&record));
}

void draw_film_title(const struct screen *s, const struct film *film)
{
	struct frame *frame = s->frame;
	struct parts parts;
	unsigned left;

	frame_tint(frame, 0, TITLE_ROW, frame->cols, STYLE_TITLE);
	left = draw_left(s);
	film_parts(s, film, &parts);
	while (parts.count > 1 && left + 2 + total(&parts) > frame->cols)
		drop_least(&parts);
	put_parts(s, &parts, left);
}
