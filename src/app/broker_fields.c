#include "config.h"

#include "app/broker_fields.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json_digest.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/hold.h"

#define BAD_LINE_BYTES                                                                             \
	4096 /* of a line that was no call; a flood of bad lines must not fill the record */

static struct json *strings(const struct strv *v)
{
	struct json *array = json_new_array();
	for (size_t i = 0; i < v->count; i++) {
		/* Names and values of the operating system may hold any byte; the record is text. */
		struct str safe STR_AUTO = STR_INIT;
		text_to_utf8(v->items[i], strlen(v->items[i]), &safe);
		json_push(array, json_new_str(str_c(&safe)));
	}
	return array;
}

static struct json *passed_array(const struct passed_list *passed)
{
	struct json *array = json_new_array();
	for (unsigned i = 0; i < passed->count; i++) {
		struct json *one = json_new_object();
		json_set_str(one, "backend", backend_id_name(passed->items[i].backend));
		json_set_str(one, "why", passed->items[i].why);
		json_push(array, one);
	}
	return array;
}

static void set_safe(struct json *object, const char *key, const char *text)
{
	struct str safe STR_AUTO = STR_INIT;
	if (text != NULL)
		text_to_utf8(text, strlen(text), &safe);
	json_set_str(object, key, text != NULL ? str_c(&safe) : NULL);
}

struct json *fields_one(const char *key, const char *text)
{
	struct json *f = json_new_object();
	set_safe(f, key, text);
	return f;
}

static void set_backends(struct json *f, const struct broker *broker)
{
	const struct session *s = broker->session;
	const struct backend *backend = NULL;
	struct offer offer;
	struct passed_list passed = {0};
	enum reason reason = REASON_NONE;
	struct err err = ERR_INIT;
	int found = backend_select(
		&s->config, &s->host, &s->base, &backend, &offer, &passed, &reason, &err);
	const char *configured = backend_id_name(s->config.backend);
	char *title MEM_AUTO = NULL;
	if (found == 0)
		title = mem_strdup(backend_id_name(backend->id));
	else if (s->config.backend != BACKEND_AUTO && s->config.backend != BACKEND_NONE)
		title = mem_strdup(err.text);
	json_set_str(f, "backend", title);
	json_set_str(f, "backend_set", configured);
	json_set_bool(f, "no_sandbox", found != 0);
	json_set_bool(f, "unsandboxed", found == 0 && backend->id == BACKEND_NONE);
	json_set(f, "passed", passed_array(&passed));
}

static void set_keys(struct json *f, const struct broker *broker)
{
	const struct strv *bound = &broker->session->config.keys;
	if (!broker->reviewer || bound->count == 0)
		return;
	struct json *keys = json_new_array();
	for (size_t i = 0; i < bound->count; i++)
		json_push(keys, json_new_str(bound->items[i]));
	json_set(f, "keys", keys);
}

struct json *fields_gap(const struct broker *broker, const char *why)
{
	struct json *f = fields_one("why", why);
	set_keys(f, broker);
	return f;
}

struct json *fields_session_start(
	const struct broker *broker, const char *input, const struct digest *chain)
{
	const struct session *s = broker->session;
	struct json *f = json_new_object();
	struct utsname uts;
	struct str canonical STR_AUTO = STR_INIT;
	struct digest config_digest;
	config_canonical(&s->config, &canonical);
	digest_bytes(str_c(&canonical), canonical.len, &config_digest);
	json_set_str(f, "session", audit_session(broker->audit));
	json_set_str(f, "version", PACKAGE_VERSION);
	set_safe(f, "host", uname(&uts) == 0 ? uts.nodename : "");
	set_safe(f, "user", s->user);
	json_set_int(f, "uid", getuid());
	json_set_int(f, "pid", getpid());
	json_set_digest(f, "config_digest", &config_digest);
	set_safe(f, "workspace", s->base.workspace);
	set_backends(f, broker);
	json_set_bool(f, "root", getuid() == 0);
	json_set_str(f, "input", input);
	json_set_digest(f, "chain", chain);
	json_set_int(f, "max_running", s->config.max_running);
	json_set_int(f, "approval_timeout_s", s->config.approval_timeout_s);
	json_set_bool(f, "terminal", broker->reviewer);
	set_keys(f, broker);
	return f;
}

struct json *fields_peer(const char *kind)
{
	struct json *f = json_new_object();
	bool by_person = strcmp(kind, "operator") == 0;
	json_set_int(f, "peer", by_person ? BROKER_PEER_OPERATOR : BROKER_PEER_STDIN);
	json_set_str(f, "kind", kind);
	json_set_int(f, "uid", getuid());
	/* A pipe does not tell who writes into it; who asks by `run` is the process that started us. */
	if (by_person)
		json_set_int(f, "pid", getppid());
	return f;
}

struct json *fields_found_open(const struct found_open *found)
{
	struct json *f = json_new_object();
	set_safe(f, "file", found->file);
	json_set_digest(f, "digest", &found->digest);
	json_set_bool(f, "torn", found->torn);
	json_set_bool(f, "damaged", found->damaged);
	struct json *calls = json_new_array();
	for (size_t i = 0; i < found->call_count; i++) {
		struct json *one = json_new_object();
		json_set_int(one, "seq", (int64_t)found->calls[i].seq);
		json_set_str(one, "state", found->calls[i].state);
		json_set_str(one, "reason", reason_name(REASON_CONSOLE_LOST));
		json_push(calls, one);
	}
	json_set(f, "calls", calls);
	return f;
}

struct json *fields_git_changed(const struct strv *paths)
{
	struct json *f = json_new_object();
	json_set(f, "paths", strings(paths));
	return f;
}

static struct json *facets(const struct offer *offer)
{
	struct json *f = json_new_object();
	for (enum facet i = 0; i < FACET_COUNT; i++)
		json_set_str(f, facet_name(i), hold_name(offer->facets[i]));
	return f;
}

struct json *fields_probe(const struct offer *offer, enum backend_id id, bool ok, const char *why)
{
	struct json *f = json_new_object();
	json_set_str(f, "backend", backend_id_name(id));
	json_set_bool(f, "ok", ok);
	json_set_str(f, "why", why);
	if (ok)
		json_set(f, "facets", facets(offer));
	return f;
}

static void set_id(struct json *f, const struct request_id *id)
{
	if (id->kind == REQUEST_ID_STRING)
		json_set_str(f, "id", id->text);
	else if (id->kind == REQUEST_ID_INTEGER)
		json_set_int(f, "id", id->number);
	else
		json_set(f, "id", json_new_null());
}

struct json *fields_received(const struct call *call)
{
	const struct request *r = &call->request;
	struct json *f = json_new_object();
	json_set_int(f, "peer", call->peer);
	json_set_int(f, "line", (int64_t)r->line_no);
	set_id(f, &r->id);
	if (r->agent != NULL)
		json_set_str(f, "agent", r->agent);
	if (r->reason != NULL)
		json_set_str(f, "agent_reason", r->reason);
	json_set_str(f, "command", r->command);
	if (r->timeout_set)
		json_set_int(f, "timeout", r->timeout_s);
	if (r->working_dir != NULL)
		set_safe(f, "working_dir", r->working_dir);
	json_set_bool(f, "network", r->network);
	if (r->ignored.count > 0)
		json_set(f, "ignored", strings(&r->ignored));
	return f;
}

struct json *fields_bad_line(
	unsigned peer, uint64_t line_no, const struct request_id *id, const char *line, size_t len)
{
	struct json *f = json_new_object();
	struct str shown STR_AUTO = STR_INIT;
	text_escape(line, len < BAD_LINE_BYTES ? len : BAD_LINE_BYTES, TEXT_ASCII_ONLY, &shown);
	json_set_int(f, "peer", peer);
	json_set_int(f, "line", (int64_t)line_no);
	set_id(f, id);
	json_set_str(f, "raw", str_c(&shown));
	json_set_int(f, "raw_bytes", (int64_t)len);
	return f;
}

struct json *fields_refused(
	enum reason reason, const char *sentence, const struct passed_list *passed)
{
	struct json *f = json_new_object();
	json_set_str(f, "reason", reason_name(reason));
	set_safe(f, "sentence", sentence);
	if (passed != NULL && passed->count > 0)
		json_set(f, "tried", passed_array(passed));
	return f;
}

struct json *fields_card(
	const struct model *model, const struct card *card, const struct digest *old)
{
	struct json *f = json_new_object();
	json_set_digest(f, "digest", &card->digest);
	if (old != NULL)
		json_set_digest(f, "old", old);
	const struct job *job = model_job(model, card->seq);
	bool received = job != NULL && job->edited_how == NULL;
	json_set(f, "card",
		card_to_record(card, received ? job->command : NULL, &model->whole_cards));
	return f;
}

static void set_grant(struct json *f, const struct call *call)
{
	const struct grant *grant = grants_get(&call->broker->model.grants, call->grant);
	json_set_int(f, "grant", (int64_t)grant->number);
	json_set_int(f, "use", grant->used + 1);
}

struct json *fields_decided(const struct call *call, enum decision decision, enum decider by,
	const char *text, int64_t after_ms)
{
	struct json *f = json_new_object();
	json_set_str(f, "decision", decision_name(decision));
	json_set_str(f, "by", decider_name(by));
	if (text != NULL)
		set_safe(f, "text", text);
	json_set_int(f, "after_ms", after_ms);
	json_set_digest(f, "digest", &call->digest);
	if (by == DECIDER_GRANT)
		set_grant(f, call);
	return f;
}

static struct json *cut_names(const struct environment *env)
{
	struct json *f = json_new_object();
	for (enum env_group g = 0; g < ENV_GROUP_COUNT; g++)
		if (env->cut[g].count > 0)
			json_set(f, env_group_words(g), strings(&env->cut[g]));
	return f;
}

static struct json *limit_values(const struct call *call)
{
	const struct limits *l = &call->confinement.limits;
	struct json *f = json_new_object();
	json_set_int(f, "wall_s", l->wall_s);
	json_set_int(f, "grace_s", l->grace_s);
	json_set_int(f, "memory_mb", l->memory_mb);
	json_set_int(f, "processes", l->processes);
	json_set_int(f, "cpu_percent", l->cpu_percent);
	json_set_int(f, "cpu_s", l->cpu_s);
	json_set_int(f, "open_files", l->open_files);
	json_set_int(f, "file_bytes", (int64_t)l->file_bytes);
	json_set_int(f, "output_bytes", (int64_t)l->output_bytes);
	return f;
}

struct json *fields_profile(const struct call *call, struct digest *ret_digest)
{
	struct json *f = json_new_object();
	json_set(f, "env", strings(&call->confinement.env.kept));
	json_set(f, "cut", cut_names(&call->confinement.env));
	json_set(f, "limits", limit_values(call));
	struct plan plan;
	struct err err = ERR_INIT;
	if (plan_decode(str_c(&call->plan), call->plan.len, &plan, &err) == 0) {
		json_set(f, "argv", strings(&plan.wrapper));
		plan_release(&plan);
	}
	struct str text STR_AUTO = STR_INIT;
	json_print(f, true, &text);
	digest_bytes(str_c(&text), text.len, ret_digest);
	json_set_digest(f, "profile", ret_digest);
	return f;
}
