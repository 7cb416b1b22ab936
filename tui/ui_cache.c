#include "config.h"

#include "tui/ui_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/view.h"

/* All that the rows of a card come from. Whatever happens to a call is an event, and its last one is here too. The addresses are only
   compared. */
struct card_key {
	uint64_t seq, last_event;
	enum job_state state;
	const struct card *card, *old_card;
	struct digest digest;
	unsigned width;
	bool details, ascii;
};

struct ui_cache {
	bool has_card;
	struct card_key key;
	struct rows rows;
	struct output_index *output;
};

struct ui_cache *ui_cache_new(void)
{
	struct ui_cache *cache = mem_alloc(sizeof(*cache));

	cache->output = output_index_new();
	return cache;
}

void ui_cache_free(struct ui_cache *cache)
{
	if (cache == NULL)
		return;
	rows_release(&cache->rows);
	output_index_free(cache->output);
	free(cache);
}

static bool same_key(const struct card_key *a, const struct card_key *b)
{
	return a->seq == b->seq && a->last_event == b->last_event && a->state == b->state &&
	       a->card == b->card && a->old_card == b->old_card &&
	       digest_equal(&a->digest, &b->digest) && a->width == b->width &&
	       a->details == b->details && a->ascii == b->ascii;
}

const struct rows *ui_card_rows(const struct ui *ui, const struct job *job)
{
	struct ui_cache *cache = ui->cache;
	struct card_key key = {.seq = job->seq,
		.last_event = job->last_event,
		.state = job->state,
		.card = job->card,
		.old_card = job->old_card,
		.width = view_cols_of(ui, VIEW_CARD),
		.details = ui->details,
		.ascii = ui->ascii};

	if (job->card != NULL)
		key.digest = job->card->digest;
	if (cache->has_card && same_key(&cache->key, &key))
		return &cache->rows;
	rows_release(&cache->rows);
	layout_card(job, key.width, key.details, key.ascii, &cache->rows);
	cache->key = key;
	cache->has_card = true;
	return &cache->rows;
}

struct output_index *ui_cache_output(const struct ui *ui)
{
	return ui->cache->output;
}
