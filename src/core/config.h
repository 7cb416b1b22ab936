/* The configuration: every key of protocol.md section 4, its value and where it came from. */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "base/strv.h"

enum backend_id {
	BACKEND_AUTO,
	BACKEND_LANDLOCK,
	BACKEND_FIREJAIL,
	BACKEND_BUBBLEWRAP,
	BACKEND_DOCKER,
	BACKEND_NONE,
	BACKEND_ID_COUNT
};
const char *backend_id_name(enum backend_id id); /* "landlock" */
int backend_id_from_name(const char *name, enum backend_id *ret);

enum verdict { VERDICT_DENY, VERDICT_SUPERVISED, VERDICT_ALLOW, VERDICT_COUNT };
const char *verdict_name(enum verdict verdict);

enum config_toggle { TOGGLE_ABSENT, TOGGLE_FALSE, TOGGLE_TRUE };

#define ALLOW_UNSANDBOXED_VARIABLE "EXEQUATUR_ALLOW_UNSANDBOXED"

struct config {
	/* [security.sandbox] */
	enum config_toggle enabled;
	enum backend_id backend; /* effective: enabled = false alone gives NONE */
	struct strv firejail_args;
	struct strv docker_args;
	char *docker_image;
	char *docker_network;
	uint64_t docker_memory_bytes;
	double docker_cpus;
	/* [security.sandbox.bubblewrap]: for every backend */
	bool allow_network;
	struct strv writable_paths; /* absolute, "~" expanded */
	struct strv readonly_paths;
	/* [security.resources] */
	unsigned max_memory_mb, max_cpu_time_seconds, max_subprocesses, max_cpu_percent,
		max_open_files;
	bool memory_monitoring;
	/* [security.tool_policy] */
	enum verdict policy_default, policy_shell;
	bool policy_shell_set;
	/* [security.approval] */
	unsigned approval_timeout_s;
	/* [security.audit] */
	char *log_path; /* absolute directory; NULL: $XDG_STATE_HOME/exequatur/audit */
	unsigned audit_max_size_mb, audit_max_files;
	bool audit_compress;
	bool sign_events, redact, record_output;
	unsigned seal_every, anchor_every; /* events */
	char *anchor;                      /* "off" "syslog" */
	struct strv anchor_command;        /* an absolute path and arguments; empty: none */
	/* [exequatur] */
	char *workspace; /* NULL: the current directory */
	enum backend_id auto_order[4];
	unsigned auto_order_count;
	unsigned max_running, max_pending, max_pending_per_sender, kill_grace_seconds, lock_after;
	bool protect_git, mouse;
	bool accept_partial;        /* landlock without namespaces where those are refused */
	char *on_disconnect;        /* "end" "finish": what runs of an agent that went away */
	char *signs;                /* "auto" "ascii" */
	bool output_colours;        /* colour sequences of commands colour their output */
	char *theme;                /* "auto" "dark" "light" "mono" */
	char *notify;               /* "off" "osc9" "osc777" */
	struct strv notify_command; /* an absolute path and arguments; empty: none */
	struct strv keys;           /* "action=key" pairs of [exequatur.keys] */
	unsigned *key_lines;        /* the line of each; private */

	char *path;                    /* the file that was read; NULL: defaults alone */
	struct config_origin *origins; /* one for each key of the table; private */
};

void config_init(struct config *config); /* every default */
void config_release(struct config *config);

/* Reads `path`. name_for_messages is what errors call it. home is for "~". Errors: ERR_INVALID with
   "FILE:LINE: ..." and the nearest valid name; ERR_REFUSED for owner or mode; ERR_NOT_FOUND. */
int config_load(struct config *config, const char *path, const char *home, struct err *err);
/* The same from memory (tests, fuzzing); no owner check. */
int config_parse(struct config *config, const char *text, size_t len, const char *name_for_messages,
	const char *dir, const char *home, struct err *err);
/* The key that [exequatur.keys] has for an action; NULL: none. */
const char *config_binding_key(const struct config *config, const char *action);
/* Contradictions between keys, after loading and after command-line overrides (backend -b). */
int config_check(const struct config *config, struct err *err);
/* -b NAME and -C DIR: value and origin "option -b". */
int config_override_backend(struct config *config, const char *name, struct err *err);
void config_override_workspace(struct config *config, const char *dir);

/* "FILE:LINE" | "default" | "option -b" of a key such as "security.tool_policy.tools.shell"; caller frees. */
char *config_origin(const struct config *config, const char *key);
/* One line a key: `key = value    # origin[; no effect yet: WHY]`, TOML that loads back. Appends. */
void config_print(const struct config *config, struct str *out);
/* Canonical bytes for the digest in session_start. Appends. */
void config_canonical(const struct config *config, struct str *out);

/* Default place: $XDG_CONFIG_HOME/exequatur/config.toml or ~/.config/...; NULL when no home. Caller frees. */
char *config_default_path(const char *xdg_config_home, const char *home);

#endif
