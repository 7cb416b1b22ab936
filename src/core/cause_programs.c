/* Why a wrapper program, the engine or the switch cannot be used. */
#include "config.h"

#include "core/cause_rows.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

static bool is(const struct examined *e, enum backend_id backend)
{
	return e->backend == backend;
}

static bool failed_in_launch(const struct examined *e)
{
	return !e->works && e->failing > FAILING_LOOK;
}

static bool for_firejail_container(const struct machine *m, const struct examined *e)
{
	return is(e, BACKEND_FIREJAIL) && e->failing == FAILING_ISOLATION && !e->works &&
	       m->in_container;
}

static bool for_firejail_user_namespace(const struct machine *m, const struct examined *e)
{
	return is(e, BACKEND_FIREJAIL) && failed_in_launch(e) && m->user_namespace;
}

static bool for_firejail_user(const struct machine *m, const struct examined *e)
{
	(void)m;
	return is(e, BACKEND_FIREJAIL) && failed_in_launch(e) &&
	       strstr(e->why, "not allowed to use Firejail") != NULL;
}

static bool for_docker_forbidden(const struct machine *m, const struct examined *e)
{
	return e->told == CAUSE_DOCKER_FORBIDDEN && !m->engine_group_joined;
}

static bool for_docker_login(const struct machine *m, const struct examined *e)
{
	return e->told == CAUSE_DOCKER_FORBIDDEN && m->engine_group_joined;
}

static const struct cause_row rows[] = {
	{CAUSE_BUBBLEWRAP_ABSENT, "bubblewrap_absent", NULL, "bwrap is not on PATH",
		{"as root: apt-get install bubblewrap"}},
	{CAUSE_FIREJAIL_ABSENT, "firejail_absent", NULL, "firejail is not on PATH",
		{"as root: apt-get install firejail"}},
	{CAUSE_DOCKER_ABSENT, "docker_absent", NULL, "docker is not on PATH",
		{"as root: apt-get install docker.io"}},
	{CAUSE_PROGRAM_NOT_TRUSTED, "program_not_trusted", NULL,
		"a program that somebody else can replace is not used",
		{"let it and the directories above it belong to root, and nobody else write to "
		 "them",
			"or put the directory of another one before it on PATH"}},
	{CAUSE_FIREJAIL_NOT_SETUID, "firejail_not_setuid", NULL,
		"firejail works only as a program that runs as root",
		{"as root: chown root: firejail, then chmod 4755 firejail; or install it anew"}},
	{CAUSE_FIREJAIL_CONTAINER, "firejail_container", for_firejail_container,
		"inside a container firejail isolates nothing and does not say so",
		{"another backend; firejail only on the machine itself"}},
	{CAUSE_FIREJAIL_USER_NAMESPACE, "firejail_user_namespace", for_firejail_user_namespace,
		"this runs in a user namespace, where root is not the machine's root and firejail "
		"does not work",
		{"another backend; firejail only outside of it"}},
	{CAUSE_FIREJAIL_NO_NEW_PRIVS, "firejail_no_new_privs", NULL,
		"no program started from here gains rights (no_new_privs), which firejail needs",
		{"start it without: setpriv --nnp, NoNewPrivileges= of a unit of systemd and "
		 "docker run --security-opt no-new-privileges set it"}},
	{CAUSE_FIREJAIL_USER, "firejail_user", for_firejail_user,
		"firejail turns the user {user} away",
		{"as root: firecfg --add-users {user} (the list is /etc/firejail/firejail.users)"}},
	{CAUSE_DOCKER_NOT_RUNNING, "docker_not_running", NULL,
		"no docker engine listens at {socket}",
		{"as root: systemctl start docker, or service docker start"}},
	{CAUSE_DOCKER_FORBIDDEN, "docker_forbidden", for_docker_forbidden,
		"the user {user} may not use the docker engine",
		{"as root, only if {user} may be as good as root on this machine: usermod -aG "
		 "{group} {user}, then log in again"}},
	{CAUSE_DOCKER_LOGIN, "docker_login", for_docker_login,
		"the user {user} is in the group {group}, and this login is older than that",
		{"log in again, or: newgrp {group}"}},
	{CAUSE_DOCKER_HANGS, "docker_hangs", NULL, "the docker engine does not answer",
		{"as root: systemctl restart docker, or service docker restart"}},
	{CAUSE_DOCKER_REMOTE, "docker_remote", NULL,
		"the docker engine that was named is not on this machine for sure",
		{"DOCKER_HOST=unix:///run/docker.sock names the local one"}},
	{CAUSE_DOCKER_SOCKET_NOT_TRUSTED, "docker_socket_not_trusted", NULL,
		"somebody else could put another socket in the place of the engine's",
		{"DOCKER_HOST=unix://SOCKET with one in a directory that only root or you can "
		 "write"}},
	{CAUSE_DOCKER_IS_PODMAN, "docker_is_podman", NULL,
		"podman answers in docker's place, and is not used",
		{"DOCKER_HOST=unix:///run/docker.sock names an engine of docker"}},
	{CAUSE_DOCKER_NO_ENGINE, "docker_no_engine", NULL,
		"what answers is not a docker engine that can be used",
		{"DOCKER_HOST=unix:///run/docker.sock names one"}},
	{CAUSE_DOCKER_RENAMES_USERS, "docker_renames_users", NULL,
		"the docker engine renames users, so a command could not write the workspace",
		{"an engine without userns-remap that runs as root"}},
	{CAUSE_DOCKER_IMAGE_ABSENT, "docker_image_absent", NULL,
		"the image {image} is not on this engine, and none is fetched",
		{"docker pull {image}", "or name another: image in [security.sandbox.docker]"}},
	{CAUSE_DOCKER_IMAGE_UNFIT, "docker_image_unfit", NULL, "the image {image} cannot be used",
		{"name another one: image in [security.sandbox.docker]"}},
	{CAUSE_SWITCH_REFUSED, "switch_refused", NULL,
		"EXEQUATUR_ALLOW_UNSANDBOXED is set and has no effect",
		{"set it to 1, and not inside a service"}},
	{CAUSE_NOT_EXPLAINED, "not_explained", NULL, "what keeps it from working is not known",
		{"report it, with the output of exequatur doctor --json"}},
};

const struct cause_rows cause_programs = {rows, ARRAY_LEN(rows)};
