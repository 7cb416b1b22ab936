#include "config.h"

#include "core/card_internal.h"

/* One row holds all of them; the details have the long words. */
static const struct {
	const char *one, *several;
} short_words[ENV_GROUP_COUNT] = {
	[ENV_GROUP_SECRETS] = {"key or token", "keys and tokens"},
	[ENV_GROUP_LINKER] = {"linker", "linker"},
	[ENV_GROUP_HOOKS] = {"hook", "hooks"},
	[ENV_GROUP_DATABASE] = {"database", "database"},
	[ENV_GROUP_OTHER] = {"other", "other"},
};

static void add_counts(struct line *line, const struct environment *env, unsigned cut)
{
	bool first = true;

	line_add(line, SPAN_OURS, "%zu kept; ", env->kept.count);
	if (cut == 0) {
		line_add(line, SPAN_OURS, "none cut");
		return;
	}
	line_add(line, SPAN_OURS, "%u cut: ", cut);
	for (int i = 0; i < ENV_GROUP_COUNT; i++) {
		if (env->cut[i].count == 0)
			continue;
		line_add(line, SPAN_OURS, "%s%zu %s", first ? "" : ", ", env->cut[i].count,
			env->cut[i].count == 1 ? short_words[i].one : short_words[i].several);
		first = false;
	}
}

static void add_hidden(struct fact *fact, const struct strv *hidden)
{
	struct line *line = fact_foreign_list(fact, "not visible inside: ", hidden);

	if (line != NULL)
		line_add(line, SPAN_OURS, " (readonly_paths adds %s)",
			hidden->count == 1 ? "it" : "them");
}

void card_add_environment(struct card *card, const struct card_inputs *in)
{
	const struct environment *env = &in->confinement->env;
	struct fact *fact = facts_add(&card->facts, "env");

	card->env_kept = (unsigned)env->kept.count;
	card->env_cut = environment_cut_count(env);
	add_counts(fact_line(fact), env, card->env_cut);
	fact_foreign_list(fact, "PATH lost ", &env->path_lost);
	add_hidden(fact, &env->path_hidden);
	if (env->private_dir != NULL) {
		struct line *line = fact_line(fact);

		line_add(line, SPAN_OURS, "HOME and TMPDIR are made for the run in ");
		line_add(line, SPAN_FOREIGN, "%s", env->private_dir);
	}
	if (env->home_note != NULL) {
		struct line *line = fact_line(fact);

		line_add(line, SPAN_OURS, "HOME is /tmp inside: ");
		line_add(line, SPAN_FOREIGN, "%s", env->home_note);
	}
	if (env->tmpdir_changed)
		line_add(fact_line(fact), SPAN_OURS,
			"TMPDIR is /tmp inside: its value is not visible there");
}
