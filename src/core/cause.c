#include "config.h"

#include "core/cause.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "core/cause_rows.h"

_Static_assert(CAUSE_COUNT <= 64, "a set of causes is 64 bits");

static const struct {
	const char *name, *words;
} failings[FAILING_COUNT] = {
	[FAILING_NOT] = {"nothing", "nothing"},
	[FAILING_LOOK] = {"look", "looking for what it needs"},
	[FAILING_WRAPPER] = {"wrapper", "its wrapper"},
	[FAILING_NAMESPACES] = {"namespaces", "making its namespaces"},
	[FAILING_FILES] = {"files", "building its file system"},
	[FAILING_LIMITS] = {"limits", "setting its limits"},
	[FAILING_RESTRICTION] = {"restriction", "restricting itself"},
	[FAILING_ISOLATION] = {"isolation", "proving its isolation from inside"},
	[FAILING_OTHER] = {"other", "something else"},
};

const char *failing_name(enum failing failing)
{
	return failings[failing].name;
}

const char *failing_words(enum failing failing)
{
	return failings[failing].words;
}

bool machine_is_older(const struct machine *machine, unsigned major, unsigned minor)
{
	if (machine->kernel_major != major)
		return machine->kernel_major < major;
	return machine->kernel_minor < minor;
}

static const struct cause_rows *const explaining[] = {&cause_building, &cause_programs};

static const struct cause_row *row_in(const struct cause_rows *rows, enum cause cause)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].cause == cause)
			return &rows->items[i];
	return NULL;
}

static const struct cause_row *row_of(enum cause cause)
{
	const struct cause_row *row = row_in(&cause_weakening, cause);
	for (size_t i = 0; i < ARRAY_LEN(explaining) && row == NULL; i++)
		row = row_in(explaining[i], cause);
	assert(row != NULL);
	return row;
}

const char *cause_name(enum cause cause)
{
	return row_of(cause)->name;
}

bool cause_weakens(enum cause cause)
{
	return row_in(&cause_weakening, cause) != NULL;
}

static uint64_t find(const struct cause_rows *rows, const struct machine *machine,
	const struct examined *examined)
{
	uint64_t found = 0;
	for (size_t i = 0; i < rows->count; i++) {
		const struct cause_row *row = &rows->items[i];
		bool holds = row->holds ? row->holds(machine, examined)
					: examined && examined->told == row->cause;
		found |= holds ? CAUSE_BIT(row->cause) : 0;
	}
	return found;
}

uint64_t causes_of(const struct machine *machine, const struct examined *examined)
{
	uint64_t found = 0;
	for (size_t i = 0; i < ARRAY_LEN(explaining); i++)
		found |= find(explaining[i], machine, examined);
	if (examined->works)
		return found | find(&cause_weakening, machine, examined);
	bool launched = examined->failing > FAILING_LOOK;
	/* What could be done about it explains nothing. */
	bool explained = (found & ~CAUSE_BIT(CAUSE_PARTIAL_NOT_ACCEPTED)) != 0;
	return explained || !launched ? found : found | CAUSE_BIT(CAUSE_NOT_EXPLAINED);
}

uint64_t causes_of_machine(const struct machine *machine)
{
	return find(&cause_weakening, machine, NULL);
}

struct filling {
	const char *name, *value;
};

#define FILLINGS 11

static void fillings_of(const struct machine *machine, const struct cause_names *names,
	const char *install, struct filling ret[FILLINGS])
{
	const struct filling all[FILLINGS] = {
		{"user", names->user},
		{"image", names->image},
		{"socket", names->socket},
		{"profile_file", names->profile_file},
		{"install", install},
		{"kernel", machine->kernel},
		{"covered", machine->proc_covered},
		{"apparmor", machine->apparmor_profile},
		{"namespaces", machine->no_namespaces},
		{"group", machine->engine_group},
		{"network", machine->network_why},
	};
	memcpy(ret, all, sizeof(all));
}

/* The one whose name stands before the brace; NULL: none. */
static const struct filling *filling_at(const struct filling *fillings, const char *at)
{
	size_t len = strcspn(at, "}");
	for (size_t i = 0; i < FILLINGS; i++)
		if (strlen(fillings[i].name) == len && strncmp(fillings[i].name, at, len) == 0)
			return &fillings[i];
	return NULL;
}

/* A profile opens user namespaces to whoever can write the program that it names. */
static char *install_words(const struct cause_names *names)
{
	if (names->supervisor && names->profiled && strcmp(names->supervisor, names->profiled) == 0)
		return NULL;
	return mem_printf("first install Exequatur: the profile is for %s, and %s is in use",
		names->profiled ? names->profiled : "the installed supervisor",
		names->supervisor ? names->supervisor : "another one");
}

/* whole: NULL when one of the values is not known. */
static char *fill(const char *text, const struct machine *machine, const struct cause_names *names,
	bool whole)
{
	struct str out STR_AUTO = STR_INIT;
	struct filling fillings[FILLINGS];
	MEM_AUTO char *install = install_words(names);
	fillings_of(machine, names, install, fillings);
	for (const char *at = text; *at;) {
		const struct filling *filling = *at == '{' ? filling_at(fillings, at + 1) : NULL;
		if (filling == NULL) {
			str_add_char(&out, *at++);
			continue;
		}
		const char *value = filling->value ? filling->value : "";
		if (whole && value[0] == '\0')
			return NULL;
		str_add(&out, value);
		at += strlen(filling->name) + 2;
	}
	str_add(&out, "");
	return str_steal(&out);
}

char *cause_words(enum cause cause, const struct machine *machine, const struct cause_names *names)
{
	return fill(row_of(cause)->words, machine, names, false);
}

void cause_way_out(enum cause cause, const struct machine *machine, const struct cause_names *names,
	struct strv *ret)
{
	const struct cause_row *row = row_of(cause);
	for (size_t i = 0; i < WAY_OUT_MAX && row->way_out[i]; i++) {
		char *line = fill(row->way_out[i], machine, names, true);
		if (line)
			strv_take(ret, line);
	}
}
