#include "config.h"

#include "core/card.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/card_internal.h"
#include "core/hold.h"

/* Reads what card_to_json() wrote. The pieces are taken loosely; of a file, card_from_json() then writes the
   card again and compares, so that nothing else passes: no member more, no other order, no other
   spelling. */

static int bad(struct err *err, const char *what)
{
	return err_set(err, ERR_INVALID, "a card whose %s is not as a card is written", what);
}

int card_read_text(const struct json *v, char **ret, struct err *err)
{
	const char *text = json_str(v);
	struct str bytes = STR_INIT;

	if (text != NULL) {
		*ret = mem_strdup(text);
		return 0;
	}
	text = json_get_str(v, "escaped");
	if (text == NULL || text_unescape(text, strlen(text), &bytes, err) != 0 ||
		memchr(str_c(&bytes), '\0', bytes.len) != NULL) {
		str_release(&bytes);
		return bad(err, "text");
	}
	*ret = str_steal(&bytes);
	return 0;
}

static int read_unsigned(const struct json *v, const char *key, unsigned *ret, struct err *err)
{
	int64_t value = json_get_int(v, key, -1);

	if (value < 0 || value > UINT_MAX)
		return bad(err, key);
	*ret = (unsigned)value;
	return 0;
}

static int span_kind_from_name(const char *name, enum span_kind *ret)
{
	for (int i = 0; name != NULL && i < SPAN_KIND_COUNT; i++) {
		if (strcmp(span_kind_name((enum span_kind)i), name) == 0) {
			*ret = (enum span_kind)i;
			return 0;
		}
	}
	return -1;
}

static int read_span(const struct json *v, struct line *line, struct err *err)
{
	MEM_AUTO char *text = NULL;
	enum span_kind kind;

	if (json_count(v) != 2 || span_kind_from_name(json_str(json_first(v)), &kind) != 0)
		return bad(err, "span");
	if (card_read_text(json_next(json_first(v)), &text, err) != 0)
		return -1;
	line_add(line, kind, "%s", text);
	return 0;
}

int card_read_line(const struct json *v, struct line *line, struct err *err)
{
	for (const struct json *span = json_first(v); span != NULL; span = json_next(span)) {
		if (read_span(span, line, err) != 0)
			return -1;
	}
	return 0;
}

int card_read_fact(const struct json *v, struct facts *facts, struct err *err)
{
	const char *label = json_get_str(v, "label");

	if (label == NULL)
		return bad(err, "label");
	struct fact *fact = facts_add(facts, label);
	const struct json *line = json_first(json_get(v, "lines"));

	for (; line != NULL; line = json_next(line)) {
		if (card_read_line(line, fact_line(fact), err) != 0)
			return -1;
	}
	return 0;
}

static int read_facts(const struct json *v, struct facts *facts, struct err *err)
{
	for (const struct json *fact = json_first(v); fact != NULL; fact = json_next(fact)) {
		if (card_read_fact(fact, facts, err) != 0)
			return -1;
	}
	return 0;
}

/* The words to type are constants: a note of the record may name no other. */
static const char *known_word(const char *word)
{
	static const char *const words[] = {
		"decoded", "delete", "hidden", "overwrite", "remote", "root"};

	for (size_t i = 0; word != NULL && i < ARRAY_LEN(words); i++) {
		if (strcmp(words[i], word) == 0)
			return words[i];
	}
	return NULL;
}

static int read_note_text(const struct json *v, struct unusual *note, struct err *err)
{
	const struct json *words = json_get(v, "words");

	note->word = known_word(json_get_str(v, "word"));
	if (card_read_text(json_get(v, "what"), &note->what, err) != 0 ||
		card_read_text(json_get(v, "summary"), &note->summary, err) != 0)
		return -1;
	return json_type(words) == JSON_NULL ? 0 : card_read_text(words, &note->words, err);
}

static int read_note(
	const struct json *v, size_t command_len, struct unusual_list *list, struct err *err)
{
	mem_grow(&list->items, &list->cap, list->count, sizeof(*list->items));
	struct unusual *note = &list->items[list->count++];
	unsigned severity = 0, start = 0, len = 0;

	*note = (struct unusual){.line_long = json_get_bool(v, "line_long", false)};
	if (read_unsigned(v, "severity", &severity, err) != 0 ||
		read_unsigned(v, "line", &note->line, err) != 0 ||
		read_unsigned(v, "at", &note->at, err) != 0 ||
		read_unsigned(v, "start", &start, err) != 0 ||
		read_unsigned(v, "len", &len, err) != 0)
		return -1;
	if (severity != SEVERITY_NOTE && severity != SEVERITY_DANGER)
		return bad(err, "severity");
	if (start > command_len || len > command_len - start)
		return bad(err, "note");
	note->severity = severity == SEVERITY_DANGER ? SEVERITY_DANGER : SEVERITY_NOTE;
	note->start = start;
	note->len = len;
	return read_note_text(v, note, err);
}

static int read_notes(const struct json *v, struct card *card, struct err *err)
{
	size_t len = strlen(card->command);

	for (const struct json *note = json_first(v); note != NULL; note = json_next(note)) {
		if (read_note(note, len, &card->unusual, err) != 0)
			return -1;
	}
	return 0;
}

static int network_from_name(const char *name, enum card_network *ret)
{
	for (int i = 0; name != NULL && i < CARD_NETWORK_COUNT; i++) {
		if (strcmp(card_network_name((enum card_network)i), name) == 0) {
			*ret = (enum card_network)i;
			return 0;
		}
	}
	return -1;
}

static int read_names(const struct json *v, struct card *card, struct err *err)
{
	const char *backend = json_get_str(v, "backend");
	const char *hex = json_get_str(v, "digest");

	if (network_from_name(json_get_str(v, "network"), &card->network) != 0)
		return bad(err, "network");
	if (hold_from_name(json_get_str(v, "sandbox"), &card->sandbox) != 0)
		return bad(err, "sandbox");
	if (backend == NULL || backend_id_from_name(backend, &card->backend) != 0)
		return bad(err, "backend");
	if (hex == NULL || digest_from_hex(hex, &card->digest) != 0)
		return bad(err, "digest");
	return 0;
}

static int read_figures(const struct json *v, struct card *card, struct err *err)
{
	const struct {
		const char *key;
		unsigned *ret;
	} figures[] = {
		{"writes", &card->writes},
		{"time_s", &card->time_s},
		{"time_asked_s", &card->time_asked_s},
		{"grace_s", &card->grace_s},
		{"env_kept", &card->env_kept},
		{"env_cut", &card->env_cut},
	};

	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		if (read_unsigned(v, figures[i].key, figures[i].ret, err) != 0)
			return -1;
	}
	return 0;
}

/* Only a card that a person edited has them. */
static int read_edit(const struct json *v, struct card *card, struct err *err)
{
	const struct json *asked = json_get(v, "asked"), *editor = json_get(v, "editor");

	if (asked == NULL)
		return 0;
	if (card_read_text(asked, &card->asked, err) != 0)
		return -1;
	return json_type(editor) == JSON_NULL ? 0 : card_read_text(editor, &card->editor, err);
}

int card_read_head(const struct json *v, struct card *card, struct err *err)
{
	int64_t seq = json_get_int(v, "seq", -1);

	if (seq < 0)
		return bad(err, "seq");
	card->seq = (uint64_t)seq;
	card->agent = mem_strdup(json_get_str(v, "agent"));
	card->unsandboxed = json_get_bool(v, "unsandboxed", false);
	if (card_read_text(json_get(v, "command"), &card->command, err) != 0 ||
		read_edit(v, card, err) != 0 ||
		read_notes(json_get(v, "unusual"), card, err) != 0 ||
		read_figures(v, card, err) != 0)
		return -1;
	return read_names(v, card, err);
}

static int read_card(const struct json *v, struct card *card, struct err *err)
{
	if (card_read_head(v, card, err) != 0 ||
		read_facts(json_get(v, "facts"), &card->facts, err) != 0)
		return -1;
	return read_facts(json_get(v, "details"), &card->details, err);
}

static bool is_written_so(const struct card *card, const struct json *v)
{
	JSON_AUTO struct json *again = card_to_json(card);

	return json_equal(v, again);
}

int card_from_json(const struct json *v, bool live, struct card *ret, struct err *err)
{
	struct card card;

	card_init(&card);
	if (read_card(v, &card, err) != 0) {
		card_release(&card);
		return -1;
	}
	if (!live && !is_written_so(&card, v)) {
		card_release(&card);
		return bad(err, "members");
	}
	*ret = card;
	return 0;
}
