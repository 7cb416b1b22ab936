/* Names that are not in the table: what PRX's documents call so, and the nearest name that is. */
#include "config.h"

#include "core/config_keys.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/strv.h"

#define SHELL "security.tool_policy.tools.shell"
#define WRITABLE "security.sandbox.bubblewrap.writable_paths"
#define READONLY "security.sandbox.bubblewrap.readonly_paths"
#define LOG_PATH "security.audit.log_path"

/* Keys and sections documented for PRX that have no place here; name NULL: the section, and all else in it. A
   section stands for those below it too; the first row that fits counts. */
static const struct {
	const char *section, *name, *use;
} prx[] = {
	{"security.sandbox", "extra_path_dirs", READONLY},
	{"security.tool_policy.groups", NULL, SHELL},
	{"security.approval", "notify_channel", "security.approval.timeout_secs"},
	{"security.approval", "supervisor_id", SHELL},
	{"security.approval.auto_approve", NULL, SHELL},
	{"security.policy", NULL, SHELL},
	{"security.audit", "min_severity", LOG_PATH},
	{"security.audit.file", "path", LOG_PATH},
	{"security.audit.database", NULL, LOG_PATH},
	{"security", "sandbox_backend", "security.sandbox.backend"},
	{"security", "require_tool_approval", SHELL},
	{"security", "max_tool_calls_per_turn", "exequatur.max_pending"},
	{"autonomy.sandbox", "backend", "security.sandbox.backend"},
	{"autonomy.sandbox", "firejail_args", "security.sandbox.firejail_args"},
	{"autonomy.sandbox", "extra_path_dirs", READONLY},
	{"autonomy.sandbox", NULL, "security.sandbox.backend"},
	{"autonomy", "workspace_only", WRITABLE},
	{"autonomy", "forbidden_paths", WRITABLE},
	{"autonomy", "max_actions_per_hour", "exequatur.max_pending_per_sender"},
	{"autonomy", "max_cost_per_day_cents", "exequatur.max_pending_per_sender"},
	{"autonomy", NULL, SHELL},
	{"runtime", "kind", "security.sandbox.backend"},
	{"runtime.docker", "image", "security.sandbox.docker.image"},
	{"runtime.docker", "network", "security.sandbox.docker.network"},
	{"runtime.docker", "memory_limit_mb", "security.sandbox.docker.memory_limit"},
	{"runtime.docker", "cpu_limit", "security.sandbox.docker.cpu_limit"},
	{"runtime.docker", "read_only_rootfs", "security.sandbox.docker.args"},
	{"runtime.docker", "mount_workspace", "exequatur.workspace"},
	{"runtime.docker", "allowed_workspace_roots", WRITABLE},
	{"runtime", NULL, "security.sandbox.backend"},
};

static bool is_at_or_below(const char *section, const char *root)
{
	size_t len = strlen(root);

	return !strncmp(section, root, len) && (!section[len] || section[len] == '.');
}

bool config_prx_section(const char *section, const char **ret_use)
{
	const char *use = NULL;

	/* A section of ours that has such keys too is no section of theirs. */
	if (config_section_exists(section))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(prx); i++) {
		if (prx[i].name ? strcmp(section, prx[i].section)
				: !is_at_or_below(section, prx[i].section))
			continue;
		use = prx[i].use;
		if (!prx[i].name)
			break;
	}
	*ret_use = use;
	return use != NULL;
}

bool config_prx_key(const char *section, const char *name, const char **ret_use)
{
	for (size_t i = 0; i < ARRAY_LEN(prx); i++) {
		if (prx[i].name ? !strcmp(section, prx[i].section) && !strcmp(name, prx[i].name)
				: is_at_or_below(section, prx[i].section)) {
			*ret_use = prx[i].use;
			return true;
		}
	}
	/* Policies of other tools: there is one tool here. */
	*ret_use = SHELL;
	return !strcmp(section, "security.tool_policy.tools") && config_distance(name, "shell") > 2;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Three rows of the table of distances; names are at most CONFIG_NAME_BYTES long. */
#define DISTANCE_BYTES 64

unsigned config_distance(const char *a, const char *b)
{
	unsigned rows[3][DISTANCE_BYTES + 1];
	size_t a_len = strnlen(a, DISTANCE_BYTES), b_len = strnlen(b, DISTANCE_BYTES);

	for (unsigned j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= a_len; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= b_len; j++) {
			row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
				least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[a_len % 3][b_len];
}

struct nearest {
	const char *text;
	unsigned distance;
};

static void consider(
	struct nearest *nearest, const char *wanted, const char *name, const char *text)
{
	unsigned distance = config_distance(wanted, name);

	if (distance < nearest->distance) {
		nearest->distance = distance;
		nearest->text = text;
	}
}

void config_unknown_section(const char *section, struct str *out)
{
	struct nearest nearest = {NULL, UINT_MAX};
	const char *use;

	if (config_prx_section(section, &use)) {
		str_printf(out, "[%s] is documented for PRX, not used here: use %s", section, use);
		return;
	}
	for (size_t i = 0; i < config_key_count; i++)
		consider(&nearest, section, config_keys[i].section, config_keys[i].section);
	str_printf(out, "unknown section [%s]; the nearest is [%s]", section, nearest.text);
}

static const char *section_with(const char *name)
{
	for (size_t i = 0; i < config_key_count; i++) {
		if (!strcmp(config_keys[i].name, name))
			return config_keys[i].section;
	}
	return NULL;
}

void config_unknown_key(const char *section, const char *name, struct str *out)
{
	struct nearest nearest = {NULL, UINT_MAX};
	const char *use;

	if (config_prx_key(section, name, &use)) {
		str_printf(out, "%s.%s is documented for PRX, not used here: use %s", section, name,
			use);
		return;
	}
	char *below MEM_AUTO = mem_printf("%s.%s", section, name);
	if (config_section_exists(below)) {
		str_printf(out, "%s is a section of its own; write [%s]", name, below);
		return;
	}
	const char *elsewhere = section_with(name);
	if (elsewhere) {
		str_printf(out, "unknown key %s in [%s]; it belongs in [%s]", name, section,
			elsewhere);
		return;
	}
	for (size_t i = 0; i < config_key_count; i++) {
		if (!strcmp(config_keys[i].section, section))
			consider(&nearest, name, config_keys[i].name, config_keys[i].name);
	}
	if (nearest.text)
		str_printf(out, "unknown key %s in [%s]; the nearest is %s", name, section,
			nearest.text);
	else
		str_printf(out, "unknown key %s: [%s] has no keys of its own", name, section);
}
