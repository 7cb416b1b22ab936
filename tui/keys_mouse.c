#include "config.h"

#include "tui/keys_internal.h"

#include <stdlib.h>
#include <string.h>

/* A report of the mouse in the form of xterm's mode 1006: ESC [ < BUTTON ; COLUMN ; ROW M, or m when a button is let go. Only the first
   button and the wheel mean something, alone: with Shift the terminal selects text, and what Ctrl and Alt do is the terminal's too. */

#define BUTTON_FIRST 0
#define WHEEL_UP 64
#define WHEEL_DOWN 65
#define NUMBER_MAX 9999

/* A number up to `end` at *at, which moves behind it; -1 when there is none. */
static long number(const char **at, char end)
{
	long n = 0;
	unsigned digits = 0;

	for (; **at >= '0' && **at <= '9' && digits < 5; digits++)
		n = n * 10 + (*(*at)++ - '0');
	if (digits == 0 || n > NUMBER_MAX || **at != end)
		return -1;
	if (end != '\0')
		(*at)++;
	return n;
}

static enum key_code code_of(long button)
{
	switch (button) {
	case BUTTON_FIRST:
		return KEY_CODE_CLICK;
	case WHEEL_UP:
		return KEY_CODE_WHEEL_UP;
	case WHEEL_DOWN:
		return KEY_CODE_WHEEL_DOWN;
	default:
		return KEY_CODE_UNKNOWN;
	}
}

/* Button, column and row, both from 1 on; what is no report is KEY_CODE_UNKNOWN. */
static struct key read_report(const struct key_parser *p)
{
	char text[KEYS_PARAMS_BYTES + 1] = "";
	const char *at = text + 1;
	struct key key = {.code = KEY_CODE_UNKNOWN};

	if (p->params_len <= KEYS_PARAMS_BYTES)
		memcpy(text, p->params, p->params_len);
	long button = number(&at, ';'), col = button < 0 ? -1 : number(&at, ';');
	long row = col < 0 ? -1 : number(&at, '\0');
	if (col > 0 && row > 0)
		key = (struct key){.code = code_of(button),
			.col = (unsigned)col - 1,
			.row = (unsigned)row - 1};
	return key;
}

bool keys_mouse(struct key_parser *p, uint8_t final)
{
	struct key key;

	if ((final != 'M' && final != 'm') || p->params_len == 0 || p->params[0] != '<')
		return false;
	key = read_report(p);
	keys_sequence_done(p, final == 'M' ? key.code : KEY_CODE_UNKNOWN, 0);
	p->queue[p->count - 1].col = key.col;
	p->queue[p->count - 1].row = key.row;
	return true;
}
