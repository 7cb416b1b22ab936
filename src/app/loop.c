#include "config.h"

#include "app/loop.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"

#define DESCRIPTORS 65536

/* Every call that waits holds the directories of its card open: a thousand of them must not leave the one that is approved
   without a descriptor. A command has its own limit. */
static void allow_descriptors(void)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= DESCRIPTORS)
		return;
	files.rlim_cur = files.rlim_max < DESCRIPTORS ? files.rlim_max : DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &files);
}

void loop_prepare(void)
{
	allow_descriptors();
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore,
		NULL); /* a limit on our own files: the record's write fails, and is told */
	/* A closed 0, 1 or 2 would be taken by the next open(), and an answer could then land in the record. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
	/* A megabyte of output comes and goes with each call: given back to the system, not kept in the heap. */
	mallopt(M_MMAP_THRESHOLD, 128 * 1024);
	/* A call makes a few hundred kilobytes of small things: asked for at once. */
	mallopt(M_TOP_PAD, 256 * 1024);
	/* A command under the backend none, same uid, must not read the secrets of our environment. */
	prctl(PR_SET_DUMPABLE, 0);
}

static void on_signal(uv_signal_t *handle, int number)
{
	struct signals *signals = handle->data;
	signals->on_signal(signals->ctx, number);
}

void signals_start(struct signals *signals, uv_loop_t *loop, void *ctx,
	void (*callback)(void *ctx, int number))
{
	static const int numbers[] = {SIGTERM, SIGHUP, SIGINT};
	signals->ctx = ctx;
	signals->on_signal = callback;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		uv_signal_init(loop, &signals->handles[i]);
		signals->handles[i].data = signals;
		uv_signal_start(&signals->handles[i], on_signal, numbers[i]);
		uv_unref((uv_handle_t *)&signals->handles[i]);
	}
}

void signals_stop(struct signals *signals)
{
	for (size_t i = 0; i < ARRAY_LEN(signals->handles); i++)
		uv_close((uv_handle_t *)&signals->handles[i], NULL);
}

void loop_end(uv_loop_t *loop)
{
	while (uv_run(loop, UV_RUN_DEFAULT) != 0)
		;
	uv_loop_close(loop);
}
