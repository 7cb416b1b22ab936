#include "config.h"

#include "core/card_like.h"

#include <string.h>

#include "base/mem.h"
#include "core/card_internal.h"

/* What a forged card could make grow: a few bytes of it stand for many lines, or for a long command. */
#define LINES_MOST 65536
#define BYTES_MOST (8u << 20)

struct reader {
	const char *command; /* of the card */
	size_t lines, bytes; /* taken from elsewhere so far */
};

static int bad(struct err *err, const char *what)
{
	return err_set(err, ERR_INVALID, "a card whose %s is not as one is written", what);
}

static int take(struct reader *r, size_t lines, size_t bytes, struct err *err)
{
	r->lines += lines;
	r->bytes += bytes;
	if (r->lines > LINES_MOST || r->bytes > BYTES_MOST)
		return bad(err, "length");
	return 0;
}

static int take_lines(struct reader *r, const struct fact *like, size_t from, size_t count,
	struct fact *fact, struct err *err)
{
	for (size_t i = from; i < from + count; i++) {
		const struct line *line = &like->lines[i];
		size_t bytes = 0;

		for (size_t j = 0; j < line->count; j++)
			bytes += strlen(line->spans[j].text);
		if (take(r, 1, bytes, err) != 0)
			return -1;
		line_copy(line, fact_line(fact));
	}
	return 0;
}

static int read_range(struct reader *r, const struct json *v, const struct fact *like,
	struct fact *fact, struct err *err)
{
	int64_t from = 0, count = 0;

	if (json_count(v) != 2 || json_int(json_first(v), &from) != 0 ||
		json_int(json_next(json_first(v)), &count) != 0 || from < 0 || count < 1 ||
		from > (int64_t)like->count || count > (int64_t)like->count - from)
		return bad(err, "range");
	return take_lines(r, like, (size_t)from, (size_t)count, fact, err);
}

/* [kind,before,behind], as it would be with the command between. */
static int read_around(struct reader *r, const struct json *v, struct line *line, struct err *err)
{
	MEM_AUTO char *before = NULL;
	MEM_AUTO char *behind = NULL;
	const struct json *kind = json_first(v);
	JSON_AUTO struct json *pair = json_new_array();
	JSON_AUTO struct json *spans = json_new_array();

	if (card_read_text(json_next(kind), &before, err) != 0 ||
		card_read_text(json_next(json_next(kind)), &behind, err) != 0 ||
		take(r, 0, strlen(r->command), err) != 0)
		return -1;
	MEM_AUTO char *text = mem_printf("%s%s%s", before, r->command, behind);

	json_push(pair, json_copy(kind));
	json_push(pair, card_text_to_json(text));
	json_push(spans, STEAL(pair));
	return card_read_line(spans, line, err);
}

static int read_line(struct reader *r, const struct json *v, struct line *line, struct err *err)
{
	for (const struct json *span = json_first(v); span != NULL; span = json_next(span)) {
		JSON_AUTO struct json *alone = json_new_array();

		if (json_count(span) == 3) {
			if (read_around(r, span, line, err) != 0)
				return -1;
			continue;
		}
		json_push(alone, json_copy(span));
		if (card_read_line(alone, line, err) != 0)
			return -1;
	}
	return 0;
}

static bool is_range(const struct json *v)
{
	return json_type(json_first(v)) == JSON_NUMBER;
}

static int read_like(struct reader *r, const struct json *lines, const struct fact *like,
	struct facts *facts, struct err *err)
{
	struct fact *fact = facts_add(facts, like->label);

	for (const struct json *v = lines; v != NULL; v = json_next(v)) {
		if (json_type(v) != JSON_ARRAY)
			return bad(err, "line");
		if (is_range(v) ? read_range(r, v, like, fact, err) != 0
				: read_line(r, v, fact_line(fact), err) != 0)
			return -1;
	}
	return 0;
}

static int read_fact(struct reader *r, const struct json *v, const struct facts *like,
	struct facts *facts, struct err *err)
{
	int64_t number = -1;
	bool whole = json_type(v) == JSON_NUMBER;

	if (json_type(v) == JSON_OBJECT)
		return card_read_fact(v, facts, err);
	if (json_int(whole ? v : json_first(v), &number) != 0 || number < 0 ||
		number >= (int64_t)like->count)
		return bad(err, "fact");
	const struct fact *other = &like->items[number];

	if (!whole)
		return read_like(r, json_next(json_first(v)), other, facts, err);
	return take_lines(r, other, 0, other->count, facts_add(facts, other->label), err);
}

static int read_facts(struct reader *r, const struct json *v, const struct facts *like,
	struct facts *facts, struct err *err)
{
	if (json_type(v) != JSON_ARRAY)
		return bad(err, "facts");
	for (const struct json *fact = json_first(v); fact != NULL; fact = json_next(fact)) {
		if (take(r, 1, 0, err) != 0 || read_fact(r, fact, like, facts, err) != 0)
			return -1;
	}
	return 0;
}

static void replace(struct json *object, const char *key, struct json *value)
{
	json_free(json_take(object, key));
	json_set(object, key, value);
}

/* The head of the whole card with what this one says otherwise; a member that no card has is refused. */
static struct json *merge_head(const struct json *v, const struct card *like, struct err *err)
{
	static const char *const others[] = {
		"like", "facts", "details", "command", "asked", "editor"};
	JSON_AUTO struct json *head = card_head_to_json(like);

	for (const struct json *m = json_first(v); m != NULL; m = json_next(m)) {
		bool known = json_get(head, json_key(m)) != NULL;

		for (size_t i = 0; i < ARRAY_LEN(others); i++)
			known = known || strcmp(json_key(m), others[i]) == 0;
		if (!known) {
			bad(err, "members");
			return NULL;
		}
		replace(head, json_key(m), json_copy(m));
	}
	return STEAL(head);
}

static int read_card(const struct json *v, const struct json *head, const struct card *like,
	struct card *card, struct err *err)
{
	struct reader r = {.lines = 0};

	if (card_read_head(head, card, err) != 0)
		return -1;
	r.command = card->command;
	if (read_facts(&r, json_get(v, "facts"), &like->facts, &card->facts, err) != 0)
		return -1;
	return read_facts(&r, json_get(v, "details"), &like->details, &card->details, err);
}

int card_from_record(const struct json *v, uint64_t seq, const char *digest, const char *command,
	const struct card_whole *whole, bool live, struct card *ret, struct err *err)
{
	int64_t number = json_get_int(v, "like", 0);
	uint64_t n = (uint64_t)number;
	struct card card;

	if (json_get(v, "like") == NULL)
		return card_from_json(v, live, ret, err);
	if (number < 1 || n > whole->count || n + CARD_WHOLE_MAX <= whole->count)
		return bad(err, "like");
	const struct card *like = whole->items[(n - 1) % CARD_WHOLE_MAX];
	JSON_AUTO struct json *head = merge_head(v, like, err);

	if (head == NULL)
		return -1;
	replace(head, "seq", json_new_int((int64_t)seq));
	replace(head, "digest", json_new_str(digest));
	if (json_get(v, "command") == NULL)
		replace(head, "command", json_new_str(command));
	card_init(&card);
	if (read_card(v, head, like, &card, err) != 0) {
		card_release(&card);
		return -1;
	}
	*ret = card;
	return 0;
}
