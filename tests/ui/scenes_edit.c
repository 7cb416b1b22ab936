#include "config.h"

#include "scenes_set.h"

#include <string.h>

static const char asked[] = "rm -rf build dist node_modules && make all";

static const struct call_spec call_clean = {.seq = 16,
	.agent = "pipeline",
	.command = asked,
	.reason = "clean build",
	.at_ms = AT(14, 34, 40),
	.digest = "1c2d3e4f"};

static struct call_spec edited(const char *before, const char *now)
{
	struct call_spec spec = call_clean;

	spec.asked = before;
	spec.command = now;
	spec.edit_at = "14:36:02";
	spec.digest = "77b1e05c";
	return spec;
}

static void ask(struct fixture *f, const char *command)
{
	struct call_spec spec = call_clean;

	spec.command = command;
	set_alone(f, &spec, 70000);
}

void set_edit_prompt(struct fixture *f)
{
	ask(f, asked);
	fixture_press(f, "e<Left><Left><Left><Left><Left><Left><Left><Left><Left><Left><Left>");
}

/* What cannot be seen is shown by the rule, and stays the bytes that it is. */
void set_edit_prompt_long(struct fixture *f)
{
	ask(f, "printf '\x1b[8m' > out/\xe2\x80\xae"
	       "txt && cp -r src/catalogue/parts docs/\xe7\x94\xa8\xe6\x88\xb7 "
	       "build/catalogue/parts && make -C build/catalogue all install");
	fixture_press(f, "e -k");
}

/* The edit itself was made on the screen: its rest ends with the frame that is drawn here. */
static void edit(struct fixture *f, const struct call_spec *spec)
{
	f->now_ms = AT(14, 36, 2);
	fixture_edit(f, spec);
	f->ui.card_top = 0;
	fixture_draw(f);
}

void set_edit_diff(struct fixture *f)
{
	struct call_spec spec = edited(asked, "rm -rf build dist && make all");

	ask(f, asked);
	edit(f, &spec);
	f->now_ms = AT(14, 36, 15);
	fixture_later(f, 100);
	fixture_press(f, "j");
}

void set_edit_diff_fog(struct fixture *f)
{
	struct call_spec spec = edited(asked, "rm -rf build dist && make -j2 all");

	ask(f, asked);
	fixture_later(f, 500);
	edit(f, &spec);
}

void set_edit_diff_lines(struct fixture *f)
{
	static const char before[] = "set -e\nrm -rf build\nmkdir build\ncd build\n"
				     "../configure --prefix=/srv/shop/out --enable-checks "
				     "--without-docs CFLAGS='-O2 -g' && make\n";
	static const char now[] = "set -e\nmkdir -p build\ncd build\n"
				  "../configure --prefix=/srv/shop/out --enable-checks "
				  "--without-docs CFLAGS='-O0 -g' && make\n"
				  "make check\n";
	static const struct note_spec note = {.severity = SEVERITY_NOTE,
		.line = 4,
		.what = "runs a file from a place it may write, its text is not on this card",
		.words = "../configure",
		.summary = "runs a file from a place it may write",
		.marks = "../configure"};
	struct call_spec spec = edited(before, now);

	spec.editor = "/usr/bin/vim.basic";
	spec.notes = &note;
	spec.note_count = 1;
	ask(f, before);
	fixture_later(f, 500);
	edit(f, &spec);
	fixture_later(f, UI_SEEN_MS);
	fixture_draw(f);
}

void set_edit_running(struct fixture *f)
{
	struct call_spec spec = edited(asked, "rm -rf build dist && make all");

	ask(f, asked);
	edit(f, &spec);
	fixture_start(f, 16, AT(14, 36, 20), AT(14, 36, 20));
	f->now_ms = AT(14, 36, 38);
}

void set_edit_ended(struct fixture *f)
{
	set_edit_running(f);
	fixture_output(f, 16, f->now_ms, "built\n", 6);
	fixture_end(f, 16, AT(14, 36, 40), REASON_NONE, 0, 20000, NULL);
	f->now_ms = AT(14, 36, 50);
}
