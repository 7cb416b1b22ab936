#include "config.h"

#include "tests/unit/test_card_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void fill_request(struct request *request)
{
	request_init(request);
	request->id = (struct request_id){.kind = REQUEST_ID_INTEGER, .number = 16};
	request->tool = mem_strdup("shell");
	request->command = mem_strdup("git diff --stat HEAD~3");
	request->agent = mem_strdup("pipeline");
	request->reason = mem_strdup("see what changed since the release");
	request->line_no = 16;
}

static void fill_environment(struct environment *env)
{
	static const char *const kept[] = {"PATH=/usr/bin:/bin", "HOME=/home/mira", "TERM=xterm",
		"LANG=C.UTF-8", "USER=mira", "SHELL=/bin/bash", "TMPDIR=/tmp"};
	static const unsigned cut[ENV_GROUP_COUNT] = {4, 1, 2, 0, 24};

	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		strv_add(&env->kept, kept[i]);
	for (int g = 0; g < ENV_GROUP_COUNT; g++) {
		for (unsigned i = 0; i < cut[g]; i++)
			strv_printf(&env->cut[g], "N%d_%u", g, i);
	}
	env->home = mem_strdup("/home/mira");
}

static void fill_confinement(struct confinement *c)
{
	struct config config;

	confinement_init(c);
	config_init(&config);
	limits_for(&config, NULL, 2, &c->limits);
	config_release(&config);
	c->workspace = mem_strdup("/srv/shop");
	c->cwd = mem_strdup("/srv/shop");
	c->command = mem_strdup("git diff --stat HEAD~3");
	c->uid = c->gid = 1000;
	places_add(&c->writable, "/srv/shop", 2049, 77, true);
	fill_environment(&c->env);
}

static void fill_offer(struct offer *offer)
{
	*offer = (struct offer){.backend = BACKEND_LANDLOCK};
	for (int i = 0; i < FACET_COUNT; i++)
		offer->facets[i] = HOLD_FULL;
	offer->enforcers[LIMIT_TIME] = "supervisor";
	offer->enforcers[LIMIT_MEMORY] = "cgroup";
	offer->enforcers[LIMIT_PROCESSES] = "supervisor";
	offer->enforcers[LIMIT_CPU] = "cgroup";
	offer->enforcers[LIMIT_OUTPUT] = "console";
	offer->enforcers[LIMIT_FILES] = "rlimit";
	offer->enforcers[LIMIT_FILE_SIZE] = "rlimit";
	offer->enforcers[LIMIT_CPU_TIME] = "rlimit";
	snprintf(offer->why, sizeof(offer->why), "first in the list");
	snprintf(offer->proved, sizeof(offer->proved), "proved at 14:02 and again at start");
}

void fixture_guard(struct card_fixture *f, enum guard_kind kind, const char *path)
{
	char text[256];

	snprintf(text, sizeof(text), "%s", path);
	const struct place place = {.path = text, .dev = 2049, .ino = 100 + strlen(path)};

	guard_add(&f->confinement, kind, &place);
}

void fixture_init(struct card_fixture *f)
{
	memset(f, 0, sizeof(*f));
	fill_request(&f->request);
	fill_confinement(&f->confinement);
	fill_offer(&f->offer);
	f->ruling.verdict = VERDICT_SUPERVISED;
	f->ruling.rule = mem_strdup("tool_policy.default (default)");
	fixture_guard(f, GUARD_SELF, "/srv/shop/.git");
	fixture_guard(f, GUARD_READONLY, "/srv/shop/.git/hooks");
	fixture_guard(f, GUARD_READONLY, "/srv/shop/.git/config");
	strv_add(&f->confinement.repositories, "/srv/shop/.git");
	digest_bytes("helpers", 7, &f->helpers);
	f->in = (struct card_inputs){.session = "20261130T140200Z-4121-9c3e",
		.seq = 16,
		.request = &f->request,
		.ruling = &f->ruling,
		.confinement = &f->confinement,
		.offer = &f->offer,
		.passed = &f->passed,
		.plan_bytes = "plan",
		.plan_len = 4,
		.plan_text = "sh -c -- 'git diff --stat HEAD~3'\nbind /srv/shop",
		.came_from = "stdin, line 16, id 16",
		.helpers = &f->helpers,
		.user = "mira"};
}

void fixture_release(struct card_fixture *f)
{
	request_release(&f->request);
	ruling_release(&f->ruling);
	confinement_release(&f->confinement);
}

void fixture_command(struct card_fixture *f, const char *command)
{
	free(f->request.command);
	f->request.command = mem_strdup(command);
	free(f->confinement.command);
	f->confinement.command = mem_strdup(command);
}

static void print_line(const struct line *line, struct str *out)
{
	for (size_t i = 0; i < line->count; i++) {
		MEM_AUTO char *shown = text_escaped(line->spans[i].text);
		bool ours = line->spans[i].kind < SPAN_FOREIGN;

		str_add(out, ours ? line->spans[i].text : shown);
	}
}

static void print_fact(const struct fact *fact, struct str *out)
{
	for (size_t i = 0; i < fact->count; i++) {
		str_printf(out, "%-11s", i == 0 ? fact->label : "");
		print_line(&fact->lines[i], out);
		str_add_char(out, '\n');
	}
}

void fixture_print(const struct facts *facts, struct str *out)
{
	for (size_t i = 0; i < facts->count; i++)
		print_fact(&facts->items[i], out);
}

void fixture_print_fact(const struct facts *facts, const char *label, struct str *out)
{
	for (size_t i = 0; i < facts->count; i++) {
		if (strcmp(facts->items[i].label, label) == 0)
			print_fact(&facts->items[i], out);
	}
}

struct json *fixture_card_event(uint64_t seq)
{
	CLEANUP(fixture_release) struct card_fixture f;
	CLEANUP(card_release) struct card card;
	struct json *fields = json_new_object();
	char hex[DIGEST_HEX_BYTES];

	fixture_init(&f);
	f.in.seq = seq;
	card_build(&f.in, &card);
	digest_hex(&card.digest, hex);
	json_set_str(fields, "digest", hex);
	json_set(fields, "card", card_to_json(&card));
	return fields;
}
