#include "config.h"

#include "core/card_internal.h"

/* One row holds all of them; the details have the long words. */
static const char *const short_words[ENV_GROUP_COUNT] = {
	[ENV_GROUP_SECRETS] = "keys and tokens",
	[ENV_GROUP_LINKER] = "linker",
	[ENV_GROUP_HOOKS] = "hooks",
	[ENV_GROUP_DATABASE] = "database",
	[ENV_GROUP_OTHER] = "other",
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
			short_words[i]);
		first = false;
	}
}

static void add_list(struct fact *fact, const char *words, const struct strv *texts,
	const char *after_one, const char *after_many)
{
	if (texts->count == 0)
		return;
	struct line *line = fact_line(fact);

	line_add(line, SPAN_OURS, "%s", words);
	line_foreign_list(line, texts, ", ");
	line_add(line, SPAN_OURS, "%s", texts->count == 1 ? after_one : after_many);
}

void card_add_environment(struct card *card, const struct card_inputs *in)
{
	const struct environment *env = &in->confinement->env;
	struct fact *fact = facts_add(&card->facts, "env");

	card->env_kept = (unsigned)env->kept.count;
	card->env_cut = environment_cut_count(env);
	add_counts(fact_line(fact), env, card->env_cut);
	add_list(fact, "PATH lost ", &env->path_lost, "", "");
	add_list(fact, "not visible inside: ", &env->path_hidden, " (readonly_paths adds it)",
		" (readonly_paths adds them)");
	if (env->home_note != NULL) {
		struct line *line = fact_line(fact);

		line_add(line, SPAN_OURS, "HOME is /tmp inside: ");
		line_add(line, SPAN_FOREIGN, "%s", env->home_note);
	}
	if (env->tmpdir_changed)
		line_add(fact_line(fact), SPAN_OURS,
			"TMPDIR is /tmp inside: its value is not visible there");
}
