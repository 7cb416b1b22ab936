#include "config.h"

#include "app/call_ids.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SIZE_AT_FIRST 64u /* a power of two, as each after it */

/* Whoever sends a call chooses its id: the key keeps it from choosing the place. */
static size_t place_of(const struct call_ids *ids, unsigned peer, const struct request_id *id)
{
	uint64_t at;
	if (id->kind == REQUEST_ID_STRING)
		at = digest_short(id->text, strlen(id->text), ids->key);
	else
		at = digest_short(&id->number, sizeof(id->number), ids->key);
	return (size_t)(at ^ peer) & (ids->size - 1);
}

bool call_ids_has(struct call_ids *ids, unsigned peer, const struct request_id *id)
{
	if (ids->count == 0 || id->kind == REQUEST_ID_NONE)
		return false;
	const struct call_id *at = ids->places[place_of(ids, peer, id)];
	for (; at != NULL; at = at->next) {
		ids->steps++;
		if (at->peer == peer && request_id_equal(at->id, id))
			return true;
	}
	return false;
}

static void put(struct call_ids *ids, struct call_id *entry)
{
	struct call_id **place = &ids->places[place_of(ids, entry->peer, entry->id)];
	entry->next = *place;
	*place = entry;
}

static void grow(struct call_ids *ids)
{
	const struct call_ids old = *ids;
	if (old.size == 0)
		digest_random(ids->key, sizeof(ids->key));
	ids->size = old.size > 0 ? old.size * 2 : SIZE_AT_FIRST;
	ids->places = mem_array(ids->size, sizeof(*ids->places));
	for (size_t i = 0; i < old.size; i++)
		for (struct call_id *at = old.places[i], *next; at != NULL; at = next) {
			next = at->next;
			put(ids, at);
		}
	free(old.places);
}

void call_ids_add(
	struct call_ids *ids, struct call_id *entry, unsigned peer, const struct request_id *id)
{
	if (id->kind == REQUEST_ID_NONE)
		return;
	if (ids->count == ids->size)
		grow(ids);
	*entry = (struct call_id){.peer = peer, .id = id};
	put(ids, entry);
	ids->count++;
}

void call_ids_remove(struct call_ids *ids, struct call_id *entry)
{
	if (entry->id == NULL)
		return;
	struct call_id **at = &ids->places[place_of(ids, entry->peer, entry->id)];
	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	ids->count--;
	*entry = (struct call_id){0};
}

void call_ids_release(struct call_ids *ids)
{
	free(ids->places);
	*ids = (struct call_ids){0};
}
