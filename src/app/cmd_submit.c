#include "config.h"

#include "app/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/answer.h"
#include "app/call_args.h"
#include "app/exit_status.h"
#include "app/socket_place.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/linebuf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"

#define ANSWER_BYTES_MAX (16u << 20) /* what another console may fill our memory with */
#define CHUNK_BYTES 65536

static void print_request(const struct request *request, struct str *out)
{
	struct json *line JSON_AUTO = json_new_object();
	struct json *arguments = json_new_object();
	json_set_str(line, "name", request->tool);
	json_set_str(arguments, "command", request->command);
	if (request->timeout_set)
		json_set_int(arguments, "timeout", request->timeout_s);
	if (request->working_dir != NULL)
		json_set_str(arguments, "working_dir", request->working_dir);
	if (request->network)
		json_set_bool(arguments, "network", true);
	json_set(line, "arguments", arguments);
	json_print(line, false, out);
	str_add_char(out, '\n');
}

static int no_console(const char *path, struct err *err)
{
	return err_set(err, ERR_UNAVAILABLE,
		"no console listens on %s (%s); start one: exequatur --listen", path,
		strerror(errno));
}

static int connect_to(const char *path, int *ret_fd, struct err *err)
{
	char *dir MEM_AUTO = path_dirname(path);
	FD_AUTO int dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	FD_AUTO int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	struct stat st;
	if (fd < 0)
		return err_set_errno(err, "making a socket");
	if (dir_fd < 0 || fstatat(dir_fd, path_basename(path), &st, AT_SYMLINK_NOFOLLOW) != 0)
		return no_console(path, err);
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, ERR_REFUSED, "%s is no socket", path);
	if (socket_place_address(dir_fd, path, &address, err) != 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
		return no_console(path, err);
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* One line. The console that goes away says nothing more. */
static int read_answer(int fd, struct linebuf *lines, struct result *ret, struct err *err)
{
	char *chunk MEM_AUTO = mem_array(CHUNK_BYTES, 1);
	const char *line;
	size_t len;
	for (;;) {
		enum linebuf_status status = linebuf_next(lines, false, &line, &len);
		if (status == LINEBUF_LINE)
			return answer_parse(line, len, ret, err);
		if (status == LINEBUF_TOO_LONG)
			return err_set(err, ERR_LIMIT, "the answer is longer than %u bytes",
				ANSWER_BYTES_MAX);
		ssize_t n = read(fd, chunk, CHUNK_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(err, ERR_UNAVAILABLE,
				"console_lost: the console ended before it answered; the command "
				"may have run in part");
		linebuf_feed(lines, chunk, (size_t)n);
	}
}

static int write_output(const struct result *result, struct err *err)
{
	struct str shown STR_AUTO = STR_INIT;
	if (isatty(STDOUT_FILENO) != 1)
		return fd_write_all(STDOUT_FILENO, str_c(&result->output), result->output.len, err);
	setlocale(LC_CTYPE, "");
	text_escape(str_c(&result->output), result->output.len,
		TEXT_LINES | TEXT_OUTPUT | text_locale_flags(), &shown);
	return fd_write_all(STDOUT_FILENO, str_c(&shown), shown.len, err);
}

static int give(const struct result *result)
{
	struct err err = ERR_INIT;
	if (write_output(result, &err) != 0)
		return 128 + SIGPIPE;
	/* What the command says by itself is enough for its own exit status; anything else is said in words. */
	if (result->sentence != NULL && result->reason != REASON_EXIT_STATUS)
		log_warn("%s: %s", reason_name(result->reason), result->sentence);
	return exit_status_of(result);
}

static int submit(const char *path, const struct request *request)
{
	struct err err = ERR_INIT;
	FD_AUTO int fd = -1;
	struct str line STR_AUTO = STR_INIT;
	struct linebuf lines;
	struct result result;
	int status = EXIT_NOT_RUN;
	print_request(request, &line);
	linebuf_init(&lines, ANSWER_BYTES_MAX);
	result_init(&result);
	if (connect_to(path, &fd, &err) == 0 && fd_write_all(fd, line.data, line.len, &err) == 0 &&
		read_answer(fd, &lines, &result, &err) == 0)
		status = give(&result);
	else
		log_warn("%s", err.text);
	linebuf_release(&lines);
	result_release(&result);
	return status;
}

int cmd_submit(int argc, char **argv)
{
	struct options options;
	struct request request;
	struct err err = ERR_INIT;
	char *path MEM_AUTO = NULL;
	int status = options_parse(argc, argv, OPTIONS_CALL | OPTIONS_SOCKET, &options);
	if (status != 0)
		return status;
	prctl(PR_SET_NAME, "exequatur"); /* what the console shows of us */
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigaction(SIGPIPE, &ignore, NULL); /* a console that went away is told in words */
	status = EXIT_USAGE;
	if (call_args_request(&options, argc, argv, &request, &err) == 0 &&
		socket_place(options.socket, environ, &path, &err) == 0)
		status = submit(path, &request);
	else
		log_warn("%s", err.text);
	request_release(&request);
	return status;
}
