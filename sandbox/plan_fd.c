#include "config.h"

#include "sandbox/plan_fd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

int plan_read_fd(int fd, struct plan *ret, struct err *err)
{
	const int needed = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
	struct stat st;
	if (fstat(fd, &st) != 0)
		return err_set_errno(err, "looking at the plan");
	int seals = fcntl(fd, F_GET_SEALS);
	/* A writer that kept the descriptor would change what runs after it was compared with the card. */
	if (seals < 0 || (seals & needed) != needed)
		return err_set(err, ERR_INVALID, "the plan is not sealed");
	if (st.st_size <= 0 || st.st_size > (off_t)PLAN_BYTES_MAX)
		return err_set(err, ERR_INVALID, "a plan of %lld bytes", (long long)st.st_size);
	size_t len = (size_t)st.st_size;
	void *bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return err_set_errno(err, "mapping the plan");
	int result = plan_decode(bytes, len, ret, err);
	munmap(bytes, len);
	return result;
}
