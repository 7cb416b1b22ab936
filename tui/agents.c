#include "config.h"

#include "tui/agents.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

static bool is_here(const struct sender *sender)
{
	return sender->here > 0 || sender->waiting.count > 0 || sender->running > 0;
}

void agent_rows_make(const struct model *model, struct agent_rows *ret)
{
	*ret = (struct agent_rows){
		.items = mem_array(model->sender_count + 1, sizeof(*ret->items))};
	for (size_t i = 0; i < model->sender_count; i++) {
		if (is_here(model->senders[i]))
			ret->items[ret->here++] = model->senders[i];
	}
	ret->count = ret->here;
	for (size_t i = model->sender_count; i-- > 0;) {
		if (!is_here(model->senders[i]))
			ret->items[ret->count++] = model->senders[i];
	}
}

void agent_rows_release(struct agent_rows *rows)
{
	free(rows->items);
	*rows = (struct agent_rows){0};
}

size_t agent_rows_find(const struct agent_rows *rows, unsigned number)
{
	size_t i = 0;

	while (i < rows->count && rows->items[i]->number != number)
		i++;
	return i;
}
