#include "config.h"

#include "tests/unit/law.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/player.h"
#include "base/mem.h"
#include "tests/unit/law_call.h"
#include "tui/view.h"

#define FRAME_MS 100 /* as the console's */
#define VIEW_MS 100

int64_t law_now_ms = 1000000;
struct law_tally law_tally;

/* The newest line of the record. */
static struct {
	uint64_t number;
	int64_t at_ms;
	bool has_ui;
} written;

int64_t __wrap_clock_mono_ms(void);
int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);
int __wrap_audit_append(struct audit *audit, struct event *event, struct err *err);
int __real_audit_append(struct audit *audit, struct event *event, struct err *err);

int64_t __wrap_clock_mono_ms(void)
{
	return law_now_ms;
}

/* The disk is not what is tested here, and would take most of the time. */
int __wrap_fdatasync(int fd)
{
	(void)fd;
	return 0;
}

int __wrap_fsync(int fd)
{
	(void)fd;
	return 0;
}

int __wrap_audit_append(struct audit *audit, struct event *event, struct err *err)
{
	int status = __real_audit_append(audit, event, err);

	assert_int_equal(0, status);
	written.number = event->number;
	law_tally.events[event->type]++;
	written.at_ms = event->at_ms;
	written.has_ui = json_get(event->fields, "ui") != NULL;
	return status;
}

static int64_t now(const struct law *law)
{
	return broker_at_ms(&law->desk.broker);
}

/* Text, styles and cursor of each cell. */
static char *picture(const struct model *model, const struct ui *ui, int64_t at_ms)
{
	struct frame frame = {0};
	struct str text = STR_INIT;

	view_draw(model, ui, at_ms, &frame);
	frame_print(&frame, true, &text);
	str_printf(&text, "cursor %d %d %d %d\n", frame.cursor_shown, frame.cursor_col,
		frame.cursor_row, frame.ascii);
	frame_release(&frame);
	return str_steal(&text);
}

static void keep(struct law *law, char *text)
{
	mem_grow(&law->frames, &law->frame_cap, law->frame_count, sizeof(*law->frames));
	law->frames[law->frame_count++] = (struct law_frame){.event = written.number, .text = text};
}

/* An event with a screen: the frame of the live one. Any other: of what the record knows of the screen, on the live model. */
static void on_changed(void *ctx)
{
	struct law *law = ctx;
	const struct model *model = &law->desk.broker.model;
	struct err err = ERR_INIT;

	if (written.has_ui) {
		if (law->has_then)
			ui_release(&law->then);
		if (ui_from_json(model->last_ui, &law->then, &err) != 0)
			fail_msg("%s", err.text);
		law->has_then = true;
		law_tally.views[law->ui.view]++;
		law_tally.prompts[law->ui.prompt.kind]++;
	}
	if (law->has_then)
		keep(law, picture(model, written.has_ui ? &law->ui : &law->then, written.at_ms));
	written.has_ui = false;
	ui_follow(&law->ui, model, now(law));
	law->dirty = true;
}

void law_open(struct law *law, void **state, unsigned cols, unsigned rows, const char *key)
{
	static const struct broker_hooks hooks = {0};
	struct desk *d = &law->desk;
	struct err err = ERR_INIT;

	*law = (struct law){.desk.record = *state, .view_ms = -VIEW_MS};
	ui_init(&law->ui, cols, rows);
	law->keys = key_parser_new();
	config_init(&d->session.config);
	d->session.config.max_running = 0;
	if (key != NULL)
		strv_add(&d->session.config.keys, key);
	d->session.record_dir = d->record->dir;
	assert_int_equal(uv_loop_init(&d->loop), 0);
	broker_begin(&d->broker, &d->loop, &d->session, &hooks, true);
	d->broker.hooks.ctx = law;
	d->broker.hooks.changed = on_changed;
	if (broker_open(&d->broker, "stdin", &err) != 0)
		fail_msg("%s", err.text);
	MEM_AUTO char *name = mem_printf("%s.jsonl", audit_session(d->broker.audit));

	law->path = record_path(d->record, name);
}

/* As the console does it. */
static void record_view(struct law *law)
{
	struct str text STR_AUTO = STR_INIT;

	law->view_due = now(law) - law->view_ms < VIEW_MS;
	if (law->view_due)
		return;
	struct json *ui = ui_to_json(&law->ui);

	json_print(ui, true, &text);
	if (law->last_view != NULL && strcmp(law->last_view, str_c(&text)) == 0) {
		json_free(ui);
		return;
	}
	free(law->last_view);
	law->last_view = str_steal(&text);
	law->view_ms = now(law);
	struct json *fields = json_new_object();

	json_set(fields, "ui", ui);
	broker_emit(&law->desk.broker, EVENT_VIEW, 0, fields);
}

static struct json *seen_of_marked(const struct law *law, const struct intent *intent)
{
	const struct model *model = &law->desk.broker.model;
	struct json *all = json_new_object();

	for (unsigned i = 0; i < intent->card_count; i++) {
		struct json *one = ui_seen_json_of(&law->ui, model, intent->cards[i].seq);
		char seq[24];

		snprintf(seq, sizeof(seq), "%" PRIu64, intent->cards[i].seq);
		if (i == 0)
			json_set(one, "ui", ui_to_json(&law->ui));
		json_set(all, seq, one);
	}
	return all;
}

static struct json *seen_of(const struct law *law, const struct intent *intent)
{
	if (intent->card_count > 0)
		return seen_of_marked(law, intent);
	if (intent->kind != INTENT_APPROVE && intent->kind != INTENT_REJECT &&
		intent->kind != INTENT_GRANT)
		return NULL;
	struct json *seen = ui_seen_json(&law->ui, &law->desk.broker.model);

	json_set(seen, "ui", ui_to_json(&law->ui));
	return seen;
}

/* What leaves the program does not happen here. */
static void carry_out(struct law *law, struct intent *intent)
{
	static const bool outside[INTENT_COUNT] = {[INTENT_SAVE] = true,
		[INTENT_EDITOR] = true,
		[INTENT_REDRAW] = true,
		[INTENT_QUIT] = true};
	MEM_AUTO char *said = NULL;

	if (!outside[intent->kind] && !law_call_intent(law, intent))
		broker_intent(&law->desk.broker, intent, seen_of(law, intent), &said);
	if (said != NULL)
		ui_say(&law->ui, "%s", said);
	intent_release(intent);
}

static void turn(struct law *law)
{
	const struct model *model = &law->desk.broker.model;
	struct key key;
	struct intent intent = {0};

	while (key_parser_next(law->keys, now(law), &key)) {
		if (ui_key(&law->ui, model, &key, now(law), &intent) == 1)
			carry_out(law, &intent);
		intent = (struct intent){0};
	}
	if (ui_tick(&law->ui, model, now(law), &intent) == 1)
		carry_out(law, &intent);
	law->dirty = false;
	law->drawn_ms = now(law);
	ui_drawing(&law->ui, now(law));
	view_draw(model, &law->ui, now(law), &law->frame);
	law_now_ms += law->slow_ms;
	ui_drawn(&law->ui, model, now(law));
	record_view(law);
}

void law_type(struct law *law, const char *bytes)
{
	key_parser_feed(law->keys, bytes, strlen(bytes), now(law));
	turn(law);
}

void law_resize(struct law *law, unsigned cols, unsigned rows)
{
	ui_resize(&law->ui, cols, rows, now(law));
	ui_follow(&law->ui, &law->desk.broker.model, now(law));
	turn(law);
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int64_t next_turn(const struct law *law)
{
	int64_t due = ui_next_tick(&law->ui, &law->desk.broker.model, now(law));

	due = sooner(due, key_parser_deadline(law->keys));
	if (law->view_due)
		due = sooner(due, law->view_ms + VIEW_MS);
	if (law->dirty)
		due = sooner(due, law->drawn_ms + FRAME_MS);
	if (due < 0)
		return INT64_MAX;
	return due < now(law) ? law_now_ms : due + law->desk.broker.start_ms;
}

void law_pass(struct law *law, int64_t ms)
{
	int64_t until = law_now_ms + ms;

	for (int64_t due = next_turn(law); due <= until; due = next_turn(law)) {
		law_now_ms = due > law_now_ms ? due : law_now_ms;
		turn(law);
		if (due == until)
			break;
	}
	if (law_now_ms < until)
		law_now_ms = until;
}

void law_end(struct law *law)
{
	struct desk *d = &law->desk;

	while (d->broker.call_count > 0)
		broker_remove_call(d->broker.calls[0]);
	broker_close(&d->broker, "quit", ui_to_json(&law->ui));
	assert_int_equal(uv_run(&d->loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(uv_loop_close(&d->loop), 0);
	config_release(&d->session.config);
}

static void show_difference(const char *live, const char *replayed, const struct player *player)
{
	unsigned row = 0;

	print_error("event %" PRIu64 " of %s:\n", player->event, player_file_path(player->file));
	for (; *live != '\0' && *replayed != '\0'; row++) {
		size_t a = strcspn(live, "\n"), b = strcspn(replayed, "\n");

		if (a != b || memcmp(live, replayed, a) != 0)
			print_error("row %u live     |%.*s|\nrow %u replayed |%.*s|\n", row, (int)a,
				live, row, (int)b, replayed);
		live += a + (live[a] != '\0');
		replayed += b + (replayed[b] != '\0');
	}
}

static void compare_one(const struct player *player, const struct law_frame *frame)
{
	struct err err = ERR_INIT;
	struct ui ui;

	assert_int_equal(frame->event, player->event);
	if (ui_from_json(player->model.last_ui, &ui, &err) != 0)
		fail_msg("%s", err.text);
	MEM_AUTO char *text = picture(&player->model, &ui, player->last_ms);

	if (strcmp(frame->text, text) != 0) {
		show_difference(frame->text, text, player);
		fail_msg("the replayed frame is not the live one");
	}
	ui_release(&ui);
}

static void jump(struct player *player, const struct law_frame *frame)
{
	player_seek_event(player, frame->event);
	while (!player_work(player, 0, 100))
		;
	compare_one(player, frame);
}

void law_compare(const struct law *law, unsigned seed)
{
	struct player player;
	struct err err = ERR_INIT;
	size_t at = 0;

	if (player_open(law->path, &player, &err) != 0)
		fail_msg("%s", err.text);
	while (player_step(&player) == 1) {
		if (at < law->frame_count && law->frames[at].event == player.event)
			compare_one(&player, &law->frames[at++]);
	}
	if (player.broken)
		fail_msg("%s", player.err.text);
	assert_int_equal(at, law->frame_count);
	for (unsigned i = 0; i < 4; i++) {
		seed = seed * 1103515245u + 12345u;
		jump(&player, &law->frames[(seed >> 8) % law->frame_count]);
	}
	jump(&player, &law->frames[law->frame_count - 1]);
	player_close(&player);
}

void law_release(struct law *law)
{
	for (size_t i = 0; i < law->frame_count; i++)
		free(law->frames[i].text);
	free(law->frames);
	if (law->has_then)
		ui_release(&law->then);
	ui_release(&law->ui);
	frame_release(&law->frame);
	key_parser_free(law->keys);
	free(law->last_view);
	free(law->path);
}
