#include "config.h"

#include "app/examine.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/prove.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"
#include "sandbox/machine_read.h"

static const enum failing failing_of[STAGE_COUNT] = {
	[STAGE_PLAN] = FAILING_OTHER,
	[STAGE_NAMESPACES] = FAILING_NAMESPACES,
	[STAGE_ID_MAPS] = FAILING_NAMESPACES,
	[STAGE_WRAPPER] = FAILING_WRAPPER,
	[STAGE_MOUNTS] = FAILING_FILES,
	[STAGE_PLACES] = FAILING_FILES,
	[STAGE_NETWORK] = FAILING_NAMESPACES,
	[STAGE_LIMITS] = FAILING_LIMITS,
	[STAGE_CAPABILITIES] = FAILING_RESTRICTION,
	[STAGE_LANDLOCK] = FAILING_RESTRICTION,
	[STAGE_SECCOMP] = FAILING_RESTRICTION,
	[STAGE_VERIFY] = FAILING_ISOLATION,
	[STAGE_GO] = FAILING_OTHER,
	[STAGE_CWD] = FAILING_OTHER,
	[STAGE_EXEC] = FAILING_OTHER,
};

static enum cause wrapper_cause(enum wrapper_trouble trouble, enum cause absent)
{
	switch (trouble) {
	case WRAPPER_ABSENT:
		return absent;
	case WRAPPER_NOT_TRUSTED:
		return CAUSE_PROGRAM_NOT_TRUSTED;
	case WRAPPER_NOT_SETUID:
		return CAUSE_FIREJAIL_NOT_SETUID;
	case WRAPPER_NO_NEW_PRIVS:
		return CAUSE_FIREJAIL_NO_NEW_PRIVS;
	case WRAPPER_FOUND:
		break;
	}
	return CAUSE_NONE;
}

/* What a backend that was not even offered knows of the reason. */
static enum cause told_by(const struct host *host, enum backend_id id)
{
	if (id == BACKEND_BUBBLEWRAP)
		return wrapper_cause(host->bwrap_trouble, CAUSE_BUBBLEWRAP_ABSENT);
	if (id == BACKEND_FIREJAIL)
		return wrapper_cause(host->firejail.trouble, CAUSE_FIREJAIL_ABSENT);
	if (id == BACKEND_DOCKER)
		return host->docker->cause;
	return id == BACKEND_NONE ? CAUSE_SWITCH_REFUSED : CAUSE_NONE;
}

static const char *program_of(const struct host *host, enum backend_id id)
{
	if (id == BACKEND_BUBBLEWRAP)
		return host->bwrap_path;
	if (id == BACKEND_FIREJAIL)
		return host->firejail.path;
	return id == BACKEND_DOCKER ? host->docker->client.path : NULL;
}

static void take_failure(const struct proof *proof, struct examined *ret)
{
	ret->failing = failing_of[proof->stage];
	ret->error_number = proof->error_number;
	text_fit(proof->why, ret->why, sizeof(ret->why));
}

static void take_refusal(
	const struct session *s, const struct err *err, bool launched, struct examined *ret)
{
	text_fit(err->text, ret->why, sizeof(ret->why));
	/* After a launch that failed: that one says where and how. */
	if (launched)
		return;
	ret->failing = FAILING_LOOK;
	ret->told = told_by(&s->host, ret->backend);
}

static void try_backend(struct session *s, enum backend_id id, struct examined *ret)
{
	const struct backend *backend = backend_by_id(id);
	struct proof proof;
	struct err err = ERR_INIT;
	bool again = true;
	for (bool launched = false; again; launched = true) {
		if (prove_backend(s, backend, &proof, &err) != 0) {
			take_refusal(s, &err, launched, ret);
			return;
		}
		ret->works = proof.held;
		if (!proof.held)
			take_failure(&proof, ret);
		again = !proof.held && prove_learn(s, &proof);
	}
	ret->offer = proof.offer;
}

void examine_backend(struct session *s, enum backend_id id, struct examined *ret)
{
	struct host *host = &s->host;
	unsigned namespaces = host->refused_namespaces, limits = host->lost_limits;
	*ret = (struct examined){.backend = id, .program = program_of(host, id)};
	/* What another one has learned would keep this one from being tried. */
	host->refused_namespaces = host->lost_limits = 0;
	try_backend(s, id, ret);
	host->refused_namespaces |= namespaces;
	host->lost_limits |= limits;
}

/* The group whose members may use the engine. */
static void look_at_engine(const struct session *s, struct machine *ret)
{
	struct stat st;
	const char *socket = s->host.docker->socket;
	if (socket && stat(socket, &st) == 0)
		machine_of_engine("", st.st_gid, group_member(st.st_gid) != 0, s->user, ret);
}

static char *profile_file(void)
{
	char exe[PATH_MAX];
	const char *installed = PKGDATADIR "/apparmor/exequatur-supervisor";
	if (access(installed, R_OK) == 0)
		return mem_strdup(installed);
	/* Not installed: it is beside the program that was built. */
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return NULL;
	exe[n] = '\0';
	MEM_AUTO char *dir = path_dirname(exe);
	MEM_AUTO char *built = path_join(dir, "doc/apparmor/exequatur-supervisor");
	return access(built, R_OK) == 0 ? STEAL(built) : NULL;
}

static void name_all(const struct session *s, struct doctor *ret)
{
	ret->workspace = s->base.workspace;
	ret->record = s->record_dir;
	ret->names = (struct cause_names){.user = s->user,
		.image = s->config.docker_image,
		.socket = s->host.docker->socket,
		.profile_file = profile_file(),
		.supervisor = s->helpers.supervisor_path,
		.profiled = LIBEXECDIR "/exequatur-supervisor"};
}

static void choose(struct session *s, struct doctor *ret)
{
	struct proof proof;
	struct err err = ERR_INIT;
	if (prove_selected(s, &proof, &err) == 0) {
		ret->takes = proof.backend;
		ret->offer = proof.offer;
	} else {
		ret->why = mem_strdup(err.text);
	}
}

/* Of the first backend that could keep a granted network apart. */
static void examine_network(struct session *s, struct doctor *ret)
{
	char *why = ret->machine.network_why;
	size_t size = sizeof(ret->machine.network_why);
	text_fit("neither landlock nor bubblewrap works here in full", why, size);
	for (size_t i = 0; i < ret->count; i++) {
		const struct examined *e = &ret->items[i];
		struct proof proof;
		struct err err = ERR_INIT;
		bool could = e->backend == BACKEND_LANDLOCK || e->backend == BACKEND_BUBBLEWRAP;
		if (!could || !e->works || e->offer.flat)
			continue;
		if (prove_network(s, backend_by_id(e->backend), &proof, &err) != 0)
			text_fit(err.text, why, size);
		else if (proof.held)
			text_fit(proof.offer.network_why, why, size);
		else
			text_fit(proof.why, why, size);
		return;
	}
}

static bool is_examined(const struct host *host, enum backend_id id)
{
	return id != BACKEND_NONE || host->allow_unsandboxed || host->switch_why[0] != '\0';
}

void examine_all(struct session *s, struct doctor *ret)
{
	static const enum backend_id order[] = {BACKEND_LANDLOCK, BACKEND_BUBBLEWRAP,
		BACKEND_FIREJAIL, BACKEND_DOCKER, BACKEND_NONE};
	*ret = (struct doctor){.config = &s->config, .takes = BACKEND_AUTO};
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (is_examined(&s->host, order[i]))
			examine_backend(s, order[i], &ret->items[ret->count++]);
	choose(s, ret);
	machine_read("", &ret->machine);
	machine_of_host(&s->host, &ret->machine);
	look_at_engine(s, &ret->machine);
	examine_network(s, ret);
	name_all(s, ret);
	if (access(s->record_dir, W_OK | X_OK) != 0)
		ret->record_why = strerror(errno);
}

void examine_release(struct doctor *doctor)
{
	free((char *)doctor->why);
	free((char *)doctor->names.profile_file);
}
