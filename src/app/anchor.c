#include "config.h"

#include "app/anchor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

#define NAME "anchor_command"
#define WORDS_BYTES (DIGEST_HEX_BYTES + 24)

int anchor_check(const struct session *s, struct err *err)
{
	return notifier_check_command(s, &s->config.anchor_command, NAME, err);
}

void anchor_begin(struct anchor *anchor, uv_loop_t *loop, const struct session *s, void *ctx,
	void (*trouble)(void *ctx, const char *why))
{
	*anchor = (struct anchor){.to_syslog = strcmp(s->config.anchor, "syslog") == 0,
		.syslog_path = ANCHOR_SYSLOG,
		.ctx = ctx,
		.trouble = trouble};
	anchor->on = anchor->to_syslog || s->config.anchor_command.count > 0;
	notifier_begin_command(
		&anchor->command, &s->config.anchor_command, NAME, loop, s, ctx, trouble);
}

bool anchor_is_busy(const struct anchor *anchor)
{
	return anchor->command.running != NULL;
}

static void words_of(const struct digest *digest, uint64_t count, char words[WORDS_BYTES])
{
	char hex[DIGEST_HEX_BYTES];

	digest_hex(digest, hex);
	snprintf(words, WORDS_BYTES, "%s %" PRIu64, hex, count);
}

static int connect_to(const char *path, int *ret_fd, struct err *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	FD_AUTO int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
		return err_set_errno(err, "anchor: syslog at %s", path);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int anchor_syslog(const char *path, const char *words, int64_t wall_ms, struct err *err)
{
	/* Not strftime: its names are those of the language of the screen. */
	static const char months[12][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm = {0};
	char line[WORDS_BYTES + 96];
	FD_AUTO int fd = -1;

	if (connect_to(path, &fd, err) != 0)
		return -1;
	localtime_r(&seconds, &tm);
	int len = snprintf(line, sizeof(line), "<%d>%s %2d %02d:%02d:%02d exequatur[%d]: record %s",
		LOG_AUTH | LOG_NOTICE, months[tm.tm_mon % 12], tm.tm_mday, tm.tm_hour, tm.tm_min,
		tm.tm_sec, (int)getpid(), words);

	if (send(fd, line, (size_t)len, MSG_NOSIGNAL) != len)
		return err_set_errno(err, "anchor: syslog at %s", path);
	return 0;
}

void anchor_give(
	struct anchor *anchor, const struct digest *digest, uint64_t count, int64_t wall_ms)
{
	char words[WORDS_BYTES];
	struct err err = ERR_INIT;

	if (!anchor->on)
		return;
	words_of(digest, count, words);
	if (anchor->to_syslog && anchor_syslog(anchor->syslog_path, words, wall_ms, &err) != 0)
		anchor->trouble(anchor->ctx, err.text);
	notifier_call(&anchor->command, words);
}

int anchor_close(struct anchor *anchor, const struct digest *digest, uint64_t count,
	int64_t wall_ms, struct err *err)
{
	char words[WORDS_BYTES];

	if (!anchor->on)
		return 0;
	int status = notifier_finish(&anchor->command, err);

	words_of(digest, count, words);
	if (anchor->to_syslog && anchor_syslog(anchor->syslog_path, words, wall_ms, err) != 0)
		status = -1;
	if (anchor->command.command->count > 0 &&
		notifier_call_last(&anchor->command, words, err) != 0)
		status = -1;
	anchor->on = false;
	return status;
}
