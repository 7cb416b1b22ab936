#include "config.h"

#include "tui/edge.h"

#include <string.h>

#include "base/text.h"
#include "base/words.h"

#define PARTS_MAX 6u
#define DEPTH_MAX 8u

/* What stands at the places of a template. */
struct parts {
	const char *start[PARTS_MAX];
	size_t len[PARTS_MAX];
	bool number[PARTS_MAX];
	unsigned count;
};

static void translate(const char *english, unsigned depth, struct str *out);

static bool take_part(struct parts *parts, bool number, const char *start, size_t len)
{
	if (parts->count == PARTS_MAX ||
		(number && (len == 0 || strspn(start, "0123456789") < len)))
		return false;
	parts->start[parts->count] = start;
	parts->len[parts->count] = len;
	parts->number[parts->count++] = number;
	return true;
}

/* The literal text of a format up to its next place: "%%" is one sign. */
static size_t literal(const char *format, struct str *out)
{
	size_t at = 0;

	for (; format[at] != '\0' && (format[at] != '%' || format[at + 1] == '%'); at++) {
		str_add_char(out, format[at]);
		at += format[at] == '%';
	}
	return at;
}

/* Each place takes as little as it can. */
static bool match(const char *format, const char *text, struct parts *parts)
{
	STR_AUTO struct str before = STR_INIT;

	format += literal(format, &before);
	if (strncmp(text, str_c(&before), before.len) != 0)
		return false;
	text += before.len;
	while (format[0] == '%') {
		STR_AUTO struct str behind = STR_INIT;
		bool number = format[1] == 'u';

		format += 2;
		format += literal(format, &behind);
		size_t len = behind.len > 0 ? 0 : strlen(text);
		if (format[0] == '\0' && behind.len > 0 && strlen(text) >= behind.len)
			len = strlen(text) - behind.len;
		const char *end = behind.len > 0 ? strstr(text + len, str_c(&behind)) : text + len;
		if (end == NULL || !take_part(parts, number, text, (size_t)(end - text)))
			return false;
		text = end + behind.len;
	}
	return text[0] == '\0';
}

static void add_part(
	const struct parts *parts, unsigned i, bool deep, unsigned depth, struct str *out)
{
	STR_AUTO struct str part = STR_INIT;

	if (i >= parts->count)
		return;
	str_add_bytes(&part, parts->start[i], parts->len[i]);
	if (deep && !parts->number[i])
		translate(str_c(&part), depth + 1, out);
	else
		str_add(out, str_c(&part));
}

/* A translation may name its places: %2$s. */
static void fill(
	const char *format, const struct parts *parts, bool deep, unsigned depth, struct str *out)
{
	for (unsigned next = 0;; next++) {
		unsigned i = next;

		format += literal(format, out);
		if (format[0] == '\0')
			return;
		format++;
		if (format[0] >= '1' && format[0] <= '9' && format[1] == '$') {
			i = (unsigned)(format[0] - '1');
			format += 2;
		}
		format += format[0] != '\0';
		add_part(parts, i, deep, depth, out);
	}
}

static bool try_table(const struct edge_template *table, size_t count, const char *english,
	unsigned depth, struct str *out)
{
	for (size_t i = 0; i < count; i++) {
		struct parts parts = {.count = 0};
		const char *shown = _(table[i].format);

		if (strchr(table[i].format, '%') == NULL || shown == table[i].format ||
			!match(table[i].format, english, &parts))
			continue;
		fill(shown, &parts, table[i].deep, depth, out);
		return true;
	}
	return false;
}

/* " line 1          asks for root": the columns of a note. */
static bool try_note(const char *english, unsigned depth, struct str *out)
{
	size_t lead = strspn(english, " "), len;
	const char *gap = strstr(english + lead, "  ");
	STR_AUTO struct str place = STR_INIT;
	STR_AUTO struct str shown = STR_INIT;

	if (strncmp(english + lead, "line ", 5) != 0 || gap == NULL)
		return false;
	len = strspn(gap, " ");
	str_add_bytes(&place, english + lead, (size_t)(gap - english) - lead);
	translate(str_c(&place), depth + 1, &shown);
	int blanks = (int)(place.len + len) - (int)text_columns(str_c(&shown));
	str_printf(out, "%*s%s%*s", (int)lead, "", str_c(&shown), blanks > 2 ? blanks : 2, "");
	translate(gap + len, depth + 1, out);
	return true;
}

static void translate(const char *english, unsigned depth, struct str *out)
{
	const char *shown = _(english);

	if (shown == english && english[0] != '\0' && depth < DEPTH_MAX &&
		(try_note(english, depth, out) ||
			try_table(edge_card, edge_card_count, english, depth, out) ||
			try_table(edge_says, edge_says_count, english, depth, out)))
		return;
	str_add(out, shown);
}

void edge_words(const char *english, struct str *out)
{
	if (words_are_english())
		str_add(out, english);
	else
		translate(english, 0, out);
}

static bool is_blank(const char *text)
{
	return text[0] != '\0' && text[strspn(text, " ")] == '\0';
}

void edge_line(const struct line *line, struct line *ret)
{
	int more = 0;

	for (size_t i = 0; i < line->count; i++) {
		const struct span *span = &line->spans[i];
		bool ours = span->kind != SPAN_FOREIGN && span->kind != SPAN_AGENT;
		STR_AUTO struct str text = STR_INIT;

		if (ours && is_blank(span->text)) {
			int left = (int)strlen(span->text) - more;

			str_printf(&text, "%*s", left > 1 ? left : 1, "");
			more = 0;
		} else if (ours) {
			edge_words(span->text, &text);
			more = (int)text_columns(str_c(&text)) - (int)text_columns(span->text);
		} else {
			str_add(&text, span->text);
			more = 0;
		}
		line_add(ret, span->kind, "%s", str_c(&text));
	}
}
