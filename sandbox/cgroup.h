/* Where on this machine we may make control groups; cgroups(7). */
#ifndef SANDBOX_CGROUP_H
#define SANDBOX_CGROUP_H

#include <stdbool.h>

/* Then the pid of the supervisor that made it, a number, and the inode of the pid namespace in which that pid counts. */
#define CGROUP_PREFIX "exequatur-"

struct cgroup_site { /* directories in which a command's own group can be made; NULL: none */
	char *memory_dir;
	char *cpu_dir; /* version 2: the same, or NULL */
	bool v2;
};

/* Version 2 where the controllers are there and the group is ours (our own group or one above it), else version 1 where it is
   writable. Turns the controllers on in our own group when nobody else is in it. Takes groups away that a killed supervisor
   left. */
void cgroup_find(struct cgroup_site *ret);
/* The same with another /sys/fs/cgroup and the text of /proc/self/cgroup. */
void cgroup_find_in(const char *base, const char *own, struct cgroup_site *ret);
void cgroup_site_release(struct cgroup_site *site);

#endif
