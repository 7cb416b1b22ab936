#include "config.h"

#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/user.h"

static void the_file_and_the_services_say_the_same(void **state)
{
	const uid_t uids[] = {0, geteuid()};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct user user;
		const struct passwd *entry = getpwuid(uids[i]);
		if (entry == NULL) {
			assert_int_equal(user_find(uids[i], &user), -1);
			continue;
		}
		assert_int_equal(user_find(uids[i], &user), 0);
		assert_string_equal(user.name, entry->pw_name);
		assert_string_equal(user.home, entry->pw_dir);
		user_release(&user);
		assert_null(user.name);
	}
}

static void a_number_that_nobody_has_is_no_user(void **state)
{
	struct user user = {0};
	(void)state;
	assert_int_equal(user_find((uid_t)3999999999u, &user), -1);
	assert_null(user.name);
	assert_null(user.home);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_and_the_services_say_the_same),
		cmocka_unit_test(a_number_that_nobody_has_is_no_user),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
