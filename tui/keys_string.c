#include "config.h"

#include "tui/keys_internal.h"

/* Strings that a terminal sends (OSC 11 and its like) and pastes: nothing of them is kept but a count. */

#define ESC 0x1B
#define BEL 0x07
#define CAN 0x18
#define SUB 0x1A
#define C1_ST 0x9C

static const char paste_end[] = "\x1B[201~";

void keys_step_string(struct key_parser *p, uint8_t byte)
{
	/* 0x9C ends a string, but not in the middle of a character. */
	if (p->need > 0 && keys_utf8_more(p, byte))
		return;
	p->need = 0;
	if (byte == ESC)
		p->state = KEYS_STRING_ESC;
	else if (byte == CAN || byte == SUB || byte == C1_ST || (byte == BEL && p->is_osc))
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
	else if (byte >= 0x80 && !keys_utf8_begin(p, byte))
		p->need = 0;
}

void keys_step_string_esc(struct key_parser *p, uint8_t byte)
{
	if (byte == '\\') {
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
		return;
	}
	/* No end: a new sequence cut the string off. */
	keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
	p->state = KEYS_ESC;
	keys_step_esc(p, byte);
}

void keys_begin_paste(struct key_parser *p)
{
	p->state = KEYS_PASTE;
	p->pasted = 0;
	p->matched = 0;
}

static void count_pasted(struct key_parser *p, uint8_t byte)
{
	if ((byte & 0xC0) != 0x80 && p->pasted < UINT32_MAX)
		p->pasted++;
}

uint32_t keys_paste_count(const struct key_parser *p)
{
	return p->pasted > UINT32_MAX - p->matched ? UINT32_MAX : p->pasted + p->matched;
}

void keys_step_paste(struct key_parser *p, uint8_t byte)
{
	if (byte == (uint8_t)paste_end[p->matched]) {
		p->matched++;
		if (paste_end[p->matched] == '\0')
			keys_sequence_done(p, KEY_CODE_PASTE, p->pasted);
		return;
	}
	/* What looked like the end mark was text. Its first byte is nowhere else in it, so only that can begin it anew. */
	p->pasted = keys_paste_count(p);
	p->matched = byte == ESC;
	if (byte != ESC)
		count_pasted(p, byte);
}
