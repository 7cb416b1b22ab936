#include "config.h"

#include "film_scene.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "scenes_set.h"

static const struct film_mark marks[] = {
	{120, 4, AT(14, 6, 20), 'd', -1, -1, ""},
	{140, 5, AT(14, 8, 0), 'a', 9000, 8000, "aaaa0005"},
	{150, 5, AT(14, 8, 31), 'x', -1, -1, ""},
	{190, 6, AT(14, 11, 10), 'g', 0, -1, "aaaa0006"},
	{210, 7, AT(14, 12, 20), 'e', -1, -1, ""},
	{260, 8, AT(14, 18, 50), 'a', 3000, 2500, "aaaa0008"},
	{290, 9, AT(14, 21, 0), 'a', 3000, 2500, "aaaa0009"},
	{320, 10, AT(14, 24, 10), 'a', 6000, 2500, "aaaa0010"},
	{330, 10, AT(14, 25, 12), 'l', -1, -1, ""},
	{350, 11, AT(14, 26, 50), 'r', 22000, 9000, "aaaa0011"},
	{370, 12, AT(14, 31, 10), 'a', 4000, 2500, "aaaa0012"},
	{380, 13, AT(14, 31, 59), 'a', 4000, 2500, "aaaa0013"},
	{430, 14, AT(14, 32, 46), 'a', 70000, 61000, "3f9a20c4"},
	{480, 15, AT(14, 34, 50), 'r', 90000, -1, "8e1044b2"},
	{520, 16, AT(14, 37, 30), 'a', 60000, 50000, "90d241aa"},
	{600, 0, AT(14, 40, 40), '!', -1, -1, ""},
};

static const char output[] =
	" CC       src/price.o\n"
	" CC       src/voucher.o\n"
	" CC       tests/unit/test_cart.o\n"
	" CC       tests/unit/test_price.o\n"
	" LD       tests/run-unit\n"
	"unpack fixtures   0 %\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r"
	"unpack fixtures  62 %\n"
	"\033[32mPASS\033[0m  an empty cart costs nothing\n"
	"\033[32mPASS\033[0m  a price is rounded to cents\n"
	"\033[32mPASS\033[0m  a voucher is used once\n"
	"\033[31mFAIL\033[0m  two vouchers keep their order\n"
	"  expected WINTER, SPRING\n"
	"  but was  SPRING, WINTER\n"
	"  at tests/unit/test_voucher.c:88\n"
	"\033[32mPASS\033[0m  an expired voucher is refused\n"
	"\033]0;all good\007\n"
	"\033[32mPASS\033[0m  totals add up in every currency\n"
	"running 41 more";

static void make_film(struct film_scene *s)
{
	s->film = (struct film){.paused = true,
		.cuts_waits = true,
		.event = 412,
		.events = 655,
		.at_ms = s->f.now_ms,
		.last_ms = AT(14, 47, 0),
		.start_wall_ms = s->f.model.start_wall_ms,
		.marks = marks,
		.mark_count = ARRAY_LEN(marks),
		.record = FILM_WHOLE,
		.then = &s->f.ui};
}

void film_scene_open(struct film_scene *s, unsigned cols, unsigned rows)
{
	*s = (struct film_scene){0};
	fixture_open(&s->f, 80, 24);
	set_day(&s->f);
	s->f.now_ms -= UI_SEEN_MS;
	fixture_card(&s->f, 14);
	fixture_output(&s->f, 13, s->f.now_ms, output, strlen(output));
	s->f.now_ms = AT(14, 32, 18) + 204;
	free(s->f.model.user);
	free(s->f.model.host);
	s->f.model.user = mem_strdup("mira");
	s->f.model.host = mem_strdup("quay");
	s->f.ui.last_input_ms = s->f.now_ms - 2000;
	s->f.ui.drawn_at_ms = s->f.now_ms - 1900;
	strcpy(s->f.ui.last_key, "Enter");
	s->f.ui.focus = FOCUS_HERE;
	ui_init(&s->ui, cols, rows);
	s->ui.theme = s->f.ui.theme;
	s->ui.depth = s->f.ui.depth;
	ui_film_begin(&s->ui, cols, rows);
	s->ui.selected = s->ui.card_seq = 13;
	s->ui.view = VIEW_OUTPUT;
	make_film(s);
	ui_film_follow(&s->ui, &s->f.model);
}

void film_scene_close(struct film_scene *s)
{
	frame_release(&s->frame);
	ui_release(&s->ui);
	fixture_close(&s->f);
}

void film_scene_draw(struct film_scene *s)
{
	view_draw_film(&s->f.model, &s->ui, &s->film, &s->frame);
}

struct intent film_scene_key(struct film_scene *s, const struct key *key)
{
	struct intent intent = {0};

	ui_key(&s->ui, &s->f.model, key, s->film.at_ms, &intent);
	return intent;
}

struct intent film_scene_char(struct film_scene *s, char ch)
{
	return film_scene_key(
		s, &(struct key){.code = KEY_CODE_CHAR, .ch = (uint32_t)(unsigned char)ch});
}
