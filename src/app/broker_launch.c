#include "config.h"

#include "app/broker.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/mem.h"
#include "sandbox/docker_way.h"

#define OUTPUT_CHUNK_BYTES 65536
#define TREE_END_MS 1000
#define OUTPUT_CHUNKS_A_TURN                                                                       \
	32 /* so that one loud command cannot keep the screen and the others waiting */

static bool profile_is_new(struct broker *broker, const struct digest *digest)
{
	for (size_t i = 0; i < broker->profile_count; i++)
		if (digest_equal(&broker->profiles[i], digest))
			return false;
	mem_grow(&broker->profiles, &broker->profile_cap, broker->profile_count,
		sizeof(struct digest));
	broker->profiles[broker->profile_count++] = *digest;
	return true;
}

static int record_launch(struct call *call)
{
	struct broker *broker = call->broker;
	struct digest digest;
	struct json *profile = fields_profile(call, &digest);
	if (!profile_is_new(broker, &digest))
		json_free(profile);
	else if (broker_emit(broker, EVENT_PROFILE, 0, profile) != 0)
		return -1;
	return broker_emit(broker, EVENT_LAUNCHING, call->seq, fields_launching(call, &digest));
}

/* false: the supervisor hung up. */
static bool drain_messages(struct call *call)
{
	union message_buffer buffer;
	int got = 0;
	while (!call->finished && (got = spawn_receive(&call->child, &buffer)) == 1)
		broker_on_message(call, &buffer.message);
	return got >= 0;
}

/* Handles live by themselves: libuv frees them a turn later, when the call may be gone or launched again. */
struct watch {
	uv_poll_t control, output, reaper;
	unsigned open;
	struct call *call;
};

static void on_closed(uv_handle_t *handle)
{
	struct watch *watch = handle->data;
	if (--watch->open == 0)
		free(watch);
}

void broker_unwatch(struct call *call)
{
	struct watch *watch = STEAL(call->watch);
	if (watch == NULL)
		return;
	watch->call = NULL;
	uv_close((uv_handle_t *)&watch->control, on_closed);
	uv_close((uv_handle_t *)&watch->output, on_closed);
	uv_close((uv_handle_t *)&watch->reaper, on_closed);
}

static struct call *call_of(const uv_poll_t *poll)
{
	const struct watch *watch = poll->data;
	return watch->call;
}

/* Reads what is there. false: the pipe is at its end. */
static bool read_output(struct call *call, unsigned chunks)
{
	static char buffer[OUTPUT_CHUNK_BYTES];
	for (unsigned i = 0; i < chunks; i++) {
		ssize_t n = read(call->child.output_fd, buffer, sizeof(buffer));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		if (n == 0)
			return false;
		broker_output(call, buffer, (size_t)n);
	}
	return true;
}

static void on_output(uv_poll_t *poll, int status, int events)
{
	struct call *call = call_of(poll);
	(void)status;
	(void)events;
	if (read_output(call, OUTPUT_CHUNKS_A_TURN))
		return;
	call->output_at_end = true;
	uv_poll_stop(poll);
}

/* Killed alone, a supervisor leaves the end of its tree to the launcher, which needs a moment: the answer waits for the end of the
   output, which is the end of the last process that could write it. Blocking, and only then. */
static void wait_for_the_tree(struct call *call)
{
	int64_t end = clock_mono_ms() + TREE_END_MS;
	while (!call->output_at_end && clock_mono_ms() < end) {
		struct pollfd p = {.fd = call->child.output_fd, .events = POLLIN};
		poll(&p, 1, (int)(end - clock_mono_ms()));
		if (!read_output(call, OUTPUT_CHUNKS_A_TURN))
			call->output_at_end = true;
	}
}

/* Nothing of the tree is left; the rest of its output is still in the pipe. */
static void conclude(struct call *call)
{
	if (call->go_sent && !call->end_known)
		wait_for_the_tree(call);
	while (!call->output_at_end && call->child.output_fd >= 0) {
		uint64_t before = call->result.output_bytes;
		if (!read_output(call, OUTPUT_CHUNKS_A_TURN))
			call->output_at_end = true;
		else if (call->result.output_bytes == before)
			break;
	}
	broker_unwatch(call);
	broker_on_lost(call);
}

static void on_control(uv_poll_t *poll, int status, int events)
{
	struct call *call = call_of(poll);
	(void)events;
	bool hung_up = !drain_messages(call);
	if (call->end_known)
		/* The tree is gone; of the supervisor only its own exit is left, which broker_answer() waits for. */
		conclude(call);
	else if (hung_up || status != 0)
		/* The reaper tells the rest. Watched on, it would be reported without end and take the processor that the
		   supervisor needs for its own end. */
		uv_poll_stop(poll);
}

/* The supervisor ended: its last messages are still in the socket. */
static void on_reaper(uv_poll_t *poll, int status, int events)
{
	struct call *call = call_of(poll);
	int wait_status = 0;
	(void)status;
	(void)events;
	if (spawn_reap(&call->child, &wait_status) == 0)
		return;
	drain_messages(call);
	conclude(call);
}

static int watch_child(struct call *call, struct err *err)
{
	uv_loop_t *loop = call->broker->loop;
	struct watch *watch = mem_alloc(sizeof(*watch));
	watch->call = call;
	watch->open = 3;
	watch->control.data = watch->output.data = watch->reaper.data = watch;
	/* These fail only without memory, or when epoll refuses the kind of descriptor: never for ours. */
	int a = uv_poll_init(loop, &watch->control, call->child.control_fd);
	int b = uv_poll_init(loop, &watch->output, call->child.output_fd);
	int c = uv_poll_init(loop, &watch->reaper, call->child.pidfd);
	if (a != 0 || b != 0 || c != 0)
		return err_set(err, ERR_SYSTEM, "watching the supervisor: %s",
			uv_strerror(a != 0   ? a
				    : b != 0 ? b
					     : c));
	call->watch = watch;
	uv_poll_start(&watch->control, UV_READABLE | UV_DISCONNECT, on_control);
	uv_poll_start(&watch->output, UV_READABLE | UV_DISCONNECT, on_output);
	uv_poll_start(&watch->reaper, UV_READABLE, on_reaper);
	return 0;
}

static int send_plan(struct call *call, struct err *err)
{
	const struct session *s = call->broker->session;
	return spawn_plan(&call->child, &s->helpers, &call->plan, call->stdin_fd,
		host_programs(&s->host, &call->offer), err);
}

static void take_early(struct call *call)
{
	call->child = call->broker->session->early;
	call->broker->session->early = (struct child)CHILD_INIT;
}

static bool needs_mount_points(const struct confinement *c)
{
	for (size_t i = 0; i < c->guard_count; i++)
		if (c->guards[i].kind == GUARD_MADE)
			return true;
	return false;
}

static bool may_be_sent_ahead(const struct call *call)
{
	const struct session *s = call->broker->session;
	bool prepared = s->prepared && call->backend->id == BACKEND_LANDLOCK && !call->offer.flat;
	/* bwrap has as much to do; a launcher of the other kind, if there is one, is ended. */
	return s->early.pid > 0 && (prepared || call->backend->id == BACKEND_BUBBLEWRAP) &&
	       !needs_mount_points(&call->confinement);
}

void broker_plan_ahead(struct call *call)
{
	struct err err = ERR_INIT;
	if (!may_be_sent_ahead(call))
		return;
	take_early(call);
	if (send_plan(call, &err) == 0)
		str_add_bytes(&call->plan_sent, call->plan.data, call->plan.len);
	else /* another one will be tried, and say why */
		child_end(&call->child);
	/* So that they begin with it now. */
	sched_yield();
}

void broker_check_plan_ahead(struct call *call)
{
	if (call->plan_sent.len == 0 ||
		(call->plan_sent.len == call->plan.len &&
			memcmp(call->plan_sent.data, call->plan.data, call->plan.len) == 0))
		return;
	child_end(&call->child);
	str_clear(&call->plan_sent);
}

static int start_child(struct call *call, struct err *err)
{
	struct session *s = call->broker->session;
	host_tidy(&s->host, &call->offer);
	if (call->plan_sent.len > 0)
		return watch_child(call, err);
	if (s->early.pid > 0)
		take_early(call);
	else if (spawn_supervisor(&s->helpers, &call->child, err) != 0)
		return -1;
	if (send_plan(call, err) != 0)
		return -1;
	return watch_child(call, err);
}

/* A person's yes that waited is checked once more. false: the call went elsewhere. */
static bool checked_again(struct call *call)
{
	if (!call->approved_by_person || call->peer == BROKER_PEER_OPERATOR)
		return true; /* built in this very turn; the launcher compares every place again */
	int changed = broker_recheck(call);
	if (changed == 1)
		broker_requeue(call, "the card changed before it could start");
	return changed == 0;
}

static int make_guards(struct call *call, struct err *err)
{
	const struct docker_host *docker = call->broker->session->host.docker;
	if (call->backend->id == BACKEND_DOCKER &&
		docker_guards_make(&call->confinement, docker->empty_file, err) != 0)
		return -1;
	return git_guard_make(&call->confinement, err);
}

void broker_launch(struct call *call)
{
	struct err err = ERR_INIT;
	if (!checked_again(call))
		return;
	call->launched = true;
	/* Without a sandbox nothing is bound, so nothing needs a mount point. */
	if (call->backend->id != BACKEND_NONE && make_guards(call, &err) != 0) {
		broker_launch_failed(call, REASON_SANDBOX_FAILED, err.text);
		return;
	}
	call->git_before = git_guard_snapshot(&call->confinement);
	if (record_launch(call) != 0) {
		broker_launch_failed(call, REASON_AUDIT_UNAVAILABLE,
			"the record cannot be written, so nothing runs; make room, then ask again");
		return;
	}
	if (start_child(call, &err) != 0) {
		child_close(&call->child);
		broker_launch_failed(call, REASON_LAUNCH_FAILED, err.text);
		return;
	}
	/* The decision is made durable while the launcher prepares; the go byte comes after it. The supervisor passes it on when
	   the launcher has verified all. */
	if (broker_sync(call->broker) != 0) {
		broker_stop_call(call, REASON_AUDIT_UNAVAILABLE, "console");
		return;
	}
	call->go_given = true;
	spawn_tell(&call->child, MSG_GO, 0, &err); /* a failure shows as a hang-up */
}
