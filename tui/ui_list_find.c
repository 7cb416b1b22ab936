#include "config.h"

#include "tui/ui.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/agents.h"
#include "tui/filter.h"
#include "tui/panes.h"
#include "tui/queue.h"
#include "tui/seek.h"
#include "tui/ui_internal.h"
#include "tui/view.h"
#include "tui/view_parts.h"

/* `/` and `n` in a list that shows all of its rows whatever is sought: a call that waits is never out of it. The selection goes to
   the row that matches. */

struct hits {
	bool *rows; /* which of them match */
	size_t count, at, total;
	bool around; /* past the end of the list, or its start */
};

enum way { WAY_HERE /* or behind it */, WAY_ON, WAY_BACK };

static void hits_begin(struct hits *hits, size_t count)
{
	*hits = (struct hits){.rows = mem_array(count + 1, sizeof(*hits->rows)), .count = count};
}

/* at: the selected row, or count. Leaves the row of the match in hits->at. */
static bool hits_go(struct hits *hits, size_t at, enum way way)
{
	size_t n = hits->count, step = way != WAY_HERE && at < n ? 1 : 0;

	for (size_t i = 0; i < n; i++)
		hits->total += hits->rows[i];
	if (hits->total == 0)
		return false;
	at = at < n ? at : 0;
	hits->at = at;
	/* All the way around: at the last step it is the selected row itself. */
	for (; step <= n; step++) {
		hits->at = (way == WAY_BACK ? at + n - step : at + step) % n;
		if (hits->rows[hits->at])
			break;
	}
	hits->around = way == WAY_BACK ? step > at : at + step >= n;
	return true;
}

static void hits_say(struct press *p, const struct hits *hits, enum way way)
{
	size_t number = 0;

	for (size_t i = 0; i <= hits->at; i++)
		number += hits->rows[i];
	ui_say(p->ui, "match %zu of %zu%s", number, hits->total,
		!hits->around     ? ""
		: way == WAY_BACK ? ", from the end again"
				  : ", from the start again");
}

static enum way way_of(bool back)
{
	return back ? WAY_BACK : WAY_ON;
}

/* Rows of the queue by their calls: one that stands for many matches when one of these does. */
static void seek_calls(const struct press *p, struct queue_rows *rows, struct hits *hits)
{
	const struct model *model = p->model;
	struct err err = ERR_INIT;
	struct filter filter;

	hits_begin(hits, rows->count);
	if (filter_parse(p->ui->find_queue, model, &filter, &err) != 0)
		return;
	for (size_t i = 0; i < model->count; i++) {
		const struct job *job = model->jobs[i];

		if (job->state == JOB_NEW || !filter_match(&filter, job))
			continue;
		size_t row = queue_rows_find(rows, job->seq);
		if (row < rows->count)
			hits->rows[row] = true;
	}
	filter_release(&filter);
}

static void go_call(struct press *p, enum way way)
{
	struct ui *ui = p->ui;
	struct queue_rows rows;
	struct hits hits;

	queue_rows_make(p->model, &rows);
	seek_calls(p, &rows, &hits);
	if (!hits_go(&hits, queue_rows_find(&rows, ui->selected), way)) {
		ui_say(ui, "not found: %s", ui->find_queue);
	} else {
		struct queue_row row = queue_row_at(&rows, hits.at);

		if (!queue_row_is(p->model, &row, ui->selected))
			ui->selected = row.job->seq;
		ui->queue_top = queue_rows_top(&rows, ui->queue_top, hits.at,
			view_rows_of(ui, p->model, VIEW_QUEUE), panes_shown(ui));
		hits_say(p, &hits, way);
	}
	free(hits.rows);
	queue_rows_release(&rows);
}

bool ui_queue_accept(struct press *p, const char *text)
{
	return ui_history_accept(p, text);
}

void ui_queue_found(struct press *p)
{
	if (p->ui->find_queue[0] != '\0')
		go_call(p, WAY_HERE);
}

void ui_queue_match(struct press *p, bool back)
{
	go_call(p, way_of(back));
}

static bool text_has(const struct seek *seek, const char *text)
{
	return text != NULL && seek_next(seek, text, strlen(text)) != NULL;
}

static void seek_grants(const struct press *p, struct hits *hits)
{
	const struct grants *grants = &p->model->grants;
	struct seek seek;

	hits_begin(hits, grants->count);
	seek_begin(&seek, p->ui->find_grants);
	for (size_t i = 0; i < grants->count; i++) {
		const struct grant *grant = &grants->items[i];
		char seq[32];

		snprintf(seq, sizeof(seq), "#%" PRIu64, grant->seq);
		hits->rows[i] = text_has(&seek, grant->command) || text_has(&seek, grant->agent) ||
				text_has(&seek, grant->directory) || text_has(&seek, seq);
	}
	seek_release(&seek);
}

static void go_grant(struct press *p, enum way way)
{
	const struct grants *grants = &p->model->grants;
	size_t at = 0;
	struct hits hits;

	while (at < grants->count && grants->items[at].number != p->ui->grant_number)
		at++;
	seek_grants(p, &hits);
	if (!hits_go(&hits, at, way)) {
		ui_say(p->ui, "not found: %s", p->ui->find_grants);
	} else {
		p->ui->grant_number = grants->items[hits.at].number;
		hits_say(p, &hits, way);
	}
	free(hits.rows);
}

void ui_grants_found(struct press *p)
{
	if (p->ui->find_grants[0] != '\0')
		go_grant(p, WAY_HERE);
}

void ui_grants_match(struct press *p, bool back)
{
	go_grant(p, way_of(back));
}

/* By the name, the programs and the pids of its connections. */
static bool sender_has(
	const struct model *model, const struct sender *sender, const struct seek *seek)
{
	STR_AUTO struct str name = STR_INIT;
	bool has;

	sender_words(model, sender, &name);
	has = text_has(seek, str_c(&name));
	for (size_t i = 0; i < model->peer_count && !has; i++) {
		const struct peer *peer = model->peers[i];
		char pid[32];

		snprintf(pid, sizeof(pid), "%" PRId64, peer->pid);
		has = peer->sender == sender->number &&
		      (text_has(seek, peer->program) ||
			      text_has(seek, peer_kind_name(peer->kind)) ||
			      (peer->pid >= 0 && text_has(seek, pid)));
	}
	return has;
}

static void go_agent(struct press *p, enum way way)
{
	struct agent_rows rows;
	struct hits hits;
	struct seek seek;

	agent_rows_make(p->model, &rows);
	hits_begin(&hits, rows.count);
	seek_begin(&seek, p->ui->find_agents);
	for (size_t i = 0; i < rows.count; i++)
		hits.rows[i] = sender_has(p->model, rows.items[i], &seek);
	seek_release(&seek);
	if (!hits_go(&hits, agent_rows_find(&rows, p->ui->agent), way)) {
		ui_say(p->ui, "not found: %s", p->ui->find_agents);
	} else {
		p->ui->agent = rows.items[hits.at]->number;
		hits_say(p, &hits, way);
	}
	free(hits.rows);
	agent_rows_release(&rows);
}

void ui_agents_found(struct press *p)
{
	if (p->ui->find_agents[0] != '\0')
		go_agent(p, WAY_HERE);
}

void ui_agents_match(struct press *p, bool back)
{
	go_agent(p, way_of(back));
}
