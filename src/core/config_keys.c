#include "config.h"

#include "core/config_keys.h"

#include <string.h>

#include "base/mem.h"
#include "core/config.h"

#define SANDBOX "security.sandbox"
#define DOCKER "security.sandbox.docker"
#define BUBBLEWRAP "security.sandbox.bubblewrap"
#define RESOURCES "security.resources"
#define POLICY "security.tool_policy"
#define APPROVAL "security.approval"
#define AUDIT "security.audit"
#define FILES "security.audit.file"
#define OURS "exequatur"

#define AT(member) offsetof(struct config, member)
#define WEEK_S (7 * 24 * 3600)
#define MIB (1ull << 20)

const struct config_key config_keys[] = {
	{SANDBOX, "enabled", CONFIG_TOGGLE, AT(enabled), .words = "detect"},
	{SANDBOX, "backend", CONFIG_BACKEND, AT(backend), .initial = "auto"},
	{SANDBOX, "firejail_args", CONFIG_TEXTS, AT(firejail_args), .initial = ""},
	{SANDBOX, "docker_image", CONFIG_TEXT, .alias_section = DOCKER, .alias_name = "image"},
	{SANDBOX, "docker_args", CONFIG_TEXTS, .alias_section = DOCKER, .alias_name = "args"},

	{DOCKER, "image", CONFIG_TEXT, AT(docker_image), .initial = "prx-sandbox:latest"},
	{DOCKER, "network", CONFIG_TEXT, AT(docker_network), .initial = "none"},
	{DOCKER, "memory_limit", CONFIG_SIZE, AT(docker_memory_bytes), .initial = "256m",
		.min = 6 * MIB, .max = MIB << 20},
	{DOCKER, "cpu_limit", CONFIG_CPUS, AT(docker_cpus), .initial = "1.0", .min = 10,
		.max = 1024000},
	{DOCKER, "args", CONFIG_TEXTS, AT(docker_args), .initial = ""},

	{BUBBLEWRAP, "allow_network", CONFIG_BOOL, AT(allow_network), .initial = "false"},
	{BUBBLEWRAP, "writable_paths", CONFIG_PATHS, AT(writable_paths), .initial = ""},
	{BUBBLEWRAP, "readonly_paths", CONFIG_PATHS, AT(readonly_paths), .initial = ""},

	{RESOURCES, "max_memory_mb", CONFIG_NUMBER, AT(max_memory_mb), .initial = "512", .min = 1,
		.max = 1 << 20},
	{RESOURCES, "max_cpu_time_seconds", CONFIG_NUMBER, AT(max_cpu_time_seconds),
		.initial = "60", .min = 1, .max = WEEK_S},
	{RESOURCES, "max_subprocesses", CONFIG_NUMBER, AT(max_subprocesses), .initial = "10",
		.min = 1, .max = 1 << 22},
	{RESOURCES, "memory_monitoring", CONFIG_BOOL, AT(memory_monitoring), .initial = "true"},
	{RESOURCES, "max_cpu_percent", CONFIG_NUMBER, AT(max_cpu_percent), .initial = "80",
		.min = 1, .max = 100},
	{RESOURCES, "max_open_files", CONFIG_NUMBER, AT(max_open_files), .initial = "256",
		.min = 16, .max = 1 << 20},

	{POLICY, "default", CONFIG_VERDICT, AT(policy_default), .initial = "supervised"},
	{POLICY ".tools", "shell", CONFIG_VERDICT, AT(policy_shell),
		.words = "the stricter of default and supervised"},

	{APPROVAL, "timeout_secs", CONFIG_NUMBER, AT(approval_timeout_s), .initial = "300",
		.min = 1, .max = WEEK_S},
	{APPROVAL, "on_timeout", CONFIG_ONLY, 0, .initial = "deny",
		.words = "a wait that nobody answers is never a yes"},

	{AUDIT, "enabled", CONFIG_ONLY, 0, .initial = "true", .words = "no record, no run"},
	{AUDIT, "log_path", CONFIG_PATH_NEAR, AT(log_path),
		.words = "$XDG_STATE_HOME/exequatur/audit"},
	{AUDIT, "max_size_mb", CONFIG_NUMBER, AT(audit_max_size_mb), .initial = "100", .min = 1,
		.max = 1 << 20},
	{AUDIT, "max_files", CONFIG_NUMBER, AT(audit_max_files), .initial = "0", .min = 0,
		.max = 1 << 20},
	{AUDIT, "compress", CONFIG_BOOL, AT(audit_compress), .initial = "false"},
	{AUDIT, "sign_events", CONFIG_BOOL, AT(sign_events), .initial = "false"},
	{AUDIT, "seal_every", CONFIG_NUMBER, AT(seal_every), .initial = "500", .min = 10,
		.max = 1 << 20},
	{AUDIT, "anchor", CONFIG_WORD, AT(anchor), .initial = "off", .words = "off syslog"},
	{AUDIT, "anchor_command", CONFIG_TEXTS, AT(anchor_command), .initial = ""},
	{AUDIT, "anchor_every", CONFIG_NUMBER, AT(anchor_every), .initial = "500", .min = 10,
		.max = 1 << 20},
	{AUDIT, "redact", CONFIG_BOOL, AT(redact), .initial = "false"},
	{AUDIT, "record_output", CONFIG_BOOL, AT(record_output), .initial = "true"},

	{FILES, "enabled", CONFIG_ONLY, 0, .initial = "true", .words = "the record is files"},
	{FILES, "format", CONFIG_ONLY, 0, .initial = "jsonl", .words = "the one format"},
	{FILES, "max_size_mb", CONFIG_NUMBER, .alias_section = AUDIT, .alias_name = "max_size_mb"},
	{FILES, "max_files", CONFIG_NUMBER, .alias_section = AUDIT, .alias_name = "max_files"},
	{FILES, "compress_rotated", CONFIG_BOOL, .alias_section = AUDIT, .alias_name = "compress"},

	{OURS, "workspace", CONFIG_PATH, AT(workspace), .words = "the current directory"},
	{OURS, "auto_order", CONFIG_BACKENDS, AT(auto_order),
		.initial = "landlock firejail bubblewrap docker"},
	{OURS, "max_running", CONFIG_NUMBER, AT(max_running), .initial = "4", .min = 1, .max = 256},
	{OURS, "max_pending", CONFIG_NUMBER, AT(max_pending), .initial = "1000", .min = 1,
		.max = 100000},
	{OURS, "max_pending_per_sender", CONFIG_NUMBER, AT(max_pending_per_sender), .initial = "0",
		.min = 0, .max = 100000},
	{OURS, "kill_grace_seconds", CONFIG_NUMBER, AT(kill_grace_seconds), .initial = "2",
		.min = 0, .max = 60},
	{OURS, "protect_git", CONFIG_BOOL, AT(protect_git), .initial = "true"},
	{OURS, "accept_partial", CONFIG_BOOL, AT(accept_partial), .initial = "false"},
	{OURS, "on_disconnect", CONFIG_WORD, AT(on_disconnect), .initial = "end",
		.words = "end finish"},
	{OURS, "signs", CONFIG_WORD, AT(signs), .initial = "auto", .words = "auto ascii"},
	{OURS, "theme", CONFIG_WORD, AT(theme), .initial = "auto", .words = "auto dark light mono"},
	{OURS, "output_colours", CONFIG_BOOL, AT(output_colours), .initial = "false"},
	{OURS, "mouse", CONFIG_BOOL, AT(mouse), .initial = "true"},
	{OURS, "notify", CONFIG_WORD, AT(notify), .initial = "off", .words = "off osc9 osc777"},
	{OURS, "notify_command", CONFIG_TEXTS, AT(notify_command), .initial = ""},
	{OURS, "lock_after", CONFIG_NUMBER, AT(lock_after), .initial = "0", .min = 0, .max = 1440},

	{OURS ".keys", "*", CONFIG_BINDINGS, AT(keys), .words = "the keys of the help page"},
};
const size_t config_key_count = ARRAY_LEN(config_keys);

int config_key_find(const char *section, const char *name)
{
	for (size_t i = 0; i < config_key_count; i++) {
		const struct config_key *key = &config_keys[i];

		if (!strcmp(key->section, section) &&
			(!strcmp(key->name, name) || !strcmp(key->name, "*")))
			return (int)i;
	}
	return -1;
}

int config_key_find_dotted(const char *dotted)
{
	const char *dot = strrchr(dotted, '.');

	if (!dot)
		return -1;
	char *section MEM_AUTO = mem_strndup(dotted, (size_t)(dot - dotted));
	return config_key_find(section, dot + 1);
}

int config_key_resolve(int index)
{
	const struct config_key *key = &config_keys[index];

	return key->alias_section ? config_key_find(key->alias_section, key->alias_name) : index;
}

bool config_section_exists(const char *section)
{
	for (size_t i = 0; i < config_key_count; i++) {
		if (!strcmp(config_keys[i].section, section))
			return true;
	}
	return false;
}
