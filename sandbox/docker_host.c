#include "config.h"

#include "sandbox/docker_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "core/arguments.h"

#define DEFAULT_SOCKET "/run/docker.sock"
#define UNIX_SCHEME "unix://"

static const char *env_get(char *const *envp, const char *name)
{
	size_t len = strlen(name);
	for (; envp && *envp; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=' && (*envp)[len + 1])
			return *envp + len + 1;
	return NULL;
}

static void no_socket(struct docker_host *d, enum cause cause, const char *shown, const char *why)
{
	d->socket_cause = cause;
	MEM_AUTO char *safe = text_escaped(shown);
	MEM_AUTO char *text = mem_printf("%s %s", safe, why);
	size_t len = text_cut(text, strlen(text), sizeof(d->socket_why) - 1);
	memcpy(d->socket_why, text, len);
	d->socket_why[len] = '\0';
	free(STEAL(d->socket));
}

static bool is_somebody_elses(const struct stat *st)
{
	return st->st_uid != 0 && st->st_uid != geteuid();
}

/* Who could put a socket of his own in its place would be told every command, and could answer that it ran. In a sticky
   directory only its owner can. */
static const char *distrust(const char *path, const struct strv *writable)
{
	struct stat st;
	if (stat(path, &st) == 0 && is_somebody_elses(&st))
		return "belongs to somebody else";
	MEM_AUTO char *at = path_dirname(path);
	for (;;) {
		if (strv_has(writable, at))
			return "lies in a place that commands may write";
		if (stat(at, &st) == 0 && (is_somebody_elses(&st) ||
						  ((st.st_mode & 0022) && !(st.st_mode & S_ISVTX))))
			return "lies below a directory that others can change";
		if (strcmp(at, "/") == 0)
			return NULL;
		char *up = path_dirname(at);
		free(at);
		at = up;
	}
}

/* The places of the list as they are, so that a link does not hide one. Who lists these gets private ones. */
static void resolve_all(const struct strv *from, struct strv *ret)
{
	for (size_t i = 0; from && i < from->count; i++) {
		if (strcmp(from->items[i], "/tmp") == 0 || strcmp(from->items[i], "/var/tmp") == 0)
			continue;
		char *resolved = realpath(from->items[i], NULL);
		strv_take(ret, resolved ? resolved : mem_strdup(from->items[i]));
	}
}

static void find_socket(struct docker_host *d, char *const *envp, const struct strv *writable)
{
	const char *host = env_get(envp, "DOCKER_HOST");
	const char *context = env_get(envp, "DOCKER_CONTEXT");
	if (!host && context && strcmp(context, "default") != 0) {
		no_socket(d, CAUSE_DOCKER_REMOTE, context,
			"is a docker context: set DOCKER_HOST=unix://SOCKET to say which engine "
			"that is");
		return;
	}
	if (host && strncmp(host, UNIX_SCHEME "/", sizeof(UNIX_SCHEME)) != 0) {
		no_socket(d, CAUSE_DOCKER_REMOTE, host,
			"is not a local engine: it would bind the directories of another machine; "
			"DOCKER_HOST=unix://SOCKET names one");
		return;
	}
	const char *path = host ? host + strlen(UNIX_SCHEME) : DEFAULT_SOCKET;
	d->socket = realpath(path, NULL);
	if (d->socket == NULL)
		d->socket = path_normalize(path); /* asking it says why not */
	struct strv places STRV_AUTO = STRV_INIT;
	resolve_all(writable, &places);
	const char *why = distrust(d->socket, &places);
	if (why)
		no_socket(d, CAUSE_DOCKER_SOCKET_NOT_TRUSTED, path, why);
}

struct docker_host *docker_host_new(char *const *envp, const struct strv *writable,
	const struct config *config, const char *launcher_path, uint64_t launcher_dev,
	uint64_t launcher_ino)
{
	struct docker_host *d = mem_alloc(sizeof(*d));
	wrapper_find("docker", env_get(envp, "PATH"), writable, &d->client);
	find_socket(d, envp, writable);
	d->image = mem_strdup(config->docker_image);
	d->network = mem_strdup(config->docker_network);
	d->memory_bytes = config->docker_memory_bytes;
	d->cpus = config->docker_cpus;
	arguments_docker(&config->docker_args, &d->args);
	d->launcher_path = mem_strdup(launcher_path);
	d->launcher_dev = launcher_dev;
	d->launcher_ino = launcher_ino;
	return d;
}

void docker_host_free(struct docker_host *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < DOCKER_ASKED; i++) {
		free(d->asked[i].target);
		if (d->asked[i].target)
			fd_close(&d->asked[i].fd);
	}
	free(d->client.path);
	fd_close(&d->client.fd);
	free(d->socket);
	free(d->image);
	free(d->network);
	strv_release(&d->args);
	free(d->launcher_path);
	strv_release(&d->closed);
	free(d->empty_file);
	free(d->record);
	free(d);
}
