#include "config.h"

#include "core/card.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/card_internal.h"

static void add_ignored(struct line *line, const struct strv *ignored)
{
	if (ignored->count == 0)
		return;
	line_add(line, SPAN_OURS, "; ignored: ");
	line_foreign_list(line, ignored, " ");
	line_add(line, SPAN_OURS, ignored->count == 1 ? " (has no effect)" : " (have no effect)");
}

void card_add_origin(struct card *card, const struct card_inputs *in)
{
	if (in->request->reason != NULL) {
		struct line *line = fact_line(facts_add(&card->facts, "agent says"));
		STR_AUTO struct str said = STR_INIT;

		text_quoted(in->request->reason, &said);
		line_add(line, SPAN_OURS, "\"");
		line_add(line, SPAN_AGENT, "%s", str_c(&said));
		line_add(line, SPAN_OURS, in->asked != NULL ? "\" (said before your edit)" : "\"");
	}
	struct line *line = fact_line(facts_add(&card->facts, "came from"));

	line_add(line, SPAN_FOREIGN, "%s", in->came_from);
	add_ignored(line, &in->request->ignored);
	if (in->asked != NULL)
		line_add(line, SPAN_OURS, "; edited by you at %s", in->edited_at);
}

/* Its text holds the digest, so it is the one row that the digest does not cover. */
static void add_digest_row(struct card *card, const char *details_key)
{
	char words[12];

	card_short_digest(card, words);
	line_add(fact_line(facts_add(&card->facts, "card")), SPAN_OURS,
		"%s   your yes holds for exactly this; %s shows the details", words,
		details_key != NULL ? details_key : "v");
}

void card_build(const struct card_inputs *in, struct card *ret)
{
	struct card card;

	card_init(&card);
	card.seq = in->seq;
	card.command = mem_strdup(in->request->command);
	card.asked = mem_strdup(in->asked);
	card.editor = mem_strdup(in->asked != NULL ? in->editor : NULL);
	card.agent = mem_strdup(in->request->agent);
	card.backend = in->offer->backend;
	card.unsandboxed = in->offer->backend == BACKEND_NONE;
	unusual_find(card.command, strlen(card.command), in->confinement, &card.unusual);
	card_add_unusual(&card, in);
	card_add_network(&card, in);
	card_add_places(&card, in);
	card_add_sandbox(&card, in);
	card_add_limits(&card, in);
	card_add_environment(&card, in);
	card_add_origin(&card, in);
	card_add_details(&card, in);
	card_make_digest(&card, in);
	add_digest_row(&card, in->details_key);
	*ret = card;
}
