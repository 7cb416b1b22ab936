/* A user of this machine, by number. */
#ifndef BASE_USER_H
#define BASE_USER_H

#include <sys/types.h>

struct user {
	char *name;
	char *home; /* as it is written there */
};
/* In /etc/passwd first, where nearly all are, and which costs a tenth of asking every service; then by getpwuid(3). 0, or -1:
   nobody has this number. */
int user_find(uid_t uid, struct user *ret);
void user_release(struct user *user);

#endif
