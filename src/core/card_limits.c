#include "config.h"

#include "core/card_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Room for the text of a fact at 80 columns, and where its columns begin. */
#define TEXT_COLUMNS 66
#define COLUMNS_MAX 3

struct cell {
	char *text; /* ASCII */
};

static const char *const names[LIMIT_ID_COUNT] = {
	[LIMIT_TIME] = "time",
	[LIMIT_MEMORY] = "memory",
	[LIMIT_PROCESSES] = "processes",
	[LIMIT_CPU] = "CPU",
	[LIMIT_OUTPUT] = "output",
	[LIMIT_FILES] = "files",
	[LIMIT_FILE_SIZE] = "file size",
	[LIMIT_CPU_TIME] = "CPU time",
};

static char *figure(const struct limits *limits, enum limit_id id)
{
	char size[32];

	switch (id) {
	case LIMIT_TIME:
		if (limits_clamped(limits))
			return mem_printf("%u s (%u asked)", limits->wall_s, limits->wall_asked_s);
		return mem_printf("%u s", limits->wall_s);
	case LIMIT_MEMORY:
		return mem_printf("%u MB", limits->memory_mb);
	case LIMIT_PROCESSES:
		return mem_printf("%u", limits->processes);
	case LIMIT_CPU:
		return mem_printf("%u %%", limits->cpu_percent);
	case LIMIT_OUTPUT:
		size_words(limits->output_bytes, size);
		return mem_strdup(size);
	case LIMIT_FILES:
		return mem_printf("%u", limits->open_files);
	case LIMIT_FILE_SIZE:
		size_words(limits->file_bytes, size);
		return mem_strdup(size);
	case LIMIT_CPU_TIME:
	case LIMIT_ID_COUNT:
		break;
	}
	return mem_printf("%u s", limits->cpu_s);
}

static void cell_make(struct cell *cell, enum limit_id id, const struct card_inputs *in)
{
	const char *enforcer = in->offer->enforcers[id];
	const char *may_pass = in->offer->may_pass[id];
	struct limits limits = in->confinement->limits;

	if (in->offer->memory_mb)
		limits.memory_mb = in->offer->memory_mb;
	if (in->offer->cpu_percent)
		limits.cpu_percent = in->offer->cpu_percent;
	MEM_AUTO char *value = figure(&limits, id);

	if (enforcer == NULL)
		cell->text = mem_printf("!%s not held", names[id]);
	else if (may_pass != NULL)
		cell->text = mem_printf("!%s %s %s, %s", names[id], value, enforcer, may_pass);
	else
		cell->text = mem_printf("%s %s %s", names[id], value, enforcer);
}

struct layout {
	const enum limit_id *order;
	size_t columns;
	size_t least[COLUMNS_MAX]; /* width of a column, its gap included */
	size_t gap[COLUMNS_MAX];
};

static size_t layout_widths(const struct layout *layout, const struct cell *cells, size_t count,
	size_t widths[COLUMNS_MAX])
{
	size_t total = 0;

	for (size_t c = 0; c < layout->columns; c++) {
		widths[c] = layout->least[c];
		for (size_t i = c; i < count; i += layout->columns) {
			size_t len = strlen(cells[i].text) + layout->gap[c];

			widths[c] = len > widths[c] ? len : widths[c];
		}
		total += widths[c];
	}
	return total;
}

static void add_rows(struct fact *fact, const struct cell *cells, size_t count, size_t columns,
	const size_t widths[COLUMNS_MAX])
{
	struct line *line = NULL;

	for (size_t i = 0; i < count; i++) {
		size_t column = i % columns;

		if (column == 0)
			line = fact_line(fact);
		line_words(line, cells[i].text);
		if (column + 1 < columns)
			line_add(line, SPAN_OURS, "%*s",
				(int)(widths[column] - strlen(cells[i].text)), "");
	}
}

void card_add_limits(struct card *card, const struct card_inputs *in)
{
	static const enum limit_id wide[] = {
		LIMIT_TIME, LIMIT_MEMORY, LIMIT_OUTPUT, LIMIT_PROCESSES, LIMIT_CPU, LIMIT_FILES};
	static const enum limit_id narrow[] = {
		LIMIT_TIME, LIMIT_MEMORY, LIMIT_PROCESSES, LIMIT_CPU, LIMIT_OUTPUT, LIMIT_FILES};
	static const struct layout layouts[] = {
		{wide, 3, {24, 22, 0}, {1, 2, 0}},
		{narrow, 2, {24, 0}, {2, 0}},
	};
	const struct limits *limits = &in->confinement->limits;
	struct cell cells[ARRAY_LEN(wide)];
	size_t widths[COLUMNS_MAX];
	bool fits = false;

	card->time_s = limits->wall_s;
	card->time_asked_s = limits_clamped(limits) ? limits->wall_asked_s : 0;
	card->grace_s = limits->grace_s;
	struct fact *fact = facts_add(&card->facts, "limits");

	for (size_t l = 0; l < ARRAY_LEN(layouts) && !fits; l++) {
		for (size_t i = 0; i < ARRAY_LEN(cells); i++)
			cell_make(&cells[i], layouts[l].order[i], in);
		size_t total = layout_widths(&layouts[l], cells, ARRAY_LEN(cells), widths);

		fits = total <= TEXT_COLUMNS || l + 1 == ARRAY_LEN(layouts);
		if (fits)
			add_rows(fact, cells, ARRAY_LEN(cells), layouts[l].columns, widths);
		for (size_t i = 0; i < ARRAY_LEN(cells); i++)
			free(cells[i].text);
	}
}
