#include "config.h"

#include "app/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/socket_place.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"

#define BACKLOG 128
#define ACCEPT_MOST 16 /* a turn of the loop: who only connects must not keep the keys waiting */
#define LOCK_TRIES 16

void listener_init(struct listener *listener)
{
	*listener = (struct listener){.fd = -1, .dir_fd = -1, .lock_fd = -1};
}

static bool is_the_same(int dir_fd, const char *name, const struct stat *st)
{
	struct stat now;
	return fstatat(dir_fd, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_dev == st->st_dev &&
	       now.st_ino == st->st_ino;
}

/* The file is removed by who held it: a lock on one that is no longer there holds nobody off, and is taken again. */
static int take_lock(struct listener *listener, struct err *err)
{
	struct stat st;
	for (int i = 0; i < LOCK_TRIES; i++) {
		FD_AUTO int fd = openat(listener->dir_fd, listener->lock_name,
			O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return err_set_errno(err, "the lock of the socket %s", listener->path);
		if (flock(fd, LOCK_EX | LOCK_NB) != 0)
			return err_set(err, ERR_REFUSED,
				"another console listens on %s already; it goes on. Agents can use "
				"that one, or give this one its own: --listen=SOCKET",
				listener->path);
		if (fstat(fd, &st) == 0 &&
			is_the_same(listener->dir_fd, listener->lock_name, &st)) {
			listener->lock_fd = fd;
			fd = -1;
			return 0;
		}
	}
	return err_set(err, ERR_REFUSED, "the lock of the socket %s does not stay", listener->path);
}

/* A console of ours would hold the lock; another program does not know it. */
static bool is_answered(const struct sockaddr_un *address)
{
	FD_AUTO int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return true;
	int status = connect(fd, (const struct sockaddr *)address, sizeof(*address));
	return status == 0 || errno != ECONNREFUSED;
}

static int clear_place(
	const struct listener *listener, const struct sockaddr_un *address, struct err *err)
{
	struct stat st;
	if (fstatat(listener->dir_fd, listener->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : err_set_errno(err, "looking at %s", listener->path);
	if (!S_ISSOCK(st.st_mode))
		return err_set(
			err, ERR_REFUSED, "%s is there already, and is no socket", listener->path);
	if (is_answered(address))
		return err_set(err, ERR_REFUSED, "another program listens on %s", listener->path);
	if (unlinkat(listener->dir_fd, listener->name, 0) != 0)
		return err_set_errno(
			err, "removing the socket that was left at %s", listener->path);
	return 0;
}

static int bind_socket(
	struct listener *listener, const struct sockaddr_un *address, struct err *err)
{
	struct stat st;
	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return err_set_errno(err, "making a socket");
	/* Before bind(): the file gets this mode at once, whatever the umask would have left open. */
	if (fchmod(listener->fd, 0600) != 0 ||
		bind(listener->fd, (const struct sockaddr *)address, sizeof(*address)) != 0)
		return err_set_errno(err, "the socket %s", listener->path);
	if (fstatat(listener->dir_fd, listener->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return err_set_errno(err, "looking at %s", listener->path);
	listener->dev = st.st_dev;
	listener->ino = st.st_ino;
	/* A umask can also take away what we need ourselves. */
	if ((st.st_mode & 0777) != 0600 && fchmodat(listener->dir_fd, listener->name, 0600, 0) != 0)
		return err_set_errno(err, "closing %s to others", listener->path);
	if (listen(listener->fd, BACKLOG) != 0)
		return err_set_errno(err, "listening on %s", listener->path);
	return 0;
}

int listener_open(struct listener *listener, char *path, char **envp, struct err *err)
{
	struct sockaddr_un address;
	listener->path = path;
	listener->name = path_basename(path);
	listener->lock_name = mem_printf("%s.lock", listener->name);
	if (socket_place_open(path, envp, &listener->dir_fd, err) != 0 ||
		socket_place_address(listener->dir_fd, path, &address, err) != 0 ||
		take_lock(listener, err) != 0)
		return -1;
	if (clear_place(listener, &address, err) != 0)
		return -1;
	return bind_socket(listener, &address, err);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct listener *listener = poll->data;
	(void)status;
	(void)events;
	for (int i = 0; i < ACCEPT_MOST; i++) {
		int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			listener->on_connection(listener->ctx, fd);
			continue;
		}
		if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
			return;
		/* It would be readable without end, and no turn of the loop would rest. */
		listener->deaf = true;
		uv_poll_stop(&listener->poll);
		return;
	}
}

void listener_start(struct listener *listener, uv_loop_t *loop, void *ctx,
	void (*on_connection)(void *ctx, int fd))
{
	listener->ctx = ctx;
	listener->on_connection = on_connection;
	uv_poll_init(loop, &listener->poll, listener->fd);
	listener->poll.data = listener;
	uv_poll_start(&listener->poll, UV_READABLE, on_poll);
	listener->started = true;
}

void listener_poke(struct listener *listener)
{
	if (!listener->started || !listener->deaf)
		return;
	listener->deaf = false;
	uv_poll_start(&listener->poll, UV_READABLE, on_poll);
}

void listener_close(struct listener *listener)
{
	struct stat ours = {.st_dev = listener->dev, .st_ino = listener->ino};
	if (listener->started)
		uv_close((uv_handle_t *)&listener->poll, NULL);
	listener->started = false;
	if (listener->ino != 0 && is_the_same(listener->dir_fd, listener->name, &ours))
		unlinkat(listener->dir_fd, listener->name, 0);
	/* While it is held: who waits for it finds that it is gone, and makes a new one. */
	if (listener->lock_fd >= 0)
		unlinkat(listener->dir_fd, listener->lock_name, 0);
	fd_close(&listener->fd);
	fd_close(&listener->lock_fd);
	fd_close(&listener->dir_fd);
	free(STEAL(listener->path));
	free(STEAL(listener->lock_name));
	listener->ino = 0;
}
