#include "config.h"

#include "app/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/pieces.h"
#include "base/mem.h"
#include "base/packed.h"
#include "core/event.h"

#define BLOCK_BYTES (256u * 1024u)
#define PREV_START "{\"prev\":\""
#define EVENT_START "\"event\":"
#define TYPE_START ",\"type\":\""
#define NUMBER_DIGITS_MAX 18
/* prev, v, event, at, wall and type of an honest line end before this. */
#define HEAD_BYTES 256

void lines_init(struct lines *lines, int fd)
{
	memset(lines, 0, sizeof(*lines));
	lines->fd = fd;
	linebuf_init(&lines->buf, EVENT_LINE_BYTES);
	lines->block = mem_array(BLOCK_BYTES, 1);
}

void lines_init_pieces(struct lines *lines, struct pieces *pieces)
{
	lines_init(lines, -1);
	lines->pieces = pieces;
}

void lines_release(struct lines *lines)
{
	unpack_close(lines->unpack);
	lines->unpack = NULL;
	linebuf_release(&lines->buf);
	free(lines->block);
	lines->block = NULL;
}

static int read_block(struct lines *lines, size_t *ret_len, struct err *err)
{
	ssize_t n;

	if (lines->pieces != NULL)
		return pieces_read(lines->pieces, lines->block, BLOCK_BYTES, ret_len, err);
	if (!lines->looked && packed_begins(lines->fd) &&
		unpack_open(lines->fd, &lines->unpack, err) != 0)
		return -1;
	lines->looked = true;
	if (lines->unpack != NULL)
		return unpack_read(lines->unpack, lines->block, BLOCK_BYTES, ret_len, err);
	do {
		n = read(lines->fd, lines->block, BLOCK_BYTES);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set_errno(err, "reading the record");
	*ret_len = (size_t)n;
	return 0;
}

static int fill(struct lines *lines, struct err *err)
{
	size_t n = 0;

	if (read_block(lines, &n, err) != 0)
		return -1;
	lines->at_end = n == 0;
	linebuf_feed(&lines->buf, lines->block, n);
	return 0;
}

int lines_next(struct lines *lines, const char **ret_line, size_t *ret_len, struct err *err)
{
	for (;;) {
		enum linebuf_status status = linebuf_next(&lines->buf, false, ret_line, ret_len);

		if (status == LINEBUF_LINE)
			return 1;
		if (status == LINEBUF_TOO_LONG)
			return err_set(err, ERR_LIMIT, "longer than %u bytes", EVENT_LINE_BYTES);
		if (lines->at_end)
			return 0;
		if (fill(lines, err) != 0)
			return -1;
	}
}

size_t lines_rest(const struct lines *lines, const char **ret_bytes)
{
	*ret_bytes = str_c(&lines->buf.pending) + lines->buf.taken;
	return lines->buf.pending.len - lines->buf.taken;
}

/* Decimal digits without a sign at text[*at..len); moves *at behind them. */
static int read_number(const char *text, size_t len, size_t *at, uint64_t *ret)
{
	size_t start = *at;

	*ret = 0;
	while (*at < len && text[*at] >= '0' && text[*at] <= '9' && *at - start < NUMBER_DIGITS_MAX)
		*ret = *ret * 10 + (uint64_t)(text[(*at)++] - '0');
	return *at > start && *at < len && text[*at] == ',' ? 0 : -1;
}

static int skip(const char *text, size_t len, size_t *at, const char *expected)
{
	size_t n = strlen(expected);

	if (len - *at < n || memcmp(text + *at, expected, n) != 0)
		return -1;
	*at += n;
	return 0;
}

int line_head(const char *line, size_t len, struct line_head *ret)
{
	char hex[DIGEST_HEX_BYTES] = {0};
	uint64_t version;
	size_t at = 0;

	if (skip(line, len, &at, PREV_START) != 0 || len - at < DIGEST_HEX_BYTES - 1)
		return -1;
	memcpy(hex, line + at, DIGEST_HEX_BYTES - 1);
	at += DIGEST_HEX_BYTES - 1;
	if (digest_from_hex(hex, &ret->prev) != 0 || skip(line, len, &at, "\",\"v\":") != 0 ||
		read_number(line, len, &at, &version) != 0 || skip(line, len, &at, ",") != 0 ||
		skip(line, len, &at, EVENT_START) != 0)
		return -1;
	return read_number(line, len, &at, &ret->number);
}

bool line_has_type(const char *line, size_t len, const char *name)
{
	size_t head = len < HEAD_BYTES ? len : HEAD_BYTES;
	const char *at = memmem(line, head, TYPE_START, strlen(TYPE_START));
	size_t n = strlen(name);

	if (at == NULL)
		return false;
	at += strlen(TYPE_START);
	size_t room = head - (size_t)(at - line);

	return room > n && memcmp(at, name, n) == 0 && at[n] == '"';
}
