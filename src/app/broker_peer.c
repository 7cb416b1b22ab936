#include "config.h"

#include "app/broker.h"

#include <string.h>
#include <unistd.h>

#include "app/broker_fields.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

/* Who is connected. Trust and quotas go by the process that the kernel names, never by what an agent calls itself. */

#define SOCKET_PENDING                                                                             \
	100 /* of one sender at the socket, where max_pending_per_sender says nothing */

static unsigned sender_of(const struct broker *broker, const struct peer_id *id)
{
	for (size_t i = 0; i < broker->model.peer_count; i++) {
		const struct peer *p = broker->model.peers[i];
		const struct peer_id known = {.uid = p->uid, .pid = p->pid, .start = p->start};
		if (p->kind == PEER_SOCKET && peer_id_same(&known, id))
			return p->sender;
	}
	return 0;
}

static struct json *fields_socket(const struct broker *broker, unsigned number, unsigned sender,
	const struct peer_id *id, const char *program)
{
	struct json *f = json_new_object();
	json_set_int(f, "peer", number);
	json_set_str(f, "kind", peer_kind_name(PEER_SOCKET));
	json_set_int(f, "uid", id->uid);
	json_set_int(f, "pid", id->pid);
	json_set_int(f, "start", id->start);
	if (program != NULL && program[0] != '\0')
		json_set_str(f, "program", program);
	json_set_bool(f, "own_uid", id->uid != (int64_t)getuid());
	if (sender != number)
		json_set_int(f, "sender", sender);
	unsigned most = broker->session->config.max_pending_per_sender;
	json_set_int(f, "most", most > 0 ? most : SOCKET_PENDING);
	return f;
}

unsigned broker_peer_joined(struct broker *broker, const struct peer_id *id)
{
	unsigned number = BROKER_PEER_OPERATOR + ++broker->socket_peers;
	unsigned sender = sender_of(broker, id);
	struct str program STR_AUTO = STR_INIT;
	text_to_utf8(id->program, strlen(id->program), &program);
	broker_emit(broker, EVENT_PEER, 0,
		fields_socket(broker, number, sender != 0 ? sender : number, id, str_c(&program)));
	return number;
}

void broker_listens(struct broker *broker, const char *path)
{
	broker_emit(broker, EVENT_LISTENING, 0, fields_one("path", path));
}

static struct json *fields_sender(unsigned sender, bool refuse)
{
	struct json *f = json_new_object();
	json_set_int(f, "sender", sender);
	json_set_bool(f, "refuse", refuse);
	return f;
}

void broker_say_peers(struct broker *broker)
{
	const struct model *model = &broker->model;
	char *path MEM_AUTO = mem_strdup(model->listening);
	if (path != NULL)
		broker_listens(broker, path);
	for (size_t i = 0; i < model->peer_count; i++) {
		const struct peer *p = model->peers[i];
		const struct peer_id id = {.uid = p->uid, .pid = p->pid, .start = p->start};
		if (p->kind == PEER_SOCKET && p->left_at_ms < 0)
			broker_emit(broker, EVENT_PEER, 0,
				fields_socket(broker, p->number, p->sender, &id, p->program));
	}
	for (size_t i = 0; i < model->sender_count; i++)
		if (model->senders[i]->shut)
			broker_emit(broker, EVENT_SENDER, 0,
				fields_sender(model->senders[i]->number, true));
}

unsigned broker_sender(const struct broker *broker, unsigned peer)
{
	const struct peer *p = model_peer(&broker->model, peer);
	return p != NULL ? p->sender : peer;
}

unsigned broker_sender_most(const struct broker *broker, unsigned peer)
{
	const struct config *config = &broker->session->config;
	const struct peer *p = model_peer(&broker->model, peer);
	if (config->max_pending_per_sender > 0)
		return config->max_pending_per_sender;
	return p != NULL && p->kind == PEER_SOCKET ? SOCKET_PENDING : config->max_pending;
}

bool broker_refuse_sender(struct broker *broker, uint64_t number, bool refuse, char **ret_text)
{
	const struct sender *sender = model_sender(&broker->model, (unsigned)number);
	if (sender == NULL || sender->shut == refuse) {
		*ret_text = mem_strdup("nothing changed: that agent is not there any more");
		return false;
	}
	/* What lets calls in must be in the record; what keeps them out holds in any case. */
	if (!refuse && !broker->can_run) {
		*ret_text = mem_strdup("its calls stay refused: the record cannot be written");
		return false;
	}
	broker_emit(broker, EVENT_SENDER, 0, fields_sender(sender->number, refuse));
	return true;
}

bool broker_is_refused(const struct broker *broker, unsigned peer)
{
	const struct sender *sender = model_sender(&broker->model, broker_sender(broker, peer));
	return sender != NULL && sender->shut;
}

void broker_withdraw(struct call *call)
{
	broker_refuse(call, REASON_WITHDRAWN, "the agent went away: nobody reads the answer");
}

static void let_go(struct call *call, bool finish)
{
	if (!call->launched)
		broker_withdraw(call);
	else if (!finish)
		broker_stop_call(call, REASON_WITHDRAWN, "console");
}

static void revoke_its_grants(struct broker *broker, unsigned peer)
{
	const struct grants *grants = &broker->model.grants;
	for (size_t i = 0; i < grants->count; i++)
		if (grants->items[i].peer == peer)
			broker_revoke(broker, grants->items[i].number, "its agent went away");
}

void broker_peer_left(struct broker *broker, unsigned peer, const char *why)
{
	const struct peer *known = model_peer(&broker->model, peer);
	bool finish = strcmp(broker->session->config.on_disconnect, "finish") == 0;
	if (known == NULL || known->left_at_ms >= 0)
		return;
	struct json *f = fields_one("why", why);
	json_set_int(f, "peer", peer);
	broker_emit(broker, EVENT_PEER_LEFT, 0, f);
	/* All of them first: a place that one leaves must not go to another of the same peer. */
	for (size_t i = 0; i < broker->call_count; i++)
		if (broker->calls[i]->peer == peer)
			broker->calls[i]->unheard = true;
	broker_parked_leave(broker, peer);
	broker_hold_answers(broker);
	for (size_t i = broker->call_count; i-- > 0;) {
		struct call *call = broker->calls[i];
		if (call->peer == peer && !call->finished)
			let_go(call, finish);
	}
	broker_clear_some(broker);
	broker_send_answers(broker);
	revoke_its_grants(broker, peer);
}

bool broker_peer_has_calls(const struct broker *broker, unsigned peer)
{
	for (size_t i = 0; i < broker->call_count; i++)
		if (broker->calls[i]->peer == peer && !broker->calls[i]->answered)
			return true;
	return broker_has_parked(broker, peer);
}

void broker_check_heard(struct broker *broker, const struct call *call)
{
	if (call != NULL && broker->hooks.heard != NULL &&
		!broker->hooks.heard(broker->hooks.ctx, call->peer))
		broker_peer_left(broker, call->peer, "closed");
}

void broker_peer_words(const struct call *call, struct str *out)
{
	const struct peer *p = model_peer(&call->broker->model, call->peer);
	if (p == NULL || p->kind != PEER_SOCKET) {
		str_add(out, "stdin");
		return;
	}
	str_printf(out, "socket, agent %u (%s", p->number,
		p->program != NULL ? p->program : "a process that is not shown");
	if (p->pid >= 0)
		str_printf(out, ", pid %lld", (long long)p->pid);
	if (p->own_uid)
		str_printf(out, ", its own uid %lld", (long long)p->uid);
	str_add(out, ")");
}
