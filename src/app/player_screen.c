#include "config.h"

#include "app/player_screen.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "app/cmd.h"
#include "app/loop.h"
#include "app/player_film.h"
#include "app/player_steps.h"
#include "app/save.h"
#include "app/verify.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "tui/term.h"

#define FRAME_MS 100 /* at most so many frames for what the record brings; a key draws at once */
#define SLICE_MS 30  /* of work before the keys are looked at again */
#define SLICE_EVENTS 64u
#define LOOK_MS 200 /* for more of a session that is still written */

/* Read beside the film by a thread of its own: it takes as long as the file is. */
struct proof {
	uv_work_t work;
	const char *path;
	int status;
	struct str report;
	bool runs;
};

struct player_screen {
	uv_loop_t loop;
	uv_poll_t tty;
	uv_timer_t timer;
	uv_signal_t winch;
	struct signals signals;
	struct term *term;
	struct key_parser *keys;
	struct frame frame;
	struct player *player;
	struct player_marks marks;
	struct player_film pf;
	struct proof proof;
	const struct player_options *options;
	int64_t drawn_ms, looked_ms;
	bool all, ending;
	bool dirty; /* something happened so soon behind a frame that another is to come */
	int status;
};

static void end(struct player_screen *ps, int status)
{
	ps->ending = true;
	ps->status = status;
	uv_stop(&ps->loop);
}

static void prove(uv_work_t *work)
{
	struct proof *proof = work->data;
	struct err err = ERR_INIT;

	proof->status = verify_path(proof->path, &proof->report, &err);
}

static void on_timer(uv_timer_t *timer);

static void on_proved(uv_work_t *work, int status)
{
	struct proof *proof = work->data;
	struct player_screen *ps =
		(struct player_screen *)((char *)proof - offsetof(struct player_screen, proof));

	proof->runs = false;
	if (status != 0 || ps->ending)
		return;
	ps->pf.film.record = player_film_record(
		proof->path, proof->status, str_c(&proof->report), &ps->pf.film.record_line);
	str_clear(&proof->report);
	uv_timer_start(&ps->timer, on_timer, 0, 0);
}

static void start_proof(struct player_screen *ps)
{
	if (ps->proof.runs)
		return;
	ps->proof.work.data = &ps->proof;
	ps->proof.runs = uv_queue_work(&ps->loop, &ps->proof.work, prove, on_proved) == 0;
}

static void draw(struct player_screen *ps)
{
	struct err err = ERR_INIT;

	player_film_update(&ps->pf, ps->player, &ps->marks);
	view_draw_film(&ps->player->model, &ps->pf.ui, &ps->pf.film, &ps->frame);
	ps->drawn_ms = clock_mono_ms();
	if (term_put(ps->term, &ps->frame, ps->all, &err) != 0)
		end(ps, 128 + SIGHUP);
	ps->all = ps->dirty = false;
}

static void carry_out(struct player_screen *ps, struct intent *intent)
{
	char *text MEM_AUTO = NULL;

	if (intent->kind == INTENT_QUIT) {
		end(ps, 0);
	} else if (intent->kind == INTENT_REDRAW) {
		ps->all = true;
	} else if (intent->kind == INTENT_FILM) {
		player_step_film(ps->player, &ps->pf, intent, clock_mono_ms());
	} else if (intent->kind == INTENT_SAVE) {
		save_output(model_job(&ps->player->model, intent->seq), intent->text, &text);
		if (text != NULL)
			ui_say(&ps->pf.ui, "%s", text);
	}
	intent_release(intent);
}

static void feed_keys(struct player_screen *ps)
{
	struct key key;

	while (!ps->ending && key_parser_next(ps->keys, clock_mono_ms(), &key)) {
		struct intent intent = {0};
		/* Keys are answered for what is on the screen now. */
		if (ui_key(&ps->pf.ui, &ps->player->model, &key,
			    player_clock_at_ms(&ps->player->clock), &intent) == 1)
			carry_out(ps, &intent);
	}
}

static void new_size(struct player_screen *ps)
{
	unsigned cols = 0, rows = 0;

	term_size(ps->term, &cols, &rows);
	ui_film_resize(&ps->pf.ui, &ps->player->model, cols, rows);
	ps->all = true;
}

static bool take_input(struct player_screen *ps)
{
	char buffer[4096];
	int n;

	if (term_take_resumed(ps->term)) {
		term_drop_input(ps->term);
		new_size(ps);
		player_clock_pause(&ps->player->clock, ps->player->clock.paused, clock_mono_ms());
	}
	while ((n = term_read(ps->term, buffer, sizeof(buffer))) > 0) {
		key_parser_feed(ps->keys, buffer, (size_t)n, clock_mono_ms());
		feed_keys(ps);
	}
	feed_keys(ps);
	return n == 0;
}

/* More may have been written, or its session may have ended. */
static void look_for_more(struct player_screen *ps, int64_t now)
{
	struct player *player = ps->player;

	if (!player->follows || now - ps->looked_ms < LOOK_MS)
		return;
	ps->looked_ms = now;
	ps->marks.done = false;
	if (player->at_end && !player->has_next && !player_file_is_open(player->file)) {
		/* What was written between the last look and its end is read by the next turn. */
		player->follows = false;
		player->at_end = false;
		start_proof(ps);
	}
}

/* Some of what is to be done: the way to a place first. */
static bool work(struct player_screen *ps)
{
	int64_t until = clock_mono_ms() + SLICE_MS;
	bool more = true;

	while (more && clock_mono_ms() < until) {
		int64_t now = clock_mono_ms();

		if (ps->player->seeking)
			more = !player_work(ps->player, now, SLICE_EVENTS);
		else
			more = player_run(ps->player, now, SLICE_EVENTS);
	}
	while (!ps->player->seeking && !ps->marks.done && clock_mono_ms() < until)
		player_marks_work(&ps->marks, SLICE_EVENTS);
	return ps->player->seeking || !ps->marks.done;
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void arm(struct player_screen *ps, bool more)
{
	const struct player *player = ps->player;
	int64_t now = clock_mono_ms(), due = key_parser_deadline(ps->keys), wait = -1;
	bool plays = !player->clock.paused && (player->has_next || player->follows);

	due = due < 0 ? -1 : due > now ? due - now : 0;
	if (plays)
		wait = sooner(player_due(player), FRAME_MS);
	if (player->follows)
		wait = sooner(wait, LOOK_MS);
	if (more)
		wait = 0;
	if (ps->dirty)
		wait = sooner(
			wait, ps->drawn_ms + FRAME_MS > now ? ps->drawn_ms + FRAME_MS - now : 0);
	wait = sooner(wait, due);
	uv_update_time(&ps->loop);
	if (wait < 0)
		uv_timer_stop(&ps->timer);
	else
		uv_timer_start(&ps->timer, on_timer, (uint64_t)wait, 0);
}

static bool is_over(const struct player *player)
{
	return player->at_end && !player->has_next && !player->seeking && !player->follows;
}

static bool frame_is_due(const struct player_screen *ps, bool at_once)
{
	return at_once || ps->all || clock_mono_ms() - ps->drawn_ms >= FRAME_MS;
}

static void turn(struct player_screen *ps, bool at_once)
{
	if (ps->ending)
		return;
	if (!take_input(ps)) {
		end(ps, 128 + SIGHUP);
		return;
	}
	look_for_more(ps, clock_mono_ms());
	bool more = work(ps), last = is_over(ps->player) && ps->options->once;

	ps->dirty = true;
	if (last || frame_is_due(ps, at_once))
		draw(ps);
	if (last)
		end(ps, ps->player->broken ? EXIT_RUNTIME : 0);
	if (!ps->ending)
		arm(ps, more);
}

static void on_timer(uv_timer_t *timer)
{
	turn(timer->data, false);
}

static void on_tty(uv_poll_t *poll, int status, int events)
{
	(void)status; /* an error or a hang-up shows in term_read() */
	(void)events;
	turn(poll->data, true);
}

static void on_winch(uv_signal_t *signal, int number)
{
	(void)number;
	new_size(signal->data);
	turn(signal->data, true);
}

static void on_signal(void *ctx, int number)
{
	end(ctx, 128 + number);
}

static enum theme theme_of(const char *name)
{
	const char *no_color = getenv("NO_COLOR");

	if (strcmp(name, "mono") == 0 || (no_color != NULL && no_color[0] != '\0'))
		return THEME_MONO;
	if (strcmp(name, "light") == 0)
		return THEME_LIGHT;
	return strcmp(name, "auto") == 0 ? term_theme_auto(getenv("COLORFGBG")) : THEME_DARK;
}

static int open_terminal(struct player_screen *ps, const struct config *config, struct err *err)
{
	enum theme theme = theme_of(config->theme);
	enum depth depth = DEPTH_MONO;
	unsigned cols = 0, rows = 0;
	struct ui *ui = &ps->pf.ui;

	term_use_mouse(config->mouse);
	if (term_open(theme, &depth, &ps->term, err) != 0)
		return -1;
	term_size(ps->term, &cols, &rows);
	player_film_init(&ps->pf, cols, rows);
	ui->theme = theme;
	ui->depth = depth;
	ui->mono = theme == THEME_MONO || depth == DEPTH_MONO;
	ui->ascii = strcmp(config->signs, "ascii") == 0 || text_locale_flags() != 0;
	ui->output_colours = config->output_colours;
	ps->keys = key_parser_new();
	return 0;
}

static void start(struct player_screen *ps)
{
	ps->tty.data = ps->timer.data = ps->winch.data = ps;
	ps->drawn_ms = ps->looked_ms = -FRAME_MS;
	ps->all = true;
	uv_poll_init(&ps->loop, &ps->tty, term_fd(ps->term));
	uv_timer_init(&ps->loop, &ps->timer);
	uv_signal_init(&ps->loop, &ps->winch);
	uv_poll_start(&ps->tty, UV_READABLE | UV_DISCONNECT, on_tty);
	uv_signal_start(&ps->winch, on_winch, SIGWINCH);
	player_clock_speed(&ps->player->clock, ps->options->speed, clock_mono_ms());
	ps->player->clock.max_wait_ms = ps->options->max_wait_ms;
	player_clock_pause(&ps->player->clock, ps->options->paused, clock_mono_ms());
	if (!ps->player->seeking)
		player_seek_event(ps->player, 1);
	start_proof(ps);
	turn(ps, true);
}

static void finish(struct player_screen *ps)
{
	term_close(ps->term);
	uv_close((uv_handle_t *)&ps->tty, NULL);
	uv_close((uv_handle_t *)&ps->timer, NULL);
	uv_close((uv_handle_t *)&ps->winch, NULL);
	key_parser_free(ps->keys);
	frame_release(&ps->frame);
	player_film_release(&ps->pf);
}

int player_screen(struct player *player, const char *path, const struct config *config,
	const struct player_options *options)
{
	static struct player_screen ps;
	struct err err = ERR_INIT;

	ps.player = player;
	ps.options = options;
	ps.proof.path = path;
	if (player_marks_open(path, &ps.marks, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_RUNTIME;
	}
	uv_loop_init(&ps.loop);
	signals_start(&ps.signals, &ps.loop, &ps, on_signal);
	if (open_terminal(&ps, config, &err) == 0) {
		start(&ps);
		if (!ps.ending)
			uv_run(&ps.loop, UV_RUN_DEFAULT);
		finish(&ps);
	} else {
		log_warn("%s; exequatur replay --dump needs no terminal", err.text);
		ps.status = EXIT_RUNTIME;
	}
	signals_stop(&ps.signals);
	loop_end(&ps.loop);
	str_release(&ps.proof.report);
	player_marks_close(&ps.marks);
	if (player->broken)
		log_warn("%s", player->err.text);
	return ps.status;
}
