#include "config.h"

#include "sandbox/machine_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/text.h"
#include "sandbox/machine_mounts.h"
#include "sandbox/private_dir.h"
#include "sandbox/protocol.h"

#define TEXT_MAX (1u << 20)
#define SECCOMP_FILTERED 2 /* proc(5), Seccomp */
#define ALL_UIDS 4294967295u

/* "" when it is not there. */
static void read_text(const char *root, const char *path, struct str *ret)
{
	struct err err = ERR_INIT;
	MEM_AUTO char *full = mem_printf("%s%s", root, path);
	str_clear(ret);
	if (fd_read_file(full, TEXT_MAX, ret, &err) != 0)
		str_clear(ret);
}

static void read_line(const char *root, const char *path, char *ret, size_t size)
{
	STR_AUTO struct str text = STR_INIT;
	read_text(root, path, &text);
	MEM_AUTO char *line = mem_strndup(str_c(&text), strcspn(str_c(&text), "\n"));
	text_fit(line, ret, size);
}

static int64_t read_number(const char *root, const char *path)
{
	char line[32], *end;
	read_line(root, path, line, sizeof(line));
	long long value = strtoll(line, &end, 10);
	return end == line ? MACHINE_NOT_KNOWN : value;
}

/* The number behind "\nName:" of /proc/self/status. */
static unsigned status_number(const struct str *status, const char *name)
{
	MEM_AUTO char *label = mem_printf("\n%s:", name);
	const char *at = strstr(str_c(status), label);
	return at ? (unsigned)strtoul(at + strlen(label), NULL, 10) : 0;
}

static void read_process(const char *root, struct machine *ret)
{
	STR_AUTO struct str status = STR_INIT;
	unsigned inside, outside, count;
	char map[64];
	read_text(root, "/proc/self/status", &status);
	ret->no_new_privs = status_number(&status, "NoNewPrivs") == 1;
	ret->filtered = status_number(&status, "Seccomp") == SECCOMP_FILTERED;
	read_line(root, "/proc/self/uid_map", map, sizeof(map));
	if (sscanf(map, "%u %u %u", &inside, &outside, &count) == 3)
		ret->user_namespace = inside != 0 || outside != 0 || count != ALL_UIDS;
}

/* "docker-default (enforce)"; other security modules answer there too, so only where AppArmor is. */
static void read_apparmor(const char *root, struct machine *ret)
{
	char *profile = ret->apparmor_profile;
	read_line(root, "/proc/self/attr/apparmor/current", profile, sizeof(ret->apparmor_profile));
	bool old = profile[0] == '\0' && strstr(ret->security_modules, "apparmor") != NULL;
	if (old)
		read_line(root, "/proc/self/attr/current", profile, sizeof(ret->apparmor_profile));
	/* One that is unconfined by its mode confines nothing: "exequatur-supervisor (unconfined)". */
	if (strcmp(profile, "unconfined") == 0 || strstr(profile, " (unconfined)"))
		profile[0] = '\0';
	profile[strcspn(profile, " ")] = '\0';
}

static void read_settings(const char *root, struct machine *ret)
{
	static const char *const kinds[] = {"net", "mnt", "pid", "ipc", "uts"};
	ret->user_namespaces_max = read_number(root, "/proc/sys/user/max_user_namespaces");
	ret->userns_clone = read_number(root, "/proc/sys/kernel/unprivileged_userns_clone");
	ret->apparmor_userns =
		read_number(root, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
	ret->legacy_tiocsti = read_number(root, "/proc/sys/dev/tty/legacy_tiocsti");
	for (size_t i = 0; i < ARRAY_LEN(kinds) && ret->no_namespaces[0] == '\0'; i++) {
		MEM_AUTO char *path = mem_printf("/proc/sys/user/max_%s_namespaces", kinds[i]);
		if (read_number(root, path) == 0)
			snprintf(ret->no_namespaces, sizeof(ret->no_namespaces), "%s", kinds[i]);
	}
}

static void read_kernel(const char *root, struct machine *ret)
{
	read_line(root, "/proc/sys/kernel/osrelease", ret->kernel, sizeof(ret->kernel));
	if (sscanf(ret->kernel, "%u.%u", &ret->kernel_major, &ret->kernel_minor) != 2)
		ret->kernel_major = ret->kernel_minor = 0;
	read_line(root, "/sys/kernel/security/lsm", ret->security_modules,
		sizeof(ret->security_modules));
}

void machine_read(const char *root, struct machine *ret)
{
	STR_AUTO struct str mounts = STR_INIT;
	struct stat st;
	*ret = (struct machine){.uid = geteuid()};
	read_kernel(root, ret);
	read_process(root, ret);
	read_apparmor(root, ret);
	read_settings(root, ret);
	read_text(root, "/proc/self/mountinfo", &mounts);
	machine_mounts(str_c(&mounts), ret);
	MEM_AUTO char *tmp = mem_printf("%s/tmp", root);
	ret->no_tmp = stat(tmp, &st) != 0 || !S_ISDIR(st.st_mode);
}

void machine_of_host(const struct host *host, struct machine *ret)
{
	struct err err = ERR_INIT;
	bool memory;
	ret->no_private_place = private_dir_base(&memory, &err) == NULL;
	ret->cpus = host->cpus;
	ret->landlock_abi = host->landlock_abi;
	ret->landlock_errno = host->landlock_errno;
	ret->in_container = host->in_container;
	ret->processes_hidden = host->processes_hidden;
	ret->accepts_partial = host->accept_partial;
	ret->control_groups =
		host->cgroups.memory_dir != NULL && !(host->lost_limits & LOST_CGROUP);
	ret->fork_questions = host->fork_questions && !(host->lost_limits & LOST_FORK_QUESTIONS);
}

/* group(5): name:password:number:member,member */
static bool take_group(char *line, unsigned gid, const char *user, struct machine *ret)
{
	char *rest = line, *member;
	const char *name = strsep(&rest, ":");
	strsep(&rest, ":");
	const char *number = strsep(&rest, ":");
	if (rest == NULL || number == NULL || strtoul(number, NULL, 10) != gid)
		return false;
	text_fit(name, ret->engine_group, sizeof(ret->engine_group));
	while ((member = strsep(&rest, ",")))
		ret->engine_group_joined |= strcmp(member, user) == 0;
	return true;
}

void machine_of_engine(
	const char *root, unsigned gid, bool has_it, const char *user, struct machine *ret)
{
	STR_AUTO struct str groups = STR_INIT;
	/* To be put into root's own group is no way out. */
	if (gid == 0)
		return;
	read_text(root, "/etc/group", &groups);
	MEM_AUTO char *copy = mem_strdup(str_c(&groups));
	char *rest = copy, *line;
	while ((line = strsep(&rest, "\n")))
		if (take_group(line, gid, user, ret))
			break;
	if (has_it)
		ret->engine_group_joined = false;
}
