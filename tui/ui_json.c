#include "config.h"

#include "tui/ui.h"

#include <stdio.h>
#include <string.h>

#include "base/json_digest.h"
#include "base/mem.h"
#include "base/text.h"
#include "tui/ui_internal.h"

/* What a view reads of the screen's memory, as JSON: with it a replayed frame equals the live one. */

#define INT_MAX_JSON ((int64_t)1 << 53)
#define ROWS_MAX ((int64_t)1 << 31)

struct number {
	const char *key;
	size_t offset;
	enum { AS_UNSIGNED, AS_SIZE, AS_U64, AS_I64, AS_BOOL, AS_ENUM } type;
	int64_t least, most;
	bool later; /* older records have not got it: then it stays as ui_init() has it */
};
#define FIELD(name, type, least, most)                                                             \
	{                                                                                          \
#name, offsetof(struct ui, name), type, least, most, false                         \
	}
#define LATER(name, type, least, most)                                                             \
	{                                                                                          \
#name, offsetof(struct ui, name), type, least, most, true                          \
	}
#define PROMPT_FIELD(key, name, type, least, most)                                                 \
	{                                                                                          \
		key, offsetof(struct ui, prompt) + offsetof(struct prompt, name), type, least,     \
			most, false                                                                \
	}

static const struct number numbers[] = {
	FIELD(cols, AS_UNSIGNED, 1, 1000),
	FIELD(rows, AS_UNSIGNED, 1, 1000),
	FIELD(ascii, AS_BOOL, 0, 1),
	FIELD(mono, AS_BOOL, 0, 1),
	FIELD(theme, AS_ENUM, 0, THEME_COUNT - 1),
	FIELD(depth, AS_ENUM, 0, DEPTH_COUNT - 1),
	FIELD(view, AS_ENUM, 0, VIEW_COUNT - 1),
	FIELD(back, AS_ENUM, 0, VIEW_COUNT - 1),
	FIELD(output_back, AS_ENUM, 0, VIEW_COUNT - 1),
	FIELD(selected, AS_U64, 0, INT_MAX_JSON),
	FIELD(card_seq, AS_U64, 0, INT_MAX_JSON),
	LATER(output_seq, AS_U64, 0, INT_MAX_JSON),
	FIELD(card_top, AS_SIZE, 0, ROWS_MAX),
	FIELD(output_top, AS_SIZE, 0, ROWS_MAX),
	FIELD(queue_top, AS_SIZE, 0, ROWS_MAX),
	FIELD(help_top, AS_SIZE, 0, ROWS_MAX),
	LATER(marked_top, AS_SIZE, 0, ROWS_MAX),
	LATER(grant_number, AS_U64, 0, INT_MAX_JSON),
	LATER(agent, AS_UNSIGNED, 0, UINT32_MAX),
	LATER(reject_until, AS_U64, 0, INT_MAX_JSON),
	LATER(history_seq, AS_U64, 0, INT_MAX_JSON),
	LATER(history_top, AS_U64, 0, INT_MAX_JSON),
	FIELD(details, AS_BOOL, 0, 1),
	FIELD(following, AS_BOOL, 0, 1),
	LATER(unfold, AS_BOOL, 0, 1),
	LATER(output_colours, AS_BOOL, 0, 1),
	LATER(pan, AS_SIZE, 0, ROWS_MAX),
	FIELD(last_input_ms, AS_I64, -1, INT_MAX_JSON),
	FIELD(drawn_at_ms, AS_I64, -1, INT_MAX_JSON),
	FIELD(undrawn, AS_BOOL, 0, 1),
	FIELD(pending_at_ms, AS_I64, -1, INT_MAX_JSON),
	LATER(secret_typed, AS_BOOL, 0, 1),
	LATER(focus, AS_ENUM, 0, FOCUS_COUNT - 1),
	PROMPT_FIELD("prompt", kind, AS_ENUM, 0, PROMPT_KIND_COUNT - 1),
	PROMPT_FIELD("prompt_seq", seq, AS_U64, 0, INT_MAX_JSON),
	PROMPT_FIELD("prompt_cursor", cursor, AS_SIZE, 0, PROMPT_BYTES_MAX),
	PROMPT_FIELD("prompt_history", history, AS_SIZE, 0, ROWS_MAX),
	PROMPT_FIELD("prompt_at", opened_at_ms, AS_I64, -1, INT_MAX_JSON),
};

/* What is sought, UI_FIND_BYTES each. */
static const struct {
	const char *key;
	size_t offset;
} finds[] = {
	{"find", offsetof(struct ui, find)},
	{"filter", offsetof(struct ui, filter)},
	{"find_queue", offsetof(struct ui, find_queue)},
	{"find_grants", offsetof(struct ui, find_grants)},
	{"find_agents", offsetof(struct ui, find_agents)},
	{"find_help", offsetof(struct ui, find_help)},
};

static int64_t load(const struct ui *ui, const struct number *n)
{
	const char *at = (const char *)ui + n->offset;

	switch (n->type) {
	case AS_UNSIGNED:
	case AS_ENUM:
		return *(const unsigned *)at;
	case AS_SIZE:
	case AS_U64:
		return (int64_t) * (const uint64_t *)at;
	case AS_I64:
		return *(const int64_t *)at;
	case AS_BOOL:
		break;
	}
	return *(const bool *)at;
}

static void store(struct ui *ui, const struct number *n, int64_t value)
{
	char *at = (char *)ui + n->offset;

	switch (n->type) {
	case AS_UNSIGNED:
	case AS_ENUM:
		*(unsigned *)at = (unsigned)value;
		return;
	case AS_SIZE:
	case AS_U64:
		*(uint64_t *)at = (uint64_t)value;
		return;
	case AS_I64:
		*(int64_t *)at = value;
		return;
	case AS_BOOL:
		*(bool *)at = value != 0;
		return;
	}
}
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "AS_SIZE is read as 64 bits");
_Static_assert(sizeof(enum view) == sizeof(unsigned), "AS_ENUM is read as unsigned");

static void push_range(struct json *array, size_t start, size_t end)
{
	struct json *range = json_new_array();

	json_push(range, json_new_int((int64_t)start));
	json_push(range, json_new_int((int64_t)end));
	json_push(array, range);
}

static struct json *seen_ranges(const struct seen *seen)
{
	struct json *array = json_new_array();
	size_t start = 0;

	while (start < seen->len) {
		size_t end = start;

		while (end < seen->len && ui_seen_has(seen, end, end + 1))
			end++;
		if (end > start)
			push_range(array, start, end);
		start = end + 1;
	}
	return array;
}

static void add_seen(struct json *object, const struct ui *ui, uint64_t seq)
{
	const struct seen *seen = ui_seen_find(ui, seq);

	if (seen == NULL)
		return;
	json_set_digest(object, "seen_digest", &seen->digest);
	json_set_int(object, "seen_len", (int64_t)seen->len);
	json_set_bool(object, "seen_changed", seen->changed);
	json_set(object, "seen", seen_ranges(seen));
}

/* While a passphrase is typed no time of a key is told: who reads the record shall not count or time them. */
static int64_t load_calm(const struct ui *ui, const struct number *n)
{
	const void *at = (const char *)ui + n->offset;

	if (!prompt_is_secret(ui->prompt.kind))
		return load(ui, n);
	if (at == &ui->last_input_ms || at == &ui->drawn_at_ms)
		return ui->prompt.opened_at_ms;
	return at == &ui->undrawn ? 0 : load(ui, n);
}

/* Each with what was seen of it, while their cards are on the screen. */
static struct json *marks_json(const struct ui *ui)
{
	struct json *marks = json_new_array();

	for (unsigned i = 0; i < ui->mark_count; i++) {
		struct json *mark = json_new_object();

		json_set_int(mark, "seq", (int64_t)ui->marks[i]);
		if (ui_on_marked(ui))
			add_seen(mark, ui, ui->marks[i]);
		json_push(marks, mark);
	}
	return marks;
}

struct json *ui_to_json(const struct ui *ui)
{
	struct json *object = json_new_object();
	struct json *reasons = json_new_array();

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		json_set_int(object, numbers[i].key, load_calm(ui, &numbers[i]));
	json_set_str(object, "message", ui->message);
	for (size_t i = 0; i < ARRAY_LEN(finds); i++)
		json_set_str(object, finds[i].key, (const char *)ui + finds[i].offset);
	if (ui->last_key[0] != '\0' && !prompt_is_secret(ui->prompt.kind))
		json_set_str(object, "key", ui->last_key);
	json_set_str(object, "prompt_text", str_c(&ui->prompt.text));
	for (size_t i = 0; i < ui->reason_count; i++)
		json_push(reasons, json_new_str(ui->reasons[i]));
	json_set(object, "reasons", reasons);
	add_seen(object, ui, ui->card_seq);
	if (ui->mark_count > 0)
		json_set(object, "marks", marks_json(ui));
	return object;
}

static int read_numbers(const struct json *v, struct ui *ui, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		const struct number *n = &numbers[i];
		const struct json *member = json_get(v, n->key);
		int64_t value;

		if (member == NULL && n->later)
			continue;
		if (member == NULL || json_int(member, &value) != 0)
			return err_set(
				err, ERR_INVALID, "ui: \"%s\" is not a whole number", n->key);
		if (value < n->least || value > n->most)
			return err_set(err, ERR_INVALID, "ui: \"%s\" is out of range", n->key);
		store(ui, n, value);
	}
	return 0;
}

/* A record of before these texts has none. */
static int read_finds(const struct json *v, struct ui *ui, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(finds); i++) {
		const char *text = json_get_str(v, finds[i].key);

		if (text != NULL && strlen(text) >= UI_FIND_BYTES)
			return err_set(err, ERR_INVALID, "ui: \"%s\" is too long", finds[i].key);
		snprintf((char *)ui + finds[i].offset, UI_FIND_BYTES, "%s",
			text != NULL ? text : "");
	}
	return 0;
}

static int read_texts(const struct json *v, struct ui *ui, struct err *err)
{
	const char *message = json_get_str(v, "message");
	const char *text = json_get_str(v, "prompt_text");

	if (message == NULL || text == NULL || strlen(message) >= sizeof(ui->message) ||
		strlen(text) > PROMPT_BYTES_MAX)
		return err_set(err, ERR_INVALID, "ui: a text is missing or too long");
	memcpy(ui->message, message, strlen(message) + 1);
	text_fit(json_get_str(v, "key") != NULL ? json_get_str(v, "key") : "", ui->last_key,
		sizeof(ui->last_key));
	size_t cursor = ui->prompt.cursor;
	prompt_set(&ui->prompt, text);
	if (cursor > ui->prompt.text.len || text_cut(text, strlen(text), cursor) != cursor)
		return err_set(err, ERR_INVALID, "ui: the cursor is not at a character");
	ui->prompt.cursor = cursor;
	return 0;
}

static int read_reasons(const struct json *v, struct ui *ui, struct err *err)
{
	const struct json *item = json_first(json_get(v, "reasons"));

	for (; item != NULL; item = json_next(item)) {
		const char *reason = json_str(item);

		if (reason == NULL || strlen(reason) > PROMPT_BYTES_MAX)
			return err_set(err, ERR_INVALID, "ui: a reason is no text or too long");
		ui_remember_reason(ui, reason);
	}
	return 0;
}

static int read_range(const struct json *range, struct seen *seen, struct err *err)
{
	const struct json *first = json_first(range);
	int64_t start = -1, end = -1;

	if (first == NULL || json_next(first) == NULL || json_int(first, &start) != 0 ||
		json_int(json_next(first), &end) != 0 || start < 0 || end < start ||
		(uint64_t)end > seen->len)
		return err_set(err, ERR_INVALID, "ui: a seen range is wrong");
	ui_seen_mark(seen, (size_t)start, (size_t)end);
	return 0;
}

static int read_seen(const struct json *v, struct ui *ui, uint64_t seq, struct err *err)
{
	const char *hex = json_get_str(v, "seen_digest");
	int64_t len = json_get_int(v, "seen_len", -1);
	struct digest digest;

	if (hex == NULL)
		return 0;
	/* The bound keeps a forged record from asking for all memory: a card's text comes from a line of 256 KiB and our words. */
	if (digest_from_hex(hex, &digest) != 0 || len < 0 || len > (int64_t)UI_SEEN_BYTES_MAX)
		return err_set(err, ERR_INVALID, "ui: what was seen is wrong");
	struct seen *seen = ui_seen_add(ui, seq, &digest, (size_t)len, 0);
	seen->changed = json_get_bool(v, "seen_changed", false);
	const struct json *range = json_first(json_get(v, "seen"));
	for (; range != NULL; range = json_next(range)) {
		if (read_range(range, seen, err) != 0)
			return -1;
	}
	return 0;
}

static int read_marks(const struct json *v, struct ui *ui, struct err *err)
{
	const struct json *item = json_first(json_get(v, "marks"));

	for (; item != NULL; item = json_next(item)) {
		int64_t seq = json_get_int(item, "seq", -1);
		uint64_t before = ui->mark_count > 0 ? ui->marks[ui->mark_count - 1] : 0;

		if (seq <= 0 || (uint64_t)seq <= before || ui->mark_count == UI_MARKS_MAX)
			return err_set(err, ERR_INVALID, "ui: a mark is wrong");
		ui->marks[ui->mark_count++] = (uint64_t)seq;
		if ((uint64_t)seq != ui->card_seq && read_seen(item, ui, (uint64_t)seq, err) != 0)
			return -1;
	}
	return 0;
}

int ui_from_json(const struct json *v, struct ui *ret, struct err *err)
{
	struct ui ui;

	ui_init(&ui, 1, 1);
	if (json_type(v) != JSON_OBJECT) {
		ui_release(&ui);
		return err_set(err, ERR_INVALID, "ui is not an object");
	}
	if (read_numbers(v, &ui, err) != 0 || read_texts(v, &ui, err) != 0 ||
		read_finds(v, &ui, err) != 0 || read_reasons(v, &ui, err) != 0 ||
		read_seen(v, &ui, ui.card_seq, err) != 0 || read_marks(v, &ui, err) != 0) {
		ui_release(&ui);
		return -1;
	}
	*ret = ui;
	return 0;
}
