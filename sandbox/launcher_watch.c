#include "config.h"

#include "sandbox/launcher_watch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "sandbox/census.h"
#include "sandbox/channel.h"
#include "sandbox/memory_meter.h"

#define LOOK_MS 20
#define USAGE_MS 1000

static struct {
	bool begun, counted;
	uint64_t limit, peak, cpu_us;
	int64_t look_ms, usage_ms;
	struct census census;
	struct memory_meter meter;
} watch = {.census = CENSUS_INIT, .meter = MEMORY_METER_INIT};

/* What lies in a private tmpfs is memory of the command, though no process has it mapped. */
static void take_tmpfs(void)
{
	static const char *const roots[] = {"/tmp", "/dev/shm", "/var/tmp", "/run"};
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		int fd = open(roots[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			watch.meter.tmpfs_fds[watch.meter.tmpfs_count++] = fd;
	}
	watch.meter.shm_fd = open("/proc/sysvipc/shm", O_RDONLY | O_CLOEXEC);
}

void watch_begin(const struct plan *plan, pid_t shell)
{
	watch.begun = true;
	watch.limit = plan->max_processes;
	watch.census.proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	watch.census.launcher = getpid();
	watch.census.shell = shell;
	take_tmpfs();
	watch.look_ms = clock_mono_ms() + LOOK_MS;
	watch.usage_ms = clock_mono_ms() + USAGE_MS;
}

void watch_shell_ended(void)
{
	watch.census.shell_ended = true;
}

int watch_wait_ms(void)
{
	if (!watch.begun)
		return -1;
	int64_t left = watch.look_ms - clock_mono_ms();
	return left > 0 ? (int)left : 0;
}

static uint64_t microseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

static void add_the_dead(struct message *message)
{
	struct rusage usage;
	if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
		return;
	uint64_t cpu_us = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
	uint64_t largest_bytes = (uint64_t)usage.ru_maxrss * 1024;
	if (cpu_us > message->cpu_us)
		message->cpu_us = cpu_us;
	if (largest_bytes > message->usage.memory_peak_bytes)
		message->usage.memory_peak_bytes = largest_bytes;
}

void watch_fill(struct message *message)
{
	message->cpu_us = watch.cpu_us;
	message->usage = (struct message_usage){.memory_bytes = watch.meter.exact_bytes,
		.memory_peak_bytes = watch.meter.peak_bytes,
		.processes = (uint32_t)watch.census.alive,
		.processes_peak = (uint32_t)watch.peak};
	add_the_dead(message);
	if (watch.counted)
		message->usage.measured |= MEASURED_PROCESSES;
	if (message->usage.memory_peak_bytes)
		message->usage.measured |= MEASURED_MEMORY;
}

static void count(void)
{
	census_take(&watch.census);
	watch.counted = true;
	if (watch.census.alive > watch.peak)
		watch.peak = watch.census.alive;
	uint64_t cpu_us = census_cpu_us(&watch.census);
	if (cpu_us > watch.cpu_us)
		watch.cpu_us = cpu_us;
}

static void tell(struct message message)
{
	watch_fill(&message);
	channel_send(&message);
}

bool watch_look(void)
{
	int64_t now_ms = clock_mono_ms();
	if (!watch.begun || now_ms < watch.look_ms)
		return false;
	bool usage = now_ms >= watch.usage_ms;
	count();
	memory_meter_look(&watch.meter, &watch.census, usage);
	if (watch.limit && watch.census.alive > watch.limit) {
		tell((struct message){.kind = MSG_LIMIT, .value = LIMIT_HIT_PROCESSES});
		return true;
	}
	if (usage) {
		tell((struct message){.kind = MSG_USAGE});
		watch.usage_ms = now_ms + USAGE_MS;
	}
	watch.look_ms = clock_mono_ms() + LOOK_MS;
	return false;
}
