#include "config.h"

#include "sandbox/memory_meter.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "sandbox/memory_files.h"
#include "sandbox/memory_maps.h"

#define FAULT_BYTES 4096 /* at most so much of a fork's copy becomes one's own in a fault */
#define MIB (1u << 20)
/* A look through all descriptors is made when the machine's shared memory grew by this, and every so many times. */
#define SHARED_GROWTH_BYTES MIB
#define LOOKS_BETWEEN 25
/* The peak is measured again when it may have grown by so much. */
#define PEAK_STEP_BYTES (8 * MIB)
/* A sum above the limit is made again so often while processes come and go. */
#define MEASURES_MAX 3
/* An exact sum that took long is not made more often than this many times its own time. */
#define EXACT_COST_FACTOR 5

static uint64_t files_bytes(const struct memory_meter *m)
{
	uint64_t sum = m->memfd_bytes + memory_of_segments(m->shm_fd);
	for (size_t i = 0; i < m->tmpfs_count; i++)
		sum += memory_of_tmpfs(m->tmpfs_fds[i]);
	return sum;
}

static void look_for_memfds(struct memory_meter *m, const struct census *census, bool certainly)
{
	uint64_t shared = memory_shared_of_system();
	bool grew = shared > m->shared_system + SHARED_GROWTH_BYTES;
	if (!certainly && !grew && m->looks_left-- > 0)
		return;
	m->looks_left = LOOKS_BETWEEN;
	m->shared_system = shared;
	m->memfd_bytes = memory_of_memfds(census, &m->memfd_dev);
}

static const struct meter_mark *mark_of(const struct memory_meter *m, const struct proc_stat *p)
{
	for (size_t i = 0; i < m->mark_count; i++)
		if (m->marks[i].pid == p->pid && m->marks[i].start == p->start)
			return &m->marks[i];
	return NULL;
}

static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

struct growth {
	uint64_t resident_bytes, faults;
};

static struct growth growth_since(const struct memory_meter *m, const struct census *census)
{
	static const struct meter_mark nothing;
	struct growth g = {0};
	for (size_t i = 0; i < census->count; i++) {
		const struct proc_stat *p = &census->items[i];
		const struct meter_mark *mark = mark_of(m, p);
		mark = mark ? mark : &nothing;
		g.resident_bytes += more(p->resident_bytes, mark->resident_bytes);
		g.faults += more(p->faults, mark->faults);
	}
	return g;
}

uint64_t memory_meter_estimate(const struct memory_meter *m, const struct census *census)
{
	return m->exact_bytes + more(files_bytes(m), m->exact_files_bytes) +
	       growth_since(m, census).resident_bytes;
}

static void mark_all(struct memory_meter *m, const struct census *census)
{
	m->mark_count = 0;
	for (size_t i = 0; i < census->count; i++) {
		const struct proc_stat *p = &census->items[i];
		if (p->ending)
			continue;
		mem_grow(&m->marks, &m->mark_cap, m->mark_count, sizeof(*m->marks));
		m->marks[m->mark_count++] =
			(struct meter_mark){p->pid, p->start, p->resident_bytes, p->faults};
	}
}

/* What may not be read counts as all its own. */
static struct memory_share share_of(const struct census *census, const struct proc_stat *p)
{
	struct memory_share share = {.own_bytes = p->resident_bytes};
	if (p->resident_bytes)
		memory_share_of(census->proc_fd, p->pid, &share);
	return share;
}

/* Shared memory that is mapped is mostly in a file that was counted already; which, only the single maps tell. */
static uint64_t mapped_bytes(const struct memory_meter *m, const struct census *census,
	uint64_t shared_bytes, uint64_t others_bytes)
{
	uint64_t sum = 0;
	if (m->limit_bytes && others_bytes > m->limit_bytes)
		return 0; /* too much without it, and each millisecond makes it more */
	if (shared_bytes == 0 || others_bytes + shared_bytes <= m->limit_bytes)
		return shared_bytes;
	for (size_t i = 0; i < census->count; i++)
		if (census->items[i].resident_bytes)
			sum += memory_unseen_of(
				census->proc_fd, census->items[i].pid, m->tmpfs_count == 0);
	return sum;
}

static void measure(struct memory_meter *m, const struct census *census)
{
	int64_t begun_ms = clock_mono_ms();
	uint64_t own = 0, shared = 0;
	/* What comes from now on is growth. */
	mark_all(m, census);
	look_for_memfds(m, census, true);
	m->exact_files_bytes = files_bytes(m);
	for (size_t i = 0; i < census->count; i++) {
		struct memory_share share = share_of(census, &census->items[i]);
		own += share.own_bytes;
		shared += share.shared_bytes;
	}
	own += m->exact_files_bytes;
	m->exact_bytes = own + mapped_bytes(m, census, shared, own);
	int64_t ended_ms = clock_mono_ms();
	m->rested_ms = ended_ms + (ended_ms - begun_ms) * EXACT_COST_FACTOR;
}

/* Whether the same processes are still there, and none on its way out. */
static bool is_unchanged(const struct memory_meter *m, const struct census *census)
{
	size_t known = 0;
	for (size_t i = 0; i < census->count; i++) {
		if (census->items[i].ending)
			continue;
		if (!mark_of(m, &census->items[i]))
			return false;
		known++;
	}
	return known == m->mark_count;
}

/* What several have is read with each of them in turn: when some end meanwhile, the others' shares grow while we read, and
   the sum is too large. */
static bool is_certainly_above(struct memory_meter *m, struct census *census)
{
	for (int i = 0; i < MEASURES_MAX && m->exact_bytes > m->limit_bytes; i++) {
		census_take(census);
		if (is_unchanged(m, census))
			break;
		measure(m, census);
	}
	return m->exact_bytes > m->limit_bytes;
}

/* Of the process that has most: certain at once, where a sum takes the longer the more there is. */
static uint64_t largest_bytes(const struct memory_meter *m, const struct census *census)
{
	uint64_t largest = 0;
	for (size_t i = 0; i < census->count; i++) {
		const struct proc_stat *p = &census->items[i];
		uint64_t bytes = p->resident_bytes > m->limit_bytes
					 ? memory_anonymous_of(census->proc_fd, p->pid)
					 : 0;
		largest = bytes > largest ? bytes : largest;
	}
	return largest;
}

static bool one_is_above(struct memory_meter *m, const struct census *census)
{
	uint64_t largest = m->limit_bytes ? largest_bytes(m, census) : 0;
	if (!m->limit_bytes || largest <= m->limit_bytes)
		return false;
	m->exact_bytes = largest;
	m->peak_bytes = largest > m->peak_bytes ? largest : m->peak_bytes;
	return true;
}

bool memory_meter_look(struct memory_meter *m, struct census *census, bool exact)
{
	if (one_is_above(m, census))
		return true;
	if (clock_mono_ms() < m->rested_ms)
		return false;
	look_for_memfds(m, census, false);
	uint64_t estimate = memory_meter_estimate(m, census);
	uint64_t step = m->peak_bytes / 8 > PEAK_STEP_BYTES ? m->peak_bytes / 8 : PEAK_STEP_BYTES;
	uint64_t bound = estimate + growth_since(m, census).faults * FAULT_BYTES;
	bool near = m->limit_bytes && bound > m->limit_bytes;
	if (!near && !exact && estimate <= m->peak_bytes + step)
		return false;
	measure(m, census);
	bool above = m->limit_bytes && is_certainly_above(m, census);
	if (m->exact_bytes > m->peak_bytes)
		m->peak_bytes = m->exact_bytes;
	return above;
}

void memory_meter_release(struct memory_meter *m)
{
	for (size_t i = 0; i < m->tmpfs_count; i++)
		fd_close(&m->tmpfs_fds[i]);
	fd_close(&m->shm_fd);
	free(m->marks);
	*m = (struct memory_meter)MEMORY_METER_INIT;
}
