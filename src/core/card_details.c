#include "config.h"

#include "core/card_internal.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void add_values(struct facts *facts, const struct environment *env)
{
	struct fact *fact = facts_add(facts, "values");

	for (size_t i = 0; i < env->kept.count; i++)
		line_add(fact_line(fact), SPAN_FOREIGN, "%s", env->kept.items[i]);
}

static void add_cut(struct facts *facts, const struct environment *env)
{
	struct fact *fact = NULL;

	for (int i = 0; i < ENV_GROUP_COUNT; i++) {
		if (env->cut[i].count == 0)
			continue;
		if (fact == NULL)
			fact = facts_add(facts, "cut");
		struct line *line = fact_line(fact);

		line_add(line, SPAN_OURS, "%s: ", env_group_words((enum env_group)i));
		line_foreign_list(line, &env->cut[i], " ");
	}
}

/* A line of the printed plan went through the safe-text rule already. A view puts every span through it, so the span holds the bytes
   that were meant: escaped twice, an ESC of a value would read as the five letters <ESC>. */
static void add_shown(struct line *line, const char *shown, size_t len)
{
	STR_AUTO struct str raw = STR_INIT;
	struct err err = ERR_INIT;

	if (text_unescape(shown, len, &raw, &err) == 0)
		line_add(line, SPAN_FOREIGN, "%s", str_c(&raw));
	else
		line_add(line, SPAN_FOREIGN, "%.*s", (int)len, shown);
}

static void add_text(struct facts *facts, const char *label, const char *text)
{
	struct fact *fact;

	if (text == NULL || text[0] == '\0')
		return;
	fact = facts_add(facts, label);
	while (*text != '\0') {
		size_t len = strcspn(text, "\n");

		add_shown(fact_line(fact), text, len);
		text += len + (text[len] == '\n');
	}
}

static void add_passed(struct facts *facts, const struct passed_list *passed)
{
	if (passed == NULL || passed->count == 0)
		return;
	struct fact *fact = facts_add(facts, "passed over");

	for (unsigned i = 0; i < passed->count; i++) {
		struct line *line = fact_line(fact);

		line_add(line, SPAN_OURS, "%s: ", backend_id_name(passed->items[i].backend));
		/* A reason may quote what a wrapper printed. */
		line_add(line, SPAN_FOREIGN, "%s", passed->items[i].why);
	}
}

static void add_proofs(struct facts *facts, const struct card_inputs *in)
{
	const struct offer *offer = in->offer;
	struct fact *fact = facts_add(facts, "proofs");
	struct line *line = fact_line(fact);

	line_add(line, SPAN_OURS, "%s",
		offer->proved[0] != '\0' ? offer->proved : "proved at its start");
	line = fact_line(fact);
	for (int i = 0; i < FACET_COUNT; i++) {
		enum facet facet = (enum facet)i;

		if (i > 0)
			line_add(line, SPAN_OURS, ", ");
		line_words(line, facet_words(facet, offer->facets[facet]));
	}
}

static void add_more_limits(struct facts *facts, const struct card_inputs *in)
{
	const struct limits *l = &in->confinement->limits;
	const char *cpu = in->offer->enforcers[LIMIT_CPU_TIME];
	const char *file = in->offer->enforcers[LIMIT_FILE_SIZE];
	struct fact *fact = facts_add(facts, "more limits");
	char size[32], small[32];

	if (cpu != NULL)
		line_add(fact_line(fact), SPAN_OURS, "CPU time %u s a process %s", l->cpu_s, cpu);
	else
		line_words(fact_line(fact), "!CPU time not held");
	size_words(l->file_bytes, size);
	if (file != NULL)
		line_add(fact_line(fact), SPAN_OURS, "file size %s %s", size, file);
	else
		line_words(fact_line(fact), "!file size not held");
	line_add(fact_line(fact), SPAN_OURS, "grace %u s between SIGTERM and SIGKILL", l->grace_s);
	if (in->offer->backend == BACKEND_NONE)
		return;
	if (in->offer->flat) {
		line_words(fact_line(fact), "!size of HOME and TMPDIR not held without namespaces");
		return;
	}
	if (in->offer->backend == BACKEND_FIREJAIL) {
		line_words(fact_line(fact),
			"!size of /tmp, /var/tmp, /dev/shm and HOME not held by firejail");
		if (in->confinement->uid != 0 && confinement_shows(in->confinement, "/var/tmp"))
			line_words(fact_line(fact),
				"!/var/tmp closed for writing but for what is listed below it");
		return;
	}
	size_words(l->tmp_bytes, size);
	size_words(l->small_tmpfs_bytes, small);
	line_add(fact_line(fact), SPAN_OURS,
		"/tmp %s; /var/tmp, /run, /dev/shm, HOME/.cache and HOME/.npm %s each", size,
		small);
}

static void add_readonly(struct facts *facts, const struct confinement *c)
{
	if (c->readonly.count == 0)
		return;
	struct fact *fact = facts_add(facts, "may read");

	for (size_t i = 0; i < c->readonly.count; i++)
		line_add(fact_line(fact), SPAN_FOREIGN, "%s", c->readonly.items[i].path);
}

static void add_git(struct facts *facts, const struct confinement *c)
{
	static const char *const words[] = {
		[GUARD_SELF] = "cannot be renamed away: ",
		[GUARD_READONLY] = "read-only: ",
		[GUARD_MADE] = "made empty and read-only for the run, removed after it: ",
	};
	struct fact *fact = NULL;

	for (size_t i = 0; i < c->guard_count; i++) {
		if (fact == NULL) {
			fact = facts_add(facts, "git");
			line_add(fact_line(fact), SPAN_OURS,
				"git config fails here, and git remote add: they write to config");
		}
		struct line *line = fact_line(fact);

		line_add(line, SPAN_OURS, "%s", words[c->guards[i].kind]);
		line_add(line, SPAN_FOREIGN, "%s", c->guards[i].place.path);
	}
}

static void add_policy(struct facts *facts, const struct ruling *ruling)
{
	struct line *line = fact_line(facts_add(facts, "policy"));

	line_add(line, SPAN_OURS, "%s", verdict_name(ruling->verdict));
	if (ruling->rule == NULL)
		return;
	line_add(line, SPAN_OURS, ", by ");
	line_add(line, SPAN_FOREIGN, "%s", ruling->rule);
}

static void add_asked(struct facts *facts, const struct request *request)
{
	if (request->working_dir == NULL)
		return;
	struct line *line = fact_line(facts_add(facts, "asked for"));

	line_add(line, SPAN_OURS, "directory ");
	line_add(line, SPAN_FOREIGN, "%s", request->working_dir);
}

void card_add_details(struct card *card, const struct card_inputs *in)
{
	struct facts *facts = &card->details;
	char hex[DIGEST_HEX_BYTES];

	add_values(facts, &in->confinement->env);
	add_cut(facts, &in->confinement->env);
	add_text(facts, "argv", in->plan_text);
	add_passed(facts, in->passed);
	add_proofs(facts, in);
	add_more_limits(facts, in);
	add_readonly(facts, in->confinement);
	add_git(facts, in->confinement);
	add_policy(facts, in->ruling);
	add_asked(facts, in->request);
	if (in->helpers == NULL)
		return;
	digest_hex(in->helpers, hex);
	line_add(fact_line(facts_add(facts, "helpers")), SPAN_OURS, "%s", hex);
}
