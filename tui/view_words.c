#include "config.h"

#include "tui/view_words.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/words.h"

#define S 1000
#define MINUTE (60 * S)

static int64_t at_least_zero(int64_t ms)
{
	return ms > 0 ? ms : 0;
}

void words_waited(int64_t ms, struct str *out)
{
	ms = at_least_zero(ms);
	if (ms < 2 * MINUTE)
		str_printf(out, _("%" PRId64 " s"), ms / S);
	else
		str_printf(out, _("%" PRId64 " min"), ms / MINUTE);
}

void words_left(int64_t ms, struct str *out)
{
	ms = at_least_zero(ms);
	if (ms < 30 * S)
		str_printf(out, _("!%" PRId64 " s"), ms / S);
	else if (ms < 2 * MINUTE)
		str_printf(out, _("%" PRId64 " s"), ms / (5 * S) * 5);
	else
		str_printf(out, _("%" PRId64 " min"), ms / MINUTE);
}

void words_took(int64_t ms, struct str *out)
{
	ms = at_least_zero(ms);
	if (ms < MINUTE)
		str_printf(out, _("%" PRId64 ".%" PRId64 " s"), ms / S, ms % S / 100);
	else
		str_printf(out, _("%" PRId64 " s"), ms / S);
}

void words_took_short(const struct job *job, struct str *out)
{
	if (job->started_at_ms < 0)
		return;
	if (job->duration_ms < 10 * S)
		words_took(job->duration_ms, out);
	else
		str_printf(out, _("%" PRId64 " s"), job->duration_ms / S);
}

void words_ran(const struct job *job, struct str *out)
{
	int64_t ms = at_least_zero(job->duration_ms), limit_s = job->wall_limit_ms / S;

	if (ms < MINUTE)
		str_printf(out, _("%" PRId64 ".%" PRId64 " of %" PRId64 " s"), ms / S, ms % S / 100,
			limit_s);
	else
		str_printf(out, _("%" PRId64 " of %" PRId64 " s"), ms / S, limit_s);
}

void words_running(const struct job *job, int64_t now_ms, struct str *out)
{
	int64_t ran_ms = at_least_zero(now_ms - job->started_at_ms);

	str_printf(out, _("%" PRId64 " of %" PRId64 " s"), ran_ms / S, job->wall_limit_ms / S);
}

void words_size(uint64_t bytes, struct str *out)
{
	static const char *const units[] = {N_("KiB"), N_("MiB"), N_("GiB")};
	size_t unit = 0;

	if (bytes < 1024) {
		words_number(bytes, "byte", out);
		return;
	}
	bytes /= 1024;
	while (bytes >= 1024 && unit + 1 < ARRAY_LEN(units)) {
		bytes /= 1024;
		unit++;
	}
	str_printf(out, "%" PRIu64 " %s", bytes, _(units[unit]));
}

static void add_of(int64_t figure, int64_t limit, const char *unit, struct str *out)
{
	if (figure < 0) {
		str_add(out, _("not measured"));
		return;
	}
	str_printf(out, "%" PRId64, figure);
	if (limit >= 0)
		str_printf(out, _(" of %" PRId64), limit);
	str_add(out, unit);
}

/* Rounded up: what uses something never shows 0. */
static int64_t megabytes(int64_t bytes)
{
	return bytes < 0 ? -1 : (bytes + (1 << 20) - 1) >> 20;
}

void words_memory(int64_t bytes, int64_t limit, struct str *out)
{
	add_of(megabytes(bytes), megabytes(limit), _(" MB"), out);
}

void words_processes(int64_t count, int64_t limit, struct str *out)
{
	add_of(count, limit, "", out);
}

void words_count(uint64_t n, struct str *out)
{
	if (n >= 1000) {
		words_count(n / 1000, out);
		str_printf(out, ",%03u", (unsigned)(n % 1000));
	} else {
		str_printf(out, "%u", (unsigned)n);
	}
}

/* What is counted; xgettext finds both forms. */
#define NOUN(one, many)                                                                            \
	{                                                                                          \
		one, many                                                                          \
	}
static const struct {
	const char *one, *many;
} nouns[] = {
	NOUN("byte", "bytes"),
	NOUN("line", "lines"),
	NOUN("call", "calls"),
	NOUN("command", "commands"),
	NOUN("grant", "grants"),
	NOUN("wrong passphrase", "wrong passphrases"),
	NOUN("second", "seconds"),
	NOUN("minute", "minutes"),
	NOUN("more call", "more calls"),
};

void words_number(uint64_t n, const char *noun, struct str *out)
{
	words_count(n, out);
	str_add_char(out, ' ');
	for (size_t i = 0; i < ARRAY_LEN(nouns); i++) {
		if (strcmp(noun, nouns[i].one) == 0) {
			str_add(out, P_(nouns[i].one, nouns[i].many, n));
			return;
		}
	}
	str_printf(out, "%s%s", noun, n == 1 ? "" : "s");
}

/* Writes pieces until one does not fit, and then the sign of the cut. shown: the text went through the rule already, so that a
   '<' of it is one of the rule's. */
static void field(const char *text, unsigned columns, unsigned flags, bool shown, struct str *out)
{
	struct text_iter *it = text_begin(text, strlen(text), flags);
	struct text_piece piece;
	size_t start = out->len, cut_at = out->len;
	unsigned used = 0;

	while (text_next(it, &piece)) {
		bool bracket = shown && text[piece.start] == '<';

		piece.columns = bracket ? 1 : piece.columns;
		if (used + piece.columns > columns) {
			str_truncate(out, cut_at > start ? cut_at : start);
			str_add(out, "…");
			break;
		}
		str_add(out, bracket ? "<" : piece.shown);
		used += piece.columns;
		/* Where the sign of the cut still fits. */
		if (used < columns)
			cut_at = out->len;
	}
	text_end(it);
}

void words_field(const char *text, unsigned columns, bool ascii, struct str *out)
{
	field(text, columns, ascii ? TEXT_ASCII_ONLY : 0, false, out);
}

void words_shown(const char *shown, unsigned columns, struct str *out)
{
	field(shown, columns, TEXT_OUTPUT, true, out);
}

static size_t count_lines(const char *text)
{
	size_t lines = 1;

	for (const char *lf = strchr(text, '\n'); lf != NULL; lf = strchr(lf + 1, '\n'))
		lines += lf[1] != '\0';
	return lines;
}

#define LONG_COMMAND_BYTES                                                                         \
	1024 /* on one line, from which on a row that cuts it says how long it is */

/* What a row says behind the first line: how many come after it; of one long line, how much it is in all. */
static void words_more(const char *command, struct str *out)
{
	size_t lines = count_lines(command), bytes = strlen(command);

	if (lines > 1) {
		str_printf(out, P_(" +%zu line ", " +%zu lines ", lines - 1), lines - 1);
	} else if (bytes >= LONG_COMMAND_BYTES) {
		str_add_char(out, ' ');
		words_size(bytes, out);
		str_add_char(out, ' ');
	}
}

void words_command(const struct job *job, unsigned columns, bool ascii, struct str *out)
{
	STR_AUTO struct str more = STR_INIT;

	if (job->command == NULL) {
		words_shown(job->raw != NULL ? job->raw : "", columns, out);
		return;
	}
	words_more(job->command, &more);
	unsigned more_columns = text_columns(str_c(&more));
	MEM_AUTO char *first = mem_strndup(job->command, strcspn(job->command, "\n"));
	words_field(first, columns > more_columns ? columns - more_columns : 1, ascii, out);
	str_add(out, str_c(&more));
}

const char *words_advice(const char *sentence)
{
	const char *semicolon = sentence != NULL ? strstr(sentence, "; ") : NULL;

	return semicolon != NULL ? semicolon + 2 : NULL;
}
