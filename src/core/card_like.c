#include "config.h"

#include "core/card_like.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/card_internal.h"

void card_whole_release(struct card_whole *whole)
{
	for (size_t i = 0; i < CARD_WHOLE_MAX; i++) {
		if (whole->items[i] != NULL)
			card_release(whole->items[i]);
		free(whole->items[i]);
	}
	*whole = (struct card_whole){.count = 0};
}

static void copy_facts(const struct facts *from, struct facts *to)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct fact *fact = &from->items[i];
		struct fact *copy = facts_add(to, fact->label);

		for (size_t j = 0; j < fact->count; j++)
			line_copy(&fact->lines[j], fact_line(copy));
	}
}

void card_whole_add(struct card_whole *whole, const struct card *card)
{
	struct card *copy = mem_alloc(sizeof(*copy));
	struct card **place = &whole->items[whole->count++ % CARD_WHOLE_MAX];

	/* Of the head what has no memory of its own. */
	*copy = *card;
	copy->command = mem_strdup("");
	copy->asked = copy->editor = copy->agent = NULL;
	memset(&copy->unusual, 0, sizeof(copy->unusual));
	memset(&copy->facts, 0, sizeof(copy->facts));
	memset(&copy->details, 0, sizeof(copy->details));
	copy_facts(&card->facts, &copy->facts);
	copy_facts(&card->details, &copy->details);
	if (*place != NULL)
		card_release(*place);
	free(*place);
	*place = copy;
}

static bool same_line(const struct line *a, const struct line *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (a->spans[i].kind != b->spans[i].kind ||
			strcmp(a->spans[i].text, b->spans[i].text) != 0)
			return false;
	}
	return true;
}

/* How a card is written, line after line. */
struct writer {
	const char *command; /* in the card; NULL: too short to be left out */
	size_t total, taken; /* lines of the whole card, and those that are in this one */
};

static struct json *write_span(const struct writer *w, const struct span *span)
{
	const char *at = w->command == NULL ? NULL : strstr(span->text, w->command);
	struct json *v = json_new_array();

	json_push(v, json_new_str(span_kind_name(span->kind)));
	if (at == NULL) {
		json_push(v, card_text_to_json(span->text));
		return v;
	}
	MEM_AUTO char *before = mem_strndup(span->text, (size_t)(at - span->text));

	json_push(v, card_text_to_json(before));
	json_push(v, card_text_to_json(at + strlen(w->command)));
	return v;
}

static struct json *write_line(const struct writer *w, const struct line *line)
{
	struct json *v = json_new_array();

	for (size_t i = 0; i < line->count; i++)
		json_push(v, write_span(w, &line->spans[i]));
	return v;
}

/* The first line of the fact from `start` on that is the same; its count when none is. */
static size_t find_line(const struct fact *fact, size_t start, const struct line *line)
{
	size_t i = start;

	while (i < fact->count && !same_line(&fact->lines[i], line))
		i++;
	return i;
}

static void push_range(struct json *v, size_t from, size_t count)
{
	struct json *range = json_new_array();

	json_push(range, json_new_int((int64_t)from));
	json_push(range, json_new_int((int64_t)count));
	json_push(v, range);
}

static struct json *write_like(
	struct writer *w, const struct fact *fact, size_t number, const struct fact *like)
{
	struct json *v = json_new_array();
	size_t next = 0;

	json_push(v, json_new_int((int64_t)number));
	for (size_t i = 0; i < fact->count;) {
		size_t from = find_line(like, next, &fact->lines[i]), count = 0;

		while (i + count < fact->count && from + count < like->count &&
			same_line(&fact->lines[i + count], &like->lines[from + count]))
			count++;
		if (count == 0) {
			json_push(v, write_line(w, &fact->lines[i++]));
			continue;
		}
		push_range(v, from, count);
		w->taken += count;
		i += count;
		next = from + count;
	}
	return v;
}

static bool same_fact(const struct fact *a, const struct fact *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (!same_line(&a->lines[i], &b->lines[i]))
			return false;
	}
	return true;
}

static struct json *write_fact(
	struct writer *w, const struct fact *fact, size_t at, const struct facts *like)
{
	for (size_t i = 0; i < like->count; i++) {
		size_t number = (at + i) % like->count;
		const struct fact *other = &like->items[number];

		if (strcmp(other->label, fact->label) != 0)
			continue;
		if (!same_fact(fact, other))
			return write_like(w, fact, number, other);
		w->taken += fact->count;
		return json_new_int((int64_t)number);
	}
	return card_fact_to_json(fact);
}

static struct json *write_facts(
	struct writer *w, const struct facts *facts, const struct facts *like)
{
	struct json *v = json_new_array();

	for (size_t i = 0; i < like->count; i++)
		w->total += like->items[i].count;
	for (size_t i = 0; i < facts->count; i++)
		json_push(v, write_fact(w, &facts->items[i], i, like));
	return v;
}

static void write_head(
	struct json *v, const struct card *card, const struct card *like, const char *command)
{
	JSON_AUTO struct json *head = card_head_to_json(card);
	JSON_AUTO struct json *other = card_head_to_json(like);

	json_free(json_take(head, "seq"));
	if (command != NULL && strcmp(command, card->command) == 0)
		json_free(json_take(head, "command"));
	for (const struct json *m = json_first(head); m != NULL; m = json_next(m)) {
		const struct json *same = json_get(other, json_key(m));

		if (same == NULL || !json_equal(m, same))
			json_set(v, json_key(m), json_copy(m));
	}
}

/* NULL when too little of the other is in it. */
static struct json *write_card(
	const struct card *card, const char *command, const struct card *like, uint64_t number)
{
	struct writer w = {
		.command = strlen(card->command) < CARD_COMMAND_LEAST_BYTES ? NULL : card->command};
	struct json *v = json_new_object();

	json_set_int(v, "like", (int64_t)number);
	write_head(v, card, like, command);
	json_set(v, "facts", write_facts(&w, &card->facts, &like->facts));
	json_set(v, "details", write_facts(&w, &card->details, &like->details));
	if (w.taken * 4 >= w.total * 3)
		return v;
	json_free(v);
	return NULL;
}

struct json *card_to_record(
	const struct card *card, const char *command, const struct card_whole *whole)
{
	for (uint64_t n = whole->count; n > 0 && n + CARD_WHOLE_MAX > whole->count; n--) {
		const struct card *like = whole->items[(n - 1) % CARD_WHOLE_MAX];
		struct json *v = write_card(card, command, like, n);

		if (v != NULL)
			return v;
	}
	return card_to_json(card);
}
