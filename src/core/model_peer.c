#include "config.h"

#include "core/model_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const kinds[PEER_KIND_COUNT] = {
	[PEER_STDIN] = "stdin",
	[PEER_OPERATOR] = "operator",
	[PEER_SOCKET] = "socket",
};

const char *peer_kind_name(enum peer_kind kind)
{
	return kinds[kind];
}

static int kind_from_name(const char *name, enum peer_kind *ret)
{
	for (int i = 0; i < PEER_KIND_COUNT; i++) {
		if (strcmp(kinds[i], name) == 0) {
			*ret = (enum peer_kind)i;
			return 0;
		}
	}
	return -1;
}

/* Index of the first peer whose number is at least this. */
static size_t lower_bound(const struct model *model, unsigned number)
{
	size_t low = 0, high = model->peer_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (model->peers[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct peer *model_peer(const struct model *model, unsigned number)
{
	size_t index = lower_bound(model, number);

	if (index == model->peer_count || model->peers[index]->number != number)
		return NULL;
	return model->peers[index];
}

static void free_peer(struct peer *peer)
{
	free(peer->program);
	free(peer->left_why);
	free(peer);
}

void model_free_peers(struct model *model)
{
	for (size_t i = 0; i < model->peer_count; i++)
		free_peer(model->peers[i]);
	free(model->peers);
}

static void forget_one(struct model *model)
{
	for (size_t i = 0; i < model->peer_count; i++) {
		if (model->peers[i]->left_at_ms < 0)
			continue;
		free_peer(model->peers[i]);
		memmove(&model->peers[i], &model->peers[i + 1],
			(model->peer_count - i - 1) * sizeof(model->peers[0]));
		model->peer_count--;
		return;
	}
}

static void insert(struct model *model, struct peer *peer)
{
	size_t index;

	if (model->peer_count >= MODEL_PEERS_MAX)
		forget_one(model);
	index = lower_bound(model, peer->number);
	mem_grow(&model->peers, &model->peer_cap, model->peer_count, sizeof(model->peers[0]));
	memmove(&model->peers[index + 1], &model->peers[index],
		(model->peer_count - index) * sizeof(model->peers[0]));
	model->peers[index] = peer;
	model->peer_count++;
	model->connected += peer->kind == PEER_SOCKET ? 1 : 0;
	model_need_sender(model, peer->sender, peer->joined_at_ms)->here++;
}

static int want_number(const struct event *event, const char *key, unsigned *ret, struct err *err)
{
	int64_t number = *ret;

	if (model_want_int(event, key, &number, err) != 0)
		return -1;
	if (number < 1 || number > UINT_MAX)
		return model_bad_field(event, key, err);
	*ret = (unsigned)number;
	return 0;
}

static int need_number(const struct event *event, unsigned *ret, struct err *err)
{
	*ret = 0;
	return want_number(event, "peer", ret, err);
}

static int read_peer(const struct event *event, struct peer *ret, struct err *err)
{
	const char *kind;

	if (need_number(event, &ret->number, err) != 0)
		return -1;
	ret->sender = ret->number;
	if (want_number(event, "sender", &ret->sender, err) != 0 ||
		model_need_str(event, "kind", &kind, err) != 0 ||
		model_want_int(event, "uid", &ret->uid, err) != 0 ||
		model_want_int(event, "pid", &ret->pid, err) != 0 ||
		model_want_int(event, "start", &ret->start, err) != 0 ||
		model_want_int(event, "most", &ret->most, err) != 0)
		return -1;
	if (kind_from_name(kind, &ret->kind) != 0)
		return model_bad_field(event, "kind", err);
	ret->own_uid = json_get_bool(event->fields, "own_uid", false);
	return 0;
}

int model_peer_joined(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	struct peer peer = {
		.uid = -1, .pid = -1, .start = -1, .left_at_ms = -1, .left_wall_ms = -1};

	(void)job;
	if (read_peer(event, &peer, err) != 0)
		return -1;
	/* Said again in a file behind a gap. */
	if (model_peer(model, peer.number) != NULL)
		return 0;
	peer.program = mem_strdup(json_get_str(event->fields, "program"));
	peer.joined_at_ms = event->at_ms;
	peer.joined_wall_ms = event->wall_ms;
	struct peer *kept = mem_alloc(sizeof(*kept));

	*kept = peer;
	insert(model, kept);
	return 0;
}

int model_peer_left(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	unsigned number;

	(void)job;
	if (need_number(event, &number, err) != 0)
		return -1;
	struct peer *peer = model_peer(model, number);

	if (peer == NULL && model->after_gap)
		return 0;
	if (peer == NULL || peer->left_at_ms >= 0)
		return err_set(err, ERR_INVALID, "peer_left: peer %u is not here", number);
	peer->left_at_ms = event->at_ms;
	peer->left_wall_ms = event->wall_ms;
	peer->left_why = mem_strdup(json_get_str(event->fields, "why"));
	model->connected -= peer->kind == PEER_SOCKET ? 1 : 0;
	model_need_sender(model, peer->sender, event->at_ms)->here--;
	return 0;
}

int model_listening(
	struct model *model, struct job *job, const struct event *event, struct err *err)
{
	const char *path;

	(void)job;
	if (model_need_str(event, "path", &path, err) != 0)
		return -1;
	model_replace(&model->listening, path);
	return 0;
}
