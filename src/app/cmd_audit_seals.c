#include "config.h"

#include "app/cmd.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/audit.h"
#include "app/cmd_audit.h"
#include "app/seals.h"
#include "app/verify.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/mem.h"

#define KEPT_BYTES (64u << 20) /* a journal of some 500,000 anchors */

struct kept {
	struct digest *items;
	size_t count, cap;
};

static int usage(void)
{
	fputs("usage: exequatur audit verify [--key FILE|HEX] [--anchor FILE|HEX]... FILE|DIR\n"
	      "       exequatur audit init-seals [--config FILE]\n",
		stderr);
	return EXIT_USAGE;
}

/* Every word of 64 hexadecimal digits: a journal's lines have other words too. */
static void find_digests(const char *text, size_t len, struct kept *ret)
{
	size_t start = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && isxdigit((unsigned char)text[i]))
			continue;
		char hex[DIGEST_HEX_BYTES] = "";
		struct digest digest;

		if (i - start == DIGEST_HEX_BYTES - 1) {
			memcpy(hex, text + start, DIGEST_HEX_BYTES - 1);
			mem_grow(&ret->items, &ret->cap, ret->count, sizeof(*ret->items));
			if (digest_from_hex(hex, &digest) == 0)
				ret->items[ret->count++] = digest;
		}
		start = i + 1;
	}
}

/* What was kept elsewhere: as it is, or in a file. */
static int read_kept(const char *what, struct kept *ret, struct err *err)
{
	STR_AUTO struct str text = STR_INIT;
	size_t before = ret->count;

	find_digests(what, strlen(what), ret);
	if (ret->count > before && strlen(what) == DIGEST_HEX_BYTES - 1)
		return 0;
	ret->count = before; /* a path that looks so */
	if (fd_read_file(what, KEPT_BYTES, &text, err) != 0)
		return -1;
	find_digests(str_c(&text), text.len, ret);
	return ret->count > before ? 0
				   : err_set(err, ERR_INVALID,
					     "%s: no word of 64 hexadecimal digits is in it", what);
}

struct verify_words {
	struct kept keys, anchors;
	const char *path;
};

static void release(struct verify_words *words)
{
	free(words->keys.items);
	free(words->anchors.items);
}

static int read_path(int argc, char **argv, struct verify_words *ret, struct err *err)
{
	bool marked = argc > 0 && strcmp(argv[0], "--") == 0;

	argc -= marked;
	argv += marked;
	if (argc != 1 || (!marked && argv[0][0] == '-'))
		return err_set(err, ERR_INVALID, "one file or directory is to be named");
	ret->path = argv[0];
	return 0;
}

static int read_words(int argc, char **argv, struct verify_words *ret, struct err *err)
{
	int i = 1;

	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0 && argv[i][2] != '\0'; i += 2) {
		bool key = strcmp(argv[i], "--key") == 0;

		if (!key && strcmp(argv[i], "--anchor") != 0)
			return err_set(err, ERR_NOT_FOUND, "there is no option \"%s\"", argv[i]);
		if (read_kept(argv[i + 1], key ? &ret->keys : &ret->anchors, err) != 0)
			return -1;
	}
	if (ret->keys.count > 1)
		return err_set(err, ERR_INVALID, "more than one key is given");
	return read_path(argc - i, argv + i, ret, err);
}

int cmd_audit_verify(int argc, char **argv)
{
	CLEANUP(release) struct verify_words words = {0};
	STR_AUTO struct str report = STR_INIT;
	struct err err = ERR_INIT;

	if (read_words(argc, argv, &words, &err) != 0) {
		log_warn("%s", err.text);
		return usage();
	}
	const struct verify_kept kept = {.key = words.keys.count == 1 ? words.keys.items : NULL,
		.anchors = words.anchors.items,
		.anchor_count = words.anchors.count};
	int status = verify_path_kept(words.path, &kept, &report, &err);

	cmd_print(str_c(&report));
	if (fflush(stdout) != 0)
		return EXIT_RUNTIME;
	if (status < 0) {
		log_warn("%s", err.text);
		return EXIT_USAGE;
	}
	return status;
}

static int init_seals(const char *config_file, struct digest *ret_key, struct err *err)
{
	MEM_AUTO char *named = NULL;
	MEM_AUTO char *dir = NULL;

	if (past_directory(config_file, &named, err) != 0 ||
		audit_directory(named, NULL, NULL, &dir, err) != 0)
		return -1;
	FD_AUTO int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir_fd < 0)
		return err_set_errno(err, "opening %s", dir);
	return seals_init(dir_fd, clock_wall_ms(), ret_key, err);
}

int cmd_audit_init_seals(int argc, char **argv)
{
	struct digest key;
	struct err err = ERR_INIT;
	char hex[DIGEST_HEX_BYTES];
	bool named = argc == 3 && (strcmp(argv[1], "--config") == 0 || strcmp(argv[1], "-c") == 0);

	if (argc != 1 && !named)
		return usage();
	if (init_seals(named ? argv[2] : NULL, &key, &err) != 0) {
		log_warn("%s", err.text);
		return EXIT_RUNTIME;
	}
	digest_hex(&key, hex);
	printf("%s\n", hex);
	if (fflush(stdout) != 0)
		return EXIT_RUNTIME;
	log_warn("this is the public key of the seals; keep it where nobody of this machine can "
		 "change it, for audit verify --key");
	return 0;
}
