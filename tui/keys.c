#include "config.h"

#include "tui/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/keys_internal.h"

struct key_parser *key_parser_new(void)
{
	return mem_alloc(sizeof(struct key_parser));
}

void key_parser_free(struct key_parser *parser)
{
	if (parser == NULL)
		return;
	free(parser->queue);
	free(parser);
}

void keys_emit(struct key_parser *p, enum key_code code, uint32_t ch)
{
	mem_grow(&p->queue, &p->cap, p->count, sizeof(*p->queue));
	p->queue[p->count++] = (struct key){
		.code = code,
		.ch = ch,
		.after_sequence = p->any_sequence && p->now_ms - p->sequence_at_ms < KEY_BEHIND_MS,
	};
}

void keys_sequence_done(struct key_parser *p, enum key_code code, uint32_t ch)
{
	p->state = KEYS_GROUND;
	keys_emit(p, code, ch);
	p->any_sequence = true;
	p->sequence_at_ms = p->now_ms;
}

/* The start of a sequence that never got its end. Its tail may still come, on a slow line: keys_sequence_done() marks what
   follows as near a sequence, and to the screen it is a key that restarts the rest. */
static void give_up(struct key_parser *p)
{
	if (p->state == KEYS_PASTE)
		keys_sequence_done(p, KEY_CODE_PASTE, keys_paste_count(p));
	else
		keys_sequence_done(p, p->state == KEYS_ESC ? KEY_CODE_ESC : KEY_CODE_UNKNOWN, 0);
}

int64_t key_parser_deadline(const struct key_parser *p)
{
	if (p->state == KEYS_GROUND)
		return -1;
	return p->fed_at_ms + (p->state == KEYS_PASTE ? KEY_PASTE_MS : KEY_ESC_MS);
}

static void expire(struct key_parser *p, int64_t now_ms)
{
	int64_t deadline = key_parser_deadline(p);

	if (deadline < 0 || now_ms < deadline)
		return;
	p->now_ms = now_ms;
	give_up(p);
}

void key_parser_feed(struct key_parser *p, const void *bytes, size_t len, int64_t now_ms)
{
	const uint8_t *b = bytes;

	if (len == 0)
		return;
	expire(p, now_ms);
	p->now_ms = now_ms;
	p->fed_at_ms = now_ms;
	for (size_t i = 0; i < len; i++)
		keys_step(p, b[i]);
	if (p->state != KEYS_GROUND)
		keys_emit(p, KEY_CODE_PARTIAL, 0);
}

bool key_parser_next(struct key_parser *p, int64_t now_ms, struct key *ret)
{
	expire(p, now_ms);
	if (p->taken == p->count) {
		p->taken = 0;
		p->count = 0;
		return false;
	}
	/* It may be of a passphrase: no copy stays. */
	*ret = p->queue[p->taken];
	p->queue[p->taken++] = (struct key){.code = KEY_CODE_NONE};
	return true;
}
