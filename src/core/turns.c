#include "config.h"

#include "core/turns.h"

#include <stdlib.h>

#include "base/mem.h"

static int by_turn(const void *a, const void *b)
{
	const struct sender *x = *(const struct sender *const *)a;
	const struct sender *y = *(const struct sender *const *)b;

	return x->turn < y->turn ? -1 : x->turn > y->turn;
}

static size_t rows_of(const struct turns *turns, const struct sender *sender)
{
	if (turns->folded && sender_floods(sender) && sender->waiting.count > TURNS_FOLDED)
		return TURNS_FOLDED;
	return sender->waiting.count;
}

void turns_make(const struct model *model, bool folded, struct turns *ret)
{
	*ret = (struct turns){
		.ring = mem_array(model->sender_count + 1, sizeof(*ret->ring)), .folded = folded};
	for (size_t i = 0; i < model->sender_count; i++) {
		if (model->senders[i]->waiting.count == 0)
			continue;
		ret->ring[ret->count++] = model->senders[i];
		ret->total += rows_of(ret, model->senders[i]);
	}
	if (ret->count > 1)
		qsort(ret->ring, ret->count, sizeof(*ret->ring), by_turn);
}

void turns_release(struct turns *turns)
{
	free(turns->ring);
	*turns = (struct turns){0};
}

/* Rows of the first rounds together. */
static size_t rows_before(struct turns *turns, size_t rounds)
{
	size_t rows = 0;

	for (size_t i = 0; i < turns->count; i++) {
		size_t own = rows_of(turns, turns->ring[i]);

		rows += own < rounds ? own : rounds;
		turns->steps++;
	}
	return rows;
}

/* The round that a row belongs to. */
static size_t round_of(struct turns *turns, size_t row)
{
	size_t low = 0, high = turns->total;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows_before(turns, middle + 1) <= row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct job *turns_at(struct turns *turns, size_t row, size_t *ret_folded)
{
	if (ret_folded != NULL)
		*ret_folded = 0;
	if (row >= turns->total)
		return NULL;
	size_t round = round_of(turns, row), left = row - rows_before(turns, round), i = 0;

	for (;; i++) {
		turns->steps++;
		if (rows_of(turns, turns->ring[i]) > round && left-- == 0)
			break;
	}
	const struct sender *sender = turns->ring[i];

	if (ret_folded != NULL && rows_of(turns, sender) < sender->waiting.count &&
		round + 1 == TURNS_FOLDED)
		*ret_folded = sender->waiting.count - round;
	return job_list_at(&sender->waiting, round);
}

static const struct sender *sender_of(const struct turns *turns, const struct job *job)
{
	for (size_t i = 0; i < turns->count; i++) {
		if (turns->ring[i]->number == job->sender)
			return turns->ring[i];
	}
	return NULL;
}

size_t turns_find(struct turns *turns, const struct job *job)
{
	const struct sender *sender = sender_of(turns, job);
	size_t round, row;

	if (sender == NULL)
		return 0;
	round = job_list_below(&sender->waiting, job->seq);
	bool there = job_list_at(&sender->waiting, round) == job;

	if (rows_of(turns, sender) < sender->waiting.count && round >= TURNS_FOLDED)
		round = TURNS_FOLDED - 1;
	row = rows_before(turns, round);
	/* Of one that does not wait any more: where its round begins. */
	for (size_t i = 0; there && turns->ring[i] != sender; i++) {
		turns->steps++;
		row += rows_of(turns, turns->ring[i]) > round;
	}
	return row;
}
