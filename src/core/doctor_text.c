#include "config.h"

#include "core/doctor.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define COLUMNS 100
#define INDENT 12 /* of what belongs to one backend */
#define LABEL 9

static const char *const limit_words[LIMIT_ID_COUNT] = {[LIMIT_TIME] = "time",
	[LIMIT_MEMORY] = "memory",
	[LIMIT_PROCESSES] = "processes",
	[LIMIT_CPU] = "CPU share",
	[LIMIT_OUTPUT] = "output",
	[LIMIT_FILES] = "open files",
	[LIMIT_FILE_SIZE] = "file size",
	[LIMIT_CPU_TIME] = "CPU time of a process"};

static void add_safe(struct str *out, const char *text)
{
	text_escape(text, strlen(text), 0, out);
}

/* Up to the next place where a row may end: any blank, or with items one behind a comma. */
static size_t piece_len(const char *at, bool items)
{
	size_t len = strcspn(at, " ");
	while (items && at[len] == ' ' && len > 0 && at[len - 1] != ',')
		len += 1 + strcspn(at + len + 1, " ");
	return len;
}

/* Ends the row; those after the first begin at `indent`, where the first one stands already. */
static void add_wrapped(struct str *out, size_t indent, const char *text, bool items)
{
	MEM_AUTO char *shown = text_escaped(text);
	size_t column = indent;
	for (const char *at = shown; *at;) {
		size_t len = piece_len(at, items);
		if (column > indent && column + 1 + len > COLUMNS) {
			str_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			str_add_char(out, ' ');
			column++;
		}
		str_add_bytes(out, at, len);
		column += len;
		at += len + strspn(at + len, " ");
	}
	str_add_char(out, '\n');
}

static void add_row(struct str *out, const char *label, const struct str *text, bool items)
{
	str_printf(out, "%*s%-*s", INDENT, "", LABEL, label);
	add_wrapped(out, INDENT + LABEL, str_c(text), items);
}

/* --- the machine --- */

static void add_machine(const struct doctor *d, struct str *out)
{
	const struct machine *m = &d->machine;
	str_add(out, "user        ");
	add_safe(out, d->names.user);
	str_add(out, m->uid == 0 ? " (root: an ordinary user is safer)" : "");
	str_add(out, "\nworkspace   ");
	add_safe(out, d->workspace);
	str_add(out, "\nrecord      ");
	add_safe(out, d->record);
	str_add(out, d->record_why ? ", !cannot be written: " : "");
	add_safe(out, d->record_why ? d->record_why : "");
	str_add(out, "\nmachine     Linux ");
	add_safe(out, m->kernel[0] ? m->kernel : "of an unknown version");
	str_printf(out, ", %u CPU%s, ", m->cpus, m->cpus == 1 ? "" : "s");
	if (m->landlock_abi > 0)
		str_printf(out, "Landlock ABI %d\n", m->landlock_abi);
	else
		str_add(out, "no Landlock\n");
	str_add(out, "network     when granted: ");
	if (m->network_why[0])
		str_add(out, "!this machine's own, see network_shared\n");
	else
		str_add(out, "one apart by pasta, which does not lead to this machine\n");
	if (m->in_container)
		str_add(out, "container   this runs inside one: a second layer may not be "
			     "possible; say which you rely on\n");
	str_add(out, "not guarded against: a process of the same user outside the sandbox, root, "
		     "the kernel\n\n");
}

/* --- one backend --- */

static void add_facets(const struct offer *offer, struct str *out)
{
	for (enum facet i = 0; i < FACET_COUNT; i++)
		str_printf(out, "%s%s", i > 0 ? ", " : "", facet_words(i, offer->facets[i]));
}

static void add_limits(const struct offer *offer, struct str *out)
{
	for (enum limit_id i = 0; i < LIMIT_ID_COUNT; i++) {
		const char *keeper = offer->enforcers[i], *may_pass = offer->may_pass[i];
		str_printf(out, "%s%s%s %s%s%s", i > 0 ? ", " : "", keeper && !may_pass ? "" : "!",
			limit_words[i], keeper ? keeper : "not held", may_pass ? " and " : "",
			may_pass ? may_pass : "");
	}
}

static void add_offer(const struct offer *offer, struct str *out)
{
	STR_AUTO struct str facets = STR_INIT;
	STR_AUTO struct str limits = STR_INIT;
	add_facets(offer, &facets);
	add_limits(offer, &limits);
	add_row(out, "isolates", &facets, true);
	add_row(out, "limits", &limits, true);
	for (size_t i = 0; i < OFFER_OPEN_MAX && offer->open[i]; i++) {
		STR_AUTO struct str open = STR_INIT;
		str_add(&open, offer->open[i]);
		add_row(out, i == 0 ? "but" : "", &open, false);
	}
}

static void add_tried(const struct examined *e, struct str *out)
{
	STR_AUTO struct str text = STR_INIT;
	if (e->program)
		str_printf(&text, "%s", e->program);
	if (!e->works && e->failing > FAILING_LOOK)
		str_printf(&text, "%sa launch, which ended at %s", text.len ? ": " : "",
			failing_words(e->failing));
	if (text.len)
		add_row(out, "tried", &text, false);
}

static void add_causes(uint64_t causes, struct str *out)
{
	STR_AUTO struct str text = STR_INIT;
	for (enum cause i = CAUSE_NONE + 1; i < CAUSE_COUNT; i++)
		if (causes & CAUSE_BIT(i))
			str_printf(&text, "%s%s", text.len ? ", " : "", cause_name(i));
	if (text.len)
		add_row(out, "because", &text, true);
}

static char *why_of(const struct examined *e)
{
	bool flat = e->works && e->offer.flat;
	return mem_printf("%s%s", flat ? "in part, without namespaces: " : "", e->why);
}

static void add_examined(const struct doctor *d, const struct examined *e, struct str *out)
{
	str_printf(out, " %-10s %s  ", backend_id_name(e->backend), e->works ? "yes" : "no ");
	MEM_AUTO char *why = why_of(e);
	if (!e->works || e->offer.flat)
		add_wrapped(out, INDENT + 5, why, false);
	else if (e->backend == BACKEND_NONE)
		str_add(out, "it runs, and nothing is isolated\n");
	else
		str_add(out, "proved by a launch that stopped before its command\n");
	add_tried(e, out);
	if (e->works)
		add_offer(&e->offer, out);
	add_causes(causes_of(&d->machine, e), out);
}

/* --- causes --- */

static void add_backends(const struct doctor *d, enum cause cause, struct str *out)
{
	const char *before = " (";
	for (size_t i = 0; i < d->count; i++) {
		if (!(causes_of(&d->machine, &d->items[i]) & CAUSE_BIT(cause)))
			continue;
		str_printf(out, "%s%s", before, backend_id_name(d->items[i].backend));
		before = ", ";
	}
	str_add(out, before[0] == ',' ? ")\n" : "\n");
}

static void add_cause(const struct doctor *d, enum cause cause, struct str *out)
{
	STRV_AUTO struct strv way_out = STRV_INIT;
	MEM_AUTO char *words = cause_words(cause, &d->machine, &d->names);
	str_printf(out, " %s", cause_name(cause));
	add_backends(d, cause, out);
	str_add(out, "   ");
	add_wrapped(out, 3, words, false);
	cause_way_out(cause, &d->machine, &d->names, &way_out);
	for (size_t i = 0; i < way_out.count; i++) {
		/* Whole, whatever its width: it is to be copied. */
		str_add(out, "   - ");
		add_safe(out, way_out.items[i]);
		str_add(out, "\n");
	}
}

static void add_all_causes(
	const struct doctor *d, bool weakening, const char *head, struct str *out)
{
	uint64_t causes = doctor_causes(d);
	for (enum cause i = CAUSE_NONE + 1; i < CAUSE_COUNT; i++) {
		if (!(causes & CAUSE_BIT(i)) || cause_weakens(i) != weakening)
			continue;
		str_add(out, head);
		head = "";
		add_cause(d, i, out);
	}
}

/* --- what a run takes --- */

static const struct examined *find(const struct doctor *d, enum backend_id backend)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->items[i].backend == backend)
			return &d->items[i];
	return NULL;
}

static void add_choice(const struct doctor *d, struct str *out)
{
	const char *before = "  not reached  ";
	for (unsigned i = 0; i < d->config->auto_order_count; i++) {
		const struct examined *e = find(d, d->config->auto_order[i]);
		if (e == NULL || doctor_place(d, e->backend) != DOCTOR_PASSED_OVER)
			continue;
		MEM_AUTO char *why = why_of(e);
		MEM_AUTO char *text = mem_printf("%s: %s", backend_id_name(e->backend), why);
		str_add(out, "  passed over  ");
		add_wrapped(out, 15, text, false);
	}
	for (unsigned i = 0; i < d->config->auto_order_count; i++) {
		enum backend_id id = d->config->auto_order[i];
		if (doctor_place(d, id) != DOCTOR_NOT_REACHED)
			continue;
		str_printf(out, "%s%s", before, backend_id_name(id));
		before = ", ";
	}
	str_add(out, before[0] == ',' ? "\n" : "");
}

static void add_verdict(const struct doctor *d, struct str *out)
{
	const char *what = "";
	if (d->takes == BACKEND_AUTO && d->config->backend == BACKEND_AUTO) {
		str_add(out, "\nauto: no run would be safe, and each is refused\n");
		add_choice(d, out);
		return;
	}
	if (d->takes == BACKEND_AUTO) {
		str_add(out, "\nno run would be safe, and each is refused: ");
		add_wrapped(out, 2, d->why ? d->why : "", false);
		return;
	}
	if (d->takes == BACKEND_NONE)
		what = ", which isolates nothing: no run would be safe";
	else if (d->record_why)
		what = ", and refuses every call: without a record nothing runs";
	else if (!doctor_is_safe(d))
		what = ", which isolates in part: no run would be safe";
	str_printf(out, "\n%s: a run takes %s%s\n", backend_id_name(d->config->backend),
		backend_id_name(d->takes), what);
	add_choice(d, out);
}

void doctor_text(const struct doctor *doctor, struct str *out)
{
	add_machine(doctor, out);
	for (size_t i = 0; i < doctor->count; i++)
		add_examined(doctor, &doctor->items[i], out);
	add_all_causes(doctor, false, "\nwhat now\n", out);
	add_all_causes(doctor, true, "\nweaker than it could be\n", out);
	add_verdict(doctor, out);
}
