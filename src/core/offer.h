/* What a backend isolates here and who enforces each limit; said on the card before a person decides. */
#ifndef CORE_OFFER_H
#define CORE_OFFER_H

#include <stdbool.h>

#include "core/config.h"

enum facet {
	FACET_FILES,
	FACET_NETWORK,
	FACET_PROCESSES,
	FACET_MEMORY, /* System V shm and message queues */
	FACET_SOCKETS,
	FACET_HOSTNAME,
	FACET_END, /* ends with its tree */
	FACET_COUNT
};
enum hold { HOLD_NONE, HOLD_PART, HOLD_FULL, HOLD_COUNT };
const char *facet_name(enum facet facet); /* "files" ...: key in the record */
/* The words of screens.md section 10, "files closed", "!outside in part", "!FILES OPEN". */
const char *facet_words(enum facet facet, enum hold hold);

enum limit_id {
	LIMIT_TIME,
	LIMIT_MEMORY,
	LIMIT_PROCESSES,
	LIMIT_CPU,
	LIMIT_OUTPUT,
	LIMIT_FILES,
	LIMIT_FILE_SIZE,
	LIMIT_CPU_TIME,
	LIMIT_ID_COUNT
};

#define OFFER_OPEN_MAX 4
#define PRIVATE_DIR_BYTES 128

struct offer {
	enum backend_id backend;
	bool flat; /* without namespaces, which this machine refuses: only with accept_partial */
	bool guards_lost;                 /* what guards git inside a writable place is not held */
	const char *open[OFFER_OPEN_MAX]; /* what stays open, "!..." a row each on the card */
	char private_dir
		[PRIVATE_DIR_BYTES]; /* HOME and TMPDIR are made in it for the run; "": they are mounts */
	enum hold facets[FACET_COUNT];
	bool network_shared_with_host; /* a granted network is the host's own */
	bool pasta;                    /* a granted network is one of its own, by way of pasta */
	char network_why[160];         /* why a granted one is the host's and not its own; "" */
	const char *enforcers
		[LIMIT_ID_COUNT]; /* "supervisor" "rlimit" "console" "cgroup" "sampled"; NULL: not held */
	const char *may_pass[LIMIT_ID_COUNT]; /* "may pass by 40 MB": held in part; NULL: exactly */
	unsigned namespaces;                  /* CLONE_NEW* that it will use */
	unsigned memory_mb,
		cpu_percent; /* what it holds where that is less than asked; 0: as asked */
	unsigned cpus;       /* docker: online, what a percentage is of */
	char image[80],
		image_name[160]; /* docker: the id that will run, and what it was found by */
	char why[160];           /* e.g. "first in the list" "set in the configuration" */
	char proved[64]; /* "proved at 14:02 and again at start"; "" before the first proof */
};

enum hold offer_summary(
	const struct offer *offer, bool network_granted); /* sandbox full, PARTIAL, NONE */

/* One backend that auto passed over, or that was asked for and does not work. */
struct passed_over {
	enum backend_id backend;
	char why[200];
};
struct passed_list {
	struct passed_over items[BACKEND_ID_COUNT];
	unsigned count;
};

#endif
