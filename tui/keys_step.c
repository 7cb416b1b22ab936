#include "config.h"

#include "tui/keys_internal.h"

#include <string.h>

#include "base/mem.h"

/* ECMA-48 as terminals send it. Whatever begins with ESC or a C1 control is swallowed to its end; only the few whole sequences
   of the table become keys, and none of those decides anything. */

#define ESC 0x1B
#define CAN 0x18
#define SUB 0x1A
#define DEL 0x7F

static const struct known {
	const char *body; /* parameters and final byte */
	enum key_code code;
} csi_known[] =
	{
		{"A", KEY_CODE_UP},
		{"B", KEY_CODE_DOWN},
		{"C", KEY_CODE_RIGHT},
		{"D", KEY_CODE_LEFT},
		{"H", KEY_CODE_HOME},
		{"F", KEY_CODE_END},
		{"1~", KEY_CODE_HOME},
		{"7~", KEY_CODE_HOME},
		{"4~", KEY_CODE_END},
		{"8~", KEY_CODE_END},
		{"5~", KEY_CODE_PGUP},
		{"6~", KEY_CODE_PGDN},
		{"3~", KEY_CODE_DELETE},
		{"Z", KEY_CODE_BACKTAB},
		{"I", KEY_CODE_FOCUS_IN},
		{"O", KEY_CODE_FOCUS_OUT},
},
  ss3_known[] = {
	  {"A", KEY_CODE_UP},
	  {"B", KEY_CODE_DOWN},
	  {"C", KEY_CODE_RIGHT},
	  {"D", KEY_CODE_LEFT},
	  {"H", KEY_CODE_HOME},
	  {"F", KEY_CODE_END},
};

static void begin_csi(struct key_parser *p)
{
	p->state = KEYS_CSI;
	p->params_len = 0;
}

static void begin_ss3(struct key_parser *p)
{
	p->state = KEYS_SS3;
	p->params_len = 0;
}

static void begin_string(struct key_parser *p, bool is_osc)
{
	p->state = KEYS_STRING;
	p->is_osc = is_osc;
	p->need = 0;
}

/* `c` is the byte behind ESC, or a C1 control less 0x40. False when it begins nothing. */
static bool introduces(struct key_parser *p, uint8_t c)
{
	switch (c) {
	case '[':
		begin_csi(p);
		return true;
	case 'O':
		begin_ss3(p);
		return true;
	case ']':
	case 'P': /* DCS */
	case 'X': /* SOS */
	case '^': /* PM */
	case '_': /* APC */
		begin_string(p, c == ']');
		return true;
	default:
		return false;
	}
}

static void c1(struct key_parser *p, uint32_t control)
{
	if (!introduces(p, (uint8_t)(control - 0x40)))
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
}

static void control_key(struct key_parser *p, uint8_t byte)
{
	switch (byte) {
	case '\r':
		keys_emit(p, KEY_CODE_ENTER, 0);
		return;
	case '\t':
		keys_emit(p, KEY_CODE_TAB, 0);
		return;
	case '\b':
	case DEL:
		keys_emit(p, KEY_CODE_BACKSPACE, 0);
		return;
	case ESC:
		p->state = KEYS_ESC;
		return;
	default: {
		uint32_t letter = byte + 0x40u;

		keys_emit(
			p, KEY_CODE_CTRL, letter >= 'A' && letter <= 'Z' ? letter + 0x20 : letter);
	}
	}
}

static void step_ground(struct key_parser *p, uint8_t byte)
{
	if (byte < 0x20 || byte == DEL)
		control_key(p, byte);
	else if (byte < 0x80)
		keys_emit(p, KEY_CODE_CHAR, byte);
	else if (byte < 0xA0)
		c1(p, byte);
	else if (keys_utf8_begin(p, byte))
		p->state = KEYS_UTF8;
	else
		keys_emit(p, KEY_CODE_UNKNOWN, byte);
}

static void step_utf8(struct key_parser *p, uint8_t byte)
{
	if (!keys_utf8_more(p, byte)) {
		/* A broken character; the byte behind it begins something of its own. */
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
		keys_step(p, byte);
		return;
	}
	if (p->need > 0)
		return;
	p->state = KEYS_GROUND;
	if (p->ch < 0xA0)
		c1(p, p->ch);
	else
		keys_emit(p, KEY_CODE_CHAR, p->ch);
}

void keys_step_esc(struct key_parser *p, uint8_t byte)
{
	/* ESC ESC: a held or doubled Esc key, or Alt with an arrow: still the start of one thing. */
	if (byte == ESC || introduces(p, byte))
		return;
	if (byte >= 0x20 && byte < 0x30)
		p->state = KEYS_ESC_MIDDLE;
	else if (byte >= 0xA0 && keys_utf8_begin(p, byte))
		p->state = KEYS_ESC_UTF8;
	else
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
}

static void step_esc_utf8(struct key_parser *p, uint8_t byte)
{
	bool more = keys_utf8_more(p, byte);

	if (more && p->need > 0)
		return;
	keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
	if (!more)
		keys_step(p, byte);
}

static void step_esc_middle(struct key_parser *p, uint8_t byte)
{
	if (byte == ESC)
		p->state = KEYS_ESC;
	else if (byte == CAN || byte == SUB || byte >= 0x30)
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
}

static enum key_code lookup(
	const struct known *table, size_t count, const struct key_parser *p, uint8_t final)
{
	char body[KEYS_PARAMS_BYTES + 2] = "";

	if (p->params_len > KEYS_PARAMS_BYTES)
		return KEY_CODE_UNKNOWN;
	memcpy(body, p->params, p->params_len);
	body[p->params_len] = (char) final;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(table[i].body, body) == 0)
			return table[i].code;
	}
	return KEY_CODE_UNKNOWN;
}

static void add_param(struct key_parser *p, uint8_t byte)
{
	if (p->params_len < KEYS_PARAMS_BYTES)
		p->params[p->params_len++] = (char)byte;
	else
		p->params_len = KEYS_PARAMS_BYTES + 1;
}

static void csi_final(struct key_parser *p, uint8_t byte)
{
	if (byte == '[' && p->params_len == 0) {
		p->state = KEYS_CSI_LINUX;
	} else if (byte == 'M' && p->params_len == 0) {
		p->state = KEYS_MOUSE;
		p->need = 3;
	} else if (byte == '~' && p->params_len == 3 && memcmp(p->params, "200", 3) == 0) {
		keys_begin_paste(p);
	} else if (!keys_mouse(p, byte)) {
		keys_sequence_done(p, lookup(csi_known, ARRAY_LEN(csi_known), p, byte), 0);
	}
}

/* What is inside a sequence and cannot be part of it: ESC begins another one, CAN and SUB end it, the rest is swallowed. */
static bool foreign_byte(struct key_parser *p, uint8_t byte)
{
	if (byte >= 0x20 && byte < DEL)
		return false;
	if (byte == ESC) {
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
		p->state = KEYS_ESC;
	} else if (byte == CAN || byte == SUB) {
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
	}
	return true;
}

static void step_csi(struct key_parser *p, uint8_t byte)
{
	if (foreign_byte(p, byte))
		return;
	if (byte >= 0x40)
		csi_final(p, byte);
	else
		add_param(p, byte);
}

static void step_ss3(struct key_parser *p, uint8_t byte)
{
	if (foreign_byte(p, byte))
		return;
	if (byte >= 0x40)
		keys_sequence_done(p, lookup(ss3_known, ARRAY_LEN(ss3_known), p, byte), 0);
	else
		add_param(p, byte);
}

static void step_csi_linux(struct key_parser *p, uint8_t byte)
{
	if (!foreign_byte(p, byte))
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
}

static void step_mouse(struct key_parser *p, uint8_t byte)
{
	(void)byte;
	if (--p->need == 0)
		keys_sequence_done(p, KEY_CODE_UNKNOWN, 0);
}

static void (*const steps[KEYS_STATE_COUNT])(struct key_parser *, uint8_t) = {
	[KEYS_GROUND] = step_ground,
	[KEYS_UTF8] = step_utf8,
	[KEYS_ESC] = keys_step_esc,
	[KEYS_ESC_UTF8] = step_esc_utf8,
	[KEYS_ESC_MIDDLE] = step_esc_middle,
	[KEYS_CSI] = step_csi,
	[KEYS_CSI_LINUX] = step_csi_linux,
	[KEYS_MOUSE] = step_mouse,
	[KEYS_SS3] = step_ss3,
	[KEYS_STRING] = keys_step_string,
	[KEYS_STRING_ESC] = keys_step_string_esc,
	[KEYS_PASTE] = keys_step_paste,
};

void keys_step(struct key_parser *p, uint8_t byte)
{
	steps[p->state](p, byte);
}
