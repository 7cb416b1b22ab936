#include "config.h"

#include "app/save.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"

/* The directory on which the person stands may be one that commands write in. A link that one of them left there must not lead
   the file to another place, nor must a name that it took beforehand. */
static int open_new(const char *path, struct err *err)
{
	const struct open_how how = {.flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		.mode = 0600,
		.resolve = RESOLVE_NO_SYMLINKS};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd >= 0)
		return fd;
	if (errno == EEXIST)
		return err_set(err, ERR_INVALID, "it is there already");
	if (errno == ELOOP)
		return err_set(err, ERR_INVALID, "a symbolic link is on the way");
	return err_set(err, ERR_SYSTEM, "%s", strerror(errno));
}

static int write_new(const char *path, const struct str *bytes, struct err *err)
{
	FD_AUTO int fd = open_new(path, err);

	if (fd < 0)
		return -1;
	if (fd_write_all(fd, str_c(bytes), bytes->len, err) == 0)
		return 0;
	/* Part of an output would be taken for all of it. */
	unlink(path);
	return -1;
}

/* Where it is, for somebody who reads it: a working directory can have any name. */
static void add_path(const char *path, struct str *out)
{
	MEM_AUTO char *cwd = getcwd(NULL, 0);
	MEM_AUTO char *whole = cwd == NULL ? mem_strdup(path) : path_join(cwd, path);
	MEM_AUTO char *plain = path_normalize(whole);

	text_escape(plain, strlen(plain), 0, out);
}

static const char *nothing_to_save(const struct job *job)
{
	if (job == NULL)
		return "the call is not there any more";
	if (job->output.len > 0)
		return NULL;
	return job->forgotten && job->output_bytes > 0 ? "its output is in the record alone"
						       : "there is no output";
}

bool save_output(const struct job *job, const char *name, char **ret_text)
{
	const char *home = getenv("HOME"), *nothing = nothing_to_save(job);
	MEM_AUTO char *path = path_expand_home(name, home != NULL ? home : "~");
	STR_AUTO struct str shown = STR_INIT;
	struct err err = ERR_INIT;

	add_path(path, &shown);
	if (nothing != NULL || write_new(path, &job->output, &err) != 0) {
		*ret_text = mem_printf(
			"not saved: %s: %s", nothing != NULL ? nothing : err.text, str_c(&shown));
		return false;
	}
	*ret_text = mem_printf("saved %s%zu byte%s of #%" PRIu64 " to %s",
		job->output_dropped > 0 ? "the first " : "", job->output.len,
		job->output.len == 1 ? "" : "s", job->seq, str_c(&shown));
	return true;
}
