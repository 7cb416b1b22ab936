/* A file becomes a configuration: reader -> inih -> key table -> field. */
#include "config.h"

#include <fcntl.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/mem.h"
#include "base/path.h"
#include "core/config.h"
#include "core/config_origin.h"
#include "core/config_reader.h"
#include "core/config_value.h"

struct seen_section {
	char *name;
	unsigned line;
};

struct loader {
	struct config *config;
	struct config_places places;
	struct config_reader reader;
	struct config_value value; /* under construction */
	struct str piece;
	unsigned line; /* where the value under construction began */
	char *section; /* the one being read; NULL before the first */
	/* A section that only PRX's documents know: refused at its first key, whose name gives the better hint. */
	bool foreign;
	struct seen_section *seen;
	size_t seen_count, seen_cap;
};

static int fail_with(struct loader *loader, unsigned line, struct str *sentence)
{
	return config_reader_fail(&loader->reader, line, "%s", str_c(sentence));
}

static int fail_section(struct loader *loader, const char *name, unsigned line)
{
	struct str sentence STR_AUTO = STR_INIT;

	config_unknown_section(name, &sentence);
	return fail_with(loader, line, &sentence);
}

/* The end of a foreign section that had no key. */
static int close_section(struct loader *loader)
{
	if (!loader->foreign)
		return 0;
	return fail_section(loader, loader->section, loader->seen[loader->seen_count - 1].line);
}

static int note_section(struct loader *loader, const char *name, unsigned line)
{
	for (size_t i = 0; i < loader->seen_count; i++) {
		if (!strcmp(loader->seen[i].name, name))
			return config_reader_fail(&loader->reader, line,
				"[%s] is there twice; it began on line %u", name,
				loader->seen[i].line);
	}
	mem_grow(&loader->seen, &loader->seen_cap, loader->seen_count, sizeof(*loader->seen));
	loader->seen[loader->seen_count++] = (struct seen_section){mem_strdup(name), line};
	return 0;
}

static int on_section(void *user, const char *name, unsigned line, bool is_array, struct err *err)
{
	struct loader *loader = user;
	const char *use;
	bool documented = config_prx_section(name, &use);

	(void)err;
	if (close_section(loader))
		return -1;
	if (is_array && !documented)
		return config_reader_fail(&loader->reader, line,
			"arrays of tables such as [[%s]] are not read", name);
	if (is_array || (!config_section_exists(name) && !documented))
		return fail_section(loader, name, line);
	loader->foreign = !config_section_exists(name);
	if (note_section(loader, name, line))
		return -1;
	free(loader->section);
	loader->section = mem_strdup(name);
	return 0;
}

static int check_twice(struct loader *loader, int index, const char *name, unsigned line)
{
	int target = config_key_resolve(index);
	unsigned earlier = loader->config->origins[target].line;

	if (!earlier || config_keys[index].type == CONFIG_BINDINGS)
		return 0;
	return config_reader_fail(&loader->reader, line,
		"%s is there twice: [%s] %s was set on line %u", name, config_keys[target].section,
		config_keys[target].name, earlier);
}

static int on_key(void *user, const char *name, unsigned line, struct err *err)
{
	struct loader *loader = user;
	struct str sentence STR_AUTO = STR_INIT;

	(void)err;
	if (!loader->section)
		return config_reader_fail(
			&loader->reader, line, "%s stands before any [section]", name);
	int index = config_key_find(loader->section, name);

	if (index < 0) {
		config_unknown_key(loader->section, name, &sentence);
		return fail_with(loader, line, &sentence);
	}
	return check_twice(loader, index, name, line);
}

static int assign(struct loader *loader, const char *section, const char *name)
{
	int index = config_key_find(section, name);
	struct config *config = loader->config;
	struct err *err = loader->reader.err;

	if (index < 0)
		return config_reader_fail(&loader->reader, loader->line, "unknown key %s", name);
	const struct config_key *key = &config_keys[config_key_resolve(index)];
	int failed = key->type == CONFIG_BINDINGS
			     ? config_binding_add(config, name, &loader->value, loader->line, err)
			     : config_value_set(config, key, &loader->value, &loader->places, err);

	if (failed) {
		loader->reader.failed = true;
		return err_context(err, "%s:%u", loader->reader.file, loader->line);
	}
	config->origins[key - config_keys].line = loader->line;
	return 0;
}

static void begin_value(struct loader *loader, enum config_value_kind kind)
{
	config_value_release(&loader->value);
	loader->value.kind = kind;
	loader->line = loader->reader.fed_line;
}

static int finish_scalar(
	struct loader *loader, enum config_value_kind kind, const char *section, const char *name)
{
	begin_value(loader, kind);
	str_add_bytes(&loader->value.text, str_c(&loader->piece), loader->piece.len);
	str_clear(&loader->piece);
	return assign(loader, section, name);
}

static int finish_element(struct loader *loader)
{
	strv_take(&loader->value.items, mem_strndup(str_c(&loader->piece), loader->piece.len));
	str_clear(&loader->piece);
	return 0;
}

static const char scalar_letters[] = "sinb";
static const enum config_value_kind scalar_kinds[] = {
	CONFIG_VALUE_STRING,
	CONFIG_VALUE_WHOLE,
	CONFIG_VALUE_NUMBER,
	CONFIG_VALUE_BOOLEAN,
};

/* One line that came back from inih. inih goes on after a fault, so what follows one is let pass unread. */
static int on_line(void *user, const char *section, const char *name, const char *text)
{
	struct loader *loader = user;

	if (loader->reader.failed || !text[0] || text[1] != ':')
		return 0;
	config_piece_decode(text + 2, &loader->piece);
	const char *scalar = strchr(scalar_letters, text[0]);
	if (scalar)
		return !finish_scalar(loader, scalar_kinds[scalar - scalar_letters], section, name);
	switch (text[0]) {
	case '+':
		return 1;
	case '[':
		begin_value(loader, CONFIG_VALUE_ARRAY);
		return 1;
	case 'e':
		return !finish_element(loader);
	case ']':
		return !assign(loader, section, name);
	default:
		return 0;
	}
}

static void loader_release(struct loader *loader)
{
	for (size_t i = 0; i < loader->seen_count; i++)
		free(loader->seen[i].name);
	free(loader->seen);
	free(loader->section);
	config_reader_release(&loader->reader);
	config_value_release(&loader->value);
	str_release(&loader->piece);
}

static int finish(struct loader *loader)
{
	unsigned line = 0;

	if (close_section(loader))
		return -1;
	if (!config_bindings_check(loader->config, &line, loader->reader.err))
		return 0;
	return err_context(loader->reader.err, "%s:%u", loader->reader.file, line);
}

static int run_loader(struct loader *loader)
{
	int status = ini_parse_stream(config_reader_feed, &loader->reader, on_line, loader);

	if (loader->reader.failed)
		return -1;
	/* A line that inih itself refuses is a fault of the reader in front of it: not a reason to go on. */
	if (status)
		return config_reader_fail(
			&loader->reader, loader->reader.fed_line, "cannot be read");
	return finish(loader);
}

int config_parse(struct config *config, const char *text, size_t len, const char *name_for_messages,
	const char *dir, const char *home, struct err *err)
{
	struct err local = ERR_INIT;
	struct loader loader = {.config = config, .places = {dir, home}};

	free(config->path);
	config->path = mem_strdup(name_for_messages);
	int status =
		config_reader_init(&loader.reader, text, len, config->path, err ? err : &local);

	loader.reader.on_section = on_section;
	loader.reader.on_key = on_key;
	loader.reader.user = &loader;
	if (!status)
		status = run_loader(&loader);
	loader_release(&loader);
	if (!status)
		config_settle(config);
	return status;
}

/* Judged by the descriptor that is then read: between a look at the path and an open somebody could swap it. */
static int check_owner(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_REFUSED, "%s is not a regular file", path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return err_set(err, ERR_REFUSED,
			"%s belongs to user %u; a configuration must belong to you or to root",
			path, (unsigned)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, ERR_REFUSED,
			"%s can be written by others (mode %04o); chmod go-w makes it yours alone",
			path, (unsigned)(st.st_mode & 07777));
	return 0;
}

int config_load(struct config *config, const char *path, const char *home, struct err *err)
{
	struct str text STR_AUTO = STR_INIT;
	/* O_NONBLOCK: a FIFO in the place of the file must not hold the start. */
	int fd FD_AUTO = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return err_set_errno(err, "%s", path);
	if (check_owner(fd, path, err))
		return -1;
	if (fd_read_all(fd, CONFIG_FILE_BYTES, &text, err))
		return err_context(err, "reading %s", path);
	char *absolute MEM_AUTO = realpath(path, NULL);

	if (!absolute)
		return err_set_errno(err, "%s", path);
	char *dir MEM_AUTO = path_dirname(absolute);
	return config_parse(config, str_c(&text), text.len, path, dir, home, err);
}
