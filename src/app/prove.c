#include "config.h"

#include "app/prove.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "core/request.h"
#include "sandbox/git_guard.h"

#define PROVE_MS 10000

static int trial_confinement(
	struct session *s, bool network, struct confinement *c, struct pins *pins, struct err *err)
{
	struct request request;
	enum reason reason = REASON_NONE;
	request_init(&request);
	request.command = mem_strdup("true");
	request.network = network;
	int status = places_confine(
		&s->base, &s->config, &request, s->envp, s->host.cpus, c, pins, &reason, err);
	request_release(&request);
	if (status == 0)
		git_guard_drop_made(c);
	return status;
}

static int plan_trial(const struct session *s, const struct backend *backend, struct confinement *c,
	struct proof *ret, struct str *bytes, struct err *err)
{
	struct plan plan;
	if (backend->offer(&s->host, c, &ret->offer, err) != 0)
		return -1;
	/* The last that is tried: another one would keep what this one cannot. */
	if (ret->offer.flat)
		backend_adapt(&ret->offer, c);
	if (backend->plan(&s->host, c, &ret->offer, &plan, err) != 0)
		return -1;
	plan_encode(&plan, bytes);
	plan_release(&plan);
	return 0;
}

static void take_message(const struct message *message, struct proof *ret, bool *done)
{
	if (message->kind == MSG_READY) {
		ret->held = true;
		*done = true;
	} else if (message->kind == MSG_FAILED || message->kind == MSG_ENDED) {
		snprintf(ret->why, sizeof(ret->why), "%.190s",
			message->text[0] != '\0' ? message->text : "it ended without a word");
		ret->stage = message->stage;
		ret->error_number = message->error_number;
		if (message->kind == MSG_FAILED && message->stage == STAGE_NAMESPACES)
			ret->refused_namespaces = (unsigned)message->value;
		if (message->kind == MSG_FAILED && message->stage == STAGE_LIMITS)
			ret->lost_limits = (unsigned)message->value;
		*done = true;
	}
}

static void wait_ready(struct child *child, struct proof *ret)
{
	int64_t end = clock_mono_ms() + PROVE_MS;
	union message_buffer buffer;
	bool done = false;
	snprintf(ret->why, sizeof(ret->why), "no answer from inside within %d s", PROVE_MS / 1000);
	while (!done && clock_mono_ms() < end) {
		struct pollfd fd = {.fd = child->control_fd, .events = POLLIN};
		poll(&fd, 1, (int)(end - clock_mono_ms()));
		int got = spawn_receive(child, &buffer);
		if (got == 1)
			take_message(&buffer.message, ret, &done);
		if (got < 0) {
			snprintf(ret->why, sizeof(ret->why), "its supervisor ended without a word");
			done = true;
		}
	}
}

/* Waits until nothing of the trial is left, then reaps its supervisor. */
static void wait_gone(struct child *child)
{
	int status = 0;
	struct err err = ERR_INIT;
	spawn_tell(child, MSG_STOP, STOP_REFUSED, &err);
	struct pollfd fd = {.fd = child->pidfd, .events = POLLIN};
	poll(&fd, 1, PROVE_MS);
	spawn_reap(child, &status);
	child_close(child);
}

static int prove_confined(struct session *session, const struct backend *backend,
	struct confinement *c, struct proof *ret, struct err *err)
{
	struct str bytes STR_AUTO = STR_INIT;
	struct child child = CHILD_INIT;
	*ret = (struct proof){.backend = backend->id};
	if (plan_trial(session, backend, c, ret, &bytes, err) != 0)
		return -1;
	host_tidy(&session->host, &ret->offer);
	if (spawn_supervisor(&session->helpers, &child, err) != 0)
		return -1;
	if (spawn_plan(&child, &session->helpers, &bytes, -1,
		    host_programs(&session->host, &ret->offer), err) != 0) {
		child_close(&child);
		return -1;
	}
	wait_ready(&child, ret);
	wait_gone(&child);
	return 0;
}

static int prove_with(struct session *session, const struct backend *backend, bool network,
	struct proof *ret, struct err *err)
{
	struct confinement c;
	struct pins pins = {0};
	confinement_init(&c);
	int status = trial_confinement(session, network, &c, &pins, err);
	if (status == 0)
		status = prove_confined(session, backend, &c, ret, err);
	pins_release(&pins);
	confinement_release(&c);
	return status;
}

int prove_backend(
	struct session *session, const struct backend *backend, struct proof *ret, struct err *err)
{
	return prove_with(session, backend, false, ret, err);
}

int prove_network(
	struct session *session, const struct backend *backend, struct proof *ret, struct err *err)
{
	host_look_at_network(&session->host);
	return prove_with(session, backend, true, ret, err);
}

bool prove_learn(struct session *s, const struct proof *proof)
{
	struct host *host = &s->host;
	unsigned namespaces = host->refused_namespaces, limits = host->lost_limits;
	host->refused_namespaces |= proof->refused_namespaces;
	host->lost_limits |= proof->lost_limits;
	if (namespaces != host->refused_namespaces || limits != host->lost_limits)
		return true;
	return host_learn_unusable(
		host, &proof->offer, proof->stage, proof->error_number, proof->why);
}

/* true: something new is known, so that another choice may hold. */
static bool learn(struct session *s, const struct proof *proof)
{
	if (prove_learn(s, proof))
		return true;
	if (s->config.backend != BACKEND_AUTO)
		return false;
	host_note_failed(&s->host, proof->backend, proof->why);
	return true;
}

/* c is made once for all tries: making it looks through the whole workspace. */
static int prove_one_of(
	struct session *session, struct confinement *c, struct proof *ret, struct err *err)
{
	for (;;) {
		const struct backend *backend = NULL;
		struct offer offer;
		struct passed_list passed = {0};
		enum reason reason = REASON_NONE;
		if (backend_select(&session->config, &session->host, c, &backend, &offer, &passed,
			    &reason, err) != 0 ||
			prove_confined(session, backend, c, ret, err) != 0)
			return -1;
		if (ret->held)
			return 0;
		if (!learn(session, ret))
			return err_set(err, ERR_UNAVAILABLE, "%s: %s",
				backend_id_name(ret->backend), ret->why);
	}
}

int prove_selected(struct session *session, struct proof *ret, struct err *err)
{
	struct confinement c;
	struct pins pins = {0};
	confinement_init(&c);
	int status = trial_confinement(session, false, &c, &pins, err);
	if (status == 0)
		status = prove_one_of(session, &c, ret, err);
	pins_release(&pins);
	confinement_release(&c);
	return status;
}
