#include "config.h"

#include "tui/prompt.h"

#include <string.h>
#include <unigbrk.h>
#include <unistr.h>

#include "base/text.h"

void prompt_open(struct prompt *prompt, enum prompt_kind kind, uint64_t seq, int64_t now_ms)
{
	prompt_close(prompt);
	prompt->kind = kind;
	prompt->seq = seq;
	prompt->opened_at_ms = now_ms;
}

void prompt_close(struct prompt *prompt)
{
	str_release(&prompt->text);
	str_release(&prompt->draft);
	*prompt = (struct prompt){.kind = PROMPT_NONE};
}

bool prompt_is_text(enum prompt_kind kind)
{
	return kind == PROMPT_REASON || kind == PROMPT_WORD || kind == PROMPT_EDIT ||
	       kind == PROMPT_OPEN_INTAKE || kind == PROMPT_FIND || kind == PROMPT_SAVE ||
	       kind == PROMPT_REASON_ALL || kind == PROMPT_GOTO;
}

bool prompt_is_secret(enum prompt_kind kind)
{
	return kind == PROMPT_PASS || kind == PROMPT_NEW_PASS || kind == PROMPT_NEW_PASS_AGAIN;
}

bool prompt_is_question(enum prompt_kind kind)
{
	return kind == PROMPT_REVOKE || kind == PROMPT_STOP || kind == PROMPT_QUIT ||
	       kind == PROMPT_STOP_ALL;
}

void prompt_set(struct prompt *prompt, const char *text)
{
	str_clear(&prompt->text);
	str_add_bytes(&prompt->text, text, text_cut(text, strlen(text), PROMPT_BYTES_MAX));
	prompt->cursor = prompt->text.len;
}

bool prompt_blank(const struct prompt *prompt)
{
	const char *text = str_c(&prompt->text);

	return strspn(text, " ") == prompt->text.len;
}

/* Offset of the character (with its marks) that ends at the cursor. */
static size_t before_cursor(const struct prompt *prompt)
{
	const uint8_t *text = (const uint8_t *)str_c(&prompt->text);
	const uint8_t *at =
		prompt->cursor == 0 ? NULL : u8_grapheme_prev(text + prompt->cursor, text);

	return at == NULL ? 0 : (size_t)(at - text);
}

static size_t behind_cursor(const struct prompt *prompt)
{
	const uint8_t *text = (const uint8_t *)str_c(&prompt->text);
	const uint8_t *at = u8_grapheme_next(text + prompt->cursor, text + prompt->text.len);

	return at == NULL ? prompt->text.len : (size_t)(at - text);
}

static void splice(struct prompt *prompt, size_t from, size_t to, const char *in, size_t in_len)
{
	struct str whole STR_AUTO = STR_INIT;

	str_add_bytes(&whole, str_c(&prompt->text), from);
	str_add_bytes(&whole, in, in_len);
	str_add_bytes(&whole, str_c(&prompt->text) + to, prompt->text.len - to);
	str_clear(&prompt->text);
	str_add_bytes(&prompt->text, str_c(&whole), whole.len);
	prompt->cursor = from + in_len;
}

/* The rule shows these bytes as one thing, and as they are. */
static bool shown_as_is(const char *bytes, size_t len)
{
	struct text_iter *it = text_begin(bytes, len, 0);
	struct text_piece piece;
	bool plain = text_next(it, &piece) && piece.kind == TEXT_PLAIN && piece.len == len;

	text_end(it);
	return plain;
}

static bool can_be_typed(const struct prompt *prompt, const char *bytes, size_t len)
{
	size_t before = before_cursor(prompt);
	char joined[TEXT_SHOWN_BYTES];
	size_t base = prompt->cursor - before;

	if ((len == 1 && bytes[0] >= ' ' && bytes[0] <= '~') || shown_as_is(bytes, len))
		return true;
	/* A mark by itself is an escape, on its letter it is text. */
	if (base == 0 || base + len > sizeof(joined))
		return false;
	memcpy(joined, str_c(&prompt->text) + before, base);
	memcpy(joined + base, bytes, len);
	return shown_as_is(joined, base + len);
}

static enum prompt_result insert(struct prompt *prompt, uint32_t ch)
{
	uint8_t bytes[6];
	int len = u8_uctomb(bytes, ch, sizeof(bytes));

	if (len <= 0 || !can_be_typed(prompt, (const char *)bytes, (size_t)len))
		return PROMPT_REFUSED;
	if (prompt->text.len + (size_t)len > PROMPT_BYTES_MAX)
		return PROMPT_FULL;
	splice(prompt, prompt->cursor, prompt->cursor, (const char *)bytes, (size_t)len);
	return PROMPT_EDITED;
}

static void erase_before(struct prompt *prompt)
{
	splice(prompt, before_cursor(prompt), prompt->cursor, "", 0);
}

static void erase_behind(struct prompt *prompt)
{
	splice(prompt, prompt->cursor, behind_cursor(prompt), "", 0);
}

static void move_left(struct prompt *prompt)
{
	prompt->cursor = before_cursor(prompt);
}

static void move_right(struct prompt *prompt)
{
	prompt->cursor = behind_cursor(prompt);
}

static void move_home(struct prompt *prompt)
{
	prompt->cursor = 0;
}

static void move_end(struct prompt *prompt)
{
	prompt->cursor = prompt->text.len;
}

static void (*const edits[KEY_CODE_COUNT])(struct prompt *) = {
	[KEY_CODE_BACKSPACE] = erase_before,
	[KEY_CODE_DELETE] = erase_behind,
	[KEY_CODE_LEFT] = move_left,
	[KEY_CODE_RIGHT] = move_right,
	[KEY_CODE_HOME] = move_home,
	[KEY_CODE_END] = move_end,
};

enum prompt_result prompt_key(struct prompt *prompt, const struct key *key)
{
	if (key->code == KEY_CODE_CHAR)
		return insert(prompt, key->ch);
	if (key->code >= KEY_CODE_COUNT || edits[key->code] == NULL)
		return PROMPT_UNUSED;
	edits[key->code](prompt);
	return PROMPT_EDITED;
}
