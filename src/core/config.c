#include "config.h"

#include "core/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "core/arguments.h"
#include "core/config_origin.h"
#include "core/config_value.h"

static const char *const backend_names[BACKEND_ID_COUNT] = {
	[BACKEND_AUTO] = "auto",
	[BACKEND_LANDLOCK] = "landlock",
	[BACKEND_FIREJAIL] = "firejail",
	[BACKEND_BUBBLEWRAP] = "bubblewrap",
	[BACKEND_DOCKER] = "docker",
	[BACKEND_NONE] = "none",
};

static const char *const verdict_names[VERDICT_COUNT] = {
	[VERDICT_DENY] = "deny",
	[VERDICT_SUPERVISED] = "supervised",
	[VERDICT_ALLOW] = "allow",
};

const char *backend_id_name(enum backend_id id)
{
	return backend_names[id];
}

int backend_id_from_name(const char *name, enum backend_id *ret)
{
	for (int i = 0; i < BACKEND_ID_COUNT; i++) {
		if (!strcmp(name, backend_names[i])) {
			*ret = (enum backend_id)i;
			return 0;
		}
	}
	return -1;
}

const char *verdict_name(enum verdict verdict)
{
	return verdict_names[verdict];
}

void config_init(struct config *config)
{
	memset(config, 0, sizeof(*config));
	config->policy_shell = VERDICT_SUPERVISED;
	config->origins = mem_array(config_key_count, sizeof(*config->origins));
	for (size_t i = 0; i < config_key_count; i++)
		config_value_initial(config, &config_keys[i]);
}

void config_release(struct config *config)
{
	for (size_t i = 0; i < config_key_count; i++)
		config_value_clear(config, &config_keys[i]);
	free(config->key_lines);
	free(config->path);
	free(config->origins);
	memset(config, 0, sizeof(*config));
}

static struct config_origin *origin_of(const struct config *config, const char *dotted)
{
	return &config->origins[config_key_find_dotted(dotted)];
}

void config_settle(struct config *config)
{
	if (config->enabled != TOGGLE_FALSE || config->backend != BACKEND_AUTO)
		return;
	config->backend = BACKEND_NONE;
	*origin_of(config, "security.sandbox.backend") =
		*origin_of(config, "security.sandbox.enabled");
}

static int check_arguments(const struct config *config, struct err *err)
{
	struct err cause = ERR_INIT;
	const char *key = "security.sandbox.firejail_args", *name = "firejail_args";
	int failed = arguments_check_firejail(&config->firejail_args, &cause);

	if (!failed) {
		key = "security.sandbox.docker.args";
		name = "docker_args";
		failed = arguments_check_docker(&config->docker_args, &cause);
	}
	if (!failed)
		return 0;
	char *origin MEM_AUTO = config_origin(config, key);

	return err_set(err, ERR_REFUSED, "%s: %s: %s", origin, name, cause.text);
}

static int check_program(
	const struct config *config, const struct strv *command, const char *key, struct err *err)
{
	if (command->count == 0 || command->items[0][0] == '/')
		return 0;
	char *origin MEM_AUTO = config_origin(config, key);

	return err_set(err, ERR_INVALID, "%s: %s: the program must be an absolute path, not \"%s\"",
		origin, strrchr(key, '.') + 1, command->items[0]);
}

static int check_programs(const struct config *config, struct err *err)
{
	if (check_program(config, &config->notify_command, "exequatur.notify_command", err) != 0)
		return -1;
	return check_program(config, &config->anchor_command, "security.audit.anchor_command", err);
}

int config_check(const struct config *config, struct err *err)
{
	bool forced_off = config->enabled == TOGGLE_FALSE && config->backend != BACKEND_NONE;
	bool forced_on = config->enabled == TOGGLE_TRUE && config->backend == BACKEND_NONE;

	if (!forced_off && !forced_on)
		return check_programs(config, err) != 0 ? -1 : check_arguments(config, err);
	char *backend MEM_AUTO = config_origin(config, "security.sandbox.backend");
	char *enabled MEM_AUTO = config_origin(config, "security.sandbox.enabled");

	return err_set(err, ERR_INVALID,
		"%s: backend = \"%s\" contradicts enabled = %s (%s); take one of them out", backend,
		backend_id_name(config->backend), forced_on ? "true" : "false", enabled);
}

int config_override_backend(struct config *config, const char *name, struct err *err)
{
	if (backend_id_from_name(name, &config->backend))
		return err_set(err, ERR_INVALID,
			"option -b: there is no backend \"%s\"; there are auto, landlock, "
			"firejail, "
			"bubblewrap, docker and none",
			name);
	origin_of(config, "security.sandbox.backend")->option = "option -b";
	config_settle(config);
	return 0;
}

void config_override_workspace(struct config *config, const char *dir)
{
	free(config->workspace);
	config->workspace = mem_strdup(dir);
	origin_of(config, "exequatur.workspace")->option = "option -C";
}

/* A relative XDG_CONFIG_HOME is to be ignored (XDG Base Directory Specification). */
char *config_default_path(const char *xdg_config_home, const char *home)
{
	if (xdg_config_home && *xdg_config_home == '/')
		return path_join(xdg_config_home, "exequatur/config.toml");
	if (!home || *home != '/')
		return NULL;
	return path_join(home, ".config/exequatur/config.toml");
}
