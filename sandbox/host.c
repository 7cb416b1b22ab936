#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "base/user.h"
#include "sandbox/backend.h"
#include "sandbox/fork_filter.h"
#include "sandbox/host_wrapper.h"
#include "sandbox/landlock.h"
#include "sandbox/namespaces.h"
#include "sandbox/pasta.h"
#include "sandbox/private_dir.h"

#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu /* linux/proc_ns.h: PROC_PID_INIT_INO */

/* One that cannot be looked at stays 0: its proof then says that it is not known. */
static void probe_namespaces(struct host *host)
{
	for (unsigned i = 0; i < PLAN_NS_COUNT; i++)
		namespace_inode((enum plan_ns)i, &host->own_ns[i], NULL);
}

static bool in_container(const struct host *host, char *const *envp)
{
	static const char *const signs[] = {"/.dockerenv", "/run/.containerenv"};
	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (access(signs[i], F_OK) == 0)
			return true;
	const char *named = environment_value(envp, "container");
	return (named && *named) || (host->own_ns[PLAN_NS_PID] != 0 &&
					    host->own_ns[PLAN_NS_PID] != INITIAL_PID_NAMESPACE);
}

/* A service has nobody who would read the warning of each run. */
static bool is_service(char *const *envp)
{
	const char *pid = environment_value(envp, "SYSTEMD_EXEC_PID");
	char own[32];
	snprintf(own, sizeof(own), "%ld", (long)getpid());
	return pid && strcmp(pid, own) == 0;
}

static void probe_switch(struct host *host, char *const *envp)
{
	const char *value = environment_value(envp, ALLOW_UNSANDBOXED_VARIABLE);
	if (value == NULL)
		return;
	if (strcmp(value, "1") != 0)
		snprintf(host->switch_why, sizeof(host->switch_why), "its value is not 1");
	else if (is_service(envp))
		snprintf(host->switch_why, sizeof(host->switch_why), "inside a service");
	else
		host->allow_unsandboxed = true;
}

/* Each process may be looked at, those of other users too, but for hidepid= of /proc. */
static bool hides_processes(void)
{
	FD_AUTO int fd = open("/proc/1/stat", O_RDONLY | O_CLOEXEC);
	return fd < 0;
}

void host_find_bwrap(char *const *envp, const struct strv *writable, struct host *host)
{
	struct wrapper w;
	wrapper_find("bwrap", environment_value(envp, "PATH"), writable, &w);
	host->bwrap_trouble = w.trouble;
	host->bwrap_path = w.path;
	host->bwrap_fd = w.fd;
	host->bwrap_dev = w.dev;
	host->bwrap_ino = w.ino;
	memcpy(host->bwrap_why, w.why, sizeof(host->bwrap_why));
}

void host_begin(struct host *ret)
{
	*ret = (struct host){.bwrap_fd = -1, .firejail.fd = -1, .pasta.fd = -1};
	ret->landlock_abi = landlock_abi(&ret->landlock_errno);
	base_set_collect(&ret->base_set);
}

void host_probe_machine(char *const *envp, struct host *ret)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	ret->cpus = cpus > 0 ? (unsigned)cpus : 1;
	probe_namespaces(ret);
	struct user user = {0};
	bool known = user_find(geteuid(), &user) == 0;
	ret->passwd_home = known && user.home[0] == '/' ? path_normalize(user.home) : NULL;
	ret->user_name = STEAL(user.name);
	user_release(&user);
	cgroup_find(&ret->cgroups);
	ret->fork_questions = fork_filter_works();
	ret->in_container = in_container(ret, envp);
	ret->processes_hidden = hides_processes();
	probe_switch(ret, envp);
}

void host_find_wrappers(char *const *envp, const struct strv *writable, struct host *ret)
{
	if (ret->bwrap_path == NULL)
		host_find_bwrap(envp, writable, ret);
	wrapper_find("firejail", environment_value(envp, "PATH"), writable, &ret->firejail);
	wrapper_needs_root(&ret->firejail);
	pasta_find(environment_value(envp, "PATH"), writable, &ret->pasta);
}

void host_probe(char *const *envp, const struct strv *writable, struct host *ret)
{
	host_probe_machine(envp, ret);
	host_find_wrappers(envp, writable, ret);
}

bool host_learn_unusable(struct host *host, const struct offer *offer, enum stage stage,
	int error_number, const char *why)
{
	/* What only a native launcher's namespaces allow. A place that may not be entered is no word about them. */
	bool denied = error_number == EPERM && (stage == STAGE_MOUNTS || stage == STAGE_NETWORK ||
						       stage == STAGE_CAPABILITIES);
	if (stage == STAGE_ID_MAPS)
		denied = error_number == EPERM || error_number == EACCES;
	else if (stage == STAGE_NAMESPACES) /* each alone, and not together */
		denied = error_number != EAGAIN && error_number != ENOMEM;
	if (!host->accept_partial || offer->backend != BACKEND_LANDLOCK || offer->flat || !denied)
		return false;
	MEM_AUTO char *text = mem_printf("namespaces are of no use here: %s", why);
	text_fit(text, host->unusable_namespaces, sizeof(host->unusable_namespaces));
	return true;
}

void host_tidy(struct host *host, const struct offer *offer)
{
	if (offer->backend == BACKEND_DOCKER)
		docker_tidy(host->docker);
	if (!offer->flat || host->private_dirs_tidied)
		return;
	host->private_dirs_tidied = true;
	private_dirs_tidy(offer->private_dir);
}

void host_release(struct host *host)
{
	free(host->bwrap_path);
	fd_close(&host->bwrap_fd);
	free(host->firejail.path);
	fd_close(&host->firejail.fd);
	free(host->pasta.path);
	fd_close(&host->pasta.fd);
	way_out_release(&host->way_out);
	strv_release(&host->firejail_args);
	free(host->user_name);
	free(host->passwd_home);
	cgroup_site_release(&host->cgroups);
	base_set_release(&host->base_set);
	docker_host_free(host->docker);
	*host = (struct host){.bwrap_fd = -1, .firejail.fd = -1, .pasta.fd = -1};
}

void host_look_at_network(struct host *host)
{
	way_out_look(&host->way_out);
}

static int wrapper_fd(const struct host *host, enum backend_id backend)
{
	if (backend == BACKEND_BUBBLEWRAP)
		return host->bwrap_fd;
	if (backend == BACKEND_FIREJAIL)
		return host->firejail.fd;
	return backend == BACKEND_DOCKER && host->docker ? host->docker->client.fd : -1;
}

struct plan_programs host_programs(const struct host *host, const struct offer *offer)
{
	return (struct plan_programs){.wrapper_fd = wrapper_fd(host, offer->backend),
		.network_fd = offer->pasta ? host->pasta.fd : -1};
}

void passed_add(struct passed_list *list, enum backend_id backend, const char *why)
{
	unsigned at = 0;
	while (at < list->count && list->items[at].backend != backend)
		at++;
	if (at == BACKEND_ID_COUNT)
		return;
	struct passed_over *item = &list->items[at];
	item->backend = backend;
	text_fit(why, item->why, sizeof(item->why));
	if (at == list->count)
		list->count++;
}

void host_note_failed(struct host *host, enum backend_id backend, const char *why)
{
	passed_add(&host->failed, backend, why);
}
