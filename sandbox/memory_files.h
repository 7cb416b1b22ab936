/* Memory that lies in files: tmpfs, memfd, System V segments. No process needs to have it mapped. */
#ifndef SANDBOX_MEMORY_FILES_H
#define SANDBOX_MEMORY_FILES_H

#include <stdint.h>

#include "sandbox/census.h"

uint64_t memory_of_tmpfs(int dir_fd);
/* The sum of all segments that this /proc/sysvipc/shm lists; swapped ones too. */
uint64_t memory_of_segments(int shm_fd);
/* Of all anonymous files of memory that a process of the tree has open, each once. *dev: their device; 0: found out. */
uint64_t memory_of_memfds(const struct census *census, uint64_t *dev);
uint64_t memory_shared_of_system(void);

#endif
