#include "config.h"

#include "sandbox/firejail_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "launch_users.h"

/* Places that exist and belong to whoever runs this, as firejail asks for those that it makes writable again. */
struct fixture {
	struct host host;
	struct confinement c;
	char dir[64];
	char *repo; /* a directory inside */
};

static void begin(struct fixture *f)
{
	*f = (struct fixture){.host = {.bwrap_fd = -1, .firejail.fd = -1}};
	strcpy(f->dir, "/tmp/exq-view-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->repo = mem_printf("%s/repo", f->dir);
	assert_int_equal(mkdir(f->repo, 0755), 0);
	f->host.passwd_home = mem_strdup(geteuid() == 0 ? "/root" : f->dir);
	base_set_add(&f->host.base_set, "/etc/passwd", "/etc/passwd", NULL, false, false);
	base_set_add(&f->host.base_set, "/etc/services", "/etc/services", NULL, false, true);
	base_set_add(&f->host.base_set, "/etc/rmt", NULL, "/usr/sbin/rmt", false, false);
	confinement_init(&f->c);
}

static void end(struct fixture *f)
{
	assert_int_equal(rmdir(f->repo), 0);
	assert_int_equal(rmdir(f->dir), 0);
	free(f->repo);
	confinement_release(&f->c);
	host_release(&f->host);
}

static void guard(struct fixture *f, enum guard_kind kind, const char *path)
{
	struct place place = {.path = (char *)path, .dev = 1, .ino = 2, .is_dir = true};
	guard_add(&f->c, kind, &place);
}

static void write_profile(struct fixture *f, struct str *ret)
{
	struct firejail_view view;
	struct err err = ERR_INIT;
	if (firejail_view_make(&f->host, &f->c, &view, &err) != 0)
		fail_msg("%s", err.text);
	firejail_view_profile(&view, &f->host, &f->c, ret);
	firejail_view_release(&view);
}

static const char *find_line(const struct str *profile, const char *line)
{
	MEM_AUTO char *whole = mem_printf("\n%s\n", line);
	return strstr(str_c(profile), whole);
}

static void each_entry_of_the_root_is_shown_emptied_or_closed(void **state)
{
	STR_AUTO struct str profile = STR_INIT;
	struct fixture f;
	(void)state;
	begin(&f);
	places_add(&f.c.writable, f.dir, 1, 2, true);
	str_add(&profile, "\n");
	write_profile(&f, &profile);
	static const char *const there[] = {"whitelist /etc/passwd", "whitelist /var/tmp",
		"whitelist /tmp/.exequatur-nothing", "whitelist /etc/.exequatur-nothing",
		"whitelist /run/.exequatur-nothing", "whitelist /var/.exequatur-nothing",
		"blacklist /sys", "blacklist /dev/log"};
	static const char *const absent[] = {"whitelist /etc/rmt", "whitelist /etc/services",
		"blacklist /usr", "blacklist /tmp", "blacklist /etc", "blacklist /proc"};
	for (size_t i = 0; i < ARRAY_LEN(there); i++)
		if (!find_line(&profile, there[i]))
			fail_msg("%s is not in\n%s", there[i], str_c(&profile));
	for (size_t i = 0; i < ARRAY_LEN(absent); i++)
		assert_null(find_line(&profile, absent[i]));
	end(&f);
}

static void a_parent_is_fixed_before_its_children(void **state)
{
	STR_AUTO struct str profile = STR_INIT;
	STR_AUTO struct str wanted = STR_INIT;
	struct fixture f;
	(void)state;
	begin(&f);
	MEM_AUTO char *hooks = mem_printf("%s/hooks", f.repo);
	MEM_AUTO char *config = mem_printf("%s/config", f.repo);
	places_add(&f.c.writable, f.dir, 1, 2, true);
	guard(&f, GUARD_MADE, hooks);
	guard(&f, GUARD_SELF, f.repo);
	guard(&f, GUARD_READONLY, config);
	write_profile(&f, &profile);
	str_printf(&wanted, "read-only %s\nread-write %s\nread-only %s\nread-only %s\n", f.repo,
		f.repo, config, hooks);
	size_t at = profile.len - wanted.len;
	assert_string_equal(str_c(&profile) + at, str_c(&wanted));
	end(&f);
}

static void names_that_it_would_read_otherwise_are_refused(void **state)
{
	static const char *const names[] = {"/tmp/a*", "/tmp/a?", "/tmp/a[b]",
		"/tmp/a\nread-write /", "/tmp/a ", "/tmp/a\t", "/tmp/a\"", "/tmp/a'", "/tmp/a%",
		"/tmp/a&", "/tmp/a,b", "/tmp/a;b", "/tmp/a\\", "/tmp/{a}", "/tmp/$a",
		"/tmp/\x1b[2J", "/tmp/a\x7f"};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct firejail_view view;
		struct err err = ERR_INIT;
		struct fixture f;
		begin(&f);
		places_add(&f.c.readonly, names[i], 1, 2, true);
		assert_int_equal(firejail_view_make(&f.host, &f.c, &view, &err), -1);
		assert_int_equal(err.code, ERR_UNAVAILABLE);
		assert_non_null(strstr(err.text, "it does not take the name /tmp/"));
		assert_null(strchr(err.text, '\n'));
		end(&f);
	}
}

static void a_home_that_it_would_not_empty_is_refused(void **state)
{
	struct firejail_view view;
	struct err err = ERR_INIT;
	struct fixture f;
	(void)state;
	begin(&f);
	free(STEAL(f.host.passwd_home));
	assert_int_equal(firejail_view_make(&f.host, &f.c, &view, &err), -1);
	assert_non_null(strstr(err.text, "does not know this user"));
	f.host.passwd_home = mem_strdup("/srv");
	int made = firejail_view_make(&f.host, &f.c, &view, &err);
	if (geteuid() == 0)
		assert_non_null(strstr(err.text, "knows /root alone as the home of root"));
	else
		assert_int_equal(made, 0);
	if (made == 0)
		firejail_view_release(&view);
	end(&f);
}

static void a_private_home_is_made_only_where_something_is_empty_and_writable(void **state)
{
	static const struct {
		const char *home;    /* below the directory of the fixture when relative */
		const char *place;   /* the same, shown */
		const char *refusal; /* NULL: none */
		bool root_may;
	} cases[] = {
		{"/tmp/none/home", "repo", NULL, true},
		{"/var/tmp/none", "repo", NULL, true},
		{"repo/inside", "repo", NULL, true},
		{"beside", "repo", "where it lets root alone make a private one", true},
		{"/var/tmp/none/home", "/var/tmp/x", "makes nothing private but", true},
		{"/opt/none", "repo", "makes nothing private but", false},
		{"/home/none", "repo", "makes nothing private but", false},
		{"/usr/share", "repo", NULL, true},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct firejail_view view;
		struct err err = ERR_INIT;
		struct fixture f;
		begin(&f);
		free(f.host.passwd_home);
		f.host.passwd_home = mem_strdup("/root");
		MEM_AUTO char *place = path_join(f.dir, cases[i].place);
		places_add(&f.c.writable, cases[i].place[0] == '/' ? cases[i].place : place, 1, 2,
			true);
		f.c.env.home = cases[i].home[0] == '/' ? mem_strdup(cases[i].home)
						       : path_join(f.dir, cases[i].home);
		const char *refusal = cases[i].root_may && geteuid() == 0 ? NULL : cases[i].refusal;
		int made = firejail_view_make(&f.host, &f.c, &view, &err);
		if (made == 0)
			firejail_view_release(&view);
		if (made != (refusal ? -1 : 0) || (refusal && !strstr(err.text, refusal)))
			fail_msg("%s beside %s: %s", cases[i].home, cases[i].place, err.text);
		end(&f);
	}
}

static void what_it_replaces_is_refused(void **state)
{
	static const char *const paths[] = {"/boot", "/boot/grub", "/etc/hosts", "/etc/hostname"};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct firejail_view view;
		struct err err = ERR_INIT;
		struct fixture f;
		begin(&f);
		places_add(&f.c.readonly, paths[i], 1, 2, true);
		assert_int_equal(firejail_view_make(&f.host, &f.c, &view, &err), -1);
		assert_non_null(strstr(err.text, "it shows its own /"));
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_entry_of_the_root_is_shown_emptied_or_closed),
		cmocka_unit_test(a_parent_is_fixed_before_its_children),
		cmocka_unit_test(names_that_it_would_read_otherwise_are_refused),
		cmocka_unit_test(a_home_that_it_would_not_empty_is_refused),
		cmocka_unit_test(a_private_home_is_made_only_where_something_is_empty_and_writable),
		cmocka_unit_test(what_it_replaces_is_refused),
	};

	return run_as_both_users(tests, ARRAY_LEN(tests));
}
