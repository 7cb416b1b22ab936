#include "config.h"

#include "tui/term.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "scenes.h"
#include "tests/unit/pty.h"
#include "tui/view.h"

/* How much is written to the terminal for one key and for one line of output: a screen over a slow line must not lag behind the
   hand. */

#define KEY_BYTES_MAX 2048u
#define FEW_BYTES 512u
#define LINE_BYTES_MAX 400u
#define KEYS_IN_A_ROW 3
#define LINES_IN_A_ROW 5
#define MARK "\x1B_end\x1B\\" /* behind what was written */
#define LINE "ok %zu - the sum of all lines is the sum of the order"

static const struct {
	unsigned cols, rows;
} sizes[] = {{80, 24}, {60, 16}, {120, 36}, {200, 50}, {300, 100}};

/* What the child knows about the step that it does now. */
struct step {
	char scene[64];
	unsigned cols, rows;
	int tty;        /* of the child */
	size_t changed; /* bytes of the cells that are not as they were */
};
static struct step *step; /* shared with the child */

static struct term *must_open(void)
{
	struct err err = ERR_INIT;
	struct term *term = NULL;
	enum depth depth;

	if (term_open(THEME_DARK, &depth, &term, &err) != 0)
		_exit(93);
	step->tty = open("/dev/tty", O_WRONLY | O_CLOEXEC);
	return term;
}

static void must_put(struct term *term, const struct frame *frame, bool all)
{
	struct err err = ERR_INIT;

	if (term_put(term, frame, all, &err) != 0)
		_exit(94);
}

static bool is_changed(const struct frame *old, const struct frame *new, size_t i)
{
	return memcmp(&old->cells[i], &new->cells[i], sizeof(*old->cells)) != 0;
}

/* What it takes to write the cells that are not as they were, each run of them and of a style by itself. */
static size_t changed_bytes(const struct frame *old, const struct frame *new)
{
	size_t bytes = 0;

	for (size_t i = 0; i < (size_t) new->cols *new->rows; i++) {
		bool run = i > 0 && i % new->cols != 0 && is_changed(old, new, i - 1);

		if (!is_changed(old, new, i))
			continue;
		bytes += strlen(new->cells[i].text);
		if (!run)
			bytes += strlen("\x1B[12;120H");
		if (!run || new->cells[i].style != new->cells[i - 1].style)
			bytes += strlen("\x1B[38;5;214m");
	}
	return bytes;
}

static void copy_frame(const struct frame *from, struct frame *to)
{
	frame_release(to);
	frame_init(to, from->cols, from->rows);
	memcpy(to->cells, from->cells, (size_t)from->cols * from->rows * sizeof(*to->cells));
}

static void say_mark(void)
{
	if (write(step->tty, MARK, strlen(MARK)) != (ssize_t)strlen(MARK))
		_exit(95);
}

/* One step: what stood before is in the step, and the parent is told before and after the bytes are written. */
static void put_step(struct pty_child *child, struct term *term, const struct frame *old,
	const struct frame *new)
{
	step->changed = changed_bytes(old, new);
	say_mark();
	pty_say(child, 'k');
	pty_await(child, 'k');
	must_put(term, new, false);
	say_mark();
	pty_await(child, 'd');
}

static void press(struct fixture *f, enum key_code code)
{
	struct key key = {.code = code};
	struct intent intent = {0};

	fixture_later(f, 500);
	if (ui_key(&f->ui, &f->model, &key, f->now_ms, &intent) == 1)
		intent_release(&intent);
	fixture_draw(f);
}

static void press_arrows(struct pty_child *child, struct term *term, struct fixture *f)
{
	static const enum key_code keys[] = {KEY_CODE_DOWN, KEY_CODE_UP};
	struct frame old = {0};

	for (size_t i = 0; i < ARRAY_LEN(keys) * KEYS_IN_A_ROW; i++) {
		copy_frame(&f->frame, &old);
		press(f, keys[i / KEYS_IN_A_ROW]);
		put_step(child, term, &old, &f->frame);
	}
	frame_release(&old);
}

static void put_lines(struct pty_child *child, struct term *term, struct fixture *f)
{
	struct frame old = {0};
	char line[100];

	/* The lamp lights before, not with the line. */
	fixture_later(f, 1000);
	fixture_draw(f);
	must_put(term, &f->frame, false);
	for (size_t i = 0; i < LINES_IN_A_ROW; i++) {
		copy_frame(&f->frame, &old);
		fixture_later(f, 100);
		snprintf(line, sizeof(line), LINE "\n", i);
		fixture_output(f, 13, f->now_ms, line, strlen(line));
		fixture_draw(f);
		put_step(child, term, &old, &f->frame);
	}
	frame_release(&old);
}

static void open_scene(struct term *term, const struct scene *from, unsigned cols, unsigned rows,
	struct fixture *f)
{
	struct scene scene = *from;

	scene.cols = step->cols = cols;
	scene.rows = step->rows = rows;
	snprintf(step->scene, sizeof(step->scene), "%s", scene.name);
	scene_open(&scene, f);
	must_put(term, &f->frame, true);
}

static int say_end(struct pty_child *child, struct term *term)
{
	pty_say(child, 'e');
	pty_await(child, 'c');
	term_close(term);
	return 0;
}

static int press_at(struct pty_child *child, size_t size_count)
{
	struct term *term = must_open();

	for (size_t i = 0; i < scene_count * size_count; i++) {
		const struct scene *scene = &scenes[i / size_count];
		size_t n = i % size_count;
		struct fixture f;

		/* A scene that is there once more for its styles or its size says nothing new. */
		if (scene->styles || scene->cols != 80)
			continue;
		open_scene(term, scene, sizes[n].cols, sizes[n].rows, &f);
		press_arrows(child, term, &f);
		fixture_close(&f);
	}
	return say_end(child, term);
}

static int press_everywhere(struct pty_child *child)
{
	return press_at(child, ARRAY_LEN(sizes));
}

/* What a terminal can do shows at its usual size. */
static int press_at_the_usual_size(struct pty_child *child)
{
	return press_at(child, 1);
}

static int put_lines_everywhere(struct pty_child *child)
{
	struct term *term = must_open();

	for (size_t i = 0; i < scene_count * ARRAY_LEN(sizes); i++) {
		const struct scene *scene = &scenes[i / ARRAY_LEN(sizes)];
		size_t n = i % ARRAY_LEN(sizes);
		const char *follows = sizes[n].cols < 110 ? "output" : "wide-main-120x36";
		struct fixture f;

		if (strcmp(scene->name, follows) != 0)
			continue;
		open_scene(term, scene, sizes[n].cols, sizes[n].rows, &f);
		put_lines(child, term, &f);
		fixture_close(&f);
	}
	return say_end(child, term);
}

/* Takes the child through its steps; each must write at most what `most` says. Returns how many wrote anything. */
static size_t measure(
	const char *terminal, int (*body)(struct pty_child *), size_t (*most)(const struct step *))
{
	size_t wrote = 0;
	struct pty pty;

	pty_start(&pty, terminal, false, body);
	while (pty_expect_any(&pty) == 'k') {
		pty_expect_wire(&pty, MARK);
		str_clear(&pty.wire);
		pty_tell(&pty, 'k');
		pty_expect_wire(&pty, MARK);
		size_t bytes = pty.wire.len - strlen(MARK);
		wrote += bytes > 0;
		if (bytes > most(step)) {
			print_error("%s\n", text_escaped(str_c(&pty.wire)));
			fail_msg("%s at %ux%u on %s: %zu bytes for %zu of changed cells, %zu at "
				 "most",
				step->scene, step->cols, step->rows, terminal, bytes, step->changed,
				most(step));
		}
		pty_tell(&pty, 'd');
	}
	pty_tell(&pty, 'c');
	assert_int_equal(pty_wait(&pty, 0), 0);
	pty_end(&pty);
	return wrote;
}

static size_t most_of_a_key(const struct step *at)
{
	size_t cells = at->changed * 13 / 10;

	/* A pane cannot be scrolled by the terminal: its rows are only a part of the screen's. */
	if (at->cols * at->rows <= 80 * 24)
		return KEY_BYTES_MAX;
	return cells < FEW_BYTES ? FEW_BYTES : cells;
}

static size_t most_of_a_line(const struct step *at)
{
	(void)at;
	return strlen(LINE) + LINE_BYTES_MAX;
}

static const char *const terminals[] = {
	"xterm-256color", "linux", "vt100", "screen-256color", "tmux-256color", "xterm"};

static void an_arrow_key_writes_little(void **state)
{
	(void)state;
	assert_true(measure(terminals[0], press_everywhere, most_of_a_key) > 300);
	for (size_t i = 1; i < ARRAY_LEN(terminals); i++)
		assert_true(measure(terminals[i], press_at_the_usual_size, most_of_a_key) > 100);
}

static void a_line_of_output_writes_little_but_itself(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(terminals); i++)
		assert_int_equal(measure(terminals[i], put_lines_everywhere, most_of_a_line),
			LINES_IN_A_ROW * ARRAY_LEN(sizes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_arrow_key_writes_little),
		cmocka_unit_test(a_line_of_output_writes_little_but_itself),
	};

	step = mmap(NULL, sizeof(*step), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return step == MAP_FAILED ? 99 : cmocka_run_group_tests(tests, NULL, NULL);
}
