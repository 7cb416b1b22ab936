/* The limits of one command, for its whole tree. */
#ifndef CORE_LIMITS_H
#define CORE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#define LIMIT_OUTPUT_BYTES 1048576u
#define LIMIT_FILE_BYTES (2ull << 30)
#define LIMIT_TMP_BYTES (512ull << 20)
#define LIMIT_SMALL_TMPFS_BYTES                                                                    \
	(256ull << 20) /* /dev/shm /run /var/tmp HOME/.cache HOME/.npm, each */

struct limits {
	unsigned wall_s; /* in force: min(asked, ceiling) */
	unsigned wall_ceiling_s;
	unsigned wall_asked_s; /* 0: not asked; larger than wall_s: clamped */
	unsigned grace_s;
	unsigned memory_mb;
	bool memory_watched; /* also where no cgroup holds it */
	unsigned processes;
	unsigned cpu_percent; /* of all CPUs */
	unsigned cpu_s;       /* RLIMIT_CPU per process: ceiling x CPUs online */
	unsigned open_files;
	uint64_t file_bytes;
	uint64_t tmp_bytes;
	uint64_t small_tmpfs_bytes;
	uint64_t output_bytes;
};

struct config;
struct request;

/* What holds for this request: ceilings from the configuration, lowered by the request. cpus: online CPUs, >= 1.
   request may be NULL. */
void limits_for(const struct config *config, const struct request *request, unsigned cpus,
	struct limits *ret);
/* "2 GiB", "512 MiB", "100 bytes": the largest unit that divides it. buf of at least 32 bytes. */
void size_words(uint64_t bytes, char buf[32]);
bool limits_clamped(const struct limits *limits); /* the request asked for more time than it gets */

#endif
