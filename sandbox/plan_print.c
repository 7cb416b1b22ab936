#include "config.h"

#include "sandbox/plan.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/limits.h"

static const char *const mount_words[PLAN_MOUNT_KIND_COUNT] = {
	[PLAN_TMPFS] = "tmpfs",
	[PLAN_BIND] = "bind",
	[PLAN_PROC] = "proc",
	[PLAN_DEVICE] = "device",
	[PLAN_SYMLINK] = "link",
	[PLAN_DIR] = "directory",
	[PLAN_MQUEUE] = "mqueue",
	[PLAN_REMOUNT_RO] = "seal",
	[PLAN_EMPTY_FILE] = "empty file",
	[PLAN_FILE] = "file",
};
static const char *const source_words[PLAN_MOUNT_KIND_COUNT] = {
	[PLAN_SYMLINK] = " -> ", [PLAN_FILE] = " with "};
static const char *const access_words[] = {
	[PLAN_ACCESS_READ] = "read and run",
	[PLAN_ACCESS_WRITE] = "write",
	[PLAN_ACCESS_DEVICE] = "device",
	[PLAN_ACCESS_LIST] = "list",
};
static const char *const filter_words[PLAN_FILTER_COUNT] = {
	[PLAN_FILTER_NONE] = "none",
	[PLAN_FILTER_NETNS] = "deny list; sockets: unix, inet, inet6, netlink",
	[PLAN_FILTER_NO_SOCKETS] = "deny list; no sockets but socketpair",
	[PLAN_FILTER_NETWORK] = "deny list; network granted: vsock, packet and others denied",
	[PLAN_FILTER_FLAT] = "deny list; no sockets but pairs of streams, no processes outside",
	[PLAN_FILTER_FLAT_WHOLE] = ("deny list; no sockets but pairs of streams, no processes "
				    "outside, no truncate by path"),
};

struct flag_word {
	unsigned bit;
	const char *word;
};
static const struct flag_word proof_words[] = {
	{PLAN_PROOF_FILES, "files"},
	{PLAN_PROOF_PIDNS, "pid"},
	{PLAN_PROOF_NETNS, "net"},
	{PLAN_PROOF_IPCNS, "ipc"},
	{PLAN_PROOF_UTSNS, "uts"},
	{PLAN_PROOF_USERNS, "user"},
	{PLAN_PROOF_MOUNTNS, "mount"},
	{PLAN_PROOF_CAPS, "capabilities"},
	{PLAN_PROOF_SECCOMP, "seccomp"},
	{PLAN_PROOF_NNP, "no_new_privs"},
	{PLAN_PROOF_LANDLOCK, "landlock"},
	{PLAN_PROOF_NO_TTY, "no terminal"},
	{PLAN_PROOF_OWN_NET, "own net"},
	{PLAN_PROOF_CLOSED, "closed addresses"},
	{PLAN_PROOF_FLAT, "flat"},
	{PLAN_PROOF_PASTA, "pasta"},
};
/* CLONE_NEW* of linux/sched.h: values of the kernel's interface */
static const struct flag_word namespace_words[] = {
	{0x10000000, "user"},
	{0x00020000, "mount"},
	{0x20000000, "pid"},
	{0x40000000, "net"},
	{0x08000000, "ipc"},
	{0x04000000, "uts"},
};

/* As "%-*s" does, without a format: a card prints hundreds of them before its command starts. */
static void column(struct str *out, const char *text, size_t width)
{
	str_add(out, text);
	for (size_t len = strlen(text); len < width; len++)
		str_add_char(out, ' ');
}

static void label(struct str *out, const char *name)
{
	column(out, name, 12);
}

static void foreign(struct str *out, const char *text)
{
	text_escape(text, strlen(text), 0, out);
}

static void line_text(struct str *out, const char *name, const char *text)
{
	if (text == NULL)
		return;
	label(out, name);
	foreign(out, text);
	str_add_char(out, '\n');
}

static void line_flags(struct str *out, const char *name, unsigned bits,
	const struct flag_word *words, size_t count)
{
	label(out, name);
	if (bits == 0)
		str_add(out, "none");
	const char *gap = "";
	for (size_t i = 0; i < count; i++) {
		if (!(bits & words[i].bit))
			continue;
		str_add(out, gap);
		str_add(out, words[i].word);
		gap = " ";
	}
	str_add_char(out, '\n');
}

/* An argument that holds a blank or nothing is quoted, so that the borders between arguments show. */
static void print_argument(struct str *out, const char *text)
{
	bool plain = *text != '\0' && strpbrk(text, " '\"\\\n\t") == NULL;
	if (!plain)
		str_add_char(out, '\'');
	foreign(out, text);
	if (!plain)
		str_add_char(out, '\'');
}

/* One option with its values a line: argv as one line is unreadable. */
static void print_argv(const char *name, const struct strv *argv, struct str *out)
{
	for (size_t i = 0; i < argv->count; i++) {
		const char *text = argv->items[i];
		bool starts = i == 0 || strncmp(text, "--", 2) == 0;
		if (starts) {
			str_add(out, i ? "\n" : "");
			label(out, i ? "" : name);
		} else {
			str_add_char(out, ' ');
		}
		print_argument(out, text);
	}
	if (argv->count)
		str_add_char(out, '\n');
}

static void print_profile(const char *profile, struct str *out)
{
	for (const char *line = profile; line && *line; line += strspn(line, "\n")) {
		size_t len = strcspn(line, "\n");
		MEM_AUTO char *text = mem_strndup(line, len);
		line_text(out, line == profile ? "profile" : "", text);
		line += len;
	}
}

static void print_size(uint64_t bytes, struct str *out)
{
	char words[32];
	size_words(bytes, words);
	str_add(out, words);
}

static void print_mount(const struct plan_mount *m, struct str *out)
{
	static const struct flag_word words[] = {{PLAN_RO, "read-only"},
		{PLAN_OPTIONAL, "if there"}, {PLAN_NOEXEC, "noexec"},
		{PLAN_REC, "with mounts below"}};
	label(out, "mount");
	column(out, mount_words[m->kind], 11);
	foreign(out, m->target);
	if (m->source && (m->kind == PLAN_SYMLINK || strcmp(m->source, m->target) != 0)) {
		str_add(out, source_words[m->kind] ? source_words[m->kind] : " from ");
		foreign(out, m->source);
	}
	if (m->kind == PLAN_TMPFS) {
		str_add(out, ", ");
		print_size(m->size, out);
		str_printf(out, ", mode %04o", m->mode);
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (!(m->flags & words[i].bit))
			continue;
		str_add(out, ", ");
		str_add(out, words[i].word);
	}
	if (m->flags & PLAN_CHECK)
		str_printf(out, ", must be %llx:%llu", (unsigned long long)m->dev,
			(unsigned long long)m->ino);
	str_add_char(out, '\n');
}

static void print_check(const struct plan_mount *check, struct str *out)
{
	label(out, "check");
	foreign(out, check->target);
	if (check->flags & PLAN_CHECK)
		str_printf(out, " must be %llx:%llu", (unsigned long long)check->dev,
			(unsigned long long)check->ino);
	else
		str_add(out, " must be covered");
	str_add(out, check->flags & PLAN_RO ? ", read-only\n" : "\n");
}

static void print_lists(const struct plan *plan, struct str *out)
{
	for (size_t i = 0; i < plan->mount_count; i++)
		print_mount(&plan->mounts[i], out);
	for (size_t i = 0; i < plan->check_count; i++)
		print_check(&plan->checks[i], out);
	for (size_t i = 0; i < plan->rule_count; i++) {
		label(out, "landlock");
		column(out, access_words[plan->rules[i].access], 13);
		foreign(out, plan->rules[i].path);
		str_add_char(out, '\n');
	}
	if (plan->landlock_abi) {
		label(out, "landlock");
		str_printf(out, "ABI %u\n", plan->landlock_abi);
	}
	if (plan->landlock_net)
		line_text(out, "landlock", "no TCP bind, no TCP connect");
}

/* In a control group of its own below this directory, or held by the supervisor. */
static void print_keeper(const char *cgroup, const char *otherwise, struct str *out)
{
	str_add(out, cgroup ? "control group below " : otherwise);
	if (cgroup)
		foreign(out, cgroup);
	str_add_char(out, '\n');
}

static void print_tree_limits(const struct plan *plan, struct str *out)
{
	static const char *const counting[PLAN_COUNTING_COUNT] = {
		[PLAN_COUNT_ASKED] = "each fork asks the supervisor",
		[PLAN_COUNT_WATCHED] = "the supervisor watches"};
	if (plan->max_processes) {
		label(out, "processes");
		str_printf(out, "%u alive at once, %s\n", plan->max_processes,
			counting[plan->counting]);
	}
	if (plan->memory_bytes) {
		label(out, "memory");
		print_size(plan->memory_bytes, out);
		str_add(out, " of the whole tree, ");
		print_keeper(plan->cgroup_memory, "sampled by the supervisor", out);
	}
	if (plan->cpu_percent) {
		label(out, "CPU");
		str_printf(out, "%u %% of one CPU for the whole tree, ", plan->cpu_percent);
		print_keeper(plan->cgroup_cpu, "stopped and let go on by the supervisor", out);
	}
}

static void print_limits(const struct plan *plan, struct str *out)
{
	label(out, "time");
	str_printf(out,
		"%llu s, then SIGTERM, after %llu ms SIGKILL; the output is drained %llu ms\n",
		(unsigned long long)(plan->wall_ms / 1000), (unsigned long long)plan->grace_ms,
		(unsigned long long)plan->drain_ms);
	label(out, "limits");
	str_printf(out, "%llu open files, %llu s of CPU a process, ",
		(unsigned long long)plan->open_files, (unsigned long long)plan->cpu_s);
	print_size(plan->file_bytes, out);
	str_add(out, " a file");
	str_add_char(out, '\n');
	print_tree_limits(plan, out);
}

static void print_command(const struct plan *plan, struct str *out)
{
	line_text(out, "command", plan->command);
	line_text(out, "shell", plan->shell);
	line_text(out, "directory", plan->cwd);
	if (plan->cwd_make)
		line_text(out, "", "(will be made)");
	line_text(out, "stdin", plan->stdin_passed ? "passed" : "/dev/null");
	for (size_t i = 0; i < plan->env.count; i++)
		line_text(out, "env", plan->env.items[i]);
	line_text(out, "home", plan->home);
	line_text(out, "private", plan->private_dir);
	label(out, "user");
	str_printf(out, "uid %u, gid %u\n", plan->uid, plan->gid);
}

void plan_print(const struct plan *plan, struct str *out)
{
	line_text(out, "backend", plan->backend);
	print_command(plan, out);
	print_limits(plan, out);
	line_text(out, "hostname", plan->hostname);
	if (plan->engine) {
		line_text(out, "engine", plan->engine);
		line_text(out, "container", plan->container);
	}
	if (plan->wrapper.count == 0)
		line_flags(out, "namespaces", plan->namespaces, namespace_words,
			ARRAY_LEN(namespace_words));
	print_argv("wrapper", &plan->wrapper, out);
	print_argv("closer", &plan->closer, out);
	for (size_t i = 0; i < plan->closed.count; i++)
		line_text(out, i ? "" : "closed", plan->closed.items[i]);
	print_argv("network", &plan->pasta, out);
	print_profile(plan->profile, out);
	print_lists(plan, out);
	if (plan_is_flat(plan))
		line_text(out, "signals",
			plan->signals_asked ? "each to another process asks the supervisor"
					    : "within the command alone, by Landlock");
	line_text(out, "filter", filter_words[plan->filter]);
	line_flags(out, "proofs", plan->proofs, proof_words, ARRAY_LEN(proof_words));
}
