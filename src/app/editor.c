#include "config.h"

#include "app/editor.h"

#include <fcntl.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/person.h"
#include "base/fd.h"
#include "base/mem.h"
#include "core/request.h"

/* A directory of ours that nobody else may enter, and no command. */
static bool is_private(const char *dir, const struct strv *writable)
{
	struct stat st;

	return dir != NULL && dir[0] == '/' && !person_may_be_written(dir, writable) &&
	       lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 077) == 0;
}

static int make_dir(
	struct editor *e, const struct session *s, const struct strv *writable, struct err *err)
{
	const char *runtime = environment_value(s->envp, "XDG_RUNTIME_DIR");
	const char *base = is_private(runtime, writable) ? runtime : s->record_dir;

	if (!is_private(base, writable))
		return err_set(err, ERR_UNAVAILABLE, "there is no private directory to edit in");
	e->dir = mem_printf("%s/.exequatur-edit-XXXXXX", base);
	if (mkdtemp(e->dir) == NULL) {
		free(STEAL(e->dir));
		return err_set_errno(err, "making a directory to edit in");
	}
	e->dir_fd = open(e->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return e->dir_fd < 0 ? err_set_errno(err, "opening %s", e->dir) : 0;
}

/* With a newline at the end, as an editor expects; editor_finish() takes it away again. */
static int write_file(struct editor *e, uint64_t seq, const char *text, struct err *err)
{
	e->name = mem_printf("command-%llu.sh", (unsigned long long)seq);
	FD_AUTO int fd = openat(
		e->dir_fd, e->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set_errno(err, "making %s", e->name);
	if (fd_write_all(fd, text, strlen(text), err) != 0)
		return -1;
	return fd_write_all(fd, "\n", 1, err);
}

/* What an editor leaves beside the file (a swap file, a copy): one level, names of any kind. */
static void remove_dir(struct editor *e)
{
	int fd = e->dir_fd < 0 ? -1 : fcntl(e->dir_fd, F_DUPFD_CLOEXEC, 3);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (dir == NULL && fd >= 0)
		close(fd);
	if (dir != NULL) {
		rewinddir(dir);
		for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
				unlinkat(e->dir_fd, entry->d_name, 0);
		closedir(dir);
	}
	if (e->dir != NULL)
		rmdir(e->dir);
}

static void release(struct editor *e)
{
	remove_dir(e);
	person_program_release(&e->program);
	fd_close(&e->dir_fd);
	fd_close(&e->tty_fd);
	fd_close(&e->pidfd);
	free(e->dir);
	free(e->name);
	*e = (struct editor){.dir_fd = -1, .tty_fd = -1, .pidfd = -1};
}

static const char *chosen(const struct session *s)
{
	const char *visual = environment_value(s->envp, "VISUAL");

	return visual != NULL && visual[0] != '\0' ? visual : environment_value(s->envp, "EDITOR");
}

static int prepare(
	struct editor *e, const struct session *s, uint64_t seq, const char *text, struct err *err)
{
	struct strv writable STRV_AUTO = STRV_INIT;
	const char *line = chosen(s);

	person_writable_places(s, &writable);
	if (line == NULL || line[0] == '\0')
		return err_set(err, ERR_NOT_FOUND, "neither VISUAL nor EDITOR names an editor");
	if (person_program_find(
		    line, environment_value(s->envp, "PATH"), &writable, &e->program, err) != 0)
		return -1;
	if (make_dir(e, s, &writable, err) != 0 || write_file(e, seq, text, err) != 0)
		return -1;
	strv_printf(&e->program.argv, "%s/%s", e->dir, e->name);
	e->tty_fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	return e->tty_fd < 0 ? err_set_errno(err, "opening the terminal") : 0;
}

int editor_prepare(struct editor *editor, const struct session *session, uint64_t seq,
	const char *text, struct err *err)
{
	*editor = (struct editor){.dir_fd = -1, .tty_fd = -1, .pidfd = -1};
	if (prepare(editor, session, seq, text, err) == 0)
		return 0;
	release(editor);
	return -1;
}

int editor_start(struct editor *editor, const struct session *session, struct err *err)
{
	/* An editor runs what its variables say, and shows them to what it starts: only what it needs to show text. */
	static const char *const names[] = {"HOME", "TERM", "LANG"};
	struct strv env STRV_AUTO = STRV_INIT;

	person_environment(session, names, ARRAY_LEN(names), &env);
	if (person_program_start(&editor->program, env.items, editor->dir_fd, editor->tty_fd,
		    &editor->pid, &editor->pidfd, err) == 0)
		return 0;
	person_terminal_take(editor->tty_fd);
	release(editor);
	return -1;
}

/* The file may be another one of the name by now: many editors write a new one and put it there. */
static int read_file(const struct editor *e, struct str *ret, struct err *err)
{
	struct stat st;
	FD_AUTO int fd = openat(
		e->dir_fd, e->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set(err, ERR_NOT_FOUND, "the editor left no file");
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INVALID, "the editor left no regular file");
	if (fd_read_all(fd, REQUEST_COMMAND_BYTES + 1, ret, err) != 0)
		return err_set(err, ERR_LIMIT,
			"the editor left more than the %u bytes that can be started",
			REQUEST_COMMAND_BYTES);
	if (ret->len > 0 && ret->data[ret->len - 1] == '\n')
		str_truncate(ret, ret->len - 1);
	return 0;
}

int editor_finish(struct editor *editor, struct str *ret, struct err *err)
{
	int bad = person_program_reap(editor->pidfd, "the editor", err);

	person_terminal_take(editor->tty_fd);
	if (bad == 0)
		bad = read_file(editor, ret, err);
	release(editor);
	return bad;
}

void editor_abandon(struct editor *editor)
{
	person_program_end(editor->pid, editor->pidfd);
	person_terminal_take(editor->tty_fd);
	release(editor);
}
