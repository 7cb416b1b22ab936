#include "config.h"

#include "core/card.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "core/card_internal.h"

static const char *const span_kinds[SPAN_KIND_COUNT] = {
	[SPAN_OURS] = "ours",
	[SPAN_RISK] = "risk",
	[SPAN_DANGER] = "danger",
	[SPAN_FOREIGN] = "foreign",
	[SPAN_AGENT] = "agent",
};

const char *span_kind_name(enum span_kind kind)
{
	return span_kinds[kind];
}

static const char *const networks[CARD_NETWORK_COUNT] = {
	[CARD_NETWORK_OFF] = "off",
	[CARD_NETWORK_ON] = "on",
	[CARD_NETWORK_ON_HOST] = "on_host",
	[CARD_NETWORK_NONE] = "none",
};

const char *card_network_name(enum card_network network)
{
	return networks[network];
}

struct fact *facts_add(struct facts *facts, const char *label)
{
	mem_grow(&facts->items, &facts->cap, facts->count, sizeof(*facts->items));
	struct fact *fact = &facts->items[facts->count++];

	*fact = (struct fact){.label = mem_strdup(label)};
	return fact;
}

struct line *fact_line(struct fact *fact)
{
	mem_grow(&fact->lines, &fact->cap, fact->count, sizeof(*fact->lines));
	struct line *line = &fact->lines[fact->count++];

	*line = (struct line){0};
	return line;
}

void line_add(struct line *line, enum span_kind kind, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	char *text = mem_vprintf(fmt, args);
	va_end(args);
	mem_grow(&line->spans, &line->cap, line->count, sizeof(*line->spans));
	line->spans[line->count++] = (struct span){.kind = kind, .text = text};
}

void line_words(struct line *line, const char *words)
{
	enum span_kind kind = SPAN_OURS;

	if (words[0] == '!')
		kind = words[1] == '!' ? SPAN_DANGER : SPAN_RISK;
	line_add(line, kind, "%s", words);
}

void line_foreign_list(struct line *line, const struct strv *texts, const char *separator)
{
	for (size_t i = 0; i < texts->count; i++) {
		if (i > 0)
			line_add(line, SPAN_OURS, "%s", separator);
		line_add(line, SPAN_FOREIGN, "%s", texts->items[i]);
	}
}

struct line *fact_foreign_list(struct fact *fact, const char *words, const struct strv *texts)
{
	if (texts->count == 0)
		return NULL;
	struct line *line = fact_line(fact);

	line_add(line, SPAN_OURS, "%s", words);
	line_foreign_list(line, texts, ", ");
	return line;
}

const char *path_inside(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (!path_is_equal_or_below(path, root) || path[len] == '\0')
		return path;
	return path + len + (path[len] == '/');
}

void line_copy(const struct line *from, struct line *to)
{
	for (size_t i = 0; i < from->count; i++) {
		mem_grow(&to->spans, &to->cap, to->count, sizeof(*to->spans));
		to->spans[to->count++] = (struct span){
			.kind = from->spans[i].kind, .text = mem_strdup(from->spans[i].text)};
	}
}

static void line_release(struct line *line)
{
	for (size_t i = 0; i < line->count; i++)
		free(line->spans[i].text);
	free(line->spans);
}

static void fact_release(struct fact *fact)
{
	for (size_t i = 0; i < fact->count; i++)
		line_release(&fact->lines[i]);
	free(fact->lines);
	free(fact->label);
}

void facts_release(struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		fact_release(&facts->items[i]);
	free(facts->items);
	memset(facts, 0, sizeof(*facts));
}

void card_init(struct card *card)
{
	memset(card, 0, sizeof(*card));
}

void card_release(struct card *card)
{
	free(card->command);
	free(card->asked);
	free(card->editor);
	free(card->agent);
	unusual_release(&card->unusual);
	facts_release(&card->facts);
	facts_release(&card->details);
	card_init(card);
}

bool card_was_edited(const struct card *card, const struct card *before)
{
	return card != NULL && before != NULL && strcmp(card->command, before->command) != 0;
}

void card_short_digest(const struct card *card, char buf[12])
{
	const uint8_t *b = card->digest.bytes;

	snprintf(buf, 12, "%02x%02x %02x%02x", b[0], b[1], b[2], b[3]);
}
