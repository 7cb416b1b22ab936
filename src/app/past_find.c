#include "config.h"

#include "app/past.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/audit.h"
#include "app/pieces.h"
#include "app/pieces.h"
#include "app/player_file.h"
#include "app/session.h"
#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/text.h"

int past_directory(const char *config_file, char **ret, struct err *err)
{
	struct options options = {.config = config_file};
	struct config config;
	int status = session_load_config(&options, environ, &config, err);

	if (status == 0)
		status = audit_directory_path(
			config.log_path, getenv("XDG_STATE_HOME"), getenv("HOME"), ret, err);
	config_release(&config);
	return status;
}

int past_list(const char *config_file, struct strv *ret_paths, struct err *err)
{
	STRV_AUTO struct strv names = STRV_INIT;
	MEM_AUTO char *dir = NULL;

	if (past_directory(config_file, &dir, err) != 0)
		return -1;
	FD_AUTO int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return 0; /* nothing was recorded yet */
	if (fd < 0)
		return err_set_errno(err, "opening the record's directory %s", dir);
	if (pieces_list(fd, &names, err) != 0)
		return -1;
	for (size_t i = 0; i < names.count; i++)
		strv_take(ret_paths, path_join(dir, names.items[i]));
	return 0;
}

static int newest(const char *config_file, char **ret_path, struct err *err)
{
	STRV_AUTO struct strv paths = STRV_INIT;

	if (past_list(config_file, &paths, err) != 0)
		return -1;
	if (paths.count == 0)
		return err_set(err, ERR_NOT_FOUND, "there is no record yet");
	*ret_path = mem_strdup(paths.items[paths.count - 1]);
	return 0;
}

/* Decimal digits alone, not 0, at most the largest number that JSON carries. */
static int parse_seq(const char *text, uint64_t *ret)
{
	size_t len = strspn(text, "0123456789");

	if (len == 0 || len > 15 || text[len] != '\0')
		return -1;
	*ret = strtoull(text, NULL, 10);
	return *ret == 0 ? -1 : 0;
}

int past_find(const char *config_file, const char *name, char **ret_path, uint64_t *ret_seq,
	struct err *err)
{
	const char *sign = strrchr(name, '#');
	MEM_AUTO char *session = NULL;
	MEM_AUTO char *dir = NULL;
	uint64_t seq = 0;

	if (sign == NULL && parse_seq(name, &seq) == 0)
		session = mem_strdup("");
	else if (sign == NULL)
		session = mem_strdup(name);
	else if (parse_seq(sign + 1, &seq) != 0)
		return err_set(
			err, ERR_INVALID, "a call is named SESSION#NUMBER, not \"%s\"", name);
	else
		session = mem_strndup(name, (size_t)(sign - name));
	*ret_seq = seq;
	if (session[0] == '\0')
		return newest(config_file, ret_path, err);
	/* A path needs no configuration. */
	if (strchr(session, '/') == NULL && past_directory(config_file, &dir, err) != 0)
		return -1;
	if (dir != NULL && access(dir, F_OK) != 0)
		return err_set(err, ERR_NOT_FOUND, "there is no record in %s", dir);
	return player_file_find(session, dir, ret_path, err);
}
