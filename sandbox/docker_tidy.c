#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/mem.h"
#include "sandbox/docker_host.h"
#include "sandbox/engine_http.h"

#define ASK_MS 3000
#define JSON_DEPTH 64
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define LABEL_UID "exequatur.uid"
#define LABEL_BOOT "exequatur.boot"
#define LABEL_SESSION "exequatur.session"
/* Between being made and being started a container of a live console does not run either. */
#define YOUNG_S 120

static void boot_id(char ret[64])
{
	FD_AUTO int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, 63);
	ret[n > 0 ? n : 0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
}

void docker_labels(const struct docker_host *d, struct strv *ret)
{
	char boot[64];
	boot_id(boot);
	strv_printf(ret, LABEL_UID "=%u", (unsigned)geteuid());
	strv_printf(ret, LABEL_BOOT "=%s", boot);
	strv_printf(ret, LABEL_SESSION "=%s", d->record ? d->record : "");
}

enum life { LIFE_DEAD, LIFE_LIVE, LIFE_UNKNOWN };

/* By the lock that a session holds on its file as long as it lives. */
static enum life session_life(const char *record)
{
	struct stat st;
	if (record == NULL || record[0] != '/')
		return LIFE_UNKNOWN;
	FD_AUTO int fd = open(record, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return LIFE_UNKNOWN;
	return flock(fd, LOCK_SH | LOCK_NB) == 0 ? LIFE_DEAD : LIFE_LIVE;
}

static bool is_left_over(const struct json *container)
{
	const struct json *labels = json_get(container, "Labels");
	const char *boot = json_get_str(labels, LABEL_BOOT);
	const char *state = json_get_str(container, "State");
	char now[64];
	boot_id(now);
	if (boot == NULL || state == NULL)
		return false;
	if (strcmp(boot, now) != 0)
		return true;
	enum life life = session_life(json_get_str(labels, LABEL_SESSION));
	if (life != LIFE_UNKNOWN)
		return life == LIFE_DEAD;
	/* Of `doctor`, or of a record that was moved away: one that runs may have somebody who waits for it. */
	int64_t age_s = clock_wall_ms() / 1000 - json_get_int(container, "Created", INT64_MAX / 2);
	return strcmp(state, "running") != 0 && age_s > YOUNG_S;
}

void docker_remove(const struct docker_host *d, const char *container)
{
	STR_AUTO struct str target = STR_INIT;
	STR_AUTO struct str body = STR_INIT;
	struct err err = ERR_INIT;
	int status = 0;
	const struct engine_call call = {
		.socket = d->socket, .due_ms = clock_mono_ms() + ASK_MS, .cancel_fd = -1};
	str_add(&target, "/containers/");
	engine_escape(&target, container);
	str_add(&target, "?force=1&v=1");
	/* What fails now is found by its labels next time. */
	engine_request(&call, "DELETE", str_c(&target), &body, &status, &err);
}

void docker_tidy(struct docker_host *d)
{
	STR_AUTO struct str target = STR_INIT;
	STR_AUTO struct str body = STR_INIT;
	JSON_AUTO struct json *list = NULL;
	struct err err = ERR_INIT;
	int status = 0;
	if (d->tidied || d->socket == NULL)
		return;
	d->tidied = true;
	MEM_AUTO char *filter =
		mem_printf("{\"label\":[\"" LABEL_UID "=%u\"]}", (unsigned)geteuid());
	str_add(&target, "/containers/json?all=1&filters=");
	engine_escape(&target, filter);
	const struct engine_call call = {
		.socket = d->socket, .due_ms = clock_mono_ms() + ASK_MS, .cancel_fd = -1};
	if (engine_request(&call, "GET", str_c(&target), &body, &status, &err) != 0 ||
		!ENGINE_OK(status) ||
		json_parse(str_c(&body), body.len, JSON_DEPTH, &list, &err) != 0)
		return;
	for (const struct json *at = json_first(list); at; at = json_next(at)) {
		const char *id = json_get_str(at, "Id");
		if (id && is_left_over(at))
			docker_remove(d, id);
	}
}
