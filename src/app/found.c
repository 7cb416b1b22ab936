#include "config.h"

#include "app/found.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "app/lines.h"
#include "app/record_name.h"
#include "base/fd.h"
#include "base/mem.h"
#include "core/job.h"
#include "core/result.h"

/* No session has so many calls open at once; a forged file must not make the next start slow. */
#define CALLS_MAX 4096

struct open_call {
	uint64_t seq;
	enum job_state state;
};

struct look {
	struct found_file *file;
	unsigned part; /* of its session */
	struct open_call *calls;
	size_t count, cap;
};

static struct open_call *call_of(struct look *look, uint64_t seq)
{
	for (size_t i = 0; i < look->count; i++) {
		if (look->calls[i].seq == seq)
			return &look->calls[i];
	}
	return NULL;
}

static void received(struct look *look, uint64_t seq)
{
	if (seq == 0 || call_of(look, seq) != NULL || look->count == CALLS_MAX) {
		look->file->told.damaged = true;
		return;
	}
	mem_grow(&look->calls, &look->cap, look->count, sizeof(*look->calls));
	look->calls[look->count++] = (struct open_call){.seq = seq, .state = JOB_NEW};
}

static void answered(struct look *look, struct open_call *call)
{
	size_t index = (size_t)(call - look->calls);

	memmove(call, call + 1, (look->count - index - 1) * sizeof(*call));
	look->count--;
}

static void follow_call(struct look *look, const struct event *event)
{
	struct open_call *call = call_of(look, event->seq);
	const char *decision = json_get_str(event->fields, "decision");

	/* Of a call that a gap cut off from its beginning nothing is known. */
	if (call == NULL)
		return;
	if (event->type == EVENT_ANSWERED) {
		answered(look, call);
		return;
	}
	bool no = event->type == EVENT_DECIDED && decision != NULL &&
		  strcmp(decision, decision_name(DECISION_REJECTED)) == 0;
	enum job_state state =
		no ? job_next_rejected(call->state) : job_next(call->state, event->type);

	if (state == JOB_IMPOSSIBLE)
		look->file->told.damaged = true;
	else
		call->state = state;
}

/* Of the calls that the files before told of: they go on in this one. */
static void go_on(struct look *look, const struct event *event)
{
	const struct json *item = json_first(json_get(event->fields, "calls"));

	for (; item != NULL; item = json_next(item)) {
		const char *name = json_get_str(item, "state");
		int64_t seq = json_get_int(item, "seq", 0);
		int state = 0;

		while (name != NULL && state < JOB_STATE_COUNT &&
			strcmp(job_state_name((enum job_state)state), name) != 0)
			state++;
		if (name == NULL || state == JOB_STATE_COUNT || seq <= 0) {
			look->file->told.damaged = true;
			return;
		}
		received(look, (uint64_t)seq);
		if (!look->file->told.damaged)
			look->calls[look->count - 1].state = (enum job_state)state;
	}
}

/* Output is most of a record and changes no state. */
static void follow(struct look *look, const char *line, size_t len)
{
	struct event event = {0};
	struct digest prev;
	struct err err = ERR_INIT;

	if (line_has_type(line, len, event_type_name(EVENT_OUTPUT)))
		return;
	if (event_parse(line, len, &event, &prev, &err) != 0) {
		look->file->told.damaged = look->file->told.damaged || err.code != ERR_NOT_FOUND;
		event_release(&event);
		return;
	}
	if (event.type == EVENT_RECEIVED)
		received(look, event.seq);
	else if (event.type == EVENT_CONTINUED)
		go_on(look, &event);
	else if (event.seq != 0)
		follow_call(look, &event);
	event_release(&event);
}

static void take_line(struct look *look, const char *line, size_t len)
{
	struct found_file *file = look->file;
	struct line_head head;

	bool good = line_head(line, len, &head) == 0;

	/* The first line of a session's later file goes on from one that is not read here; CHAIN proves the two. */
	if (good && look->part > 1 && file->events == 0) {
		file->events = head.number - 1;
		file->told.digest = head.prev;
	}
	file->events++;
	if (!good || head.number != file->events || !digest_equal(&head.prev, &file->told.digest))
		file->told.damaged = true;
	digest_bytes(line, len, &file->told.digest);
	if (!file->told.damaged)
		follow(look, line, len);
}

static void read_lines(struct look *look)
{
	struct found_open *told = &look->file->told;
	struct lines lines;
	struct err err = ERR_INIT;
	const char *line;
	size_t len;
	int status;

	lines_init(&lines, look->file->lock_fd);
	while ((status = lines_next(&lines, &line, &len, &err)) == 1)
		take_line(look, line, len);
	size_t rest = lines_rest(&lines, &line);

	told->damaged = told->damaged || status < 0;
	told->torn = status == 0 && rest > 0;
	if (told->torn)
		digest_bytes(line, rest, &look->file->torn_digest);
	lines_release(&lines);
}

static void tell_calls(const struct look *look)
{
	struct found_open *told = &look->file->told;

	told->calls = mem_array(look->count + 1, sizeof(*told->calls));
	told->call_count = look->count;
	for (size_t i = 0; i < look->count; i++) {
		told->calls[i].seq = look->calls[i].seq;
		snprintf(told->calls[i].state, sizeof(told->calls[i].state), "%s",
			job_state_name(look->calls[i].state));
	}
}

static int open_regular(int dir_fd, const char *name)
{
	FD_AUTO int fd =
		openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	int ret = fd;

	fd = -1;
	return ret;
}

enum found_status found_look(int dir_fd, const char *name, struct found_file *ret)
{
	*ret = (struct found_file){.lock_fd = open_regular(dir_fd, name)};
	struct look look = {.file = ret, .part = record_name_part(name)};

	if (ret->lock_fd >= 0 && flock(ret->lock_fd, LOCK_EX | LOCK_NB) != 0) {
		fd_close(&ret->lock_fd);
		return FOUND_LIVE;
	}
	ret->told.file = mem_strdup(name);
	ret->missing = ret->lock_fd < 0;
	ret->told.damaged = ret->missing;
	if (!ret->missing)
		read_lines(&look);
	tell_calls(&look);
	free(look.calls);
	return FOUND_DEAD;
}

static void found_open_release(struct found_open *found)
{
	free(found->file);
	free(found->calls);
}

void found_file_release(struct found_file *file)
{
	found_open_release(&file->told);
	fd_close(&file->lock_fd);
}

void found_list_release(struct found_list *found)
{
	for (size_t i = 0; i < found->count; i++)
		found_open_release(&found->items[i]);
	free(found->items);
	*found = (struct found_list){0};
}
