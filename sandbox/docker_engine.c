#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/mem.h"
#include "sandbox/docker_host.h"
#include "sandbox/engine_http.h"

/* A healthy engine answers in milliseconds; a person waits for the card meanwhile. */
#define ASK_MS 2000
/* An engine that was replaced by another one is noticed after this. */
#define FACTS_KEPT_MS 30000
#define JSON_DEPTH 64

/* Refuses with a sentence, and keeps what it is a case of. */
#define REFUSE(d, what, err, ...) ((d)->cause = (what), err_set(err, ERR_UNAVAILABLE, __VA_ARGS__))

/* What keeps an engine from being asked, in words that say what can be done. */
static int say(struct docker_host *d, const struct err *why, struct err *err)
{
	static const struct {
		int error_number;
		enum cause cause;
		const char *words;
	} rows[] = {
		{ENOENT, CAUSE_DOCKER_NOT_RUNNING, "is not there: no docker engine runs here"},
		{ECONNREFUSED, CAUSE_DOCKER_NOT_RUNNING,
			"is there, and nobody listens: is dockerd running?"},
		{EACCES, CAUSE_DOCKER_FORBIDDEN,
			"may not be used by you: root may, and members of its group, which is as "
			"good as root"},
		{EPERM, CAUSE_DOCKER_FORBIDDEN, "may not be used by you"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (why->saved_errno == rows[i].error_number)
			return REFUSE(d, rows[i].cause, err, "%s %s", d->socket, rows[i].words);
	if (why->code == ERR_LIMIT)
		return REFUSE(d, CAUSE_DOCKER_HANGS, err,
			"the docker engine at %s does not answer within %d s", d->socket,
			ASK_MS / 1000);
	if (why->code == ERR_INVALID)
		return REFUSE(d, CAUSE_DOCKER_NO_ENGINE, err,
			"what answers at %s is no docker engine", d->socket);
	return REFUSE(d, CAUSE_NOT_EXPLAINED, err, "%s", why->text);
}

static struct engine_call call_for(const struct docker_host *d)
{
	return (struct engine_call){
		.socket = d->socket, .due_ms = clock_mono_ms() + ASK_MS, .cancel_fd = -1};
}

static void target_of(const char *kind, const char *name, const char *end, struct str *ret)
{
	str_printf(ret, "/%s/", kind);
	engine_escape(ret, name);
	str_add(ret, end);
}

void docker_ask_ahead(struct docker_host *d)
{
	STR_AUTO struct str image = STR_INIT;
	target_of("images", d->image, "/json", &image);
	const char *const targets[DOCKER_ASKED] = {"/version", "/info", str_c(&image)};
	for (size_t i = 0; d->socket && i < DOCKER_ASKED; i++) {
		const struct engine_call call = call_for(d);
		struct err err = ERR_INIT; /* said when it is asked again */
		if (engine_send(&call, "GET", targets[i], &d->asked[i].fd, &err) == 0)
			d->asked[i].target = mem_strdup(targets[i]);
	}
	d->asked_ms = clock_mono_ms();
}

/* The connection on which this was asked already, a moment ago; -1. */
static int take_asked(struct docker_host *d, const char *target)
{
	for (size_t i = 0; i < DOCKER_ASKED; i++) {
		if (!d->asked[i].target || strcmp(d->asked[i].target, target) != 0)
			continue;
		free(STEAL(d->asked[i].target));
		if (clock_mono_ms() - d->asked_ms < ASK_MS)
			return d->asked[i].fd;
		fd_close(&d->asked[i].fd);
	}
	return -1;
}

/* *ret is NULL when the engine said no, in *ret_status. */
static int ask(struct docker_host *d, const char *target, int *ret_status, struct json **ret,
	struct err *err)
{
	STR_AUTO struct str body = STR_INIT;
	struct err why = ERR_INIT;
	const struct engine_call call = call_for(d);
	FD_AUTO int asked_fd = take_asked(d, target);
	*ret = NULL;
	if (asked_fd >= 0 ? engine_receive(&call, asked_fd, &body, ret_status, &why)
			  : engine_request(&call, "GET", target, &body, ret_status, &why))
		return say(d, &why, err);
	if (!ENGINE_OK(*ret_status))
		return 0;
	if (json_parse(str_c(&body), body.len, JSON_DEPTH, ret, &why) != 0) {
		why.code = ERR_INVALID;
		return say(d, &why, err);
	}
	return 0;
}

int docker_ask(struct docker_host *d, const char *kind, const char *name, const char *end,
	int *ret_status, struct json **ret, struct err *err)
{
	STR_AUTO struct str target = STR_INIT;
	target_of(kind, name, end, &target);
	return ask(d, str_c(&target), ret_status, ret, err);
}

int docker_said_no(struct docker_host *d, const char *what, int status, struct err *err)
{
	return REFUSE(d, CAUSE_DOCKER_NO_ENGINE, err,
		"the engine at %s answers %d when asked for %s", d->socket, status, what);
}

static bool is_podman(const struct json *version)
{
	const struct json *part = json_first(json_get(version, "Components"));
	for (; part; part = json_next(part)) {
		const char *name = json_get_str(part, "Name");
		if (name && strncmp(name, "Podman", 6) == 0)
			return true;
	}
	return false;
}

static int check_version(struct docker_host *d, struct err *err)
{
	JSON_AUTO struct json *version = NULL;
	int status = 0;
	if (ask(d, "/version", &status, &version, err))
		return -1;
	if (version == NULL)
		return docker_said_no(d, "its version", status, err);
	if (is_podman(version))
		return REFUSE(d, CAUSE_DOCKER_IS_PODMAN, err,
			"podman answers at %s in docker's place: its containers were never proved "
			"here, so it is not used",
			d->socket);
	return 0;
}

static bool has_option(const struct json *info, const char *option)
{
	const struct json *at = json_first(json_get(info, "SecurityOptions"));
	for (; at; at = json_next(at)) {
		const char *text = json_str(at);
		size_t len = strlen(option);
		if (text && strncmp(text, option, len) == 0 && strchr(",", text[len]))
			return true;
	}
	return false;
}

static int check_info(struct docker_host *d, const struct json *info, struct err *err)
{
	const char *os = json_get_str(info, "OSType");
	if (os && strcmp(os, "linux") != 0)
		return REFUSE(d, CAUSE_DOCKER_NO_ENGINE, err,
			"the engine at %s runs containers of %s", d->socket, os);
	/* What a command writes would belong to somebody who is nobody here. */
	if (has_option(info, "name=userns") || has_option(info, "name=rootless"))
		return REFUSE(d, CAUSE_DOCKER_RENAMES_USERS, err,
			"the engine at %s renames users (userns-remap or rootless): a command "
			"could not write the workspace as you",
			d->socket);
	return 0;
}

int docker_engine_facts(struct docker_host *d, struct docker_facts *ret, struct err *err)
{
	JSON_AUTO struct json *info = NULL;
	int status = 0;
	d->cause = CAUSE_NONE;
	if (d->client.path == NULL)
		return REFUSE(d,
			d->client.trouble == WRAPPER_ABSENT ? CAUSE_DOCKER_ABSENT
							    : CAUSE_PROGRAM_NOT_TRUSTED,
			err, "%s", d->client.why);
	if (d->socket == NULL)
		return REFUSE(d, d->socket_cause, err, "%s", d->socket_why);
	if (d->facts_ms == 0 || clock_mono_ms() - d->facts_ms > FACTS_KEPT_MS) {
		if (check_version(d, err) || ask(d, "/info", &status, &info, err))
			return -1;
		if (info == NULL)
			return docker_said_no(d, "what it can do", status, err);
		if (check_info(d, info, err))
			return -1;
		d->facts =
			(struct docker_facts){.memory = json_get_bool(info, "MemoryLimit", false),
				.cpu = json_get_bool(info, "CpuCfsQuota", false)};
		d->facts_ms = clock_mono_ms();
	}
	*ret = d->facts;
	return 0;
}

static int check_image(struct docker_host *d, const struct json *image, struct err *err)
{
	const char *os = json_get_str(image, "Os");
	const char *architecture = json_get_str(image, "Architecture");
	const struct json *volume = json_first(json_get(json_get(image, "Config"), "Volumes"));
	if (os && architecture && (strcmp(os, "linux") != 0 || strcmp(architecture, "amd64") != 0))
		return REFUSE(d, CAUSE_DOCKER_IMAGE_UNFIT, err, "image %s is made for %s on %s",
			d->image, os, architecture);
	/* The engine would fill a directory of the host for each command. */
	if (volume)
		return REFUSE(d, CAUSE_DOCKER_IMAGE_UNFIT, err,
			"image %s has a VOLUME (%s), which would stay on this machine: use an "
			"image without one",
			d->image, json_key(volume));
	return 0;
}

int docker_engine_image(struct docker_host *d, char ret[DOCKER_ID_BYTES], struct err *err)
{
	JSON_AUTO struct json *image = NULL;
	int status = 0;
	if (docker_ask(d, "images", d->image, "/json", &status, &image, err))
		return -1;
	if (status == 404)
		return REFUSE(d, CAUSE_DOCKER_IMAGE_ABSENT, err,
			"image %s is not on this engine, and none is fetched: docker pull it, or "
			"name another in [security.sandbox.docker] image",
			d->image);
	if (image == NULL)
		return docker_said_no(d, "the image", status, err);
	if (check_image(d, image, err))
		return -1;
	const char *id = json_get_str(image, "Id");
	if (id == NULL || strncmp(id, "sha256:", 7) != 0 || strlen(id) >= DOCKER_ID_BYTES)
		return REFUSE(d, CAUSE_DOCKER_IMAGE_UNFIT, err, "image %s has no id", d->image);
	snprintf(ret, DOCKER_ID_BYTES, "%s", id);
	return 0;
}
