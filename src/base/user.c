#include "config.h"

#include "base/user.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

static void take(const struct passwd *entry, struct user *ret)
{
	*ret = (struct user){mem_strdup(entry->pw_name), mem_strdup(entry->pw_dir)};
}

static int find_in_file(uid_t uid, struct user *ret)
{
	FILE *file = fopen("/etc/passwd", "re");
	int status = -1;
	if (file == NULL)
		return -1;
	for (struct passwd *entry; status != 0 && (entry = fgetpwent(file)) != NULL;) {
		if (entry->pw_uid != uid || entry->pw_name[0] == '+' || entry->pw_name[0] == '-')
			continue;
		take(entry, ret);
		status = 0;
	}
	fclose(file);
	return status;
}

int user_find(uid_t uid, struct user *ret)
{
	if (find_in_file(uid, ret) == 0)
		return 0;
	const struct passwd *entry = getpwuid(uid);
	if (entry == NULL)
		return -1;
	take(entry, ret);
	return 0;
}

void user_release(struct user *user)
{
	free(user->name);
	free(user->home);
	*user = (struct user){0};
}
