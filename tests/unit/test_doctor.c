#include "config.h"

#include "core/doctor.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "cause_machine.h"

/* What was found where AppArmor keeps user namespaces from us, and firejail works. */
struct found {
	struct config config;
	struct doctor doctor;
};

static void found_init(struct found *f)
{
	config_init(&f->config);
	f->doctor = (struct doctor){.machine = MACHINE(m->apparmor_userns = 1),
		.names = {.user = "mira", .profile_file = "/usr/share/x", .socket = "/run/d.sock"},
		.workspace = "/srv/shop",
		.record = "/home/mira/record",
		.config = &f->config,
		.takes = BACKEND_FIREJAIL,
		.offer = holding(BACKEND_FIREJAIL).offer,
		.count = 4};
	struct examined *items = f->doctor.items;
	items[0] = failed(BACKEND_LANDLOCK, FAILING_NAMESPACES, EPERM);
	items[1] = told(BACKEND_BUBBLEWRAP, CAUSE_BUBBLEWRAP_ABSENT);
	items[2] = holding(BACKEND_FIREJAIL);
	items[2].program = "/usr/bin/firejail";
	items[2].offer.enforcers[LIMIT_MEMORY] = "sampled";
	items[2].offer.may_pass[LIMIT_MEMORY] = "may pass by 40 MB";
	items[2].offer.enforcers[LIMIT_CPU] = NULL;
	items[3] = told(BACKEND_DOCKER, CAUSE_DOCKER_NOT_RUNNING);
}

static void found_release(struct found *f)
{
	config_release(&f->config);
}

static void a_run_is_safe_only_in_a_proved_sandbox_that_closes_all_and_with_a_record(void **state)
{
	CLEANUP(found_release) struct found f;
	struct doctor *d = &f.doctor;
	static const enum facet closed[] = {FACET_FILES, FACET_PROCESSES};
	static const enum facet cut[] = {FACET_NETWORK, FACET_SOCKETS};
	(void)state;
	found_init(&f);
	assert_true(doctor_is_safe(d));
	for (size_t i = 0; i < ARRAY_LEN(closed); i++) {
		d->offer = lacking(BACKEND_FIREJAIL, closed[i]).offer;
		assert_false(doctor_is_safe(d));
	}
	for (size_t i = 0; i < ARRAY_LEN(cut); i++) {
		d->offer = lacking(BACKEND_FIREJAIL, cut[i]).offer;
		assert_true(doctor_is_safe(d));
		d->offer.facets[cut[i]] = HOLD_NONE;
		assert_false(doctor_is_safe(d));
	}
	d->offer = holding(BACKEND_FIREJAIL).offer;
	d->record_why = "Read-only file system";
	assert_false(doctor_is_safe(d));
	d->record_why = NULL;
	d->takes = BACKEND_NONE;
	assert_false(doctor_is_safe(d));
	d->takes = BACKEND_AUTO;
	assert_false(doctor_is_safe(d));
}

static void assert_places(const struct doctor *d, enum doctor_place landlock,
	enum doctor_place firejail, enum doctor_place bubblewrap, enum doctor_place none)
{
	assert_int_equal(doctor_place(d, BACKEND_LANDLOCK), landlock);
	assert_int_equal(doctor_place(d, BACKEND_FIREJAIL), firejail);
	assert_int_equal(doctor_place(d, BACKEND_BUBBLEWRAP), bubblewrap);
	assert_int_equal(doctor_place(d, BACKEND_NONE), none);
}

/* The order is landlock, firejail, bubblewrap, docker. */
static void each_backend_has_its_place_in_the_choice(void **state)
{
	CLEANUP(found_release) struct found f;
	struct doctor *d = &f.doctor;
	(void)state;
	found_init(&f);
	assert_places(d, DOCTOR_PASSED_OVER, DOCTOR_TAKEN, DOCTOR_NOT_REACHED, DOCTOR_NOT_LISTED);
	d->takes = BACKEND_AUTO;
	assert_places(
		d, DOCTOR_PASSED_OVER, DOCTOR_PASSED_OVER, DOCTOR_PASSED_OVER, DOCTOR_NOT_LISTED);
	f.config.auto_order_count = 1;
	assert_places(
		d, DOCTOR_PASSED_OVER, DOCTOR_NOT_LISTED, DOCTOR_NOT_LISTED, DOCTOR_NOT_LISTED);
	f.config.backend = BACKEND_FIREJAIL;
	assert_places(d, DOCTOR_NOT_ASKED, DOCTOR_PASSED_OVER, DOCTOR_NOT_ASKED, DOCTOR_NOT_ASKED);
	f.config.backend = d->takes = BACKEND_NONE;
	assert_places(d, DOCTOR_NOT_ASKED, DOCTOR_NOT_ASKED, DOCTOR_NOT_ASKED, DOCTOR_TAKEN);
}

static void the_text_says_what_was_tried_what_failed_and_the_way_out(void **state)
{
	CLEANUP(found_release) struct found f;
	STR_AUTO struct str text = STR_INIT;
	(void)state;
	found_init(&f);
	f.doctor.names.supervisor = f.doctor.names.profiled = "/usr/libexec/s";
	f.doctor.count = 3;
	doctor_text(&f.doctor, &text);
	assert_string_equal(str_c(&text),
		"user        mira\n"
		"workspace   /srv/shop\n"
		"record      /home/mira/record\n"
		"machine     Linux 6.12.3, 4 CPUs, Landlock ABI 7\n"
		"network     when granted: one apart by pasta, which does not lead to this "
		"machine\n"
		"not guarded against: a process of the same user outside the sandbox, root, the "
		"kernel\n"
		"\n"
		" landlock   no   it failed: Operation not permitted\n"
		"            tried    a launch, which ended at making its namespaces\n"
		"            because  apparmor_userns\n"
		" bubblewrap no   it is not to be had\n"
		"            because  bubblewrap_absent\n"
		" firejail   yes  proved by a launch that stopped before its command\n"
		"            tried    /usr/bin/firejail\n"
		"            isolates files closed, network cut twice, processes hidden, memory "
		"apart,\n"
		"                     sockets closed, host name apart, ends with its tree\n"
		"            limits   time supervisor, !memory sampled and may pass by 40 MB, "
		"processes supervisor,\n"
		"                     !CPU share not held, output supervisor, open files "
		"supervisor,\n"
		"                     file size supervisor, CPU time of a process supervisor\n"
		"\n"
		"what now\n"
		" apparmor_userns (landlock)\n"
		"   AppArmor lets only programs that have a profile make user namespaces, as on "
		"Ubuntu\n"
		"   (kernel.apparmor_restrict_unprivileged_userns is 1)\n"
		"   - as root: install -m 644 /usr/share/x /etc/apparmor.d/exequatur-supervisor && "
		"apparmor_parser -r /etc/apparmor.d/exequatur-supervisor\n"
		"   - or, for every program of this machine, as root: sysctl -w "
		"kernel.apparmor_restrict_unprivileged_userns=0\n"
		" bubblewrap_absent (bubblewrap)\n"
		"   bwrap is not on PATH\n"
		"   - as root: apt-get install bubblewrap\n"
		"\n"
		"auto: a run takes firejail\n"
		"  passed over  landlock: it failed: Operation not permitted\n"
		"  not reached  bubblewrap, docker\n");
}

static void assert_end(const struct doctor *d, const char *end)
{
	STR_AUTO struct str text = STR_INIT;
	doctor_text(d, &text);
	assert_true(text.len > strlen(end));
	assert_string_equal(str_c(&text) + text.len - strlen(end), end);
}

static void the_text_ends_with_what_a_run_takes(void **state)
{
	CLEANUP(found_release) struct found f;
	struct doctor *d = &f.doctor;
	(void)state;
	found_init(&f);
	d->count = 1;
	d->takes = BACKEND_AUTO;
	assert_end(d, "\nauto: no run would be safe, and each is refused\n"
		      "  passed over  landlock: it failed: Operation not permitted\n");
	f.config.backend = BACKEND_FIREJAIL;
	d->why = "firejail: not installed";
	assert_end(d, "\nno run would be safe, and each is refused: firejail: not installed\n");
	d->takes = BACKEND_FIREJAIL;
	assert_end(d, "\nfirejail: a run takes firejail\n");
	d->offer = lacking(BACKEND_FIREJAIL, FACET_FILES).offer;
	assert_end(d, "takes firejail, which isolates in part: no run would be safe\n");
	d->items[0] = working_flat(d->items[0]);
	assert_end(d, "isolates in part: no run would be safe\n");
	f.config.backend = BACKEND_AUTO;
	assert_end(d,
		"  passed over  landlock: in part, without namespaces: it failed: Operation not "
		"permitted\n  not reached  bubblewrap, docker\n");
	f.config.backend = BACKEND_FIREJAIL;
	d->record_why = "Read-only file system";
	assert_end(d, "takes firejail, and refuses every call: without a record nothing runs\n");
	f.config.backend = d->takes = BACKEND_NONE;
	assert_end(d, "none: a run takes none, which isolates nothing: no run would be safe\n");
}

static void foreign_text_is_made_visible(void **state)
{
	CLEANUP(found_release) struct found f;
	STR_AUTO struct str text = STR_INIT, json = STR_INIT;
	JSON_AUTO struct json *v = NULL;
	struct err err = ERR_INIT;
	(void)state;
	found_init(&f);
	f.doctor.workspace = "/srv/\x1b[31m";
	f.doctor.items[2].program = "/opt/\x1b/\xff";
	f.doctor.names.user = "\xe2\x80\xae";
	strcpy(f.doctor.items[0].why, "\x1b]0;x\x07");
	doctor_text(&f.doctor, &text);
	assert_null(strchr(str_c(&text), '\x1b'));
	assert_null(strchr(str_c(&text), '\xff'));
	assert_null(strstr(str_c(&text), "\xe2\x80\xae"));
	assert_non_null(strstr(str_c(&text), "/srv/<ESC>[31m\n"));
	doctor_json(&f.doctor, &json);
	for (size_t i = 0; i + 1 < json.len; i++)
		assert_true(json.data[i] >= ' ' && json.data[i] <= '~');
	assert_int_equal(json_parse(str_c(&json), json.len, JSON_DEPTH_MAX, &v, &err), 0);
	assert_string_equal(json_get_str(v, "workspace"), f.doctor.workspace);
}

static const struct json *at(const struct json *array, size_t index)
{
	const struct json *v = json_first(array);
	while (v && index-- > 0)
		v = json_next(v);
	return v;
}

static void assert_printed(const struct json *v, const char *expected)
{
	STR_AUTO struct str text = STR_INIT;
	json_print(v, true, &text);
	assert_string_equal(str_c(&text), expected);
}

static struct json *parsed(const struct doctor *d)
{
	STR_AUTO struct str text = STR_INIT;
	struct json *v = NULL;
	struct err err = ERR_INIT;
	doctor_json(d, &text);
	assert_int_equal(json_parse(str_c(&text), text.len, JSON_DEPTH_MAX, &v, &err), 0);
	return v;
}

static void the_object_names_everything_by_stable_names(void **state)
{
	CLEANUP(found_release) struct found f;
	(void)state;
	found_init(&f);
	JSON_AUTO struct json *v = parsed(&f.doctor);
	const struct json *backends = json_get(v, "backends");
	assert_int_equal(json_get_int(v, "version", 0), 1);
	assert_true(json_get_bool(v, "safe", false));
	assert_string_equal(json_get_str(v, "takes"), "firejail");
	assert_string_equal(json_get_str(v, "configured"), "auto");
	assert_printed(json_get(v, "record"),
		"{\"path\":\"/home/mira/record\",\"writable\":true,\"why\":null}");
	assert_printed(at(backends, 0),
		"{\"name\":\"landlock\",\"works\":false,\"choice\":\"passed_over\",\"program\":"
		"null,"
		"\"launched\":true,\"failed_at\":\"namespaces\",\"without_namespaces\":false,"
		"\"why\":\"it failed: Operation not "
		"permitted\",\"sandbox\":null,\"isolates\":null,\"open\":[],\"limits\":null,"
		"\"causes\":["
		"\"apparmor_userns\"]}");
	assert_printed(json_get(at(backends, 2), "isolates"),
		"{\"files\":\"holds\",\"network\":\"holds\",\"processes\":\"holds\",\"memory\":"
		"\"holds\",\"sockets\":\"holds\",\"hostname\":\"holds\",\"end\":\"holds\"}");
	const struct json *limits = json_get(at(backends, 2), "limits");
	assert_printed(
		json_get(limits, "time"), "{\"held\":true,\"by\":\"supervisor\",\"but\":null}");
	assert_printed(json_get(limits, "memory"),
		"{\"held\":false,\"by\":\"sampled\",\"but\":\"may pass by 40 MB\"}");
	assert_printed(json_get(limits, "cpu"), "{\"held\":false,\"by\":null,\"but\":null}");
	assert_printed(at(json_get(v, "causes"), 2),
		"{\"name\":\"docker_not_running\",\"weakens\":false,\"backends\":[\"docker\"],"
		"\"words\":\"no docker engine listens at /run/d.sock\",\"way_out\":[\"as root: "
		"systemctl "
		"start docker, or service docker start\"]}");
	assert_int_equal(json_count(json_get(v, "causes")), 3);
}

static void what_holds_in_part_is_said_with_what_stays_open(void **state)
{
	CLEANUP(found_release) struct found f;
	STR_AUTO struct str text = STR_INIT;
	(void)state;
	found_init(&f);
	f.doctor.items[0] = working_flat(f.doctor.items[0]);
	f.doctor.count = 1;
	JSON_AUTO struct json *v = parsed(&f.doctor);
	const struct json *landlock = at(json_get(v, "backends"), 0);
	assert_true(json_get_bool(landlock, "without_namespaces", false));
	assert_string_equal(json_get_str(landlock, "why"), "it failed: Operation not permitted");
	assert_string_equal(json_get_str(landlock, "sandbox"), "part");
	assert_printed(json_get(landlock, "open"), "[\"!open: modes\"]");
	assert_printed(json_get(landlock, "causes"), "[\"apparmor_userns\"]");
	doctor_text(&f.doctor, &text);
	assert_non_null(strstr(str_c(&text), " landlock   yes  in part, without namespaces: it "));
	assert_non_null(strstr(str_c(&text), "            but      !open: modes\n"));
}

static void the_object_says_when_nothing_works(void **state)
{
	CLEANUP(found_release) struct found f;
	(void)state;
	found_init(&f);
	f.doctor.takes = BACKEND_AUTO;
	f.doctor.why = "no sandbox here";
	f.doctor.record_why = "Read-only file system";
	JSON_AUTO struct json *v = parsed(&f.doctor);
	assert_false(json_get_bool(v, "safe", true));
	assert_int_equal(json_type(json_get(v, "takes")), JSON_NULL);
	assert_string_equal(json_get_str(v, "why"), "no sandbox here");
	assert_string_equal(json_get_str(json_get(v, "record"), "why"), "Read-only file system");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_run_is_safe_only_in_a_proved_sandbox_that_closes_all_and_with_a_record),
		cmocka_unit_test(each_backend_has_its_place_in_the_choice),
		cmocka_unit_test(the_text_says_what_was_tried_what_failed_and_the_way_out),
		cmocka_unit_test(the_text_ends_with_what_a_run_takes),
		cmocka_unit_test(foreign_text_is_made_visible),
		cmocka_unit_test(the_object_names_everything_by_stable_names),
		cmocka_unit_test(what_holds_in_part_is_said_with_what_stays_open),
		cmocka_unit_test(the_object_says_when_nothing_works),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
