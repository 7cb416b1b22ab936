#include "config.h"

#include "sandbox/plan.h"

#include <string.h>

#include "base/mem.h"

/* One table describes the struct for writer and reader, so that they cannot disagree. */
enum field_kind { FIELD_STR, FIELD_STRV, FIELD_BOOL, FIELD_U32, FIELD_U64, FIELD_LIST };

enum field_flags { FIELD_NULL_OK = 1 };

struct field_list;

struct field {
	const char *name;
	enum field_kind kind;
	size_t offset;
	uint64_t max;    /* greatest value of a number; greatest count of a list or vector */
	unsigned flags;  /* enum field_flags */
	unsigned repeat; /* numbers in a row; 0 is 1 */
	const struct field_list *list;
};

/* The elements of a list; a pointer, a count and a capacity follow each other in struct plan. */
struct field_list {
	const struct field *fields;
	size_t field_count;
	size_t element_bytes;
};

#define STRINGS_MAX 4096  /* of one vector: an argv or an environment */
#define ELEMENTS_MAX 1024 /* of mounts, of rules */

static const char magic[8] = "EXQPLAN";

#define FIELD(type, member, field_kind, ...)                                                       \
	{                                                                                          \
		.name = #member, .kind = field_kind, .offset = offsetof(type, member), __VA_ARGS__ \
	}

static const struct field mount_fields[] = {
	FIELD(struct plan_mount, kind, FIELD_U32, .max = PLAN_MOUNT_KIND_COUNT - 1),
	FIELD(struct plan_mount, flags, FIELD_U32, .max = (PLAN_REC << 1) - 1),
	FIELD(struct plan_mount, source, FIELD_STR, .flags = FIELD_NULL_OK),
	FIELD(struct plan_mount, target, FIELD_STR),
	FIELD(struct plan_mount, size, FIELD_U64, .max = UINT64_MAX),
	FIELD(struct plan_mount, mode, FIELD_U32, .max = 07777),
	FIELD(struct plan_mount, dev, FIELD_U64, .max = UINT64_MAX),
	FIELD(struct plan_mount, ino, FIELD_U64, .max = UINT64_MAX),
};

static const struct field rule_fields[] = {
	FIELD(struct plan_rule, access, FIELD_U32, .max = PLAN_ACCESS_LIST),
	FIELD(struct plan_rule, path, FIELD_STR),
};

static const struct field_list mount_list = {
	mount_fields, ARRAY_LEN(mount_fields), sizeof(struct plan_mount)};
static const struct field_list rule_list = {
	rule_fields, ARRAY_LEN(rule_fields), sizeof(struct plan_rule)};

static const struct field plan_fields[] = {
	FIELD(struct plan, backend, FIELD_STR),
	FIELD(struct plan, wrapper, FIELD_STRV, .max = STRINGS_MAX),
	FIELD(struct plan, profile, FIELD_STR, .flags = FIELD_NULL_OK),
	FIELD(struct plan, env, FIELD_STRV, .max = STRINGS_MAX),
	FIELD(struct plan, namespaces, FIELD_U32, .max = UINT32_MAX),
	FIELD(struct plan, mounts, FIELD_LIST, .max = ELEMENTS_MAX, .list = &mount_list),
	FIELD(struct plan, checks, FIELD_LIST, .max = PLAN_CHECKS_MAX, .list = &mount_list),
	FIELD(struct plan, rules, FIELD_LIST, .max = ELEMENTS_MAX, .list = &rule_list),
	FIELD(struct plan, landlock, FIELD_BOOL),
	FIELD(struct plan, landlock_net, FIELD_U32, .max = UINT32_MAX),
	FIELD(struct plan, filter, FIELD_U32, .max = PLAN_FILTER_COUNT - 1),
	FIELD(struct plan, proofs, FIELD_U32, .max = (PLAN_PROOF_PASTA << 1) - 1),
	FIELD(struct plan, host_ns, FIELD_U64, .max = UINT64_MAX, .repeat = PLAN_NS_COUNT),
	FIELD(struct plan, hostname, FIELD_STR, .flags = FIELD_NULL_OK),
	FIELD(struct plan, home, FIELD_STR, .flags = FIELD_NULL_OK),
	FIELD(struct plan, cwd, FIELD_STR),
	FIELD(struct plan, cwd_make, FIELD_BOOL),
	FIELD(struct plan, command, FIELD_STR),
	FIELD(struct plan, shell, FIELD_STR),
	FIELD(struct plan, stdin_passed, FIELD_BOOL),
	FIELD(struct plan, uid, FIELD_U32, .max = UINT32_MAX),
	FIELD(struct plan, gid, FIELD_U32, .max = UINT32_MAX),
	FIELD(struct plan, wall_ms, FIELD_U64, .max = INT64_MAX / 4),
	FIELD(struct plan, grace_ms, FIELD_U64, .max = INT64_MAX / 4),
	FIELD(struct plan, drain_ms, FIELD_U64, .max = INT64_MAX / 4),
	FIELD(struct plan, cpu_s, FIELD_U64, .max = UINT64_MAX),
	FIELD(struct plan, open_files, FIELD_U64, .max = UINT64_MAX),
	FIELD(struct plan, file_bytes, FIELD_U64, .max = UINT64_MAX),
	FIELD(struct plan, max_processes, FIELD_U32, .max = UINT32_MAX),
	FIELD(struct plan, counting, FIELD_U32, .max = PLAN_COUNTING_COUNT - 1),
	FIELD(struct plan, memory_bytes, FIELD_U64, .max = UINT64_MAX),
	FIELD(struct plan, cpu_percent, FIELD_U32, .max = UINT32_MAX),
	FIELD(struct plan, cgroup_memory, FIELD_STR, .flags = FIELD_NULL_OK),
	FIELD(struct plan, cgroup_cpu, FIELD_STR, .flags = FIELD_NULL_OK),
	FIELD(struct plan, cgroup_v2, FIELD_BOOL),
	FIELD(struct plan, engine, FIELD_STR, .flags = FIELD_NULL_OK),
	FIELD(struct plan, container, FIELD_STR, .flags = FIELD_NULL_OK),
	FIELD(struct plan, closer, FIELD_STRV, .max = STRINGS_MAX),
	FIELD(struct plan, closed, FIELD_STRV, .max = STRINGS_MAX),
	FIELD(struct plan, private_dir, FIELD_STR, .flags = FIELD_NULL_OK),
	FIELD(struct plan, landlock_abi, FIELD_U32, .max = UINT32_MAX),
	FIELD(struct plan, signals_asked, FIELD_BOOL),
	FIELD(struct plan, pasta, FIELD_STRV, .max = STRINGS_MAX),
};

_Static_assert(offsetof(struct plan, mount_count) == offsetof(struct plan, mounts) + 8 &&
		       offsetof(struct plan, check_count) == offsetof(struct plan, checks) + 8 &&
		       offsetof(struct plan, rule_count) == offsetof(struct plan, rules) + 8,
	"a list is a pointer, then its count");

/* How every list of struct plan begins. */
struct list_head {
	void *items;
	size_t count, cap;
};

static void put_number(struct str *out, uint64_t value, unsigned bytes)
{
	unsigned char le[8];
	for (unsigned i = 0; i < bytes; i++)
		le[i] = (unsigned char)(value >> (8 * i));
	str_add_bytes(out, le, bytes);
}

/* A string that is not there differs from an empty one. */
#define NO_STRING UINT32_MAX

static void put_string(struct str *out, const char *text)
{
	if (!text) {
		put_number(out, NO_STRING, 4);
		return;
	}
	size_t len = strlen(text);
	put_number(out, len, 4);
	str_add_bytes(out, text, len);
}

static void put_strings(struct str *out, const struct strv *v)
{
	put_number(out, v->count, 4);
	for (size_t i = 0; i < v->count; i++)
		put_string(out, v->items[i]);
}

static void put_fields(
	struct str *out, const void *base, const struct field *fields, size_t field_count);

static void put_list(struct str *out, const struct list_head *head, const struct field_list *list)
{
	put_number(out, head->count, 4);
	for (size_t i = 0; i < head->count; i++)
		put_fields(out, (const char *)head->items + i * list->element_bytes, list->fields,
			list->field_count);
}

static void put_numbers(struct str *out, const void *at, const struct field *field)
{
	unsigned bytes = field->kind == FIELD_U64 ? 8 : 4;
	for (unsigned i = 0; i < (field->repeat ? field->repeat : 1); i++) {
		uint64_t value = 0;
		memcpy(&value, (const char *)at + i * bytes, bytes);
		put_number(out, value, bytes);
	}
}

static void put_fields(
	struct str *out, const void *base, const struct field *fields, size_t field_count)
{
	for (const struct field *field = fields; field < fields + field_count; field++) {
		const void *at = (const char *)base + field->offset;
		switch (field->kind) {
		case FIELD_STR:
			put_string(out, *(char *const *)at);
			break;
		case FIELD_STRV:
			put_strings(out, at);
			break;
		case FIELD_BOOL:
			put_number(out, *(const bool *)at, 1);
			break;
		case FIELD_U32:
		case FIELD_U64:
			put_numbers(out, at, field);
			break;
		case FIELD_LIST:
			put_list(out, at, field->list);
			break;
		}
	}
}

void plan_encode(const struct plan *plan, struct str *out)
{
	str_add_bytes(out, magic, sizeof(magic));
	put_number(out, PLAN_VERSION, 4);
	put_fields(out, plan, plan_fields, ARRAY_LEN(plan_fields));
}

/* What is left to read; a reader that wants more than there is fails. */
struct reader {
	const unsigned char *at;
	size_t left;
};

static int get_number(struct reader *r, unsigned bytes, uint64_t *ret, struct err *err)
{
	if (r->left < bytes)
		return err_set(err, ERR_INVALID, "a plan that ends too early");
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)r->at[i] << (8 * i);
	r->at += bytes;
	r->left -= bytes;
	*ret = value;
	return 0;
}

static int get_string(struct reader *r, bool null_ok, char **ret, struct err *err)
{
	uint64_t len = 0;
	if (get_number(r, 4, &len, err))
		return -1;
	if (len == NO_STRING) {
		if (!null_ok)
			return err_set(err, ERR_INVALID, "a string is missing");
		return 0;
	}
	if (len > r->left)
		return err_set(err, ERR_INVALID, "a string that is longer than the plan");
	/* A NUL would show one text on the card and run another. */
	if (memchr(r->at, '\0', len))
		return err_set(err, ERR_INVALID, "a string with a NUL byte");
	*ret = mem_strndup((const char *)r->at, len);
	r->at += len;
	r->left -= len;
	return 0;
}

/* An element takes at least four bytes: a forged count cannot make us reserve memory or spin. */
static int get_count(struct reader *r, uint64_t max, uint64_t *ret, struct err *err)
{
	if (get_number(r, 4, ret, err))
		return -1;
	if (*ret > max || *ret > r->left / 4)
		return err_set(
			err, ERR_INVALID, "a list of %llu elements", (unsigned long long)*ret);
	return 0;
}

static int get_strings(struct reader *r, uint64_t max, struct strv *ret, struct err *err)
{
	uint64_t count = 0;
	if (get_count(r, max, &count, err))
		return -1;
	for (uint64_t i = 0; i < count; i++) {
		char *text = NULL;
		if (get_string(r, false, &text, err))
			return -1;
		strv_take(ret, text);
	}
	return 0;
}

static int get_fields(struct reader *r, void *base, const struct field *fields, size_t field_count,
	struct err *err);

static int get_list(
	struct reader *r, const struct field *field, struct list_head *ret, struct err *err)
{
	uint64_t count = 0;
	if (get_count(r, field->max, &count, err))
		return -1;
	const struct field_list *list = field->list;
	for (uint64_t i = 0; i < count; i++) {
		mem_grow(&ret->items, &ret->cap, ret->count, list->element_bytes);
		char *element = (char *)ret->items + ret->count * list->element_bytes;
		memset(element, 0, list->element_bytes);
		ret->count++; /* what was read of it is released with the rest */
		if (get_fields(r, element, list->fields, list->field_count, err))
			return -1;
	}
	return 0;
}

static int get_numbers(struct reader *r, const struct field *field, void *at, struct err *err)
{
	unsigned bytes = field->kind == FIELD_U64 ? 8 : 4;
	for (unsigned i = 0; i < (field->repeat ? field->repeat : 1); i++) {
		uint64_t value = 0;
		if (get_number(r, bytes, &value, err))
			return -1;
		if (value > field->max)
			return err_set(err, ERR_INVALID, "%llu is not possible",
				(unsigned long long)value);
		memcpy((char *)at + i * bytes, &value, bytes);
	}
	return 0;
}

static int get_bool(struct reader *r, bool *ret, struct err *err)
{
	uint64_t value = 0;
	if (get_number(r, 1, &value, err))
		return -1;
	if (value > 1)
		return err_set(err, ERR_INVALID, "neither yes nor no");
	*ret = value == 1;
	return 0;
}

static int get_field(struct reader *r, const struct field *field, void *at, struct err *err)
{
	switch (field->kind) {
	case FIELD_STR:
		return get_string(r, field->flags & FIELD_NULL_OK, at, err);
	case FIELD_STRV:
		return get_strings(r, field->max, at, err);
	case FIELD_BOOL:
		return get_bool(r, at, err);
	case FIELD_U32:
	case FIELD_U64:
		return get_numbers(r, field, at, err);
	case FIELD_LIST:
		return get_list(r, field, at, err);
	}
	return err_set(err, ERR_INVALID, "no such field");
}

static int get_fields(struct reader *r, void *base, const struct field *fields, size_t field_count,
	struct err *err)
{
	for (const struct field *field = fields; field < fields + field_count; field++)
		if (get_field(r, field, (char *)base + field->offset, err))
			return err_context(err, "%s", field->name);
	return 0;
}

static size_t checked_count(const struct plan *plan)
{
	size_t count = plan->check_count;
	for (size_t i = 0; i < plan->mount_count; i++)
		count += (plan->mounts[i].flags & PLAN_CHECK) != 0;
	return count;
}

static int get_plan(struct reader *r, struct plan *ret, struct err *err)
{
	if (r->left > PLAN_BYTES_MAX)
		return err_set(err, ERR_INVALID, "a plan of %zu bytes", r->left);
	if (r->left < sizeof(magic) || memcmp(r->at, magic, sizeof(magic)) != 0)
		return err_set(err, ERR_INVALID, "not a plan");
	r->at += sizeof(magic);
	r->left -= sizeof(magic);
	uint64_t version = 0;
	if (get_number(r, 4, &version, err))
		return -1;
	if (version != PLAN_VERSION)
		return err_set(
			err, ERR_INVALID, "a plan of version %llu", (unsigned long long)version);
	if (get_fields(r, ret, plan_fields, ARRAY_LEN(plan_fields), err))
		return -1;
	if (r->left)
		return err_set(err, ERR_INVALID, "%zu bytes behind the plan", r->left);
	if (checked_count(ret) > PLAN_CHECKS_MAX)
		return err_set(err, ERR_INVALID, "more than %d places to compare", PLAN_CHECKS_MAX);
	return 0;
}

int plan_decode(const void *bytes, size_t len, struct plan *ret, struct err *err)
{
	struct reader r = {bytes, len};
	plan_init(ret);
	if (get_plan(&r, ret, err)) {
		plan_release(ret);
		return err_context(err, "plan");
	}
	return 0;
}
