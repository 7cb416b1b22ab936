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

bool keys_mouse(struct key_parser *p, uint8_t final)
{
	char text[KEYS_PARAMS_BYTES + 1] = "";
	enum key_code code = KEY_CODE_UNKNOWN;
	const char *at = text + 1;

	if ((final != 'M' && final != 'm') || p->params_len == 0 || p->params[0] != '<')
		return false;
	if (p->params_len <= KEYS_PARAMS_BYTES)
		memcpy(text, p->params, p->params_len);
	long button = number(&at, ';'), col = button < 0 ? -1 : number(&at, ';');
	long row = col < 0 ? -1 : number(&at, '\0');
	if (final == 'M' && col > 0 && row > 0)
		code = button == BUTTON_FIRST ? KEY_CODE_CLICK
		       : button == WHEEL_UP   ? KEY_CODE_WHEEL_UP
		       : button == WHEEL_DOWN ? KEY_CODE_WHEEL_DOWN
					      : KEY_CODE_UNKNOWN;
	keys_sequence_done(p, code, 0);
	if (code != KEY_CODE_UNKNOWN) {
		p->queue[p->count - 1].col = (unsigned)col - 1;
		p->queue[p->count - 1].row = (unsigned)row - 1;
	}
	return true;
}
