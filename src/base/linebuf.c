#include "config.h"

#include "base/linebuf.h"

#include <string.h>

void linebuf_init(struct linebuf *lb, size_t max)
{
	memset(lb, 0, sizeof(*lb));
	lb->max = max;
}

void linebuf_release(struct linebuf *lb)
{
	str_release(&lb->pending);
	linebuf_init(lb, lb->max);
}

/* Forgets the lines that were returned already. */
static void compact(struct linebuf *lb)
{
	size_t rest = lb->pending.len - lb->taken;

	if (lb->taken == 0)
		return;
	memmove(lb->pending.data, lb->pending.data + lb->taken, rest);
	str_truncate(&lb->pending, rest);
	lb->scanned -= lb->taken;
	lb->taken = 0;
}

void linebuf_feed(struct linebuf *lb, const void *bytes, size_t len)
{
	const char *at = bytes;

	if (len == 0)
		return;
	compact(lb);
	/* The tail of a line that was too long is dropped here, so that it costs no memory. */
	if (lb->skipping && lb->pending.len == 0) {
		const char *newline = memchr(at, '\n', len);

		if (newline == NULL)
			return;
		len -= (size_t)(newline - at) + 1;
		at = newline + 1;
		lb->skipping = false;
	}
	str_add_bytes(&lb->pending, at, len);
}

/* Drops the tail of a line that was too long; false when its end is not here yet. */
static bool skip_tail(struct linebuf *lb)
{
	const char *data = str_c(&lb->pending);
	const char *newline = memchr(data + lb->scanned, '\n', lb->pending.len - lb->scanned);

	if (newline == NULL) {
		lb->taken = lb->scanned = lb->pending.len;
		compact(lb);
		return false;
	}
	lb->taken = lb->scanned = (size_t)(newline - data) + 1;
	lb->skipping = false;
	return true;
}

static enum linebuf_status give(
	struct linebuf *lb, size_t len, size_t used, const char **ret_line, size_t *ret_len)
{
	*ret_line = str_c(&lb->pending) + lb->taken;
	*ret_len = len;
	lb->taken += used;
	lb->scanned = lb->taken;
	lb->line_no++;
	return LINEBUF_LINE;
}

static enum linebuf_status too_long(struct linebuf *lb)
{
	lb->skipping = true;
	lb->line_no++;
	skip_tail(lb);
	return LINEBUF_TOO_LONG;
}

enum linebuf_status linebuf_next(
	struct linebuf *lb, bool at_end, const char **ret_line, size_t *ret_len)
{
	if (lb->skipping && !skip_tail(lb))
		return LINEBUF_NONE;
	const char *data = str_c(&lb->pending);
	const char *newline = memchr(data + lb->scanned, '\n', lb->pending.len - lb->scanned);
	size_t end = newline == NULL ? lb->pending.len : (size_t)(newline - data);
	size_t len = end - lb->taken;

	lb->scanned = end;
	if (len > lb->max)
		return too_long(lb);
	if (newline != NULL)
		return give(lb, len, len + 1, ret_line, ret_len);
	if (at_end && len > 0)
		return give(lb, len, len, ret_line, ret_len);
	return LINEBUF_NONE;
}
