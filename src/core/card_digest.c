#include "config.h"

#include "core/card_internal.h"

#include <string.h>

/* The order of the pairs is part of the format (design.md section 5): a decision holds for exactly
   these bytes. */

static void add_place(struct digest_builder *b, const struct place *place)
{
	digest_add_str(b, "path", place->path);
	digest_add_u64(b, "dev", place->dev);
	digest_add_u64(b, "ino", place->ino);
}

static void add_places(struct digest_builder *b, const char *name, const struct places *places)
{
	digest_add_u64(b, name, places->count);
	for (size_t i = 0; i < places->count; i++)
		add_place(b, &places->items[i]);
}

static void add_guards(struct digest_builder *b, const struct confinement *c)
{
	digest_add_u64(b, "guards", c->guard_count);
	for (size_t i = 0; i < c->guard_count; i++) {
		digest_add_u64(b, "guard", c->guards[i].kind);
		add_place(b, &c->guards[i].place);
	}
}

static void add_unusual(struct digest_builder *b, const struct unusual_list *list)
{
	digest_add_u64(b, "unusual", list->count);
	for (size_t i = 0; i < list->count; i++) {
		digest_add_u64(b, "severity", list->items[i].severity);
		digest_add_u64(b, "start", list->items[i].start);
		digest_add_u64(b, "len", list->items[i].len);
		digest_add_str(b, "what", list->items[i].what);
		digest_add_str(b, "words", list->items[i].words);
		digest_add_str(b, "summary", list->items[i].summary);
		digest_add_str(b, "word", list->items[i].word);
	}
}

static void add_fact(struct digest_builder *b, const struct fact *fact)
{
	digest_add_str(b, "label", fact->label);
	digest_add_u64(b, "lines", fact->count);
	for (size_t i = 0; i < fact->count; i++) {
		const struct line *line = &fact->lines[i];

		digest_add_u64(b, "spans", line->count);
		for (size_t s = 0; s < line->count; s++)
			digest_add_str(b, span_kind_name(line->spans[s].kind), line->spans[s].text);
	}
}

static void add_facts(struct digest_builder *b, const char *name, const struct facts *facts)
{
	digest_add_u64(b, name, facts->count);
	for (size_t i = 0; i < facts->count; i++)
		add_fact(b, &facts->items[i]);
}

void card_make_digest(struct card *card, const struct card_inputs *in)
{
	struct digest_builder *b = digest_begin();

	digest_add_str(b, "session", in->session);
	digest_add_u64(b, "seq", in->seq);
	digest_add(b, "plan", in->plan_bytes, in->plan_len);
	digest_add_u64(b, "verdict", in->ruling->verdict);
	digest_add_str(b, "rule", in->ruling->rule);
	digest_add_str(b, "command", card->command);
	/* Only then, so that a card that nobody touched keeps its digest. */
	if (card->asked != NULL) {
		digest_add_str(b, "asked", card->asked);
		digest_add_str(b, "editor", card->editor);
	}
	digest_add_str(b, "agent", card->agent);
	digest_add_str(b, "reason", in->request->reason);
	add_places(b, "writable", &in->confinement->writable);
	add_places(b, "readonly", &in->confinement->readonly);
	add_guards(b, in->confinement);
	if (in->helpers != NULL)
		digest_add(b, "helpers", in->helpers->bytes, DIGEST_BYTES);
	digest_add_u64(b, "network", card->network);
	add_unusual(b, &card->unusual);
	add_facts(b, "facts", &card->facts);
	add_facts(b, "details", &card->details);
	digest_end(b, &card->digest);
}
