#include "config.h"

#include "core/grant.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MINUTE_MS 60000

const char *grant_state_word(enum grant_state state)
{
	static const char *const words[GRANT_STATE_COUNT] = {
		[GRANT_HOLDS] = "holds",
		[GRANT_USED_UP] = "used up",
		[GRANT_EXPIRED] = "expired",
		[GRANT_REVOKED] = "revoked",
	};

	return words[state];
}

void grant_release(struct grant *grant)
{
	free(STEAL(grant->agent));
	free(STEAL(grant->command));
	free(STEAL(grant->directory));
	free(STEAL(grant->revoked_why));
}

void grants_release(struct grants *grants)
{
	for (size_t i = 0; i < grants->count; i++)
		grant_release(&grants->items[i]);
	free(grants->items);
	*grants = (struct grants){0};
}

bool grant_numbers_fit(int64_t minutes, int64_t times)
{
	return minutes >= 1 && minutes <= GRANT_MINUTES_MAX && times >= 1 &&
	       times <= GRANT_TIMES_MAX;
}

bool grant_possible(const struct card *card)
{
	return !unusual_has_danger(&card->unusual) && card->network != CARD_NETWORK_ON_HOST &&
	       card->asked == NULL;
}

int64_t grant_left_ms(const struct grant *grant, int64_t now_ms)
{
	int64_t left = grant->made_at_ms + (int64_t)grant->minutes * MINUTE_MS - now_ms;

	return left > 0 ? left : 0;
}

enum grant_state grant_state(const struct grant *grant, int64_t now_ms)
{
	if (grant->revoked_why != NULL)
		return GRANT_REVOKED;
	if (grant->used >= grant->times)
		return GRANT_USED_UP;
	return grant_left_ms(grant, now_ms) == 0 ? GRANT_EXPIRED : GRANT_HOLDS;
}

struct grant *grants_get(const struct grants *grants, uint64_t number)
{
	for (size_t i = 0; i < grants->count; i++) {
		if (grants->items[i].number == number)
			return &grants->items[i];
	}
	return NULL;
}

size_t grants_holding(const struct grants *grants, int64_t now_ms)
{
	size_t holding = 0;

	for (size_t i = 0; i < grants->count; i++)
		holding += grant_state(&grants->items[i], now_ms) == GRANT_HOLDS;
	return holding;
}

const struct grant *grants_find(
	const struct grants *grants, unsigned peer, const struct digest *digest, int64_t now_ms)
{
	for (size_t i = 0; i < grants->count; i++) {
		const struct grant *grant = &grants->items[i];

		if (grant->peer == peer && grant_state(grant, now_ms) == GRANT_HOLDS &&
			(digest == NULL || digest_equal(&grant->digest, digest)))
			return grant;
	}
	return NULL;
}

static void drop(struct grants *grants, size_t at)
{
	grant_release(&grants->items[at]);
	grants->count--;
	memmove(&grants->items[at], &grants->items[at + 1],
		(grants->count - at) * sizeof(*grants->items));
}

static int make_room(struct grants *grants, int64_t now_ms, struct err *err)
{
	for (size_t i = 0; grants->count >= GRANTS_MAX && i < grants->count; i++) {
		if (grant_state(&grants->items[i], now_ms) != GRANT_HOLDS)
			drop(grants, i);
	}
	if (grants->count >= GRANTS_MAX)
		return err_set(err, ERR_LIMIT, "%zu grants hold already", grants->count);
	return 0;
}

int grants_add(struct grants *grants, struct grant *grant, int64_t now_ms, struct err *err)
{
	if (!grant_numbers_fit(grant->minutes, grant->times))
		return err_set(err, ERR_INVALID, "a grant for %u minutes and %u times",
			grant->minutes, grant->times);
	if (make_room(grants, now_ms, err) != 0)
		return -1;
	mem_grow(&grants->items, &grants->cap, grants->count, sizeof(*grants->items));
	grant->number = ++grants->last;
	grants->items[grants->count++] = *grant;
	*grant = (struct grant){0};
	return 0;
}

void grant_inputs(const struct card_inputs *in, struct request *request, struct offer *offer,
	struct card_inputs *ret)
{
	*request = *in->request;
	request->agent = NULL;
	request->reason = NULL;
	*offer = *in->offer;
	offer->proved[0] = '\0';
	*ret = *in;
	ret->seq = 0;
	ret->came_from = "";
	ret->request = request;
	ret->offer = offer;
}
