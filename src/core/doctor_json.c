#include "config.h"

#include "core/doctor.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/hold.h"

#define FORMAT_VERSION 1

static const char *const places[DOCTOR_PLACE_COUNT] = {
	[DOCTOR_TAKEN] = "taken",
	[DOCTOR_PASSED_OVER] = "passed_over",
	[DOCTOR_NOT_REACHED] = "not_reached",
	[DOCTOR_NOT_LISTED] = "not_listed",
	[DOCTOR_NOT_ASKED] = "not_asked",
};

/* Names and words of the machine may hold any byte. */
static struct json *text_value(const char *text)
{
	STR_AUTO struct str safe = STR_INIT;
	if (text == NULL || text[0] == '\0')
		return json_new_null();
	text_to_utf8(text, strlen(text), &safe);
	return json_new_str(str_c(&safe));
}

static void set_text(struct json *object, const char *key, const char *text)
{
	json_set(object, key, text_value(text));
}

static void set_setting(struct json *object, const char *key, int64_t value)
{
	json_set(object, key, value < 0 ? json_new_null() : json_new_int(value));
}

static struct json *settings_value(const struct machine *m)
{
	struct json *v = json_new_object();
	set_setting(v, "user.max_user_namespaces", m->user_namespaces_max);
	set_setting(v, "kernel.unprivileged_userns_clone", m->userns_clone);
	set_setting(v, "kernel.apparmor_restrict_unprivileged_userns", m->apparmor_userns);
	set_setting(v, "dev.tty.legacy_tiocsti", m->legacy_tiocsti);
	return v;
}

static struct json *machine_value(const struct machine *m)
{
	struct json *v = json_new_object();
	set_text(v, "kernel", m->kernel);
	json_set_int(v, "cpus", m->cpus);
	json_set_int(v, "landlock_abi", m->landlock_abi);
	json_set_bool(v, "root", m->uid == 0);
	json_set_bool(v, "container", m->in_container);
	json_set_bool(v, "user_namespace", m->user_namespace);
	json_set_bool(v, "no_new_privs", m->no_new_privs);
	json_set_bool(v, "syscall_filter", m->filtered);
	json_set_bool(v, "control_groups", m->control_groups);
	json_set_bool(v, "fork_questions", m->fork_questions);
	json_set_str(v, "network_granted", m->network_why[0] ? "host" : "own");
	set_text(v, "network_why", m->network_why);
	set_text(v, "apparmor_profile", m->apparmor_profile);
	set_text(v, "proc_masked", m->proc_covered);
	json_set(v, "settings", settings_value(m));
	return v;
}

static struct json *record_value(const struct doctor *d)
{
	struct json *v = json_new_object();
	set_text(v, "path", d->record);
	json_set_bool(v, "writable", d->record_why == NULL);
	set_text(v, "why", d->record_why);
	return v;
}

static struct json *facets_value(const struct offer *offer)
{
	struct json *v = json_new_object();
	for (enum facet i = 0; i < FACET_COUNT; i++)
		json_set_str(v, facet_name(i), hold_name(offer->facets[i]));
	return v;
}

static struct json *limits_value(const struct offer *offer)
{
	struct json *v = json_new_object();
	for (enum limit_id i = 0; i < LIMIT_ID_COUNT; i++) {
		struct json *one = json_new_object();
		json_set_bool(one, "held", offer->enforcers[i] && !offer->may_pass[i]);
		json_set_str(one, "by", offer->enforcers[i]);
		json_set_str(one, "but", offer->may_pass[i]);
		json_set(v, limit_name(i), one);
	}
	return v;
}

/* What stays open of what a sandbox else closes, in words. */
static struct json *open_value(const struct examined *e)
{
	struct json *v = json_new_array();
	for (size_t i = 0; e->works && i < OFFER_OPEN_MAX && e->offer.open[i]; i++)
		json_push(v, json_new_str(e->offer.open[i]));
	return v;
}

static struct json *names_value(uint64_t causes)
{
	struct json *v = json_new_array();
	for (enum cause i = CAUSE_NONE + 1; i < CAUSE_COUNT; i++)
		if (causes & CAUSE_BIT(i))
			json_push(v, json_new_str(cause_name(i)));
	return v;
}

static struct json *examined_value(const struct doctor *d, const struct examined *e)
{
	struct json *v = json_new_object();
	json_set_str(v, "name", backend_id_name(e->backend));
	json_set_bool(v, "works", e->works);
	json_set_str(v, "choice", places[doctor_place(d, e->backend)]);
	set_text(v, "program", e->program);
	json_set_bool(v, "launched", e->works || e->failing > FAILING_LOOK);
	json_set_str(v, "failed_at", e->works ? NULL : failing_name(e->failing));
	json_set_bool(v, "without_namespaces", e->works && e->offer.flat);
	set_text(v, "why", e->works && !e->offer.flat ? NULL : e->why);
	if (e->works)
		json_set_str(v, "sandbox", hold_name(offer_summary(&e->offer, false)));
	else
		json_set(v, "sandbox", json_new_null());
	json_set(v, "isolates", e->works ? facets_value(&e->offer) : json_new_null());
	json_set(v, "open", open_value(e));
	json_set(v, "limits", e->works ? limits_value(&e->offer) : json_new_null());
	json_set(v, "causes", names_value(causes_of(&d->machine, e)));
	return v;
}

static struct json *backends_for(const struct doctor *d, enum cause cause)
{
	struct json *v = json_new_array();
	for (size_t i = 0; i < d->count; i++)
		if (causes_of(&d->machine, &d->items[i]) & CAUSE_BIT(cause))
			json_push(v, json_new_str(backend_id_name(d->items[i].backend)));
	return v;
}

static struct json *cause_value(const struct doctor *d, enum cause cause)
{
	struct json *v = json_new_object(), *lines = json_new_array();
	STRV_AUTO struct strv way_out = STRV_INIT;
	MEM_AUTO char *words = cause_words(cause, &d->machine, &d->names);
	cause_way_out(cause, &d->machine, &d->names, &way_out);
	for (size_t i = 0; i < way_out.count; i++)
		json_push(lines, text_value(way_out.items[i]));
	json_set_str(v, "name", cause_name(cause));
	json_set_bool(v, "weakens", cause_weakens(cause));
	json_set(v, "backends", backends_for(d, cause));
	set_text(v, "words", words);
	json_set(v, "way_out", lines);
	return v;
}

static struct json *causes_value(const struct doctor *d)
{
	struct json *v = json_new_array();
	uint64_t causes = doctor_causes(d);
	for (enum cause i = CAUSE_NONE + 1; i < CAUSE_COUNT; i++)
		if (causes & CAUSE_BIT(i))
			json_push(v, cause_value(d, i));
	return v;
}

void doctor_json(const struct doctor *doctor, struct str *out)
{
	JSON_AUTO struct json *v = json_new_object();
	struct json *backends = json_new_array();
	bool takes = doctor->takes != BACKEND_AUTO;
	for (size_t i = 0; i < doctor->count; i++)
		json_push(backends, examined_value(doctor, &doctor->items[i]));
	json_set_int(v, "version", FORMAT_VERSION);
	json_set_bool(v, "safe", doctor_is_safe(doctor));
	json_set_str(v, "takes", takes ? backend_id_name(doctor->takes) : NULL);
	json_set_str(v, "configured", backend_id_name(doctor->config->backend));
	set_text(v, "why", doctor->why);
	set_text(v, "configuration", doctor->config->path);
	set_text(v, "user", doctor->names.user);
	set_text(v, "workspace", doctor->workspace);
	json_set(v, "record", record_value(doctor));
	json_set(v, "machine", machine_value(&doctor->machine));
	json_set(v, "backends", backends);
	json_set(v, "causes", causes_value(doctor));
	json_print(v, true, out);
	str_add(out, "\n");
}
