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
	if (s->prepared) {
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

/* A launcher that was started before us has its first mounts to make even before the configuration is read: one that asks for
   something else ends it. */
static int begin(const struct options *options, struct session *s, struct err *err)
{
	bool native = false;
	if (helpers_open(&s->helpers, err) != 0)
		return -1;
	host_begin(&s->host);
	if (options->one_call && called_take_early(&s->helpers, &s->early, &native) == 0 && native)
		s->prepared = true;
	return s->prepared ? start_base(s, err) : 0;
}

static int read_config(const struct options *options, struct session *s, struct err *err)
{
	if (session_load_config(options, s->envp, &s->config, err) != 0 ||
		workspace_of(s, &s->workspace, err) != 0)
		return -1;
	const bool begun = s->prepared;
	if (options->one_call && start_early(options, s, err) != 0)
		return -1;
	return s->prepared && !begun ? start_base(s, err) : 0;
}

/* The wrapper is looked up against every path that was asked to be writable, before those are resolved: a bwrap below one of
   them must never be trusted. */
static void asked_writable(const struct session *s, struct strv *ret)
{
	strv_copy(ret, &s->config.writable_paths);
	strv_add(ret, s->workspace);
}

/* Nothing of a plan without a network needs more than these programs; what else there is to look at can follow it. */
static bool plans_at_once(const struct options *options, const struct session *s)
{
	return options->one_call && !options->network &&
	       (s->prepared || s->config.backend == BACKEND_BUBBLEWRAP);
}

static int resolve(struct session *s, const struct own_places *own, struct err *err)
{
	return places_resolve(&s->config, s->workspace, own, &s->base, &s->pins, err);
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
	if (begin(options, ret, err) != 0 || read_config(options, ret, err) != 0)
		return -1;
	host_probe_machine(envp, &ret->host);
	who(ret);
	strv_copy(&ret->host.firejail_args, &ret->config.firejail_args);
	ret->host.accept_partial = ret->config.accept_partial;
	socket_dir(ret, options);
	if (!plans_at_once(options, ret))
		return session_complete(ret, err);
	if (ret->config.backend == BACKEND_BUBBLEWRAP) {
		struct strv writable STRV_AUTO = STRV_INIT;
		asked_writable(ret, &writable);
		host_find_bwrap(envp, &writable, &ret->host);
	}
	return resolve(ret, NULL, err);
}

static bool same_places(const struct places *a, const struct places *b)
{
	bool same = a->count == b->count;
	for (size_t i = 0; same && i < a->count; i++)
		same = strcmp(a->items[i].path, b->items[i].path) == 0 &&
		       a->items[i].dev == b->items[i].dev && a->items[i].ino == b->items[i].ino;
	return same;
}

/* The plan that was sent holds the places as they were a moment ago, unjudged. */
static int judge_places(struct session *s, struct err *err)
{
	struct confinement before = s->base;
	struct pins pins = s->pins;
	const bool sent = before.writable.count > 0;
	confinement_init(&s->base);
	s->pins = (struct pins){0};
	int result = resolve(s, &s->own, err);
	if (result == 0 && sent &&
		!(same_places(&before.writable, &s->base.writable) &&
			same_places(&before.readonly, &s->base.readonly) &&
			same_places(&before.readonly_base, &s->base.readonly_base)))
		result = err_set(err, ERR_REFUSED,
			"%s: it or another place changed while it was looked at; try again",
			s->workspace);
	pins_release(&pins);
	confinement_release(&before);
	return result;
}

int session_complete(struct session *s, struct err *err)
{
	if (s->complete)
		return 0;
	struct strv writable STRV_AUTO = STRV_INIT;
	asked_writable(s, &writable);
	s->complete = true;
	host_find_wrappers(s->envp, &writable, &s->host);
	s->host.docker = docker_host_new(s->envp, &writable, &s->config, s->helpers.launcher_path,
		s->helpers.launcher_dev, s->helpers.launcher_ino);
	if (s->config.backend == BACKEND_DOCKER)
		docker_ask_ahead(s->host.docker);
	if (own_places(s, err) != 0)
		return -1;
	digest_helpers(s);
	return judge_places(s, err);
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
	free(session->workspace);
	free(session->home);
	free(session->user);
	free(session->record_dir);
}
