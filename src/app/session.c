#include "config.h"

#include "app/session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/audit.h"
#include "app/called.h"
#include "app/socket_place.h"
#include "base/mem.h"
#include "base/path.h"
#include "sandbox/starter.h"

static char *home_of(char *const *envp)
{
	const char *home = environment_value(envp, "HOME");
	return home != NULL && home[0] == '/' ? path_normalize(home) : NULL;
}

int session_load_config(
	const struct options *options, char **envp, struct config *ret, struct err *err)
{
	char *home MEM_AUTO = home_of(envp);
	config_init(ret);
	if (options->config != NULL) {
		char cwd[PATH_MAX];
		if (getcwd(cwd, sizeof(cwd)) == NULL)
			return err_set_errno(err, "reading the current directory");
		char *path MEM_AUTO = path_join(cwd, options->config);
		if (config_load(ret, path, home, err) != 0)
			return -1;
	} else {
		char *path MEM_AUTO =
			config_default_path(environment_value(envp, "XDG_CONFIG_HOME"), home);
		/* Only an absent default file means defaults; one that cannot be read is refused. */
		if (path != NULL && config_load(ret, path, home, err) != 0) {
			if (err->code != ERR_NOT_FOUND)
				return -1;
			err_clear(err);
		}
	}
	if (options->backend != NULL && config_override_backend(ret, options->backend, err) != 0)
		return -1;
	if (options->workspace != NULL)
		config_override_workspace(ret, options->workspace);
	return config_check(ret, err);
}

/* A read-only mount does not stop a connect(): a command must not find a socket of a console at all. The usual one also when
   this process is no such console, and one is or was there. */
static void socket_dir(struct session *s, const struct options *options)
{
	struct err none = ERR_INIT;
	char *path MEM_AUTO = NULL;
	if (socket_place(options->listen ? options->socket : NULL, s->envp, &path, &none) != 0)
		return;
	char *dir MEM_AUTO = path_dirname(path);
	if (options->listen || access(dir, F_OK) == 0)
		strv_add(&s->own.private_dirs, dir);
}

static void private_dirs(struct session *s)
{
	if (s->config.path != NULL)
		strv_take(&s->own.private_dirs, path_dirname(s->config.path));
	char *usual MEM_AUTO =
		config_default_path(environment_value(s->envp, "XDG_CONFIG_HOME"), s->home);
	if (usual != NULL)
		strv_take(&s->own.private_dirs, path_dirname(usual));
	strv_add(&s->own.private_dirs, s->record_dir);
}

/* Each directory once: every one is compared with every place. */
static void program_dir(struct strv *dirs, const char *program)
{
	char *dir = path_dirname(program);
	if (strv_has(dirs, dir))
		free(dir);
	else
		strv_take(dirs, dir);
}

static int own_places(struct session *s, struct err *err)
{
	if (audit_directory(s->config.log_path, environment_value(s->envp, "XDG_STATE_HOME"),
		    s->home, &s->record_dir, err) != 0)
		return -1;
	s->host.docker->empty_file = path_join(s->record_dir, ".empty");
	private_dirs(s);
	char exe[PATH_MAX] = "";
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	const char *const programs[] = {s->helpers.supervisor_path, s->helpers.launcher_path,
		s->host.bwrap_path, s->host.firejail.path, s->host.pasta.path,
		s->host.docker->client.path, called_program(), exe};
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (programs[i] != NULL && programs[i][0] == '/')
			program_dir(&s->own.program_dirs, programs[i]);
	return 0;
}

static void who(struct session *s)
{
	s->user = s->host.user_name != NULL ? mem_strdup(s->host.user_name)
					    : mem_printf("uid %u", (unsigned)getuid());
	s->own.passwd_home = mem_strdup(s->host.passwd_home);
	s->own.home = mem_strdup(s->home);
}

static void digest_helpers(struct session *s)
{
	struct digest_builder *b = digest_begin();
	digest_add_u64(b, "supervisor.dev", s->helpers.supervisor_dev);
	digest_add_u64(b, "supervisor.ino", s->helpers.supervisor_ino);
	digest_add_u64(b, "launcher.dev", s->helpers.launcher_dev);
	digest_add_u64(b, "launcher.ino", s->helpers.launcher_ino);
	digest_add_u64(b, "bwrap.dev", s->host.bwrap_dev);
	digest_add_u64(b, "bwrap.ino", s->host.bwrap_ino);
	digest_add_u64(b, "firejail.dev", s->host.firejail.dev);
	digest_add_u64(b, "firejail.ino", s->host.firejail.ino);
	digest_add_u64(b, "pasta.dev", s->host.pasta.dev);
	digest_add_u64(b, "pasta.ino", s->host.pasta.ino);
	digest_add_u64(b, "docker.dev", s->host.docker->client.dev);
	digest_add_u64(b, "docker.ino", s->host.docker->client.ino);
	digest_end(b, &s->helpers_digest);
}

static int workspace_of(struct session *s, char **ret, struct err *err)
{
	char cwd[PATH_MAX];
	if (getcwd(cwd, sizeof(cwd)) == NULL)
		return err_set_errno(err, "reading the current directory");
	*ret = s->config.workspace != NULL ? path_join(cwd, s->config.workspace) : mem_strdup(cwd);
	return 0;
}

/* While we look at the machine, the kernel makes what the call will most likely need. */
static int start_early(const struct options *options, struct session *s, struct err *err)
{
	unsigned namespaces = backend_expected_namespaces(&s->config, options->network);
	bool native = false;
	if (called_take_early(&s->helpers, &s->early, &native) == 0 && native) {
		s->prepared = namespaces == STARTER_NAMESPACES;
		return 0;
	}
	if (s->early.pid <= 0 && spawn_supervisor(&s->helpers, &s->early, err) != 0)
		return -1;
	s->prepared = namespaces != 0;
	return namespaces == 0 ? 0 : spawn_prepare(&s->early, &s->helpers, namespaces, err);
}

static int start_base(struct session *s, struct err *err)
{
	struct str bytes STR_AUTO = STR_INIT;
	backend_expected_base(&s->host, s->home, &bytes);
	return spawn_base(&s->early, &bytes, err);
}

int session_open(const struct options *options, char **envp, struct session *ret, struct err *err)
{
	*ret = (struct session){.envp = envp};
	ret->helpers.supervisor_fd = ret->helpers.launcher_fd = -1;
	ret->host.bwrap_fd = -1;
	ret->host.firejail.fd = -1;
	ret->host.pasta.fd = -1;
	ret->early = (struct child)CHILD_INIT;
	confinement_init(&ret->base);
	ret->home = home_of(envp);
	if (session_load_config(options, envp, &ret->config, err) != 0)
		return -1;
	if (helpers_open(&ret->helpers, err) != 0)
		return -1;
	host_begin(&ret->host);
	if (options->one_call && start_early(options, ret, err) != 0)
		return -1;
	if (ret->prepared && start_base(ret, err) != 0)
		return -1;
	char *workspace MEM_AUTO = NULL;
	if (workspace_of(ret, &workspace, err) != 0)
		return -1;
	/* The wrapper is looked up against every path that was asked to be writable, before those are resolved: a
	   bwrap below one of them must never be trusted. */
	struct strv writable STRV_AUTO = STRV_INIT;
	strv_copy(&writable, &ret->config.writable_paths);
	strv_add(&writable, workspace);
	host_probe(envp, &writable, &ret->host);
	who(ret);
	strv_copy(&ret->host.firejail_args, &ret->config.firejail_args);
	ret->host.accept_partial = ret->config.accept_partial;
	ret->host.docker = docker_host_new(envp, &writable, &ret->config,
		ret->helpers.launcher_path, ret->helpers.launcher_dev, ret->helpers.launcher_ino);
	if (ret->config.backend == BACKEND_DOCKER)
		docker_ask_ahead(ret->host.docker);
	socket_dir(ret, options);
	if (own_places(ret, err) != 0)
		return -1;
	digest_helpers(ret);
	return places_resolve(&ret->config, workspace, &ret->own, &ret->base, &ret->pins, err);
}

void session_close(struct session *session)
{
	child_end(&session->early);
	pins_release(&session->pins);
	confinement_release(&session->base);
	host_release(&session->host);
	helpers_close(&session->helpers);
	own_places_release(&session->own);
	config_release(&session->config);
	free(session->home);
	free(session->user);
	free(session->record_dir);
}
